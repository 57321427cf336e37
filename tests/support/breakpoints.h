/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Breakpoints of this machine's processor: virtual ones may have none, or take them and never hit.
 */
#ifndef DTPROF_TESTS_BREAKPOINTS_H
#define DTPROF_TESTS_BREAKPOINTS_H

enum breakpoints {
	BREAKPOINTS_HIT,
	BREAKPOINTS_DROPPED, /* the kernel takes them, and nothing comes of it */
	BREAKPOINTS_REFUSED, /* by the kernel */
};

/* Tries one on a variable of the test itself. */
enum breakpoints breakpoints_try(void);
/* Skips the running test, saying why, unless breakpoints are hit. */
void breakpoints_or_skip(void);

#endif
