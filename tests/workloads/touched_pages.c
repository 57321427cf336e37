// SPDX-License-Identifier: GPL-2.0-or-later
/* Touches 400 pages of memory, each once, from an address on that the filters know. */
#include <sys/mman.h>

int main(void)
{
	volatile char *pages = mmap((void *)0x10000000000, 400 * 4096, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (pages != (volatile char *)0x10000000000)
		return 2;
	madvise((void *)pages, 400 * 4096, MADV_NOHUGEPAGE);
	for (int i = 0; i < 400; i++)
		pages[4096 * i] = 1;
	return 0;
}
