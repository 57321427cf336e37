// SPDX-License-Identifier: GPL-2.0-or-later
/* Records for processes and kernel objects that exist already, and build ids of files with any
 * content. */
#include "tests/support/unit.h"

#include <elf.h>
#include <linux/bpf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <perf/event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/record/ring.h"
#include "profiler/record/target.h"
#include "profiler/record/synthesize.h"
#include "tests/support/fake_machine.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

#define MMAP_BUILD_ID (1 << 14) /* PERF_RECORD_MISC_MMAP_BUILD_ID */

/* Returns the records of this process. */
static struct strbuf own_records(const struct synthesis_options *options)
{
	struct strbuf records = STRBUF_INIT;
	_cleanup_thread_ids_ struct thread_ids processes = { 0 };

	thread_ids_add(&processes, getpid());
	/* a process that cannot exist is skipped */
	thread_ids_add(&processes, 0x7ffffff0);
	synthesize_processes(&processes, options, &records);
	return records;
}

static const struct perf_event_header *next_record(const struct strbuf *records, size_t *at)
{
	const struct perf_event_header *header = (const void *)(records->data + *at);

	if (*at == records->length)
		return NULL;
	assert_true(records->length - *at >= sizeof(*header));
	assert_true(header->size >= sizeof(*header) && header->size % 8 == 0);
	assert_true(header->size <= records->length - *at);
	*at += header->size;
	return header;
}

static void *wait_for_end(void *data)
{
	char byte;

	pthread_setname_np(pthread_self(), "second");
	if (write(((int *)data)[1], "", 1) != 1 || read(((int *)data)[2], &byte, 1) < 0)
		return data;
	return NULL;
}

/* Each thread has its FORK and COMM record, the process its maps; each record ends with room for a
 * sample_id. */
static void test_own_process(void **state)
{
	const struct synthesis_options options = { .id_size = 24, .threads = 2 };
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT;
	size_t at = 0, comms = 0, forks = 0, own_code = 0;
	const struct perf_event_header *header;
	int ready[2], end[2];
	bool second = false;
	char byte;
	pthread_t thread;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(end), 0);
	int pipes[3] = { ready[0], ready[1], end[0] };

	assert_int_equal(pthread_create(&thread, NULL, wait_for_end, pipes), 0);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	records = own_records(&options);
	while ((header = next_record(&records, &at))) {
		const struct perf_record_mmap2 *map = (const void *)header;
		const struct perf_record_comm *comm = (const void *)header;
		static const uint8_t zeros[24];

		assert_memory_equal((const uint8_t *)header + header->size - 24, zeros, 24);
		forks += header->type == PERF_RECORD_FORK;
		comms += header->type == PERF_RECORD_COMM;
		if (header->type == PERF_RECORD_COMM)
			second = second || strcmp(comm->comm, "second") == 0;
		if (header->type != PERF_RECORD_MMAP2)
			continue;
		assert_true(map->prot & PROT_EXEC);
		assert_int_equal(map->pid, getpid());
		if ((uintptr_t)test_own_process - map->start < map->len)
			own_code++;
		if (strcmp(map->filename, "[vdso]") == 0)
			assert_true(header->misc & MMAP_BUILD_ID);
	}
	assert_int_equal(forks, comms);
	assert_true(comms >= 2 && second);
	assert_int_equal(own_code, 1);
	close(end[1]);
	pthread_join(thread, NULL);
	close(end[0]);
	close(ready[0]);
	close(ready[1]);
}

/* Puts a copy of the code around this function into anonymous memory at the same addresses, as
 * programs do that want huge pages for code. */
static bool move_own_code(void)
{
	_cleanup_process_maps_ struct process_maps maps = { 0 };
	const struct process_map *map;

	if (process_maps_read(getpid(), &maps))
		return false;
	for (map = maps.items; map->end <= (uintptr_t)move_own_code; map++)
		;
	size_t size = map->end - map->start;
	void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		return false;
	memcpy(copy, (const void *)map->start, size);
	return !mprotect(copy, size, PROT_READ | PROT_EXEC) &&
	       mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)map->start) !=
		       MAP_FAILED;
}

