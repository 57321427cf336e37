// SPDX-License-Identifier: GPL-2.0-or-later
/* Casts in code of which only BTF is known: no variable says what a pointer was cast to, so what its first
 * type says must not be answered where the access does not fit it. */
#include "tests/support/unit.h"

#include "tests/support/snippet.h"

static const char source[] =
	"#define KEEP __attribute__((noinline, noclone, used))\n"
	"struct inner { long a, b; };\n"
	"struct key { long start, end; unsigned int length; };\n"
	"struct command { long file; unsigned char data[40]; };\n"
	"struct request { struct command command; long flags; };\n"
	"struct packet { long first; unsigned char buffer[24]; long last; };\n"
	"struct link { struct link *next, *previous; };\n"
	"struct group { struct inner inner; long more[30]; } group = { { 1, 2 }, { 3 } };\n"
	"struct inner single = { 1, 2 };\n"
	"KEEP void init_inner(struct inner *i) { i->a = i->b = 3; }\n"
	"KEEP unsigned int hash(struct key *k) { unsigned int *w = (unsigned int *)k;\n"
	"	return w[0] * 3 + w[1] * 5 + w[2] * 7 + w[3] * 11 + w[4]; }\n"
	"KEEP long fields(struct key *k) { return k->start + k->end * (int)k->length; }\n"
	"KEEP long low_halves(struct key *k) { return (int)k->start + (int)k->end; }\n"
	"KEEP long of_command(struct request *r) { return *(long *)(r->command.data + 8) + r->flags; }\n"
	"KEEP int in_buffer(struct packet *p) { return *(int *)(p->buffer + 4); }\n"
	"KEEP char first_byte(unsigned int *p) { return ((char *)p)[1]; }\n"
	"KEEP unsigned int word(unsigned int *p) { return p[0]; }\n"
	"KEEP char in_link(struct link *l) { return ((char *)l)[11]; }\n"
	"KEEP long part_of_global(void) { init_inner(&group.inner); return group.inner.a; }\n"
	"KEEP long whole_global(void) { init_inner(&single); return single.a; }\n"
	"struct page { unsigned long flags; long index, count; };\n"
	"struct slab { unsigned long flags; struct link list; };\n"
	"KEEP struct page *get_page(long key) { return (struct page *)(key << 12); }\n"
	"KEEP struct slab *new_slab(long key) {\n"
	"	struct page *p = get_page(key); if (!p) p = get_page(key + 1);\n"
	"	struct slab *s = (struct slab *)p; s->list.next = &s->list; return s; }\n"
	"KEEP long count_of(long key) { return get_page(key)->count; }\n"
	"int main(void) { return 0; }\nvoid _start(void) { }\n";

