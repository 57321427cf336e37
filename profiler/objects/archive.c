// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements archive.h. */
#include "profiler/objects/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <zstd.h>

#include "base/memory.h"
#include "base/cursor.h"
#include "base/files.h"
#include "base/text.h"

#define RECORDING_MEMBER "perf.data"
#define OBJECTS_FOLDER   ".debug/.build-id/"
#define NAMELESS_FOLDER  "symfs" /* of objects without a build id; their paths follow */

/* The most files of objects that an archive may have. Each takes a file descriptor. */
#define PACKED_FILES_MAX 65536

/* The most members of an archive of `size` bytes: each is open; real ones are larger. */
static size_t packed_files_max(size_t size)
{
	size_t most = 1024 + size / 1024;

	return most < PACKED_FILES_MAX ? most : PACKED_FILES_MAX;
}

/* ---- libarchive ---- */

#define LIBARCHIVE "libarchive.so.13"

/* The functions of libarchive that are used here: its name for each, without "archive_". */
// clang-format off
#define LIBARCHIVE_FUNCTIONS(use) \
	use(read_new) use(read_support_format_tar) use(read_open) use(read_next_header) use(read_data_block) use(read_free) \
	use(entry_pathname) use(entry_filetype) use(entry_size) use(entry_mtime) \
	use(write_new) use(write_set_format_pax_restricted) use(write_open) use(write_header) use(write_data) use(write_close) use(write_free) \
	use(entry_new) use(entry_free) use(entry_set_pathname) use(entry_set_filetype) \
	use(entry_set_perm) use(entry_set_size) use(entry_set_mtime) use(error_string)
// clang-format on

#define DECLARE_FUNCTION(name) __typeof__(archive_##name) *name;
struct libarchive {
	LIBARCHIVE_FUNCTIONS(DECLARE_FUNCTION)
};

#define FIND_FUNCTION(name)                                                                        \
	library->name = (__typeof__(archive_##name) *)dlsym(handle, "archive_" #name);             \
	complete &= library->name != NULL;

static struct error *libarchive_load(struct libarchive *library)
{
	void *handle = dlopen(LIBARCHIVE, RTLD_NOW | RTLD_NODELETE);
	bool complete = true;

	if (!handle)
		return error_create(ERROR_UNSUPPORTED,
				    "archives need " LIBARCHIVE
				    ", which is not installed (package libarchive13)");
	LIBARCHIVE_FUNCTIONS(FIND_FUNCTION)
	dlclose(handle);
	return complete ? NULL
			: error_create(ERROR_UNSUPPORTED, LIBARCHIVE " lacks functions: too old");
}

static const char *archive_problem(const struct libarchive *library, struct archive *archive)
{
	const char *text = library->error_string(archive);

	return text ?: "unknown error";
}

/* ---- zstd ---- */

/* dtprof packs and unpacks zstd itself: libarchive 3.6 writes frames without a checksum, so that a
 * changed byte in a block of literals would be read as part of an object. */
struct unpacker {
	ZSTD_DCtx *context;
	ZSTD_inBuffer input;
	uint8_t *output;
	size_t capacity;
	bool complete;       /* the last frame and its checksum were read */
	const char *message; /* NULL: no error */
};

static struct error *unpacker_init(struct unpacker *unpacker, const void *data, size_t size)
{
	*unpacker = (struct unpacker){ .context = ZSTD_createDCtx(),
				       .input = { .src = data, .size = size },
				       .capacity = ZSTD_DStreamOutSize() };
	unpacker->output = xmalloc(unpacker->capacity);
	return unpacker->context ? NULL : error_other("zstd cannot be set up");
}

/* Points *block to the next bytes. Returns how many; 0: the end; -1: an error, see `message`. */
static la_ssize_t unpacker_read(struct archive *reader _unused_, void *data, const void **block)
{
	struct unpacker *unpacker = data;
	ZSTD_outBuffer output = { unpacker->output, unpacker->capacity, 0 };

	while (!output.pos && !unpacker->message) {
		size_t before = unpacker->input.pos, left;

		if (unpacker->complete && before == unpacker->input.size)
			return 0;
		left = ZSTD_decompressStream(unpacker->context, &output, &unpacker->input);
		unpacker->complete = left == 0;
		if (ZSTD_isError(left))
			unpacker->message = ZSTD_getErrorName(left);
		else if (left && !output.pos && unpacker->input.pos == before)
			unpacker->message = "its end is missing";
	}
	*block = unpacker->output;
	return unpacker->message ? -1 : (la_ssize_t)output.pos;
}

/* Reads what follows the last member, so that the checksum is compared. */
static bool unpacker_finish(struct unpacker *unpacker)
{
	const void *block;

	while (!unpacker->message && unpacker_read(NULL, unpacker, &block) > 0)
		;
	return !unpacker->message;
}

struct packer {
	ZSTD_CCtx *context;
	uint8_t *output;
	size_t capacity;
	int fd;
	int error; /* errno of the file; 0: none */
};

static bool packer_init(struct packer *packer, int fd)
{
	*packer = (struct packer){ .context = ZSTD_createCCtx(),
				   .capacity = ZSTD_CStreamOutSize(),
				   .fd = fd };
	packer->output = xmalloc(packer->capacity);
	return packer->context &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(packer->context, ZSTD_c_checksumFlag, 1));
}

/* Packs bytes, and with ZSTD_e_end ends the frame. Returns false on an error. */
static bool packer_add(struct packer *packer, const void *bytes, size_t size, ZSTD_EndDirective end)
{
	ZSTD_inBuffer input = { bytes, size, 0 };
	size_t left;

	do {
		ZSTD_outBuffer output = { packer->output, packer->capacity, 0 };

		left = ZSTD_compressStream2(packer->context, &output, &input, end);
		if (ZSTD_isError(left))
			return false;
		packer->error = file_write_all(packer->fd, packer->output, output.pos, -1);
		if (packer->error)
			return false;
	} while (input.pos < input.size || (end == ZSTD_e_end && left));
	return true;
}

static la_ssize_t packer_write(struct archive *archive _unused_, void *data, const void *bytes,
			       size_t size)
{
	return packer_add(data, bytes, size, ZSTD_e_continue) ? (la_ssize_t)size : -1;
}

/* ---- members ---- */

static const char *const object_files[] = { "elf", "debug", "vdso", "kallsyms", "companion" };

static const char *known_file_name(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(object_files); i++)
		if (!strcmp(object_files[i], name))
			return object_files[i];
	return NULL;
}

