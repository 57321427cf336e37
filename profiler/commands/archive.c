// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof archive: packs a recording with the objects that it needs, for another machine. */

#include "dwarf/elf/image.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/cursor.h"
#include "base/text.h"
#include "profiler/commands/commands.h"
#include "profiler/cli/sandbox.h"
#include "profiler/cli/input.h"
#include "profiler/cli/keep_objects.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/objects/archive.h"
#include "profiler/objects/kernel.h"

#define ARCHIVE_SUFFIX ".dtprof"

static struct {
	struct input_options input;
	const char *output; /* NULL: the input's name with ARCHIVE_SUFFIX */
	bool all;
} options;

// clang-format off
static const struct option_spec archive_options[] = {
	OPTION(STRING, 'i', "input", &options.input.path, "FILE", "pack this recording (perf.data)"),
	OPTION(STRING, 'o', "output", &options.output, "FILE", "write the archive here (the input's name, ending in\n.dtprof)"),
	FLAG(0, "all", &options.all, "pack all objects whose code was mapped, not only those\nwith samples"),
	FLAG('f', "force", &options.input.dso.force, "read the recording even if it belongs to another user"),
	OPTION(STRING, 'k', "vmlinux", &options.input.dso.vmlinux, "FILE", "the recorded kernel with its debug information"),
	FLAG(0, "ignore-vmlinux", &options.input.dso.no_vmlinux, "pack no kernel with debug information"),
	OPTION(STRING, 0, "kallsyms", &options.input.dso.kallsyms, "FILE", "the recorded kernel's symbols, a copy of /proc/kallsyms"),
	{ OPTION_CALL, 0, "symfs", &options.input.dso.symfs, "DIR[,LAYOUT]", "look for all objects below DIR, as dtprof report does", parse_symfs_option },
	OPTION(COUNT, 'v', "verbose", &options.input.verbose, NULL, "name each file, and each object that is left out"),
	FLAG('q', "quiet", &options.input.quiet, "print nothing but errors"),
	OPTIONS_END,
};
// clang-format on

static const struct command_usage archive_usage = {
	.name = "archive",
	.synopsis = "[OPTIONS]",
	.summary = "Packs a recording with the programs, libraries and debug files that it needs.",
	.options = archive_options,
};

struct packing {
	struct archive_writer *writer;
	struct error *error; /* the first one: nothing is packed after it */
	unsigned int objects, debug_files, companions, missing;
	struct strbuf *names; /* of the first NAMES_SHOWN that are missing */
};

#define NAMES_SHOWN 4

/* Packs the file of an image as `name` of the object. Returns false after the first error. */
static bool pack(struct packing *packing, const struct dso *dso, const char *name,
		 const struct elf_image *image)
{
	if (packing->error)
		return false;
	packing->error = archive_writer_add_image(packing->writer, &dso->build_id, name, image);
	if (!packing->error && options.input.verbose)
		print_printable("%s: %s of %s",
				dso->kind == DSO_VDSO ? "memory" : elf_image_path(image), name,
				dso->long_name);
	return !packing->error;
}

static void leave_out(struct packing *packing, const struct dso *dso, const char *why)
{
	if (packing->missing++ < NAMES_SHOWN)
		strbuf_add_format(packing->names, "%s%s", packing->missing > 1 ? ", " : "",
				  dso->short_name);
	if (options.input.verbose)
		warning("%s is left out: %s", dso->long_name, why);
}

/* Packs the symbols of the kernel and its modules. False if their addresses cannot be read. */
static bool pack_kernel_symbols(struct packing *packing, const struct dso *dso)
{
	const char *path = dso_kernel_memory_symbols(dso, &options.input.dso);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_close_ int fd = -1;
	_cleanup_error_ struct error *error = path ? symbols_file_open(path, &fd) : NULL;

	if (fd >= 0 && !file_read_all(fd, SIZE_MAX, &text) && !packing->error)
		packing->error = error_errno(errno, "cannot read all of %s", path);
	/* all addresses are zero for users who may not see them */
	if (packing->error || !text.length || starts_with(text.data, "0000000000000000 "))
		return false;
	packing->error =
		archive_writer_add_symbols(packing->writer, &dso->build_id, text.data, text.length);
	if (!packing->error && options.input.verbose)
		print_printable("memory: kallsyms of %s", dso->long_name);
	return !packing->error;
}

/* Packs an object without a build id, which is known by its path. */
static void pack_nameless(struct packing *packing, struct dso *dso)
{
	const struct elf_image *image;
	const char *problem;

	if (dso->kind != DSO_USER || dso->build_id.size || dso->long_name[0] != '/' ||
	    strstr(dso->long_name, "/../")) {
		leave_out(packing, dso, "its build id was not recorded");
		return;
	}
	image = dso_image(dso, &options.input.dso, &problem);
	if (!image) {
		leave_out(packing, dso, problem);
		return;
	}
	if (packing->error)
		return;
	packing->error = archive_writer_add_nameless(packing->writer, dso->long_name, image);
	if (packing->error)
		return;
	packing->objects++;
	if (options.input.verbose)
		print_printable("%s: elf of %s, which has no build id", elf_image_path(image),
				dso->long_name);
	if (dso_debug_image(dso, &options.input.dso))
		leave_out(packing, dso, "its debug file cannot be told from others");
}

