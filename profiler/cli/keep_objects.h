/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps copies of the programs and libraries that a recording has samples in, so that it can still
 * be read after they were rebuilt. The copies are in perf's cache of objects by build id
 * (~/.debug).
 */
#pragma once

#include "base/error.h"
#include "profiler/ingest/session.h"

struct kept_objects {
	unsigned int added;  /* files that were copied */
	uint64_t bytes;      /* their size */
	uint64_t left_bytes; /* size of the files that were left out because of the limit */
	unsigned int left;   /* their number */
	char *nameless; /* an object with samples that is gone and has no build id, to be freed */
	/* with options->unindexed: the paths of objects with samples that have debug information
	 * and no companion; the caller frees them and the list */
	char **unindexed;
	size_t unindexed_count, unindexed_capacity;
};

struct keep_options {
	bool all;       /* also objects without samples */
	bool unindexed; /* list these objects (struct kept_objects) */
	uint64_t limit; /* copy no more bytes */
	/* Returns a descriptor of the object with the build id, which stays open, or -1: the object
	 * may have no name any more, or be in a container. */
	int (*find_held)(const void *held, const struct build_id *id);
	const void *held;
};

/* Copies each object of the recording `path` that has samples and a build id, and its separate
 * debug file, into the cache, unless it is there. Sets *kept. Returns an error only if the
 * recording cannot be read; a file that cannot be copied is left out. */
struct error *keep_objects(const char *path, const struct keep_options *options,
			   struct kept_objects *kept);

/* Calls `found` with each DSO of the recording that has samples, in the order of their ids. With
 * `all`, those whose code was mapped are found as well. */
struct error *each_recorded_dso(struct session *session, bool all,
				void (*found)(void *data, struct dso *dso), void *data);
