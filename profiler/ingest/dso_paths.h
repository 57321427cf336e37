/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the files of a dso may be. All paths are to be freed by the caller. */
#ifndef DTPROF_INGEST_DSO_PATHS_H
#define DTPROF_INGEST_DSO_PATHS_H

#include "profiler/ingest/dso.h"

/* `path` under `root`, which may be NULL; once, if it lies there already. Of a root "DIR,flat" it is the last
 * part of the path in DIR; "DIR,hierarchy" is DIR. */
char *dso_path_in(const char *root, const char *path);
/* In perf's cache, as build_id_cache_path(). */
char *dso_path_cached(const struct dso *dso, const struct dso_options *options, const char *name);
/*
 * Whether the process that mapped it lives in another mount namespace or under another root; false: it sees
 * what this process does, or is gone. Its number may be another process's by now: without a build id the
 * namespace must be the recorded one.
 */
bool dso_is_inside(const struct dso *dso);
/* As that process sees it; NULL: as this one does. */
char *dso_path_inside(const struct dso *dso);
/* The debug file of its build id, below /usr/lib/debug (of --symfs, then of this machine) or in perf's cache;
 * NULL: none. */
char *dso_path_debug(const struct dso *dso, const struct dso_options *options);
/* The kernel said so when it was mapped. */
bool dso_is_deleted(const struct dso *dso);

#endif
