// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A format, also one that is translated, tells what is printed: text, a number or a pointer. What memcpy() reads is no code.
// RUN: gcc clang

typedef void function(int);

struct token {
	int type;
	union {
		char *text;
		long number;
		function *call;
	} u;
};

extern int printf(const char *format, ...);
extern char *dcgettext(const char *domain, const char *text, int category);
extern void *memcpy(void *to, const void *from, unsigned long size);

void fail(int status, const char *format, ...);

void show_text(struct token *token)
{
	printf("%*d: 100%% <%s>\n", 5, 7, token->u.text); // EXPECT: struct token +8 (u.text)
}

void show_number(struct token *token)
{
	fail(0, "%-8.3f of %ld", 1.0, token->u.number); // EXPECT: struct token +8 (u.number)
}

void fail_text(struct token *token)
{
	fail(1, dcgettext(0, "bad argument `%s'", 5), token->u.text); // EXPECT: struct token +8 (u.text)
}

void unknown(struct token *token)
{
	fail(1, "%Y", token->u.text); // EXPECT: struct token +8 (u)
}

void copy_text(struct token *token, char *to, unsigned long size)
{
	memcpy(to, token->u.text, size); // EXPECT: struct token +8 (u.text)
}
