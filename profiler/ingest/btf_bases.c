// SPDX-License-Identifier: GPL-2.0-or-later
/* BTF that modules share: see btf_bases.h. */
#include "profiler/ingest/btf_bases.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/elf/core.h"
#include "profiler/base/memory.h"
#include "profiler/ingest/kcore.h"

struct base {
	struct btf *btf;
	struct elf_image *image; /* that it is in; NULL: the BTF has its own */
};

struct btf_bases {
	pthread_mutex_t lock; /* of all below, and while one is read: the others need it, too */
	struct base *items;   /* by no order; each knows its path */
	size_t count;
	size_t capacity;
};

struct btf_bases *btf_bases_create(void)
{
	struct btf_bases *bases = xcalloc(1, sizeof(*bases));

	pthread_mutex_init(&bases->lock, NULL);
	return bases;
}

void btf_bases_destroy(struct btf_bases *bases)
{
	if (!bases)
		return;
	for (size_t i = 0; i < bases->count; i++) {
		btf_close(bases->items[i].btf);
		if (bases->items[i].image)
			elf_image_close(bases->items[i].image);
	}
	pthread_mutex_destroy(&bases->lock);
	free(bases->items);
	free(bases);
}

static struct error *open_memory(const char *path, const char *symbols, struct base *base)
{
	RETURN_ERROR(kcore_open_btf(path, symbols, &base->image));

	struct error *error = btf_open_image(base->image, NULL, &base->btf);

	if (error)
		elf_image_close(base->image);
	return error;
}

static struct error *find_or_open(struct btf_bases *bases, const char *path, const char *symbols,
				  const struct btf **result)
{
	struct base base = { 0 };

	for (size_t i = 0; i < bases->count; i++) {
		if (strcmp(btf_path(bases->items[i].btf), path) == 0) {
			*result = bases->items[i].btf;
			return NULL;
		}
	}
	if (symbols && elf_is_core(path))
		RETURN_ERROR(open_memory(path, symbols, &base));
	else
		RETURN_ERROR(btf_open(path, NULL, &base.btf));
	array_reserve(bases->items, bases->count, bases->capacity);
	bases->items[bases->count++] = base;
	*result = base.btf;
	return NULL;
}

struct error *btf_bases_open(struct btf_bases *bases, const char *path, const char *symbols,
			     const struct btf **result)
{
	pthread_mutex_lock(&bases->lock);
	struct error *error = find_or_open(bases, path, symbols, result);

	pthread_mutex_unlock(&bases->lock);
	return error;
}
