/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units. Times are counted in nanoseconds, as in perf.data, and sizes in bytes. */
#ifndef DTPROF_BASE_UNITS_H
#define DTPROF_BASE_UNITS_H

#define NS_PER_US 1000
#define NS_PER_MS 1000000
#define NS_PER_S  1000000000

#define BYTES_PER_MB 1048576

#endif
