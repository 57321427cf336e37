// SPDX-License-Identifier: GPL-2.0-or-later
/* BTF: every kind of type in either byte order, split and digested, damaged; functions and
 * variables by the object's symbols. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf/btf/btf_private.h"
#include "dwarf/debug.h"
#include "tests/support/btf_writer.h"
#include "tests/support/debug_program.h"
#include "tests/support/elf_writer.h"
#include "tests/support/files.h"

/* ---- types ---- */

struct written {
	uint8_t *bytes;
	size_t size;
	struct btf *btf;
	struct btf_types types;
};

static void open_written(struct written *written, struct btf_writer *writer, const struct btf *base)
{
	written->bytes = btf_writer_finish(writer, &written->size);
	assert_null(btf_open_memory(written->bytes, written->size, base, "test", &written->btf));
	btf_types_init(&written->types, written->btf);
}

static void close_written(struct written *written)
{
	btf_types_deinit(&written->types);
	btf_close(written->btf);
	free(written->bytes);
}

static void check_member(const struct type *type, const char *name, int64_t offset,
			 const char *declaration)
{
	const struct member *member = type_member(type, name);

	assert_non_null(member);
	assert_int_equal(member->offset, offset);
	assert_string_equal(declaration_of(member->type), declaration);
}

static uint32_t write_variadic(struct btf_writer *writer, uint32_t result, uint32_t parameter)
{
	uint32_t id = btf_writer_type(writer, NULL, BTF_KIND_FUNC_PROTO, false, 2, result);

	btf_writer_word(writer, btf_writer_name(writer, "first"));
	btf_writer_word(writer, parameter);
	btf_writer_word(writer, 0);
	btf_writer_word(writer, 0);
	return id;
}

static uint32_t write_enum(struct btf_writer *writer, const char *name, unsigned int kind)
{
	uint32_t id = btf_writer_type(writer, name, kind, true, 1, kind == KIND_ENUM64 ? 8 : 4);

	btf_writer_word(writer, btf_writer_name(writer, "FIRST"));
	btf_writer_word(writer, UINT32_MAX);
	if (kind == KIND_ENUM64)
		btf_writer_word(writer, UINT32_MAX);
	return id;
}

/* Ids are in the order of writing, so a record may refer to one that is written later. */
#define NODE 1

static void write_node(struct btf_writer *writer)
{
	assert_int_equal(btf_writer_type(writer, "node", BTF_KIND_STRUCT, true, 12, 136), NODE);
	uint32_t members[12] = { 0 }, first = NODE + 1;
	static const char *const names[12] = {
		"next", "count", "low",  "high", "table",   "kind",
		"wide", "call",  "real", "ptr",  "unknown", "label"
	};
	static const uint32_t places[12] = { 0,   64,  96 | 3u << 24, 99 | 13u << 24,
					     128, 320, 384,           448,
					     512, 576, 640,           704 };

	/* the types of the members are written after the record, with ids that are known
	 * beforehand */
	members[0] = first;     /* struct node * */
	members[1] = first + 2; /* u32, a typedef of unsigned int */
	members[2] = members[3] = first + 1;
	members[4] = first + 4;   /* short [3][4] */
	members[5] = first + 6;   /* enum */
	members[6] = first + 7;   /* enum of 8 bytes */
	members[7] = first + 9;   /* pointer to function */
	members[8] = first + 10;  /* double */
	members[9] = first + 14;  /* const volatile, tagged */
	members[10] = first + 16; /* only declared */
	members[11] = first + 18; /* char [48] */
	for (size_t i = 0; i < 12; i++)
		btf_writer_member(writer, names[i], members[i], places[i]);
	btf_writer_pointer(writer, NODE);                                      /* first */
	btf_writer_integer(writer, "unsigned int", 4, 0);                      /* + 1 */
	btf_writer_type(writer, "u32", BTF_KIND_TYPEDEF, false, 0, first + 1); /* + 2 */
	btf_writer_array(writer, first + 5, 4);                                /* + 3 */
	btf_writer_array(writer, first + 3, 3);                                /* + 4 */
	btf_writer_integer(writer, "short", 2, BTF_INT_SIGNED);                /* + 5 */
	write_enum(writer, "kind", BTF_KIND_ENUM);                             /* + 6 */
	write_enum(writer, "wide", KIND_ENUM64);                               /* + 7 */
	write_variadic(writer, first + 1, first);                              /* + 8 */
	btf_writer_pointer(writer, first + 8);                                 /* + 9 */
	btf_writer_type(writer, "double", KIND_FLOAT, false, 0, 8);            /* + 10 */
	btf_writer_type(writer, NULL, BTF_KIND_VOLATILE, false, 0, NODE);      /* + 11 */
	btf_writer_type(writer, NULL, BTF_KIND_CONST, false, 0, first + 11);   /* + 12 */
	btf_writer_type(writer, "user", KIND_TYPE_TAG, false, 0, first + 12);  /* + 13 */
	btf_writer_pointer(writer, first + 13);                                /* + 14 */
	btf_writer_type(writer, "hidden", BTF_KIND_FWD, true, 0, 0);           /* + 15 */
	btf_writer_pointer(writer, first + 15);                                /* + 16 */
	btf_writer_integer(writer, "char", 1, BTF_INT_SIGNED);                 /* + 17 */
	btf_writer_array(writer, first + 17, 48);                              /* + 18 */
	assert_int_equal(btf_writer_type(writer, NULL, BTF_KIND_RESTRICT, false, 0, first),
			 first + 19);
}

