/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells whether hardware breakpoints work here. A virtual machine may have none, or may accept them
 * but never hit. */
#pragma once

enum breakpoints {
	BREAKPOINTS_HIT,
	BREAKPOINTS_DROPPED, /* the kernel accepts them, and they never hit */
	BREAKPOINTS_REFUSED, /* by the kernel */
};

/* Sets a breakpoint on a variable of the test, and returns what happened. */
enum breakpoints breakpoints_try(void);
/* Skips the running test with the reason unless breakpoints work. */
void breakpoints_or_skip(void);
