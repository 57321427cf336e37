// SPDX-License-Identifier: GPL-2.0-or-later
/* A load through a register of which nothing is known. */
long load(void)
{
	long value;

	__asm__("movq 8(%%r11), %0" : "=r"(value));
	return value;
}

int main(void)
{
	return 0;
}
