// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements build.h. types.c and object.c read what is written here. */
#include "dwarf/companion/build.h"

#include <zlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "dwarf/companion/private.h"

struct companion_builder {
	const struct elf_image *image;
	companion_place_of place_of;
	void *place_data;
	struct companion_writer parts[COMPANION_PART_COUNT];
	struct string_pool pool;
	struct hash_map strings; /* address in `pool` -> number */
	uint64_t string_count;
	struct hash_map numbers;   /* address of a type -> number */
	const struct type **types; /* by number, from 1 on */
	size_t type_count, type_capacity;
	size_t written; /* of the types */
};

/* Returns zstd's level for a section. With level 15, of a kernel's sections, names and types take
 * five times as long as with 10, to be 6 % smaller, and functions become larger; lines take twice
 * as long as with 13, to be 2 % smaller. Level 16 gains 1 % more. */
static int packing_level(enum companion_part part)
{
	switch (part) {
	case COMPANION_SYMBOLS:
	case COMPANION_FUNCTIONS:
	case COMPANION_STRINGS:
	case COMPANION_TYPES: return 10;
	case COMPANION_LINES: return 13;
	default: return 15;
	}
}

struct companion_builder *companion_builder_create(const struct elf_image *image,
						   companion_place_of place_of, void *data)
{
	struct companion_builder *builder = xcalloc(1, sizeof(*builder));

	builder->image = image;
	builder->place_of = place_of;
	builder->place_data = data;
	for (size_t i = 0; i < COMPANION_PART_COUNT; i++)
		/* of accesses, a report asks for some functions only; of the others, for much */
		companion_writer_init(&builder->parts[i], companion_part_lanes(i),
				      i == COMPANION_ACCESS ? 32768 : 131072, packing_level(i));
	return builder;
}

void companion_builder_destroy(struct companion_builder *builder)
{
	if (!builder)
		return;
	for (size_t i = 0; i < COMPANION_PART_COUNT; i++)
		companion_writer_deinit(&builder->parts[i]);
	string_pool_deinit(&builder->pool);
	hash_map_deinit(&builder->strings);
	hash_map_deinit(&builder->numbers);
	free_all(builder->types, builder);
}

struct companion_writer *companion_builder_part(struct companion_builder *builder,
						enum companion_part part)
{
	return &builder->parts[part];
}

uint64_t companion_builder_string(struct companion_builder *builder, const char *string)
{
	struct companion_writer *writer = &builder->parts[COMPANION_STRINGS];
	bool created;

	if (!string)
		return 0;
	string = string_pool_intern(&builder->pool, string);
	uint32_t *number = hash_map_insert(&builder->strings, (uintptr_t)string, &created);

	if (created) {
		*number = (uint32_t)++builder->string_count;
		strbuf_add(&writer->lanes[0], string, strlen(string) + 1);
		companion_writer_end_item(writer, *number);
	}
	return *number;
}

uint64_t companion_builder_type(struct companion_builder *builder, const struct type *type)
{
	bool created;

	if (!type)
		return 0;
	uint32_t *number = hash_map_insert(&builder->numbers, (uintptr_t)type, &created);

	if (created) {
		array_add(builder->types, builder->type_count, builder->type_capacity) = type;
		*number = (uint32_t)builder->type_count;
	}
	return *number;
}

/* ---- types ---- */

static void add_key_parameters(struct companion_builder *builder, const struct type *type,
			       struct strbuf *item)
{
	size_t count;
	const struct parameter *parameters = type_parameters(type, &count);

	companion_add_uleb(item, count);
	for (size_t i = 0; i < count; i++) {
		companion_add_uleb(item, companion_builder_string(builder, parameters[i].name));
		companion_add_uleb(item, companion_builder_type(builder, parameters[i].type) << 1 |
						 parameters[i].artificial);
	}
}

