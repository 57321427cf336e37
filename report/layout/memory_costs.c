// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements memory_costs.h: points between the measured ones, and the text of a file. */
#include "report/layout/memory_costs.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

/* The first line of the text. The number goes up whenever what is measured, or how, changes. */
#define FORMAT "dtprof-memory-costs 3\n"

#define COST_MAX 1e5 /* ns: no machine is slower */

static const char *const curve_names[CURVE_COUNT] = {
	[CURVE_STREAM] = "stream",
	[CURVE_SPARSE] = "sparse",
	[CURVE_WRITTEN] = "written",
	[CURVE_CHASE] = "chase",
	[CURVE_SCATTERED] = "scattered",
	[CURVE_CHASE_SPREAD] = "chase-spread",
	[CURVE_SCATTERED_SPREAD] = "scattered-spread",
};

double memory_costs_at(const struct memory_costs *costs, enum memory_curve curve, double bytes)
{
	double at = bytes > (double)CURVE_FIRST ? log2(bytes / (double)CURVE_FIRST) : 0;
	int point = at < CURVE_POINTS - 1 ? (int)at : CURVE_POINTS - 1;
	double low = costs->ns[curve][point];

	if (point == CURVE_POINTS - 1)
		return low;
	return low + (at - point) * (costs->ns[curve][point + 1] - low);
}

void memory_costs_print(const struct memory_costs *costs, struct strbuf *text)
{
	strbuf_add_format(text, FORMAT "cycle %.4f\nbeside %.3f\n", costs->cycle, costs->beside);
	for (int curve = 0; curve < CURVE_COUNT; curve++) {
		strbuf_add_string(text, curve_names[curve]);
		for (int point = 0; point < CURVE_POINTS; point++)
			strbuf_add_format(text, " %.3f", costs->ns[curve][point]);
		strbuf_add_char(text, '\n');
	}
}

/* Reads "NAME NUMBER ... NUMBER\n", and moves *text behind it. */
static bool parse_line(const char **text, const char *name, size_t count, double *numbers)
{
	const char *at = *text + strlen(name);
	char *end;

	if (!starts_with(*text, name))
		return false;
	for (size_t i = 0; i < count; i++, at = end) {
		if (*at != ' ')
			return false;
		numbers[i] = strtod(at, &end);
		if (end == at || !(numbers[i] >= 0 && numbers[i] <= COST_MAX))
			return false;
	}
	*text = at + 1;
	return *at == '\n';
}

bool memory_costs_parse(const char *text, struct memory_costs *costs)
{
	*costs = (struct memory_costs){ 0 };
	if (!starts_with(text, FORMAT))
		return false;
	text += strlen(FORMAT);
	if (!parse_line(&text, "cycle", 1, &costs->cycle) ||
	    !parse_line(&text, "beside", 1, &costs->beside))
		return false;
	for (int curve = 0; curve < CURVE_COUNT; curve++)
		if (!parse_line(&text, curve_names[curve], CURVE_POINTS, costs->ns[curve]))
			return false;
	costs->known = true;
	return true;
}
