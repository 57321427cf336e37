// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits of goroutines in dtprof lock, on recordings that are written here, of probes and of a
 * timer: programs with functions that have the names of Go's.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/arch/arch.h"
#include "base/memory.h"
#include "profiler/commands/lock_probes.h"
#include "profiler/ingest/format.h"
#include "tests/support/debug_program.h"
#include "tests/support/files.h"
#include "tests/support/perf_image.h"
#include "tests/support/process.h"

static const char *data;

/* after_... is where the call before it returns to. sync.Mutex is no type of C, so that a lock is
 * named by its first member. */
static const struct debug_source sources[] = {
	{ "go.c", "#define APART __attribute__((noinline, noclone))\n"
		  "#define HERE(name) __asm__ volatile(\".globl \" #name \"\\n\" #name \":\" "
		  "::: \"memory\")\n"
		  "struct mutex { int state; unsigned sema; };\n"
		  "struct account { long id[5]; struct mutex lock; };\n"
		  "void acquire(unsigned *) __asm__(\"runtime.semacquire1\");\n"
		  "void slow(struct mutex *) __asm__(\"\\\"sync.(*Mutex).lockSlow\\\"\");\n"
		  "void recv(struct mutex *) __asm__(\"runtime.chanrecv\");\n"
		  "APART void acquire(unsigned *sema) { HERE(in_acquire); *sema += 1; }\n"
		  "APART void slow(struct mutex *m) { acquire(&m->sema); HERE(after_acquire);\n"
		  "	m->state++; }\n"
		  "APART void recv(struct mutex *m) { acquire(&m->sema); HERE(after_channel);\n"
		  "	m->state++; }\n"
		  "APART void add(struct account *a)\n"
		  "{ slow(&a->lock); HERE(after_slow); a->id[1]++; }\n"
		  "APART void receive(struct account *a)\n"
		  "{ recv(&a->lock); HERE(after_recv); a->id[1]++; }\n"
		  "int main(void) { static struct account a; add(&a); receive(&a);\n"
		  "	return a.id[1]; }\n" },
	{ NULL, NULL }
};

static uint64_t address_of(const struct debug_program *program, const char *name)
{
	uint64_t address;

	assert_true(elf_image_symbol_address(program->image, name, &address));
	return address;
}

/* A sample of a probe; 20 and 21 are the ids of the begin, and of the two returns. */
struct made_probe {
	uint64_t id;
	int pid, tid;
	uint64_t time, goroutine, lock;
	bool channel; /* no lock is waited for */
};

static void put_name(struct strbuf *buffer, const struct perf_event_attr *attr, const char *name,
		     uint64_t id)
{
	uint32_t length = round_up(strlen(name) + 1, 8);

	strbuf_add(buffer, attr, sizeof(*attr));
	put32(buffer, 1), put32(buffer, length);
	put_string(buffer, name);
	put64(buffer, id);
}

