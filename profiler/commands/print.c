// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof print: raw data by its types, with the options and the form of pahole --prettify. */
#include <inttypes.h>
#include <sys/mman.h>

#include "base/cursor.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "dwarf/debug.h"
#include "profiler/cli/input.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/sandbox.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/print_live.h"
#include "profiler/commands/print_value.h"
#include "profiler/objects/dso.h"

/*
 * ---- records on their way to standard output ----
 *
 * Several threads make their text, which is written in the order of the records.
 */

/* A record. Its data and plan are the caller's, and stay as they are until print_batch_flush(). */
struct batch_record {
	const struct value_plan *plan;
	const uint8_t *data;
	uint64_t size;
	const char *named; /* as in struct value_options */
};

struct print_batch {
	const struct value_options *options; /* without `named` */
	struct json *json;                   /* its open array gets the records; NULL: text */
	struct batch_record *records;
	size_t count, capacity;
	uint64_t bytes;          /* of the records, and some for each of their members */
	uint64_t taken, written; /* bytes of all records, and of their text */
};

/* Records are written when there are so many, or when they have so many bytes. Members may be in
 * the same bytes, so each counts as some bytes, too. */
#define BATCH_RECORDS ((size_t)1 << 14)
#define BATCH_BYTES   ((uint64_t)1 << 22)
#define MEMBER_BYTES  8
/* Records whose text is made in one piece: fewer are not worth a thread. */
#define PIECE_RECORDS ((size_t)1 << 10)
#define PIECES_MAX    (BATCH_RECORDS / PIECE_RECORDS)

/* Text of any type, and for each byte of the records: a flag takes a line of a bit. */
#define TEXT_SMALL ((uint64_t)64 << 20)
#define TEXT_RATIO 512

/* The text of some of a batch's records. */
struct batch_piece {
	struct strbuf text;
	struct json json;
};

struct batch_pieces {
	const struct print_batch *batch;
	struct batch_piece *pieces;
};

static void make_piece(size_t number, unsigned int thread _unused_, void *data)
{
	struct batch_pieces *all = data;
	struct batch_piece *piece = &all->pieces[number];
	const struct print_batch *batch = all->batch;
	struct value_options options = *batch->options;
	size_t first = number * PIECE_RECORDS;

	for (size_t i = first; i < batch->count && i < first + PIECE_RECORDS; i++) {
		const struct batch_record *record = &batch->records[i];

		options.named = record->named;
		if (batch->json)
			value_json(record->plan, &options, record->data, record->size, &piece->json,
				   NULL);
		else
			value_text(record->plan, &options, record->data, record->size,
				   &piece->text);
	}
}

/* Writes all records. Call it after the last one. */
static void print_batch_flush(struct print_batch *batch)
{
	size_t count = (batch->count + PIECE_RECORDS - 1) / PIECE_RECORDS;
	_cleanup_free_ struct batch_piece *pieces = xcalloc(PIECES_MAX, sizeof(*pieces));
	struct batch_pieces all = { batch, pieces };

	for (size_t i = 0; i < count; i++) {
		pieces[i].text = (struct strbuf)STRBUF_TEXT;
		if (batch->json)
			json_part_init(&pieces[i].json, batch->json);
	}
	parallel_for(count, parallel_default_threads(), make_piece, &all);
	for (size_t i = 0; i < count; i++) {
		batch->written += pieces[i].text.length + pieces[i].json.text.length;
		if (batch->json)
			json_add_part(batch->json, &pieces[i].json);
		print_text(&pieces[i].text);
		strbuf_deinit(&pieces[i].text);
	}
	free(batch->records);
	batch->records = NULL;
	batch->count = batch->capacity = batch->bytes = 0;
}

/* Adds a record, and writes those so far if they are many. */
static void print_batch_add(struct print_batch *batch, const struct batch_record *record)
{
	array_add(batch->records, batch->count, batch->capacity) = *record;
	batch->taken += record->size;
	batch->bytes += record->size + MEMBER_BYTES * record->plan->count;
	if (batch->count == BATCH_RECORDS || batch->bytes >= BATCH_BYTES)
		print_batch_flush(batch);
}

/* ---- --hot: the objects that samples hit most, as they are in memory ---- */

