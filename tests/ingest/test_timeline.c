// SPDX-License-Identifier: GPL-2.0-or-later
/* Names, maps, forks, execs and exits: the task and object of a sample follow from the records of
 * processes, by time and not by their order in the file. */
#include "tests/support/unit.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session.h"
#include "tests/support/perf_records.h"
#include "tests/support/sample_place.h"
#include "tests/support/session_memory.h"

#define USER   PERF_RECORD_MISC_USER
#define KERNEL PERF_RECORD_MISC_KERNEL

struct answers {
	struct session *session;
	struct strbuf text; /* a line for each sample: comm, dso */
};

static struct error *add_answer(const struct sample *sample, void *data)
{
	struct answers *answers = data;
	const struct dso *dso = sample_place_dso(answers->session, sample);

	strbuf_add_format(
		&answers->text, "%s %s\n",
		session_comm(answers->session, sample_place_comm(answers->session, sample)),
		dso ? dso->short_name : "-");
	return NULL;
}

/* The same from session_count(), which finds the answers in another way: lines of samples, comm,
 * dso. */
static void count_answers(struct session *session, struct strbuf *text)
{
	struct sample_counts *counts;
	struct error *error = session_count(session, COUNT_PLACE | COUNT_COMM | COUNT_TID, &counts);

	assert_null(error);
	for (size_t i = 0; i < counts->count; i++)
		for (uint64_t n = 0; n < counts->entries[i].samples; n++)
			strbuf_add_format(
				text, "%s %s\n", session_comm(session, counts->entries[i].comm),
				counts->entries[i].dso ? counts->entries[i].dso->short_name : "-");
	sample_counts_destroy(counts);
}

static size_t count_lines(const char *text, const char *line, size_t length)
{
	size_t count = 0;

	for (; *text; text = strchr(text, '\n') + 1)
		count += !strncmp(text, line, length) && text[length] == '\n';
	return count;
}

/* Asserts the answer for each sample, in the order of the file. */
static void assert_answers(struct perf_image *image, const char *expected)
{
	struct answers answers = { .text = STRBUF_INIT };
	_cleanup_strbuf_ struct strbuf counted = STRBUF_INIT;
	struct session_options options = { .threads = 1 };
	size_t size;
	_cleanup_free_ uint8_t *file = perf_image_file(image, &size);
	struct error *error = session_open_memory(file, size, &options, &answers.session);

	assert_null(error);
	error = session_each_sample(answers.session, add_answer, &answers);
	assert_null(error);
	assert_string_equal(answers.text.data, expected);
	count_answers(answers.session, &counted);
	for (const char *line = expected; *line; line = strchr(line, '\n') + 1) {
		size_t length = strcspn(line, "\n");

		assert_int_equal(count_lines(counted.data, line, length),
				 count_lines(expected, line, length));
	}
	session_close(answers.session);
	strbuf_deinit(&answers.text);
	perf_image_deinit(image);
}

static struct perf_image image;

static int setup(void **state)
{
	(void)state;
	perf_image_init(&image);
	perf_records_event(&image);
	return 0;
}

static void maps_hold_from_their_time_on(void **state)
{
	(void)state;
	add_comm(&image, 1, 10, 10, "prog", false);
	add_sample(&image, 5, 10, 10, 0x1000, USER);
	add_map(&image, 10, 10, 0x1000, 0x1000, "/bin/prog");
	add_sample(&image, 15, 10, 10, 0x1fff, USER);
	add_sample(&image, 15, 10, 10, 0x2000, USER);
	add_map(&image, 20, 10, 0x1000, 0x1000, "/lib/other.so");
	add_sample(&image, 25, 10, 10, 0x1000, USER);
	assert_answers(&image, "prog -\nprog prog\nprog -\nprog other.so\n");
}

/* Programs move their code to huge pages. The anonymous map lies on the program's code, or in a
 * hole of a file whose other maps go on over it; other anonymous code is a just-in-time compiler's.
 */