static void add_member(struct companion_builder *builder, const struct member *member,
		       int64_t last_offset, struct strbuf *item)
{
	uint64_t has = (member->bit_offset || member->bit_size ? MEMBER_HAS_BITS : 0) |
		       (member->size ? MEMBER_HAS_SIZE : 0) |
		       (member->alignment ? MEMBER_HAS_ALIGNMENT : 0) |
		       (member->has_discriminant ? MEMBER_HAS_DISCRIMINANT : 0) |
		       (member->is_base ? MEMBER_IS_BASE : 0) |
		       (member->is_artificial ? MEMBER_IS_ARTIFICIAL : 0) |
		       (member->is_variant ? MEMBER_IS_VARIANT : 0);

	/* most sizes are those of the types */
	if (member->size == type_size_or(member->type, 0) && !member->bit_size)
		has &= ~(uint64_t)MEMBER_HAS_SIZE;
	companion_add_sleb(item, member->offset - last_offset);
	companion_add_uleb(item, companion_builder_string(builder, member->name));
	companion_add_uleb(item, companion_builder_type(builder, member->type));
	companion_add_uleb(item, has);
	if (has & MEMBER_HAS_BITS) {
		companion_add_uleb(item, member->bit_offset);
		companion_add_uleb(item, member->bit_size);
	}
	if (has & MEMBER_HAS_SIZE)
		companion_add_uleb(item, member->size);
	if (has & MEMBER_HAS_ALIGNMENT)
		companion_add_uleb(item, member->alignment);
	if (has & MEMBER_HAS_DISCRIMINANT)
		companion_add_uleb(item, member->discriminant);
}

static void add_members(struct companion_builder *builder, const struct type *type,
			struct strbuf *item)
{
	size_t count;
	const struct member *members = type_members(type, &count);
	const struct type *const *bases;

	companion_add_uleb(item, count);
	for (size_t i = 0; i < count; i++)
		add_member(builder, &members[i], i ? members[i - 1].offset : 0, item);
	bases = type_virtual_bases(type, &count);
	companion_add_uleb(item, count);
	for (size_t i = 0; i < count; i++)
		companion_add_uleb(item, companion_builder_type(builder, bases[i]));
}

static void add_enumerators(struct companion_builder *builder, const struct type *type,
			    struct strbuf *item)
{
	size_t count;
	const struct enumerator *items = type_enumerators(type, &count);
	uint64_t last = 0;

	companion_add_uleb(item, count);
	for (size_t i = 0; i < count; i++) {
		companion_add_uleb(item, companion_builder_string(builder, items[i].name));
		companion_add_sleb(item, (int64_t)((uint64_t)items[i].value - last));
		last = (uint64_t)items[i].value;
	}
}

static void add_key(struct companion_builder *builder, const struct type *type, uint64_t has,
		    struct strbuf *item)
{
	const struct type *target = type_target(type);
	size_t count;
	const uint64_t *dimensions = type_array_dimensions(type, &count);

	strbuf_add(item, &type->kind, 1);
	companion_add_uleb(item, type->flags);
	companion_add_uleb(item, has);
	if (has & TYPE_HAS_NAME)
		companion_add_uleb(item, companion_builder_string(builder, type->name));
	if (has & TYPE_HAS_SIZE)
		companion_add_uleb(item, type_table_key_size(type));
	if (has & TYPE_HAS_ALIGNMENT)
		companion_add_uleb(item, type->alignment);
	if (has & TYPE_HAS_TARGET)
		companion_add_uleb(item, companion_builder_type(builder, target));
	if (has & TYPE_HAS_QUALIFIER)
		strbuf_add(item, &type->qualifier, 1);
	if (has & TYPE_HAS_COUNT)
		companion_add_uleb(item, type_array_count(type));
	if (has & TYPE_HAS_DIMENSIONS) {
		companion_add_uleb(item, count);
		for (size_t i = 0; i < count; i++)
			companion_add_uleb(item, dimensions[i]);
	}
	if (has & TYPE_HAS_PARAMETERS)
		add_key_parameters(builder, type, item);
}

/* Writes the item of one type. Its members and targets get numbers, and are written later. */
static void write_type_item(struct companion_builder *builder, const struct type *type,
			    uint64_t number)
{
	struct companion_writer *writer = &builder->parts[COMPANION_TYPES];
	struct strbuf *item = &writer->lanes[0];
	struct type_place place;
	size_t dimensions, parameters;
	bool record = type_is_record(type) && !(type->flags & TYPE_DECLARATION);

	/* the same bytes, whichever thread was first */
	type_settle_members(type);
	type_array_dimensions(type, &dimensions);
	type_parameters(type, &parameters);
	uint64_t has = (type->name ? TYPE_HAS_NAME : 0) |
		       (type_table_key_size(type) ? TYPE_HAS_SIZE : 0) |
		       (type->alignment ? TYPE_HAS_ALIGNMENT : 0) |
		       (type_target(type) ? TYPE_HAS_TARGET : 0) |
		       (type->qualifier ? TYPE_HAS_QUALIFIER : 0) |
		       (type_array_count(type) ? TYPE_HAS_COUNT : 0) |
		       (dimensions > 1 ? TYPE_HAS_DIMENSIONS : 0) |
		       (parameters ? TYPE_HAS_PARAMETERS : 0) |
		       (record || type->kind == TYPE_ENUM ? TYPE_HAS_DETAIL : 0);

	if (record && builder->place_of && builder->place_of(builder->place_data, type, &place))
		has |= TYPE_HAS_PLACE;
	add_key(builder, type, has, item);
	if (has & TYPE_HAS_PLACE) {
		companion_add_uleb(item, companion_builder_string(builder, place.file));
		companion_add_uleb(item, place.line);
		companion_add_uleb(item, companion_builder_string(builder, place.folder));
	}
	if (record)
		add_members(builder, type, item);
	else if (type->kind == TYPE_ENUM)
		add_enumerators(builder, type, item);
	companion_writer_end_item(writer, number);
}

