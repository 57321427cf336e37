/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings of memory accesses with all data sources that kernels report, on machines of three
 * vendors. The samples are the same in each run: two processes and the kernel, four processors on
 * two nodes, lines in anonymous memory, in a file and without a map, accesses without an address.
 */
#pragma once

#include "base/error.h"

enum c2c_recording { C2C_INTEL, C2C_AMD, C2C_ARM, C2C_CHAINS, C2C_RECORDINGS };

/* "intel", "amd", "arm"; "chains" is intel with call chains */
const char *c2c_recording_name(enum c2c_recording recording);
struct error *c2c_recording_write(enum c2c_recording recording, const char *path);