static void check_node(struct written *written)
{
	const struct type *node = btf_type(&written->types, NODE);
	const struct member *member;
	const uint64_t *dimensions;
	size_t count;

	assert_string_equal(name_of(node), "struct node");
	assert_int_equal(type_size_or(node, 0), 136);
	type_members(node, &count);
	assert_int_equal(count, 12);
	check_member(node, "next", 0, "struct node*");
	check_member(node, "count", 8, "u32");
	check_member(node, "low", 12, "unsigned int");
	member = type_member(node, "high");
	assert_int_equal(member->offset, 12);
	assert_int_equal(member->bit_offset, 3);
	assert_int_equal(member->bit_size, 13);
	check_member(node, "table", 16, "short[]");
	assert_int_equal(type_array_count(type_member(node, "table")->type), 12);
	dimensions = type_array_dimensions(type_member(node, "table")->type, &count);
	assert_int_equal(count, 2);
	assert_int_equal(dimensions[0] * dimensions[1], 12);
	assert_int_equal(type_size_or(type_member(node, "table")->type, 0), 24);
	check_member(node, "kind", 40, "enum kind");
	assert_true(type_member(node, "kind")->type->flags & TYPE_SIGNED);
	check_member(node, "wide", 48, "enum wide");
	assert_int_equal(type_size_or(type_member(node, "wide")->type, 0), 8);
	check_member(node, "call", 56, "(function_type)*");
	check_member(node, "real", 64, "double");
	check_member(node, "ptr", 72, "struct node*");
	check_member(node, "unknown", 80, "union hidden*");
	assert_true(type_target(type_member(node, "unknown")->type)->flags & TYPE_DECLARATION);
	check_member(node, "label", 88, "char[]");

	const struct type *call = type_target(type_member(node, "call")->type);
	const struct parameter *parameters = type_parameters(call, &count);

	assert_true(call->flags & TYPE_VARIADIC);
	assert_int_equal(count, 1);
	assert_string_equal(parameters[0].name, "first");
	assert_ptr_equal(type_target(type_member(node, "next")->type), node);
}

static void every_kind_in_either_byte_order(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct btf_writer *writer = btf_writer_create(NULL, swap);
		struct written written;

		write_node(writer);
		open_written(&written, writer, NULL);
		check_node(&written);
		close_written(&written);
	}
}

/* Before records had the kind flag, a bitfield's integer had its bits. */
static void bitfields_of_old_records(void **state)
{
	struct btf_writer *writer = btf_writer_create(NULL, false);
	struct written written;
	uint32_t bits = btf_writer_type(writer, "unsigned int", BTF_KIND_INT, false, 0, 4);

	(void)state;
	btf_writer_word(writer, 2u << 16 | 5); /* five bits from the second on */
	uint32_t record = btf_writer_record(writer, BTF_KIND_STRUCT, "old", 4, 1);

	btf_writer_member(writer, "field", bits, 7);
	open_written(&written, writer, NULL);
	const struct member *member = type_member(btf_type(&written.types, record), "field");

	assert_int_equal(member->offset, 1);
	assert_int_equal(member->bit_offset, 1);
	assert_int_equal(member->bit_size, 5);
	close_written(&written);
}

