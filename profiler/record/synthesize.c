// SPDX-License-Identifier: GPL-2.0-or-later
/* Records for running processes, from /proc: see synthesize.h. */
#include "profiler/record/synthesize.h"

#include <fcntl.h>
#include <perf/event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/base/parallel.h"
#include "profiler/record/build_id.h"
#include "profiler/record/process_map.h"
#include "profiler/record/sysfs.h"

/* Not in perf_event.h before Linux 5.12's: the union of MMAP2 holds a build id. */
#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif

/* Build ids by file, so that a library is opened once, not once a process. */
struct id_cache {
	struct hash_map files; /* hash of device and inode -> index of ids */
	struct build_id *ids;
	uint32_t count;
	uint32_t capacity;
};

struct synthesizer {
	const struct thread_ids *processes;
	const struct synthesis_options *options;
	struct strbuf *records;  /* one a process */
	struct id_cache *caches; /* one a thread */
};

void synthesize_end(struct strbuf *records, size_t start, const struct synthesis_options *options)
{
	static const char zeros[64];
	size_t size = records->length - start;
	struct perf_event_header header;

	strbuf_add(records, zeros, (8 - size % 8) % 8 + options->id_size);
	memcpy(&header, records->data + start, sizeof(header));
	header.size = records->length - start;
	memcpy(records->data + start, &header, sizeof(header));
}

void synthesize_comm(pid_t pid, pid_t tid, const char *name, const struct synthesis_options *options,
		     struct strbuf *records)
{
	struct perf_record_comm comm = { .header = { .type = PERF_RECORD_COMM }, .pid = pid, .tid = tid };
	size_t start = records->length;

	strbuf_add(records, &comm, offsetof(struct perf_record_comm, comm));
	strbuf_add(records, name, strnlen(name, sizeof(comm.comm) - 1));
	strbuf_add_char(records, '\0');
	synthesize_end(records, start, options);
}

static void add_fork(pid_t pid, pid_t parent, pid_t tid, pid_t parent_tid,
		     const struct synthesis_options *options, struct strbuf *records)
{
	/* FORK_EXEC: do not copy the parent's maps, the child's own follow. */
	struct perf_record_fork fork = { .header = { .type = PERF_RECORD_FORK,
						     .misc = PERF_RECORD_MISC_FORK_EXEC },
					 .pid = pid,
					 .ppid = parent,
					 .tid = tid,
					 .ptid = parent_tid };
	size_t start = records->length;

	strbuf_add(records, &fork, sizeof(fork));
	synthesize_end(records, start, options);
}

static void add_thread(pid_t pid, pid_t tid, pid_t parent, const struct synthesis_options *options,
		       struct strbuf *records)
{
	_cleanup_free_ char *name = sysfs_read("", "/proc/%d/task/%d/comm", pid, tid);

	if (!name)
		return;
	if (tid == pid)
		add_fork(pid, parent, tid, parent, options, records);
	else
		add_fork(pid, pid, tid, pid, options, records);
	synthesize_comm(pid, tid, name, options, records);
}

/* The mapped file itself: by its name in its own file system, or where that is another file by now, by the
 * map. */
static int open_mapped_file(pid_t pid, const struct process_map *map)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/root%s", pid, map->path);
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_ino == map->inode)
		return fd;
	closep(&fd);

	_cleanup_free_ char *link = xasprintf("/proc/%d/map_files/%lx-%lx", pid, map->start, map->end);

	return open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static struct build_id map_build_id(pid_t pid, const struct process_map *map, struct id_cache *cache)
{
	uint64_t key = hash_combine(makedev(map->major, map->minor), map->inode);
	bool created;

	if (strcmp(map->path, "[vdso]") == 0) {
		struct build_id vdso = { 0 };

		build_id_of_vdso(&vdso);
		return vdso;
	}
	if (*map->path != '/' || !map->inode)
		return (struct build_id){ 0 };
	uint32_t *index = hash_map_insert(&cache->files, key, &created);

	if (created) {
		_cleanup_close_ int fd = open_mapped_file(pid, map);

		*index = cache->count;
		array_reserve(cache->ids, cache->count, cache->capacity);
		cache->ids[cache->count] = (struct build_id){ 0 };
		if (fd >= 0)
			build_id_of_file(fd, &cache->ids[cache->count]);
		cache->count++;
	}
	return cache->ids[*index];
}

