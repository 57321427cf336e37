// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events whose names are looked up: breakpoints on functions, variables and fields, and
 * tracepoints, with the formats of the latter for the file. See event.h.
 */
#include "profiler/record/event.h"

#include <ctype.h>
#include <fnmatch.h>
#include <linux/hw_breakpoint.h>
#include <sys/syscall.h>

#include "dwarf/debug.h"
#include "dwarf/elf/image.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/record/sysfs.h"
#include "profiler/record/target.h"
#include "profiler/record/writer.h"

/* ---- breakpoints: from a name to an address in an object file ---- */

#define ANONYMOUS_DEPTH_MAX 16

/* A variable, field or function in an object file, by its debug information and symbols. */
struct named_place {
	uint64_t address; /* file address */
	uint64_t size;    /* bytes; 0: not known */
};

/* An object and its debug information. object_view_close() closes what is open. */
struct object_view {
	struct elf_image *image;
	struct elf_image *debug_image; /* NULL: the object itself */
	struct debug_object *debug;
	struct debug_reader *reader;
};

static void object_view_close(struct object_view *view)
{
	debug_reader_close(view->reader);
	if (view->debug)
		debug_object_close(view->debug);
	elf_image_close(view->debug_image);
	elf_image_close(view->image);
}

static struct error *object_view_open_debug(struct object_view *view)
{
	if (!elf_image_has_debug_info(view->image)) {
		_cleanup_free_ char *path = NULL;

		RETURN_ERROR(elf_image_find_debug_file(view->image, NULL, &path));
		if (path)
			RETURN_ERROR(elf_image_open(path, &view->debug_image));
	}
	RETURN_ERROR(
		debug_object_open(view->image, view->debug_image ?: view->image, &view->debug));
	view->reader = debug_reader_open(view->debug);
	return NULL;
}

static void consider_members(struct nearest *nearest, const struct type *type, unsigned int depth)
{
	members_each (member, type_members, type) {
		if (member->name)
			nearest_consider(nearest, member->name);
		else if (depth < ANONYMOUS_DEPTH_MAX)
			consider_members(nearest, type_strip(member->type), depth + 1);
	}
}

static struct error *no_member(const char *whole, const struct type *type, const char *name,
			       size_t length)
{
	_cleanup_free_ char *wanted = xstrndup(name, length);
	_cleanup_strbuf_ struct strbuf type_text = STRBUF_INIT;
	struct nearest nearest = { .word = wanted };

	type_name(type, &type_text);
	consider_members(&nearest, type, 0);
	if (nearest.best)
		return error_other("breakpoint '%s': %s has no member '%s' (nearest: '%s')", whole,
				   type_text.data, wanted, nearest.best);
	return error_other("breakpoint '%s': %s has no member '%s'", whole, type_text.data, wanted);
}

static struct error *step_into_member(const char *whole, const char **rest,
				      const struct type **type, struct named_place *place)
{
	const char *name = *rest + 1;
	size_t length = strcspn(name, ".[");
	const struct member *member;

	if (type_is_pointer(*type))
		return error_other("breakpoint '%s': the path leads through a pointer, whose "
				   "target may change: give the address",
				   whole);
	member = type_member_named(*type, name, length, &place->address);
	if (!member)
		return no_member(whole, *type, name, length);
	if (member->bit_size)
		place->size = (member->bit_offset + member->bit_size + 7) / 8;
	*type = type_strip(member->type);
	if (!member->bit_size)
		place->size = type_size_or(*type, 0);
	*rest = name + length;
	return NULL;
}

/* Reads the number between brackets and moves *rest past it. A `bound` of 0: any number. */
static struct error *read_index(const char *whole, const char **rest, uint64_t bound,
				uint64_t *index)
{
	char *end;

	*index = strtoull(*rest + 1, &end, 0);
	if (!isdigit((unsigned char)(*rest)[1]) || *end != ']')
		return error_other("breakpoint '%s': '%s' is not an index", whole, *rest);
	if (bound && *index >= bound)
		return error_other("breakpoint '%s': the array has %lu elements", whole, bound);
	*rest = end + 1;
	return NULL;
}

