// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/type_source.h"

#include <stdio.h>
#include <string.h>

#include "profiler/base/printable.h"

void type_source_text(const struct session *session, struct strbuf *buffer)
{
	size_t count;
	struct dso *const *dsos = session_dsos(session, &count);
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const char *source = dso_btf_source(dsos[i]);
		size_t start = buffer->length;

		if (!source)
			continue;
		strbuf_add_format(buffer, "# Types of %s: %s", dsos[i]->short_name, source);
		strbuf_end_line(buffer, start);
		any = true;
	}
	if (any)
		strbuf_add_string(buffer, "#\n");
}

void print_type_source(const struct session *session)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	type_source_text(session, &text);
	fwrite(text.data, 1, text.length, stdout);
}

const char *type_source_object(const struct dso *dso, struct arena *names)
{
	_cleanup_free_ char *name = NULL;

	if (!dso)
		return "[unknown]";
	if (!dso_btf_source(dso))
		return dso->long_name;
	name = xasprintf("%s [btf]", dso->long_name);
	return arena_strdup(names, name);
}