const struct type *const *companion_builder_types(struct companion_builder *builder, size_t *count)
{
	/* writing a type may name others */
	while (builder->written < builder->type_count) {
		const struct type *type = builder->types[builder->written++];

		write_type_item(builder, type, builder->written);
	}
	*count = builder->type_count;
	return builder->types;
}

/* ---- the file ---- */

static void add_summed_section(struct elf_composition *file, struct strbuf *list, const char *name,
			       const void *bytes, size_t size)
{
	uint32_t sum = (uint32_t)crc32_z(0, bytes, size);
	Elf64_Shdr header = { .sh_type = SHT_PROGBITS, .sh_size = size };
	size_t offset = elf_composition_add(file, name, &header);

	memcpy(file->data + offset, bytes, size);
	strbuf_add(list, name, strlen(name) + 1);
	companion_add_uleb(list, size);
	strbuf_add(list, &sum, sizeof(sum));
}

static void add_build_id(struct elf_composition *file, const struct build_id *id)
{
	Elf64_Nhdr note = { .n_namesz = 4, .n_descsz = id->size, .n_type = NT_GNU_BUILD_ID };
	Elf64_Shdr header = { .sh_type = SHT_NOTE, .sh_size = sizeof(note) + 4 + id->size };
	size_t offset = elf_composition_add(file, ".note.gnu.build-id", &header);

	memcpy(file->data + offset, &note, sizeof(note));
	memcpy(file->data + offset + sizeof(note), "GNU", 4);
	memcpy(file->data + offset + sizeof(note) + 4, id->bytes, id->size);
}

/* Adds the list of all sections with their checksums. */
static void add_info(struct elf_composition *file, const struct strbuf *list)
{
	struct {
		char magic[6];
		uint16_t version;
		uint32_t size, sum;
	} head = { .magic = { 'd', 't', 'p', 'r', 'o', 'f' },
		   .version = COMPANION_VERSION,
		   .size = (uint32_t)list->length,
		   .sum = (uint32_t)crc32_z(0, (const uint8_t *)list->data, list->length) };
	Elf64_Shdr header = { .sh_type = SHT_PROGBITS, .sh_size = sizeof(head) + list->length };
	size_t offset = elf_composition_add(file, COMPANION_INFO, &header);

	memcpy(file->data + offset, &head, sizeof(head));
	memcpy(file->data + offset + sizeof(head), list->data, list->length);
}

void companion_builder_finish(struct companion_builder *builder,
			      const struct companion_extra *extras, size_t extra_count,
			      unsigned int threads, struct strbuf *file)
{
	const struct build_id *id = elf_image_build_id(builder->image);
	struct elf_composition composition = { 0 };
	_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;
	size_t count;

	companion_builder_types(builder, &count);
	companion_writers_pack(builder->parts, COMPANION_PART_COUNT, threads);
	add_build_id(&composition, id);
	strbuf_add(&list, &id->size, 1);
	strbuf_add(&list, id->bytes, id->size);
	companion_add_uleb(&list, COMPANION_PART_COUNT + extra_count);
	for (enum companion_part part = 0; part < COMPANION_PART_COUNT; part++) {
		_cleanup_strbuf_ struct strbuf section = STRBUF_INIT;

		companion_writer_finish(&builder->parts[part], &section);
		add_summed_section(&composition, &list, companion_part_name(part), section.data,
				   section.length);
	}
	for (size_t i = 0; i < extra_count; i++)
		add_summed_section(&composition, &list, extras[i].name, extras[i].bytes,
				   extras[i].size);
	add_info(&composition, &list);
	elf_composition_finish(&composition, ET_DYN, elf_image_arch(builder->image)->elf_machine);
	strbuf_add(file, composition.data, composition.size);
	free(composition.data);
}
