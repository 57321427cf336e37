// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The streams of a session: files and spools, the files of a folder, decompression, and the place
 * of a byte in the file.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <zstd.h>

#include "base/cursor.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/ingest/session_private.h"
#include "profiler/objects/archive.h"

/* ---- spools ---- */

/* Bytes of a spool's buffer: its first size, and the size from which on it is written to a file. */
#define SPOOL_FIRST_CAPACITY ((size_t)64 << 10)
#define SPOOL_MEMORY_MAX     ((size_t)4 << 20)

static struct error *spool_flush(struct spool *spool)
{
	if (spool->fd < 0)
		RETURN_ERROR(temporary_file_open(&spool->fd));
	int number = file_write_all(spool->fd, spool->buffer, spool->used, -1);

	if (number)
		return temporary_file_error(number);
	spool->written += spool->used;
	spool->used = 0;
	return NULL;
}

/* Makes room for at least one more byte. */
static struct error *spool_reserve(struct spool *spool)
{
	if (spool->used < spool->capacity)
		return NULL;
	if (spool->capacity == SPOOL_MEMORY_MAX)
		return spool_flush(spool);
	spool->capacity = spool->capacity ? 4 * spool->capacity : SPOOL_FIRST_CAPACITY;
	spool->buffer = xrealloc_array(spool->buffer, spool->capacity, 1);
	return NULL;
}

struct error *spool_add(struct spool *spool, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	while (size) {
		RETURN_ERROR(spool_reserve(spool));
		size_t room = spool->capacity - spool->used;
		size_t part = size < room ? size : room;

		memcpy(spool->buffer + spool->used, bytes, part);
		spool->used += part;
		bytes += part;
		size -= part;
	}
	return NULL;
}

/* Returns an error if a stream has taken as much of the temporary folder as it leaves free: nothing
 * tells where a stream ends, and the rest is for others. */
static struct error *spool_check_room(const struct spool *spool, const char *name)
{
	struct statvfs folder;

	if (spool->fd < 0 || fstatvfs(spool->fd, &folder) || !folder.f_blocks ||
	    spool->written / folder.f_frsize <= folder.f_bavail)
		return NULL;
	return error_other("%s: its copy has half of the space that was free in %s (%" PRIu64
			   " MB): give a file, or set TMPDIR to a larger folder",
			   name, temporary_folder(), spool->written >> 20);
}

/* Returns whether a recording or an archive of one begins with these bytes. */
static bool may_begin(const uint8_t *bytes)
{
	uint64_t magic;

	memcpy(&magic, bytes, sizeof(magic));
	return magic == PERF_MAGIC_V1 || magic == PERF_MAGIC_V2 ||
	       magic == __builtin_bswap64(PERF_MAGIC_V2) ||
	       recording_archive_probe(bytes, sizeof(magic));
}

/* Adds everything up to the end of `fd`, or only the first bytes if no recording begins like them:
 * a device may never end. `name` is for messages. */
static struct error *spool_read(struct spool *spool, int fd, const char *name)
{
	for (;;) {
		RETURN_ERROR(spool_reserve(spool));
		if (!spool->used)
			RETURN_ERROR(spool_check_room(spool, name));
		ssize_t count =
			read(fd, spool->buffer + spool->used, spool->capacity - spool->used);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return error_errno(errno, "cannot read %s", name);
		if (count == 0)
			return NULL;
		spool->used += (size_t)count;
		if (!spool->written && spool->used >= sizeof(uint64_t) && !may_begin(spool->buffer))
			return NULL;
	}
}

struct error *spool_finish(struct spool *spool, const uint8_t **data, size_t *size)
{
	if (spool->fd < 0) {
		RETURN_ERROR(spool_reserve(spool)); /* for a pointer that is not NULL */
		*data = spool->buffer;
		*size = spool->used;
		return NULL;
	}
	RETURN_ERROR(spool_flush(spool));
	void *mapping = mmap(NULL, spool->written, PROT_READ, MAP_PRIVATE, spool->fd, 0);

	if (mapping == MAP_FAILED)
		return error_errno(errno, "cannot map a temporary file in %s", temporary_folder());
	spool->mapping = mapping;
	spool->mapped = spool->written;
	free(spool->buffer);
	spool->buffer = NULL;
	spool->capacity = 0;
	*data = mapping;
	*size = spool->mapped;
	return NULL;
}

void spool_deinit(struct spool *spool)
{
	if (spool->mapping)
		munmap(spool->mapping, spool->mapped);
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool->buffer); // NOLINT(clang-analyzer-unix.Malloc): the next line forgets it
	*spool = (struct spool)SPOOL_INIT;
}

