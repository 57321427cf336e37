// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/field_column.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "profiler/base/nearest.h"
#include "report/key.h"
#include "report/result.h"

#define SHARE_WIDTH 8
#define SUM_WIDTH   12

static bool share(uint64_t part, uint64_t whole, double *value)
{
	*value = whole ? 100.0 * (double)part / (double)whole : 0;
	return whole != 0;
}

static bool percent_value(const struct access_count *count, const struct access_count *total, double *value)
{
	share(count->period, total->period, value);
	return true;
}

const struct field_column field_percent = {
	.name = "percent",
	.header = "Percent",
	.summary = "share of the type's periods",
	.width = SHARE_WIDTH,
	.decimals = 2,
	.percentage = true,
	.value = percent_value,
};

/* A column that is a sum. */
#define SUM_COLUMN(storage, member, column_header, column_width, column_needs, column_summary)               \
	static bool member##_value(const struct access_count *count, const struct access_count *total,       \
				   double *value)                                                            \
	{                                                                                                    \
		(void)total;                                                                                 \
		*value = (double)count->member;                                                              \
		return true;                                                                                 \
	}                                                                                                    \
	storage const struct field_column field_##member = {                                                 \
		.name = #member,                                                                             \
		.header = column_header,                                                                     \
		.summary = column_summary,                                                                   \
		.needs = column_needs,                                                                       \
		.width = column_width,                                                                       \
		.value = member##_value,                                                                     \
	}

SUM_COLUMN(, samples, "Samples", SHARE_WIDTH, 0, "number of samples");
SUM_COLUMN(, period, "Period", SUM_WIDTH, 0, "sum of the periods");
SUM_COLUMN(static, weight, "Weight", SUM_WIDTH, 0, "sum of the samples' weights (latency)");
SUM_COLUMN(static, weight_max, "W.max", SHARE_WIDTH, NEED_WEIGHT, "the largest weight");
SUM_COLUMN(static, loads, "Loads", SHARE_WIDTH, NEED_DATA_SOURCE, "samples that read");
SUM_COLUMN(static, stores, "Stores", SHARE_WIDTH, NEED_DATA_SOURCE, "samples that write");

static bool weight_mean_value(const struct access_count *count, const struct access_count *total,
			      double *value)
{
	(void)total;
	*value = count->samples ? (double)count->weight / (double)count->samples : 0;
	return count->samples != 0;
}

static const struct field_column field_weight_mean = {
	.name = "weight_mean",
	.header = "W.mean",
	.summary = "the weights' mean",
	.width = SHARE_WIDTH,
	.decimals = 1,
	.value = weight_mean_value,
};

/* A column that is a share of the samples with a data source. */
#define SOURCE_COLUMN(member, column_name, column_header, column_summary)                                    \
	static bool member##_value(const struct access_count *count, const struct access_count *total,       \
				   double *value)                                                            \
	{                                                                                                    \
		(void)total;                                                                                 \
		return share(count->member, count->sourced, value);                                          \
	}                                                                                                    \
	static const struct field_column field_##member = {                                                  \
		.name = column_name,                                                                         \
		.header = column_header,                                                                     \
		.summary = "share of the samples " column_summary,                                           \
		.needs = NEED_DATA_SOURCE,                                                                   \
		.width = SHARE_WIDTH,                                                                        \
		.decimals = 2,                                                                               \
		.value = member##_value,                                                                     \
	}

SOURCE_COLUMN(l1, "l1", "L1%", "whose data was in the first cache");
SOURCE_COLUMN(l2, "l2", "L2%", "whose data was in the second cache");
SOURCE_COLUMN(l3, "l3", "L3%", "whose data was in the third cache");
SOURCE_COLUMN(ram, "ram", "RAM%", "whose data was in memory");
SOURCE_COLUMN(remote, "remote", "Remote%", "whose data was at another socket");
SOURCE_COLUMN(hitm, "hitm", "HITM%", "whose data another processor had modified");
SOURCE_COLUMN(tlb_misses, "tlb", "dTLB%", "that missed the TLB");
SOURCE_COLUMN(locked, "locked", "Locked%", "by locked instructions");

const struct field_column *const all_field_columns[] = {
	&field_percent,    &field_samples, &field_period, &field_weight, &field_weight_mean,
	&field_weight_max, &field_loads,   &field_stores, &field_l1,     &field_l2,
	&field_l3,         &field_ram,     &field_remote, &field_hitm,   &field_tlb_misses,
	&field_locked,     NULL,
};

static struct error *find_column(const char *name, size_t length, const struct field_column **result)
{
	char word[65];
	struct nearest nearest = { .word = word };

	snprintf(word, sizeof(word), "%.*s", (int)(length < 64 ? length : 64), name);
	for (const struct field_column *const *column = all_field_columns; *column; column++) {
		if (!strcasecmp((*column)->name, word)) {
			*result = *column;
			return NULL;
		}
		nearest_consider(&nearest, (*column)->name);
	}
	if (nearest.best)
		return error_create(ERROR_OTHER, "unknown column '%s'; did you mean '%s'?", word,
				    nearest.best);
	return error_create(ERROR_OTHER, "unknown column '%s' (dtprof annotate --help lists them)", word);
}

struct error *field_columns_parse(const char *text, struct field_columns *columns)
{
	if (*text == '+')
		text++;
	else
		columns->count = 0;
	while (*(text += strspn(text, ", "))) {
		size_t length = strcspn(text, ", ");
		const struct field_column *column = NULL;
		size_t known = 0;

		RETURN_ERROR(find_column(text, length, &column));
		while (known < columns->count && columns->items[known] != column)
			known++;
		/* none comes twice, so there are no more than there are columns */
		columns->items[known] = column;
		columns->count += known == columns->count;
		text += length;
	}
	if (!columns->count)
		return error_create(ERROR_OTHER, "--columns needs the name of a column");
	return NULL;
}

unsigned int field_columns_needs(const struct field_columns *columns)
{
	unsigned int needs = 0;

	for (size_t i = 0; i < columns->count; i++)
		needs |= columns->items[i]->needs;
	return needs;
}

static void print_cell(const struct field_column *column, const struct access_count *count,
		       const struct access_count *total, bool colour, struct strbuf *buffer)
{
	double value;
	int width = (int)column->width;

	if (!column->value(count, total, &value)) {
		strbuf_add_format(buffer, "%*s", width, "-");
		return;
	}

	const char *shade = colour && column->percentage ? percent_colour(value) : NULL;

	strbuf_add_format(buffer, "%s%*.*f%s", shade ? shade : "", width, (int)column->decimals, value,
			  shade ? COLOUR_RESET : "");
}

void field_columns_print(const struct field_columns *columns, const struct access_count *counts,
			 const struct access_count *total, size_t event_count, bool colour,
			 struct strbuf *buffer)
{
	for (size_t i = 0; i < columns->count; i++)
		for (size_t event = 0; event < event_count; event++)
			print_cell(columns->items[i], &counts[event], &total[event], colour, buffer);
}

void field_columns_print_headings(const struct field_columns *columns, size_t event_count,
				  struct strbuf *buffer)
{
	for (size_t i = 0; i < columns->count; i++)
		strbuf_add_format(buffer, "%*s", (int)(columns->items[i]->width * event_count),
				  columns->items[i]->header);
}

size_t field_columns_width(const struct field_columns *columns, size_t event_count)
{
	size_t width = 0;

	for (size_t i = 0; i < columns->count; i++)
		width += columns->items[i]->width * event_count;
	return width;
}
