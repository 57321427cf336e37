// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as the values of a type: see print_value.h. */
#include "profiler/commands/print_value.h"

#include <ctype.h>
#include <inttypes.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "dwarf/types/type_table.h"

/* A type has at most so many steps: records within arrays are there once. */
#define STEPS_MAX 100000
/* Bytes of the names of all steps: each has those of the records around it. */
#define NAMES_MAX ((size_t)16 << 20)
/* Records are nested at most so deep; JSON takes twice that (JSON_DEPTH_MAX). */
#define VALUE_DEPTH_MAX 64
/* Characters that are shown of text elsewhere in memory. */
#define VALUE_TEXT_MAX 200

enum step_kind {
	STEP_RECORD,  /* the steps up to `end` are its members */
	STEP_RECORDS, /* an array of them */
	STEP_NUMBER,
	STEP_NUMBERS, /* an array */
	STEP_TEXT,    /* an array of characters */
	STEP_BYTES,   /* anything else */
};

enum number_kind {
	NUMBER_INTEGER,
	NUMBER_FLOAT,
	NUMBER_POINTER,
	NUMBER_ENUM,
	NUMBER_BOOL,
	NUMBER_WIDE /* an integer of 16 bytes */
};

struct value_step {
	uint8_t kind;   /* enum step_kind */
	uint8_t number; /* enum number_kind */
	bool is_signed, is_union;
	bool has_variants;     /* a Rust enum: its members are variants and the discriminant */
	bool has_discriminant; /* a variant that is selected by `discriminant`, as in struct member;
				*/
	bool is_variant;       /* without a value it is selected by all others */
	bool is_text;          /* a record that leads to text: `text_at`, `text_size_at` */
	const char *name;     /* NULL: members of an anonymous record are shown as their holder's */
	const char *line;     /* tabs, and ".name = "; printable */
	const char *path;     /* of names from the type on: "list.next"; "": the type itself */
	uint64_t offset;      /* in the record around it */
	uint64_t size;        /* of one element */
	uint64_t count;       /* of elements */
	uint64_t length;      /* STEP_TEXT: of one text; the other dimensions are of texts */
	const uint64_t *rows; /* of an array of arrays: the elements of each, outermost first */
	size_t row_count;
	uint32_t bit_offset, bit_size;
	const struct value_enum *enumeration;
	uint64_t discriminant;
	uint64_t text_at, text_size_at; /* offsets of the pointer and of the bytes in the record */
	size_t end;                     /* the step after those of the record */
};

/* ---- enumerations ---- */

struct value_constant {
	uint64_t value;
	size_t place; /* in the declaration */
	const char *name;
};

/* The constants of an enumeration, of which a number is looked up for each element. */
struct value_enum {
	struct value_constant *sorted,
		flags[64]; /* flags: the first one of each bit, as declared */
	size_t count, flag_count;
};

COMPARISON(compare_constants, struct value_constant, ASCENDING(value) ASCENDING(place))

static struct value_enum *make_enum(struct arena *arena, const struct type *type)
{
	size_t count;
	const struct enumerator *constants = type_enumerators(type, &count);
	struct value_enum *made = arena_alloc(arena, sizeof(*made));
	uint64_t bits = 0;

	*made = (struct value_enum){
		.sorted = arena_alloc(arena, (count + 1) * sizeof(*made->sorted)), .count = count
	};
	for (size_t i = 0; i < count; i++) {
		uint64_t value = (uint64_t)constants[i].value;

		made->sorted[i] = (struct value_constant){ value, i, constants[i].name };
		if (!has_one_bit(value) || bits & value)
			continue;
		bits |= value;
		made->flags[made->flag_count++] = made->sorted[i];
	}
	array_sort(made->sorted, count, compare_constants);
	return made;
}

static const struct value_enum *plan_enum(struct value_plan *plan, const struct type *type)
{
	bool created;
	const struct value_enum **item =
		hash_map_item(&plan->known, (uintptr_t)type, plan->enums, plan->enum_count,
			      plan->enum_capacity, &created);

	if (created)
		*item = make_enum(&plan->names, type);
	return *item;
}

/* ---- plans ---- */

static void add_step(struct value_plan *plan, const struct value_step *step)
{
	array_add(plan->steps, plan->count, plan->capacity) = *step;
}