/* ---- what newer kernels add ---- */

#define KIND_LOC_PARAM 20
#define KIND_LOC_PROTO 21
#define KIND_LOCSEC    22
#define KIND_NEWER     23
/* The kind that write_newer() writes. */
static unsigned int newer_kind = KIND_NEWER;

#define NEWER_MANY 70000 /* more than 16 bits hold */

/* Makes the header one of Linux 7.2, with a section of the layout of kinds: of each, the bytes that
 * follow the common part, and those of an element. */
static void add_layout(struct written *written)
{
	uint8_t layout[4 * (KIND_NEWER + 1)] = { 0 };

	struct btf_header header;
	uint32_t at[2] = { 0, sizeof(layout) };
	size_t size = written->size + sizeof(at) + sizeof(layout);
	uint8_t *bytes = xcalloc(1, size);

	layout[4 * newer_kind] = 4;
	layout[4 * newer_kind + 1] = 8;

	memcpy(&header, written->bytes, BTF_HEADER_SIZE);
	header.hdr_len += (uint32_t)sizeof(at);
	at[0] = (uint32_t)(written->size - BTF_HEADER_SIZE);
	memcpy(bytes, &header, BTF_HEADER_SIZE);
	memcpy(bytes + BTF_HEADER_SIZE, at, sizeof(at));
	memcpy(bytes + BTF_HEADER_SIZE + sizeof(at), written->bytes + BTF_HEADER_SIZE,
	       written->size - BTF_HEADER_SIZE);
	memcpy(bytes + size - sizeof(layout), layout, sizeof(layout));
	free(written->bytes);
	written->bytes = bytes;
	written->size = size;
}

/* A type of a kind that no kernel has yet, and one with many elements, lie before a record. */
static struct btf_writer *write_newer(uint32_t *record)
{
	struct btf_writer *writer = btf_writer_create(NULL, false);
	uint32_t number = btf_writer_integer(writer, "int", 4, BTF_INT_SIGNED);

	btf_writer_type(writer, "newer", newer_kind, false, 3, 0);
	for (uint32_t i = 0; i < 1 + 3 * 2; i++)
		btf_writer_word(writer, i);
	btf_writer_type(writer, "many", BTF_KIND_ENUM, false, NEWER_MANY, 4);
	for (uint32_t i = 0; i < 2 * NEWER_MANY; i++)
		btf_writer_word(writer, 0);
	*record = btf_writer_record(writer, BTF_KIND_STRUCT, "disk", 8, 1);
	btf_writer_member(writer, "major", number, 32);
	return writer;
}

static void types_of_newer_kernels_are_passed(void **state)
{
	struct written written;
	struct error *error;
	uint32_t record;

	(void)state;
	written.bytes = btf_writer_finish(write_newer(&record), &written.size);
	error = btf_open_memory(written.bytes, written.size, NULL, "test", &written.btf);
	assert_non_null(error);
	assert_non_null(strstr(error->message, "BTF of kind 23"));
	error_destroy(error);
	add_layout(&written);
	assert_null(btf_open_memory(written.bytes, written.size, NULL, "test", &written.btf));
	btf_types_init(&written.types, written.btf);
	check_member(btf_type(&written.types, record), "major", 4, "int");
	close_written(&written);
}

/* The same for a kind that linux-next has with other sizes: what the file says counts. */
static void layouts_are_believed(void **state)
{
	struct written written;
	uint32_t record;

	(void)state;
	newer_kind = KIND_LOC_PARAM;
	written.bytes = btf_writer_finish(write_newer(&record), &written.size);
	add_layout(&written);
	newer_kind = KIND_NEWER;
	assert_null(btf_open_memory(written.bytes, written.size, NULL, "test", &written.btf));
	btf_types_init(&written.types, written.btf);
	check_member(btf_type(&written.types, record), "major", 4, "int");
	close_written(&written);
}

static void write_words(struct btf_writer *writer, size_t count)
{
	for (size_t i = 0; i < count; i++)
		btf_writer_word(writer, 0);
}

/* The places of inlined calls, which have no layout in a file of version 6.18's header, lie before
 * a record. */
