// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records for processes and code that exist already, from /proc and bpf(2): see synthesize.h.
 * bpf(2) gives the addresses of the compiled functions of a BPF program (struct bpf_prog_info), and
 * /proc/kallsyms gives their names.
 */
#include "profiler/record/synthesize.h"

#include <bpf/bpf.h>
#include <ctype.h>
#include <limits.h>
#include <linux/bpf.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "profiler/ingest/format.h"
#include "profiler/record/held.h"
#include "profiler/record/open.h"
#include "profiler/record/sysfs.h"
#include "profiler/record/ring.h"
#include "profiler/record/target.h"

/*
 * ---- images of containers
 *
 * Containers of control groups, and the images that they were made of.
 *
 * No runtime is asked, and no program started: files that they keep are
 * read, of which only those of root (or the user) are believed.
 *
 * Sources: docker's container/container.go (config.v2.json), containers.go of containers/storage
 * and podman's and CRI-O's metadata in it, containerd's pkg/cri/annotations.
 */

/* Containers that were read of the files of runtimes. Zeroed, it is empty. */
struct container_images {
	struct string_pool strings;
	struct container_image {
		const char *id, *image;
	} * items; /* of podman and CRI-O, which keep all containers in one file */
	size_t count, capacity;
	bool stored; /* they were read */
};

#define ID_DIGITS 64
#define FILE_MAX  (16 << 20) /* bytes */

static void container_images_deinit(struct container_images *images)
{
	string_pool_deinit(&images->strings);
	free(images->items);
}

/* Sets id[ID_DIGITS + 1] to the identifier in a group's path. Returns false if there is none. */
static bool find_id(const char *group, char *id)
{
	size_t digits = 0;

	for (size_t at = strlen(group); at-- > 0;) {
		digits = isxdigit((unsigned char)group[at]) ? digits + 1 : 0;
		if (digits != ID_DIGITS || (at && isxdigit((unsigned char)group[at - 1])))
			continue;
		memcpy(id, group + at, ID_DIGITS);
		id[ID_DIGITS] = '\0';
		return true;
	}
	return false;
}

/* Reads an object. Returns the text of a member, or NULL. */
static const char *member_text(struct json_reader *reader, const char *wanted)
{
	const char *name, *text = NULL;

	json_read_object(reader);
	while ((name = json_read_member(reader)))
		if (!strcmp(name, wanted))
			text = json_read_string(reader);
		else
			json_read_other(reader);
	return text;
}

/* Reads a file that is believed. Returns whether there is anything in it. */
static bool read_believed(const char *path, struct strbuf *bytes)
{
	_cleanup_close_ int fd = -1;
	_cleanup_error_ struct error *error = believed_file_open(path, &fd);

	return !error && file_read_all(fd, FILE_MAX, bytes) && bytes->length;
}

/* Reads a file. Returns the text of a member of a member of its object, or NULL. */
static const char *file_text(struct container_images *images, const char *path, const char *outer,
			     const char *inner)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	const char *name, *text = NULL;

	if (!read_believed(path, &bytes))
		return NULL;
	struct json_reader reader = json_reader_of(bytes.data, bytes.length, &images->strings);

	json_read_object(&reader);
	while ((name = json_read_member(&reader)))
		if (!strcmp(name, outer))
			text = member_text(&reader, inner);
		else
			json_read_other(&reader);
	return reader.problem ? NULL : text;
}

/* Reads one container: { "id": ..., "metadata": "{\"image-name\": ...}" }. */
static void take_stored(struct container_images *images, struct json_reader *reader)
{
	struct container_image item = { 0 };
	const char *name, *metadata = NULL;

	json_read_object(reader);
	while ((name = json_read_member(reader)))
		if (!strcmp(name, "id"))
			item.id = json_read_string(reader);
		else if (!strcmp(name, "metadata"))
			metadata = json_read_string(reader);
		else
			json_read_other(reader);
	if (reader->problem || !item.id || !metadata)
		return;
	struct json_reader inner = json_reader_of(metadata, strlen(metadata), &images->strings);

	item.image = member_text(&inner, "image-name");
	if (item.image && !inner.problem)
		array_add(images->items, images->count, images->capacity) = item;
}

