// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: clang describes no variable of the C library, and no function whose name is reserved or that it knows itself.
// RUN: gcc clang
// BEFORE: clang 21

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

struct text {
	const char *at;
	long words, failed;
};

__attribute__((noinline)) int skip(struct text *t)
{
	while (isspace((unsigned char)*t->at))
	// EXPECT: struct text +0 (at); char +0; short unsigned int* +0 or unsigned short* +0; short unsigned int +1 or unsigned short +1
		t->at++; // EXPECT: struct text +0 (at)
	return toupper((unsigned char)*t->at); // MAY: struct text +0 (at); char +0; __int32_t* +0; __int32_t +0; int* +0; int +0
}

__attribute__((noinline)) int lower(unsigned char c)
{
	return tolower(c); // EXPECT: __int32_t* +0 or int* +0; __int32_t +0 or int +0
}

__attribute__((noinline)) void fail(struct text *t)
{
	if (errno == EINTR) // EXPECT: int +0
		t->failed++; // EXPECT: struct text +16 (failed)
	fprintf(stderr, "%ld\n", t->words); // EXPECT: struct _IO_FILE** +0; struct _IO_FILE* +0; struct text +8 (words)
}

__attribute__((noinline)) void cut(char *s)
{
	*strchr(s, '=') = 0; // EXPECT: char +0
}

__attribute__((noinline)) const char *first(void)
{
	return environ[0]; // EXPECT: char*** +0; char** +0; char* +0
}

__attribute__((noinline)) int next(int argc)
{
	return optind < argc ? optind++ : 0; // EXPECT: int* +0; int +0
}