struct packed_file {
	struct build_id build_id;
	char *mapped;     /* path of the object, if it has no build id; else NULL */
	const char *name; /* of the object's file; NULL: the recording */
	int fd;
};

/* Sets the build id, the object's path and the name of a file, as its path in the archive gives
 * them. Returns false if the path has no known form. */
static bool parse_member(const char *path, struct packed_file *file)
{
	struct build_id *build_id = &file->build_id;

	*file = (struct packed_file){ .fd = -1 };
	if (!strcmp(path, RECORDING_MEMBER))
		return true;
	if (starts_with(path, NAMELESS_FOLDER "/")) {
		file->mapped = xstrdup(path + strlen(NAMELESS_FOLDER));
		file->name = known_file_name("elf");
		return true;
	}
	if (!starts_with(path, OBJECTS_FOLDER))
		return false;
	path = build_id_parse(path + strlen(OBJECTS_FOLDER), build_id);
	if (build_id->size != 1 || *path != '/')
		return false;
	path = build_id_parse(path + 1, build_id);
	if (build_id->size < 2 || *path != '/')
		return false;
	file->name = known_file_name(path + 1);
	return file->name != NULL;
}

/* ---- reading ---- */

struct recording_archive {
	struct packed_file *files;
	size_t count, capacity, most;
	uint64_t left;   /* bytes that its members may still have */
	void *recording; /* mapped */
	size_t recording_size;
	int64_t modified;
};

bool recording_archive_probe(const void *data, size_t size)
{
	static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd }; /* RFC 8878, 3.1.1 */

	return size >= sizeof(zstd) && !memcmp(data, zstd, sizeof(zstd));
}

/* Returns the file that has the build id, the path and the name of `wanted`. */
static const struct packed_file *find_packed(const struct recording_archive *archive,
					     const struct packed_file *wanted)
{
	array_each (const struct packed_file, file, archive->files, archive->count) {
		bool same = wanted->name ? file->name && !strcmp(file->name, wanted->name)
					 : !file->name;

		if (same && !strcmp(file->mapped ?: "", wanted->mapped ?: "") &&
		    build_id_equal(&file->build_id, &wanted->build_id))
			return file;
	}
	return NULL;
}

