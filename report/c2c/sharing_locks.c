// SPDX-License-Identifier: GPL-2.0-or-later
/* The locks in cachelines that threads waited for, and what these threads use beside them. */
#include "report/c2c/sharing.h"

#include <inttypes.h>

#include "base/hash.h"
#include "report/lock/lock_waits.h"
#include "report/text.h"

#define LINE_WIDTH 79 /* columns of text */

static uint64_t key_of_line(uint64_t address, int32_t pid)
{
	return hash_combine(address, (uint32_t)pid);
}

/* Returns the line's entry for the lock of a wait. */
static struct sharing_lock *lock_of(struct sharing_line *line, const struct lock_wait *wait,
				    struct arena *texts)
{
	const char *kind = lock_kind_name(wait->flags, false);

	array_each (struct sharing_lock, lock, line->locks, line->lock_count)
		if (!strcmp(lock->name, wait->name) && !strcmp(lock->kind, kind))
			return lock;

	struct sharing_lock *lock = &array_add(line->locks, line->lock_count, line->lock_capacity);

	*lock = (struct sharing_lock){ .name = arena_strdup(texts, wait->name),
				       .kind = kind,
				       .field = wait->field ? arena_strdup(texts, wait->field)
							    : NULL,
				       .address = wait->lock,
				       .size = wait->extent };
	return lock;
}

/* Returns whether the row's bytes are the lock's own: by their names, or else by their addresses,
 * as a thread may wait for any word of the lock. */
static bool is_of_lock(const struct sharing_lock *lock, const struct sharing_row *row)
{
	const struct sharing_use *use = row->first;

	if (lock->field && use->field) {
		size_t length = strlen(lock->field);

		return !strncmp(use->field, lock->field, length) &&
		       (!use->field[length] || use->field[length] == '.');
	}
	return use->address < lock->address + (lock->size ?: 1) &&
	       lock->address < use->address + use->size;
}

void sharing_take_locks(struct sharing *sharing, const struct lock_waits *waits,
			struct arena *texts)
{
	_cleanup_map_ struct hash_map line_of = { 0 };
	bool created;

	array_indexed (const struct sharing_line, line, i, sharing->lines, sharing->line_count) {
		uint64_t key = key_of_line(line->address, sharing_line_owner(line));
		uint32_t *index = line->verdict != SHARING_LATENT_PLACE
					  ? hash_map_insert(&line_of, key, &created)
					  : NULL;

		if (index && created)
			*index = (uint32_t)i;
	}
	array_each (const struct lock_wait, wait, waits->items, waits->count) {
		uint64_t address = wait->lock & ~(sharing->cacheline - 1);
		int32_t pid = wait->flags & LOCK_USER ? wait->pid : 0;
		const uint32_t *index = wait->lock && wait->name
						? hash_map_find(&line_of, key_of_line(address, pid))
						: NULL;
		struct sharing_line *line = index ? &sharing->lines[*index] : NULL;

		if (!line || line->address != address)
			continue;
		struct sharing_lock *lock = lock_of(line, wait, texts);

		lock->waits += wait->sums.contended;
		lock->time += wait->sums.total;
		for (size_t i = 0; i < line->row_count; i++)
			line->rows[i].waits |= line->rows[i].first->tid == wait->tid;
	}
}

/* Returns whether the row is of a thread that waited, uses no lock, and is the first of its field.
 */
static bool sharing_locks_is_beside(const struct sharing_line *line, size_t row)
{
	const struct sharing_use *use = line->rows[row].first;

	if (!line->rows[row].waits || !use->field ||
	    any_of(i, 0, line->lock_count, is_of_lock(&line->locks[i], &line->rows[row])))
		return false;
	return !any_of(i, 0, row,
		       line->rows[i].waits && line->rows[i].first->type == use->type &&
			       line->rows[i].first->field == use->field);
}

void sharing_locks_text(const struct sharing_line *line, struct strbuf *buffer)
{
	bool any = false;

	array_each (const struct sharing_lock, lock, line->locks, line->lock_count) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		strbuf_add_format(&text, "lock: %s is in this line: threads waited for this %s, ",
				  lock->name, lock->kind);
		lock_table_add_time(&text, lock->time, 0);
		strbuf_add_format(&text, " in %" PRIu64 " waits", lock->waits);
		text_add_sentence(buffer, &text, 2, LINE_WIDTH);
	}
	if (!line->lock_count)
		return;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < line->row_count; i++) {
		if (!sharing_locks_is_beside(line, i))
			continue;
		strbuf_add_format(&text, "%s%s",
				  any ? ", " : "these threads use what is beside it: ",
				  line->rows[i].first->field);
		any = true;
	}
	if (any)
		strbuf_add_string(&text, "; that takes the line from the thread with the lock");
	else
		strbuf_add_string(&text, "no sample of these threads is beside it");
	text_add_sentence(buffer, &text, 4, LINE_WIDTH);
}

void sharing_locks_json(const struct sharing_line *line, struct json *json)
{
	if (!line->lock_count)
		return;
	json_each (json, "locks", const struct sharing_lock, lock, line->locks, line->lock_count) {
		json_string(json, "lock", lock->name);
		json_string(json, "type", lock->kind);
		json_unsigned(json, "address", lock->address);
		json_unsigned(json, "waits", lock->waits);
		json_unsigned(json, "wait_total", lock->time);
	}
	json_array(json, "beside");
	for (size_t i = 0; i < line->row_count; i++)
		if (sharing_locks_is_beside(line, i))
			json_string(json, NULL, line->rows[i].first->field);
	json_end(json);
}
