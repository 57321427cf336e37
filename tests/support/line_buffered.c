// SPDX-License-Identifier: GPL-2.0-or-later
/* Linked into every test program, so that the output of a test is kept if the next test crashes. */
#include <stdio.h>

__attribute__((constructor)) static void buffer_lines(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
}