/* Returns an error if there is nothing to show, with the reason. */
static struct error *check_hot(const struct print_live *live, const struct input *input,
			       const struct hot_objects *hot)
{
	const char *type = live->expression;

	if (hot->count)
		return NULL;
	RETURN_ERROR(input_need_samples(input));
	if (live->memory->pid && !session_last_name(input->session, live->memory->pid))
		return error_create(ERROR_NOT_FOUND, "%s has no samples of process %d", input->path,
				    (int)live->memory->pid);
	return error_create(
		ERROR_NOT_FOUND,
		"%s: no sample has the address of an object of %s in %s; record data "
		"addresses (dtprof mem record) or registers (dtprof record --user-regs)",
		input->path, type ?: "a struct", live->memory->name);
}

/* Prints how much of the recording the objects stand for. */
static void print_hot_heading(const struct hot_objects *hot)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	strbuf_add_format(&text,
			  "/* %" PRIu64 " samples of %s, %" PRIu64 " with the address of an "
			  "object: %zu of %zu objects */\n",
			  hot->samples, type_name_interned(hot->type), hot->addressed, hot->count,
			  hot->seen);
	print_text(&text);
}

/* Prints the objects, which have an open reader. */
static struct error *print_hot_objects(const struct print_live *live, const struct hot_objects *hot)
{
	_cleanup_arena_ struct arena names = { 0 };
	struct live_root *roots = arena_alloc(&names, hot->count * sizeof(*roots));
	struct print_live shown = *live;

	array_indexed (const struct hot_object, object, i, hot->objects, hot->count) {
		const char *name =
			arena_format(&names, "%zu. %.1f %%, %" PRIu64 " sample%s", i + 1,
				     100.0 * (double)object->samples / (double)hot->addressed,
				     object->samples, object->samples == 1 ? "" : "s");

		roots[i] = (struct live_root){ hot->type, object->address, name, object };
	}
	shown.roots = roots;
	shown.root_count = hot->count;
	if (!live->json)
		print_hot_heading(hot);
	return print_live(&shown);
}

/* Prints the `most` objects of a type that the recording's samples of this process hit most, with
 * the share of each member. `live` has no expression, but may have the name of a type. */
static struct error *print_hot(const struct print_live *live, const struct input_options *options,
			       unsigned int most)
{
	const struct input_needs needs = { .needs = HOT_OBJECTS_NEEDS, .details = DETAILS_MAX };
	struct hot_objects hot = { 0 };
	_cleanup_input_ struct input input = { 0 };
	struct error *error = input_open(options, &input);

	if (!error)
		error = input_resolve(options, &needs, &input);
	if (!error) {
		hot_objects_find(input.resolution, input.counts, live->expression,
				 live->memory->pid, most, &hot);
		error = check_hot(live, &input, &hot);
	}
	if (!error)
		error = print_hot_objects(live, &hot);
	hot_objects_deinit(&hot);
	return error;
}

/* Data that cannot be sought in is read up to here. */
#define INPUT_MAX ((size_t)1 << 30)
/* Records that the constants of --type_enum may name. */
#define NAMED_MAX 512

static struct {
	const char *object; /* with the types */
	const char *spec;   /* -C */
	const char *header;
	const char *data;
	const char *count, *skip, *seek, *size, *range;
	unsigned int order;     /* of bytes: little, big */
	const char *pid, *core; /* whose memory is printed */
	const char *map;        /* of BPF */
	const char *address;    /* of an object in it */
	unsigned int depth, hot;
	const char *union_member;
	bool hexadecimal, json;
	struct input_options input;
} options;

/* The parts of TYPE(sizeof=MEMBER,type=MEMBER,type_enum=ENUM+ENUM,filter=MEMBER==VALUE). */
struct print_spec {
	char *name;
	char *sizeof_member, *type_member, *type_enum, *filter, *range;
};

/* A record that a number names: perf_record_mmap2 for PERF_RECORD_MMAP2. */
struct named_record {
	int64_t value;
	const char *name; /* of the constant */
	bool planned;
	struct value_plan plan; /* of the record; without steps if there is no such record */
};

