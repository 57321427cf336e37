// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The last byte of a header tells its kind; each branch has a header of its own, and no variable is left.
// RULES: text-header, byte-before

#include <stdint.h>

#define P __attribute__((packed))

struct P h8 {
	uint8_t len, alloc;
	unsigned char flags;
	char buf[];
};
struct P h16 {
	uint16_t len, alloc;
	unsigned char flags;
	char buf[];
};
struct P h32 {
	uint32_t len, alloc;
	unsigned char flags;
	char buf[];
};

// EXPECT-IN length: char +0
long length(const char *s)
{
	switch (s[-1] & 3) { // MAY: (jump table)
	case 0: return ((struct h8 *)(s - sizeof(struct h8)))->len;
	// EXPECT: struct h8 +0 (len) [inferred]
	case 1: return ((struct h16 *)(s - sizeof(struct h16)))->len;
	// EXPECT: struct h16 +0 (len) [inferred]
	case 2: return ((struct h32 *)(s - sizeof(struct h32)))->len;
	// EXPECT: struct h32 +0 (len) [inferred]
	}
	return 0;
}
