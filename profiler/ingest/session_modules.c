// SPDX-License-Identifier: GPL-2.0-or-later
/* Where modules were that the records do not tell of: by a copy of /proc/modules (proc(5)). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "profiler/ingest/session_private.h"

struct error *session_add_modules(struct session *session)
{
	const char *path = session->options.dso.modules;
	_cleanup_free_ char *line = NULL;
	size_t line_size = 0, count = 0;
	FILE *file = path ? fopen(path, "re") : NULL;

	if (!path)
		return NULL;
	if (!file)
		return error_errno(errno, "cannot open %s", path);
	/* "virtio_blk 28672 1 - Live 0xffffffffc0410000": name, size, users, by whom, state, address */
	while (getline(&line, &line_size, file) > 0) {
		char name[64];
		uint64_t size, address;

		if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s 0x%" SCNx64, name, &size, &address) != 3 ||
		    !address)
			continue;
		_cleanup_free_ char *bracketed = xasprintf("[%s]", name);

		timeline_add_module(&session->timeline, bracketed, address, size);
		count++;
	}
	fclose(file);
	if (!count)
		return error_create(
			ERROR_FORMAT,
			"%s tells of no module where it was (addresses that are all 0 were read by "
			"somebody who may not see them)",
			path);
	return NULL;
}