/* Moves *place to the element that the indices in *rest name, one for each dimension. */
static struct error *step_into_element(const char *whole, const char **rest,
				       const struct type **type, struct named_place *place)
{
	size_t dimension_count;
	const uint64_t *dimensions = type_array_dimensions(*type, &dimension_count);
	uint64_t element = 0, index;

	if (!dimension_count)
		return error_other("breakpoint '%s': the part before '%s' is not an array", whole,
				   *rest);
	for (size_t i = 0; i < dimension_count; i++) {
		if (**rest != '[')
			return error_other("breakpoint '%s': the array has %zu dimensions", whole,
					   dimension_count);
		RETURN_ERROR(read_index(whole, rest, dimensions[i], &index));
		element = element * dimensions[i] + index;
	}
	*type = type_strip(type_target(*type));
	place->address += element * type_size_or(*type, 0);
	place->size = type_size_or(*type, 0);
	return NULL;
}

static struct error *follow_path(const char *whole, const char *rest, const struct type *type,
				 struct named_place *place)
{
	type = type_strip(type);
	while (*rest) {
		if (*rest == '.')
			RETURN_ERROR(step_into_member(whole, &rest, &type, place));
		else if (*rest == '[')
			RETURN_ERROR(step_into_element(whole, &rest, &type, place));
		else
			return error_other("breakpoint '%s': '%s' is neither .MEMBER nor [INDEX]",
					   whole, rest);
	}
	return NULL;
}

/* Finds a variable by its symbol, which static ones need, or by its name. */
static bool find_global(struct debug_reader *reader, const struct symbol *symbol, const char *name,
			struct global *global)
{
	if (symbol && debug_reader_global_at(reader, symbol->address, 0, global) &&
	    global->address == symbol->address)
		return true;
	return debug_reader_global_named(reader, name, 0, global) && global->address;
}

static struct error *find_in_object(struct object_view *view, const char *name,
				    struct named_place *place)
{
	const char *rest = name + strcspn(name, ".[");
	_cleanup_free_ char *variable = xstrndup(name, rest - name);
	const struct symbol *symbol = elf_image_symbol_named(view->image, variable);
	struct error *problem = object_view_open_debug(view);
	struct global global;

	if (!problem && find_global(view->reader, symbol, variable, &global)) {
		if (global.thread_local_)
			return error_other(
				"breakpoint '%s': a thread-local variable has no single address",
				name);
		*place = (struct named_place){ .address = global.address, .size = global.size };
		return follow_path(name, rest, global.type, place);
	}
	if (symbol && !*rest) {
		error_destroy(problem);
		*place = (struct named_place){ .address = symbol->address, .size = symbol->size };
		return NULL;
	}
	if (symbol && problem) {
		/* This object has the name, so no other one is searched. */
		problem->code = ERROR_OTHER;
		return error_prefix(problem, "breakpoint '%s': the field cannot be found", name);
	}
	error_destroy(problem);
	return error_create(ERROR_NOT_FOUND, "breakpoint '%s': no variable or function '%s' in %s",
			    name, variable, elf_image_path(view->image));
}

/* Finds a name in an object. Returns ERROR_NOT_FOUND if the object does not have it, and another
 * error if it has the name but not the field. */
static struct error *breakpoint_find(const char *path, const char *name, struct named_place *place)
{
	struct object_view view = { 0 };
	struct error *error = elf_image_open(path, &view.image);

	if (!error)
		error = find_in_object(&view, name, place);
	object_view_close(&view);
	return error;
}

/* ---- addresses in processes and in the kernel ---- */

bool breakpoint_pending(const struct event_list *list)
{
	return any_of(i, 0, list->count, list->items[i].symbol);
}

