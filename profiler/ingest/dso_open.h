/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file a dso is. Private to the files behind a dso. */
#ifndef DTPROF_INGEST_DSO_OPEN_H
#define DTPROF_INGEST_DSO_OPEN_H

#include "profiler/ingest/debuginfod.h"
#include "profiler/ingest/dso.h"
#include "profiler/ingest/jit_map.h"

/*
 * The object, with the recorded build id; NULL: *problem says why (to be freed, as *symbol_source: the file
 * that the symbols are from where the object has none itself, else NULL).
 */
struct elf_image *dso_open_image(struct dso *dso, const struct dso_options *options, char **symbol_source,
				 char **problem);

/* The file at `path`, if it is an ordinary file with the recorded build id. *problem may be set already. */
struct elf_image *dso_try_image(const struct dso *dso, const char *path, char **problem);
/* `image` (or why it could not be opened, which is freed) if it is the recorded object; else NULL, and
 * *problem says why not. */
struct elf_image *dso_check_image(const struct dso *dso, const char *path, struct elf_image *image,
				  struct error *error, char **problem);
/* What a debuginfod server has of the recorded build id. */
struct elf_image *dso_fetch_image(const struct dso *dso, enum debuginfod_kind kind, char **problem);
/* Put what else is wrong behind *problem, which may be NULL. */
void dso_add_problem(char **problem, const struct error *error);

/* What a just-in-time compiler wrote of its code, as perf: where the process lives, then out here. `map` is
 * zero; ERROR_NOT_FOUND: it wrote nothing. */
struct error *dso_read_jit_map(const struct dso *dso, const struct dso_options *options, struct jit_map *map);

#endif