struct printing {
	struct dso_table table;
	struct debug_reader *reader;
	struct print_spec spec;
	const struct type *type, *header;
	struct value_plan plan;
	struct value_options value;
	uint64_t size_at, size_size; /* the member with the record's size; 0 bytes: none */
	uint64_t type_at, type_size; /* the member with its type; 0 bytes: none */
	uint64_t filter_at, filter_size, filter_value;
	struct named_record named[NAMED_MAX];
	size_t named_count;
	const uint8_t *data;
	size_t data_size;
	uint8_t *read;       /* the data, if it was read; else it is mapped */
	uint64_t first, end; /* the bytes with records */
	struct print_batch batch;
	struct json json;
};

/* ---- types ---- */

static struct error *open_types(struct printing *printing)
{
	_cleanup_free_ char *path = realpath(options.object, NULL);
	const char *problem = NULL;

	if (!path)
		return error_errno(errno, "cannot open %s", options.object);
	struct dso *dso = dso_table_get(&printing->table, &(struct dso_origin){ .name = path });

	if (!dso_image(dso, &options.input.dso, &problem))
		return error_create(ERROR_NOT_FOUND, "%s", problem);
	struct debug_object *debug = dso_debug(dso, &options.input.dso, &problem);

	if (!debug)
		return error_create(ERROR_NO_DEBUG_INFO, "%s has no types: %s", options.object,
				    problem ?: "it has no debug information");
	printing->reader = debug_reader_open(debug);
	return NULL;
}

/* Finds the one type of a name: a record if there is one, for C's tags. */
static struct error *find_type(struct printing *printing, const char *name,
			       const struct type **found)
{
	const struct type *types[8];
	size_t count = debug_reader_types_called(printing->reader, name, types, COUNT_OF(types));

	*found = NULL;
	for (size_t i = 0; i < count && i < COUNT_OF(types); i++)
		if (!*found ||
		    (!type_is_record(type_strip(*found)) && type_is_record(type_strip(types[i]))))
			*found = types[i];
	if (!*found)
		return error_create(ERROR_NOT_FOUND, "%s has no type '%s'", options.object, name);
	return NULL;
}

/* ---- the type's arguments ---- */

static void spec_deinit(struct print_spec *spec)
{
	free_all(spec->name, spec->sizeof_member, spec->type_member, spec->type_enum, spec->filter,
		 spec->range);
	*spec = (struct print_spec){ 0 };
}

static struct error *take_argument_of(struct print_spec *spec, const char *word, size_t length)
{
	static const char *const names[] = { "sizeof", "type", "type_enum", "filter", "range" };
	char **const values[] = { &spec->sizeof_member, &spec->type_member, &spec->type_enum,
				  &spec->filter, &spec->range };
	const char *defaults[] = { "size", "type", NULL, NULL, NULL };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		size_t name = strlen(names[i]);
		bool alone = length == name && defaults[i];

		if (strncmp(word, names[i], name) != 0 ||
		    !(alone || (length > name + 1 && word[name] == '=' && word[name + 1] != '=')))
			continue;
		free(*values[i]);
		*values[i] = alone ? xstrdup(defaults[i])
				   : xasprintf("%.*s", (int)(length - name - 1), word + name + 1);
		return NULL;
	}
	if (memmem(word, length, "==", 2)) {
		free(spec->filter);
		spec->filter = xasprintf("%.*s", (int)length, word);
		return NULL;
	}
	return error_other("'%.*s' is none of sizeof, type, type_enum=ENUM, range=MEMBER and "
			   "filter=MEMBER==VALUE",
			   (int)length, word);
}

/* Parses "perf_event_header(sizeof,type,type_enum=perf_event_type)". */
static struct error *parse_spec(const char *text, struct print_spec *spec)
{
	size_t length = strcspn(text, "(");
	const char *word = text + length;

	spec->name = xasprintf("%.*s", (int)length, text);
	if (!length)
		return error_other("the name of the type is missing");
	if (!*word)
		return NULL;
	if (text[strlen(text) - 1] != ')')
		return error_other("'%s' does not end with ')'", text);
	for (word++; *word && *word != ')'; word += *word == ',') {
		length = strcspn(word, ",)");
		RETURN_ERROR(take_argument_of(spec, word, length));
		word += length;
	}
	return NULL;
}

/* ---- records by number ---- */