/* Code that was moved out of the program's file is the program's. */
static void test_moved_code(void **state)
{
	const struct synthesis_options options = { .id_size = 16, .threads = 1 };
	_cleanup_thread_ids_ struct thread_ids processes = { 0 };
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT;
	const struct perf_event_header *header;
	_cleanup_free_ char *own = xcalloc(1, 4096);
	int ready[2], end[2];
	size_t at = 0, found = 0;
	const char *emulator = getenv("EMULATOR");
	char byte = 0;

	(void)state;
	if (emulator && *emulator)
		skip_because("the emulator shows no maps of the program's own in /proc/PID");
	assert_true(readlink("/proc/self/exe", own, 4095) > 0);
	assert_true(pipe(ready) == 0 && pipe(end) == 0);
	pid_t child = fork();

	if (!child) {
		byte = move_own_code();
		if (write(ready[1], &byte, 1) != 1 || close(end[1]) || read(end[0], &byte, 1) < 0)
			_exit(1);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	thread_ids_add(&processes, child);
	synthesize_processes(&processes, &options, &records);
	close(end[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(end[0]), close(ready[0]), close(ready[1]);
	if (!byte)
		skip_because("code cannot be moved here (mremap)");
	while ((header = next_record(&records, &at))) {
		const struct perf_record_mmap2 *map = (const void *)header;

		if (header->type != PERF_RECORD_MMAP2 ||
		    (uintptr_t)test_moved_code - map->start >= map->len)
			continue;
		found++;
		assert_string_equal(map->filename, own);
		assert_true(map->pgoff > 0 && map->pgoff % 4096 == 0);
	}
	assert_int_equal(found, 1);
}

static void test_data_maps(void **state)
{
	const struct synthesis_options options = { .id_size = 16, .threads = 1, .data_maps = true };
	_cleanup_strbuf_ struct strbuf records = own_records(&options);
	const struct perf_event_header *header;
	bool stack = false;
	size_t at = 0;

	(void)state;
	while ((header = next_record(&records, &at))) {
		const struct perf_record_mmap2 *map = (const void *)header;

		if (header->type != PERF_RECORD_MMAP2 || strcmp(map->filename, "[stack]"))
			continue;
		stack = true;
		assert_true(header->misc & PERF_RECORD_MISC_MMAP_DATA);
		assert_true((uintptr_t)&stack - map->start < map->len);
	}
	assert_true(stack);
}

static void test_kernel(void **state)
{
	const struct synthesis_options options = { .id_size = 16 };
	char *root = fake_virtual_machine();
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT;
	const struct perf_record_mmap *map;
	bool restricted;
	size_t at = 0;

	(void)state;
	fake_file(root, "/proc/kallsyms",
		  "ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff810001a0 T "
		  "start\nffffffff82000000 T _etext\n");
	fake_file(root, "/proc/modules",
		  "nf_tables 315392 11 nft_ct, Live 0xffffffffc0a00000\nxfs 2000000 0 - Live "
		  "0xffffffffc0200000\n");
	synthesize_kernel(root, &options, &records, &restricted);
	assert_false(restricted);
	map = (const void *)next_record(&records, &at);
	assert_string_equal(map->filename, "[kernel.kallsyms]_text");
	assert_int_equal(map->start, 0xffffffff81000000);
	assert_int_equal(map->len, 0x1000000);
	assert_int_equal(map->pgoff, 0xffffffff81000000);
	assert_int_equal((int)map->pid, -1);
	assert_int_equal(map->header.misc & PERF_RECORD_MISC_CPUMODE_MASK, PERF_RECORD_MISC_KERNEL);
	map = (const void *)next_record(&records, &at);
	assert_non_null(strstr(map->filename, "nf_tables"));
	assert_int_equal(map->start, 0xffffffffc0a00000);
	assert_int_equal(map->len, 315392);
	map = (const void *)next_record(&records, &at);
	assert_non_null(strstr(map->filename, "xfs"));
	assert_null(next_record(&records, &at));

	/* kernel.kptr_restrict */
	strbuf_reset(&records);
	fake_file(root, "/proc/kallsyms", "0000000000000000 T _text\n0000000000000000 T _etext\n");
	synthesize_kernel(root, &options, &records, &restricted);
	assert_true(restricted);
	assert_int_equal(records.length, 0);
	scratch_remove(root);
}

static void test_maps(void **state)
{
	_cleanup_process_maps_ struct process_maps maps = { 0 };
	_cleanup_error_ struct error *gone = NULL;
	struct process_maps none = { 0 };
	bool found = false;

	(void)state;
	assert_null(process_maps_read(getpid(), &maps));
	for (size_t i = 0; i < maps.count; i++) {
		const struct process_map *map = &maps.items[i];

		if ((uintptr_t)test_maps - map->start >= map->end - map->start)
			continue;
		found = true;
		assert_true(map->protection & PROCESS_MAP_EXECUTE);
		assert_int_equal(map->flags, MAP_PRIVATE);
		assert_int_equal(*map->path, '/');
	}
	assert_true(found);
	gone = process_maps_read(0x7ffffff0, &none);
	assert_non_null(gone);
	assert_int_equal(gone->code, ERROR_NOT_FOUND);
}

/* An ELF file with one note, as linkers write it, is truncated and changed at every byte: there is
 * no crash, and never another id. */
static void test_build_ids(void **state)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr program;
		Elf64_Nhdr note;
		char name[4];
		uint8_t id[20];
	} file = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB },
			    .e_phoff = sizeof(Elf64_Ehdr),
			    .e_phnum = 1 },
		.program = { .p_type = PT_NOTE,
			     .p_offset = offsetof(__typeof__(file), note),
			     .p_filesz = 36 },
		.note = { .n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID },
		.name = "GNU",
	};
	int fd = memfd_create("elf", 0);
	struct build_id id;

	(void)state;
	for (size_t i = 0; i < sizeof(file.id); i++)
		file.id[i] = i + 1;
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &file, sizeof(file), 0), sizeof(file));
	memset(&id, 0, sizeof(id));
	assert_true(build_id_of_file(fd, &id));
	assert_int_equal(id.size, 20);
	assert_memory_equal(id.bytes, file.id, 20);
	for (size_t i = 0; i < sizeof(file); i++) {
		for (unsigned int value = 0; value < 256; value += 51) {
			uint8_t byte = value;

			assert_int_equal(pwrite(fd, &byte, 1, i), 1);
			build_id_of_file(fd, &id);
			assert_true(id.size <= sizeof(id.bytes));
		}
		assert_int_equal(pwrite(fd, (uint8_t *)&file + i, 1, i), 1);
	}
	for (size_t size = offsetof(__typeof__(file), id) + 19; size > 0; size--) {
		assert_int_equal(ftruncate(fd, size), 0);
		assert_false(build_id_of_file(fd, &id));
	}
	close(fd);
	assert_false(build_id_of_path("/dev/null", &id));
	assert_false(build_id_of_path("/proc", &id));
	assert_false(build_id_of_path(scratch_file("none"), &id));
}

