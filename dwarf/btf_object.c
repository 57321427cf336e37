/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/btf_object.h"

#include "dwarf/type_query.h"

struct btf_object *btf_object_create(const struct elf_image *image, const struct btf *btf)
{
	struct btf_object *object = xcalloc(1, sizeof(*object));

	object->image = image;
	object->btf = btf;
	btf_types_init(&object->types, btf);
	btf_object_count_names(object);
	btf_object_find_variables(object);
	return object;
}

void btf_object_destroy(struct btf_object *object)
{
	if (!object)
		return;
	concurrent_map_release(&object->prototypes);
	hash_map_release(&object->symbols);
	free(object->variables);
	btf_types_release(&object->types);
	free(object);
}

size_t btf_object_types_of(struct btf_object *object, const char *name, uint32_t kinds,
			   const struct type **types, size_t capacity)
{
	uint32_t ids[BTF_NAMESAKES];
	struct type_query query;

	type_query_init(&query, name, types, capacity);
	for (const struct btf *btf = object->btf; btf; btf = btf->base) {
		size_t count = btf_names_find(&btf->names, query.name, kinds, ids);

		for (size_t i = 0; i < count; i++)
			type_query_offer(&query, btf_type(&object->types, ids[i]));
	}
	type_query_release(&query);
	return query.count;
}

size_t btf_object_types_named(struct btf_object *object, const char *name, const struct type **types,
			      size_t capacity)
{
	return btf_object_types_of(object, name, BTF_NAMED_KINDS, types, capacity);
}
