// SPDX-License-Identifier: GPL-2.0-or-later
/* Records within others, in code of which only BTF is known: what a list's or tree's node is a member of, and
 * two accounts of the same bytes. */
#include "tests/support/unit.h"

#include "tests/support/snippet.h"

static const char source[] =
	"#define KEEP __attribute__((noipa, used))\n"
	"#define IN(pointer, type, member) ((type *)((char *)(pointer) - __builtin_offsetof(type, member)))\n"
	"struct link { struct link *next, *previous; };\n"
	"struct item { long key; struct link link; long value; };\n"
	"struct node { struct node *next, **back; };\n"
	"struct hook { struct node node; long data, more; };\n"
	"struct branch { unsigned long colour; struct branch *left, *right; };\n"
	"struct leaf { long start; struct branch branch; long last; };\n"
	"struct page { unsigned long flags, head, count, owner; };\n"
	"struct folio { union { struct { unsigned long flags, head, count, owner; }; struct page page; };\n"
	"	long order; };\n"
	"struct holder { long before; union { unsigned long number; struct item *item; }; };\n"
	"KEEP void take(struct item *i) { i->value = 0; }\n"
	"KEEP void put(struct folio *f) { f->order = 0; }\n"
	"KEEP unsigned long somewhere(void) { return 4096; }\n"
	"KEEP void passed_on(struct link *head) {\n"
	"	for (struct item *i = IN(head->next, struct item, link); &i->link != head;\n"
	"	     i = IN(i->link.next, struct item, link)) { i->key = 1; take(i); } }\n"
	"KEEP void unlinked(struct link *l) { l->next->previous = l->previous; l->previous->next = l->next; "
	"}\n"
	"KEEP long of_nobody(struct node **first) { long sum = 0;\n"
	"	for (struct node *n = *first; n; n = n->next) sum += IN(n, struct hook, node)->more;\n"
	"	return sum; }\n"
	"KEEP void leftmost(struct leaf *l, long last) { struct branch *b = l->branch.right;\n"
	"	while (b) { struct leaf *leaf = IN(b, struct leaf, branch);\n"
	"		if (leaf->last < last) leaf->last = last; b = leaf->branch.left; } }\n"
	"KEEP struct branch *deepest(struct branch *b) { while (b->left) b = b->left; return b; }\n"
	"KEEP void released(struct page **pages, long i) { struct page *p = pages[i];\n"
	"	unsigned long head = p->head;\n"
	"	struct folio *f = (struct folio *)(head & 1 ? head - 1 : (unsigned long)p);\n"
	"	if (--f->page.count == 0) put(f); }\n"
	"KEEP long kept(struct holder *h) { unsigned long u = somewhere(); h->number = u;\n"
	"	return *(long *)(u + 24); }\n"
	"int main(void) { return 0; }\nvoid _start(void) { }\n";

static uint32_t write_record(struct btf_writer *writer, const char *name, uint32_t size, unsigned int count,
			     const char *const *names, const uint32_t *types)
{
	uint32_t record = btf_writer_record(writer, BTF_KIND_STRUCT, name, size, count);

	for (unsigned int i = 0; i < count; i++)
		btf_writer_member(writer, names[i], types[i], i * 64);
	return record;
}

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define IDS(...)  ((const uint32_t[]){ __VA_ARGS__ })

