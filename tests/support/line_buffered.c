// SPDX-License-Identifier: GPL-2.0-or-later
/* Linked into every test program: what a test has said stays said, even if the next one dies. */
#include <stdio.h>

__attribute__((constructor)) static void buffer_lines(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
}
