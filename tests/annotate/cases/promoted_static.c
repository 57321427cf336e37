// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A static pointer that one function uses is kept in registers, and its variable has no place: what is allocated has its type.
// RULES: unlocated-variable
// RUN: gcc
// RUN: gcc -O3

void *calloc(unsigned long, unsigned long);
long atol(const char *);
int printf(const char *, ...);

struct token {
	unsigned int kind, length;
	long value;
	unsigned int line, column;
};
struct page {
	long first;
	char text[4];
};
static struct token *tokens;
static struct page *pages;

int main(int argc, char **argv)
{
	long count = atol(argv[1]), sum = 0; // EXPECT: char* +0 [variable]
	void *other = calloc(count, sizeof(long)), *more = calloc(count, 8);

	tokens = calloc(count, sizeof(*tokens));
	pages = calloc(count, sizeof(*pages));
	for (long i = 0; i < count; i++) {
		tokens[i].length = 1 + i % 9; // EXPECT: struct token +4 (length)
		tokens[i].value = i % 1000; // EXPECT: struct token +8 (value)
		pages[i].first = i; // EXPECT: struct page +0 (first)
		pages[i].text[3] = (char)argc; // EXPECT: struct page +11 (text)
	}
	for (long i = 0; i < count; i++) {
		sum += tokens[i].length; // EXPECT: struct token +4 (length)
		if (tokens[i].column == 79) // EXPECT: struct token +20 (column)
			sum ^= tokens[i].line; // EXPECT: struct token +16 (line)
		sum += pages[i].text[2]; // EXPECT: struct page +10 (text)
	}
	((int *)other)[argc] = (int)sum; // EXPECT: none (a pointer to void or to an undefined type)
	*(long *)more = sum; // EXPECT: none (a pointer to void or to an undefined type)
	printf("%ld %p %p\n", sum, other, more);
}
