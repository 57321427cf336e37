// SPDX-License-Identifier: GPL-2.0-or-later
/* BTF that modules share: see btf_bases.h. */
#include "profiler/ingest/btf_bases.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"

struct btf_bases {
	pthread_mutex_t lock; /* of all below, and while one is read: the others need it, too */
	struct btf **items;   /* by no order; each knows its path */
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
	for (size_t i = 0; i < bases->count; i++)
		btf_close(bases->items[i]);
	pthread_mutex_destroy(&bases->lock);
	free(bases->items);
	free(bases);
}

static struct error *find_or_open(struct btf_bases *bases, const char *path, const struct btf **result)
{
	struct btf *opened;

	for (size_t i = 0; i < bases->count; i++) {
		if (strcmp(btf_path(bases->items[i]), path) == 0) {
			*result = bases->items[i];
			return NULL;
		}
	}
	RETURN_ERROR(btf_open(path, NULL, &opened));
	array_reserve(bases->items, bases->count, bases->capacity);
	bases->items[bases->count++] = opened;
	*result = opened;
	return NULL;
}

struct error *btf_bases_open(struct btf_bases *bases, const char *path, const struct btf **result)
{
	pthread_mutex_lock(&bases->lock);
	struct error *error = find_or_open(bases, path, result);

	pthread_mutex_unlock(&bases->lock);
	return error;
}
