// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints BPF maps: see print_live.h. An element is printed as a record that is made for it: its
 * key, and its value or those of all processors.
 */
#include "profiler/commands/print_live.h"

#include <linux/bpf.h>

#include "base/memory.h"
#include "dwarf/types/type_table.h"
#include "profiler/cli/output.h"

/* Elements of a map that changes may be listed again and again. */
#define MAP_ROUNDS 4

struct map_printing {
	const struct bpf_map *map;
	const struct value_options *options;
	struct type_table *own_table; /* if the map has no types; else NULL */
	struct value_plan plan;       /* of an element */
	uint64_t value_at;            /* offset of the value, or of that of the first processor */
	uint64_t step;                /* bytes from one processor's to the next */
	uint64_t size;                /* of an element */
	uint8_t *key, *value, *element;
	struct strbuf text;
	struct json json;
};

/* ---- the type of an element ---- */

static const struct type_loader no_loader;

static const struct type *known_or_bytes(struct type_table *table, const struct type *type,
					 uint64_t size)
{
	return type
		       ?: type_table_find(table, &(struct type_key){ .kind = TYPE_UNSPECIFIED,
								     .name = "bytes",
								     .size = size });
}

static const struct type *make_struct(struct type_table *table, const struct member *members,
				      size_t count, uint64_t size)
{
	struct type_key key = { .kind = TYPE_STRUCT, .size = size };

	return type_table_make_record(table, &key, members, count);
}

static const struct type *number_type(struct type_table *table)
{
	return type_table_find(table, &(struct type_key){ .kind = TYPE_INTEGER,
							  .name = "int",
							  .size = 4,
							  .flags = TYPE_SIGNED });
}

/* Returns the type of one processor's value: { cpu, value }. */
static const struct type *processor_type(struct type_table *table, const struct type *value,
					 uint64_t size)
{
	const struct type *number = number_type(table);
	const struct member members[] = {
		{ .name = "cpu", .type = number, .size = 4 },
		{ .name = "value", .type = value, .offset = 8, .size = size - 8 },
	};

	return make_struct(table, members, 2, size);
}

/* Plans the printing of elements. Keys without a type are left out of JSON, which has their bytes,
 * and queues have none. */
static struct error *plan_element(struct map_printing *printing, bool json)
{
	const struct bpf_map *map = printing->map;
	const struct type *known = map->key ?: map->value;
	struct type_table *table = known ? known->table : NULL;

	if (!table)
		table = printing->own_table = type_table_create(&no_loader, NULL);

	const struct type *key = known_or_bytes(table, map->key, map->key_size);
	const struct type *value = bpf_map_has_maps(map)
					   ? number_type(table)
					   : known_or_bytes(table, map->value, map->value_size);

	printing->value_at = round_up(map->key_size, 8);
	if (map->processors) {
		printing->step = 8 + map->value_step;
		value = type_array_of(processor_type(table, value, printing->step),
				      map->processors);
	}
	printing->size = printing->value_at +
			 (map->processors ? printing->step * map->processors : map->value_size);

	const struct member members[] = {
		{ .name = "key", .type = key, .size = map->key_size },
		{ .name = map->processors ? "values" : "value",
		  .type = value,
		  .offset = (int64_t)printing->value_at,
		  .size = printing->size - printing->value_at },
	};

	size_t first = json ? !map->key : !map->key_size;

	return value_plan_make(&printing->plan,
			       make_struct(table, members + first, 2 - first, printing->size));
}

/* ---- elements ---- */

/* Puts the key and the value together. */
static void fill_element(struct map_printing *printing)
{
	const struct bpf_map *map = printing->map;

	memcpy(printing->element, printing->key, map->key_size);
	if (!map->processors)
		memcpy(printing->element + printing->value_at, printing->value, map->value_size);
	for (unsigned int i = 0; i < map->processors; i++) {
		uint8_t *to = printing->element + printing->value_at + i * printing->step;

		memcpy(to, &i, sizeof(i));
		memcpy(to + 8, printing->value + i * map->value_step, map->value_size);
	}
}

/* Writes bytes as bpftool does: an array of strings. */
static void add_byte_strings(struct json *json, const char *name, const uint8_t *bytes, size_t size)
{
	char text[8];

	json_array(json, name);
	for (size_t i = 0; i < size; i++) {
		snprintf(text, sizeof(text), "0x%02x", bytes[i]);
		json_string(json, NULL, text);
	}
	json_end(json);
}

