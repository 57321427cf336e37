// SPDX-License-Identifier: GPL-2.0-or-later
/* The locks of a type that threads waited for, and the fields that lie beside them: see advice.h.
 */
#include "report/layout/advice.h"

#include <inttypes.h>

#include "base/memory.h"
#include "report/lock/lock_waits.h"

COMPARISON(compare_locks_by_time, struct advice_lock, DESCENDING(time) ASCENDING(offset))

static void take_locks(struct advice_type *type, const struct lock_waits *waits,
		       struct arena *arena)
{
	_cleanup_free_ struct advice_lock *locks = NULL;
	size_t count = 0, capacity = 0, at;

	array_each (const struct lock_wait, wait, waits->items, waits->count) {
		const char *kind = lock_kind_name(wait->flags, false);

		if (!wait->type || strcmp(wait->type, type->name) != 0 || wait->offset < 0)
			continue;
		for (at = 0; at < count && (locks[at].offset != (uint64_t)wait->offset ||
					    strcmp(locks[at].kind, kind) != 0);)
			at++;
		if (at == count)
			array_add(locks, count, capacity) = (struct advice_lock){
				.field = wait->field ? arena_strdup(arena, wait->field) : "a lock",
				.kind = kind,
				.offset = (uint64_t)wait->offset,
			};
		locks[at].waits += wait->sums.contended;
		locks[at].time += wait->sums.total;
	}
	array_sort(locks, count, compare_locks_by_time);
	type->locks = count ? arena_copy(arena, locks, count * sizeof(*locks)) : NULL;
	type->lock_count = count;
}

void advice_take_locks(struct advice *advice, const struct lock_waits *waits)
{
	array_each (struct advice_type, type, advice->types, advice->type_count)
		take_locks(type, waits, &advice->arena);
}

/* Returns whether samples access the member beside the lock on the lock's line. */
static bool is_beside(const struct advice_lock *lock, const struct advice_member *member,
		      uint64_t cacheline)
{
	uint64_t line = lock->offset / cacheline, end = member->offset + member->size;

	return member->samples && member->size && member->offset / cacheline <= line &&
	       (end - 1) / cacheline >= line &&
	       (lock->offset < member->offset || lock->offset >= end);
}

void advice_lock_text(const struct advice_type *type, const struct advice_lock *lock,
		      uint64_t cacheline, struct strbuf *text)
{
	uint64_t line = lock->offset / cacheline;
	bool any = false;

	strbuf_add_format(text, "%s +%" PRIu64 " (%s): ", lock->field, lock->offset, lock->kind);
	lock_table_add_time(text, lock->time, 0);
	strbuf_add_format(text, " in %" PRIu64 " wait%s; ", lock->waits,
			  lock->waits == 1 ? "" : "s");
	array_each (const struct advice_member, member, type->members, type->member_count) {
		if (!is_beside(lock, member, cacheline))
			continue;
		if (any)
			strbuf_add_format(text, ", %s", member->name);
		else
			strbuf_add_format(text, "it shares line %" PRIu64 " with %s", line,
					  member->name);
		any = true;
	}
	if (any)
		strbuf_add_string(text,
				  ", so that users of the one take it from those of the other");
	else
		strbuf_add_format(text, "no field with samples is beside it on line %" PRIu64,
				  line);
}

void advice_locks_json(const struct advice_type *type, uint64_t cacheline, struct json *json)
{
	json_each (json, "locks", const struct advice_lock, lock, type->locks, type->lock_count) {
		json_string(json, "field", lock->field);
		json_string(json, "type", lock->kind);
		json_unsigned(json, "offset", lock->offset);
		json_unsigned(json, "waits", lock->waits);
		json_unsigned(json, "wait_total", lock->time);
		json_array(json, "beside");
		array_each (const struct advice_member, member, type->members, type->member_count)
			if (is_beside(lock, member, cacheline))
				json_string(json, NULL, member->name);
		json_end(json);
	}
}
