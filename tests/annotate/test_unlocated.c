// SPDX-License-Identifier: GPL-2.0-or-later
/* Casts that a variable is written for, of which the debug information says too little: buffers that another
 * record is kept in, variables without a place. */
#include "tests/support/unit.h"

#include "annotate/rules/scope_types.h"
#include "tests/annotate/made_types.h"
#include "tests/support/snippet.h"

/* io_uring has its requests so: what a command needs is in its buffer. */
#define REQUESTS                                                                                             \
	"struct file { int mode; long position; };\n"                                                        \
	"struct command { struct file *file; unsigned char data[48]; };\n"                                   \
	"struct request { union { struct file *file; struct command command; }; long flags;\n"               \
	" struct request *next; };\n"                                                                        \
	"struct opening { struct file *file; int folder; const char *name; _Bool late; };\n"                 \
	"struct closing { struct file *file; const char *why; };\n"                                          \
	"long use(void *, const void *);\n"

static void records_kept_in_a_buffer(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = REQUESTS
			     "long get(struct request *request) {\n"
			     " struct opening *opening = (struct opening *)&request->command;\n"
			     " long sum = opening->folder + request->file->position + use(request, "
			     "opening->name);\n"
			     " if (opening->late) sum += request->flags;\n"
			     " return sum + use(request, opening->name) + use(0, opening->name); }",
			     .function = "get" },
		.found = { "struct opening +8 (folder)", "struct opening +16 (name)",
			   "struct opening +24 (late)", "struct request +0", "struct request +56 (flags)",
			   "struct file +8 (position)" },
		.forbidden = { "struct request +8", "struct request +16", "struct request +24",
			       "struct opening +0", "(unknown)" } });
}

/* What has no members in common with the record around the buffer does not lie in it; and bytes are bytes. */
static void buffers_that_are_none(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = REQUESTS
			     "struct name { unsigned char id[24]; long length; }; struct pair { long a, b; "
			     "};\n"
			     "long get(struct name *name, struct pair *pair) {\n"
			     " long first; __builtin_memcpy(&first, name->id, sizeof(first));\n"
			     " return first + pair->a + pair->b + use(name, pair) + name->length; }",
			     .function = "get" },
		.found = { "struct name +0 (id)", "struct pair +0 (a)", "struct name +24 (length)" },
		.forbidden = { "(unknown)" } });
}

/*
 * A function [0x100, 0x200) with a pointer to `outer`, and inlined in it, at [0x120, 0x140), one with
 * pointers to `header` and `buffer`, and in that, at [0x130, 0x138), one that knows but words.
 */
struct made_function {
	struct made_types types;
	const struct type *header, *buffer, *outer;
	struct scope scopes[3];
	struct variable variables[4];
	struct location location;
	struct function function;
};

static const struct address_range ranges[] = { { 0x100, 0x200 }, { 0x120, 0x140 }, { 0x130, 0x138 } };

static void make_function(struct made_function *made)
{
	memset(made, 0, sizeof(*made));
	made_types_init(&made->types);
	const struct type *word = made_integer(&made->types, "int", 4);
	const struct type *number = made_integer(&made->types, "long", 8);

	made->header = MADE_STRUCT(&made->types, "header", 24, { .name = "owner", .type = number },
				   { .name = "level", .type = word, .offset = 16 });
	made->buffer = MADE_STRUCT(&made->types, "buffer", 16, { .name = "start", .type = number },
				   { .name = "size", .type = word, .offset = 8 });
	made->outer = MADE_STRUCT(&made->types, "outer", 32, { .name = "a", .type = number },
				  { .name = "b", .type = number, .offset = 24 });
	for (uint32_t i = 0; i < 3; i++)
		made->scopes[i] = (struct scope){ .parent = i ? i - 1 : 0,
						  .depth = i,
						  .inlined = i,
						  .ranges = &ranges[i],
						  .range_count = 1 };
	made->location = (struct location){ .low = 0x120, .high = 0x140, .kind = LOCATION_REGISTER };
	made->variables[0] = (struct variable){ .type = made_pointer(&made->types, made->outer), .scope = 0 };
	made->variables[1] =
		(struct variable){ .type = made_pointer(&made->types, made->header), .scope = 1 };
	made->variables[2] = (struct variable){ .type = made_pointer(&made->types, made->buffer),
						.scope = 1,
						.locations = &made->location,
						.location_count = 1 };
	made->variables[3] = (struct variable){ .type = made_pointer(&made->types, word), .scope = 2 };
	made->function = (struct function){
		.scopes = made->scopes, .scope_count = 3, .variables = made->variables, .variable_count = 4
	};
}