/* Go's linker places the note with the build id outside of all segments of notes. */
static void test_build_id_in_sections(void **state)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Shdr sections[2];
		Elf64_Nhdr note;
		char name[4];
		uint8_t id[20];
	} file = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB },
			    .e_shoff = sizeof(Elf64_Ehdr),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = 2 },
		.sections[1] = { .sh_type = SHT_NOTE,
				 .sh_offset = offsetof(__typeof__(file), note),
				 .sh_size = 36 },
		.note = { .n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID },
		.name = "GNU",
		.id = { 1, 2, 3 },
	};
	int fd = memfd_create("elf", 0);
	struct build_id id = { 0 };

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &file, sizeof(file), 0), sizeof(file));
	assert_true(build_id_of_file(fd, &id));
	assert_int_equal(id.size, 20);
	assert_memory_equal(id.bytes, file.id, 20);
	file.sections[1].sh_type = SHT_NOBITS;
	assert_int_equal(pwrite(fd, &file, sizeof(file), 0), sizeof(file));
	assert_false(build_id_of_file(fd, &id));
	close(fd);
}

/* The table has each object once, the kernel's map under its own name, and the later build id. */
static void test_object_table(void **state)
{
	struct object_table table = { 0 };
	struct build_id first = { .size = 20, .bytes = { 1 } },
			second = { .size = 20, .bytes = { 2 } };
	_cleanup_strbuf_ struct strbuf content = STRBUF_INIT;
	const char *none = scratch_file("none"), *seventh = scratch_file("none/lib7.so");
	size_t at = 0, count = 0;

	(void)state;
	for (unsigned int i = 0; i < 1000; i++) {
		_cleanup_free_ char *name = xasprintf("%s/lib%u.so", none, i % 200);

		object_table_add(&table, name, false, i < 200 ? &first : NULL);
	}
	object_table_add(&table, seventh, false, &second);
	object_table_add(&table, scratch_file("none/without"), false, NULL);
	object_table_add(&table, "[kernel.kallsyms]_text", true, &first);
	assert_int_equal(table.count, 202);
	object_table_finish(&table, none, &content);
	while (at < content.length) {
		const struct perf_record_header_build_id *record =
			(const void *)(content.data + at);

		assert_true(record->header.size > sizeof(*record) && record->header.size % 8 == 0);
		if (strcmp(record->filename, seventh) == 0)
			assert_int_equal(record->data[0], 2);
		if (strcmp(record->filename, "[kernel.kallsyms]") == 0)
			assert_true(record->header.misc & PERF_RECORD_MISC_KERNEL);
		assert_int_equal(record->size, 20);
		at += record->header.size;
		count++;
	}
	assert_int_equal(count, 201);
	object_table_deinit(&table);
}

