// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An index counts elements as large as one of the records to which a union's pointers lead.
// RULES: union-pointer
// RUN: gcc clang

struct value;
struct entry {
	const char *name;
	unsigned int length;
	struct value *value;
};
struct value {
	struct value *parent;
	union {
		struct {
			unsigned int length;
			char *data;
		} text;
		struct {
			unsigned int length;
			struct entry *entries;
		} object;
		struct {
			unsigned int length;
			struct value **values;
		} array;
	} u;
};
struct value *find(const struct value *object, unsigned long at)
{
	return object->u.object.entries[at].value; // EXPECT: struct entry +16 (value) MAY: struct value +16 (u); struct value +16 (u.array.values)
}
/* Pointers to values, or characters in steps of eight. */
struct value *item(const struct value *array, unsigned long at)
{
	return array->u.array.values[at]; // EXPECT: struct value* +0 MAY: struct value +16 (u); struct value +16 (u.array.values)
}