static void places_of_inlined_calls_are_passed(void **state)
{
	struct btf_writer *writer = btf_writer_create(NULL, false);
	uint32_t number = btf_writer_integer(writer, "int", 4, BTF_INT_SIGNED), record;
	struct written written;

	(void)state;
	btf_writer_type(writer, NULL, KIND_LOC_PARAM, false, 2, 8);
	write_words(writer, 1 + 2); /* flags, register, offset */
	btf_writer_type(writer, NULL, KIND_LOC_PROTO, false, 3, 0);
	write_words(writer, 3);
	btf_writer_type(writer, "inline.text", KIND_LOCSEC, false, 2, 0);
	write_words(writer, 2 * 3); /* function, locations, offset */
	record = btf_writer_record(writer, BTF_KIND_STRUCT, "disk", 8, 1);
	btf_writer_member(writer, "major", number, 32);
	open_written(&written, writer, NULL);
	check_member(btf_type(&written.types, record), "major", 4, "int");
	close_written(&written);
}

/* ---- modules ---- */

static void a_module_goes_on_from_its_base(void **state)
{
	struct btf_writer *kernel = btf_writer_create(NULL, false);
	struct btf_writer *module = NULL;
	struct written base, written;

	(void)state;
	write_node(kernel);
	module = btf_writer_create(kernel, false);
	uint32_t declared = btf_writer_type(module, "node", BTF_KIND_FWD, false, 0, 0);
	uint32_t pointer = btf_writer_pointer(module, declared);
	uint32_t record = btf_writer_record(module, BTF_KIND_STRUCT, "driver", 16, 2);

	btf_writer_member(module, "node", NODE + 1, 0); /* struct node * of the base */
	btf_writer_member(module, "same", pointer, 64);
	open_written(&base, kernel, NULL);
	open_written(&written, module, base.btf);
	const struct type *driver = btf_type(&written.types, record);

	assert_string_equal(name_of(driver), "struct driver");
	check_member(driver, "node", 0, "struct node*");
	check_member(driver, "same", 8, "struct node*");
	check_node(&written);
	assert_ptr_equal(btf_type(&written.types, declared), btf_type(&written.types, NODE));
	close_written(&written);
	close_written(&base);
}

/* The kernel was rebuilt: its ids differ from those that the module was built with. */
static void a_digest_of_the_base_is_found_by_name(void **state)
{
	struct btf_writer *kernel = btf_writer_create(NULL, false);
	struct btf_writer *digest = btf_writer_create(NULL, false);
	struct written base, digested, written = { 0 };
	uint32_t ids[4];

	(void)state;
	btf_writer_integer(kernel, "long", 8, BTF_INT_SIGNED);
	btf_writer_integer(kernel, "int", 4, BTF_INT_SIGNED);
	for (int i = 0; i < 2; i++) {
		btf_writer_record(kernel, BTF_KIND_STRUCT, "twofold", 4, 1);
		btf_writer_member(kernel, i ? "one" : "other", 2, 0);
	}
	uint32_t known = btf_writer_record(kernel, BTF_KIND_STRUCT, "known", 8, 1);

	btf_writer_member(kernel, "value", 2, 0);
	ids[0] = btf_writer_integer(digest, "int", 4, BTF_INT_SIGNED);
	ids[1] = btf_writer_record(digest, BTF_KIND_STRUCT, "known", 8, 0);
	ids[2] = btf_writer_record(digest, BTF_KIND_STRUCT, "twofold", 4, 0);
	ids[3] = btf_writer_record(digest, BTF_KIND_STRUCT, "gone", 4, 0);
	struct btf_writer *module = btf_writer_create(digest, false);
	uint32_t first = ids[3] + 1;

	btf_writer_record(module, BTF_KIND_STRUCT, "driver", 24, 4);
	btf_writer_member(module, "number", ids[0], 0);
	btf_writer_member(module, "known", ids[1], 32);
	btf_writer_member(module, "twofold", ids[2], 96);
	btf_writer_member(module, "gone", ids[3], 128);
	open_written(&base, kernel, NULL);
	open_written(&digested, digest, NULL);
	written.bytes = btf_writer_finish(module, &written.size);
	struct btf_file *file;

	assert_null(btf_file_open((struct btf_bytes){ written.bytes, written.size },
				  (struct btf_bytes){ digested.bytes, digested.size },
				  base.btf->file, "module", &file));
	struct btf_record record;
	struct btf_item item;

	assert_int_equal(btf_file_first(file), known + 1);
	assert_true(btf_record_at(file, known + 1, &record));
	assert_string_equal(record.name, "driver");
	assert_true(first < known + 1);
	assert_true(btf_record_next(&record, &item));
	assert_int_equal(item.type, 2);
	assert_true(btf_record_next(&record, &item));
	assert_int_equal(item.type, known);
	assert_true(btf_record_next(&record, &item));
	assert_int_equal(item.type, BTF_NOWHERE); /* there are two */
	assert_true(btf_record_next(&record, &item));
	assert_int_equal(item.type, BTF_NOWHERE);
	btf_file_close(file);
	free(written.bytes);
	close_written(&digested);
	close_written(&base);
}