static void describe_number(struct value_plan *plan, const struct type *type,
			    struct value_step *step)
{
	switch (type->kind) {
	case TYPE_FLOAT: step->number = NUMBER_FLOAT; break;
	case TYPE_ENUM:
		step->number = NUMBER_ENUM;
		step->enumeration = plan_enum(plan, type);
		break;
	case TYPE_POINTER:
	case TYPE_REFERENCE: step->number = NUMBER_POINTER; break;
	default: step->number = type->flags & TYPE_BOOL ? NUMBER_BOOL : NUMBER_INTEGER;
	}
	step->is_signed = type->flags & TYPE_SIGNED;
	step->size = type_size_or(type, 0);
	if (type->kind == TYPE_INTEGER && step->size == 16 && !(type->flags & TYPE_COMPLEX))
		step->number = NUMBER_WIDE;
	else if (step->size > 8 || !step->size || type->flags & TYPE_COMPLEX ||
		 type->kind == TYPE_UNSPECIFIED)
		step->kind = STEP_BYTES;
}

/* C's char may have a sign or none; the types that C gives small numbers have longer names. */
static bool is_character(const struct type *type)
{
	const char *name = type_name_interned(type);

	return type->flags & TYPE_CHAR && type_size_or(type, 0) == 1 &&
	       strcmp(name, "signed char") != 0 && strcmp(name, "unsigned char") != 0;
}

/* Sets what the array `array` has. Arrays may be of other arrays, also by their names. Returns the
 * type of the elements. */
static const struct type *describe_array(struct value_plan *plan, const struct type *array,
					 struct value_step *step)
{
	uint64_t all[TYPE_DIMENSIONS_MAX], product = 1;
	size_t known = 0;

	step->count = 1;
	for (; array->kind == TYPE_ARRAY; array = type_strip(type_target(array))) {
		size_t count;
		const uint64_t *dimensions = type_array_dimensions(array, &count);

		for (size_t i = 0; i < count && known < COUNT_OF(all); i++)
			all[known++] = dimensions[i];
		if (__builtin_mul_overflow(step->count, type_array_count(array), &step->count))
			step->count = 0;
	}
	step->length = is_character(array) && known ? all[--known] : 1;
	if (known < 2)
		return array;

	uint64_t *rows = arena_alloc(&plan->names, (known - 1) * sizeof(*rows));

	for (size_t i = known - 1; i; i--) {
		if (!all[i] || __builtin_mul_overflow(product, all[i], &product))
			return array;
		rows[i - 1] = product;
	}
	step->rows = rows;
	step->row_count = known - 1;
	return array;
}

/* Returns the path of a member of the record at `path`. */
static const char *path_below(struct value_plan *plan, const char *path, const char *name)
{
	_cleanup_free_ char *longer = name && *path ? xasprintf("%s.%s", path, name) : NULL;

	if (!name)
		return path;
	return arena_strdup(&plan->names, longer ?: name);
}

/* ---- records that are text ---- */

/* Records that lead to text: the names of their types begin so. */
static const struct text_record {
	const char *type;
	const char *pointer; /* the path to it, or to the record whose first pointer it is */
	const char *size;    /* the path to the number of bytes */
} text_records[] = {
	{ "string", "str", "len" },                        /* Go */
	{ "string", "ptr", "length" },                     /* D */
	{ "&str", "data_ptr", "length" },                  /* Rust */
	{ "alloc::string::String", "vec.buf", "vec.len" }, /* Rust */
	{ "std::__cxx11::basic_string<char", "_M_dataplus._M_p",
	  "_M_string_length" }, /* libstdc++ */
	{ "std::__cxx11::string", "_M_dataplus._M_p", "_M_string_length" },
};

/* Returns the member at a path of `length` bytes, and adds its offset; NULL: there is none. */
static const struct member *member_at_path(const struct type *type, const char *path, size_t length,
					   uint64_t *offset)
{
	for (const char *end = path + length;;) {
		const char *dot = memchr(path, '.', (size_t)(end - path));
		const struct member *member =
			type_member_named(type, path, (size_t)((dot ?: end) - path), offset);

		if (!member || member->offset < 0 || !dot)
			return member && member->offset >= 0 ? member : NULL;
		type = member->type;
		path = dot + 1;
	}
}

/* Finds the first pointer in a type, which is at most so deep. Adds its offset. */
static bool first_pointer(const struct type *type, uint64_t *offset, unsigned int depth)
{
	size_t count;
	const struct member *members = type_members(type_strip(type), &count);

	if (type_is_pointer(type_strip(type)))
		return true;
	if (!count || !depth || type_is_vast(type))
		return false;
	for (size_t i = 0; i < count; i++) {
		uint64_t inner = *offset + (uint64_t)members[i].offset;

		if (members[i].offset >= 0 && first_pointer(members[i].type, &inner, depth - 1)) {
			*offset = inner;
			return true;
		}
	}
	return false;
}

