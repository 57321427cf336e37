// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys by the weight of samples. */
#include "report/keys.h"

static void add_weight(struct strbuf *buffer, const struct cell_format *format, uint64_t weight)
{
	size_t start = buffer->length;

	strbuf_add_number(buffer, weight);
	strbuf_pad(buffer, start, format->width);
}

/* The weight of one sample, and times the samples that have it. */
static uint64_t times_samples(const struct row_view *row, uint64_t weight)
{
	uint64_t samples = 0;

	for (uint32_t event = 0; event < row->event_count; event++)
		samples += row->figures[event].samples;
	return weight * samples;
}

/* Both keys of one weight; rows are in the order of the one sample's, as in perf. */
#define WEIGHT_KEYS(id, local_name, local_header, sum_name, sum_header, local_summary, sum_summary, member,  \
		    key_needs, least_width)                                                                  \
	static void local_##id##_cell(const struct row_view *row, const struct cell_format *format,          \
				      struct strbuf *buffer)                                                 \
	{                                                                                                    \
		add_weight(buffer, format, row->result->member);                                             \
	}                                                                                                    \
	static void id##_cell(const struct row_view *row, const struct cell_format *format,                  \
			      struct strbuf *buffer)                                                         \
	{                                                                                                    \
		add_weight(buffer, format, times_samples(row, row->result->member));                         \
	}                                                                                                    \
	static void id##_json(const struct row_view *row, const char *name, struct json *json)               \
	{                                                                                                    \
		json_unsigned(json, name, times_samples(row, row->result->member));                          \
	}                                                                                                    \
	NUMBER_JSON(local_##id, member)                                                                      \
	NUMBER_KEY(local_##id, local_name, local_header, local_summary, key_needs, member, compare_numbers,  \
		   least_width);                                                                             \
	NUMBER_KEY(id, sum_name, sum_header, sum_summary, key_needs, member, compare_numbers, least_width)

WEIGHT_KEYS(weight, "local_weight", "Local Weight", "weight", "Weight",
	    "weight (latency, in cycles) of one sample", "local_weight times the samples that have it",
	    weight, NEED_WEIGHT, 12);
WEIGHT_KEYS(latency, "local_ins_lat", "Local INSTR Latency", "ins_lat", "INSTR Latency",
	    "latency of the instruction, of one sample", "local_ins_lat times the samples that have it",
	    weight2, NEED_WEIGHT2, 13);
WEIGHT_KEYS(retire, "local_retire_lat", "Local Retire Latency", "retire_lat", "Retire Latency",
	    "cycles before the instruction retired, of one sample",
	    "local_retire_lat times the samples that have it", weight3, NEED_WEIGHT3, 13);
WEIGHT_KEYS(stage, "local_p_stage_cyc", "Local Retire Latency", "p_stage_cyc", "Retire Latency",
	    "the same as local_retire_lat", "the same as retire_lat", weight3, NEED_WEIGHT3, 13);

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
		return COMPARE_FIGURES(a, b, more[event].weights[part]);                                     \
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
