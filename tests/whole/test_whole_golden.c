// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What annotate prints, to the byte: tests/whole/golden has each output, of recordings that are written here
 * over programs whose instructions and places no compiler chooses.
 *
 *     UPDATE_GOLDEN=1 build/tests/whole/test_whole_golden   writes the files anew: look at the difference
 */
#include "tests/support/unit.h"

#include <elf.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm/decoder.h"
#include "dwarf/elf_image.h"
#include "profiler/base/memory.h"
#include "profiler/ingest/format.h"
#include "tests/support/json_check.h"
#include "tests/support/perf_image.h"
#include "tests/support/process.h"

#define PROCESS 100
#define SAMPLE_TYPE                                                                                          \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD |                    \
	 PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)
#define FLAGS                                                                                                \
	"-g -O0 -static -nostdlib -no-pie -fno-pie -fno-stack-protector -fcf-protection=none "               \
	"-fno-asynchronous-unwind-tables -Wl,--build-id=none,-Ttext=0x500000"

enum { LOADS, STORES, EVENTS };

static const uint64_t ids[EVENTS] = { 11, 12 };

/* Samples of one instruction. */
struct hit {
	const char *function;
	unsigned int insn; /* from 0 */
	uint32_t event;
	uint32_t tid;
	unsigned int count;
	uint64_t weight;
	uint64_t source;
};

#define LOAD(level, more)  (PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, level) | PERF_MEM_S(LVL, HIT) | (more))
#define STORE(level, more) (PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, level) | PERF_MEM_S(LVL, HIT) | (more))

static const struct hit c_hits[] = {
	{ "writer", 0, STORES, 101, 9, 4, STORE(L1, PERF_MEM_S(LOCK, LOCKED)) },
	{ "writer", 1, STORES, 101, 1, 4, STORE(L1, 0) },
	{ "writer", 2, STORES, 101, 2, 5, STORE(L1, 0) },
	{ "writer", 3, STORES, 101, 3, 6, STORE(L2, 0) },
	{ "reader", 0, LOADS, 102, 7, 300, LOAD(REM_CCE1, PERF_MEM_S(SNOOP, HITM)) },
	{ "reader", 0, LOADS, 103, 1, 20, LOAD(L3, 0) },
	{ "reader", 1, LOADS, 102, 2, 5, LOAD(L1, 0) },
	{ "reader", 3, LOADS, 102, 4, 90, LOAD(LOC_RAM, PERF_MEM_S(TLB, MISS)) },
	{ "reader", 4, LOADS, 102, 2, 7, LOAD(L2, 0) },
	{ NULL, 0, 0, 0, 0, 0, 0 },
};

static const struct hit cxx_hits[] = {
	{ "browse", 0, LOADS, 101, 3, 4, LOAD(L1, 0) },   { "browse", 1, LOADS, 101, 1, 4, LOAD(L1, 0) },
	{ "browse", 2, LOADS, 101, 4, 9, LOAD(L2, 0) },   { "browse", 3, LOADS, 101, 2, 4, LOAD(L1, 0) },
	{ "browse", 4, STORES, 101, 5, 4, STORE(L1, 0) }, { NULL, 0, 0, 0, 0, 0, 0 },
};

struct program {
	char *path, *data; /* NULL: it could not be built here */
};

struct setting {
	char *folder;
	struct program c, cxx;
};

static void must(struct error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

static uint64_t address_of(const struct elf_image *image, struct decoder *decoder, const struct hit *hit)
{
	const struct symbol *symbol = elf_image_symbol_named(image, hit->function);
	size_t available;
	struct insn insn;
	uint64_t address;

	assert_non_null(symbol);
	address = symbol->address;
	for (unsigned int i = 0; i < hit->insn; i++) {
		const uint8_t *bytes = elf_image_bytes(image, address, &available);

		assert_non_null(bytes);
		decoder_decode(decoder, bytes, available, address, &insn);
		address += insn.length;
	}
	return address;
}

static void add_event(struct perf_image *image, uint32_t event)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = event == LOADS ? PERF_COUNT_HW_CACHE_REFERENCES
								 : PERF_COUNT_HW_CACHE_MISSES,
					.sample_type = SAMPLE_TYPE,
					.sample_period = 1 };

	perf_image_event(image, &attr, &ids[event], 1);
}