/* Sets what tells the text of a record, if it leads to one. */
static void find_text(const struct type *record, struct value_step *step)
{
	const char *name = type_name_interned(record);

	if (starts_with(name, "struct "))
		name += strlen("struct ");
	for (size_t i = 0; i < COUNT_OF(text_records) && !step->is_text; i++) {
		const struct text_record *text = &text_records[i];
		size_t length = strlen(text->type);
		const struct member *pointer, *size;

		if (strncmp(name, text->type, length) != 0 ||
		    (name[length] && name[length] != ',' && name[length] != '>'))
			continue;
		step->text_at = step->text_size_at = 0;
		pointer = member_at_path(record, text->pointer, strlen(text->pointer),
					 &step->text_at);
		size = member_at_path(record, text->size, strlen(text->size), &step->text_size_at);
		step->is_text = pointer && size && type_size_or(size->type, 0) == 8 &&
				first_pointer(pointer->type, &step->text_at, 6) &&
				step->text_at + 8 <= step->size &&
				step->text_size_at + 8 <= step->size;
	}
}

/* The place of a step in the type. */
struct value_level {
	unsigned int depth, indent;
	const char *path; /* of the record around it */
};

/* Sets what the lines of a step begin with. False: there are too many. */
static bool name_step(struct value_plan *plan, const char *name, struct value_level level,
		      struct value_step *step)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_TEXT;

	plan->name_bytes += strlen(level.path) + 2 * (name ? strlen(name) : 0);
	if (level.depth > VALUE_DEPTH_MAX || plan->count > STEPS_MAX ||
	    plan->name_bytes > NAMES_MAX)
		return false;
	strbuf_add_repeated(&line, '\t', level.indent);
	if (name)
		strbuf_add_format(&line, ".%s = ", name);
	step->line = arena_strdup(&plan->names, line.data);
	step->path = path_below(plan, level.path, name);
	return true;
}

static struct error *print_value_add_type(struct value_plan *plan, const struct type *type,
					  const char *name, const struct member *member,
					  struct value_level level)
{
	const struct type *bare = type_strip(type), *element;
	struct value_step step = { .name = name,
				   .kind = STEP_NUMBER,
				   .offset = member ? (uint64_t)member->offset : 0 };
	size_t at = plan->count;

	if (!name_step(plan, name, level, &step))
		return error_other("%s has too many members to print", type_name_interned(type));
	element = describe_array(plan, bare, &step);
	/* bounds that an expression gives: the member has what is up to the next one */
	if (bare->kind == TYPE_ARRAY && bare->flags & TYPE_DYNAMIC && member) {
		step.count = member->size / type_size_or(element, UINT64_MAX);
		step.length = is_character(element) ? step.count : 1;
	}
	if (type_is_record(element) && type_size_or(element, 0)) {
		size_t count;
		const struct member *members = type_members(element, &count);

		/* records in an array have a line of their own */
		struct value_level inner = { .depth =
						     level.depth + 1 + (unsigned int)step.row_count,
					     .indent = level.indent + (element != bare   ? 2
								       : name || !member ? 1
											 : 0),
					     .path = step.path };

		step.kind = element == bare ? STEP_RECORD : STEP_RECORDS;
		step.is_union = element->kind == TYPE_UNION;
		step.has_variants = type_has_variants(element);
		step.size = type_size_or(element, 0);
		if (element == bare)
			find_text(element, &step);
		add_step(plan, &step);
		for (size_t i = 0; i < count; i++)
			if (members[i].offset >= 0) {
				size_t index = plan->count;

				RETURN_ERROR(print_value_add_type(plan, members[i].type,
								  members[i].name, &members[i],
								  inner));
				plan->steps[index].is_variant = members[i].is_variant;
				plan->steps[index].has_discriminant = members[i].has_discriminant;
				plan->steps[index].discriminant = members[i].discriminant;
				/* a flexible array goes on to the end of the data */
				if (!plan->steps[index].count && plan->steps[index].size &&
				    (uint64_t)members[i].offset >= step.size) {
					plan->steps[index].count =
						UINT64_MAX / plan->steps[index].size;
					if (!plan->steps[index].length)
						plan->steps[index].length =
							plan->steps[index].count;
				}
			}
		plan->steps[at].end = plan->count;
		return NULL;
	}
	describe_number(plan, element, &step);
	if (element != bare && step.kind != STEP_BYTES)
		step.kind = is_character(element) ? STEP_TEXT : STEP_NUMBERS;
	if (member && member->bit_size && (uint64_t)member->bit_offset + member->bit_size > 64) {
		step.kind = STEP_BYTES;
	} else if (member && member->bit_size) {
		step.bit_offset = member->bit_offset;
		step.bit_size = member->bit_size;
	}
	add_step(plan, &step);
	return NULL;
}

struct error *value_plan_make(struct value_plan *plan, const struct type *type)
{
	*plan = (struct value_plan){ .size = type_size_or(type_strip(type), 0) };
	if (!plan->size)
		return error_create(ERROR_NOT_FOUND, "the size of %s is not known",
				    type_name_interned(type));
	return print_value_add_type(plan, type, NULL, NULL, (struct value_level){ .path = "" });
}

