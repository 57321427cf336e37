// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function stores a pointer to a record in a union of an object: what it loads from there points to that record, if its accesses leave several.
// RULES: member-kin
// RUN: gcc clang -fno-var-tracking
// RUN off: gcc -fno-var-tracking --no-rule=member-kin

struct node {
	struct node *left;
	long value;
};

struct step {
	struct step *next;
	union {
		struct node *node;
		struct step *target;
		long number;
	};
};

/* Appends to a list, whose head keeps its last step. */
struct step *append(struct step *list, struct step *s)
{
	list->target->next = s;
	// EXPECT: struct step +8 (target); struct step +0 (next) [inferred]
	// EXPECT off: struct step +8 (target); none
	list->target = s; // EXPECT: struct step +8 (target) EXPECT off: struct step +8 (target)
	return list;
}

/* The store is to another object. */
void other(struct step *list, struct step *a, struct step *s)
{
	list->target->next = s;
	// EXPECT: struct step +8 (target); none
	// EXPECT off: struct step +8 (target); none
	a->target = s; // EXPECT: struct step +8 (target) EXPECT off: struct step +8 (target)
}

/* Two types are stored. */
void both(struct step *list, struct step *s, struct node *n, int which)
{
	list->target->next = s;
	// EXPECT: struct step +8 (target); none
	// EXPECT off: struct step +8 (target); none
	if (which) {
		list->target = s; // EXPECT: struct step +8 (target) EXPECT off: struct step +8 (target)
		__asm__ volatile(""); /* two stores, not one of either value */
	} else {
		list->node = n; // EXPECT: struct step +8 (node) EXPECT off: struct step +8 (node)
	}
}
