// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: All structs of a union begin with its tag: where code tests it, the member is known. No value has a member of a default.
// RUN: gcc clang -O2

struct list;
union node {
	int type;
	struct {
		int type, line;
		struct list *list;
		char *end;
	} pipe;
	struct {
		int type, line;
		union node *next;
		char *text;
	} word;
	struct {
		int type, line;
		union node *test, *body;
	} branch;
};

enum { PIPE, WORD, BRANCH, NOT };

void run(union node *node);
void print(const char *text);
void run_list(struct list *list);

/* these show the members by the types of their values */
void run_pipe(union node *node)
{
	if (node->type == PIPE) // MAY: union node +0 (type)
		run_list(node->pipe.list); // EXPECT: union node +8 (pipe.list)
}

void print_word(union node *node)
{
	if (node->type == WORD) { // MAY: union node +0 (type)
		print(node->word.text); // EXPECT: union node +16 (word.text) MAY: union node* +0
		run(node->word.next);   // EXPECT: union node +8 (word.next) MAY: union node* +0
	}
}

_Bool is_last(union node *node)
{
	return node->type == WORD && !node->word.next; // EXPECT: union node +0 (type); union node +8 (word.next)
}

_Bool is_empty(union node *node)
{
	return node->type == PIPE && !node->pipe.list; // EXPECT: union node +0 (type); union node +8 (pipe.list)
}

/* every other number comes here, too, although no node has one */
void run_other(union node *node)
{
	switch (node->type) { // MAY: union node +0 (type)
	case PIPE:
	case WORD:
	case BRANCH:
		run(0);
		break;
	default:
	case NOT:
		run(node->branch.test); // EXPECT: union node +8
	}
}

/* ---- the structs have a number in common, but begin otherwise: the tag is beside the union */

struct page;
struct record {
	int type;
	union {
		struct {
			int line, level;
			struct list *list;
		} lines;
		struct {
			unsigned inode, level;
			struct page *page;
		} inodes;
	} u;
};

void run_page(struct page *page);

void run_lines(struct record *record)
{
	if (record->type == 1) // MAY: struct record +0 (type)
		run_list(record->u.lines.list); // EXPECT: struct record +16 (u.lines.list)
}

void run_inodes(struct record *record)
{
	if (record->type == 2) // MAY: struct record +0 (type)
		run_page(record->u.inodes.page); // EXPECT: struct record +16 (u.inodes.page)
}

_Bool is_unused(struct record *record)
{
	return record->type == 2 && !record->u.inodes.page; // EXPECT: struct record +0 (type); struct record +16 (u.inodes.page)
}