/* Copies the contents of a member to `fd`. */
static struct error *copy_member(const struct libarchive *library, struct archive *reader,
				 int64_t size, const char *name, int fd)
{
	const void *block;
	size_t length;
	la_int64_t offset;
	int status, failed;

	while ((status = library->read_data_block(reader, &block, &length, &offset)) ==
	       ARCHIVE_OK) {
		if (offset < 0 || offset > size || length > (uint64_t)(size - offset))
			return error_create(ERROR_FORMAT, "%s: a member is longer than it says",
					    name);
		failed = file_write_all(fd, block, length, offset);
		if (failed)
			return temporary_file_error(failed);
	}
	return status == ARCHIVE_EOF ? NULL
				     : error_create(ERROR_FORMAT, "%s: %s", name,
						    archive_problem(library, reader));
}

static struct error *unpack_member(const struct libarchive *library, struct archive *reader,
				   struct archive_entry *entry, const char *name,
				   struct recording_archive *archive)
{
	const char *path = library->entry_pathname(entry);
	int64_t size = library->entry_size(entry);
	struct packed_file file = { .fd = -1 };

	if (archive->count == archive->most)
		return error_create(ERROR_FORMAT,
				    "%s: it has too many members for its size (unpack it with tar)",
				    name);
	if (!path || library->entry_filetype(entry) != AE_IFREG || size < 0 ||
	    !parse_member(path, &file) || find_packed(archive, &file)) {
		free(file.mapped);
		return error_create(
			ERROR_FORMAT,
			"%s: 'dtprof archive' does not write its member '%s': unpack it with tar",
			name, path ?: "");
	}
	array_add(archive->files, archive->count, archive->capacity) = file;
	if ((uint64_t)size > archive->left)
		return error_create(ERROR_FORMAT,
				    "%s: its member '%s' has %lld bytes: its members are larger "
				    "than an archive of this size may have (unpack it with tar)",
				    name, path, (long long)size);
	archive->left -= (uint64_t)size;
	RETURN_ERROR(temporary_file_open(&archive->files[archive->count - 1].fd));
	file = archive->files[archive->count - 1];
	RETURN_ERROR(copy_member(library, reader, size, name, file.fd));
	if (ftruncate(file.fd, size))
		return temporary_file_error(errno);
	if (!file.name) {
		archive->recording_size = (size_t)size;
		archive->modified = library->entry_mtime(entry);
	}
	return NULL;
}

static struct error *unreadable(const struct libarchive *library, struct archive *reader,
				const char *name, const struct recording_archive *archive)
{
	if (archive->count)
		return error_create(ERROR_FORMAT, "%s: %s", name, archive_problem(library, reader));
	return error_create(
		ERROR_FORMAT,
		"%s is compressed with zstd, but was not made by 'dtprof archive' (%s); a "
		"recording alone: zstd -dc FILE | dtprof report -i -",
		name, archive_problem(library, reader));
}

static struct error *unpack_members(const struct libarchive *library, struct archive *reader,
				    const char *name, struct recording_archive *archive)
{
	struct archive_entry *entry;
	int status;

	while ((status = library->read_next_header(reader, &entry)) == ARCHIVE_OK)
		RETURN_ERROR(unpack_member(library, reader, entry, name, archive));
	if (status == ARCHIVE_EOF)
		return NULL;
	return unreadable(library, reader, name, archive);
}

/* Unpacks all members and compares the checksum. */
static struct error *unpack_all(const struct libarchive *library, struct archive *reader,
				const void *data, size_t size, const char *name,
				struct recording_archive *archive)
{
	struct unpacker unpacker;
	struct error *error = unpacker_init(&unpacker, data, size);

	if (error)
		error = error_prefix(error, "%s", name);
	else if (library->read_open(reader, &unpacker, NULL, unpacker_read, NULL) == ARCHIVE_OK)
		error = unpack_members(library, reader, name, archive);
	else
		error = unreadable(library, reader, name, archive);
	if (unpacker.message || (!error && !unpacker_finish(&unpacker))) {
		error_destroy(error);
		error = error_create(ERROR_FORMAT, "%s: damaged: zstd: %s", name, unpacker.message);
	}
	ZSTD_freeDCtx(unpacker.context);
	free(unpacker.output);
	return error;
}

static struct error *map_recording(struct recording_archive *archive, const char *name)
{
	const struct packed_file *file = find_packed(archive, &(struct packed_file){ 0 });