static void print_element_json(struct map_printing *printing)
{
	const struct bpf_map *map = printing->map;
	struct json *json = &printing->json;

	json_object(json, NULL);
	add_byte_strings(json, "key", printing->key, map->key_size);
	if (!map->processors)
		add_byte_strings(json, "value", printing->value, map->value_size);
	else
		json_array(json, "values");
	for (unsigned int i = 0; i < map->processors; i++) {
		json_object(json, NULL);
		json_unsigned(json, "cpu", i);
		add_byte_strings(json, "value", printing->value + i * map->value_step,
				 map->value_size);
		json_end(json);
	}
	if (map->processors)
		json_end(json);
	if (map->value) {
		struct value_options options = *printing->options;

		options.like_bpftool = true;
		options.section = map->section;
		value_json(&printing->plan, &options, printing->element, printing->size, json,
			   "formatted");
	}
	json_end(json);
}

/* Writes an element whose value cannot be read. */
static void print_unread_json(struct map_printing *printing, int problem)
{
	struct json *json = &printing->json;

	json_object(json, NULL);
	add_byte_strings(json, "key", printing->key, printing->map->key_size);
	json_object(json, "value");
	json_string(json, "error", strerror(problem));
	json_end(json);
	json_end(json);
}

/* Appends the name of the map that is the value of a map of maps. */
static void remark_inner_map(void *data, const char *path, uint64_t offset _unused_,
			     uint64_t size _unused_, struct strbuf *text)
{
	const struct map_printing *printing = data;
	char name[17];

	if (bpf_map_has_maps(printing->map) && !strcmp(path, "value") &&
	    bpf_map_inner_name(printing->value, name))
		strbuf_add_format(text, " /* '%s' */", name);
}

static void print_element(struct map_printing *printing, bool json)
{
	struct value_options options = *printing->options;

	fill_element(printing);
	if (json) {
		print_element_json(printing);
		return;
	}
	options.data = printing;
	options.remark = remark_inner_map;
	value_text(&printing->plan, &options, printing->element, printing->size, &printing->text);
	print_text(&printing->text);
	strbuf_truncate(&printing->text, 0);
}

/* Prints the elements in the order in which the kernel lists the keys. When a key is removed
 * meanwhile, the kernel begins again, so a map that changes may never end. */
static struct error *print_elements(struct map_printing *printing, bool json)
{
	const struct bpf_map *map = printing->map;
	_cleanup_free_ uint8_t *next = xcalloc(1, (size_t)map->key_size + 1);
	uint64_t most = (uint64_t)map->entries * MAP_ROUNDS + 1, listed = 0;
	struct error *error;
	size_t unread = 0;
	bool first = true, may_miss = bpf_map_has_maps(map) || map->type == BPF_MAP_TYPE_PROG_ARRAY;

	while (bpf_map_next(map, first ? NULL : printing->key, next, &error)) {
		first = false;
		memcpy(printing->key, next, map->key_size);

		int problem = bpf_map_get(map, printing->key, printing->value);

		if (!problem)
			print_element(printing, json);
		else if (json && map->key_size && (problem != ENOENT || !may_miss))
			print_unread_json(printing, problem);
		else
			unread += problem != ENOENT;
		if (++listed > most)
			return error_other("the map changes faster than it can be listed");
	}
	/* those of sockets, control groups and events */
	if (unread && !error)
		error = error_create(ERROR_UNSUPPORTED,
				     "map %u (%s): %zu values are objects of the kernel, which it "
				     "does not give out",
				     (unsigned int)map->id, bpf_map_type_name(map), unread);
	return error;
}

static void print_map_heading(struct map_printing *printing)
{
	const struct bpf_map *map = printing->map;

	strbuf_add_format(&printing->text, "/* map %u '%s', %s: ", (unsigned int)map->id, map->name,
			  bpf_map_type_name(map));
	if (map->key_size)
		strbuf_add_format(&printing->text, "keys of %u bytes%s, ",
				  (unsigned int)map->key_size, map->key ? "" : " without a type");
	strbuf_add_format(&printing->text, "values of %u%s%s */\n", (unsigned int)map->value_size,
			  map->key_size ? "" : " bytes",
			  map->value || bpf_map_has_maps(map) ? "" : " without a type");
	if (!map->key_size)
		strbuf_add_string(&printing->text, "/* the element that comes out next */\n");
	print_text(&printing->text);
	strbuf_truncate(&printing->text, 0);
}

struct error *print_map(const struct bpf_map *map, const struct value_options *options, bool json)
{
	struct map_printing printing = { .map = map,
					 .options = options,
					 .text = STRBUF_TEXT,
					 .json = JSON_INIT(write_stdout, NULL) };
	struct error *error = plan_element(&printing, json);

	if (!error) {
		printing.key = xcalloc(1, (size_t)map->key_size + 1);
		printing.value = xcalloc(1, map->lookup_size + 1);
		printing.element = xcalloc(1, printing.size + 1);
		if (json)
			json_array(&printing.json, NULL);
		else
			print_map_heading(&printing);
		error = print_elements(&printing, json);
		if (json)
			json_finish(&printing.json);
	}
	value_plan_deinit(&printing.plan);
	type_table_destroy(printing.own_table);
	free_all(printing.key, printing.value, printing.element);
	strbuf_deinit(&printing.text);
	return error;
}