/* Sets *bias to how far the object was moved, by one of its executable maps. */
static struct error *load_bias(const char *path, const struct process_map *map, uint64_t *bias)
{
	struct elf_image *image;
	uint64_t address;
	bool found;

	RETURN_ERROR(elf_image_open(path, &image));
	found = elf_image_offset_to_address(image, map->offset, &address);
	*bias = found ? map->start - address : 0;
	elf_image_close(image);
	return found ? NULL
		     : error_create(ERROR_FORMAT, "%s: its map matches none of its segments",
				    map->path);
}

/* Finds the name in the first object of the process, in the order of its maps, that has it. */
static struct error *find_in_process(pid_t pid, const char *name, struct named_place *place)
{
	_cleanup_process_maps_ struct process_maps maps = { 0 };
	struct error *last = NULL;

	RETURN_ERROR(process_maps_read(pid, &maps));
	array_each (const struct process_map, map, maps.items, maps.count) {
		uint64_t bias;

		if (!(map->protection & PROCESS_MAP_EXECUTE) || *map->path != '/')
			continue;
		_cleanup_free_ char *path = xasprintf("/proc/%d/root%s", pid, map->path);

		error_destroy(last);
		last = breakpoint_find(path, name, place);
		/* This object does not have it, or cannot be read. The next may have it. */
		if (last && last->code != ERROR_OTHER)
			continue;
		if (!last)
			last = load_bias(path, map, &bias);
		if (!last)
			place->address += bias;
		return last;
	}
	error_destroy(last);
	return error_create(
		ERROR_NOT_FOUND,
		"breakpoint '%s': no object of process %d has a variable or function of that name",
		name, pid);
}

struct symbol_search {
	const char *name;
	uint64_t address; /* 0: not found */
};

static bool take_wanted(void *data, const struct kernel_symbol *symbol)
{
	struct symbol_search *wanted = data;

	if (symbol->address && strcmp(symbol->name, wanted->name) == 0)
		wanted->address = symbol->address;
	return !wanted->address;
}

/* Finds a kernel symbol. kallsyms has no sizes. */
static struct error *find_in_kernel(const char *root, const char *name, struct named_place *place)
{
	struct symbol_search wanted = { .name = name };

	RETURN_ERROR(kernel_symbols_each(root, take_wanted, &wanted));
	*place = (struct named_place){ .address = wanted.address };
	return wanted.address
		       ? NULL
		       : error_create(ERROR_NOT_FOUND,
				      "breakpoint '%s': the kernel has no symbol of that name that "
				      "may be seen",
				      name);
}

/* Returns how many bytes can be watched there: 1, 2, 4 or 8 at a multiple of that. */
static uint64_t watched_length(const struct named_place *place)
{
	uint64_t length = sizeof(long);

	while (length > 1 && ((place->size && length > place->size) || place->address % length))
		length /= 2;
	return length;
}

static struct error *resolve_event(struct event_spec *spec, const char *root,
				   const struct thread_ids *processes)
{
	struct named_place place = { 0 };

	if (!processes->count)
		RETURN_ERROR(find_in_kernel(root, spec->symbol, &place));
	for (size_t i = 0; i < processes->count; i++) {
		struct named_place other = { 0 };

		RETURN_ERROR(find_in_process(processes->ids[i], spec->symbol, &other));
		if (i && other.address != place.address)
			return error_other("breakpoint '%s' is at a different address in each "
					   "process: record one process at a time",
					   spec->symbol);
		place = other;
	}
	spec->attr.bp_addr = place.address;
	if (!spec->attr.bp_len)
		spec->attr.bp_len = watched_length(&place);
	free(spec->symbol);
	spec->symbol = NULL;
	return NULL;
}

struct error *breakpoint_resolve(struct event_list *list, const char *root,
				 const struct thread_ids *processes)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].symbol)
			RETURN_ERROR(resolve_event(&list->items[i], root, processes));
	return NULL;
}

/* ---- whether the processor delivers breakpoints ---- */