/* Reads the file in which podman and CRI-O have all their containers. */
static void read_stored(struct container_images *images, const char *root, const char *driver)
{
	_cleanup_free_ char *path = xasprintf(
		"%s/var/lib/containers/storage/%s-containers/containers.json", root, driver);
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;

	if (!read_believed(path, &bytes))
		return;
	struct json_reader reader = json_reader_of(bytes.data, bytes.length, &images->strings);

	json_read_array(&reader);
	while (json_read_element(&reader))
		take_stored(images, &reader);
}

/* Returns the name of the image of the container that a control group belongs to, as docker,
 * podman, CRI-O and containerd keep it in their files below `root`; NULL: it is of no container, or
 * they cannot be read. A container's identifier is the last 64 hexadecimal digits together in the
 * group's path, such as "/machine.slice/libpod-4f0c....scope". */
static const char *container_image(struct container_images *images, const char *root,
				   const char *group)
{
	char id[ID_DIGITS + 1];

	if (!find_id(group, id))
		return NULL;
	if (!images->stored) {
		read_stored(images, root, "overlay");
		read_stored(images, root, "vfs");
		images->stored = true;
	}
	array_each (const struct container_image, item, images->items, images->count)
		if (!strcmp(item->id, id))
			return item->image;
	_cleanup_free_ char *docker =
		xasprintf("%s/var/lib/docker/containers/%s/config.v2.json", root, id);
	_cleanup_free_ char *containerd = xasprintf(
		"%s/run/containerd/io.containerd.runtime.v2.task/k8s.io/%s/config.json", root, id);

	return file_text(images, docker, "Config", "Image")
		       ?: file_text(images, containerd, "annotations",
				    "io.kubernetes.cri.image-name");
}

/* ---- processes ---- */

/* Build ids by file, so that a library is opened once and not for each process. */
struct id_cache {
	struct hash_map files; /* hash of device and inode -> index of ids */
	struct build_id *ids;
	uint32_t count, capacity;
};

struct synthesizer {
	const struct thread_ids *processes;
	const struct synthesis_options *options;
	struct strbuf *records;  /* one for each process */
	struct id_cache *caches; /* one for each thread */
};

/* Completes the record at `start` of `records`: pads, adds the trailer, sets its size. */
static void synthesize_end(struct strbuf *records, size_t start,
			   const struct synthesis_options *options)
{
	static const char zeros[64];
	size_t size = records->length - start;
	struct perf_event_header header;

	strbuf_add(records, zeros, (8 - size % 8) % 8 + options->id_size);
	memcpy(&header, records->data + start, sizeof(header));
	header.size = records->length - start;
	memcpy(records->data + start, &header, sizeof(header));
}

/* Adds a record that ends in a name, of which at most `limit` bytes are taken. */
static void add_named_record(struct strbuf *records, const void *record, size_t size,
			     const char *name, size_t limit,
			     const struct synthesis_options *options)
{
	size_t start = records->length;

	strbuf_add(records, record, size);
	strbuf_add(records, name, strnlen(name, limit));
	strbuf_add_char(records, '\0');
	synthesize_end(records, start, options);
}

void synthesize_comm(pid_t pid, pid_t tid, const char *name,
		     const struct synthesis_options *options, struct strbuf *records)
{
	struct perf_record_comm comm = { .header = { .type = PERF_RECORD_COMM },
					 .pid = pid,
					 .tid = tid };

	add_named_record(records, &comm, offsetof(struct perf_record_comm, comm), name,
			 sizeof(comm.comm) - 1, options);
}

