// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A lexer that writes tokens: computation.
 *
 * case: token split 60000 500
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef NEW
struct token {
	int kind;
	int start, length;
};
struct token_cold {
	char text[40];
	int line, column;
};
static struct token_cold *cold;
#else
struct token {
	int kind;
	char text[40];
	int line, column;
	int start, length;
};
#endif
static struct token *tokens;
__attribute__((noinline)) static long lex(const char *text, long n)
{
	long count = 0, at = 0;
	while (at < n) {
		long start = at;
		int kind = text[at] == ' ' ? 0 : text[at] < 'a' ? 1 : 2;
		while (at < n && (text[at] == ' ' ? 0 : text[at] < 'a' ? 1 : 2) == kind)
			at++;
		tokens[count].kind = kind;
		tokens[count].start = (int)start;
		tokens[count++].length = (int)(at - start);
	}
	return count;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	char *text = malloc(n * 4);
	unsigned seed = 1;
	tokens = calloc(n * 4, sizeof(*tokens));
#ifdef NEW
	cold = calloc(n * 4, sizeof(*cold));
#endif
	for (long i = 0; i < n * 4; i++) {
		seed = seed * 1103515245 + 12345;
		text[i] = " 019abcdz"[(seed >> 16) % 9];
	}
	for (long k = 0; k < atol(argv[2]); k++)
		sum += lex(text, n * 4);
	printf("%ld\n", sum);
}