/* Adds the constants of the enums "A+B" as names of records. */
static struct error *add_enums(struct printing *printing)
{
	for (const char *word = printing->spec.type_enum; word && *word;) {
		size_t length = strcspn(word, "+"), count;
		_cleanup_free_ char *name = xasprintf("%.*s", (int)length, word);
		_cleanup_free_ char *tag = xasprintf("enum %s", name);
		const struct type *type;
		struct error *error = find_type(printing, tag, &type);

		if (error) {
			error_destroy(error);
			RETURN_ERROR(find_type(printing, name, &type));
		}
		const struct enumerator *constants = type_enumerators(type_strip(type), &count);

		if (!count)
			return error_create(ERROR_NOT_FOUND, "'%s' has no constants", name);
		for (size_t i = 0; i < count && printing->named_count < NAMED_MAX; i++)
			printing->named[printing->named_count++] =
				(struct named_record){ .value = constants[i].value,
						       .name = constants[i].name };
		word += length + (word[length] == '+');
	}
	return NULL;
}

static struct named_record *named_by(struct printing *printing, uint64_t value)
{
	return array_find(i, printing->named, printing->named_count,
			  (uint64_t)printing->named[i].value == value);
}

/* Returns the plan of the record that a constant names in small letters; NULL: there is none. */
static const struct value_plan *plan_of(struct printing *printing, struct named_record *named)
{
	_cleanup_free_ char *name = xstrdup(named->name);
	const struct type *type;

	if (named->planned)
		return named->plan.count ? &named->plan : NULL;
	named->planned = true;
	for (char *c = name; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c += 'a' - 'A';
	_cleanup_error_ struct error *error = find_type(printing, name, &type);

	if (!error && type_is_record(type_strip(type)))
		error = value_plan_make(&named->plan, type);
	if (error)
		value_plan_deinit(&named->plan);
	return named->plan.count ? &named->plan : NULL;
}

/* Parses "type==PERF_RECORD_MMAP2", "type==MMAP2" or "type==10". */
static struct error *parse_filter(struct printing *printing)
{
	const char *text = printing->spec.filter, *equals = text ? strstr(text, "==") : NULL;
	char *end;

	if (!text)
		return NULL;
	if (!equals || !value_find(printing->type, text, (size_t)(equals - text),
				   &printing->filter_at, &printing->filter_size))
		return error_other("filter '%s' is not MEMBER==VALUE with a number in %s", text,
				   printing->spec.name);
	printing->filter_value = strtoull(equals + 2, &end, 0);
	if (end > equals + 2 && !*end)
		return NULL;
	for (size_t i = 0; i < printing->named_count; i++) {
		const char *name = printing->named[i].name;
		size_t length = strlen(name), wanted = strlen(equals + 2);

		if (wanted <= length && !strcmp(name + length - wanted, equals + 2) &&
		    (wanted == length || name[length - wanted - 1] == '_')) {
			printing->filter_value = (uint64_t)printing->named[i].value;
			return NULL;
		}
	}
	return error_other("filter '%s': no constant of the type_enum is called '%s'", text,
			   equals + 2);
}

static struct error *find_member(const struct printing *printing, const char *member,
				 uint64_t *offset, uint64_t *size)
{
	if (!member || value_find(printing->type, member, strlen(member), offset, size))
		return NULL;
	return error_create(ERROR_NOT_FOUND, "%s has no number '%s'", printing->spec.name, member);
}

static struct error *prepare_type(struct printing *printing, const char *spec)
{
	RETURN_ERROR(parse_spec(spec, &printing->spec));
	RETURN_ERROR(find_type(printing, printing->spec.name, &printing->type));
	RETURN_ERROR(value_plan_make(&printing->plan, printing->type));
	RETURN_ERROR(find_member(printing, printing->spec.sizeof_member, &printing->size_at,
				 &printing->size_size));
	RETURN_ERROR(find_member(printing, printing->spec.type_member, &printing->type_at,
				 &printing->type_size));
	RETURN_ERROR(add_enums(printing));
	return parse_filter(printing);
}

/* ---- data ---- */

static struct error *read_stream(struct printing *printing, int descriptor, const char *name)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;

	if (!file_read_all(descriptor, INPUT_MAX, &bytes))
		return error_errno(errno, "cannot read %s", name);
	if (bytes.length > INPUT_MAX)
		return error_other("%s has more than 1 GB; name a file, of which parts are read",
				   name);
	printing->data_size = bytes.length;
	printing->read = (uint8_t *)strbuf_detach(&bytes);
	printing->data = printing->read;
	return NULL;
}

