// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers of the type engine in words: see resolve_show.h. */
#include "profiler/commands/resolve_show.h"

#include <stdio.h>

#include "annotate/annotator.h"
#include "annotate/member.h"
#include "profiler/base/strbuf.h"

static const char *access_text(struct string_pool *strings, const struct access *access)
{
	const char *direction = access->read && access->write ? "rmw" : access->write ? "store" : "load";
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	if (access_is_none(access) || (!access->read && !access->write))
		return string_pool_intern(strings, "-");
	strbuf_add_string(&text, direction);
	if (access->size) {
		strbuf_add_char(&text, ' ');
		strbuf_add_number(&text, access->size);
	}
	return string_pool_intern(strings, text.data);
}

static const char *how_text(struct string_pool *strings, const struct access *access)
{
	char text[96];

	switch (access->kind) {
	case ACCESS_TYPE: return string_pool_intern(strings, access_how_name(access->how));
	case ACCESS_UNKNOWN:
	case ACCESS_NO_CODE:
		snprintf(text, sizeof(text), "(%s)", access_reason_name(access->reason));
		return string_pool_intern(strings, text);
	default: return string_pool_intern(strings, access_type_name(access));
	}
}

void resolve_show_access(struct string_pool *strings, struct resolved_place *place)
{
	struct strbuf field _cleanup_strbuf_ = STRBUF_INIT;
	const struct access *access = &place->access;

	place->shown.type = string_pool_intern(strings, access_type_name(access));
	place->shown.access = access_text(strings, access);
	place->shown.how = how_text(strings, access);
	place->shown.no_memory = access_is_none(access);
	place->shown.blame = string_pool_intern(strings, blame_how_name(place->blame));
	place->shown.charged = place->late && place->blame != BLAME_AT && place->blame != BLAME_NOTHING;
	place->shown.interrupts_off = access->kind == ACCESS_INTERRUPTS_OFF;
	place->shown.typed = false;
	place->shown.field = NULL;
	place->shown.offset = 0;
	if (access->kind != ACCESS_TYPE)
		return;
	place->shown.typed = true;
	place->shown.offset = access->offset;
	if (access_member_path(access, &field))
		place->shown.field = string_pool_intern(strings, field.data);
}
