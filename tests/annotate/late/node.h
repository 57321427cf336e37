/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record that the code of tests/annotate/test_blame.c accesses. */

struct node {
	struct node *next;
	long key;
	struct node *left, *right;
	long value, flags;
	double weight;
};