/* The map of the executable segment, at its own address: the program is not position independent. */
static void add_program(struct perf_image *image, const struct elf_image *elf, const char *path)
{
	size_t size;
	const uint8_t *data = elf_image_data(elf, &size);
	const Elf64_Ehdr *header = (const void *)data;
	const Elf64_Phdr *code = (const void *)(data + header->e_phoff);

	while (!(code->p_flags & PF_X))
		code++;
	put32(&image->body, PROCESS), put32(&image->body, PROCESS);
	put_string(&image->body, "golden");
	perf_image_record(image, PERF_RECORD_COMM, 0);
	put32(&image->body, PROCESS), put32(&image->body, PROCESS);
	put64(&image->body, code->p_vaddr & ~UINT64_C(4095)), put64(&image->body, 4096);
	put64(&image->body, code->p_offset & ~UINT64_C(4095));
	put_string(&image->body, path);
	perf_image_record(image, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
}

static void add_samples(struct perf_image *image, const struct hit *hit, uint64_t address)
{
	for (unsigned int i = 0; i < hit->count; i++) {
		put64(&image->body, ids[hit->event]);
		put64(&image->body, address);
		put32(&image->body, PROCESS), put32(&image->body, hit->tid);
		put64(&image->body, hit->event == LOADS ? 1000 : 500);
		put64(&image->body, hit->weight);
		put64(&image->body, hit->source);
		perf_image_record(image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	}
}

/* One group of both events. */
static void add_group(struct perf_image *image)
{
	struct strbuf *group = &image->features[FEATURE_GROUP_DESC];

	put32(group, 1);
	put32(group, 16);
	strbuf_add(group, "{anon_group}\0\0\0\0", 16);
	put32(group, 0);
	put32(group, EVENTS);
}

static void write_recording(const struct program *program, const struct hit *hits)
{
	_cleanup_perf_image_ struct perf_image image;
	struct elf_image *elf;
	struct decoder *decoder;
	size_t size;

	perf_image_init(&image);
	must(elf_image_open(program->path, &elf));
	must(decoder_create(&decoder));
	add_event(&image, LOADS);
	add_event(&image, STORES);
	add_program(&image, elf, program->path);
	add_group(&image);
	put32(&image.features[FEATURE_CACHELINE_SIZE], 32);
	for (; hits->function; hits++)
		add_samples(&image, hits, address_of(elf, decoder, hits));

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);
	FILE *file = fopen(program->data, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
	decoder_destroy(decoder);
	elf_image_close(elf);
}

static void build(struct setting *setting, struct program *program, const char *compiler, const char *name,
		  const struct hit *hits)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command =
		xasprintf("%s " FLAGS " -o %s/%s tests/workloads/%s", compiler, setting->folder, name, name);

	_cleanup_free_ char *first = xstrndup(compiler, strcspn(compiler, " "));

	if (!process_exists(first))
		return;
	process_shell(command, &result);
	if (result.status) {
		print_message("%s\n%s", command, result.errors.data);
		return;
	}
	program->path = xasprintf("%s/%s", setting->folder, name);
	program->data = xasprintf("%s/%s.data", setting->folder, name);
	write_recording(program, hits);
}

static int set_up(void **state)
{
	struct setting *setting = xcalloc(1, sizeof(*setting));

	*state = setting;
	setting->folder = scratch_create();
	/* clang does not say where parameters of naked functions are */
	build(setting, &setting->c, "gcc", "golden.c", c_hits);
	build(setting, &setting->cxx, "g++ -fno-rtti", "golden.cc", cxx_hits);
	return 0;
}

static int tear_down(void **state)
{
	struct setting *setting = *state;

	scratch_remove(setting->folder);
	free(setting->c.path);
	free(setting->c.data);
	free(setting->cxx.path);
	free(setting->cxx.data);
	free(setting);
	return 0;
}

/* `text` with every `from` made `to`. */
static void replace(struct strbuf *text, const char *from, const char *to)
{
	_cleanup_free_ char *old = strbuf_detach(text);
	const char *rest = old, *found;

	for (; (found = strstr(rest, from)); rest = found + strlen(from)) {
		strbuf_add(text, rest, (size_t)(found - rest));
		strbuf_add_string(text, to);
	}
	strbuf_add_string(text, rest);
}

/* What compilers put behind a function without epilogue is their own. */
static void drop_fillers(struct strbuf *text)
{
	_cleanup_free_ char *old = strbuf_detach(text);
	char *rest = old, *line;

	while ((line = strsep(&rest, "\n")) && rest)
		if (!strstr(line, "ud2") && !strstr(line, " nop"))
			strbuf_add_format(text, "%s\n", line);
}

static void read_file(const char *path, struct strbuf *text)
{
	FILE *file = fopen(path, "r");
	char buffer[4096];
	size_t got;

	if (!file)
		fail_msg("cannot open %s (UPDATE_GOLDEN=1 writes it)", path);
	while ((got = fread(buffer, 1, sizeof(buffer), file)))
		strbuf_add(text, buffer, got);
	fclose(file);
}

static void write_file(const char *path, const struct strbuf *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fwrite(text->data, 1, text->length, file);
	fclose(file);
}

/* JSON is what its schema says. */
static void assert_valid(const char *name, const char *text)
{
	_cleanup_strbuf_ struct strbuf schema = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf problem = STRBUF_INIT;
	size_t length = strlen(name);

	if (length < 5 || strcmp(name + length - 5, ".json") != 0)
		return;
	read_file("Documentation/annotate.schema.json", &schema);
	if (!json_check(text, schema.data, &problem))
		fail_msg("%s: %s", name, problem.data);
}

/* Sources have it in their paths. */
static const char *working_folder(char *folder, size_t size)
{
	assert_non_null(getcwd(folder, size));
	return folder;
}

static void assert_golden(const struct setting *setting, const struct program *program, const char *name,
			  const char *options)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_strbuf_ struct strbuf expected = STRBUF_INIT;
	char folder[PATH_MAX];
	_cleanup_free_ char *path = xasprintf("tests/whole/golden/%s", name);
	_cleanup_free_ char *command =
		xasprintf("%s annotate -i %s %s", dtprof_path(), program->data, options);

	process_shell(command, &result);
	if (result.status)
		fail_msg("%s: %s", command, result.errors.data);
	replace(&result.output, setting->folder, "DIR");
	assert_valid(name, result.output.data);
	replace(&result.output, working_folder(folder, sizeof(folder)), "HERE");
	if (!strstr(name, ".json"))
		drop_fillers(&result.output);
	if (getenv("UPDATE_GOLDEN")) {
		write_file(path, &result.output);
		return;
	}
	read_file(path, &expected);
	if (strcmp(result.output.data, expected.data) != 0)
		fail_msg("%s: not as in %s, but:\n%s", command, path, result.output.data);
}