static struct error *open_data(struct printing *printing, const char *path)
{
	if (!path && isatty(STDIN_FILENO))
		return error_other("no data: name a file, or give the data by standard input");
	if (!path || !strcmp(path, "-"))
		return read_stream(printing, STDIN_FILENO, "standard input");
	_cleanup_close_ int fd = -1;
	struct stat status;

	RETURN_ERROR(ordinary_file_open(path, &fd, &status));
	printing->data_size = (size_t)status.st_size;
	if (!printing->data_size)
		return error_create(ERROR_FORMAT, "%s is empty", path);
	void *data = mmap(NULL, printing->data_size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (data == MAP_FAILED)
		return error_errno(errno, "%s cannot be mapped", path);
	printing->data = data;
	return NULL;
}

/* Sets *value to a number, or to that of the header's member in "$header.data.offset". */
static struct error *parse_place(const struct printing *printing, const char *option,
				 const char *text, uint64_t *value)
{
	uint64_t offset, size;
	char *end;

	if (!text)
		return NULL;
	if (!starts_with(text, "$header.")) {
		*value = strtoull(text, &end, 0);
		return end > text && !*end && text[0] != '-'
			       ? NULL
			       : error_other("%s takes a number or $header.MEMBER, not '%s'",
					     option, text);
	}
	if (!printing->header)
		return error_other("%s '%s' needs --header", option, text);
	if (!value_find(printing->header, text + 8, strlen(text + 8), &offset, &size))
		return error_create(ERROR_NOT_FOUND, "%s has no number '%s'", options.header,
				    text + 8);
	if (offset + size > printing->data_size)
		return error_create(ERROR_FORMAT, "the data is shorter than its header");
	*value = value_number(printing->data + offset, size, printing->value.big_endian);
	return NULL;
}

/* Finds the bytes that are printed: all, or those of --seek_bytes, --size_bytes or --range. */
static struct error *find_range(struct printing *printing)
{
	uint64_t first = 0, size = UINT64_MAX;
	_cleanup_free_ char *offset_of = NULL, *size_of = NULL;
	const char *range = printing->spec.range ?: options.range;

	if (options.header)
		RETURN_ERROR(find_type(printing, options.header, &printing->header));
	if (range) {
		offset_of = xasprintf("$header.%s.offset", range);
		size_of = xasprintf("$header.%s.size", range);
		RETURN_ERROR(parse_place(printing, "--range", offset_of, &first));
		RETURN_ERROR(parse_place(printing, "--range", size_of, &size));
	}
	RETURN_ERROR(parse_place(printing, "--seek_bytes", options.seek, &first));
	RETURN_ERROR(parse_place(printing, "--size_bytes", options.size, &size));
	if (first > printing->data_size)
		return error_create(ERROR_FORMAT,
				    "the records begin at byte %" PRIu64
				    ", and the data has only %zu bytes",
				    first, printing->data_size);
	printing->first = first;
	printing->end = size < printing->data_size - first ? first + size : printing->data_size;
	return NULL;
}

/* ---- printing ---- */

static void print_record(struct printing *printing, const uint8_t *data, uint64_t size)
{
	const struct value_plan *plan = &printing->plan;
	uint64_t type = printing->type_size && printing->named_count
				? value_number(data + printing->type_at, printing->type_size,
					       printing->value.big_endian)
				: 0;
	struct named_record *named = printing->type_size ? named_by(printing, type) : NULL;
	const struct value_plan *own = named ? plan_of(printing, named) : NULL;

	/* the record has the header that names it as its first member */
	if (own && own->size >= plan->size)
		plan = own;
	print_batch_add(&printing->batch,
			&(struct batch_record){ plan, data, size, named ? named->name : NULL });
}

/* Sets *size to that of the record at `at`. False, with a message: it goes beyond the data. */
static struct error *size_at(const struct printing *printing, uint64_t at, uint64_t *size)
{
	uint64_t left = printing->end - at;