static void moved_code_is_its_files(void **state)
{
	(void)state;
	add_comm(&image, 1, 10, 10, "prog", false);
	add_map(&image, 2, 10, 0x10000, 0x8000, "/bin/prog");
	add_map(&image, 3, 10, 0x50000, 0x8000, "/lib/unloaded.so");
	add_map(&image, 5, 10, 0x12000, 0x2000, "//anon");
	add_map(&image, 5, 10, 0x16000, 0x4000, "//anon");
	add_map(&image, 5, 10, 0x52000, 0x2000, "//anon");
	add_sample(&image, 8, 10, 10, 0x12345, USER);
	add_sample(&image, 8, 10, 10, 0x16345, USER); /* goes on beyond the program */
	add_sample(&image, 8, 10, 10, 0x52345, USER);
	add_sample(&image, 4, 10, 10, 0x52345, USER);
	assert_answers(&image, "prog prog\nprog [JIT] tid 10\nprog [JIT] tid 10\n"
			       "prog unloaded.so\n");
}

/* Processes outside of the recorder's PID namespace all have the number 0. Their maps are not
 * mixed, and their threads have a name of their own, because idle threads have the same number. */
static void processes_without_numbers(void **state)
{
	(void)state;
	add_comm(&image, 1, 0, 0, "first", true);
	add_map(&image, 2, 0, 0x10000, 0x8000, "/bin/first");
	add_fork(&image, 3, 0, 0, 0, 0);
	add_comm(&image, 4, 0, 0, "second", true);
	add_map(&image, 5, 0, 0x10000, 0x8000, "/bin/second");
	add_kernel_map(&image, 0, 0xffffffff81000000, 0x1000, "[kernel.kallsyms]_text");
	add_fork(&image, 6, 1, 1, 0, 0);
	add_sample(&image, 8, 0, 0, 0x12345, USER);
	add_sample(&image, 8, 0, 0, 0x512345, USER);
	add_sample(&image, 8, 0, 0, 0xffffffff81000010, KERNEL);
	add_sample(&image, 8, 1, 1, 0x12345, USER);
	add_exit(&image, 9, 0, 0);
	add_sample(&image, 10, 0, 0, 0x12345, USER);
	assert_answers(&image, "(outside or idle) [outside the PID namespace]\n"
			       "(outside or idle) [outside the PID namespace]\n"
			       "(outside or idle) [kernel.kallsyms]\n"
			       "(outside or idle) -\n"
			       "(outside or idle) [outside the PID namespace]\n");
}

static void time_decides_and_not_the_file(void **state)
{
	(void)state;
	add_sample(&image, 15, 10, 10, 0x1000, USER);
	add_sample(&image, 25, 10, 10, 0x1000, USER);
	add_sample(&image, 5, 10, 10, 0x1000, USER);
	add_map(&image, 20, 10, 0x1000, 0x1000, "/lib/second.so");
	add_map(&image, 10, 10, 0x1000, 0x1000, "/lib/first.so");
	add_comm(&image, 18, 10, 10, "later", false);
	add_comm(&image, 2, 10, 10, "early", false);
	assert_answers(&image, "early first.so\nlater second.so\nearly -\n");
}

/* Records with equal times are taken in the order of the file. */
static void equal_times_go_by_the_file(void **state)
{
	(void)state;
	add_sample(&image, 10, 10, 10, 0x1000, USER);
	add_map(&image, 10, 10, 0x1000, 0x1000, "/lib/a.so");
	add_sample(&image, 10, 10, 10, 0x1000, USER);
	add_map(&image, 10, 10, 0x1000, 0x1000, "/lib/b.so");
	add_sample(&image, 10, 10, 10, 0x1000, USER);
	assert_answers(&image, ":10 -\n:10 a.so\n:10 b.so\n");
}

static void a_fork_has_the_maps_and_name_of_its_parent(void **state)
{
	(void)state;
	add_comm(&image, 1, 10, 10, "parent", false);
	add_map(&image, 2, 10, 0x1000, 0x1000, "/bin/parent");
	add_fork(&image, 5, 11, 11, 10, 10);
	add_map(&image, 6, 10, 0x3000, 0x1000, "/lib/too-late.so");
	add_map(&image, 7, 11, 0x5000, 0x1000, "/lib/own.so");
	add_sample(&image, 8, 11, 11, 0x1000, USER);
	add_sample(&image, 8, 11, 11, 0x3000, USER);
	add_sample(&image, 8, 11, 11, 0x5000, USER);
	add_sample(&image, 8, 10, 10, 0x3000, USER);
	add_sample(&image, 8, 10, 10, 0x5000, USER);
	assert_answers(&image,
		       "parent parent\nparent -\nparent own.so\nparent too-late.so\nparent -\n");
}