/* ---- files ---- */

static struct error *perf_file_map(struct perf_file *file, int fd, uint64_t size)
{
	/* If the file is shortened, reading raises SIGBUS (output.h); copying would cost more. */
	void *mapping = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (mapping == MAP_FAILED)
		return error_errno(errno, "cannot map %s", file->name);
	file->mapping = mapping;
	file->data = mapping;
	file->size = size;
	return NULL;
}

/* Maps a file from its start, and spools everything else. */
static struct error *perf_file_load(struct perf_file *file, int fd, bool force)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return error_errno(errno, "cannot read %s", file->name);
	if (S_ISDIR(status.st_mode))
		return error_create(ERROR_FORMAT,
				    "%s is a folder without a file 'data': not perf data",
				    file->name);
	if (S_ISREG(status.st_mode) && fd != STDIN_FILENO && !force && status.st_uid != 0 &&
	    status.st_uid != geteuid())
		return error_create(
			ERROR_PERMISSION,
			"file %s not owned by current user or root (use -f to override)",
			file->name);
	if (S_ISREG(status.st_mode) && status.st_size == 0)
		return error_create(ERROR_FORMAT, "%s is empty: not perf data", file->name);
	file->modified = status.st_mtim.tv_sec * (int64_t)NS_PER_S + status.st_mtim.tv_nsec;
	file->pipe = !S_ISREG(status.st_mode);
	if (S_ISREG(status.st_mode) && lseek(fd, 0, SEEK_CUR) == 0)
		return perf_file_map(file, fd, (uint64_t)status.st_size);
	RETURN_ERROR(spool_read(&file->spool, fd, file->name));
	return spool_finish(&file->spool, &file->data, &file->size);
}

static struct error *perf_file_finish(struct perf_file *file, struct error *error)
{
	if (error)
		perf_file_close(file);
	return error;
}

/* Opens the ordinary file `name` in the folder `path` with the descriptor `folder`. */
static struct error *perf_file_open_inside(int folder, const char *path, const char *name,
					   bool force, struct perf_file *file)
{
	_cleanup_close_ int opened = -1;
	struct stat status;

	*file = (struct perf_file){ .spool = SPOOL_INIT, .name = xasprintf("%s/%s", path, name) };
	struct error *error = ordinary_file_open_in(folder, name, file->name, &opened, &status);

	return perf_file_finish(file, error ?: perf_file_load(file, opened, force));
}

static bool is_folder(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
}

struct error *perf_file_open(const char *path, bool force, struct perf_file *file)
{
	_cleanup_close_ int opened = -1;

	*file = (struct perf_file){ .spool = SPOOL_INIT };
	if (strcmp(path, "-") == 0) {
		file->name = xstrdup("standard input");
		return perf_file_finish(file, perf_file_load(file, STDIN_FILENO, force));
	}
	file->name = xstrdup(path);
	opened = open(path, O_RDONLY | O_CLOEXEC);
	if (opened < 0)
		return perf_file_finish(file, error_errno(errno, "cannot open %s", path));
	/* A folder of `perf record --threads`: 'data' has the header. */
	if (is_folder(opened) && faccessat(opened, "data", F_OK, 0) == 0) {
		perf_file_close(file);
		return perf_file_open_inside(opened, path, "data", force, file);
	}
	return perf_file_finish(file, perf_file_load(file, opened, force));
}

/* Frees the bytes of a file. */
static void perf_file_drop(struct perf_file *file)
{
	if (file->mapping)
		munmap(file->mapping, file->size);
	if (file->name) /* a file that is all zero was never opened */
		spool_deinit(&file->spool);
}

void perf_file_replace(struct perf_file *file, const void *data, size_t size, int64_t modified)
{
	perf_file_drop(file);
	file->mapping = NULL;
	file->data = data;
	file->size = size;
	file->modified = modified;
}

void perf_file_close(struct perf_file *file)
{
	perf_file_drop(file);
	free(file->name);
	*file = (struct perf_file){ .spool = SPOOL_INIT };
}

/* All parts of smaller files stay mapped. */
#define SIZE_TO_DROP ((size_t)16 << 20)

void perf_file_done_with(const struct perf_file *file)
{
	if (file->mapping)
		(void)madvise(file->mapping, file->size, MADV_DONTNEED);
}