	if (!file || !archive->recording_size)
		return error_create(ERROR_FORMAT,
				    "%s is compressed with zstd, but was not made by 'dtprof "
				    "archive': it has no " RECORDING_MEMBER,
				    name);
	archive->recording =
		mmap(NULL, archive->recording_size, PROT_READ, MAP_PRIVATE, file->fd, 0);
	if (archive->recording != MAP_FAILED)
		return NULL;
	archive->recording = NULL;
	return error_errno(errno, "%s: cannot map its " RECORDING_MEMBER, name);
}

struct error *recording_archive_unpack(const void *data, size_t size, const char *name,
				       struct recording_archive **result)
{
	struct recording_archive *archive;
	struct libarchive library;
	struct archive *reader;
	struct error *error = libarchive_load(&library);

	if (error)
		return error_prefix(error, "%s", name);
	(void)raise_file_limit();
	archive = xcalloc(1, sizeof(*archive));
	archive->left = unpacked_max(size);
	archive->most = packed_files_max(size);
	reader = library.read_new();
	if (!reader || library.read_support_format_tar(reader) != ARCHIVE_OK)
		error = error_create(ERROR_UNSUPPORTED, "%s: " LIBARCHIVE " cannot read tar", name);
	else
		error = unpack_all(&library, reader, data, size, name, archive);
	if (reader)
		library.read_free(reader);
	if (!error)
		error = map_recording(archive, name);
	if (error)
		recording_archive_close(archive);
	else
		*result = archive;
	return error;
}

void recording_archive_close(struct recording_archive *archive)
{
	if (!archive)
		return;
	if (archive->recording)
		munmap(archive->recording, archive->recording_size);
	for (size_t i = 0; i < archive->count; i++) {
		if (archive->files[i].fd >= 0)
			close(archive->files[i].fd);
		free(archive->files[i].mapped);
	}
	free_all(archive->files, archive);
}

const void *recording_archive_data(const struct recording_archive *archive, size_t *size,
				   int64_t *modified)
{
	*size = archive->recording_size;
	*modified = archive->modified;
	return archive->recording;
}

char *recording_archive_path(const struct recording_archive *archive,
			     const struct build_id *build_id, const char *name)
{
	const struct packed_file *file =
		find_packed(archive, &(struct packed_file){ .build_id = *build_id, .name = name });

	return file ? xasprintf(OPEN_FILE_FOLDER "%d", file->fd) : NULL;
}

char *recording_archive_object(const struct recording_archive *archive, const char *path)
{
	_cleanup_free_ char *mapped = xstrdup(path);
	const struct packed_file *file =
		find_packed(archive, &(struct packed_file){ .mapped = mapped, .name = "elf" });

	return file ? xasprintf(OPEN_FILE_FOLDER "%d", file->fd) : NULL;
}

/* ---- writing ---- */

struct archive_writer {
	struct libarchive library;
	struct archive *archive;
	struct packer packer;
	char *path;
	struct output_file file;
};

static struct error *writer_error(struct archive_writer *writer)
{
	if (writer->packer.error)
		return error_errno(writer->packer.error, "cannot write %s", writer->path);
	return error_other("cannot write %s: %s", writer->path,
			   archive_problem(&writer->library, writer->archive));
}

static struct error *writer_open(struct archive_writer *writer)
{
	const struct libarchive *library = &writer->library;

	RETURN_ERROR(output_file_open(writer->path, NULL, OUTPUT_PRIVATE, &writer->file));
	writer->archive = library->write_new();
	if (!writer->archive)
		return error_other(LIBARCHIVE " cannot write archives");
	if (!packer_init(&writer->packer, writer->file.written->fd))
		return error_other("zstd cannot be set up");
	if (library->write_set_format_pax_restricted(writer->archive) != ARCHIVE_OK ||
	    library->write_open(writer->archive, &writer->packer, NULL, packer_write, NULL) !=
		    ARCHIVE_OK)
		return writer_error(writer);
	return NULL;
}

struct error *archive_writer_create(const char *path, struct archive_writer **result)
{
	struct archive_writer *writer = xcalloc(1, sizeof(*writer));

	writer->path = xstrdup(path);

	struct error *error = libarchive_load(&writer->library);

	if (!error)
		error = writer_open(writer);
	if (error)
		archive_writer_destroy(writer);
	else
		*result = writer;
	return error;
}