/* A single miss proves nothing: the thread, or the virtual machine, may have moved between CPUs. */
#define PROBE_TRIES 3
#define PROBE_HITS  10

enum probe_result {
	PROBE_UNKNOWN, /* the probe could not be made */
	PROBE_HIT,
	PROBE_MISSED,
};

static volatile uint64_t probed_data;

static __attribute__((noinline)) void probed_function(void)
{
	/* Keeps the compiler from dropping or moving the call. */
	__asm__ volatile("" ::: "memory");
}

/* The result of reading the event, as read_format lays it out. */
struct probe_count {
	uint64_t hits, time_running;
};

/* Counts hits of a breakpoint on data or code of this program, in this thread alone. The processor
 * is to blame for a miss only if the event was running. */
static enum probe_result probe_once(uint32_t access)
{
	bool code = access & HW_BREAKPOINT_X;
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.size = sizeof(attr),
					.bp_type = access,
					.bp_addr = code ? (uintptr_t)probed_function
							: (uintptr_t)&probed_data,
					.bp_len = sizeof(long),
					.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING,
					.exclude_kernel = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	struct probe_count before, after;
	bool counted;

	if (fd < 0)
		return PROBE_UNKNOWN;
	counted = read(fd, &before, sizeof(before)) == sizeof(before);
	for (unsigned int i = 0; i < PROBE_HITS; i++) {
		probed_data = probed_data + 1;
		probed_function();
	}
	counted = counted && read(fd, &after, sizeof(after)) == sizeof(after);
	close(fd);
	if (!counted || after.time_running == before.time_running)
		return PROBE_UNKNOWN;
	return after.hits > 0 ? PROBE_HIT : PROBE_MISSED;
}

static bool never_delivered(uint32_t access)
{
	return !any_of(i, 0, PROBE_TRIES, probe_once(access) != PROBE_MISSED);
}

struct error *breakpoint_probe(const struct event_list *list)
{
	array_each (const struct event_spec, spec, list->items, list->count) {
		if (spec->attr.type == PERF_TYPE_BREAKPOINT && never_delivered(spec->attr.bp_type))
			return error_create(
				ERROR_UNSUPPORTED,
				"event '%s': this machine's virtual processor delivers no "
				"breakpoints: record another event, or on another machine",
				spec->name);
	}
	return NULL;
}

/* ---- tracepoints as events ---- */

static const char *const tracing_directories[] = { "/sys/kernel/tracing",
						   "/sys/kernel/debug/tracing" };

static bool has_events(const char *root, const char *directory)
{
	_cleanup_names_ struct name_list systems = sysfs_list(root, "%s/events", directory);

	return systems.count > 0;
}

