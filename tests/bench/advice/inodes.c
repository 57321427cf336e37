// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table of inodes: the dirty ones are written back, and some are changed meanwhile.
 *
 * case: inode split 1000 300000
 * case: inode split 40000 2500
 * case: inode split 600000 120
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct inode {
	unsigned flags;
	long size;
};
#else
struct inode {
	unsigned mode, user;
	long accessed, modified;
	unsigned flags;
	char name[60];
	long size, blocks[4];
};
#endif
static struct inode *inodes;
__attribute__((noinline)) static long write_back(long n)
{
	long bytes = 0;
	for (long i = 0; i < n; i++)
		if (inodes[i].flags & 1) {
			bytes += inodes[i].size;
			inodes[i].flags &= ~1U;
		}
	return bytes;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long x = 1;
	inodes = calloc(n, sizeof(*inodes));
	for (long k = 0; k < atol(argv[2]); k++) {
		for (long i = 0; i < n / 64; i++) {
			x = x * 6364136223846793005UL + 1442695040888963407UL;
			struct inode *inode = &inodes[(x >> 33) % n];
			inode->flags |= 1;
			inode->size += 10;
		}
		sum += write_back(n);
	}
	printf("%ld\n", sum);
}
