/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the CPU calls itself, in /proc/cpuinfo. */
#ifndef DTPROF_RECORD_CPU_ID_H
#define DTPROF_RECORD_CPU_ID_H

/* "AMD EPYC 7713 64-Core Processor", to be freed; NULL: not known. */
char *cpu_description(const char *root);
/* As perf writes it: "GenuineIntel,6,85,7" on x86, the MIDR register on Arm; NULL: not known. */
char *cpu_id(const char *root);

#endif
