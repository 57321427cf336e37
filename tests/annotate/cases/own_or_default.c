// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A conditional move chooses between a parameter and a static record of its type, or between two static records.
// RUN: gcc clang
// RUN: gcc -O1

struct options {
	int style, flags;
	unsigned char quoted[32];
};

static struct options defaults = { 3, 0, "[]" }, others = { 2, 1, "<>" };

struct options *default_options(int quoted)
{
	return quoted ? &defaults : &others;
}

int style_of(const struct options *o)
{
	return (o ? o : &defaults)->style; // EXPECT: struct options +0 (style)
}

void set_flags(struct options *o, int flags)
{
	struct options *changed = o ? o : &defaults;

	changed->flags = flags; // EXPECT: struct options +4 (flags)
}

int flags_of(int which)
{
	return (which > 3 ? &defaults : &others)->flags; // EXPECT: struct options +4 (flags)
}
