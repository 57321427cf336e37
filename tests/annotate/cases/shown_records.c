// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Among records that begin with the same members, the type of the value tells which one an access goes to.
// RUN: gcc clang
// RUN off: gcc --no-rule=shown-record
// RULES: shown-record

#define HEAD                                                                                       \
	struct any *next;                                                                          \
	int kind

struct any {
	HEAD;
};

struct words {
	long count;
};

struct text {
	HEAD;
	struct words *words;
	const char *chars;
};

struct named {
	HEAD;
	struct words *words;
	struct any *name;
};

struct number {
	HEAD;
	double value;
	long digits;
};

struct box {
	unsigned long word;
};

struct pair {
	HEAD;
	struct box first;
	struct box second;
};

struct any any;
struct text text;
struct named named;
struct number number;
struct pair pair;

void use_words(struct words *words);
void use_any(struct any *any);
void use_chars(const char *chars);
void use_two(struct words *words, struct any *any);
void use_both(const char *chars, struct words *words);

/* Another record has the same member there, after those that struct text begins with; but neither
 * begins with the other. */
void words(struct any *a)
{
	use_words(((struct text *)a)->words); // EXPECT: none EXPECT off: none
}

void chars(struct any *a)
{
	use_chars(((struct text *)a)->chars);
	// EXPECT: struct text +24 (chars) [inferred]
	// EXPECT off: none
}

double value(struct any *a)
{
	return ((struct number *)a)->value + 1;
	// EXPECT: struct number +16 (value) [inferred]
	// EXPECT off: none
}

/* A box may have a pointer to such a record, too. */
void name(struct any *a)
{
	use_any(((struct named *)a)->name); // EXPECT: none EXPECT off: none
}

/* Nor if another member is known. */
void two(struct any *a)
{
	use_two((struct words *)((struct pair *)a)->first.word, (struct any *)((struct pair *)a)->second.word);
	// EXPECT: none EXPECT off: none
}

/* Numbers are alike. */
long digits(struct any *a)
{
	return ((struct number *)a)->digits + 1; // EXPECT: none EXPECT off: none
}

/* The other member tells the record. */
void both(struct any *a)
{
	use_both(((struct text *)a)->chars, ((struct text *)a)->words);
	// EXPECT: struct text +24 (chars) [inferred]
	// EXPECT: struct text +16 (words) [inferred]
	// EXPECT off: none
	// EXPECT off: none
}

union value {
	struct box box;
	struct any *any;
};

/* The union shows with what the records begin that a box may point to. */
double boxed(struct box box)
{
	union value v = { .box = box };

	return ((struct number *)v.any)->value + 1;
	// EXPECT: struct number +16 (value) [inferred]
	// EXPECT off: none
}
