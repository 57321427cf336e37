// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects and their build ids: see object_table.h. */
#include "profiler/record/object_table.h"

#include <perf/event.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/record/file_format.h"

/* To a multiple of 8 bytes, which readers of streams want (perf since 6.16). */
#define RECORD_PADDING  (8 - sizeof(struct perf_record_header_build_id) % 8)
#define KERNEL_MAP_NAME "[kernel.kallsyms]"

static void rehash(struct object_table *table)
{
	free(table->slots);
	table->slot_count = table->slot_count ? table->slot_count * 2 : 64;
	table->slots = xcalloc(table->slot_count, sizeof(*table->slots));
	for (uint32_t i = 0; i < table->count; i++) {
		const char *name = table->objects[i].name;
		uint32_t slot = hash_bytes(name, strlen(name)) & (table->slot_count - 1);

		while (table->slots[slot])
			slot = (slot + 1) & (table->slot_count - 1);
		table->slots[slot] = i + 1;
	}
}

static struct object *find_or_add(struct object_table *table, const char *name, bool kernel)
{
	if (table->count * 2 >= table->slot_count)
		rehash(table);

	uint32_t slot = hash_bytes(name, strlen(name)) & (table->slot_count - 1);

	for (; table->slots[slot]; slot = (slot + 1) & (table->slot_count - 1)) {
		struct object *object = &table->objects[table->slots[slot] - 1];

		if (strcmp(object->name, name) == 0)
			return object;
	}
	array_reserve(table->objects, table->count, table->capacity);
	table->objects[table->count] = (struct object){ .name = xstrdup(name), .kernel = kernel };
	table->slots[slot] = ++table->count;
	return &table->objects[table->count - 1];
}

void object_table_add(struct object_table *table, const char *name, bool kernel, const struct build_id *id)
{
	/* "[kernel.kallsyms]_text": the name of the map ends in its reference symbol. */
	bool kernel_map = kernel && strncmp(name, KERNEL_MAP_NAME, strlen(KERNEL_MAP_NAME)) == 0;
	struct object *object = find_or_add(table, kernel_map ? KERNEL_MAP_NAME : name, kernel);

	if (id && id->size)
		object->id = *id;
}

static void read_build_id(struct object *object, const char *root)
{
	if (strcmp(object->name, KERNEL_MAP_NAME) == 0) {
		build_id_of_kernel(root, &object->id);
	} else if (object->kernel) {
		const char *base = strrchr(object->name, '/');
		char *name = xstrdup(base ? base + 1 : object->name + (*object->name == '['));

		name[strcspn(name, ".]")] = '\0';
		for (char *letter = name; *letter; letter++)
			*letter = *letter == '-' ? '_' : *letter;
		build_id_of_module(root, name, &object->id);
		free(name);
	} else if (strcmp(object->name, "[vdso]") == 0) {
		build_id_of_vdso(&object->id);
	} else if (*object->name == '/' && object->name[1] != '/') {
		build_id_of_path(object->name, &object->id);
	}
}

static void put_object(const struct object *object, struct strbuf *content)
{
	static const char zeros[FILE_NAME_ALIGN + 8];
	size_t length = strlen(object->name) + 1;
	size_t padded = (length + FILE_NAME_ALIGN - 1) / FILE_NAME_ALIGN * FILE_NAME_ALIGN + RECORD_PADDING;
	struct perf_record_header_build_id record = {
		.header = { .misc = (object->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) |
				    PERF_RECORD_MISC_BUILD_ID_SIZE,
			    .size = sizeof(record) + padded },
		.pid = -1,
	};

	memcpy(record.data, object->id.bytes, sizeof(record.data));
	record.size = object->id.size;
	strbuf_add(content, &record, sizeof(record));
	strbuf_add(content, object->name, length);
	strbuf_add(content, zeros, padded - length);
}

void object_table_finish(struct object_table *table, const char *root, struct strbuf *content)
{
	for (uint32_t i = 0; i < table->count; i++) {
		if (!table->objects[i].id.size)
			read_build_id(&table->objects[i], root);
		if (table->objects[i].id.size)
			put_object(&table->objects[i], content);
	}
}

void object_table_release(struct object_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		free(table->objects[i].name);
	free(table->objects);
	free(table->slots);
	*table = (struct object_table){ 0 };
}