/* ---- damage ---- */

static void truncated_files_are_errors(void **state)
{
	struct btf_writer *writer = btf_writer_create(NULL, false);
	size_t size;
	struct btf *btf;

	(void)state;
	write_node(writer);
	_cleanup_free_ uint8_t *bytes = btf_writer_finish(writer, &size);

	for (size_t cut = 0; cut < size; cut++) {
		struct error *error = btf_open_memory(bytes, cut, NULL, "cut", &btf);

		assert_non_null(error);
		assert_non_null(strstr(error->message, "cut"));
		error_destroy(error);
	}
}

static void references_that_lead_nowhere_or_round(void **state)
{
	struct btf_writer *writer = btf_writer_create(NULL, false);
	struct written written;
	uint32_t round = btf_writer_type(writer, "round", BTF_KIND_TYPEDEF, false, 0, 1);
	uint32_t pointer = btf_writer_pointer(writer, 1000);
	uint32_t record = btf_writer_record(writer, BTF_KIND_STRUCT, "bad", 8, 2);

	(void)state;
	btf_writer_member(writer, "far", 77, 0);
	btf_writer_member(writer, "askew", pointer, 3);
	open_written(&written, writer, NULL);
	assert_int_equal(type_strip(btf_type(&written.types, round))->kind, TYPE_UNSPECIFIED);
	assert_int_equal(type_target(btf_type(&written.types, pointer))->kind, TYPE_UNSPECIFIED);
	assert_int_equal(btf_type(&written.types, 12345)->kind, TYPE_UNSPECIFIED);
	assert_int_equal(type_member(btf_type(&written.types, record), "far")->type->kind,
			 TYPE_UNSPECIFIED);
	assert_null(type_member(btf_type(&written.types, record), "askew"));
	close_written(&written);
}

/* Adds a struct node with its members in either order, and a struct list that points to it. */
static uint32_t add_list(struct btf_writer *writer, bool swapped, uint32_t number,
			 uint32_t typedefs)
{
	uint32_t node = btf_writer_record(writer, BTF_KIND_STRUCT, "node", 8, 2);

	btf_writer_member(writer, "key", number, swapped ? 32 : 0);
	btf_writer_member(writer, "count", number, swapped ? 0 : 32);
	if (typedefs)
		node = btf_writer_type(writer, "node_t", BTF_KIND_TYPEDEF, false, 0, node);

	uint32_t first = btf_writer_pointer(writer, node);
	uint32_t list = btf_writer_record(writer, BTF_KIND_STRUCT, "list", 8, 1);

	btf_writer_member(writer, "first", first, 0);
	return list;
}

static void records_that_point_to_others_of_one_name(void **state)
{
	(void)state;
	for (uint32_t typedefs = 0; typedefs < 2; typedefs++) {
		struct btf_writer *writer = btf_writer_create(NULL, false);
		uint32_t number = btf_writer_integer(writer, "int", 4, BTF_INT_SIGNED);
		uint32_t lists[3];
		struct written written;

		for (uint32_t i = 0; i < 3; i++)
			lists[i] = add_list(writer, i == 1, number, typedefs);
		open_written(&written, writer, NULL);
		assert_ptr_not_equal(btf_type(&written.types, lists[0]),
				     btf_type(&written.types, lists[1]));
		assert_ptr_equal(btf_type(&written.types, lists[0]),
				 btf_type(&written.types, lists[2]));
		close_written(&written);
	}
}

/* ---- functions and variables ---- */

#define TEXT 0x1000