/* Writes a member's header, readable, without owners, which mean nothing elsewhere. */
static struct error *begin_member(struct archive_writer *writer, const char *member, uint64_t size,
				  int64_t modified, mode_t mode)
{
	const struct libarchive *library = &writer->library;
	struct archive_entry *entry = library_memory(library->entry_new());

	library->entry_set_pathname(entry, member);
	library->entry_set_filetype(entry, AE_IFREG);
	library->entry_set_perm(entry, mode);
	library->entry_set_size(entry, (la_int64_t)size);
	library->entry_set_mtime(entry, modified, 0);
	int status = library->write_header(writer->archive, entry);

	library->entry_free(entry);
	return status == ARCHIVE_OK ? NULL : writer_error(writer);
}

#define PART ((size_t)1 << 20) /* bytes that are written at once */

static struct error *add_bytes(struct archive_writer *writer, const void *bytes, size_t size)
{
	return writer->library.write_data(writer->archive, bytes, size) == (la_ssize_t)size
		       ? NULL
		       : writer_error(writer);
}

/* Adds the file of an image, as it was when it was opened: by now its path may lead elsewhere. */
static struct error *add_image(struct archive_writer *writer, const char *member,
			       const struct elf_image *image)
{
	const struct stat *file = elf_image_file(image);
	mode_t mode = file->st_ino ? file->st_mode & 0755 : 0644;
	size_t size;
	const uint8_t *bytes = elf_image_data(image, &size);

	RETURN_ERROR(begin_member(writer, member, size, 0, mode));
	for (size_t done = 0; done < size; done += PART) {
		size_t part = size - done < PART ? size - done : PART;

		RETURN_ERROR(add_bytes(writer, bytes + done, part));
		elf_image_done_with(image, bytes + done, part);
	}
	return NULL;
}

struct error *archive_writer_add_recording(struct archive_writer *writer, const void *bytes,
					   size_t size, int64_t modified)
{
	RETURN_ERROR(
		begin_member(writer, RECORDING_MEMBER, size, modified / NS_PER_S, OUTPUT_PRIVATE));
	return add_bytes(writer, bytes, size);
}

/* Returns the path of the member NAME of an object. The caller frees it. */
static char *member_of(const struct build_id *build_id, const char *name)
{
	const struct build_id_text id = build_id_text(build_id);

	return xasprintf(OBJECTS_FOLDER "%.2s/%s/%s", id.hex, id.hex + 2, name);
}

struct error *archive_writer_add_image(struct archive_writer *writer,
				       const struct build_id *build_id, const char *name,
				       const struct elf_image *image)
{
	_cleanup_free_ char *member = member_of(build_id, name);

	return add_image(writer, member, image);
}

struct error *archive_writer_add_symbols(struct archive_writer *writer,
					 const struct build_id *build_id, const void *text,
					 size_t size)
{
	_cleanup_free_ char *member = member_of(build_id, "kallsyms");

	RETURN_ERROR(begin_member(writer, member, size, 0, OUTPUT_PRIVATE));
	return add_bytes(writer, text, size);
}

struct error *archive_writer_add_nameless(struct archive_writer *writer, const char *mapped,
					  const struct elf_image *image)
{
	_cleanup_free_ char *member = xasprintf(NAMELESS_FOLDER "%s", mapped);

	return add_image(writer, member, image);
}

struct error *archive_writer_finish(struct archive_writer *writer, uint64_t *size)
{
	struct error *error = NULL;
	struct stat status = { 0 };

	if (writer->library.write_close(writer->archive) != ARCHIVE_OK ||
	    !packer_add(&writer->packer, NULL, 0, ZSTD_e_end))
		error = writer_error(writer);
	else if (fstat(writer->file.written->fd, &status))
		error = error_errno(errno, "cannot write %s", writer->path);
	if (!error)
		error = output_file_close(&writer->file, true);
	*size = (uint64_t)status.st_size;
	archive_writer_destroy(writer);
	return error;
}

void archive_writer_destroy(struct archive_writer *writer)
{
	if (!writer)
		return;
	if (writer->archive)
		writer->library.write_free(writer->archive);
	ZSTD_freeCCtx(writer->packer.context);
	free(writer->packer.output);
	error_destroy(output_file_close(&writer->file, false));
	free_all(writer->path, writer);
}