static void add_probe(struct perf_image *image, const struct debug_program *program,
		      const struct made_probe *probe)
{
	const uint64_t ip = address_of(program, "in_acquire"), callers[] = {
		address_of(program, probe->channel ? "after_channel" : "after_acquire"),
		address_of(program, probe->channel ? "after_recv" : "after_slow"),
	};

	put64(&image->body, probe->id);
	put64(&image->body, ip);
	put32(&image->body, (uint32_t)probe->pid), put32(&image->body, (uint32_t)probe->tid);
	put64(&image->body, probe->time);
	if (probe->id == 20) {
		put64(&image->body, 4);
		put64(&image->body, (uint64_t)PERF_CONTEXT_USER);
		put64(&image->body, ip);
		put64(&image->body, callers[0]), put64(&image->body, callers[1]);
	}
	put64(&image->body, PERF_SAMPLE_REGS_ABI_64);
	if (probe->id == 20)
		put64(&image->body, probe->lock);
	put64(&image->body, probe->goroutine);
	perf_image_record(image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
}

/* Writes a recording in which process 10 runs the program, and no other process is known. */
static void write_probes(const struct debug_program *program, const struct made_probe *probes,
			 size_t count)
{
	const struct arch *arch = arch_host();
	const uint64_t goroutine = UINT64_C(1) << arch->perf_numbers[arch->goroutine],
		       lock = UINT64_C(1) << arch->perf_numbers[arch->go_call.arguments[0]];
	struct perf_event_attr begin = { .type = 8,
					 .size = sizeof(begin),
					 .sample_period = 1,
					 .sample_regs_user = goroutine | lock,
					 .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
							PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
							PERF_SAMPLE_CALLCHAIN |
							PERF_SAMPLE_REGS_USER },
			       end = begin;
	_cleanup_perf_image_ struct perf_image image;
	size_t size;

	end.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	end.sample_regs_user = goroutine;
	perf_image_init(&image);
	perf_image_event(&image, &begin, (const uint64_t[]){ 20 }, 1);
	perf_image_event(&image, &end, (const uint64_t[]){ 21 }, 1);
	perf_image_event(&image, &end, (const uint64_t[]){ 22 }, 1);
	struct strbuf *names = &image.features[FEATURE_EVENT_DESC];

	put32(names, 3), put32(names, sizeof(begin));
	put_name(names, &begin, EVENT_GO_BEGIN, 20);
	put_name(names, &end, EVENT_GO_END, 21);
	put_name(names, &end, EVENT_GO_END, 22);
	put32(&image.body, 10), put32(&image.body, 10);
	put64(&image.body, 0x400000), put64(&image.body, 0x100000), put64(&image.body, 0);
	put_string(&image.body, program->path);
	perf_image_record(&image, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	for (size_t i = 0; i < count; i++)
		add_probe(&image, program, &probes[i]);
	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	file_write(data, bytes, size);
}

static void run(const char *arguments, struct process_result *result)
{
	_cleanup_free_ char *command = xasprintf("HOME=%s %s --no-pager %s -i %s", scratch_folder(),
						 dtprof_path(), arguments, data);

	process_shell(command, result);
	assert_string_equal(result->errors.data, "");
	process_check_status(result, 0);
}

/* A goroutine may go on on another thread, and by either return. Ends without a begin, waits at a
 * channel, and other processes that run the file do not count. */
static void waits_of_goroutines(void **state)
{
	static const struct made_probe probes[] = {
		{ 21, 10, 11, 50, 0x7000, 0, false },
		{ 20, 10, 11, 100, 0x7000, 0x9004, false },
		{ 20, 10, 11, 110, 0x7100, 0x9004, false },
		{ 20, 99, 99, 120, 0x7100, 0x9004, false },
		{ 21, 10, 12, 300, 0x7000, 0, false },
		{ 22, 10, 11, 1110, 0x7100, 0, false },
		{ 20, 10, 12, 1200, 0x7000, 0xa004, false },
		{ 21, 10, 11, 1240, 0x7000, 0, false },
		{ 20, 10, 12, 1300, 0x7000, 0xb004, true },
		{ 21, 10, 12, 1350, 0x7000, 0, false },
		/* the recording ends before it goes on */
		{ 20, 10, 11, 1400, 0x7200, 0x9004, false },
	};
	_cleanup_process_ struct process_result output, addresses, thread, all, json;
	struct debug_program program;

	(void)state;
	if (!debug_program_build(&program, "gcc", "-g -O1 -no-pie -fcf-protection=none", sources))
		skip_because("no gcc that makes programs at fixed addresses");
	write_probes(&program, probes, COUNT_OF(probes));
	run("lock report -q --callers 0 -F contended,wait_total,wait_max -x ,", &output);
	assert_string_equal(output.output.data,
			    "4, 1240, 1000, mutex, 2, struct account +40 (lock.state)\n");
	run("lock report -q -l -F contended,wait_total -x ,", &addresses);
	assert_string_equal(addresses.output.data,
			    "3, 1200, 0000000000009004, struct account +40 (lock.state), mutex\n"
			    "1, 40, 000000000000a004, struct account +40 (lock.state), mutex\n");
	/* a wait is of the thread on which it begins */
	run("lock report -q --tid 12 --callers 0 -F contended,wait_total -x ,", &thread);
	assert_string_equal(thread.output.data,
			    "1, 40, mutex, 1, struct account +40 (lock.state)\n");
	run("lock report -q --blocked --callers 0 -F contended,wait_total -x ,", &all);
	assert_non_null(strstr(all.output.data, "1, 50, other, "));
	run("lock report -q --json", &json);
	assert_non_null(strstr(json.output.data, "\"unfinished\": 1,"));
	debug_program_close(&program);
}

/* Only what Go made is probed. */
static void programs_without_probes(void **state)
{
	struct record_options record = { .root = "" };
	struct debug_program program;

	(void)state;
	if (!debug_program_build(&program, "gcc", "-g -O1 -no-pie -fcf-protection=none", sources))
		skip_because("no gcc that makes programs at fixed addresses");
	assert_null(lock_probes_of(program.path, &record));
	assert_null(lock_probes_of(scratch_file("nothing"), &record));
	assert_int_equal(record.probe_count, 0);
	debug_program_close(&program);
}

/* Makes a program that looks like one of Go's: FLAGS of its build information, and the function's
 * NAME. */
static struct error *probe_made_program(const char *flags, const char *name,
					struct record_options *record,
					struct debug_program *program)
{
	_cleanup_free_ char *options =
		xasprintf("-g -O1 -no-pie -fcf-protection=none -fno-omit-frame-pointer -DFLAGS=%s "
			  "-DNAME='\"%s\"'",
			  flags, name);
	static const struct debug_source made[] = {
		{ "made.c",
		  "__attribute__((section(\".go.buildinfo\"), used)) static const char info[32] =\n"
		  "	{ [14] = 8, [15] = FLAGS };\n"
		  "__attribute__((noinline, noclone)) void acquire(unsigned *sema) "
		  "__asm__(NAME);\n"
		  "void acquire(unsigned *sema) { char room[64]; __asm__ volatile(\"\" :: "
		  "\"r\"(room) : \"memory\"); *sema += 1; }\n"
		  "int main(void) { unsigned sema = 0; acquire(&sema); return sema - 1; }\n" },
		{ NULL, NULL }
	};

	*record = (struct record_options){ .root = "" };
	if (!debug_program_build(program, "gcc", options, made))
		skip_because("no gcc that makes programs at fixed addresses");
	return lock_probes_of(program->path, record);
}

/* The probes are behind the instruction that sets the frame pointer, and at the return. */
static void probes_of_a_function(void **state)
{
	static const struct {
		const char *flags, *name, *reason;
	} refused[] = {
		{ "0", "runtime.semacquire1", "Go before 1.18 made it" },
		{ "2", "runtime.other", "it has no symbol runtime.semacquire1" },
	};
	struct record_options record;
	struct debug_program program;
	uint64_t address;

	(void)state;
	assert_null(probe_made_program("2", "runtime.semacquire1", &record, &program));
	assert_int_equal(record.probe_count, 2);

	const struct event_probe *begin = &record.probes[0], *end = &record.probes[1];
	const uint64_t entry = address_of(&program, "runtime.semacquire1");

	assert_string_equal(begin->name, EVENT_GO_BEGIN);
	assert_string_equal(end->name, EVENT_GO_END);
	assert_true(begin->callchain && !end->callchain);
	assert_true(elf_image_offset_to_address(program.image, begin->offset, &address));
	assert_true(address > entry && address < entry + 16);
	assert_true(elf_image_offset_to_address(program.image, end->offset, &address));
	assert_true(address > entry + 8);
	if (!arch_host()->perf_link) { /* x86-64: ret */
		size_t size;

		assert_int_equal(*elf_image_bytes(program.image, address, &size), 0xc3);
	}
	free(record.probes[0].path), free(record.probes[1].path);
	free(record.probes);
	debug_program_close(&program);
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		_cleanup_error_ struct error *error =
			probe_made_program(refused[i].flags, refused[i].name, &record, &program);

		assert_non_null(error);
		assert_non_null(strstr(error->message, refused[i].reason));
		assert_int_equal(record.probe_count, 0);
		free(record.probes);
		debug_program_close(&program);
	}
}

/* Go's functions for locks take time while others have the lock. */
static void samples_in_functions_of_go(void **state)
{
	static const struct debug_source sources[] = {
		{ "go.c",
		  "#define APART __attribute__((noinline, noclone))\n"
		  "#define HERE(name) __asm__ volatile(\".globl \" #name \"\\n\" #name \":\" "
		  "::: \"memory\")\n"
		  "struct mutex { int state; unsigned sema; };\n"
		  "struct account { long id[5]; struct mutex lock; };\n"
		  "void slow(struct mutex *) __asm__(\"\\\"sync.(*Mutex).lockSlow\\\"\");\n"
		  "void yield(void) __asm__(\"runtime.procyield\");\n"
		  "APART void yield(void) { HERE(in_yield); }\n"
		  "APART void slow(struct mutex *m)\n"
		  "{ HERE(in_slow); yield(); HERE(after_yield); m->sema++; }\n"
		  "APART void add(struct account *a)\n"
		  "{ slow(&a->lock); HERE(after_slow); a->id[1]++; }\n"
		  "int main(void) { static struct account a; add(&a); return a.id[1]; }\n" },
		{ NULL, NULL }
	};
	_cleanup_process_ struct process_result output;
	struct debug_program program;

	(void)state;
	if (!debug_program_build(&program, "gcc", "-g -O1 -no-pie -fcf-protection=none", sources))
		skip_because("no gcc that makes programs at fixed addresses");
	const uint64_t add = address_of(&program, "after_slow");
	const uint64_t chains[][4] = {
		{ address_of(&program, "in_yield"), address_of(&program, "after_yield"), add },
		{ address_of(&program, "in_slow"), add },
		{ add },
	};

	perf_image_timer(data, program.path, chains, COUNT_OF(chains));
	run("lock report -q --callers 0 -F contended,wait_total -x ,", &output);
	assert_string_equal(output.output.data,
			    "2, 2001, mutex, 1, struct account +40 (lock.state)\n");
	debug_program_close(&program);
}

static int set_up(void **state)
{
	(void)state;
	data = scratch_file("perf.data");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_of_goroutines),
		cmocka_unit_test(programs_without_probes),
		cmocka_unit_test(probes_of_a_function),
		cmocka_unit_test(samples_in_functions_of_go),
	};

	return cmocka_run_group_tests_name("lock_goroutines", tests, set_up, scratch_tear_down);
}