static void pack_dso(void *data, struct dso *dso)
{
	struct packing *packing = data;
	const struct elf_image *image, *debug;
	const char *problem;

	if (dso->kind != DSO_USER && dso->kind != DSO_VDSO && dso->kind != DSO_KERNEL &&
	    dso->kind != DSO_MODULE)
		return;
	if (dso->build_id.size < 2) {
		pack_nameless(packing, dso);
		return;
	}
	bool has_symbols = dso->kind == DSO_KERNEL && pack_kernel_symbols(packing, dso);

	image = dso_image(dso, &options.input.dso, &problem);
	/* few machines have more of the kernel than symbols, and few recordings need more */
	if (!image && has_symbols && !options.input.verbose)
		return;
	if (!image) {
		leave_out(packing, dso, problem);
		return;
	}
	if (dso_is_kernel(dso) && elf_is_core(elf_image_path(image))) {
		leave_out(packing, dso, "only its memory is here, not its file");
		return;
	}
	if (pack(packing, dso, dso->kind == DSO_VDSO ? "vdso" : "elf", image))
		packing->objects++;
	if (dso_companion_file(dso)) {
		/* it has what the debug information says */
		if (pack(packing, dso, "companion", dso_companion_file(dso)))
			packing->companions++;
		return;
	}
	debug = dso_debug_image(dso, &options.input.dso);
	if (debug && dso->kind != DSO_VDSO && pack(packing, dso, "debug", debug))
		packing->debug_files++;
}

/* Returns the archive's path for a recording's: "perf.dtprof" for "perf.data". */
static char *output_path(const char *input)
{
	size_t length = strlen(input);

	if (options.output)
		return xstrdup(options.output);
	if (ends_with(input, ".data"))
		length -= strlen(".data");
	return xasprintf("%.*s" ARCHIVE_SUFFIX, (int)length, input);
}

/* Returns whether the regular file is an archive. */
static bool is_archive(const char *path)
{
	uint8_t magic[4];

	return ordinary_file_begin(path, magic, sizeof(magic)) == sizeof(magic) &&
	       recording_archive_probe(magic, sizeof(magic));
}

/* Returns an error if the file at `path` is there and not an archive: it may be a recording. */
static struct error *check_output(const char *path)
{
	struct stat status;

	if (stat(path, &status) || is_archive(path) || (S_ISREG(status.st_mode) && !status.st_size))
		return NULL;
	return error_other(
		"%s exists and is not an archive: it is not replaced (-o names another file)",
		path);
}

/* Returns an error if the recording cannot be copied as one file. */
static struct error *check_input(const char *path)
{
	struct stat status;

	if (!strcmp(path, "-"))
		return error_other("a recording from standard input cannot be "
				   "packed: write it to a file first");
	if (stat(path, &status))
		return error_errno(errno, "%s", path);
	if (!S_ISREG(status.st_mode))
		return error_create(ERROR_FORMAT, "%s: not a regular file", path);
	return is_archive(path) ? error_other("%s is an archive already", path) : NULL;
}

static void print_summary(const struct packing *packing, const char *path, uint64_t size)
{
	_cleanup_strbuf_ struct strbuf word = STRBUF_INIT, parts = STRBUF_INIT;

	if (options.input.quiet)
		return;
	if (packing->missing)
		warning("left out: %s%s, with samples, but not on this machine or without a build "
			"id (-v says which)",
			packing->names->data, packing->missing > NAMES_SHOWN ? " and others" : "");
	strbuf_add_format(&parts, "the recording, %u object%s", packing->objects,
			  packing->objects == 1 ? "" : "s");
	if (packing->companions)
		strbuf_add_format(&parts, ", %u companion%s", packing->companions,
				  packing->companions == 1 ? "" : "s");
	strbuf_add_format(&parts, " and %u debug file%s", packing->debug_files,
			  packing->debug_files == 1 ? "" : "s");
	print_printable("%s: %s, %.1f MB", path, parts.data, (double)size / BYTES_PER_MB);
	strbuf_add_shell_word(&word, path);
	print_printable("Any machine can read it: dtprof report -i %s", word.data);
}

static struct error *archive_run(struct input *input)
{
	const char *path = options.input.path ?: "perf.data";
	_cleanup_free_ char *output = output_path(path);
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;
	struct packing packing = { .names = &names };
	const void *bytes;
	size_t length;
	int64_t modified;
	uint64_t size;

	sandbox_for(output, NULL, options.input.verbose);
	struct error *error = check_input(path);

	if (error)
		return options.input.path ? error : input_not_named(error);
	options.input.path = path;
	RETURN_ERROR(check_output(output));
	RETURN_ERROR(input_open(&options.input, input));
	RETURN_ERROR(archive_writer_create(output, &packing.writer));
	bytes = session_recording(input->session, &length, &modified);
	packing.error = archive_writer_add_recording(packing.writer, bytes, length, modified);
	progress_show("Packing", path);

	error = each_recorded_dso(input->session, options.all, pack_dso, &packing);

	progress_end();
	if (error || packing.error) {
		archive_writer_destroy(packing.writer);
		error_destroy(error ? packing.error : NULL);
		return error ?: packing.error;
	}
	RETURN_ERROR(archive_writer_finish(packing.writer, &size));
	print_summary(&packing, output, size);
	return NULL;
}

int command_archive(int argc, char **argv)
{
	_cleanup_input_ struct input input = { 0 };
	struct error *error;
	int rest, status;

	if (!command_begin(argc, argv, &archive_usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	if (rest)
		return command_fail_usage(error_other(
			"unexpected argument '%s' (-i FILE names a recording)", argv[0]));
	error = archive_run(&input);
	status = error ? command_fail(error) : input_status(&input);
	return status;
}
