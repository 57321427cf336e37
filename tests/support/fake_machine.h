/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folders that stand for other machines: with the files of /sys and /proc that dtprof record reads.
 */
#pragma once

/* Writes a file with `content` below `root`, and creates its folders. */
void fake_file(const char *root, const char *path, const char *content);

/* Each returns a new scratch folder (process.h), which scratch_remove() removes. */
char *fake_intel_machine(void);   /* before Sapphire Rapids: mem-loads alone */
char *fake_intel_server(void);    /* mem-loads needs mem-loads-aux; an uncore PMU */
char *fake_hybrid_machine(void);  /* cpu_core on CPUs 0-7, cpu_atom on 8-15 */
char *fake_amd_machine(void);     /* ibs_op */
char *fake_arm_machine(void);     /* two kinds of cores, each with its arm_spe; CPU 8 has none */
char *fake_virtual_machine(void); /* software events and tracepoints only */