	*size = printing->plan.size;
	if (*size <= left && printing->size_size) {
		*size = value_number(printing->data + at + printing->size_at, printing->size_size,
				     printing->value.big_endian);
		if (*size < printing->plan.size)
			return error_create(ERROR_FORMAT,
					    "the record at byte %" PRIu64 " has the size %" PRIu64
					    ", which is less than that of %s",
					    at, *size, printing->spec.name);
	}
	return NULL;
}

static struct error *print_records(struct printing *printing, uint64_t skip, uint64_t most)
{
	uint64_t size, passed = 0, printed = 0;

	for (uint64_t at = printing->first; at < printing->end && printed < most; at += size) {
		const uint8_t *data = printing->data + at;

		RETURN_ERROR(size_at(printing, at, &size));
		if (size > printing->end - at)
			return error_create(ERROR_FORMAT,
					    "the record at byte %" PRIu64 " has %" PRIu64
					    " bytes, and the data ends after %" PRIu64,
					    at, size, printing->end - at);
		if (printing->filter_size &&
		    value_number(data + printing->filter_at, printing->filter_size,
				 printing->value.big_endian) != printing->filter_value)
			continue;
		if (passed++ < skip)
			continue;
		print_record(printing, data, size);
		printed++;
		if (printing->batch.written > TEXT_SMALL + TEXT_RATIO * printing->batch.taken)
			return error_other("%s has so many members at one place that only the "
					   "first %" PRIu64 " records are printed (--count)",
					   printing->spec.name, printed);
	}
	return NULL;
}

/* Without a type, the header itself is printed. */
static struct error *print_header(struct printing *printing)
{
	RETURN_ERROR(value_plan_make(&printing->plan, printing->header));
	if (printing->plan.size > printing->data_size)
		return error_create(ERROR_FORMAT, "the data is shorter than %s", options.header);
	print_record(printing, printing->data, printing->plan.size);
	return NULL;
}

/* Frees the type and what belongs to it. */
static void forget_type(struct printing *printing)
{
	for (size_t i = 0; i < printing->named_count; i++)
		value_plan_deinit(&printing->named[i].plan);
	printing->named_count = 0;
	value_plan_deinit(&printing->plan);
	spec_deinit(&printing->spec);
}

/* Returns the length of the first of several types, "A(B,C),D". */
static size_t first_type_length(const char *types)
{
	size_t length = strcspn(types, ",(");

	return types[length] == '(' ? length + strcspn(types + length, ")") +
					      (strchr(types + length, ')') != NULL)
				    : length;
}

/* Prints the records of each type, one type after the other. */
static struct error *print_each_type(struct printing *printing, uint64_t skip, uint64_t most)
{
	for (const char *types = options.spec; *types;) {
		size_t length = first_type_length(types);
		_cleanup_free_ char *spec = xasprintf("%.*s", (int)length, types);

		forget_type(printing);
		RETURN_ERROR(prepare_type(printing, spec));
		RETURN_ERROR(find_range(printing));
		printing->value.named_offset = printing->type_at;
		printing->value.named_size = printing->type_size;
		RETURN_ERROR(print_records(printing, skip, most));
		print_batch_flush(&printing->batch);
		types += length;
		if (*types && *types++ != ',')
			return error_other("'%s' does not end with ')'", options.spec);
	}
	return NULL;
}

static struct error *print_print_all(struct printing *printing, const char *path)
{
	uint64_t skip = 0, most = UINT64_MAX;
	struct error *error;