/* Nothing has a prototype that speaks of a hook. */
static void write_btf(struct btf_writer *writer)
{
	uint32_t number = btf_writer_integer(writer, "long int", 8, BTF_INT_SIGNED);
	uint32_t word = btf_writer_integer(writer, "long unsigned int", 8, 0);

	/* each pointer is the next type but one or two of its record */
	uint32_t link =
		write_record(writer, "link", 16, 2, LIST("next", "previous"), IDS(number + 3, number + 3));
	uint32_t to_link = btf_writer_pointer(writer, link);
	uint32_t item = btf_writer_record(writer, BTF_KIND_STRUCT, "item", 32, 3);

	btf_writer_member(writer, "key", number, 0);
	btf_writer_member(writer, "link", link, 64);
	btf_writer_member(writer, "value", number, 192);
	uint32_t to_item = btf_writer_pointer(writer, item);
	uint32_t node =
		write_record(writer, "node", 16, 2, LIST("next", "back"), IDS(to_item + 2, to_item + 3));
	uint32_t to_node = btf_writer_pointer(writer, node);
	uint32_t to_first = btf_writer_pointer(writer, to_node);
	uint32_t branch = write_record(writer, "branch", 24, 3, LIST("colour", "left", "right"),
				       IDS(word, to_first + 2, to_first + 2));
	uint32_t to_branch = btf_writer_pointer(writer, branch);
	uint32_t leaf = btf_writer_record(writer, BTF_KIND_STRUCT, "leaf", 40, 3);

	btf_writer_member(writer, "start", number, 0);
	btf_writer_member(writer, "branch", branch, 64);
	btf_writer_member(writer, "last", number, 256);
	uint32_t to_leaf = btf_writer_pointer(writer, leaf);
	const char *const *fields = LIST("flags", "head", "count", "owner");
	uint32_t page = write_record(writer, "page", 32, 4, fields, IDS(word, word, word, word));
	uint32_t pages = btf_writer_pointer(writer, btf_writer_pointer(writer, page));
	uint32_t nameless = write_record(writer, NULL, 32, 4, fields, IDS(word, word, word, word));
	uint32_t either = btf_writer_record(writer, BTF_KIND_UNION, NULL, 32, 2);

	btf_writer_member(writer, NULL, nameless, 0);
	btf_writer_member(writer, "page", page, 0);
	uint32_t folio = btf_writer_record(writer, BTF_KIND_STRUCT, "folio", 40, 2);

	btf_writer_member(writer, NULL, either, 0);
	btf_writer_member(writer, "order", number, 256);
	uint32_t to_folio = btf_writer_pointer(writer, folio);

	either = btf_writer_record(writer, BTF_KIND_UNION, NULL, 8, 2);
	btf_writer_member(writer, "number", word, 0);
	btf_writer_member(writer, "item", to_item, 0);
	uint32_t holder = write_record(writer, "holder", 16, 2, LIST("before", NULL), IDS(number, either));
	uint32_t to_holder = btf_writer_pointer(writer, holder);

	btf_writer_function(writer, "take", 0, IDS(to_item), 1);
	btf_writer_function(writer, "put", 0, IDS(to_folio), 1);
	btf_writer_function(writer, "somewhere", word, NULL, 0);
	btf_writer_function(writer, "passed_on", 0, IDS(to_link), 1);
	btf_writer_function(writer, "unlinked", 0, IDS(to_link), 1);
	btf_writer_function(writer, "of_nobody", number, IDS(to_first), 1);
	btf_writer_function(writer, "leftmost", 0, IDS(to_leaf, number), 2);
	btf_writer_function(writer, "deepest", to_branch, IDS(to_branch), 1);
	btf_writer_function(writer, "released", 0, IDS(pages, number), 2);
	btf_writer_function(writer, "kept", number, IDS(to_holder), 1);
}

static void expect(const char *function, const char *const *found, const char *const *forbidden)
{
	struct snippet snippet = { .source = source, .function = function, .kernel = true, .btf = write_btf };

	snippet_expect(&snippet, found, forbidden);
}

/* The element is what is passed on; the register points to it, not to its node. */
static void elements_are_what_they_are_passed_on_as(void **state)
{
	(void)state;
	expect("passed_on",
	       LIST("struct link +0 (next)\tbtf", "struct item +0 (key)\tinferred",
		    "struct item +8 (link.next)\tinferred"),
	       LIST("struct link +8"));
}

static void nodes_alone_are_nodes(void **state)
{
	(void)state;
	expect("unlinked", LIST("struct link +0 (next)\tbtf", "struct link +8 (previous)\tbtf"),
	       LIST("struct item", "(unknown)"));
	expect("deepest", LIST("struct branch +8 (left)\tbtf"), LIST("struct leaf", "(unknown)"));
}

/* What is accessed beyond its end is a member of something, which nothing tells of. */
static void members_of_something_unknown(void **state)
{
	(void)state;
	expect("of_nobody", LIST("struct node* +0", "(unknown)"), LIST("struct node +0", "struct hook"));
}

static void a_branch_of_a_leaf_leads_to_a_leaf(void **state)
{
	(void)state;
	expect("leftmost",
	       LIST("struct leaf +24 (branch.right)\tbtf", "struct leaf +16 (branch.left)\tinferred",
		    "struct leaf +32 (last)\tinferred"),
	       LIST("struct branch"));
}

/* Passed on as a folio, and declared as a page: the page is what it surely is. */
static void of_two_accounts_the_declared_one(void **state)
{
	(void)state;
	expect("released", LIST("struct page +8 (head)\tbtf", "struct page +16 (count)"),
	       LIST("struct folio"));
}

static void what_may_be_a_number_is_no_pointer(void **state)
{
	(void)state;
	expect("kept", LIST("struct holder +8 (number)\tbtf", "(unknown)"), LIST("struct item"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_are_what_they_are_passed_on_as),
		cmocka_unit_test(nodes_alone_are_nodes),
		cmocka_unit_test(members_of_something_unknown),
		cmocka_unit_test(a_branch_of_a_leaf_leads_to_a_leaf),
		cmocka_unit_test(of_two_accounts_the_declared_one),
		cmocka_unit_test(what_may_be_a_number_is_no_pointer),
	};

	return cmocka_run_group_tests_name("btf_links", tests, NULL, NULL);
}