static void add_fork(pid_t pid, pid_t parent, pid_t tid, pid_t parent_tid,
		     const struct synthesis_options *options, struct strbuf *records)
{
	/* FORK_EXEC tells readers not to copy the parent's maps: the child's follow. */
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

static int open_mapped_file(pid_t pid, const struct process_map *map)
{
	return mapped_file_open(&(struct mapped_file){ .pid = pid,
						       .start = map->start,
						       .end = map->end,
						       .path = map->path,
						       .inode = map->inode });
}

static struct build_id map_build_id(pid_t pid, const struct process_map *map,
				    struct id_cache *cache)
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
	add_named_record(records, &record, offsetof(struct perf_record_mmap2, filename), map->path,
			 PATH_MAX - 1, options);
}

/* Returns the map of a file that map `index`, anonymous code, takes the place of, as programs do
 * that move their code to huge pages; NULL: it is code of its own. It is in a hole between maps of
 * one file, at an address where that file's code belongs; *offset gets its offset in the file. */
static const struct process_map *moved_code(pid_t pid, const struct process_maps *maps,
					    size_t index, uint64_t *offset)
{
	const struct process_map *map = &maps->items[index];
	const struct process_map *before = map - 1, *after = map + 1;

	if (!(map->protection & PROT_EXEC) || map->inode || strcmp(map->path, "//anon") != 0 ||
	    !index || index + 1 == maps->count)
		return NULL;
	/* other pieces of the moved code */
	while (before > maps->items && !before->inode && before->end == before[1].start)
		before--;
	while (after + 1 < maps->items + maps->count && !after->inode &&
	       after[-1].end == after->start)
		after++;
	if (!before->inode || before->inode != after->inode || before->major != after->major ||
	    before->minor != after->minor || before->end != before[1].start)
		return NULL;

	_cleanup_close_ int fd = open_mapped_file(pid, before);

	return fd >= 0 && code_offset_of_file(fd, before->start, before->offset, map->start, offset)
		       ? before
		       : NULL;
}

/* Gives code that was moved out of its file the file's identity. */
static void restore_moved_code(pid_t pid, struct process_maps *maps)
{
	for (size_t i = 0; i < maps->count; i++) {
		uint64_t offset;
		const struct process_map *file = moved_code(pid, maps, i, &offset);
		struct process_map *map = &maps->items[i];

		if (!file)
			continue;
		free(map->path);
		map->path = xstrdup(file->path);
		map->offset = offset;
		map->inode = file->inode;
		map->major = file->major;
		map->minor = file->minor;
	}
}

static void add_maps(pid_t pid, struct id_cache *cache, const struct synthesis_options *options,
		     struct strbuf *records)
{
	_cleanup_process_maps_ struct process_maps maps = { 0 };
	/* A process that is gone or belongs to somebody else gets no maps. */
	_cleanup_error_ struct error *error = process_maps_read(pid, &maps);

	if (!error)
		restore_moved_code(pid, &maps);
	for (size_t i = 0; !error && i < maps.count; i++)
		if (options->data_maps || (maps.items[i].protection & PROT_EXEC))
			add_map(pid, &maps.items[i], cache, options, records);
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
		error_destroy(gone);
		return;
	}
	thread_ids_sort(&threads);

	pid_t parent = process_parent(pid);

	for (size_t i = 0; i < threads.count; i++)
		add_thread(pid, threads.ids[i], parent, options, records);
	add_maps(pid, &synthesizer->caches[thread], options, records);
}

void synthesize_processes(const struct thread_ids *processes,
			  const struct synthesis_options *options, struct strbuf *records)
{
	struct synthesizer synthesizer = { .processes = processes, .options = options };
	unsigned int threads = options->threads ?: 1;

	if (!processes->count)
		return;
	synthesizer.records = xcalloc(processes->count, sizeof(*synthesizer.records));
	synthesizer.caches = xcalloc(threads, sizeof(*synthesizer.caches));
	for (size_t i = 0; i < processes->count; i++)
		synthesizer.records[i] = (struct strbuf)STRBUF_INIT;
	parallel_for(processes->count, threads, synthesize_process, &synthesizer);
	for (size_t i = 0; i < processes->count; i++) {
		strbuf_add(records, synthesizer.records[i].data, synthesizer.records[i].length);
		strbuf_deinit(&synthesizer.records[i]);
	}
	for (unsigned int i = 0; i < threads; i++) {
		hash_map_deinit(&synthesizer.caches[i].files);
		free(synthesizer.caches[i].ids);
	}
	free_all(synthesizer.caches, synthesizer.records);
}

