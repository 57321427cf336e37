// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys by the weight of samples. */
#include "report/keys.h"

#include <inttypes.h>

static void weight_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = result->weight;
}

static int local_weight_order(const struct row_view *a, const struct row_view *b)
{
	return compare_numbers(a->result->weight, b->result->weight);
}

static unsigned int weight_width(const struct row_view *row, const struct cell_format *format)
{
	(void)row;
	(void)format;
	return 12;
}

static void add_weight(struct strbuf *buffer, const struct cell_format *format, uint64_t weight)
{
	strbuf_add_format(buffer, "%-*" PRIu64, (int)format->width, weight);
}

static void local_weight_cell(const struct row_view *row, const struct cell_format *format,
			      struct strbuf *buffer)
{
	add_weight(buffer, format, row->result->weight);
}

const struct key key_local_weight = {
	.name = "local_weight",
	.header = "Local Weight",
	.summary = "weight (latency, in cycles) of one sample",
	.needs = NEED_WEIGHT,
	.identity = weight_identity,
	.order = local_weight_order,
	.width = weight_width,
	.cell = local_weight_cell,
};

static uint64_t weight_sum(const struct row_view *row)
{
	uint64_t samples = 0;

	for (uint32_t event = 0; event < row->event_count; event++)
		samples += row->figures[event].samples;
	return row->result->weight * samples;
}

static int weight_order(const struct row_view *a, const struct row_view *b)
{
	return compare_numbers(weight_sum(a), weight_sum(b));
}

static void weight_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	add_weight(buffer, format, weight_sum(row));
}

const struct key key_weight = {
	.name = "weight",
	.header = "Weight",
	.summary = "local_weight times the samples that have it",
	.needs = NEED_WEIGHT,
	.identity = weight_identity,
	.order = weight_order,
	.width = weight_width,
	.cell = weight_cell,
};