/* A program is loaded: its records have its id, and the name under which the kernel lists its
 * function. */
static void test_bpf(void **state)
{
	const struct synthesis_options options = { .id_size = 16 };
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
				.insns = (uintptr_t)code,
				.insn_cnt = 2,
				.license = (uintptr_t) "GPL",
				.prog_name = "dtprof_test" };
	struct bpf_prog_info info = { 0 };
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT;
	bool function = false, program = false;
	int fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	(void)state;
	if (fd < 0)
		skip_because("no BPF program can be loaded here");
	attr = (union bpf_attr){
		.info = { .bpf_fd = fd, .info_len = sizeof(info), .info = (uintptr_t)&info }
	};
	assert_int_equal(syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)), 0);
	synthesize_bpf("", &options, &records);
	close(fd);
	for (size_t at = 0; at < records.length;) {
		const struct perf_event_header *header = (const void *)(records.data + at);
		const struct perf_record_ksymbol *symbol = (const void *)header;
		const struct perf_record_bpf_event *event = (const void *)header;

		assert_true(header->size >= sizeof(*header) && header->size % 8 == 0);
		if (header->type == PERF_RECORD_KSYMBOL && strstr(symbol->name, "_dtprof_test"))
			function = symbol->addr != 0 && symbol->len != 0;
		if (header->type == PERF_RECORD_BPF_EVENT && event->id == info.id) {
			assert_memory_equal(event->tag, info.tag, sizeof(info.tag));
			program = true;
		}
		at += header->size;
	}
	if (!program && geteuid() != 0)
		skip_because("no right to list BPF programs");
	assert_true(program);
	/* an interpreted program has no function of its own */
	assert_int_equal(function, info.jited_prog_len != 0);
}

