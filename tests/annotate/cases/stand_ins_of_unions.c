// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A member with an underscore before its name stands in for the one without it, whatever else its struct shows.
// RUN: gcc
// RUN: clang

struct place;
struct type;

struct operation {
	unsigned code;
	union {
		struct {
			struct place *target;
			struct type *from;
		};
		struct {
			struct place *first, *second, *third;
		};
		struct {
			struct place *_first, *_second;
			struct type *of;
		};
	};
};

extern struct place *find(struct type *type);
extern void use(struct place *a, struct place *b);
extern long size_of(struct type *type);

struct place *compared(struct operation *o)
{
	if (size_of(o->of) > 8) // EXPECT: struct operation +24 (of)
		return 0;
	use(o->first, o->second); // EXPECT: struct operation +8 (first); struct operation +16 (second)
	return find(o->of); // EXPECT: struct operation +24 (of)
}