void value_plan_deinit(struct value_plan *plan)
{
	free_all(plan->steps, plan->enums);
	hash_map_deinit(&plan->known);
	arena_deinit(&plan->names);
	*plan = (struct value_plan){ 0 };
}

/* ---- numbers ---- */

uint64_t value_number(const uint8_t *data, uint64_t size, bool big_endian)
{
	uint64_t number = 0;

	if (!big_endian && size <= 8) {
		memcpy(&number, data, size);
		return le64toh(number);
	}
	for (uint64_t i = 0; i < size && i < 8; i++)
		number |= (uint64_t)data[big_endian ? size - 1 - i : i] << 8 * i;
	return number;
}

/* Returns the value of a step's element at `data`. The bits of bit-fields count from the lowest one
 * of the bytes in the order of the machine. */
static uint64_t step_number(const struct value_step *step, const uint8_t *data, bool big_endian)
{
	uint64_t size = step->bit_size ? (step->bit_offset + step->bit_size + 7) / 8 : step->size;
	uint64_t number = value_number(data, size, big_endian), bits = 8 * step->size;

	if (step->bit_size) {
		bits = step->bit_size;
		number >>= big_endian ? 8 * size - step->bit_offset - bits : step->bit_offset;
	}
	if (bits >= 64)
		return number;
	number &= low_bits(bits);
	if (step->is_signed && number >> (bits - 1))
		number |= ~UINT64_C(0) << bits;
	return number;
}

/* Returns whether the element's bytes are among the first `left` of the data. */
static bool is_inside(const struct value_step *step, uint64_t left)
{
	uint64_t size = step->bit_size ? (step->bit_offset + step->bit_size + 7) / 8 : step->size;

	return size <= left;
}

static double step_float(const struct value_step *step, uint64_t number)
{
	float single;
	double value;
	uint32_t low = (uint32_t)number;

	if (step->size == sizeof(single)) {
		memcpy(&single, &low, sizeof(single));
		return single;
	}
	memcpy(&value, &number, sizeof(value));
	return value;
}

/* Appends "RED", or "READ | WRITE" of bits. False: no such value, nothing appended. */
static bool add_enumerators(struct strbuf *text, const struct value_enum *enumeration,
			    uint64_t number)
{
	const struct value_constant *sorted = enumeration->sorted;
	size_t start = text->length,
	       at = partition_point(0, enumeration->count, i, sorted[i].value < number);
	uint64_t left = number;

	if (at < enumeration->count && sorted[at].value == number) {
		strbuf_add_string(text, sorted[at].name);
		return true;
	}
	array_each (const struct value_constant, flag, enumeration->flags,
		    enumeration->flag_count) {
		if (!(left & flag->value))
			continue;
		strbuf_add_format(text, "%s%s", text->length > start ? " | " : "", flag->name);
		left &= ~flag->value;
	}
	if (!left && number)
		return true;
	strbuf_truncate(text, start);
	return false;
}

/* Appends an integer of 16 bytes in hexadecimal. */
static void add_wide(struct strbuf *text, const uint8_t *data, bool big_endian)
{
	uint64_t high = value_number(data + (big_endian ? 0 : 8), 8, big_endian),
		 low = value_number(data + (big_endian ? 8 : 0), 8, big_endian);

	if (high)
		strbuf_add_format(text, "0x%" PRIx64 "%016" PRIx64, high, low);
	else
		strbuf_add_format(text, "0x%" PRIx64, low);
}

/* Appends the element at `data` as C has it. */
static void add_number(struct strbuf *text, const struct value_step *step, const uint8_t *data,
		       const struct value_options *options)
{
	uint64_t number = step_number(step, data, options->big_endian);

	if (step->number == NUMBER_WIDE)
		add_wide(text, data, options->big_endian);
	else if (step->number == NUMBER_FLOAT && (step->size == 4 || step->size == 8))
		strbuf_add_format(text, "%.*g", step->size == 4 ? 9 : 17, step_float(step, number));
	else if (step->number == NUMBER_ENUM && add_enumerators(text, step->enumeration, number))
		;
	else if (step->number == NUMBER_BOOL && number <= 1)
		strbuf_add_string(text, number ? "true" : "false");
	else if (step->number == NUMBER_POINTER || options->hexadecimal) {
		number &= low_bits(8 * (unsigned int)step->size);
		strbuf_add_format(text, "%#" PRIx64, number);
		if (step->number == NUMBER_POINTER && options->describe)
			options->describe(options->data, number, text);
	} else if (step->is_signed && (int64_t)number < 0) {
		strbuf_add_char(text, '-');
		strbuf_add_number(text, -number);
	} else
		strbuf_add_number(text, number);
}