static const struct golden {
	const char *name;
	const char *options;
	bool cxx;
} goldens[] = {
	{ "types.txt", "--stdio --data-type", false },
	{ "types-hex.txt", "--data-type=counter --hex -n --no-group", false },
	{ "columns.txt",
	  "--data-type=counter -F "
	  "samples,weight_mean,weight_max,loads,stores,l1,l2,l3,ram,remote,hitm,tlb,locked "
	  "--no-group",
	  false },
	{ "parts.txt", "--data-type=counter --by-symbol --elements", false },
	{ "layout.txt", "--layout --data-type=counter", false },
	{ "code.txt", "--stdio --code-with-type", false },
	{ "code-lines.txt", "reader -l --no-source -M intel --asm-raw -n --no-group", false },
	{ "code-drawn.txt", "--stdio2 --code-with-type --hex --no-source 'w*'", false },
	{ "stat.txt", "--type-stat --insn-stat --data-type=counter -n", false },
	{ "types.json", "--json --type-stat --insn-stat --data-type=counter --elements --by-symbol", false },
	{ "layout.json", "--json --layout --data-type=counter --no-group", false },
	{ "types.csv", "--csv --data-type=counter", false },
	{ "code.csv", "--csv --code-with-type --no-group", false },
	{ "class.txt", "--data-type=shop::Book", true },
	{ "class-layout.txt", "--data-type=Book --layout --cacheline 64", true },
};

static void test_outputs(void **state)
{
	const struct setting *setting = *state;

	for (size_t i = 0; i < sizeof(goldens) / sizeof(*goldens); i++) {
		const struct program *program = goldens[i].cxx ? &setting->cxx : &setting->c;

		if (program->data)
			assert_golden(setting, program, goldens[i].name, goldens[i].options);
		else
			print_message("%s: skipped, there is no %s\n", goldens[i].name,
				      goldens[i].cxx ? "g++" : "gcc");
	}
}

/* Its instructions are those that compilers add, too. */
static void test_code_as_json(void **state)
{
	const struct setting *setting = *state;
	_cleanup_process_ struct process_result result = { 0 };

	if (!setting->c.data) {
		print_message("skipped, there is no gcc\n");
		return;
	}
	_cleanup_free_ char *command =
		xasprintf("%s annotate -i %s --json --code-with-type", dtprof_path(), setting->c.data);

	process_shell(command, &result);
	assert_int_equal(result.status, 0);
	assert_valid("code.json", result.output.data);
	assert_non_null(strstr(result.output.data, "\"mnemonic\": \"incq\""));
	assert_non_null(strstr(result.output.data, "\"field\": \"trail.x\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_code_as_json),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
