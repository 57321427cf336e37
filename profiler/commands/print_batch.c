// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements print_batch.h. */
#include "profiler/commands/print_batch.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "profiler/cli/output.h"

/* Records are written when there are so many, or when they have so many bytes. Members may be in
 * the same bytes, so each counts as some bytes, too. */
#define BATCH_RECORDS ((size_t)1 << 14)
#define BATCH_BYTES   ((uint64_t)1 << 22)
#define MEMBER_BYTES  8
/* Records whose text is made in one piece: fewer are not worth a thread. */
#define PIECE_RECORDS ((size_t)1 << 10)
#define PIECES_MAX    (BATCH_RECORDS / PIECE_RECORDS)

/* Text of any type, and for each byte of the records: a flag takes a line of a bit. */
#define TEXT_SMALL ((uint64_t)64 << 20)
#define TEXT_RATIO 512

/* The text of some of a batch's records. */
struct batch_piece {
	struct strbuf text;
	struct json json;
};

struct batch_pieces {
	const struct print_batch *batch;
	struct batch_piece *pieces;
};

static void make_piece(size_t number, unsigned int thread, void *data)
{
	struct batch_pieces *all = data;
	struct batch_piece *piece = &all->pieces[number];
	const struct print_batch *batch = all->batch;
	struct value_options options = *batch->options;
	size_t first = number * PIECE_RECORDS;

	(void)thread;
	for (size_t i = first; i < batch->count && i < first + PIECE_RECORDS; i++) {
		const struct batch_record *record = &batch->records[i];

		options.named = record->named;
		if (batch->json)
			value_json(record->plan, &options, record->data, record->size, &piece->json,
				   NULL);
		else
			value_text(record->plan, &options, record->data, record->size,
				   &piece->text);
	}
}

void print_batch_flush(struct print_batch *batch)
{
	size_t count = (batch->count + PIECE_RECORDS - 1) / PIECE_RECORDS;
	_cleanup_free_ struct batch_piece *pieces = xcalloc(PIECES_MAX, sizeof(*pieces));
	struct batch_pieces all = { batch, pieces };

	for (size_t i = 0; i < count; i++) {
		pieces[i].text = (struct strbuf)STRBUF_TEXT;
		if (batch->json)
			json_part_init(&pieces[i].json, batch->json);
	}
	parallel_for(count, parallel_default_threads(), make_piece, &all);
	for (size_t i = 0; i < count; i++) {
		batch->written += pieces[i].text.length + pieces[i].json.text.length;
		if (batch->json)
			json_add_part(batch->json, &pieces[i].json);
		print_text(&pieces[i].text);
		strbuf_deinit(&pieces[i].text);
	}
	free(batch->records);
	batch->records = NULL;
	batch->count = batch->capacity = batch->bytes = 0;
}

void print_batch_add(struct print_batch *batch, const struct batch_record *record)
{
	array_add(batch->records, batch->count, batch->capacity) = *record;
	batch->taken += record->size;
	batch->bytes += record->size + MEMBER_BYTES * record->plan->count;
	if (batch->count == BATCH_RECORDS || batch->bytes >= BATCH_BYTES)
		print_batch_flush(batch);
}

bool print_batch_is_excessive(const struct print_batch *batch)
{
	return batch->written > TEXT_SMALL + TEXT_RATIO * batch->taken;
}
