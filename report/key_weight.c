// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys by the weight of samples. */
#include "report/keys.h"

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
	size_t start = buffer->length;

	strbuf_add_number(buffer, weight);
	strbuf_pad(buffer, start, format->width);
}

static void local_weight_cell(const struct row_view *row, const struct cell_format *format,
			      struct strbuf *buffer)
{
	add_weight(buffer, format, row->result->weight);
}

static void local_weight_json(const struct row_view *row, const char *name, struct json *json)
{
	json_unsigned(json, name, row->result->weight);
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
	.json = local_weight_json,
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

static void weight_json(const struct row_view *row, const char *name, struct json *json)
{
	json_unsigned(json, name, weight_sum(row));
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
	.json = weight_json,
};

/* Means over the samples of a row, of each part of a PERF_SAMPLE_WEIGHT_STRUCT. */
#define WEIGHT_FIGURE(id, key_name, key_alias, key_header, key_summary, part, key_needs)                     \
	static double id##_mean(const struct row_view *row, uint32_t event)                                  \
	{                                                                                                    \
		uint64_t samples = row->figures[event].samples;                                              \
                                                                                                             \
		return samples ? (double)row->more[event].weights[part] / samples : 0;                       \
	}                                                                                                    \
	static int id##_order(const struct row_view *a, const struct row_view *b)                            \
	{                                                                                                    \
		int order = 0;                                                                               \
                                                                                                             \
		for (uint32_t event = 0; event < a->event_count && !order; event++)                          \
			order = compare_numbers(a->more[event].weights[part], b->more[event].weights[part]); \
		return order;                                                                                \
	}                                                                                                    \
	static void id##_cell(const struct row_view *row, const struct cell_format *format,                  \
			      struct strbuf *buffer)                                                         \
	{                                                                                                    \
		int width = row->event_count == 1 ? (int)format->width : 8;                                  \
                                                                                                             \
		for (uint32_t event = 0; event < row->event_count; event++)                                  \
			strbuf_add_format(buffer, " %*.1f", format->separated || width < 1 ? 0 : width - 1,  \
					  id##_mean(row, event));                                            \
	}                                                                                                    \
	const struct key key_##id = {                                                                        \
		.name = key_name,                                                                            \
		.alias = key_alias,                                                                          \
		.header = key_header,                                                                        \
		.summary = key_summary,                                                                      \
		.needs = key_needs,                                                                          \
		.order = id##_order,                                                                         \
		.cell = id##_cell,                                                                           \
		.event_width = 8,                                                                            \
		.wants_more = true,                                                                          \
	}

WEIGHT_FIGURE(weight1, "weight1", "weight", "Weight1", "mean weight of the samples", 0, NEED_WEIGHT);
WEIGHT_FIGURE(weight2, "weight2", "ins_lat", "Weight2",
	      "mean of the second weight: the instruction's latency on Intel", 1, NEED_WEIGHT2);
WEIGHT_FIGURE(weight3, "weight3", "retire_lat", "Weight3",
	      "mean of the third weight: the retire latency on Intel", 2, NEED_WEIGHT3);
WEIGHT_FIGURE(mean_stage, "p_stage_cyc", NULL, "Weight3", "the same as weight3, of --fields", 2,
	      NEED_WEIGHT3);

/* The second and third weight of one sample, and times the samples that have it. */
#define WEIGHT_ATTRIBUTES(id, local_name, local_header, sum_name, sum_header, local_summary, sum_summary,    \
			  member, key_needs, least_width)                                                    \
	static void id##_identity(const struct result *result, uint64_t words[KEY_WORDS])                    \
	{                                                                                                    \
		words[0] = result->member;                                                                   \
	}                                                                                                    \
	static uint64_t id##_sum(const struct row_view *row)                                                 \
	{                                                                                                    \
		uint64_t samples = 0;                                                                        \
                                                                                                             \
		for (uint32_t event = 0; event < row->event_count; event++)                                  \
			samples += row->figures[event].samples;                                              \
		return row->result->member * samples;                                                        \
	}                                                                                                    \
	static int id##_local_order(const struct row_view *a, const struct row_view *b)                      \
	{                                                                                                    \
		return compare_numbers(a->result->member, b->result->member);                                \
	}                                                                                                    \
	static unsigned int id##_width(const struct row_view *row, const struct cell_format *format)         \
	{                                                                                                    \
		(void)row;                                                                                   \
		(void)format;                                                                                \
		return least_width;                                                                          \
	}                                                                                                    \
	static void id##_local_cell(const struct row_view *row, const struct cell_format *format,            \
				    struct strbuf *buffer)                                                   \
	{                                                                                                    \
		add_weight(buffer, format, row->result->member);                                             \
	}                                                                                                    \
	static void id##_sum_cell(const struct row_view *row, const struct cell_format *format,              \
				  struct strbuf *buffer)                                                     \
	{                                                                                                    \
		add_weight(buffer, format, id##_sum(row));                                                   \
	}                                                                                                    \
	static void id##_local_json(const struct row_view *row, const char *name, struct json *json)         \
	{                                                                                                    \
		json_unsigned(json, name, row->result->member);                                              \
	}                                                                                                    \
	static void id##_sum_json(const struct row_view *row, const char *name, struct json *json)           \
	{                                                                                                    \
		json_unsigned(json, name, id##_sum(row));                                                    \
	}                                                                                                    \
	const struct key key_local_##id = {                                                                  \
		.name = local_name,                                                                          \
		.header = local_header,                                                                      \
		.summary = local_summary,                                                                    \
		.needs = key_needs,                                                                          \
		.identity = id##_identity,                                                                   \
		.order = id##_local_order,                                                                   \
		.width = id##_width,                                                                         \
		.cell = id##_local_cell,                                                                     \
		.json = id##_local_json,                                                                     \
	};                                                                                                   \
	const struct key key_##id = {                                                                        \
		.name = sum_name,                                                                            \
		.header = sum_header,                                                                        \
		.summary = sum_summary,                                                                      \
		.needs = key_needs,                                                                          \
		.identity = id##_identity,                                                                   \
		.order = id##_local_order,                                                                   \
		.width = id##_width,                                                                         \
		.cell = id##_sum_cell,                                                                       \
		.json = id##_sum_json,                                                                       \
	}

WEIGHT_ATTRIBUTES(latency, "local_ins_lat", "Local INSTR Latency", "ins_lat", "INSTR Latency",
		  "latency of the instruction, of one sample", "local_ins_lat times the samples that have it",
		  weight2, NEED_WEIGHT2, 13);
WEIGHT_ATTRIBUTES(retire, "local_retire_lat", "Local Retire Latency", "retire_lat", "Retire Latency",
		  "cycles before the instruction retired, of one sample",
		  "local_retire_lat times the samples that have it", weight3, NEED_WEIGHT3, 13);
WEIGHT_ATTRIBUTES(stage, "local_p_stage_cyc", "Local Retire Latency", "p_stage_cyc", "Retire Latency",
		  "the same as local_retire_lat", "the same as retire_lat", weight3, NEED_WEIGHT3, 13);