/* ---- text ---- */

/* Appends `size` characters as a string of C. */
static void add_all_characters(struct strbuf *text, const uint8_t *data, uint64_t size)
{
	strbuf_add_char(text, '"');
	for (uint64_t i = 0; i < size; i++)
		if (data[i] == '"' || data[i] == '\\')
			strbuf_add_format(text, "\\%c", data[i]);
		else if (isprint(data[i]))
			strbuf_add_char(text, (char)data[i]);
		else
			strbuf_add_format(text, "\\%03o", data[i]);
	strbuf_add_char(text, '"');
}

void value_add_characters(struct strbuf *text, const uint8_t *data, uint64_t size)
{
	add_all_characters(text, data, strnlen((const char *)data, size));
}

/* Reads the text that the record at `data` leads to. Returns how many bytes there are, at most
 * VALUE_TEXT_MAX; *cut says whether there are more. False: it cannot be read. */
static bool read_led_text(const struct value_step *step, const struct value_options *options,
			  const uint8_t *data, char *text, size_t *size, bool *cut)
{
	uint64_t all;

	if (!step->is_text || !options->read)
		return false;
	all = value_number(data + step->text_size_at, 8, options->big_endian);
	*cut = all > VALUE_TEXT_MAX;
	*size = *cut ? VALUE_TEXT_MAX : (size_t)all;
	return options->read(options->data,
			     value_number(data + step->text_at, 8, options->big_endian), text,
			     *size) == *size;
}

/* Appends what a step without members has. */
static void add_plain(struct strbuf *text, const struct value_step *step,
		      const struct value_options *options, const uint8_t *data, uint64_t left)
{
	uint64_t whole = step->size * step->count;

	if (step->kind == STEP_NUMBER) {
		add_number(text, step, data, options);
	} else if (step->kind == STEP_TEXT && step->length == step->count) {
		value_add_characters(text, data, whole < left ? whole : left);
	} else if (step->kind == STEP_TEXT) {
		strbuf_add_string(text, "{");
		for (uint64_t at = 0; at < whole && at + step->length <= left; at += step->length) {
			strbuf_add_string(text, at ? ", " : " ");
			value_add_characters(text, data + at, step->length);
		}
		strbuf_add_string(text, " }");
	} else if (step->kind == STEP_NUMBERS) {
		strbuf_add_string(text, "{");
		for (uint64_t i = 0; i < step->count && (i + 1) * step->size <= left; i++) {
			strbuf_add_string(text, i ? ", " : " ");
			add_number(text, step, data + i * step->size, options);
		}
		strbuf_add_string(text, " }");
	} else {
		for (uint64_t i = 0; i < whole && i < left; i++)
			strbuf_add_format(text, "%s0x%02x", i ? " " : "", data[i]);
		if (!whole)
			strbuf_add_string(text, "{ }");
	}
}

struct value_writer {
	const struct value_options *options;
	const struct value_step *steps;
	const uint8_t *data; /* the whole record */
	uint64_t size;
	void (*write)(const struct value_writer *writer, size_t at, uint64_t base);
	struct strbuf *text; /* of text, */
	struct json *json;   /* and of JSON */
};

static void write_members(const struct value_writer *writer, size_t record, uint64_t base);

/* Ends the line of a step, whose bytes begin at `start`. */
static void value_end_line(const struct value_writer *writer, const struct value_step *step,
			   uint64_t start)
{
	const struct value_options *options = writer->options;
	uint64_t bits = step->bit_size ? (step->bit_offset + step->bit_size + 7) / 8 : step->size;

	if (options->remark)
		options->remark(options->data, step->path, start,
				bits && step->count >= UINT64_MAX / bits ? UINT64_MAX
									 : bits * step->count,
				writer->text);
	strbuf_add_char(writer->text, '\n');
}

/* Appends the tabs of a step's line, and one more for an element. */
static void write_tabs(const struct value_writer *writer, const struct value_step *step,
		       unsigned int more)
{
	strbuf_add_repeated(writer->text, '\t', strspn(step->line, "\t") + more);
}

/* Writes the elements of an array of records that are inside of the data. */
static void write_records(const struct value_writer *writer, size_t at, uint64_t start)
{
	const struct value_step *step = &writer->steps[at];

	strbuf_add_string(writer->text, "{\n");
	for (uint64_t i = 0; i < step->count && start + (i + 1) * step->size <= writer->size; i++) {
		write_tabs(writer, step, 1);
		strbuf_add_string(writer->text, "{\n");
		write_members(writer, at, start + i * step->size);
		write_tabs(writer, step, 1);
		strbuf_add_string(writer->text, "},\n");
	}
	write_tabs(writer, step, 0);
	strbuf_add_string(writer->text, "},\n");
}