/* A thread that has ended cannot be recorded, although /proc lists it until somebody waits. */
static void test_ended_threads(void **state _unused_)
{
	pid_t ended = fork(), me = getpid();
	_cleanup_free_ char *user = xasprintf("%u", getuid());
	_cleanup_free_ char *alone = xasprintf("%d", ended), *both = xasprintf("%d,%d", ended, me);
	const struct target targets[] = { { .user = user }, { .pids = both } };
	siginfo_t info;

	if (!ended)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)ended, &info, WEXITED | WNOWAIT), 0);
	for (size_t i = 0; i < COUNT_OF(targets); i++) {
		_cleanup_thread_ids_ struct thread_ids threads = { 0 };

		assert_null(target_threads(&targets[i], &threads));
		assert_true(any_of(k, 0, threads.count, threads.ids[k] == me));
		assert_false(any_of(k, 0, threads.count, threads.ids[k] == ended));
	}
	_cleanup_thread_ids_ struct thread_ids none = { 0 };
	_cleanup_error_ struct error *error =
		target_threads(&(struct target){ .pids = alone }, &none);

	assert_int_equal(error->code, ERROR_NOT_FOUND);
	assert_non_null(strstr(error->message, "has ended"));
	waitpid(ended, NULL, 0);
}

#define ID(digit) digit "123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* The files are as docker 20.10, podman 4.3 and containerd 1.7 write them, with fewer members. */
static void test_groups_of_containers(void **state)
{
	static const struct {
		const char *group, *image; /* NULL: none is known */
	} groups[] = {
		{ "/system.slice/ssh.service", NULL },
		{ "/system.slice/docker-" ID("1") ".scope", "redis:7.2" },
		{ "/docker/" ID("1"), "redis:7.2" },
		{ "/docker/" ID("1") "/inner", "redis:7.2" },
		{ "/machine.slice/libpod-" ID("2") ".scope", "quay.io/team/db:1.0" },
		{ "/machine.slice/libpod-" ID("2") ".scope/container", "quay.io/team/db:1.0" },
		{ "/kubepods/pod3/cri-containerd-" ID("3") ".scope", "docker.io/library/nginx:1" },
		{ "/docker/" ID("4"), NULL },     /* its file is cut off */
		{ "/docker/" ID("1") "0", NULL }, /* 65 digits */
		{ "/machine.slice/libpod-" ID("5") ".scope", NULL },
	};
	const struct synthesis_options options = { .id_size = 16 };
	char *root = fake_virtual_machine();
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT;
	const struct perf_record_cgroup *record;
	size_t at = 0, found = 0;

	(void)state;
	/* the hierarchy of perf's events, whose ids samples have, is not version 2 */
	fake_file(root, "/proc/mounts",
		  "cgroup2 /unified cgroup2 rw 0 0\ncgroup /pe cgroup rw,perf_event 0 0\n");
	fake_file(root, "/unified/other.slice/x", "");
	for (size_t i = 0; i < COUNT_OF(groups); i++) {
		_cleanup_free_ char *path = xasprintf("/pe%s/tasks", groups[i].group);

		fake_file(root, path, "");
	}
	fake_file(root, "/var/lib/docker/containers/" ID("1") "/config.v2.json",
		  "{\"State\":{\"Image\":\"no\"},\"Config\":{\"Env\":[\"A=1\"],\"Image\":\"redis:7."
		  "2\"},"
		  "\"Image\":\"sha256:00\"}");
	fake_file(root, "/var/lib/docker/containers/" ID("4") "/config.v2.json",
		  "{\"Config\":{\"Image\":\"cut:1\"}");
	fake_file(
		root, "/var/lib/containers/storage/overlay-containers/containers.json",
		"[{\"id\":\"" ID(
			"2") "\",\"names\":[\"a\"],\"metadata\":\"{\\\"image-name\\\":"
			     "\\\"quay.io/team/db:1.0\\\",\\\"name\\\":\\\"a\\\"}\",\"flags\":{}},"
			     "{\"id\":\"" ID("5") "\",\"metadata\":\"{\\\"name\\\":\\\"x\\\"}\"}]");
	fake_file(root,
		  "/run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID("3") "/config.json",
		  "{\"ociVersion\":\"1.1.0\",\"annotations\":{\"io.kubernetes.cri.image-name\":"
		  "\"docker.io/library/nginx:1\"}}");
	synthesize_cgroups(root, &options, &records);
	while ((record = (const void *)next_record(&records, &at))) {
		assert_null(strstr(record->path, "other"));
		for (size_t i = 0; i < COUNT_OF(groups); i++) {
			if (strcmp(groups[i].group, record->path))
				continue;
			found++;
			assert_int_equal(record->header.misc,
					 groups[i].image ? CGROUP_HAS_IMAGE : 0);
			if (groups[i].image)
				assert_string_equal(record->path + strlen(record->path) + 1,
						    groups[i].image);
		}
	}
	assert_int_equal(found, COUNT_OF(groups));
	scratch_remove(root);
}

