// SPDX-License-Identifier: GPL-2.0-or-later
/* A conditional jump that waits for no load. */
long f(long a, long b)
{
	asm volatile("cmpq %1, %0\n\tjl 1f\n\tnegq %0\n\tleaq 1(%0), %0\n\tleaq 2(%0), %0\n\t"
		     "leaq 3(%0), %0\n\t1: notq %0"
		     : "+r"(a)
		     : "r"(b));
	return a;
}
