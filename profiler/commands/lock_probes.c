// SPDX-License-Identifier: GPL-2.0-or-later
/* Probes for waits of goroutines: see lock_probes.h. */
#include "profiler/commands/lock_probes.h"

#include "base/arch/arch.h"
#include "base/memory.h"
#include "disasm/insn.h"
#include "dwarf/elf/image.h"
#include "profiler/cli/output.h"
#include "profiler/record/rights.h"

#define ACQUIRE "runtime.semacquire1"

/* The frame is set up by so many of the first instructions. */
#define PROLOGUE_MAX 12

/* ---- one program ---- */

/* runtime/debug.buildInfo: 14 bytes of magic, the size of a pointer, flags, and since Go 1.18 the
 * text of the version, which the second flag says. Since then registers hold arguments on all
 * processors that are known here. */
#define BUILD_INFO       ".go.buildinfo"
#define BUILD_INFO_FLAGS 15
#define BUILD_INFO_TEXT  2

/* Removes all probes but the first `count`. */
static void keep_probes(struct record_options *record, size_t count)
{
	while (record->probe_count > count)
		free(record->probes[--record->probe_count].path);
}

static void add_probe(struct record_options *record, const struct event_probe *probe)
{
	record->probes =
		xrealloc_array(record->probes, record->probe_count + 1, sizeof(*record->probes));
	record->probes[record->probe_count] = *probe;
	record->probes[record->probe_count++].path = xstrdup(probe->path);
}

/* Adds the probes of a function: one behind the instruction that sets the frame pointer, so that
 * chains have its caller, and that comes after the check for room on the stack, from which the
 * function begins again; and one at each return. Returns false if it has not all of them, or if the
 * place of an instruction is in doubt: a probe within an instruction would change it. */
static bool add_function(const struct elf_image *image, const struct symbol *function,
			 struct event_probe *probe, struct record_options *record)
{
	const struct arch *arch = elf_image_arch(image);
	size_t size, before = record->probe_count, file_size;
	const uint8_t *code = elf_image_code(image, function->address, &size);
	const uint8_t *file = elf_image_data(image, &file_size);
	struct decoder *decoder = decoder_create(arch);
	const uint64_t goroutine = UINT64_C(1) << arch->perf_numbers[arch->goroutine],
		       semaphore = UINT64_C(1) << arch->perf_numbers[arch->go_call.arguments[0]];
	unsigned int count = 0;
	bool framed = false;
	uint64_t address;
	struct insn insn;

	size = code && function->size < size ? function->size : 0;
	if (!size || code < file || size > file_size - (size_t)(code - file) ||
	    !elf_image_offset_to_address(image, (uint64_t)(code - file), &address) ||
	    address != function->address)
		size = 0;
	for (size_t at = 0; decoder && at < size; at += insn.length, count++) {
		decoder_decode(decoder, code + at, size - at, function->address + at, &insn);
		if (insn.flags & FLAG_UNKNOWN) {
			framed = false;
			break;
		}
		if (insn.operation == OP_RETURN) {
			probe->offset = (uint64_t)(code + at - file);
			probe->name = EVENT_GO_END;
			probe->callchain = false;
			probe->registers = goroutine;
			add_probe(record, probe);
		} else if (!framed && count < PROLOGUE_MAX &&
			   insn.written & REG_BIT(arch->frame_pointer)) {
			framed = true;
			probe->offset = (uint64_t)(code + at + insn.length - file);
			probe->name = EVENT_GO_BEGIN;
			probe->callchain = true;
			probe->registers = goroutine | semaphore;
			add_probe(record, probe);
		}
	}
	decoder_destroy(decoder);
	return framed && record->probe_count > before + 1;
}

/* Adds the probes of a program that is open. */
static struct error *add_program(const struct elf_image *image, const char *path,
				 struct record_options *record)
{
	struct event_probe probe = { .path = (char *)path };
	size_t size, before = record->probe_count;
	const uint8_t *info = elf_image_contents(image, BUILD_INFO, &size);
	const struct symbol *function = info ? elf_image_symbol_named(image, ACQUIRE) : NULL;
	const char *reason = NULL;

	if (!info)
		return NULL;
	if (elf_image_arch(image) != arch_host())
		reason = "it is for another processor";
	else if (size <= BUILD_INFO_FLAGS || !(info[BUILD_INFO_FLAGS] & BUILD_INFO_TEXT))
		reason = "Go before 1.18 made it";
	else if (!function)
		reason = "it has no symbol " ACQUIRE " (link it without -s)";
	else if (!add_function(image, function, &probe, record))
		reason = "the code of " ACQUIRE " has an unknown form";
	if (!reason)
		return NULL;
	keep_probes(record, before);
	return error_create(ERROR_UNSUPPORTED, "%s: %s", path, reason);
}

/* The programs that were looked at. */
struct seen_programs {
	struct stat *items;
	size_t count, capacity;
};

static struct error *look_at(struct seen_programs *seen, const char *path,
			     struct record_options *record)
{
	struct elf_image *image;
	struct error *error = elf_image_open(path, &image);

	if (error) {
		error_destroy(error);
		return NULL;
	}
	const struct stat *file = elf_image_file(image);

	if (!any_of(i, 0, seen->count,
		    seen->items[i].st_ino == file->st_ino &&
			    seen->items[i].st_dev == file->st_dev)) {
		array_add(seen->items, seen->count, seen->capacity) = *file;
		error = add_program(image, path, record);
	}
	elf_image_close(image);
	return error;
}

struct error *lock_probes_of(const char *path, struct record_options *record)
{
	struct seen_programs seen = { 0 };
	struct error *error = look_at(&seen, path, record);

	free(seen.items);
	return error;
}

/* ---- the programs of a target ---- */

/* Returns why there can be no probes at all, or NULL. */
static struct error *check_machine(const struct record_options *record)
{
	struct rights rights;

	RETURN_ERROR(event_probes_check(record->root));
	RETURN_ERROR(rights_read(record->root, &rights));
	return rights.privileged
		       ? NULL
		       : error_create(ERROR_PERMISSION, "probes need root or CAP_PERFMON");
}

void lock_probes_add(struct record_options *record, char **reason)
{
	_cleanup_thread_ids_ struct thread_ids threads = { 0 }, processes = { 0 };
	struct seen_programs seen = { 0 };
	struct error *error = NULL;

	/* the command, or one that it starts: taskset -c 0 PROGRAM */
	for (size_t i = 0; record->workload && record->workload[i] && !error; i++) {
		_cleanup_free_ char *file =
			program_find(record->workload[i], strlen(record->workload[i]));

		if (file)
			error = look_at(&seen, file, record);
	}
	/* what is wrong with the target is said when it is recorded */
	if (record->target.system_wide)
		error_destroy(all_processes(&processes));
	else if (target_given(&record->target))
		error_destroy(target_threads(&record->target, &threads));
	thread_processes(&threads, &processes);
	for (size_t i = 0; i < processes.count; i++) {
		_cleanup_free_ char *path = xasprintf("/proc/%d/exe", processes.ids[i]);
		struct error *other = look_at(&seen, path, record);

		error_destroy(error ? other : NULL);
		error = error ?: other;
	}
	free(seen.items);
	struct error *refusal = record->probe_count ? check_machine(record) : NULL;

	if (refusal) {
		keep_probes(record, 0);
		error_destroy(error);
		error = refusal;
	}
	*reason = error ? xstrdup(error->message) : NULL;
	error_destroy(error);
}
