// SPDX-License-Identifier: GPL-2.0-or-later
void use(void *a, int b, ...)
{
	*(char *)a = b;
}
extern long deep(long, long, long, long, long, long, long, long);
int main(int argc, char **argv)
{
	(void)argv;
	return deep(argc, 2, 3, 4, 5, 6, 7, argc);
}
