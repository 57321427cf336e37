// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer out of a union to which an index is added: the record that it points to has an array of elements of the index's size.

struct value {
	int tag;
	union {
		long number;
		double real;
		struct object *object;
	};
};
struct object {
	int kind, uses;
	struct value fields[];
};
struct code {
	unsigned char operation, to;
	unsigned short from;
};
int tag(struct value *base, struct code *at)
{
	return base[0].object->fields[at->from].tag; // EXPECT gcc: struct value +8 (object) EXPECT clang: struct value +8 (object) or struct value +8 EXPECT: struct code +2 (from); struct object +8 (fields.tag)
}
