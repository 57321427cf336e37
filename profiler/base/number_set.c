// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/base/number_set.h"

#include <ctype.h>
#include <stdlib.h>

struct error *number_set_parse(struct number_set *set, const char *text, unsigned long least,
			       const char *what)
{
	const char *all = text;

	while (isdigit((unsigned char)*text)) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (first < least || last < first || last >= NUMBER_SET_LIMIT || (*end && *end != ','))
			break;
		for (; first <= last; first++)
			set->words[first / 64] |= 1ULL << (first % 64);
		if (!*end)
			return NULL;
		text = end + 1;
	}
	return error_create(ERROR_OTHER, "%s from %lu to %d, as %lu-3,8, not '%s'", what, least,
			    NUMBER_SET_LIMIT - 1, least, all);
}