static void write_btf(struct btf_writer *writer)
{
	uint32_t number = btf_writer_integer(writer, "long int", 8, BTF_INT_SIGNED);
	uint32_t word = btf_writer_integer(writer, "unsigned int", 4, 0);
	uint32_t byte = btf_writer_integer(writer, "unsigned char", 1, 0);
	uint32_t data = btf_writer_array(writer, byte, 40);
	uint32_t buffer = btf_writer_array(writer, byte, 24);
	uint32_t to_word = btf_writer_pointer(writer, word);
	uint32_t inner = btf_writer_record(writer, BTF_KIND_STRUCT, "inner", 16, 2);

	btf_writer_member(writer, "a", number, 0);
	btf_writer_member(writer, "b", number, 64);
	uint32_t to_inner = btf_writer_pointer(writer, inner);
	uint32_t key = btf_writer_record(writer, BTF_KIND_STRUCT, "key", 24, 3);

	btf_writer_member(writer, "start", number, 0);
	btf_writer_member(writer, "end", number, 64);
	btf_writer_member(writer, "length", word, 128);
	uint32_t to_key = btf_writer_pointer(writer, key);
	uint32_t command = btf_writer_record(writer, BTF_KIND_STRUCT, "command", 48, 2);

	btf_writer_member(writer, "file", number, 0);
	btf_writer_member(writer, "data", data, 64);
	uint32_t request = btf_writer_record(writer, BTF_KIND_STRUCT, "request", 56, 2);

	btf_writer_member(writer, "command", command, 0);
	btf_writer_member(writer, "flags", number, 384);
	uint32_t to_request = btf_writer_pointer(writer, request);
	uint32_t packet = btf_writer_record(writer, BTF_KIND_STRUCT, "packet", 40, 3);

	btf_writer_member(writer, "first", number, 0);
	btf_writer_member(writer, "buffer", buffer, 64);
	btf_writer_member(writer, "last", number, 256);
	uint32_t to_packet = btf_writer_pointer(writer, packet);
	uint32_t link = btf_writer_record(writer, BTF_KIND_STRUCT, "link", 16, 2);

	btf_writer_member(writer, "next", link + 1, 0);
	btf_writer_member(writer, "previous", link + 1, 64);
	uint32_t to_link = btf_writer_pointer(writer, link);

	uint32_t flags = btf_writer_integer(writer, "long unsigned int", 8, 0);
	uint32_t page = btf_writer_record(writer, BTF_KIND_STRUCT, "page", 24, 3);

	btf_writer_member(writer, "flags", flags, 0);
	btf_writer_member(writer, "index", number, 64);
	btf_writer_member(writer, "count", number, 128);
	uint32_t to_page = btf_writer_pointer(writer, page);
	uint32_t slab = btf_writer_record(writer, BTF_KIND_STRUCT, "slab", 24, 2);

	btf_writer_member(writer, "flags", flags, 0);
	btf_writer_member(writer, "list", link, 64);
	uint32_t to_slab = btf_writer_pointer(writer, slab);

	btf_writer_function(writer, "get_page", to_page, (uint32_t[]){ number }, 1);
	btf_writer_function(writer, "new_slab", to_slab, (uint32_t[]){ number }, 1);
	btf_writer_function(writer, "count_of", number, (uint32_t[]){ number }, 1);
	btf_writer_function(writer, "init_inner", 0, (uint32_t[]){ to_inner }, 1);
	btf_writer_function(writer, "hash", word, (uint32_t[]){ to_key }, 1);
	btf_writer_function(writer, "fields", number, (uint32_t[]){ to_key }, 1);
	btf_writer_function(writer, "low_halves", number, (uint32_t[]){ to_key }, 1);
	btf_writer_function(writer, "of_command", number, (uint32_t[]){ to_request }, 1);
	btf_writer_function(writer, "in_buffer", word, (uint32_t[]){ to_packet }, 1);
	btf_writer_function(writer, "first_byte", byte, (uint32_t[]){ to_word }, 1);
	btf_writer_function(writer, "word", word, (uint32_t[]){ to_word }, 1);
	btf_writer_function(writer, "in_link", byte, (uint32_t[]){ to_link }, 1);
	btf_writer_function(writer, "part_of_global", number, NULL, 0);
	btf_writer_function(writer, "whole_global", number, NULL, 0);
}

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define CAST      "(unknown): the access is not to what is declared there"

/* Lists end with NULL. */
static void expect(const char *function, const char *const *found, const char *const *forbidden)
{
	static const char *const none[] = { NULL };

	for (size_t i = 0; i < 2; i++) {
		struct snippet snippet = { .source = source,
					   .compiler = i ? "clang" : "gcc",
					   .function = function,
					   .kernel = true,
					   .btf = write_btf };

		snippet_expect(&snippet, found, forbidden ? forbidden : none);
	}
}

static void records_that_are_hashed_in_words(void **state)
{
	(void)state;
	expect("hash", LIST(CAST), LIST("struct key"));
	expect("fields", LIST("struct key +0 (start)\tbtf", "struct key +16 (length)\tbtf"), NULL);
	/* compilers read no more than what is wanted */
	expect("low_halves", LIST("struct key +0 (start)\tbtf", "struct key +8 (end)\tbtf"), NULL);
}

static void buffers_that_a_record_ends_in(void **state)
{
	(void)state;
	expect("of_command", LIST(CAST, "struct request +48 (flags)\tbtf"), LIST("struct request +16"));
	expect("in_buffer", LIST("struct packet +12 (buffer)\tbtf"), NULL);
}

static void parts_of_words_and_pointers(void **state)
{
	(void)state;
	expect("first_byte", LIST(CAST), LIST("unsigned int"));
	expect("word", LIST("unsigned int +0\tbtf"), NULL);
	expect("in_link", LIST(CAST), LIST("struct link"));
}

static void a_global_variable_is_all_of_its_symbol(void **state)
{
	(void)state;
	expect("part_of_global", LIST("(unknown)"), LIST("struct inner"));
	expect("whole_global", LIST("struct inner +0 (a)\tinferred"), NULL);
}

/* What is declared as one thing and given on as another is none of them, wherever both have a member. */
static void a_page_that_becomes_something_else(void **state)
{
	(void)state;
	expect("new_slab", LIST(CAST), LIST("struct page", "struct slab"));
	expect("count_of", LIST("struct page +16 (count)\tbtf"), NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_that_are_hashed_in_words),
		cmocka_unit_test(buffers_that_a_record_ends_in),
		cmocka_unit_test(parts_of_words_and_pointers),
		cmocka_unit_test(a_page_that_becomes_something_else),
		cmocka_unit_test(a_global_variable_is_all_of_its_symbol),
	};

	return cmocka_run_group_tests_name("btf_casts", tests, NULL, NULL);
}