struct object {
	struct written written;
	uint8_t *bytes;
	struct elf_image *image;
	struct debug_object *debug;
	struct debug_reader *reader;
};

static void open_object(struct object *object)
{
	struct btf_writer *writer = btf_writer_create(NULL, false);
	struct elf_writer *elf = elf_writer_create(ET_EXEC);
	static const uint8_t code[0x100] = { 0xc3 };
	unsigned int text = elf_writer_section(elf, ".text", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, TEXT, code, sizeof(code));
	static const struct {
		const char *name;
		uint64_t offset;
		uint8_t binding;
	} symbols[] = {
		{ "plain", 0x00, STB_GLOBAL },     { "also_plain", 0x00, STB_GLOBAL },
		{ "plain.cold", 0x80, STB_LOCAL }, { "clone.isra.0", 0x10, STB_LOCAL },
		{ "twice", 0x20, STB_LOCAL },      { "twice", 0x30, STB_LOCAL },
		{ "nameless", 0x40, STB_GLOBAL },
	};
	size_t size;

	elf_writer_section(elf, ".data..percpu", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, code, 64);
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		elf_writer_symbol(elf, symbols[i].name, STT_FUNC, symbols[i].binding,
				  (uint16_t)text, TEXT + symbols[i].offset, 0x10);
	object->bytes = elf_writer_finish(elf, &size);
	assert_null(elf_image_open_memory(object->bytes, size, "kernel", &object->image));

	uint32_t number = btf_writer_integer(writer, "int", 4, BTF_INT_SIGNED);
	uint32_t record = btf_writer_record(writer, BTF_KIND_STRUCT, "task", 16, 1);

	btf_writer_member(writer, "state", number, 64);
	uint32_t pointer = btf_writer_pointer(writer, record);

	btf_writer_function(writer, "plain", number, (uint32_t[]){ pointer, number }, 2);
	btf_writer_function(writer, "clone", pointer, (uint32_t[]){ pointer }, 1);
	btf_writer_function(writer, "twice", number, (uint32_t[]){ pointer }, 1);
	uint32_t variable =
		btf_writer_type(writer, "current_task", BTF_KIND_VAR, false, 0, pointer);

	btf_writer_word(writer, 1);
	btf_writer_type(writer, ".data..percpu", BTF_KIND_DATASEC, false, 2, 64);
	btf_writer_word(writer, variable);
	btf_writer_word(writer, 24);
	btf_writer_word(writer, 8);
	btf_writer_word(writer, variable); /* outside of the section: it is skipped */
	btf_writer_word(writer, 60);
	btf_writer_word(writer, 8);
	open_written(&object->written, writer, NULL);
	assert_null(btf_object_open(object->image, object->written.btf, &object->debug));
	object->reader = debug_reader_open(object->debug);
}

static void close_object(struct object *object)
{
	debug_reader_close(object->reader);
	debug_object_close(object->debug);
	close_written(&object->written);
	elf_image_close(object->image);
	free(object->bytes);
}

static void functions_have_the_prototype_of_their_name(void **state)
{
	struct object object;
	struct function *function;
	uint64_t entry;

	(void)state;
	open_object(&object);
	assert_string_equal(debug_reader_format(object.reader), "btf");
	const struct prototype *plain = debug_reader_prototype_at(object.reader, TEXT, 0);

	assert_non_null(plain);
	assert_true(plain->prototyped);
	assert_int_equal(plain->parameter_count, 2);
	assert_string_equal(name_of(plain->parameters[0].type), "struct task*");
	assert_string_equal(name_of(plain->return_type), "int");
	assert_null(debug_reader_prototype_at(object.reader, TEXT + 1, 0));

	/* the function's cold part is elsewhere */
	function = debug_reader_function(object.reader, TEXT + 0x85);
	assert_non_null(function);
	assert_int_equal(function->range_count, 2);
	assert_int_equal(function->ranges[0].low, TEXT);
	assert_int_equal(function->ranges[1].low, TEXT + 0x80);
	assert_true(function->arguments_by_abi);
	assert_ptr_equal(function->prototype, plain);
	function_destroy(function);
	assert_true(debug_reader_function_entry(object.reader, TEXT + 0x85, &entry, NULL));
	assert_int_equal(entry, TEXT);
	close_object(&object);
}

