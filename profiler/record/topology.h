/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the machine's CPUs, caches and memory nodes hang together, for the features of a file. */
#ifndef DTPROF_RECORD_TOPOLOGY_H
#define DTPROF_RECORD_TOPOLOGY_H

#include "profiler/record/writer.h"

/* CPU_TOPOLOGY, NUMA_TOPOLOGY, and for machines with several kinds of cores HYBRID_TOPOLOGY. */
void topology_add_features(struct writer *writer, const char *root);

#endif