/* ---- the kernel and its modules ---- */

static void add_kernel_map(uint64_t start_address, uint64_t length, uint64_t offset,
			   const char *name, const struct synthesis_options *options,
			   struct strbuf *records)
{
	/* Process -1 stands for the kernel. */
	struct perf_record_mmap map = { .header = { .type = PERF_RECORD_MMAP,
						    .misc = PERF_RECORD_MISC_KERNEL },
					.pid = -1,
					.tid = 0,
					.start = start_address,
					.len = length,
					.pgoff = offset };

	add_named_record(records, &map, offsetof(struct perf_record_mmap, filename), name,
			 PATH_MAX - 1, options);
}

/* Returns a module's file by modules.dep, "kernel/drivers/x/y.ko.xz: ...", or "[name]". */
static char *module_path(const char *dependencies, const char *release, const char *name)
{
	for (const char *line = dependencies; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		size_t length = strcspn(line, ":\n");

		if (line[length] == ':' && is_module_file(line, length, name))
			return *line == '/' ? xstrndup(line, length)
					    : xasprintf("/lib/modules/%s/%.*s", release,
							(int)length, line);
	}
	return xasprintf("[%s]", name);
}

/* Adds the modules of /proc/modules: "name size uses users state 0xaddress". */
static void add_modules(const char *root, const struct synthesis_options *options,
			struct strbuf *records)
{
	_cleanup_free_ char *modules = sysfs_read(root, "/proc/modules");
	struct utsname system;
	char *save = NULL;

	if (!modules || uname(&system))
		return;
	_cleanup_free_ char *dependencies =
		sysfs_read(root, "/lib/modules/%s/modules.dep", system.release);

	for (char *line = strtok_r(modules, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char name[64];
		uint64_t size, address;

		if (sscanf(line, "%63s %lu %*s %*s %*s %lx", name, &size, &address) != 3 ||
		    !address)
			continue;
		_cleanup_free_ char *path = module_path(dependencies, system.release, name);

		add_kernel_map(address, size, 0, path, options, records);
	}
}

void synthesize_kernel(const char *root, const struct synthesis_options *options,
		       struct strbuf *records, bool *restricted)
{
	struct kallsyms_mark marks[] = { { .name = "_text" },
					 { .name = "_stext" },
					 { .name = "_etext" } };
	_cleanup_free_ char *path = xasprintf("%s/proc/kallsyms", root);
	_cleanup_error_ struct error *error = kallsyms_find(path, marks, COUNT_OF(marks));
	bool text = marks[0].address != 0;
	uint64_t start = text ? marks[0].address : marks[1].address, end = marks[2].address;

	/* addresses may be hidden, all 0 */
	*restricted = error || !start;
	if (*restricted)
		return;

	uint64_t length = end > start ? end - start : UINT64_MAX - start;