void perf_file_done_with_part(const struct perf_file *file, const uint8_t *begin,
			      const uint8_t *end)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)begin + page - 1) & ~(page - 1),
		  to = (uintptr_t)end & ~(page - 1);

	/* what is read once more would have to be mapped again */
	if (file->mapping && file->size >= SIZE_TO_DROP && (uintptr_t)file->mapping <= from &&
	    to <= (uintptr_t)file->mapping + file->size && from < to)
		(void)madvise((void *)from, to - from, MADV_DONTNEED);
}

/* ---- the place of a byte in the file ---- */

/* Adds a piece. They are added in the order in which they begin. */
static void stream_add_piece(struct stream *stream, const struct stream_piece *piece)
{
	if (stream->piece_count) {
		const struct stream_piece *last = &stream->pieces[stream->piece_count - 1];

		/* Bytes that continue the last piece are not a separate piece. */
		if (!last->compressed && !piece->compressed &&
		    piece->offset - last->offset == piece->begin - last->begin)
			return;
	}
	array_add(stream->pieces, stream->piece_count, stream->piece_capacity) = *piece;
}

/* Returns the last piece that begins by `offset`, or NULL if the stream is the file. */
static const struct stream_piece *stream_piece_at(const struct stream *stream, size_t offset)
{
	size_t after =
		partition_point(0, stream->piece_count, i, stream->pieces[i].begin <= offset);

	return after ? &stream->pieces[after - 1] : NULL;
}

uint64_t stream_file_offset(const struct stream *stream, size_t offset)
{
	const struct stream_piece *piece = stream_piece_at(stream, offset);

	if (!piece)
		return stream->offset + offset;
	return piece->compressed ? piece->offset : piece->offset + (offset - piece->begin);
}

/* Appends perf's name of the type of the record at `offset`, ": MMAP2 (10)", if known. */
static void add_record_name(const struct session *session, const struct stream *stream,
			    size_t offset, struct strbuf *text)
{
	uint32_t type;
	const char *name;

	if (offset > stream->size || stream->size - offset < RECORD_HEADER_SIZE)
		return;
	type = record_header(stream->data + offset, session->header.swap).type;
	name = session_record_name(type);
	if (name)
		strbuf_add_format(text, ": %s (%" PRIu32 ")", name, type);
}

const char *stream_place(struct session *session, const struct stream *stream, size_t offset)
{
	const struct stream_piece *piece = stream_piece_at(stream, offset);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (piece && piece->compressed)
		strbuf_add_format(&text,
				  "%s: compressed record at offset %" PRIu64 ", byte %" PRIu64
				  " of its content",
				  stream->name, piece->offset,
				  piece->within + (offset - piece->begin));
	else
		strbuf_add_format(&text, "%s: at offset %#" PRIx64, stream->name,
				  stream_file_offset(stream, offset));
	add_record_name(session, stream, offset, &text);
	return arena_strdup(&session->arena, text.data);
}

/* ---- compressed records ---- */

/*
 * PERF_RECORD_COMPRESSED and COMPRESSED2 are parts of one zstd stream, which consists of records.
 *
 * A record may begin in one part and end in a later one, with other records between them, so an
 * incomplete one waits.
 */

/* The most that zstd decompresses at a time: Block_Maximum_Size, RFC 8878, 3.1.1.2.4. */
#define BLOCK_SIZE ((size_t)128 << 10)
/* A larger ratio is an attack on the disk; real ones are below 50. */
#define RATIO_MAX 256
/* Decompressed bytes that a file of any size may have. */
#define SIZE_FREE ((uint64_t)16 << 20)

struct decompressor {
	struct session *session;
	const struct stream *stream;
	struct stream result; /* only its pieces are set */
	struct spool *spool;
	ZSTD_DCtx *context;
	uint64_t limit;  /* of the decompressed size, in bytes */
	size_t pending;  /* bytes at the start of the buffer that are not a whole record yet */
	uint64_t offset; /* offset of the current compressed record */
	uint64_t held;   /* decompressed bytes of that record so far */
	uint8_t buffer[BLOCK_SIZE + UINT16_MAX + 1];
};

/* Moves the whole records of the buffer to the spool. */
static struct error *decompress_drain(struct decompressor *state, size_t offset)
{
	size_t done = 0;

	while (state->pending - done >= RECORD_HEADER_SIZE) {
		struct record_header header =
			record_header(state->buffer + done, state->session->header.swap);

		if (header.size < RECORD_HEADER_SIZE)
			return error_create(
				ERROR_FORMAT, "%s: the compressed data holds a record of %u bytes",
				stream_place(state->session, state->stream, offset), header.size);
		if (header.size > state->pending - done)
			break;
		done += header.size;
	}
	RETURN_ERROR(spool_add(state->spool, state->buffer, done));
	memmove(state->buffer, state->buffer + done, state->pending - done);
	state->pending -= done;
	if (spool_size(state->spool) > state->limit)
		return error_create(ERROR_FORMAT,
				    "%s: compressed data grows to more than %d times its size",
				    stream_place(state->session, state->stream, offset), RATIO_MAX);
	return NULL;
}

