// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads any text as histograms of types (report --import), and prints the tables. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "profiler/commands/report_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No name moves the cursor or begins a line, and each line of CSV belongs to a row. */
static void print_tables(const struct imported *imported, const struct print_options *options)
{
	for (size_t i = 0; i < imported->event_count; i++) {
		const struct imported_event *event = &imported->events[i];
		const struct table_heading heading = { .event = event->name,
						       .sort = "type",
						       .coverage = &event->coverage };
		_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

		if (!event->name)
			abort();
		print_table_heading(event->table, &heading, &text);
		print_table(event->table, options, &text);
		for (size_t k = 0; k < text.length; k++)
			if ((unsigned char)text.data[k] < ' ' && text.data[k] != '\n')
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct layout_options options = { .sort = "overhead,type,typeoff,acc,dso",
						.show_samples = true };
	const struct print_options print = { 0 };
	int file = memfd_create("histograms", MFD_CLOEXEC);
	_cleanup_free_ char *path = xasprintf(OPEN_FILE_FOLDER "%d", file);
	struct layout layout = { 0 };
	struct imported imported = { 0 };
	struct error *error;

	if (file < 0 || write(file, data, size) != (ssize_t)size || layout_parse(&options, &layout))
		abort();
	error = report_import(path, &layout, &imported);
	if (!error)
		print_tables(&imported, &print);
	error_destroy(error);
	imported_deinit(&imported);
	close(file);
	return 0;
}