	/* The name ends in a symbol, and pgoff is its address during the recording, which tells
	 * readers how far the kernel was moved. */
	add_kernel_map(start, length, start,
		       text ? "[kernel.kallsyms]_text" : "[kernel.kallsyms]_stext", options,
		       records);
	add_modules(root, options, records);
}

/* ---- BPF programs ---- */

/* More than the verifier allows in a program (BPF_MAX_SUBPROGS is 256). */
#define BPF_FUNCTIONS_MAX 1024

struct bpf_symbol {
	uint64_t address;
	char *name;
};

struct bpf_symbols {
	struct bpf_symbol *items;
	size_t count, capacity;
};

/* The functions of one program, as bpf(2) fills them in. */
struct bpf_functions {
	uint64_t addresses[BPF_FUNCTIONS_MAX];
	uint32_t lengths[BPF_FUNCTIONS_MAX];
	uint8_t tags[BPF_FUNCTIONS_MAX][BPF_TAG_SIZE];
};

COMPARISON(compare_bpf_symbols, struct bpf_symbol, ASCENDING(address))

static bool take_bpf_symbol(void *data, const struct kernel_symbol *symbol)
{
	struct bpf_symbols *symbols = data;

	if (symbol->address && !strcmp(symbol->module, "[bpf]"))
		array_add(symbols->items, symbols->count, symbols->capacity) =
			(struct bpf_symbol){ symbol->address, xstrdup(symbol->name) };
	return true;
}

static void read_bpf_symbols(const char *root, struct bpf_symbols *symbols)
{
	error_destroy(kernel_symbols_each(root, take_bpf_symbol, symbols));
	array_sort(symbols->items, symbols->count, compare_bpf_symbols);
}

/* Returns the name of a function, to be freed: the one in /proc/kallsyms, or else the tag and the
 * name of the program if it has one, as in the kernel's own KSYMBOL records. */
static char *bpf_function_name(const struct bpf_symbols *symbols, const struct bpf_prog_info *info,
			       const struct bpf_functions *functions, size_t index)
{
	const struct bpf_symbol key = { .address = functions->addresses[index] };
	const struct bpf_symbol *known = symbols->count
						 ? bsearch(&key, symbols->items, symbols->count,
							   sizeof(key), compare_bpf_symbols)
						 : NULL;
	char tag[2 * BPF_TAG_SIZE + 1];

	if (known)
		return xstrdup(known->name);
	for (size_t i = 0; i < BPF_TAG_SIZE; i++)
		snprintf(tag + 2 * i, 3, "%02x", functions->tags[index][i]);
	return *info->name ? xasprintf("bpf_prog_%s_%.*s", tag, BPF_OBJ_NAME_LEN, info->name)
			   : xasprintf("bpf_prog_%s", tag);
}

static void add_bpf_function(uint64_t address, uint32_t length, const char *name,
			     const struct synthesis_options *options, struct strbuf *records)
{
	struct perf_record_ksymbol record = { .header = { .type = PERF_RECORD_KSYMBOL,
							  .misc = PERF_RECORD_MISC_KERNEL },
					      .addr = address,
					      .len = length,
					      .ksym_type = PERF_RECORD_KSYMBOL_TYPE_BPF };

	add_named_record(records, &record, offsetof(struct perf_record_ksymbol, name), name,
			 KSYM_NAME_LEN - 1, options);
}

static void add_bpf_program(const struct bpf_prog_info *info,
			    const struct synthesis_options *options, struct strbuf *records)
{
	struct perf_record_bpf_event record = { .header = { .type = PERF_RECORD_BPF_EVENT,
							    .misc = PERF_RECORD_MISC_KERNEL },
						.type = PERF_BPF_EVENT_PROG_LOAD,
						.id = info->id };
	size_t start = records->length;

	memcpy(record.tag, info->tag, sizeof(record.tag));
	strbuf_add(records, &record, sizeof(record));
	synthesize_end(records, start, options);
}

/* Reads a program and its functions. Returns false if the program is gone or may not be seen. */
static bool read_bpf_program(uint32_t id, struct bpf_prog_info *info,
			     struct bpf_functions *functions)
{
	_cleanup_close_ int fd = bpf_prog_get_fd_by_id(id);
	uint32_t size = sizeof(*info);

	*info = (struct bpf_prog_info){ .nr_jited_ksyms = BPF_FUNCTIONS_MAX,
					.jited_ksyms = (uintptr_t)functions->addresses,
					.nr_jited_func_lens = BPF_FUNCTIONS_MAX,
					.jited_func_lens = (uintptr_t)functions->lengths,
					.nr_prog_tags = BPF_FUNCTIONS_MAX,
					.prog_tags = (uintptr_t)functions->tags };
	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, info, &size);
}

