// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
int variadic(const char *format, ...)
{
	return *format;
}
void leave(void)
{
	exit(1);
}
int unprototyped(void *p, int i)
{
	return p && i;
}
void use(void *p)
{
	*(char *)p ^= 1;
}
