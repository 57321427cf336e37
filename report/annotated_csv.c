// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "report/annotated_machine.h"
#include "report/csv.h"
#include "report/field_figures.h"

#define DEPTH_MAX 64

static void add_heading(const struct annotated_type *type, struct strbuf *buffer)
{
	strbuf_add_string(buffer, "type,object,field,declared,depth,offset,size,bit_offset,bit_size");
	field_figures_csv_heading(type->events, type->event_count, buffer);
	strbuf_add_char(buffer, '\n');
}

/* "key.id", anonymous members and base classes left out; empty for the type itself. */
static void add_path(const struct annotated_line *const *at, const struct annotated_line *line,
		     struct strbuf *buffer)
{
	struct strbuf path _cleanup_strbuf_ = STRBUF_INIT;

	for (uint32_t depth = 1; depth <= line->depth && depth <= DEPTH_MAX; depth++)
		if (at[depth]->name)
			strbuf_add_format(&path, "%s%s", path.length ? "." : "", at[depth]->name);
	csv_add_text(buffer, path.data);
}

void print_annotated_type_csv(const struct annotated_type *type, bool heading, struct strbuf *buffer)
{
	const struct annotated_line *at[DEPTH_MAX + 1] = { NULL };

	if (heading)
		add_heading(type, buffer);
	for (size_t i = 0; i < type->line_count; i++) {
		const struct annotated_line *line = &type->lines[i];

		if (line->depth <= DEPTH_MAX)
			at[line->depth] = line;
		csv_add_text(buffer, type->name);
		strbuf_add_char(buffer, ',');
		csv_add_text(buffer, type->object);
		strbuf_add_char(buffer, ',');
		add_path(at, line, buffer);
		strbuf_add_char(buffer, ',');
		csv_add_text(buffer, line->type);
		strbuf_add_format(buffer, ",%" PRIu32 ",%" PRId64 ",%" PRIu64, line->depth, line->offset,
				  line->size);
		if (line->bit_size)
			strbuf_add_format(buffer, ",%" PRIu32 ",%" PRIu32, line->bit_offset, line->bit_size);
		else
			strbuf_add_string(buffer, ",,");
		field_figures_csv(line->counts, type->lines[0].counts, type->event_count, buffer);
		strbuf_add_char(buffer, '\n');
	}
}