static void variables_without_a_place(void **state)
{
	struct made_function made;
	struct field_ref place;

	(void)state;
	make_function(&made);
	assert_true(unlocated_pointer(&made.function, 0x124, false, 16, 4, &place));
	assert_ptr_equal(place.type, made.header);
	assert_int_equal(place.offset, 16);
	/* no such member; one of a variable whose place is known; one that both have */
	assert_false(unlocated_pointer(&made.function, 0x124, false, 20, 4, &place));
	assert_false(unlocated_pointer(&made.function, 0x124, false, 8, 4, &place));
	assert_false(unlocated_pointer(&made.function, 0x124, false, 0, 8, &place));
	/* the outer function's is not asked for where the inner one has some */
	assert_false(unlocated_pointer(&made.function, 0x124, true, 24, 8, &place));
	assert_true(unlocated_pointer(&made.function, 0x104, false, 24, 8, &place));
	assert_ptr_equal(place.type, made.outer);
	/* what knows but words is given the address by what it is inlined in */
	assert_true(unlocated_pointer(&made.function, 0x134, true, 16, 4, &place));
	assert_ptr_equal(place.type, made.header);
	assert_false(unlocated_pointer(&made.function, 0x134, false, 16, 4, &place));
	made_types_deinit(&made.types);
}

/* What has a place further up or down is not there yet, or no more. */
static void variables_that_are_not_there(void **state)
{
	struct made_function made;
	struct field_ref place;

	(void)state;
	make_function(&made);
	made.variables[1].locations = &made.location;
	made.variables[1].location_count = 1;
	made.location.high = 0x122;
	assert_false(unlocated_pointer(&made.function, 0x124, false, 16, 4, &place));
	made.location.low = 0x126;
	made.location.high = 0x140;
	assert_false(unlocated_pointer(&made.function, 0x124, false, 16, 4, &place));
	made_types_deinit(&made.types);
}

/* Two records that have the same member: the inner function knows one of them. */
static void containers_of_the_inner_function(void **state)
{
	struct made_function made;
	struct field_ref place;

	(void)state;
	make_function(&made);
	const struct type *number = made_integer(&made.types, "long", 8);
	const struct type *node = MADE_STRUCT(&made.types, "node", 16, { .name = "next", .type = number },
					      { .name = "previous", .type = number, .offset = 8 });
	const struct type *task = MADE_STRUCT(&made.types, "task", 64, { .name = "a", .type = number },
					      { .name = "node", .type = node, .offset = 32 },
					      { .name = "b", .type = number, .offset = 56 });
	const struct type *file = MADE_STRUCT(&made.types, "file", 48, { .name = "c", .type = number },
					      { .name = "node", .type = node, .offset = 32 });

	made.variables[0].type = made_pointer(&made.types, task);
	made.variables[1].type = made_pointer(&made.types, file);
	assert_true(unlocated_enclosing(&made.function, 0x124, node, -32, 8, &place));
	assert_ptr_equal(place.type, file);
	assert_int_equal(place.offset, 0);
	assert_true(unlocated_enclosing(&made.function, 0x104, node, -32, 8, &place));
	assert_ptr_equal(place.type, task);
	/* the inner one's has nothing there */
	assert_true(unlocated_enclosing(&made.function, 0x124, node, 24, 8, &place));
	assert_ptr_equal(place.type, task);
	/* both in one scope */
	made.variables[0].scope = 1;
	assert_false(unlocated_enclosing(&made.function, 0x124, node, -32, 8, &place));
	made_types_deinit(&made.types);
}

/* netdev_priv() */
static void data_behind_a_record(void **state)
{
	struct made_function made;
	struct field_ref place;

	(void)state;
	make_function(&made);
	assert_true(unlocated_behind(&made.function, 0x104, made.buffer, 16 + 24, 8, &place));
	assert_ptr_equal(place.type, made.outer);
	assert_int_equal(place.offset, 24);
	/* `outer`, or `header`, of both of which nothing is said */
	assert_false(unlocated_behind(&made.function, 0x124, made.buffer, 16, 8, &place));
	assert_true(unlocated_behind(&made.function, 0x104, made.buffer, 16, 8, &place));
	/* it has a place of its own; it is said to be there */
	made.variables[0].locations = &made.location;
	made.variables[0].location_count = 1;
	assert_false(unlocated_behind(&made.function, 0x104, made.buffer, 16 + 24, 8, &place));
	made.location.kind = LOCATION_REGISTER_VALUE;
	made.location.offset = 16;
	assert_true(unlocated_behind(&made.function, 0x104, made.buffer, 16 + 24, 8, &place));
	/* it is the larger thing that has it at its start, or the next of them */
	const struct type *whole =
		MADE_STRUCT(&made.types, "whole", 64, { .name = "buffer", .type = made.buffer },
			    { .name = "x", .type = made.outer, .offset = 32 });

	made.variables[0].type = made_pointer(&made.types, whole);
	assert_false(unlocated_behind(&made.function, 0x104, made.buffer, 16 + 32, 8, &place));
	made.variables[0].type = made_pointer(&made.types, made.buffer);
	assert_false(unlocated_behind(&made.function, 0x104, made.buffer, 16, 8, &place));
	made_types_deinit(&made.types);
}

