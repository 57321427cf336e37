// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A member is a pointer to void, and the program's own variables of the record are initialized with it.
// RULES: initialized-member
// RUN: gcc clang
// RUN off: gcc clang --no-rule=initialized-member

struct format {
	const char *name;
	long flags;
	const void *private;
	const void *either;
	const void *any;
};
struct elf {
	const char *machine;
	long size, alignment;
	int class;
};
struct coff {
	int magic, header;
};
struct small {
	long a, b;
};
struct other {
	long c, d;
};

const struct elf elf_private = { "x86", 2, 3, 4 };
const struct coff coff_private = { 5, 6 };
const struct small small_private = { 7, 8 };
const struct other other_private = { 9, 10 };
const long number = 11;

const struct format elf_format = { "elf", 1, &elf_private, &small_private, &elf_private };
const struct format formats[2] = {
	{ "coff", 2, &coff_private, &other_private, &number },
	{ "none", 3, 0, 0, 0 },
};

/* All accesses go to whole members of just one of the records that the member is initialized with. */
long alignment(const struct format *f)
{
	return ((const struct elf *)f->private)->alignment; // EXPECT: struct format +16 (private); struct elf +16 (alignment) [inferred]
	// EXPECT off: struct format +16 (private); none
}

int header(const struct format *f)
{
	return ((const struct coff *)f->private)->header; // EXPECT: struct format +16 (private); struct coff +4 (header) [inferred]
	// EXPECT off: struct format +16 (private); none
}

/* Both fit. */
long second(const struct format *f)
{
	return ((const struct small *)f->either)->b; // EXPECT: struct format +24 (either); none
}

/* One variable has something else there. */
long anything(const struct format *f)
{
	return ((const struct elf *)f->any)->alignment; // EXPECT: struct format +32 (any); none
}

/* None of them has a member there. */
short cut(const struct format *f)
{
	return ((const short *)f->private)[5]; // EXPECT: struct format +16 (private); none
}