/* Decompresses the bytes of the record at `offset`, and moves whole records to the spool. */
static struct error *decompress_piece(struct decompressor *state, const uint8_t *data, size_t size,
				      size_t offset)
{
	ZSTD_inBuffer input = { .src = data, .size = size };

	for (bool more = true; more;) {
		ZSTD_outBuffer output = { .dst = state->buffer + state->pending,
					  .size = BLOCK_SIZE };
		size_t before = input.pos;
		size_t result = ZSTD_decompressStream(state->context, &output, &input);

		if (ZSTD_isError(result))
			return error_create(ERROR_FORMAT, "%s: cannot decompress: %s",
					    stream_place(state->session, state->stream, offset),
					    ZSTD_getErrorName(result));
		state->pending += output.pos;
		state->held += output.pos;
		RETURN_ERROR(decompress_drain(state, offset));
		more = output.pos == output.size || input.pos < input.size;
		if (more && !output.pos && input.pos == before)
			return error_create(ERROR_FORMAT, "%s: cannot decompress: no progress",
					    stream_place(state->session, state->stream, offset));
	}
	return NULL;
}

static struct error *decompress_record(struct decompressor *state,
				       const struct record_header *header, const uint8_t *record,
				       size_t offset)
{
	struct cursor cursor = cursor_of(record, header->size, state->session->header.swap);

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	uint64_t size =
		header->type == RECORD_COMPRESSED2 ? cursor_u64(&cursor) : cursor_left(&cursor);

	if (cursor.failed || size > cursor_left(&cursor))
		return error_create(
			ERROR_FORMAT,
			"%s: a compressed record of %u bytes says that it holds %" PRIu64,
			stream_place(state->session, state->stream, offset), header->size, size);
	state->offset = state->stream->offset + offset;
	state->held = 0;
	state->session->totals.compressed[header->type == RECORD_COMPRESSED2]++;
	stream_add_piece(&state->result, &(struct stream_piece){
						 .begin = spool_size(state->spool) + state->pending,
						 .offset = state->offset,
						 .compressed = true,
					 });
	return decompress_piece(state, record + cursor.position, size, offset);
}

/* Copies a record that is not compressed. An incomplete record continues after it. */
static struct error *decompress_copy(struct decompressor *state, const uint8_t *record, size_t size,
				     size_t offset)
{
	stream_add_piece(&state->result, &(struct stream_piece){
						 .begin = spool_size(state->spool),
						 .offset = state->stream->offset + offset,
					 });
	RETURN_ERROR(spool_add(state->spool, record, size));
	if (state->pending)
		stream_add_piece(&state->result,
				 &(struct stream_piece){
					 .begin = spool_size(state->spool),
					 .offset = state->offset,
					 .within = state->held > state->pending
							   ? state->held - state->pending
							   : 0,
					 .compressed = true,
				 });
	return NULL;
}

/* Decompresses the stream up to a broken record, and copies the rest: pass 1 warns. */
static struct error *decompress_stream(struct decompressor *state)
{
	const struct stream *stream = state->stream;
	bool swap = state->session->header.swap;
	struct record_header header;
	size_t offset = 0;

	while (stream_record(stream, offset, swap, &header)) {
		const uint8_t *record = stream->data + offset;
		uint64_t extra = record_extra(record, &header, swap);

		if (extra > stream->size - offset - header.size)
			break;
		if (header.type == PERF_RECORD_COMPRESSED || header.type == RECORD_COMPRESSED2)
			RETURN_ERROR(decompress_record(state, &header, record, offset));
		else
			RETURN_ERROR(decompress_copy(state, record, header.size + extra, offset));
		offset += header.size + extra;
	}
	if (state->pending)
		session_warn(state->session, "%s: the compressed data ends within a record",
			     stream_place(state->session, stream, offset));
	state->pending = 0;
	return decompress_copy(state, stream->data + offset, stream->size - offset, offset);
}

struct error *session_decompress(struct session *session, uint32_t index)
{
	struct stream *stream = &session->streams[index];
	_cleanup_free_ struct decompressor *state = xcalloc(1, sizeof(*state));
	struct spool *spool = &session->spools[index];