	RETURN_ERROR(parse_place(printing, "--count", options.count, &most));
	RETURN_ERROR(parse_place(printing, "--skip", options.skip, &skip));
	RETURN_ERROR(open_types(printing));
	RETURN_ERROR(open_data(printing, path));
	if (!options.spec)
		RETURN_ERROR(find_range(printing));
	printing->batch.options = &printing->value;
	printing->batch.json = options.json ? &printing->json : NULL;
	if (options.json)
		json_array(&printing->json, NULL);
	error = options.spec ? print_each_type(printing, skip, most) : print_header(printing);
	print_batch_flush(&printing->batch);
	if (options.json)
		json_finish(&printing->json);
	return error;
}

/* ---- the command ---- */

// clang-format off
static const struct option_spec print_specs[] = {
	GROUP("Types"),
	OPTION(STRING, 0, "object", &options.object, "FILE", "the program, library or kernel with the types"),
	OPTION(STRING, 'C', "class_name", &options.spec, "TYPE", "the type of the records, as without -C"),
	OPTION(STRING, 0, "header", &options.header, "TYPE", "the type of the data's beginning; alone, print it"),
	GROUP("Data"),
	OPTION(STRING, 0, "prettify", &options.data, "FILE", "the data, as the last argument without it"),
	OPTION(STRING, 0, "count", &options.count, "N", "print at most N records"),
	OPTION(STRING, 0, "skip", &options.skip, "N", "leave out the first N records"),
	OPTION(STRING, 0, "seek_bytes", &options.seek, "N", "begin at byte N, or $header.MEMBER"),
	OPTION(STRING, 0, "size_bytes", &options.size, "N", "read N bytes, or $header.MEMBER"),
	OPTION(STRING, 0, "range", &options.range, "MEMBER", "read the bytes that MEMBER.offset and MEMBER.size of the\nheader say"),
	OPTION(ENUM, 0, "byte-order", WORDS(options.order, "little", "big"), "ORDER", "little (the default) or big"),
	GROUP("Memory"),
	OPTION(STRING, 'p', "pid", &options.pid, "PID",
	       "print the memory of this process: EXPRESSION is a variable\nwith members and indexes, such as 'table[3].first->key'"),
	OPTION(STRING, 0, "core", &options.core, "FILE", "the same for a core file"),
	OPTION(STRING, 0, "address", &options.address, "ADDRESS", "print what is at this address as TYPE"),
	OPTION(UNSIGNED, 0, "hot", &options.hot, "N", "print the N objects of TYPE that samples of the recording hit\nmost, with the share of each member"),
	OPTION(STRING, 'i', "input", &options.input.path, "FILE", "the recording of --hot (perf.data)"),
	OPTION(UNSIGNED, 0, "depth", &options.depth, "N", "follow up to N pointers in a row (0)"),
	GROUP("BPF maps"),
	OPTION(STRING, 0, "map", &options.map, "MAP",
	       "print the keys and values of this map: its id, its name, or\nthe path at which it is pinned"),
	GROUP("Output"),
	OPTION(STRING, 0, "union", &options.union_member, "MEMBER", "show only this member of the unions that have it"),
	FLAG(0, "hex", &options.hexadecimal, "print integers in hexadecimal"),
	FLAG(0, "json", &options.json, "print JSON: an array of the records"),
	OPTIONS_END,
};
// clang-format on

/* ---- memory ---- */

/* Checks what the memory of a process or a core is printed by. */
static struct error *check_memory_options(int rest)
{
	if (options.pid && options.core)
		return error_other("--pid and --core cannot be combined");
	if (options.header || options.count || options.skip || options.seek || options.size ||
	    options.range)
		return error_other("--%s takes no options for data in files",
				   options.pid ? "pid" : "core");
	if (options.hot && options.address)
		return error_other("--hot and --address cannot be combined");
	if (options.input.path && !options.hot)
		return error_other("-i is the recording of --hot");
	if (options.hot && !options.spec && !rest)
		return NULL;
	if ((options.spec != NULL) + rest != 1)
		return error_other("%s", options.address ? "--address needs one TYPE"
							 : "one variable is needed, such as "
							   "'table[3].first->key'");
	return NULL;
}

static struct error *open_memory(struct process_memory *memory)
{
	unsigned long long pid;

	if (options.core)
		return process_memory_open_core(options.core, memory);
	if (!option_number(options.pid, INT32_MAX, &pid) || !pid)
		return error_other("--pid takes the number of a process, not '%s'", options.pid);
	return process_memory_open((pid_t)pid, memory);
}

/* Prints a variable, or an object by its address, in the memory of a process or a core. */
static struct error *print_memory(const char *expression)
{
	struct process_memory memory = { .file = -1 };
	_cleanup_free_ char *object = options.object ? realpath(options.object, NULL) : NULL;
	struct print_live live = { .memory = &memory,
				   .object = object,
				   .dso = &options.input.dso,
				   .expression = expression,
				   .has_address = options.address,
				   .depth = options.depth,
				   .json = options.json,
				   .value = { .hexadecimal = options.hexadecimal,
					      .union_member = options.union_member } };
	char *end = NULL;
	struct error *error;

