// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Members are cleared together with the padding before them: the answer is the record.
// RUN: gcc

struct status {
	int type;
	char *function, *message;
	int code;
};

struct status started(int type)
{
	return (struct status){ .type = type + 1 }; // EXPECT: struct status +4
	// EXPECT: struct status +0 (type); struct status +16 (message)
}

/* A word in the padding is to something else. */
short padding(struct status *s)
{
	return *(short *)((char *)s + 4); // EXPECT: none (the offset is outside the type)
}