/* Returns where /proc/mounts ("device directory type options") has a tracefs. */
static char *mounted_directory(const char *root)
{
	_cleanup_free_ char *mounts = sysfs_read(root, "/proc/mounts");
	char *save = NULL;

	for (char *line = mounts ? strtok_r(mounts, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *rest = line, *device = strsep(&rest, " "), *directory = strsep(&rest, " ");
		const char *type = strsep(&rest, " ");
		bool debugfs = type && strcmp(type, "debugfs") == 0;

		if (!device || !directory || !type || (!debugfs && strcmp(type, "tracefs")))
			continue;
		_cleanup_free_ char *path = xasprintf("%s%s", directory, debugfs ? "/tracing" : "");

		if (has_events(root, path))
			return xstrdup(path);
	}
	return NULL;
}

char *tracepoint_directory(const char *root)
{
	for (size_t i = 0; i < COUNT_OF(tracing_directories); i++)
		if (has_events(root, tracing_directories[i]))
			return xstrdup(tracing_directories[i]);
	return mounted_directory(root);
}

static struct error *add_tracepoint(struct event_list *list, const char *root,
				    const char *directory, const char *system, const char *name)
{
	int64_t id;

	if (!sysfs_read_number(&id, root, "%s/events/%s/%s/id", directory, system, name))
		return error_create(ERROR_PERMISSION,
				    "tracepoint '%s:%s': cannot read %s/events/%s/%s/id", system,
				    name, directory, system, name);

	_cleanup_free_ char *full = xasprintf("%s:%s", system, name);
	struct event_spec *spec = event_list_add(list, full);

	spec->attr.type = PERF_TYPE_TRACEPOINT;
	spec->attr.config = id;
	spec->attr.sample_period = 1;
	spec->rate_given = true;
	spec->tracepoint = xasprintf("%s/%s", system, name);
	return NULL;
}

static struct error *no_such_tracepoint(const char *root, const char *directory, const char *system,
					const char *name)
{
	_cleanup_names_ struct name_list systems = sysfs_list(root, "%s/events", directory);
	_cleanup_names_ struct name_list names =
		sysfs_list(root, "%s/events/%s", directory, system);
	const char *nearest =
		names.count ? nearest_name(name, &names) : nearest_name(system, &systems);

	if (!names.count)
		return nearest ? error_create(ERROR_NOT_FOUND,
					      "unknown event '%s:%s' (nearest system of "
					      "tracepoints: '%s')",
					      system, name, nearest)
			       : error_create(ERROR_NOT_FOUND, "unknown event '%s:%s'", system,
					      name);
	return nearest ? error_create(ERROR_NOT_FOUND,
				      "unknown tracepoint '%s:%s' (nearest: '%s:%s')", system, name,
				      system, nearest)
		       : error_create(ERROR_NOT_FOUND, "unknown tracepoint '%s:%s'", system, name);
}

static struct error *add_matching_tracepoints(struct event_list *list, const char *root,
					      const char *directory, const char *system,
					      const char *name)
{
	_cleanup_names_ struct name_list systems = sysfs_list(root, "%s/events", directory);
	size_t before = list->count;

	for (size_t i = 0; i < systems.count; i++) {
		if (fnmatch(system, systems.names[i], 0))
			continue;
		_cleanup_names_ struct name_list names =
			sysfs_list(root, "%s/events/%s", directory, systems.names[i]);

		for (size_t j = 0; j < names.count; j++) {
			if (fnmatch(name, names.names[j], 0) == 0 &&
			    sysfs_exists(root, "%s/events/%s/%s/id", directory, systems.names[i],
					 names.names[j]))
				RETURN_ERROR(add_tracepoint(list, root, directory, systems.names[i],
							    names.names[j]));
		}
	}
	return list->count > before ? NULL : no_such_tracepoint(root, directory, system, name);
}

struct error *tracepoint_add(struct event_list *list, const char *root, const char *text,
			     const char **modifiers)
{
	size_t system_length = strcspn(text, ":");
	const char *rest = text + system_length + 1;
	size_t name_length = strcspn(rest, ":");
	_cleanup_free_ char *system = xstrndup(text, system_length);
	_cleanup_free_ char *name = xstrndup(rest, name_length);
	_cleanup_free_ char *directory = tracepoint_directory(root);

	*modifiers = rest[name_length] ? rest + name_length + 1 : "";
	if (strchr(system, '/') || strchr(name, '/') || !*system || !*name)
		return error_other("'%s' is not SYSTEM:TRACEPOINT", text);
	if (!directory)
		return error_create(
			ERROR_NOT_FOUND,
			"unknown event '%s' (tracepoints would be in /sys/kernel/tracing, which is "
			"not mounted or not readable: mount -t tracefs nodev /sys/kernel/tracing)",
			text);
	return add_matching_tracepoints(list, root, directory, system, name);
}

/* ---- formats of tracepoints, for the file ---- */

/* The tracing data while it is built. */
struct builder {
	const struct event_list *list;
	const char *root;
	const char *directory; /* of tracefs */
	struct strbuf *content;
};

/* Puts size and content of a file below tracefs, with its final newline. */
static struct error *put_file(const struct builder *builder, const char *path)
{
	_cleanup_free_ char *text = sysfs_read(builder->root, "%s/%s", builder->directory, path);

	if (!text)
		return error_create(ERROR_PERMISSION,
				    "cannot read %s/%s, which describes the recorded tracepoints",
				    builder->directory, path);
	feature_put_u64(builder->content, strlen(text) + 1);
	strbuf_add(builder->content, text, strlen(text));
	strbuf_add_char(builder->content, '\n');
	return NULL;
}

/* Returns the recorded tracepoints of a system, or the systems if `system` is NULL. */
static struct name_list recorded_names(const struct event_list *list, const char *system)
{
	struct name_list names = { 0 };

	for (size_t i = 0; i < list->count; i++) {
		const char *tracepoint = list->items[i].tracepoint;
		const char *slash = tracepoint ? strchr(tracepoint, '/') : NULL;

		if (!slash)
			continue;
		_cleanup_free_ char *own = xstrndup(tracepoint, slash - tracepoint);

		if (!system)
			name_list_add_once(&names, own);
		else if (strcmp(own, system) == 0)
			name_list_add_once(&names, slash + 1);
	}
	return names;
}

static struct error *put_formats(const struct builder *builder, const char *system)
{
	_cleanup_names_ struct name_list names = recorded_names(builder->list, system);

	feature_put_u32(builder->content, names.count);
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_free_ char *path =
			xasprintf("events/%s/%s/format", system, names.names[i]);

		RETURN_ERROR(put_file(builder, path));
	}
	return NULL;
}

