// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof index: solves all code of programs, and writes their companions. */
#include <malloc.h>

#include "annotate/index/index.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "dwarf/companion/companion.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/sandbox.h"
#include "profiler/commands/commands.h"
#include "profiler/objects/companion_cache.h"
#include "profiler/objects/dso.h"

static struct {
	struct dso_options dso;
	const char *output;
	unsigned int threads;
	bool cache, quiet;
} options;

static void apply_alternatives(void *data, const uint64_t *addresses, size_t count)
{
	dso_apply_alternatives(data, addresses, count);
}

/* Gives up what indexing does not need: it writes beside the objects, or to one other place. */
static void enter_sandbox(char **objects, int count)
{
	_cleanup_free_ const char **outputs = xcalloc((size_t)count + 2, sizeof(*outputs));
	static const struct build_id any = { .size = 1 };
	_cleanup_free_ char *cache = options.cache ? companion_cached(&any) : NULL;
	size_t used = 0;

	for (int i = 0; i < count && !options.output && !cache; i++)
		outputs[used++] = objects[i];
	outputs[used++] = options.output;
	outputs[used++] = cache;
	(void)sandbox_enter(outputs, used, 0);
}

/* Returns the path of the companion, to be freed. */
static char *path_of(const char *object, const struct build_id *id)
{
	if (options.output)
		return xstrdup(options.output);
	return options.cache ? companion_cached(id) : xasprintf("%s" COMPANION_SUFFIX, object);
}

/* Writes the companion, which nobody may read who may not read the object that was opened. */
static struct error *write_file(const char *path, const char *object, mode_t mode,
				const struct strbuf *file)
{
	struct output_file output = { 0 };

	RETURN_ERROR(
		output_file_open(path, object, (mode & OUTPUT_PUBLIC) | OUTPUT_PRIVATE, &output));
	bool written = fwrite(file->data, 1, file->length, output.stream) == file->length;

	return output_file_close(&output, written);
}

static void print_index(const char *path, const struct index_counts *counts, size_t size)
{
	if (!options.quiet)
		print_printable("%s: %zu functions, %zu instructions; %zu of %zu accesses have a "
				"type; %zu types; %.2f MB",
				path, counts->functions, counts->instructions, counts->typed,
				counts->accesses, counts->types, (double)size / 1e6);
}

static struct error *index_file(struct dso_table *table, const char *object)
{
	_cleanup_free_ char *real = realpath(object, NULL);
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	struct index_counts counts;
	const char *problem;

	if (!real)
		return error_errno(errno, "%s", object);
	/* a module may need the BTF of its kernel */
	struct dso *dso = dso_table_get(
		table, &(struct dso_origin){ .name = real, .kernel = module_extension(real) });
	const struct elf_image *image = dso_image(dso, &options.dso, &problem);
	struct debug_object *debug = image ? dso_debug(dso, &options.dso, &problem) : NULL;

	if (!debug)
		return error_create(ERROR_NO_DEBUG_INFO, "%s", problem);
	if (elf_image_build_id(image)->size < 2)
		return error_create(ERROR_UNSUPPORTED,
				    "%s has no build id, by which companions are found: link it "
				    "with --build-id",
				    object);
	struct index_options index = { .threads = options.threads,
				       .apply_alternatives = apply_alternatives,
				       .apply_alternatives_data = dso };
	_cleanup_free_ char *path = path_of(object, elf_image_build_id(image));

	if (!path)
		return error_other("--cache: there is no $HOME to keep it in");
	RETURN_ERROR(index_object(image, debug, &index, &file, &counts));
	RETURN_ERROR(write_file(path, object, elf_image_file(image)->st_mode, &file));
	if (options.cache)
		companion_cache_trim();
	print_index(path, &counts, file.length);
	return NULL;
}

// clang-format off
static const struct option_spec index_specs[] = {
	GROUP("Output"),
	OPTION(STRING, 'o', "output", &options.output, "OUT", "write this file (FILE.dtp, beside each object)"),
	FLAG(0, "cache", &options.cache, "write to the user's cache, where all commands find it"),
	OPTION(U64, 0, "cache-size", &companion_cache_size, "BYTES", "--cache: keep at most so much, the newest (2G)"),
	FLAG('q', "quiet", &options.quiet, "print nothing but errors"),
	GROUP("Input"),
	OPTION(STRING, 0, "symfs", &options.dso.symfs, "DIR", "look for debug files below DIR"),
	OPTION(STRING, 0, "btf", &options.dso.btf, "PATH", "BTF of a module's kernel (the running kernel's)"),
	OPTION(UNSIGNED, 0, "threads", &options.threads, "N", "work with N threads (one for each processor)"),
	OPTIONS_END,
};
// clang-format on

int command_index(int argc, char **argv)
{
	static const struct command_usage usage = {
		.name = "index",
		.synopsis = "[OPTIONS] FILE...",
		.summary = "Solve all code of a build once, and keep the answers beside it.",
		.options = index_specs,
	};
	struct dso_table table = { 0 };
	struct error *error = NULL;
	int rest, status;

	if (!command_begin(argc, argv, &usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	if (!rest)
		error = error_other("the program, library or vmlinux is missing");
	else if (options.output && (rest > 1 || options.cache))
		error = error_other("-o names one file, for one FILE");
	if (error)
		return command_fail_usage(error);
	options.dso.no_companion = true;
#ifdef __GLIBC__
	/* the tables of a batch of questions are as large, and batch follows batch */
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
	if (options.cache)
		error = companion_cache_make();
	enter_sandbox(argv, rest);
	for (int i = 0; i < rest && !error; i++)
		error = index_file(&table, argv[i]);
	status = error ? command_fail(error) : EXIT_SUCCESS;
	dso_table_deinit(&table);
	return status;
}