/* Writes the text that a record leads to, and ends its line. False: it is none. */
static bool write_led_text(const struct value_writer *writer, const struct value_step *step,
			   uint64_t start)
{
	char characters[VALUE_TEXT_MAX];
	size_t length;
	bool cut;

	if (start + step->size > writer->size ||
	    !read_led_text(step, writer->options, writer->data + start, characters, &length, &cut))
		return false;
	add_all_characters(writer->text, (const uint8_t *)characters, length);
	strbuf_add_string(writer->text, cut ? "...," : ",");
	value_end_line(writer, step, start);
	return true;
}

static void write_step(const struct value_writer *writer, size_t at, uint64_t base)
{
	const struct value_step *step = &writer->steps[at];
	const struct value_options *options = writer->options;
	uint64_t start = base + step->offset;

	if (step->kind == STEP_RECORD && !step->name) {
		write_members(writer, at, start);
		return;
	}
	strbuf_add_trusted(writer->text, step->line);
	if (write_led_text(writer, step, start)) {
		;
	} else if (step->kind == STEP_RECORD) {
		strbuf_add_string(writer->text, step->is_union ? "{ /* union */" : "{");
		value_end_line(writer, step, start);
		write_members(writer, at, start);
		write_tabs(writer, step, 0);
		strbuf_add_string(writer->text, "},\n");
	} else if (step->kind == STEP_RECORDS) {
		write_records(writer, at, start);
	} else if (options->named && start == options->named_offset &&
		   step->size == options->named_size) {
		strbuf_add_format(writer->text, "%s,", options->named);
		value_end_line(writer, step, start);
	} else {
		add_plain(writer->text, step, options, writer->data + start, writer->size - start);
		strbuf_add_char(writer->text, ',');
		value_end_line(writer, step, start);
	}
}

/* Returns whether a step has something to show of the bytes from `start` on. */
static bool has_bytes(const struct value_step *step, uint64_t start, uint64_t size)
{
	return start < size &&
	       (step->kind == STEP_RECORD || step->kind == STEP_RECORDS ||
		step->kind == STEP_TEXT || step->count != 1 || is_inside(step, size - start));
}

/* Returns the step after a step and those of its members. */
static size_t next_step(const struct value_step *steps, size_t at)
{
	return steps[at].end ?: at + 1;
}

/* Returns the variant of the enum at step `record` by its discriminant; 0: not known. */
static size_t variant_of(const struct value_step *steps, size_t record, const uint8_t *data,
			 uint64_t left, bool big_endian)
{
	const struct value_step *tag = NULL;
	uint64_t number = 0, mask;
	size_t other = 0;

	for (size_t at = record + 1; at < steps[record].end; at = next_step(steps, at))
		if (!steps[at].is_variant && !steps[at].name && steps[at].kind == STEP_NUMBER)
			tag = &steps[at];
	if (tag && (tag->offset > left || tag->size > left - tag->offset))
		return 0;
	mask = tag ? low_bits(8 * (unsigned int)tag->size) : UINT64_MAX;
	if (tag)
		number = value_number(data + tag->offset, tag->size, big_endian);
	for (size_t at = record + 1; at < steps[record].end; at = next_step(steps, at)) {
		if (!steps[at].is_variant)
			continue;
		if (steps[at].has_discriminant && tag &&
		    (steps[at].discriminant & mask) == (number & mask))
			return at;
		if (!steps[at].has_discriminant)
			other = at;
	}
	return other;
}

/* Narrows the members of the record at step `record`, a union or an enum, to the chosen one. */
static void choose_member(const struct value_step *steps, size_t record,
			  const struct value_options *options, const uint8_t *data, uint64_t left,
			  size_t *first, size_t *end)
{
	const char *wanted = steps[record].is_union ? options->union_member : NULL;
	size_t variant = steps[record].has_variants
				 ? variant_of(steps, record, data, left, options->big_endian)
				 : 0;

	*first = variant ?: record + 1;
	*end = variant ? next_step(steps, variant) : steps[record].end;
	for (size_t at = *first; wanted && at < *end; at = next_step(steps, at))
		if (steps[at].name && !strcmp(steps[at].name, wanted)) {
			*first = at;
			*end = next_step(steps, at);
			return;
		}
}

static void write_members(const struct value_writer *writer, size_t record, uint64_t base)
{
	size_t at, end;

	choose_member(writer->steps, record, writer->options, writer->data + base,
		      writer->size - base, &at, &end);
	for (; at < end; at = next_step(writer->steps, at))
		if (has_bytes(&writer->steps[at], base + writer->steps[at].offset, writer->size))
			writer->write(writer, at, base);
}