	state->session = session;
	state->stream = stream;
	state->spool = spool;
	state->limit = SIZE_FREE + RATIO_MAX * (uint64_t)stream->size;
	state->context = ZSTD_createDCtx();
	if (!state->context)
		return error_other("%s: cannot set up zstd to decompress it", stream->name);
	struct error *error = decompress_stream(state);

	ZSTD_freeDCtx(state->context);
	if (error && error->code != ERROR_FORMAT) {
		free(state->result.pieces);
		return error;
	}
	if (error) {
		session_warn(session, "%s; the rest is not read", error->message);
		error_destroy(error);
	}
	stream->pieces = state->result.pieces;
	stream->piece_count = state->result.piece_count;
	stream->piece_capacity = state->result.piece_capacity;
	return spool_finish(spool, &stream->data, &stream->size);
}

/* ---- folders ---- */

/* A recording may be a folder (`perf record --threads`): 'data' has the header, and data.0, data.1
 * and so on have records, one file for each thread that recorded. */

/* The numbers of the files data.N. */
struct file_numbers {
	unsigned int *numbers;
	size_t count, capacity;
};

/* Adds the number of "data.N". Ignores other names, such as "data.01". */
static void file_numbers_add(struct file_numbers *list, const char *name)
{
	unsigned int number;
	char written[24]; /* "data." and at most 10 digits */

	if (sscanf(name, "data.%9u", &number) != 1)
		return;
	snprintf(written, sizeof(written), "data.%u", number);
	if (strcmp(name, written) != 0)
		return;
	array_add(list->numbers, list->count, list->capacity) = number;
}

COMPARISON(compare_file_numbers, unsigned int, BY_VALUE)

static struct error *file_numbers_read(struct file_numbers *list, const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	if (!directory)
		return error_errno(errno, "cannot list %s", path);
	while ((entry = readdir(directory)))
		file_numbers_add(list, entry->d_name);
	closedir(directory);
	array_sort(list->numbers, list->count, compare_file_numbers);
	return NULL;
}

/* Warns about missing numbers, as far as they show: nothing tells how many there were. */
static void warn_of_gaps(const struct session *session, const char *path,
			 const struct file_numbers *list)
{
	unsigned int last = list->numbers[list->count - 1], first = 0;
	size_t missing = last + 1 - list->count;

	if (!missing)
		return;
	while (list->numbers[first] == first)
		first++;
	if (missing == 1)
		session_warn(session, "%s/data.%u is missing: its records are not counted", path,
			     first);
	else
		session_warn(session,
			     "%s: %zu of data.0 to data.%u are missing, the first is data.%u: "
			     "their records are not counted",
			     path, missing, last, first);
}

static struct error *open_data_file(struct session *session, const char *path, unsigned int number)
{
	_cleanup_free_ char *name = xasprintf("data.%u", number);
	_cleanup_close_ int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct perf_file file;

	if (folder < 0)
		return error_errno(errno, "cannot open %s", path);
	RETURN_ERROR(perf_file_open_inside(folder, path, name, session->options.force, &file));
	session->more_files =
		xrealloc_array(session->more_files, session->more_count + 1, sizeof(file));
	session->more_files[session->more_count++] = file;
	session_add_stream(session, &(struct stream){
					    .data = file.data,
					    .size = file.size,
					    .base = session->stream_count * STREAM_POSITIONS,
					    .name = file.name,
				    });
	return NULL;
}

/* Returns whether a file is empty. A thread that had nothing to write leaves one. */
static bool data_file_is_empty(const char *path, unsigned int number)
{
	_cleanup_free_ char *name = xasprintf("%s/data.%u", path, number);
	struct stat status;

	return stat(name, &status) == 0 && S_ISREG(status.st_mode) && !status.st_size;
}

static struct error *open_data_files(struct session *session, const char *path,
				     const struct file_numbers *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!data_file_is_empty(path, list->numbers[i]))
			RETURN_ERROR(open_data_file(session, path, list->numbers[i]));
	return NULL;
}

struct error *session_open_folder(struct session *session, const char *path)
{
	struct file_numbers list = { 0 };
	struct error *error = path ? file_numbers_read(&list, path) : NULL;

	if (!error && list.count) {
		warn_of_gaps(session, path, &list);
		error = open_data_files(session, path, &list);
	} else if (!error && session->header.features[FEATURE_DIR_FORMAT].data) {
		session_warn(session,
			     "%s: the recording is in files data.0, data.1 ... beside it, %s: they "
			     "are not counted",
			     session->file.name,
			     path ? "which are missing" : "which are read if the folder is given");
	}
	free(list.numbers);
	return error;
}
