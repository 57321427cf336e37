/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording and the objects that it needs, in one file that another machine can read.
 *
 * It is a tar file, compressed with zstd, with these members:
 *
 *   perf.data                           the recording
 *   .debug/.build-id/XX/REST/NAME       a file of the object whose build id is XXREST
 *   symfs/PATH                          the object at /PATH, if it has no build id
 *
 * NAME is as in perf's cache by build id (dso_path_cached()), so perf can read what tar unpacks;
 * for the last, with --symfs. Other members are an error.
 *
 * libarchive reads and writes it. The library is loaded when it is first needed, because it and the
 * libraries that it is built on would add 1.7 ms to each start of the program
 * (Documentation/measurements.md).
 */
#pragma once

#include "dwarf/elf/image.h"
#include "base/error.h"

/* ---- reading ---- */

struct recording_archive;

/* Returns whether the bytes begin as an archive does. */
bool recording_archive_probe(const void *data, size_t size);
/* Unpacks an archive into temporary files without names, which end with the program. `data` is not
 * needed afterwards. `name` is for messages. ERROR_FORMAT: it is damaged, or has members other than
 * those above. */
struct error *recording_archive_unpack(const void *data, size_t size, const char *name,
				       struct recording_archive **result);
/* Frees the archive, which may be NULL. */
void recording_archive_close(struct recording_archive *archive);

/* Returns the bytes of the recording, which belong to the archive, and sets *modified (time(2)). */
const void *recording_archive_data(const struct recording_archive *archive, size_t *size,
				   int64_t *modified);
/* Returns a path by which this process can open a file of an object while the archive is open, or
 * NULL if it is not there. Nobody has checked its build id. The caller frees the path. */
char *recording_archive_path(const struct recording_archive *archive,
			     const struct build_id *build_id, const char *name);
/* The same for an object without a build id, which was mapped from `path`. */
char *recording_archive_object(const struct recording_archive *archive, const char *path);

/* ---- writing ---- */

struct archive_writer;

/* Starts an archive. It appears at `path` when it is complete. */
struct error *archive_writer_create(const char *path, struct archive_writer **result);
/* Adds the bytes of the recording, modified at this time (ns since 1970). First, once. */
struct error *archive_writer_add_recording(struct archive_writer *writer, const void *bytes,
					   size_t size, int64_t modified);
/* Adds the file of the image as NAME of the object. */
struct error *archive_writer_add_image(struct archive_writer *writer,
				       const struct build_id *build_id, const char *name,
				       const struct elf_image *image);
/* Adds the symbols of a kernel, which only its root may read. */
struct error *archive_writer_add_symbols(struct archive_writer *writer,
					 const struct build_id *build_id, const void *text,
					 size_t size);
/* Adds the image's file as the object without a build id mapped from absolute `mapped`. */
struct error *archive_writer_add_nameless(struct archive_writer *writer, const char *mapped,
					  const struct elf_image *image);
/* Completes the archive and sets *size to its bytes. Frees the writer, even after an error. */
struct error *archive_writer_finish(struct archive_writer *writer, uint64_t *size);
/* Ends writing without a result, and removes the file. `writer` may be NULL. */
void archive_writer_destroy(struct archive_writer *writer);