/* Interpreted programs have no functions. Addresses that are hidden are 0. */
void synthesize_bpf(const char *root, const struct synthesis_options *options,
		    struct strbuf *records)
{
	struct bpf_symbols symbols = { 0 };
	struct bpf_functions *functions = xcalloc(1, sizeof(*functions));
	struct bpf_prog_info info;
	bool named = false;

	for (uint32_t id = 0; bpf_prog_get_next_id(id, &id) == 0;) {
		if (!read_bpf_program(id, &info, functions))
			continue;
		/* kallsyms is megabytes long, and most machines have no BPF programs. */
		if (info.nr_jited_ksyms && !named) {
			read_bpf_symbols(root, &symbols);
			named = true;
		}
		for (size_t i = 0; i < info.nr_jited_ksyms && i < info.nr_jited_func_lens; i++) {
			_cleanup_free_ char *name =
				bpf_function_name(&symbols, &info, functions, i);

			if (functions->addresses[i])
				add_bpf_function(functions->addresses[i], functions->lengths[i],
						 name, options, records);
		}
		add_bpf_program(&info, options, records);
	}
	for (size_t i = 0; i < symbols.count; i++)
		free(symbols.items[i].name);
	free_all(symbols.items, functions);
}

/* ---- control groups ---- */

/* The deepest nesting of groups that is read. No service manager nests them this deep. */
#define GROUP_DEPTH_MAX 64

/* Groups on their way to records. */
struct group_walk {
	const char *root, *mount;
	const struct synthesis_options *options;
	struct strbuf *records;
	struct container_images images;
};

static void add_group(struct group_walk *walk, const char *name, uint64_t id)
{
	struct perf_record_cgroup record = { .header = { .type = PERF_RECORD_CGROUP }, .id = id };
	const char *image = container_image(&walk->images, walk->root, name);
	size_t start = walk->records->length;

	if (image)
		record.header.misc = CGROUP_HAS_IMAGE;
	strbuf_add(walk->records, &record, offsetof(struct perf_record_cgroup, path));
	strbuf_add(walk->records, name, strnlen(name, PATH_MAX - 1));
	strbuf_add_char(walk->records, '\0');
	if (image) {
		strbuf_add(walk->records, image, strnlen(image, PATH_MAX - 1));
		strbuf_add_char(walk->records, '\0');
	}
	synthesize_end(walk->records, start, walk->options);
}

/* Adds a group and, after it, the groups in it. `name` begins after the mount point. */
static void add_groups(struct group_walk *walk, const char *name, unsigned int depth)
{
	_cleanup_names_ struct name_list entries = sysfs_list(walk->mount, "%s", name);
	_cleanup_free_ char *folder = xasprintf("%s%s", walk->mount, name);
	struct stat status;

	if (stat(folder, &status) || !S_ISDIR(status.st_mode))
		return;
	add_group(walk, *name ? name : "/", status.st_ino);
	for (size_t i = 0; depth < GROUP_DEPTH_MAX && i < entries.count; i++) {
		_cleanup_free_ char *child = xasprintf("%s/%s", name, entries.names[i]);
		_cleanup_free_ char *path = xasprintf("%s%s", walk->mount, child);

		if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode))
			add_groups(walk, child, depth + 1);
	}
}

void synthesize_cgroups(const char *root, const struct synthesis_options *options,
			struct strbuf *records)
{
	/* the kernel takes ids of this hierarchy */
	_cleanup_free_ char *mount = cgroup_mount_point(root, true);
	struct group_walk walk = {
		.root = root, .mount = mount, .options = options, .records = records
	};

	if (mount)
		add_groups(&walk, "", 0);
	container_images_deinit(&walk.images);
}

/* ---- AUX data ---- */

#define CPU_FOLDER "/sys/devices/system/cpu"

/* Values of AUXTRACE_INFO in perf (util/auxtrace.h, util/arm-spe.h). */
#define TRACE_OF_SPE     4 /* PERF_AUXTRACE_ARM_SPE */
#define SPE_INFO_VERSION 2
#define SPE_INFO_WORDS   4 /* version, this number, PMU, number of processors */
#define SPE_CPU_MAGIC    UINT64_C(0x1010101010101010)
#define SPE_CPU_WORDS    7
#define SPE_CPUS_MAX     ((RECORD_SIZE_MAX - 64) / (SPE_CPU_WORDS * sizeof(uint64_t)))