/* Memory of which nothing is declared but that it is memory: its accesses say what lies there. */
static void arrays_that_nothing_declares(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "void *calloc(unsigned long, unsigned long);\n"
				       "struct item { struct item *next; long key; }; long use(void *);\n"
				       "long get(unsigned long n, unsigned long *keys) {\n"
				       " void *table = calloc(n, 8); long sum = use(table);\n"
				       " for (unsigned long i = 0; i < n; i++)\n"
				       "  for (struct item *t = ((struct item **)table)[keys[i]]; t; t = "
				       "t->next)\n"
				       "   sum += t->key;\n"
				       " return sum; }",
			     .function = "get" },
		.found = { "struct item* +0\tinferred", "struct item +8 (key)" },
		.forbidden = { "(unknown)" } });
	snippet_check(&(struct expectation){
		.snippet = { .source = "void *malloc(unsigned long); long use(void *);\n"
				       "struct entry { int column; double value; long next; };\n"
				       "struct cell { long x, y, z; };\n"
				       "struct matrix { long rows; struct entry *entries; struct cell "
				       "*cells; };\n"
				       "double get(const struct matrix *m, unsigned long n) {\n"
				       " void *all = malloc(n * 24); double sum = use(all);\n"
				       " for (unsigned long i = 0; i < n; i++)\n"
				       "  sum += ((struct entry *)all)[i].column * ((struct entry "
				       "*)all)[i].value;\n"
				       " return sum + m->rows; }",
			     .function = "get" },
		.found = { "struct entry +0 (column)\tinferred", "struct entry +8 (value)\tinferred" },
		.forbidden = { "(unknown)", "struct cell" } });
}

/* Two records fit, or elements of other types are behind the words: nothing is said. */
static void arrays_that_may_be_several(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "void *malloc(unsigned long); long use(void *);\n"
				       "struct entry { int column; long value, next; };\n"
				       "struct cell { int x; long y, z; };\n"
				       "struct matrix { long rows; struct entry *entries; struct cell "
				       "*cells; };\n"
				       "long get(const struct matrix *m, unsigned long n) {\n"
				       " void *all = malloc(n * 24); long sum = use(all);\n"
				       " for (unsigned long i = 0; i < n; i++)\n"
				       "  sum += ((struct entry *)all)[i].column * ((struct entry "
				       "*)all)[i].value;\n"
				       " return sum + m->rows; }",
			     .function = "get" },
		.found = { "(unknown)" },
		.forbidden = { "struct entry", "struct cell" } });
	snippet_check(&(struct expectation){
		.snippet = { .source = "void *calloc(unsigned long, unsigned long); long use(void *);\n"
				       "struct item { long key; }; struct name { long size; };\n"
				       "long get(unsigned long *keys, struct item **i, struct name **n) {\n"
				       " void *table = calloc(99, 8); long sum = use(table);\n"
				       " ((void **)table)[keys[0]] = *i;\n"
				       " ((void **)table)[keys[1]] = *n;\n"
				       " return sum + use(table); }",
			     .function = "get" },
		.found = { "(unknown)" },
		.forbidden = { "struct item* +0\tinferred", "struct name* +0\tinferred" } });
}

/* LLVM makes an index of a condition that chooses among two members side by side. */
static void members_that_a_condition_chooses(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct node { long key; struct node *left, *right; long hits; };\n"
				       "struct node *get(struct node *n, long key) {\n"
				       " while (n && n->key != key) n = key < n->key ? n->left : n->right;\n"
				       " return n; }",
			     .function = "get" },
		.found = { "struct node +0 (key)", "struct node +8 (left)" },
		.forbidden = { "(unknown)" } });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_kept_in_a_buffer),
		cmocka_unit_test(buffers_that_are_none),
		cmocka_unit_test(variables_without_a_place),
		cmocka_unit_test(variables_that_are_not_there),
		cmocka_unit_test(containers_of_the_inner_function),
		cmocka_unit_test(data_behind_a_record),
		cmocka_unit_test(arrays_that_nothing_declares),
		cmocka_unit_test(arrays_that_may_be_several),
		cmocka_unit_test(members_that_a_condition_chooses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
