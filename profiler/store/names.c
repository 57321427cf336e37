// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of stores, of their keys, and what the user's choices of texts match. */

#include "base/text.h"
#include "base/type_name.h"
#include "base/web.h"
#include "profiler/store/store_private.h"

unsigned int store_port(const char *path)
{
	bool secure = starts_with(path, STORE_SERVER_TLS);

	if (!secure && !starts_with(path, STORE_SERVER))
		return 0;
	return web_port(path + strlen(secure ? STORE_SERVER_TLS : STORE_SERVER),
			secure ? 8443 : 8123);
}

static const char *const key_names[STORE_KEYS] = {
	[STORE_TYPE] = "type",     [STORE_FIELD] = "typeoff", [STORE_FUNCTION] = "sym",
	[STORE_OBJECT] = "dso",    [STORE_BUILD] = "build",   [STORE_HOST] = "host",
	[STORE_EVENT] = "event",   [STORE_KERNEL] = "kernel", [STORE_PROCESSOR] = "cpu",
	[STORE_CGROUP] = "cgroup", [STORE_IMAGE] = "image",   [STORE_DAY] = "day",
};

enum store_key store_key_named(const char *name, size_t length)
{
	enum store_key key = 0;

	while (key < STORE_KEYS && !text_is(name, length, key_names[key]))
		key++;
	return key;
}

const char *store_key_name(enum store_key key)
{
	return key_names[key];
}

const char *store_choice_name(enum store_key key)
{
	return key == STORE_FIELD ? "field" : key_names[key];
}

/* A path, or its last part. */
static bool is_object(const char *wanted, const char *text)
{
	const char *slash = strrchr(text, '/');

	return !sqlite3_strglob(wanted, text) ||
	       (slash && !strchr(wanted, '/') && !sqlite3_strglob(wanted, slash + 1));
}

bool store_text_matches(enum store_key key, const char *wanted, const char *text)
{
	switch (key) {
	case STORE_TYPE: return type_name_matches(wanted, text);
	case STORE_OBJECT: return is_object(wanted, text);
	case STORE_BUILD:
		return *wanted && (starts_with(text, wanted) || !sqlite3_strglob(wanted, text));
	default: return !sqlite3_strglob(wanted, text);
	}
}