static struct error *put_systems(const struct builder *builder)
{
	_cleanup_names_ struct name_list systems = recorded_names(builder->list, NULL);

	/* perf_event_open(2) cannot record ftrace's own events, so there are none. */
	feature_put_u32(builder->content, 0);
	feature_put_u32(builder->content, systems.count);
	for (size_t i = 0; i < systems.count; i++) {
		strbuf_add(builder->content, systems.names[i], strlen(systems.names[i]) + 1);
		RETURN_ERROR(put_formats(builder, systems.names[i]));
	}
	return NULL;
}

/* Puts the strings that formats refer to by address. */
static void put_printk_formats(const struct builder *builder)
{
	_cleanup_free_ char *text =
		sysfs_read(builder->root, "%s/printk_formats", builder->directory);
	size_t length = text && *text ? strlen(text) : 0;

	feature_put_u32(builder->content, length ? length + 1 : 0);
	strbuf_add(builder->content, text, length);
	if (length)
		strbuf_add_char(builder->content, '\n');
}

struct error *tracing_data_read(const struct event_list *list, const char *root,
				struct strbuf *content)
{
	/* trace-cmd.dat.v6(5): magic number, "tracing", version. The NUL belongs to it. */
	static const char magic[] = "\x17\x08\x44tracing0.6";
	struct builder builder = { .list = list, .root = root, .content = content };
	_cleanup_names_ struct name_list systems = recorded_names(list, NULL);
	const uint8_t big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, long_size = sizeof(long);

	if (!systems.count)
		return NULL;
	_cleanup_free_ char *directory = tracepoint_directory(root);

	if (!directory)
		return error_create(ERROR_NOT_FOUND, "tracefs is not mounted any more");
	builder.directory = directory;
	strbuf_add(content, magic, sizeof(magic));
	strbuf_add_char(content, big_endian);
	strbuf_add_char(content, long_size);
	feature_put_u32(content, sysconf(_SC_PAGESIZE));
	strbuf_add(content, "header_page", sizeof("header_page"));
	RETURN_ERROR(put_file(&builder, "events/header_page"));
	strbuf_add(content, "header_event", sizeof("header_event"));
	RETURN_ERROR(put_file(&builder, "events/header_event"));
	RETURN_ERROR(put_systems(&builder));
	feature_put_u32(content, 0); /* kallsyms: readers find the kernel by its build id */
	put_printk_formats(&builder);
	feature_put_u64(content, 0); /* saved_cmdlines: COMM records have the names */
	return NULL;
}