static void uncertain_prototypes_are_left_out(void **state)
{
	struct object object;
	struct function *function;

	(void)state;
	open_object(&object);
	/* a clone has only the result */
	const struct prototype *clone = debug_reader_prototype_at(object.reader, TEXT + 0x10, 0);

	assert_non_null(clone);
	assert_false(clone->prototyped);
	assert_int_equal(clone->parameter_count, 0);
	assert_string_equal(name_of(clone->return_type), "struct task*");
	/* two functions of one name have no prototype */
	assert_null(debug_reader_prototype_at(object.reader, TEXT + 0x20, 0));
	assert_null(debug_reader_prototype_at(object.reader, TEXT + 0x30, 0));
	assert_null(debug_reader_prototype_named(object.reader, "twice", 0));
	function = debug_reader_function(object.reader, TEXT + 0x40);
	assert_non_null(function);
	assert_null(function->prototype);
	function_destroy(function);
	function = debug_reader_function(object.reader, TEXT + 0x60);
	assert_null(function);
	close_object(&object);
}

static void variables_are_where_their_section_is(void **state)
{
	struct object object;
	struct global global;

	(void)state;
	open_object(&object);
	assert_true(debug_reader_global_at(object.reader, 28, 0, &global));
	assert_string_equal(global.name, "current_task");
	assert_int_equal(global.address, 24);
	assert_string_equal(name_of(global.type), "struct task*");
	assert_false(debug_reader_global_at(object.reader, 32, 0, &global));
	assert_false(debug_reader_global_at(object.reader, 60, 0, &global));
	assert_true(debug_reader_global_named(object.reader, "current_task", 0, &global));
	assert_int_equal(global.address, 24);
	assert_false(debug_reader_global_named(object.reader, "no_such", 0, &global));
	close_object(&object);
}

static void types_by_name(void **state)
{
	struct object object;
	const struct type *types[2];

	(void)state;
	open_object(&object);
	assert_int_equal(debug_reader_types_named(object.reader, "struct task", types, 2), 1);
	assert_string_equal(name_of(types[0]), "struct task");
	assert_int_equal(debug_reader_types_named(object.reader, "task**", types, 2), 1);
	assert_string_equal(name_of(types[0]), "struct task**");
	assert_int_equal(debug_reader_types_named(object.reader, "union task", types, 2), 0);
	close_object(&object);
}

/* A file of plain BTF has no more bytes than any kernel's, whatever its size claims, and a FIFO is
 * not waited for. */
static void files_that_are_too_large_or_none(void **state)
{
	const char *sparse = scratch_file("sparse"), *fifo = scratch_file("fifo");
	struct btf *btf = NULL;
	struct error *error;

	(void)state;
	file_write(sparse, "\x9f\xeb\1", 4);
	assert_int_equal(truncate(sparse, (off_t)1 << 40), 0);
	error = btf_open(sparse, NULL, &btf);
	assert_non_null(error);
	assert_non_null(strstr(error->message, "larger than BTF may be"));
	error_destroy(error);

	assert_int_equal(mkfifo(fifo, 0600), 0);
	error = btf_open(fifo, NULL, &btf);
	assert_non_null(error);
	assert_non_null(strstr(error->message, "not a regular file"));
	error_destroy(error);
	assert_null(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_in_either_byte_order),
		cmocka_unit_test(bitfields_of_old_records),
		cmocka_unit_test(types_of_newer_kernels_are_passed),
		cmocka_unit_test(places_of_inlined_calls_are_passed),
		cmocka_unit_test(layouts_are_believed),
		cmocka_unit_test(a_module_goes_on_from_its_base),
		cmocka_unit_test(a_digest_of_the_base_is_found_by_name),
		cmocka_unit_test(truncated_files_are_errors),
		cmocka_unit_test(references_that_lead_nowhere_or_round),
		cmocka_unit_test(records_that_point_to_others_of_one_name),
		cmocka_unit_test(functions_have_the_prototype_of_their_name),
		cmocka_unit_test(uncertain_prototypes_are_left_out),
		cmocka_unit_test(variables_are_where_their_section_is),
		cmocka_unit_test(types_by_name),
		cmocka_unit_test(files_that_are_too_large_or_none),
	};

	return cmocka_run_group_tests_name("btf", tests, NULL, scratch_tear_down);
}