static void add_map(pid_t pid, const struct process_map *map, struct id_cache *cache,
		    const struct synthesis_options *options, struct strbuf *records)
{
	struct perf_record_mmap2 record = { .header = { .type = PERF_RECORD_MMAP2,
							.misc = PERF_RECORD_MISC_USER },
					    .pid = pid,
					    .tid = pid,
					    .start = map->start,
					    .len = map->end - map->start,
					    .pgoff = map->offset,
					    .prot = map->protection,
					    .flags = map->flags };
	struct build_id id = { 0 };
	size_t start = records->length;

	if (map->protection & PROT_EXEC)
		id = map_build_id(pid, map, cache);
	else
		record.header.misc |= PERF_RECORD_MISC_MMAP_DATA;
	if (id.size) {
		record.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		record.build_id_size = id.size;
		memcpy(record.build_id, id.bytes, sizeof(record.build_id));
	} else {
		record.maj = map->major;
		record.min = map->minor;
		record.ino = map->inode;
	}
	strbuf_add(records, &record, offsetof(struct perf_record_mmap2, filename));
	strbuf_add(records, map->path, strnlen(map->path, PATH_MAX - 1));
	strbuf_add_char(records, '\0');
	synthesize_end(records, start, options);
}

static void add_maps(pid_t pid, struct id_cache *cache, const struct synthesis_options *options,
		     struct strbuf *records)
{
	_cleanup_process_maps_ struct process_maps maps = { 0 };
	/* Gone meanwhile, or somebody else's: then it has no maps here. */
	_cleanup_error_ struct error *error = process_maps_read(pid, &maps);

	for (size_t i = 0; !error && i < maps.count; i++) {
		if (options->data_maps || (maps.items[i].protection & PROT_EXEC))
			add_map(pid, &maps.items[i], cache, options, records);
	}
}

static void synthesize_process(size_t item, unsigned int thread, void *data)
{
	const struct synthesizer *synthesizer = data;
	const struct synthesis_options *options = synthesizer->options;
	_cleanup_thread_ids_ struct thread_ids threads = { 0 };
	struct strbuf *records = &synthesizer->records[item];
	pid_t pid = synthesizer->processes->ids[item];
	struct error *gone = process_threads(pid, &threads);

	if (gone) {
		error_free(gone);
		return;
	}
	thread_ids_sort(&threads);

	pid_t parent = process_parent(pid);

	for (size_t i = 0; i < threads.count; i++)
		add_thread(pid, threads.ids[i], parent, options, records);
	add_maps(pid, &synthesizer->caches[thread], options, records);
}

void synthesize_processes(const struct thread_ids *processes, const struct synthesis_options *options,
			  struct strbuf *records)
{
	struct synthesizer synthesizer = { .processes = processes, .options = options };
	unsigned int threads = options->threads ? options->threads : 1;

	if (!processes->count)
		return;
	synthesizer.records = xcalloc(processes->count, sizeof(*synthesizer.records));
	synthesizer.caches = xcalloc(threads, sizeof(*synthesizer.caches));
	for (size_t i = 0; i < processes->count; i++)
		synthesizer.records[i] = (struct strbuf)STRBUF_INIT;
	parallel_for(processes->count, threads, synthesize_process, &synthesizer);
	for (size_t i = 0; i < processes->count; i++) {
		strbuf_add(records, synthesizer.records[i].data, synthesizer.records[i].length);
		strbuf_release(&synthesizer.records[i]);
	}
	for (unsigned int i = 0; i < threads; i++) {
		hash_map_release(&synthesizer.caches[i].files);
		free(synthesizer.caches[i].ids);
	}
	free(synthesizer.caches);
	free(synthesizer.records);
}
