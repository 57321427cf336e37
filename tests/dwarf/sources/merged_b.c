// SPDX-License-Identifier: GPL-2.0-or-later
void use(long l)
{
	__asm__ volatile("" : : "r"(l));
}
extern int take(int);
int main(int argc, char **argv)
{
	(void)argv;
	return take(argc);
}
