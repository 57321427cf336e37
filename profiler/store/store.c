// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements store.h: hands each call to the kind of store that it is for. */
#include "base/memory.h"
#include "profiler/store/store_private.h"

struct error *store_open(const struct store_place *place, struct store **result)
{
	struct store *store = *result = xcalloc(1, sizeof(*store));

	store->path = xstrdup(place->path);
	return store_port(place->path) ? clickhouse_open(place, store) : file_open(place, store);
}

void store_close(struct store *store)
{
	if (!store)
		return;
	(store->server ? clickhouse_close : file_close)(store);
	free_all(store->path, store);
}

struct error *store_add(struct store *store, const struct store_batch *batch,
			const struct store_fact *facts, size_t count, bool *known)
{
	return (store->server ? clickhouse_add : file_add)(store, batch, facts, count, known);
}

struct error *store_commit(struct store *store)
{
	return store->server ? clickhouse_commit(store) : NULL;
}

struct error *store_forget(struct store *store, int64_t before, uint64_t *removed)
{
	return (store->server ? clickhouse_forget : file_forget)(store, before, removed);
}

struct error *store_select(struct store *store, const enum store_key *keys, size_t key_count,
			   const struct store_choice *choice, enum store_order order, size_t most,
			   struct store_answer *answer)
{
	*answer = (struct store_answer){
		.keys = keys, .key_count = key_count, .order = order, .most = most
	};
	RETURN_ERROR((store->server ? clickhouse_select : file_select)(store, choice, answer));
	store_answer_sort(answer);
	return NULL;
}

struct error *store_batches(struct store *store, const struct store_choice *choice,
			    struct store_answer *answer)
{
	return (store->server ? clickhouse_batches : file_batches)(store, choice, answer);
}