	if (options.object && !object)
		return error_errno(errno, "cannot open %s", options.object);
	/* a process in the sandbox may not look into others */
	if (options.core)
		sandbox_for(NULL, NULL, false);
	error = open_memory(&memory);
	if (!options.core)
		sandbox_for(NULL, NULL, false);
	if (!error && memory.is_kernel && (!object || options.hot))
		error = error_create(ERROR_OTHER, options.hot
							  ? "--hot is of processes, not of a kernel"
							  : "--object names the kernel's vmlinux");
	if (!error && options.address) {
		live.address = strtoull(options.address, &end, 0);
		if (end == options.address || *end)
			error = error_other("--address takes a number, not '%s'", options.address);
	}
	if (!error)
		error = options.hot ? print_hot(&live, &options.input, options.hot)
				    : print_live(&live);
	process_memory_close(&memory);
	return error;
}

/* ---- BPF maps ---- */

static struct error *print_bpf_map(void)
{
	const struct value_options value = { .hexadecimal = options.hexadecimal,
					     .union_member = options.union_member };
	struct bpf_map map;
	struct error *error;

	sandbox_for(NULL, NULL, false);
	error = bpf_map_open(options.map, options.object, &map);
	if (!error)
		error = print_map(&map, &value, options.json);
	bpf_map_close(&map);
	return error;
}

/* Prints what one of the options -p, --core and --map names. False: none is given. */
static bool print_named(int rest, char **argv, int *status)
{
	struct error *error = NULL;

	if (!options.pid && !options.core && !options.map && !options.hot)
		return false;
	if (options.hot && !options.pid && !options.core)
		error = error_other("--hot needs the process (-p) or its core");
	else if (!options.map)
		error = check_memory_options(rest);
	else if (options.pid || options.core || options.spec || rest)
		error = error_other("--map takes neither a type nor data");
	if (error) {
		*status = command_fail_usage(error);
		return true;
	}
	error = options.map ? print_bpf_map() : print_memory(options.spec ?: rest ? argv[0] : NULL);
	*status = error ? command_fail(error) : EXIT_SUCCESS;
	return true;
}

int command_print(int argc, char **argv)
{
	static const struct command_usage usage = {
		.name = "print",
		.synopsis = "[OPTIONS] [TYPE[(ARGUMENTS)]] [DATA]\n"
			    "or: dtprof print -p PID|--core=FILE [OPTIONS] EXPRESSION\n"
			    "or: dtprof print -p PID|--core=FILE --hot=N [-i FILE] [TYPE]\n"
			    "or: dtprof print --map=MAP [OPTIONS]",
		.summary = "Print raw data, memory and BPF maps by their types.",
		.options = print_specs,
	};
	struct printing printing = { .json = JSON_INIT(write_stdout, NULL) };
	struct error *error = NULL;
	int rest, status, used = 0;

	if (!command_begin(argc, argv, &usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	if (print_named(rest, argv, &status))
		return status;
	if (!options.spec && (rest > 1 || !options.header || options.data) && rest > 0)
		options.spec = argv[used++];
	if (!options.spec && !options.header)
		error = error_other("the type of the data is missing");
	else if (!options.object)
		error = error_other(
			"--object names the program, library or vmlinux with the types");
	else if (rest - used + (options.data != NULL) > 1)
		error = error_other("'%s': only one file is printed",
				    options.data ?: argv[used + 1]);
	if (error)
		return command_fail_usage(error);
	printing.value = (struct value_options){ .hexadecimal = options.hexadecimal,
						 .big_endian = options.order == 1,
						 .union_member = options.union_member };
	sandbox_for(NULL, NULL, false);
	error = print_print_all(&printing, rest > used ? argv[used] : options.data);
	status = error ? command_fail(error) : EXIT_SUCCESS;
	forget_type(&printing);
	free(printing.read);
	debug_reader_close(printing.reader);
	dso_table_deinit(&printing.table);
	return status;
}
