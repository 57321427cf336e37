// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A companion that was cut off, or of which a bit was changed, is refused; one that is still used
 * says what the whole one says. $COMPANION_DAMAGE is the number of copies of each kind.
 */
#include "tests/support/unit.h" /* first: cmocka and the headers that it needs */

#include <stdlib.h>
#include <string.h>

#include "annotate/companion/accesses.h"
#include "base/hash.h"
#include "base/memory.h"
#include "dwarf/companion/companion.h"
#include "dwarf/debug.h"
#include "tests/support/files.h"
#include "tests/support/workload.h"

#define COPIES 400

static uint64_t add_text(uint64_t hash, const char *text)
{
	return hash_combine(hash, text ? hash_bytes(text, strlen(text)) : 1);
}

static uint64_t hash_access(uint64_t hash, const struct access *access)
{
	hash = hash_combine(hash, access->kind | (uint64_t)access->reason << 8 |
					  (uint64_t)access->size << 16 |
					  (uint64_t)access->rule << 32);
	hash = hash_combine(hash, (uint64_t)access->offset);
	return add_text(hash, access->type ? type_name_interned(access->type) : NULL);
}

/* Returns a hash of what the companion says of the code at these addresses, and of its types. */
static uint64_t hash_answers(struct debug_object *object, uint64_t low, uint64_t high)
{
	struct companion *companion = companion_of(object);
	struct companion_answers answers;
	struct debug_reader *reader;
	struct inlined_call calls[8];
	uint64_t hash = 0;
	const char *file;
	unsigned int line;

	companion_answers_open(&answers, companion);
	reader = debug_reader_open(object);
	for (uint64_t at = low; at < high; at++) {
		struct access access = companion_access(&answers, at, at & 1, true);

		hash = hash_access(hash, &access);
		hash = hash_combine(hash, debug_reader_inlined(reader, at, calls, COUNT_OF(calls)));
		if (debug_reader_line(reader, at, &file, &line))
			hash = add_text(hash_combine(hash, line), file);
	}
	for (uint64_t i = 1; companion_type(companion, i); i++) {
		size_t count;
		const struct type *type = companion_type(companion, i);
		const struct member *members = type_members(type, &count);

		hash = add_text(hash, type_name_interned(type));
		for (size_t k = 0; k < count; k++)
			hash = add_text(hash_combine(hash, (uint64_t)members[k].offset),
					members[k].name);
	}
	companion_answers_close(&answers);
	debug_reader_close(reader);
	return hash;
}

/* A program with its companion, and a run of its code. */
struct subject {
	struct workload *workload;
	struct elf_image *image;
	uint8_t *bytes;
	size_t size;
	uint64_t low, high;
};

/* Returns the hash of what a copy of the companion says; 0: it is refused. */
static uint64_t hash_copy(const struct subject *subject, const uint8_t *bytes, size_t size)
{
	struct debug_object *object;
	struct elf_image *file;
	struct error *error = elf_image_open_memory(bytes, size, "copy", &file);
	uint64_t hash = 0;

	if (!error)
		error = companion_open(subject->image, file, "copy", &object);
	if (!error) {
		hash = hash_answers(object, subject->low, subject->high) | 1;
		debug_object_close(object);
	} else {
		/* one line that says what to do, or what the file is */
		assert_null(strchr(error->message, '\n'));
		assert_true(strlen(error->message) > 10);
	}
	error_destroy(error);
	return hash;
}

static void open_subject(struct subject *subject)
{
	_cleanup_process_ struct process_result result = { 0 };
	const struct symbol *main;

	need_compiler("gcc");
	subject->workload = workload_build("gcc -O2 -g -Wl,--build-id", "tests/workloads/cache.c");
	assert_non_null(subject->workload);
	shell_must(&result, "%s index -q %s", dtprof_path(), subject->workload->program);
	_cleanup_free_ char *path = xasprintf("%s.dtp", subject->workload->program);

	subject->bytes = file_read(path, &subject->size);
	assert_null(elf_image_open(subject->workload->program, &subject->image));
	main = elf_image_symbol_named(subject->image, "main");
	assert_non_null(main);
	subject->low = main->address;
	subject->high = main->address + main->size;
}

static void close_subject(struct subject *subject)
{
	elf_image_close(subject->image);
	free(subject->bytes);
	workload_destroy(subject->workload);
}

static void test_damage(void **state)
{
	(void)state;
	struct subject subject;
	const char *wanted = getenv("COMPANION_DAMAGE");
	size_t copies = wanted ? strtoul(wanted, NULL, 10) : COPIES, refused = 0, used = 0;

	open_subject(&subject);
	uint64_t whole = hash_copy(&subject, subject.bytes, subject.size);

	assert_int_not_equal(whole, 0);
	for (size_t i = 0; i < 2 * copies; i++) {
		uint64_t random = hash_mix(i + 1);
		size_t size = i & 1 ? subject.size : random % subject.size;
		_cleanup_free_ uint8_t *copy = xmalloc(size + 1);
		uint64_t hash;

		memcpy(copy, subject.bytes, size);
		if (i & 1)
			copy[random % size] ^= (uint8_t)(1 << (random >> 40 & 7));
		hash = hash_copy(&subject, copy, size);
		if (hash && hash != whole)
			fail_msg("copy %zu is used, and says something else", i);
		refused += !hash;
		used += hash != 0;
	}
	print_message("%zu copies: %zu refused, %zu used\n", 2 * copies, refused, used);
	assert_true(refused > copies);
	close_subject(&subject);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