static void threads_share_their_process_maps(void **state)
{
	(void)state;
	add_comm(&image, 1, 10, 10, "main", false);
	add_fork(&image, 2, 10, 12, 10, 10);
	add_map(&image, 3, 10, 0x1000, 0x1000, "/bin/main");
	add_comm(&image, 4, 10, 12, "worker", false);
	add_sample(&image, 3, 10, 12, 0x1000, USER);
	add_sample(&image, 5, 10, 12, 0x1000, USER);
	add_sample(&image, 5, 10, 10, 0x1000, USER);
	add_exit(&image, 6, 10, 10); /* the first thread alone */
	add_sample(&image, 7, 10, 12, 0x1000, USER);
	add_sample(&image, 8, 10, 13, 0x1000, USER); /* a thread about which nothing was recorded */
	assert_answers(&image, "main main\nworker main\nmain main\nworker main\n:13 main\n");
}

static void exec_drops_the_maps(void **state)
{
	(void)state;
	add_comm(&image, 1, 10, 10, "sh", false);
	add_map(&image, 1, 10, 0x1000, 0x1000, "/bin/sh");
	add_fork(&image, 2, 11, 11, 10, 10);
	add_sample(&image, 3, 11, 11, 0x1000, USER);
	add_comm(&image, 4, 11, 11, "ls", true);
	add_sample(&image, 5, 11, 11, 0x1000, USER);
	add_map(&image, 6, 11, 0x8000, 0x1000, "/bin/ls");
	add_sample(&image, 7, 11, 11, 0x8000, USER);
	add_sample(&image, 7, 10, 10, 0x1000, USER);
	assert_answers(&image, "sh sh\nls -\nls ls\nsh sh\n");
}

static void a_new_name_without_exec_keeps_the_maps(void **state)
{
	(void)state;
	add_comm(&image, 1, 10, 10, "one", false);
	add_map(&image, 1, 10, 0x1000, 0x1000, "/bin/prog");
	add_comm(&image, 4, 10, 10, "two", false);
	add_sample(&image, 3, 10, 10, 0x1000, USER);
	add_sample(&image, 5, 10, 10, 0x1000, USER);
	assert_answers(&image, "one prog\ntwo prog\n");
}

/* perf overwrites the ":TID" that it made up. So the first name is valid back to the beginning of
 * the thread. */
static void the_first_name_holds_from_the_beginning(void **state)
{
	(void)state;
	add_sample(&image, 1, 10, 10, 0, KERNEL);
	add_comm(&image, 5, 10, 10, "named", false);
	add_sample(&image, 6, 10, 10, 0, KERNEL);
	add_sample(&image, 6, 10, 77, 0, KERNEL);
	add_sample(&image, 6, 0, 0, 0, KERNEL);
	assert_answers(&image, "named -\nnamed -\n:77 -\nswapper -\n");
}

static void a_number_used_again_is_another_thread(void **state)
{
	(void)state;
	add_comm(&image, 1, 10, 10, "init", false);
	add_map(&image, 1, 10, 0x1000, 0x1000, "/bin/init");
	add_comm(&image, 2, 20, 20, "old", false);
	add_map(&image, 2, 20, 0x1000, 0x1000, "/bin/old");
	add_exit(&image, 4, 20, 20);
	add_sample(&image, 5, 20, 20, 0, KERNEL); /* the end of its exit, in the kernel */
	add_fork(&image, 6, 20, 20, 10, 10);
	add_sample(&image, 7, 20, 20, 0x1000, USER);
	add_sample(&image, 3, 20, 20, 0x1000, USER);
	assert_answers(&image, "old -\ninit init\nold old\n");
}

