/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines that are not at hand: a folder with the /sys and /proc files by which dtprof record
 * knows them. */
#ifndef DTPROF_TESTS_FAKE_MACHINE_H
#define DTPROF_TESTS_FAKE_MACHINE_H

/* Put a file with `content` below `root`, with the folders that it needs. */
void fake_file(const char *root, const char *path, const char *content);

/* Each returns a new scratch folder (support/process.h), to be removed by scratch_remove(). */
char *fake_intel_machine(void);   /* before Sapphire Rapids: mem-loads alone */
char *fake_intel_server(void);    /* mem-loads needs mem-loads-aux; an uncore PMU */
char *fake_hybrid_machine(void);  /* cpu_core on CPUs 0-7, cpu_atom on 8-15 */
char *fake_amd_machine(void);     /* ibs_op */
char *fake_virtual_machine(void); /* software events and tracepoints only */

#endif
