// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/field_figures.h"

#include <inttypes.h>
#include <stddef.h>

#include "report/csv.h"

/* In their order in a line. The percentage stands behind the first two. */
static const struct figure {
	const char *name;
	size_t offset;
} figures[] = {
	{ "samples", offsetof(struct access_count, samples) },
	{ "period", offsetof(struct access_count, period) },
	{ "weight", offsetof(struct access_count, weight) },
	{ "weight_max", offsetof(struct access_count, weight_max) },
	{ "loads", offsetof(struct access_count, loads) },
	{ "stores", offsetof(struct access_count, stores) },
	{ "sourced", offsetof(struct access_count, sourced) },
	{ "l1", offsetof(struct access_count, l1) },
	{ "l2", offsetof(struct access_count, l2) },
	{ "l3", offsetof(struct access_count, l3) },
	{ "ram", offsetof(struct access_count, ram) },
	{ "remote", offsetof(struct access_count, remote) },
	{ "hitm", offsetof(struct access_count, hitm) },
	{ "tlb_misses", offsetof(struct access_count, tlb_misses) },
	{ "locked", offsetof(struct access_count, locked) },
};

#define FIGURES       (sizeof(figures) / sizeof(*figures))
#define BEFORE_SHARES 2

static uint64_t value_of(const struct access_count *count, size_t figure)
{
	return *(const uint64_t *)((const char *)count + figures[figure].offset);
}

static double share(const struct access_count *count, const struct access_count *total)
{
	return total->period ? 100.0 * (double)count->period / (double)total->period : 0;
}

void field_figures_json(struct json *json, const struct access_count *counts,
			const struct access_count *totals, size_t event_count)
{
	json_array(json, "figures");
	for (size_t event = 0; event < event_count; event++) {
		json_object(json, NULL);
		for (size_t i = 0; i < FIGURES; i++)
			json_unsigned(json, figures[i].name, value_of(&counts[event], i));
		if (totals)
			json_double(json, "percent", share(&counts[event], &totals[event]));
		json_end(json);
	}
	json_end(json);
}

static void add_name(const char *name, const char *event, struct strbuf *buffer)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	strbuf_add_string(&text, name);
	if (event)
		strbuf_add_format(&text, ":%s", event);
	strbuf_add_char(buffer, ',');
	csv_add_text(buffer, text.data);
}

void field_figures_csv_heading(const char *const *events, size_t event_count, struct strbuf *buffer)
{
	for (size_t event = 0; event < event_count; event++) {
		const char *name = event_count > 1 ? events[event] : NULL;

		for (size_t i = 0; i < FIGURES; i++) {
			if (i == BEFORE_SHARES)
				add_name("percent", name, buffer);
			add_name(figures[i].name, name, buffer);
		}
	}
}

void field_figures_csv(const struct access_count *counts, const struct access_count *totals,
		       size_t event_count, struct strbuf *buffer)
{
	for (size_t event = 0; event < event_count; event++)
		for (size_t i = 0; i < FIGURES; i++) {
			if (i == BEFORE_SHARES)
				strbuf_add_format(buffer, ",%.6g", share(&counts[event], &totals[event]));
			strbuf_add_format(buffer, ",%" PRIu64, value_of(&counts[event], i));
		}
}