static void kernel_modules_and_announced_code(void **state)
{
	(void)state;
	add_kernel_map(&image, 0, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text");
	add_kernel_map(&image, 0, 0xffffffffc0000000, 0x1000,
		       "/lib/modules/6.1/kernel/snd-hda.ko.xz");
	add_ksymbol(&image, 5, 0xffffffffc1000000, 0x100, false, "bpf_prog_1");
	add_ksymbol(&image, 9, 0xffffffffc1000000, 0x100, true, "bpf_prog_1");
	add_sample(&image, 1, 10, 10, 0xffffffff81000010, KERNEL);
	add_sample(&image, 1, 10, 10, 0xffffffffc0000010, KERNEL);
	add_sample(&image, 4, 10, 10, 0xffffffffc1000010, KERNEL);
	add_sample(&image, 6, 10, 10, 0xffffffffc1000010, KERNEL);
	add_sample(&image, 9, 10, 10, 0xffffffffc1000010, KERNEL);
	add_sample(&image, 9, 10, 10, 0xffffffff81000010,
		   USER); /* a kernel's address, but not in the kernel */
	assert_answers(
		&image,
		":10 [kernel.kallsyms]\n:10 [snd_hda]\n:10 -\n:10 bpf_prog_1\n:10 -\n:10 -\n");
}

static void names_of_what_is_no_file(void **state)
{
	static const char *const names[] = { "//anon", "[vdso]", "/bin/prog (deleted)",
					     "/memfd:jit (deleted)", "[heap]",
					     /* named by prctl(PR_SET_VMA_ANON_NAME), as Ruby's
					      * YJIT does */
					     "[anon:Ruby:rb_yjit_reserve_addr_space]" };

	(void)state;
	for (uint64_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		add_map(&image, 1, 10, 0x1000 * (i + 1), 0x1000, names[i]);
		add_sample(&image, 2, 10, 10, 0x1000 * (i + 1), USER);
	}
	assert_answers(&image, ":10 [JIT] tid 10\n:10 [vdso]\n:10 prog (deleted)\n:10 memfd:jit "
			       "(deleted)\n:10 [JIT] tid 10\n:10 [JIT] tid 10\n");
}

/* Forks without exec, each with a map of its own: ancestors are searched up to a limit, in little
 * time. */
static void chains_of_forks(void **state)
{
	_cleanup_strbuf_ struct strbuf expected = STRBUF_INIT;

	(void)state;
	add_comm(&image, 1, 1, 1, "chain", false);
	add_map(&image, 1, 1, 0x1000, 0x1000, "/bin/first");
	for (int pid = 2; pid < 60; pid++) {
		add_fork(&image, (uint64_t)pid * 10, pid, pid, pid - 1, pid - 1);
		add_map(&image, (uint64_t)pid * 10 + 1, pid, 0x10000 * (uint64_t)pid, 0x1000,
			"/bin/own");
		add_sample(&image, (uint64_t)pid * 10 + 2, pid, pid, 0x1000, USER);
		strbuf_add_string(&expected, "chain first\n");
	}
	assert_answers(&image, expected.data);
}

/* The process, the namespace and the offset of the first map of the code. */
static void objects_know_who_mapped_them(void **state)
{
	struct session_options options = { .threads = 1 };
	struct session *session;
	size_t size, count;

	(void)state;
	add_namespaces(&image, 1, 10, 10, 100);
	add_map(&image, 2, 10, 0x1000, 0x1000, "/bin/first");
	add_namespaces(&image, 3, 11, 11, 200);
	add_map(&image, 4, 11, 0x1000, 0x1000, "/bin/first");
	add_map(&image, 5, 12, 0x1000, 0x1000, "/bin/second");
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	assert_null(session_open_memory(data, size, &options, &session));
	struct dso *const *dsos = session_dsos(session, &count);

	assert_int_equal(count, 2);
	assert_true(dsos[0]->has_code && dsos[1]->has_code);
	assert_int_equal(dsos[0]->pid, 10);
	assert_int_equal(dsos[0]->mount_namespace, 105);
	assert_int_equal(dsos[1]->pid, 12);
	assert_int_equal(dsos[1]->mount_namespace, 0);
	session_close(session);
	perf_image_deinit(&image);
}

#define TEST(function) cmocka_unit_test_setup(function, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(maps_hold_from_their_time_on),
		TEST(moved_code_is_its_files),
		TEST(processes_without_numbers),
		TEST(time_decides_and_not_the_file),
		TEST(equal_times_go_by_the_file),
		TEST(a_fork_has_the_maps_and_name_of_its_parent),
		TEST(threads_share_their_process_maps),
		TEST(exec_drops_the_maps),
		TEST(a_new_name_without_exec_keeps_the_maps),
		TEST(the_first_name_holds_from_the_beginning),
		TEST(a_number_used_again_is_another_thread),
		TEST(kernel_modules_and_announced_code),
		TEST(names_of_what_is_no_file),
		TEST(chains_of_forks),
		TEST(objects_know_who_mapped_them),
	};

	return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
