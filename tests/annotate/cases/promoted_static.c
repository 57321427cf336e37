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
struct beast {
	float x, y, vx, vy;
	int age, legs[3];
	float heat;
};
typedef float pair __attribute__((vector_size(8)));
static struct beast *beasts;
static struct token *tokens;
static struct page *pages;

/* One place alone fits too many records. */
void *blank(void)
{
	void *memory = calloc(2, 4);

	*(long *)memory = 1; // EXPECT: none (a pointer to void or to an undefined type)
	return memory;
}

int main(int argc, char **argv)
{
	long count = atol(argv[1]), sum = 0; // EXPECT: char* +0 [variable]

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
	/* pairs of numbers are read and written at once, and one element by its number */
	beasts = calloc(count, sizeof(*beasts));
	beasts[1].age = argc; // EXPECT: struct beast +16 (age)
	for (long i = 0; i < count; i++) {
		*(pair *)&beasts[i].x = -*(pair *)&beasts[i].vx; // EXPECT: struct beast +8 (vx); struct beast +0 (x)
		sum += beasts[i].age; // EXPECT: struct beast +16 (age)
	}
	printf("%ld\n", sum);
}