void value_text(const struct value_plan *plan, const struct value_options *options,
		const uint8_t *data, uint64_t size, struct strbuf *text)
{
	const struct value_writer writer = { options, plan->steps,         data,
					     size,    .write = write_step, .text = text };
	const struct value_step *top = plan->steps;

	if (write_led_text(&writer, top, 0)) {
		;
	} else if (top->kind == STEP_RECORD) {
		strbuf_add_string(text, "{\n");
		write_members(&writer, 0, 0);
		strbuf_add_string(text, "},\n");
	} else if (top->kind == STEP_RECORDS) {
		write_records(&writer, 0, 0);
	} else if (is_inside(top, size)) {
		add_plain(text, top, options, data, size);
		strbuf_add_string(text, ",\n");
	}
}

/* ---- JSON ---- */

/* Writes the names of a value of an enum. False: it has none. */
static bool json_enumerators(const struct value_writer *writer, const struct value_step *step,
			     uint64_t number, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!add_enumerators(&text, step->enumeration, number) ||
	    (writer->options->like_bpftool && strchr(text.data, '|')))
		return false;
	json_string(writer->json, name, text.data);
	return true;
}

/* Writes bits, or an integer of 16 bytes, in hexadecimal. */
static void json_hexadecimal(const struct value_writer *writer, const struct value_step *step,
			     const uint8_t *data, uint64_t number, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (step->number == NUMBER_WIDE)
		add_wide(&text, data, writer->options->big_endian);
	else
		strbuf_add_format(&text, "0x%" PRIx64, number & low_bits(step->bit_size));
	json_string(writer->json, name, text.data);
}

static void json_number(const struct value_writer *writer, const struct value_step *step,
			const uint8_t *data, const char *name)
{
	uint64_t number = step_number(step, data, writer->options->big_endian);

	if (step->number == NUMBER_WIDE || (step->bit_size && writer->options->like_bpftool))
		json_hexadecimal(writer, step, data, number, name);
	else if (step->number == NUMBER_FLOAT && (step->size == 4 || step->size == 8))
		json_double_exact(writer->json, name, step_float(step, number), step->size == 4);
	else if (step->number == NUMBER_ENUM && json_enumerators(writer, step, number, name))
		;
	else if (step->number == NUMBER_BOOL && number <= 1)
		json_bool(writer->json, name, number);
	else if (step->is_signed)
		json_signed(writer->json, name, (int64_t)number);
	else
		json_unsigned(writer->json, name, number);
}

/* Begins the rows of which element `at` is the first one. */
static void json_begin_rows(const struct value_writer *writer, const struct value_step *step,
			    uint64_t at)
{
	for (size_t i = 0; i < step->row_count; i++)
		if (at % step->rows[i] == 0)
			json_array(writer->json, NULL);
}

/* Ends the rows that end before element `at`, or all that are open there. */
static void json_end_rows(const struct value_writer *writer, const struct value_step *step,
			  uint64_t at, bool open)
{
	for (size_t i = 0; i < step->row_count; i++)
		if ((at % step->rows[i] != 0) == open)
			json_end(writer->json);
}

/* Like bpftool, takes characters for text only if they are printable up to a NUL. */
static bool is_like_text(const uint8_t *data, uint64_t size)
{
	uint64_t at = 0;

	while (at < size && data[at] >= ' ' && data[at] < 0x7f)
		at++;
	return at < size && !data[at];
}

static void json_text(const struct value_writer *writer, const struct value_step *step,
		      const uint8_t *data, uint64_t size, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!writer->options->like_bpftool || is_like_text(data, size)) {
		strbuf_add(&text, data, strnlen((const char *)data, size));
		json_string(writer->json, name, text.data);
		return;
	}
	json_array(writer->json, name);
	for (uint64_t i = 0; i < size; i++)
		json_number(writer, step, data + i, NULL);
	json_end(writer->json);
}

/* Writes numbers or texts, each of which has `size` bytes. */
static void json_elements(const struct value_writer *writer, const struct value_step *step,
			  const uint8_t *data, uint64_t left, uint64_t size, const char *name)
{
	uint64_t count = size ? step->size * step->count / size : 0, i;

	json_array(writer->json, name);
	for (i = 0; i < count && (i + 1) * size <= left; i++) {
		json_begin_rows(writer, step, i);
		if (step->kind == STEP_TEXT)
			json_text(writer, step, data + i * size, size, NULL);
		else
			json_number(writer, step, data + i * size, NULL);
		json_end_rows(writer, step, i + 1, false);
	}
	json_end_rows(writer, step, i, true);
	json_end(writer->json);
}

