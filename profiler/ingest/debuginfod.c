// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects and debug files from debuginfod servers: see debuginfod.h. */
#include "profiler/ingest/debuginfod.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define LIBRARY "libdebuginfod.so.1"

struct debuginfod_client;

/* As <elfutils/debuginfod.h> declares them; a descriptor, or a negative errno */
typedef struct debuginfod_client *(*begin_function)(void);
typedef int (*find_function)(struct debuginfod_client *client, const unsigned char *build_id, int size,
			     char **path);
typedef void (*end_function)(struct debuginfod_client *client);

static struct error *debuginfod_ask(void *library, enum debuginfod_kind kind, const struct build_id *build_id,
				    char **path)
{
	begin_function begin = (begin_function)dlsym(library, "debuginfod_begin");
	end_function end = (end_function)dlsym(library, "debuginfod_end");
	find_function find =
		(find_function)dlsym(library, kind == DEBUGINFOD_EXECUTABLE ? "debuginfod_find_executable"
									    : "debuginfod_find_debuginfo");
	char *found = NULL;

	if (!begin || !end || !find)
		return error_create(ERROR_UNSUPPORTED, LIBRARY " is not the library of elfutils");
	struct debuginfod_client *client = begin();

	if (!client)
		return NULL;
	int descriptor = find(client, build_id->bytes, build_id->size, &found);

	end(client);
	if (descriptor >= 0) {
		close(descriptor);
		*path = found;
	}
	return NULL;
}

struct error *debuginfod_fetch(enum debuginfod_kind kind, const struct build_id *build_id, char **path)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	*path = NULL;
	if (!urls || !*urls || !build_id->size)
		return NULL;
	/* It starts what cannot be stopped again: it stays loaded. */
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_NODELETE);

	if (!library)
		return error_create(ERROR_NOT_FOUND, "DEBUGINFOD_URLS is set, but " LIBRARY
						     " is not installed (package libdebuginfod1)");
	struct error *error = debuginfod_ask(library, kind, build_id, path);

	dlclose(library);
	return error;
}
