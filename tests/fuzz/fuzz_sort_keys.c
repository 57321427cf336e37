// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses any text as the arguments of -s and -F. The first byte of the input chooses the other
 * options. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;

	_cleanup_free_ char *text = xstrndup((const char *)data + 1, size - 1);
	uint8_t choice = data[0];
	/* sort and fields, a line each */
	char *rest = text;
	const char *sort = strsep(&rest, "\n");
	const char *fields = strsep(&rest, "\n");
	struct layout_options options = {
		.sort = choice & 1 ? sort : NULL,
		.fields = choice & 2 ? fields : NULL,
		.default_sort = "overhead,type,typeoff",
		.show_samples = choice & 8,
		.show_period = choice & 16,
		.hierarchy = choice & 32,
	};
	struct layout layout = { 0 };
	struct error *error = layout_parse(&options, &layout);

	if (error) {
		error_destroy(error);
		return 0;
	}
	if (layout.columns.count > LAYOUT_KEYS_MAX || layout.order.count > LAYOUT_KEYS_MAX ||
	    layout.level_count > LAYOUT_KEYS_MAX)
		abort();
	(void)layout_needs(&layout);
	for (size_t i = 0; i < layout.columns.count; i++) {
		if (!layout.columns.keys[i]->name)
			abort();
	}
	return 0;
}
