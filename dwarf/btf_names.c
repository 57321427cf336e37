/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/btf_names.h"

#include <linux/btf.h>
#include <string.h>

#include "dwarf/btf_kind.h"
#include "profiler/base/hash.h"

static bool is_wanted(unsigned int kind)
{
	switch (kind) {
	case BTF_KIND_INT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR: return true;
	}
	return false;
}

static uint32_t *head_of(const struct btf_names *names, const char *name)
{
	return &names->heads[hash_bytes(name, strlen(name)) & names->mask];
}

void btf_names_build(struct btf_names *names, const struct btf_file *file)
{
	uint32_t first = btf_file_first(file), count = btf_file_end(file) - first, capacity = 16;
	struct btf_record record;

	while (capacity < count)
		capacity *= 2;
	*names = (struct btf_names){
		.file = file,
		.heads = xcalloc(capacity, sizeof(*names->heads)),
		.next = xcalloc(count + 1, sizeof(*names->next)),
		.mask = capacity - 1,
	};
	/* backwards, so that lists begin with the smallest */
	for (uint32_t i = count; i-- > 0;) {
		if (!btf_record_at(file, first + i, &record) || !record.name || !is_wanted(record.kind))
			continue;

		uint32_t *head = head_of(names, record.name);

		names->next[i] = *head;
		*head = first + i;
	}
}

void btf_names_release(struct btf_names *names)
{
	free(names->heads);
	free(names->next);
	*names = (struct btf_names){ 0 };
}

size_t btf_names_find(const struct btf_names *names, const char *name, uint32_t kinds,
		      uint32_t ids[BTF_NAMESAKES])
{
	uint32_t first = btf_file_first(names->file);
	size_t count = 0, namesakes = 0;
	struct btf_record record;

	for (uint32_t id = *head_of(names, name); id && namesakes < BTF_NAMESAKES;
	     id = names->next[id - first]) {
		if (!btf_record_at(names->file, id, &record) || strcmp(record.name, name) != 0)
			continue;
		namesakes++;
		if (kinds >> record.kind & 1)
			ids[count++] = id;
	}
	return count;
}