static void json_plain(const struct value_writer *writer, const struct value_step *step,
		       uint64_t start, const char *name)
{
	const uint8_t *data = writer->data + start;
	uint64_t left = writer->size - start, whole = step->size * step->count;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (step->kind == STEP_NUMBER) {
		json_number(writer, step, data, name);
	} else if (step->kind == STEP_TEXT && step->length == step->count) {
		json_text(writer, step, data, whole < left ? whole : left, name);
	} else if (step->kind == STEP_TEXT || step->kind == STEP_NUMBERS) {
		json_elements(writer, step, data, left,
			      step->kind == STEP_TEXT ? step->length : step->size, name);
	} else if (!whole) {
		json_object(writer->json, name);
		json_end(writer->json);
	} else {
		for (uint64_t i = 0; i < whole && i < left; i++)
			strbuf_add_format(&text, "%02x", data[i]);
		json_string(writer->json, name, text.data);
	}
}

/* Writes the text that a record leads to. False: it is no such record, or it cannot be read. */
static bool json_led_text(const struct value_writer *writer, const struct value_step *step,
			  uint64_t start, const char *name)
{
	char characters[VALUE_TEXT_MAX + 1];
	size_t length;
	bool cut;

	if (start + step->size > writer->size ||
	    !read_led_text(step, writer->options, writer->data + start, characters, &length, &cut))
		return false;
	characters[length] = '\0';
	json_string(writer->json, name, characters);
	return true;
}

/* Lists the variables of a section, each in an object of its own. */
static void json_section(const struct value_writer *writer, size_t record, uint64_t base)
{
	json_object(writer->json, writer->steps[record].name);
	json_array(writer->json, writer->options->section);
	for (size_t at = record + 1; at < writer->steps[record].end;
	     at = next_step(writer->steps, at)) {
		if (!has_bytes(&writer->steps[at], base + writer->steps[at].offset, writer->size))
			continue;
		json_object(writer->json, NULL);
		writer->write(writer, at, base);
		json_end(writer->json);
	}
	json_end(writer->json);
	json_end(writer->json);
}

static void json_records(const struct value_writer *writer, size_t at, uint64_t start,
			 const char *name)
{
	const struct value_step *step = &writer->steps[at];
	uint64_t i;

	json_array(writer->json, name);
	for (i = 0; i < step->count && start + (i + 1) * step->size <= writer->size; i++) {
		json_begin_rows(writer, step, i);
		json_object(writer->json, NULL);
		write_members(writer, at, start + i * step->size);
		json_end(writer->json);
		json_end_rows(writer, step, i + 1, false);
	}
	json_end_rows(writer, step, i, true);
	json_end(writer->json);
}

static void json_step(const struct value_writer *writer, size_t at, uint64_t base)
{
	const struct value_step *step = &writer->steps[at];
	const struct value_options *options = writer->options;
	uint64_t start = base + step->offset;
	const char *name = step->name ?: "";

	if (step->name && step->is_text && json_led_text(writer, step, start, name)) {
		;
	} else if (step->kind == STEP_NUMBER && !options->named) {
		json_number(writer, step, writer->data + start, name);
	} else if (step->kind == STEP_RECORD && !step->name && !options->like_bpftool) {
		write_members(writer, at, start);
	} else if (step->kind == STEP_RECORD && options->section && !strcmp(step->path, "value")) {
		json_section(writer, at, start);
	} else if (step->kind == STEP_RECORD) {
		json_object(writer->json, name);
		write_members(writer, at, start);
		json_end(writer->json);
	} else if (step->kind == STEP_RECORDS) {
		json_records(writer, at, start, name);
	} else if (options->named && start == options->named_offset &&
		   step->size == options->named_size) {
		json_string(writer->json, name, options->named);
	} else {
		json_plain(writer, step, start, name);
	}
}

void value_json(const struct value_plan *plan, const struct value_options *options,
		const uint8_t *data, uint64_t size, struct json *json, const char *name)
{
	const struct value_writer writer = { options, plan->steps,        data,
					     size,    .write = json_step, .json = json };
	const struct value_step *top = plan->steps;

	if (json_led_text(&writer, top, 0, name)) {
		;
	} else if (top->kind == STEP_RECORD) {
		json_object(json, name);
		write_members(&writer, 0, 0);
		json_end(json);
	} else if (top->kind == STEP_RECORDS) {
		json_records(&writer, 0, 0, name);
	} else if (is_inside(top, size)) {
		json_plain(&writer, top, 0, name);
	}
}

/* ---- members by path ---- */

bool value_find(const struct type *type, const char *path, size_t length, uint64_t *offset,
		uint64_t *size)
{
	const struct member *member;
	const struct type *bare;

	*offset = 0;
	member = member_at_path(type, path, length, offset);
	if (!member || member->bit_size)
		return false;
	bare = type_strip(member->type);
	*size = type_size_or(bare, 0);
	return (bare->kind == TYPE_INTEGER || bare->kind == TYPE_ENUM) && *size && *size <= 8;
}