/* Returns a number below the folder of a PMU, or 0. */
static uint64_t capability(const struct pmu *pmu, const char *name)
{
	int64_t value = 0;

	sysfs_read_number(&value, pmu->root, PMU_FOLDER "/%s/caps/%s", pmu->name, name);
	return (uint64_t)value;
}

/* Adds the words of a processor: magic, its number, how many follow, its ID register, the type of
 * its PMU (-1: it has none), the least interval of that, and the events that it can filter by. */
static void add_processor(struct strbuf *records, const char *root, unsigned int number,
			  const struct pmu *pmu)
{
	int64_t id = 0;

	sysfs_read_number(&id, root, CPU_FOLDER "/cpu%u/regs/identification/midr_el1", number);
	const uint64_t words[SPE_CPU_WORDS] = {
		SPE_CPU_MAGIC,
		number,
		SPE_CPU_WORDS - 3,
		(uint64_t)id,
		pmu ? pmu->type : UINT64_MAX,
		pmu ? capability(pmu, "min_interval") : 0,
		pmu ? capability(pmu, "event_filter") : 0,
	};

	strbuf_add(records, words, sizeof(words));
}

/* Returns the first PMU of SPE that counts on a processor; -1: on any. */
static const struct pmu *spe_of(const struct event_list *events, long processor)
{
	_cleanup_free_ char *list = xasprintf("%ld", processor);

	for (size_t i = 0; i < events->count; i++) {
		const struct pmu *pmu = events->items[i].pmu;

		if (pmu && pmu_is_spe(pmu) &&
		    (processor < 0 || !pmu->cpus || cpu_lists_meet(pmu->cpus, list)))
			return pmu;
	}
	return NULL;
}

/* Adds TIME_CONV if the kernel tells how to convert times (perf_event_open(2), time_zero). */
static void add_time_conversion(struct strbuf *records, const struct perf_event_mmap_page *page)
{
	const struct perf_record_time_conv record = {
		.header = { .type = PERF_RECORD_TIME_CONV, .size = sizeof(record) },
		.time_shift = page->time_shift,
		.time_mult = page->time_mult,
		.time_zero = page->time_zero,
		.time_cycles = page->time_cycles,
		.time_mask = page->time_mask,
		.cap_user_time_zero = page->cap_user_time_zero,
		.cap_user_time_short = page->cap_user_time_short,
	};

	if (page->cap_user_time_zero)
		strbuf_add(records, &record, sizeof(record));
}

void synthesize_trace_info(const char *root, const struct event_list *events,
			   const struct ring *ring, struct strbuf *records)
{
	_cleanup_names_ struct name_list folders = sysfs_list(root, CPU_FOLDER);
	const struct pmu *pmu = spe_of(events, -1);
	_cleanup_strbuf_ struct strbuf processors = STRBUF_INIT;
	uint64_t count = 0;

	if (!pmu)
		return;
	for (size_t i = 0; i < folders.count && count < SPE_CPUS_MAX; i++) {
		unsigned int number;

		if (!sysfs_entry_number(folders.names[i], "cpu", &number))
			continue;
		add_processor(&processors, root, number, spe_of(events, number));
		count++;
	}
	const uint64_t words[SPE_INFO_WORDS] = { SPE_INFO_VERSION, SPE_INFO_WORDS, pmu->type,
						 count };
	const struct perf_record_auxtrace_info info = {
		.header = { .type = PERF_RECORD_AUXTRACE_INFO,
			    .size = sizeof(info) + sizeof(words) + processors.length },
		.type = TRACE_OF_SPE,
	};

	add_time_conversion(records, ring->page);
	strbuf_add(records, &info, sizeof(info));
	strbuf_add(records, words, sizeof(words));
	strbuf_add(records, processors.data, processors.length);
}