/* Readers find the processor of AUX data by its ID register, and turn counts into times. */
static void test_trace_info(void **state)
{
	char *root = fake_arm_machine();
	struct event_list spe = { 0 }, clock = { 0 };
	struct perf_event_mmap_page page = { .time_shift = 3, .time_mult = 5, .time_zero = 7 };
	const struct ring ring = { .page = &page };
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT, none = STRBUF_INIT;
	const struct perf_record_auxtrace_info *info;
	const struct perf_record_time_conv *times;
	size_t at = 0;

	(void)state;
	assert_null(event_parse(&spe, root, "arm_spe_0//,arm_spe_1//"));
	assert_null(event_parse(&clock, root, "cpu-clock"));
	synthesize_trace_info(root, &clock, &ring, &none);
	assert_int_equal(none.length, 0);
	synthesize_trace_info(root, &spe, &ring, &none);
	assert_int_equal(next_record(&none, &at)->type, PERF_RECORD_AUXTRACE_INFO);
	page.cap_user_time_zero = 1;
	synthesize_trace_info(root, &spe, &ring, &records);
	at = 0;
	times = (const void *)next_record(&records, &at);
	assert_int_equal(times->header.type, PERF_RECORD_TIME_CONV);
	assert_true(times->time_shift == 3 && times->time_mult == 5 && times->time_zero == 7);
	assert_int_equal(times->cap_user_time_zero, 1);
	info = (const void *)next_record(&records, &at);
	assert_int_equal(info->header.type, PERF_RECORD_AUXTRACE_INFO);
	assert_int_equal(info->type, 4);
	assert_int_equal(info->header.size, sizeof(*info) + 8 * (4 + 9 * 7));
	assert_int_equal(info->priv[0], 2);
	assert_int_equal(info->priv[2], 11);
	assert_int_equal(info->priv[3], 9);
	for (unsigned int cpu = 0; cpu < 9; cpu++) {
		const uint64_t *words = (const uint64_t *)info->priv + 4 + 7 * cpu;

		assert_int_equal(words[1], cpu);
		assert_int_equal(words[2], 4);
		assert_int_equal(words[3], cpu < 4 ? 0x410fd0c0 : 0x410fd4f0);
		assert_int_equal(words[4], cpu < 4 ? 11 : cpu < 8 ? 12 : UINT64_MAX);
		assert_int_equal(words[5], cpu < 8 ? 1024 : 0);
	}
	assert_null(next_record(&records, &at));
	event_list_deinit(&spe);
	event_list_deinit(&clock);
	scratch_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_process),
		cmocka_unit_test(test_data_maps),
		cmocka_unit_test(test_moved_code),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_build_ids),
		cmocka_unit_test(test_object_table),
		cmocka_unit_test(test_bpf),
		cmocka_unit_test(test_ended_threads),
		cmocka_unit_test(test_build_id_in_sections),
		cmocka_unit_test(test_groups_of_containers),
		cmocka_unit_test(test_trace_info),
	};

	return cmocka_run_group_tests_name("record/synthesize", tests, NULL, scratch_tear_down);
}
