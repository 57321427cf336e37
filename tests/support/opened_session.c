// SPDX-License-Identifier: GPL-2.0-or-later
/* See opened_session.h. */
#include "tests/support/opened_session.h"
#include "tests/support/session_memory.h"

#include "tests/support/unit.h"

static void take_warning(void *data, const char *message)
{
	struct opened_session *opened = data;

	strbuf_add_format(&opened->warnings, "%s\n", message);
}

static struct session_options start(struct opened_session *opened)
{
	*opened = (struct opened_session){ .warnings = STRBUF_INIT };
	return (struct session_options){ .threads = 2, .warn = take_warning, .warn_data = opened };
}

static void finish(struct opened_session *opened, uint64_t fields)
{
	if (!opened->error)
		opened->error = session_count(opened->session, fields, &opened->counts);
}

void opened_from_memory(struct opened_session *opened, const uint8_t *data, size_t size,
			uint64_t fields)
{
	struct session_options options = start(opened);

	opened->error = session_open_memory(data, size, &options, &opened->session);
	finish(opened, fields);
}

void opened_from_path(struct opened_session *opened, const char *path, uint64_t fields)
{
	struct session_options options = start(opened);

	opened->error = session_open(path, &options, &opened->session);
	finish(opened, fields);
}

void opened_close(struct opened_session *opened)
{
	error_destroy(opened->error);
	sample_counts_destroy(opened->counts);
	session_close(opened->session);
	strbuf_deinit(&opened->warnings);
}

uint64_t opened_samples(const struct opened_session *opened)
{
	uint64_t samples = 0;

	assert_null(opened->error);
	for (size_t i = 0; i < opened->counts->count; i++)
		samples += opened->counts->entries[i].samples;
	return samples;
}
