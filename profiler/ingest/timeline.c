// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements timeline.h. */
#include "profiler/ingest/timeline.h"

#include <sys/mman.h>

#include "base/cursor.h"
#include "base/memory.h"

/* ---- tasks ---- */

struct task_state {
	struct moment since;
	int32_t pid;
	uint32_t comm;  /* COMM_NONE: not named yet */
	uint32_t space; /* of the first thread of a process; SPACE_NONE: none yet */
	bool ended;
};

/* All threads that had one tid, one after the other. */
struct task {
	struct task_state *states; /* oldest first, at least one */
	size_t count, capacity;
	size_t incarnation;       /* the first state of the thread that has the number now */
	uint64_t mount_namespace; /* inode; 0: not recorded */
};

static inline struct task_state *task_last(const struct task *task)
{
	return &task->states[task->count - 1];
}

/* ---- lookup ---- */

uint32_t comm_table_get(struct comm_table *comms, const char *name)
{
	const char *pooled = string_pool_intern(&comms->pool, name);
	const char **item = hash_map_item(&comms->by_name, (uintptr_t)pooled, comms->names,
					  comms->count, comms->capacity, NULL);

	*item = pooled;
	return (uint32_t)(item - comms->names);
}

static void comm_table_deinit(struct comm_table *comms)
{
	string_pool_deinit(&comms->pool);
	hash_map_deinit(&comms->by_name);
	free(comms->names);
}

uint64_t map_file_offset(const struct map *map, uint64_t address)
{
	switch (map->dso ? map->dso->kind : DSO_UNKNOWN) {
	case DSO_USER:
	case DSO_VDSO: return address - map->start + map->file_offset;
	case DSO_MODULE: return address - map->start;
	default: return address;
	}
}

/* Returns the state of a thread, or NULL, and narrows the view to the time for which it holds. */
static const struct task_state *timeline_state(const struct timeline *timeline, int32_t tid,
					       struct moment moment, struct task_view *view)
{
	const uint32_t *index = hash_map_find(&timeline->task_by_tid, (uint32_t)tid);

	if (!index)
		return NULL;
	const struct task *task = &timeline->tasks[*index];
	size_t at =
		partition_point(1, task->count, i, !moment_before(moment, task->states[i].since)) -
		1;
	const struct task_state *state = &task->states[at];

	if (at && moment_before(view->since, state->since))
		view->since = state->since;
	if (at + 1 < task->count && moment_before(state[1].since, view->until))
		view->until = state[1].since;
	return state;
}

void timeline_task(const struct timeline *timeline, int32_t pid, int32_t tid, struct moment moment,
		   struct task_view *view)
{
	*view = (struct task_view){
		.comm = COMM_NONE,
		.space = SPACE_NONE,
		.since = MOMENT_FIRST,
		.until = MOMENT_NEVER,
	};
	const struct task_state *state = timeline_state(timeline, tid, moment, view);

	if (state) {
		view->comm = state->comm;
		if (!state->ended)
			pid = state->pid;
	}
	view->pid = pid;
	if (pid != tid)
		state = timeline_state(timeline, pid, moment, view);
	if (state)
		view->space = state->space;
}

void timeline_deinit(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->space_count; i++)
		address_space_deinit(&timeline->spaces[i]);
	for (size_t i = 0; i < timeline->task_count; i++)
		free(timeline->tasks[i].states);
	free_all(timeline->spaces, timeline->tasks, timeline->maps);
	hash_map_deinit(&timeline->task_by_tid);
	comm_table_deinit(&timeline->comms);
	dso_table_deinit(&timeline->dsos);
	*timeline = (struct timeline){ 0 };
}

/* ---- records ---- */

#ifndef MAP_HUGETLB
#define MAP_HUGETLB 0x40000
#endif

/* A state record that is being applied. */
struct state_header {
	struct moment moment;
	struct cursor cursor; /* after the record's header */
	uint16_t misc;
	uint16_t type;
};

/* Returns whether the number of a process or thread is that of all those which are in no PID
 * namespace of the recorder, where they have no numbers. The idle threads have it, too, but run in
 * no user space, and have no records. */
static bool is_outside(int32_t id)
{
	return id == 0;
}

static uint32_t timeline_add_space(struct timeline *timeline, uint32_t parent, struct moment limit)
{
	array_add(timeline->spaces, timeline->space_count, timeline->space_capacity) =
		(struct address_space){ .parent = parent, .limit = limit };
	return (uint32_t)timeline->space_count - 1;
}

/* Returns a new space that shares the maps that `parent` has now. */
static uint32_t timeline_fork_space(struct timeline *timeline, uint32_t parent,
				    struct moment moment)
{
	if (parent != SPACE_NONE && !timeline->spaces[parent].map_count) {
		/* The parent has no maps of its own: use its parent, for short chains. */
		if (moment_before(timeline->spaces[parent].limit, moment))
			moment = timeline->spaces[parent].limit;
		parent = timeline->spaces[parent].parent;
	}
	uint32_t depth = parent == SPACE_NONE ? 0 : timeline->spaces[parent].depth + 1;

	if (depth >= ADDRESS_SPACE_DEPTH_MAX) {
		timeline->cut_forks++;
		parent = SPACE_NONE;
		depth = 0;
	}
	uint32_t space = timeline_add_space(timeline, parent, moment);

	timeline->spaces[space].depth = depth;
	return space;
}

/* Returns the task of a tid; adds it if it is new. The result is valid until the next addition. */
static struct task *timeline_task_get(struct timeline *timeline, int32_t tid, int32_t pid)
{
	bool created;
	struct task *task = hash_map_item(&timeline->task_by_tid, (uint32_t)tid, timeline->tasks,
					  timeline->task_count, timeline->task_capacity, &created);

	if (created)
		array_add(task->states, task->count, task->capacity) =
			(struct task_state){ .pid = pid, .comm = COMM_NONE, .space = SPACE_NONE };
	return task;
}

/* Adds a state that begins as a copy of the last one. */
static struct task_state *task_push(struct task *task, struct moment moment)
{
	array_reserve(task->states, task->count, task->capacity);
	task->states[task->count] = task->states[task->count - 1];
	task->states[task->count].since = moment;
	return &task->states[task->count++];
}

/* Starts a new thread if the last one with this number has exited. Returns the current state. */
static struct task_state *task_revive(struct task *task, int32_t pid)
{
	struct task_state *state = task_last(task);

	if (state->ended) {
		state->ended = false;
		state->pid = pid;
		state->space = SPACE_NONE;
	}
	return state;
}

static uint32_t timeline_process_space(struct timeline *timeline, int32_t pid)
{
	struct task_state *state = task_last(timeline_task_get(timeline, pid, pid));

	if (state->space == SPACE_NONE)
		state->space = timeline_add_space(timeline, SPACE_NONE, MOMENT_NEVER);
	return state->space;
}

static void timeline_add_map(struct timeline *timeline, uint32_t space_index, const struct map *map)
{
	struct address_space *space = &timeline->spaces[space_index];

	array_reserve(timeline->maps, timeline->map_count, timeline->map_capacity);
	array_add(space->maps, space->map_count, space->map_capacity) =
		(uint32_t)timeline->map_count;
	timeline->maps[timeline->map_count++] = *map;
}

/* A parsed PERF_RECORD_MMAP or MMAP2. */
struct map_record {
	int32_t pid, tid;
	uint64_t start, length, offset;
	uint64_t inode; /* 0: its build id is recorded instead */
	uint64_t device, generation;
	uint32_t protection, flags;
	struct build_id build_id;
	const char *name;
};

static bool map_record_parse(struct state_header *header, struct map_record *record)
{
	struct cursor *cursor = &header->cursor;

	*record = (struct map_record){ 0 };
	record->pid = (int32_t)cursor_u32(cursor);
	record->tid = (int32_t)cursor_u32(cursor);
	record->start = cursor_u64(cursor);
	record->length = cursor_u64(cursor);
	record->offset = cursor_u64(cursor);
	record->protection = header->misc & PERF_RECORD_MISC_MMAP_DATA ? 0 : PROT_EXEC;
	if (header->type == PERF_RECORD_MMAP2) {
		/* Device and inode, or the build id: length, three reserved bytes, twenty of id. */
		struct cursor numbers = *cursor;
		const uint8_t *identity = cursor_bytes(cursor, 24);

		if (!(header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
			record->device = (uint64_t)cursor_u32(&numbers) << 32;
			record->device |= cursor_u32(&numbers);
			record->inode = cursor_u64(&numbers);
			record->generation = cursor_u64(&numbers);
		} else if (identity && identity[0] <= BUILD_ID_SIZE) {
			record->build_id.size = identity[0];
			memcpy(record->build_id.bytes, identity + 4, identity[0]);
		}
		record->protection = cursor_u32(cursor);
		record->flags = cursor_u32(cursor);
	}
	record->name = cursor_string(cursor);
	return !cursor->failed;
}

static void timeline_take_kernel_map(struct timeline *timeline, const struct state_header *header,
				     const struct map_record *record, bool guest)
{
	struct dso_origin origin = {
		.name = record->name,
		.build_id = record->build_id.size ? &record->build_id : NULL,
		.kernel = true,
		.guest = guest,
	};
	struct map map = { .since = header->moment,
			   .start = record->start,
			   .file_offset = record->offset };

	map.last = record->start + record->length - 1;
	if (!record->length || map.last < map.start)
		map.last = UINT64_MAX;
	map.dso = dso_table_get(&timeline->dsos, &origin);
	dso_table_set_kernel_map(&timeline->dsos, map.dso,
				 &(struct kernel_map){ .name = record->name,
						       .start = record->start,
						       .length = record->length,
						       .offset = record->offset });
	timeline_add_map(timeline, guest ? timeline->guest_kernel_space : timeline->kernel_space,
			 &map);
}

/* Gives the processes outside one object of no file, so that spaces are not mixed. Their threads
 * have the number of the idle ones, so that the name is that of neither. */
static void timeline_take_outside(struct timeline *timeline)
{
	const struct dso_origin origin = { .name = DSO_OUTSIDE_NAME };
	struct map map = { .since = MOMENT_FIRST, .last = INT64_MAX, .protection = PROT_EXEC };

	if (timeline->outside)
		return;
	timeline->outside = true;
	task_last(timeline_task_get(timeline, 0, 0))->comm =
		comm_table_get(&timeline->comms, "(outside or idle)");
	map.dso = dso_table_get(&timeline->dsos, &origin);
	timeline_add_map(timeline, timeline_process_space(timeline, 0), &map);
}

static void timeline_take_user_map(struct timeline *timeline, const struct state_header *header,
				   const struct map_record *record)
{
	bool anonymous = dso_name_is_anonymous(record->name) || record->flags & MAP_HUGETLB;
	struct dso_origin origin = {
		.name = record->name,
		.build_id = record->build_id.size ? &record->build_id : NULL,
		.inode = record->inode,
		.anonymous_code = anonymous && record->protection & PROT_EXEC && record->pid > 0,
		.pid = record->pid,
	};
	struct map map = { .since = header->moment,
			   .start = record->start,
			   .file_offset = record->offset,
			   .inode = record->inode,
			   .device = record->device,
			   .generation = record->generation,
			   .protection = record->protection,
			   .flags = record->flags };

	if (!record->length)
		return;
	if (is_outside(record->pid)) {
		timeline_take_outside(timeline);
		return;
	}
	map.last = record->start + record->length - 1;
	if (map.last < map.start)
		map.last = UINT64_MAX;
	map.dso = dso_table_get(&timeline->dsos, &origin);
	if (record->protection & PROT_EXEC && !map.dso->has_code) {
		map.dso->has_code = true;
		map.dso->pid = record->pid;
		map.dso->code_offset = record->offset;
		map.dso->mount_namespace =
			timeline_task_get(timeline, record->pid, record->pid)->mount_namespace;
	}
	(void)task_revive(timeline_task_get(timeline, record->tid, record->pid), record->pid);
	timeline_add_map(timeline, timeline_process_space(timeline, record->pid), &map);
}

static bool timeline_take_map(struct timeline *timeline, struct state_header *header)
{
	struct map_record record;

	if (!map_record_parse(header, &record))
		return false;
	switch (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		timeline_take_kernel_map(timeline, header, &record, false);
		break;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		timeline_take_kernel_map(timeline, header, &record, true);
		break;
	/* Processes of a guest have numbers of their own. */
	case PERF_RECORD_MISC_GUEST_USER: break;
	default: timeline_take_user_map(timeline, header, &record); break;
	}
	return true;
}

static bool timeline_take_comm(struct timeline *timeline, struct state_header *header)
{
	int32_t pid = (int32_t)cursor_u32(&header->cursor);
	int32_t tid = (int32_t)cursor_u32(&header->cursor);
	const char *name = cursor_string(&header->cursor);

	if (!name)
		return false;
	if (is_outside(tid))
		return true;
	struct task *task = timeline_task_get(timeline, tid, pid);
	uint32_t comm = comm_table_get(&timeline->comms, name);
	bool exec = header->misc & PERF_RECORD_MISC_COMM_EXEC;

	if (task_revive(task, pid)->comm == COMM_NONE) {
		/* The first name holds from the start of the thread. */
		for (size_t i = task->count;
		     i-- > task->incarnation && task->states[i].comm == COMM_NONE;)
			task->states[i].comm = comm;
		if (!exec)
			return true;
	}
	struct task_state *state = task_push(task, header->moment);

	state->comm = comm;
	if (exec)
		state->space = SPACE_NONE;
	return true;
}

static bool timeline_take_fork(struct timeline *timeline, struct state_header *header)
{
	int32_t pid = (int32_t)cursor_u32(&header->cursor);
	int32_t parent_pid = (int32_t)cursor_u32(&header->cursor);
	int32_t tid = (int32_t)cursor_u32(&header->cursor);
	int32_t parent_tid = (int32_t)cursor_u32(&header->cursor);

	if (header->cursor.failed)
		return false;
	if (is_outside(tid))
		return true;
	uint32_t comm = task_last(timeline_task_get(timeline, parent_tid, parent_pid))->comm;
	uint32_t parent_space =
		task_last(timeline_task_get(timeline, parent_pid, parent_pid))->space;
	struct task *task = timeline_task_get(timeline, tid, pid);
	struct task_state *state = task_push(task, header->moment);

	task->incarnation = task->count - 1;
	*state = (struct task_state){
		.since = header->moment, .pid = pid, .comm = comm, .space = SPACE_NONE
	};
	/* perf synthesizes such a record for a running process; its maps follow. */
	if (pid == parent_pid || header->misc & PERF_RECORD_MISC_FORK_EXEC)
		return true;
	if (tid == pid && !is_outside(parent_pid))
		state->space = timeline_fork_space(timeline, parent_space, header->moment);
	return true;
}

static bool timeline_take_exit(struct timeline *timeline, struct state_header *header)
{
	int32_t pid = (int32_t)cursor_u32(&header->cursor);

	cursor_skip(&header->cursor, 4);
	int32_t tid = (int32_t)cursor_u32(&header->cursor);

	if (header->cursor.failed)
		return false;
	if (is_outside(tid))
		return true;
	struct task *task = timeline_task_get(timeline, tid, pid);
	struct task_state *state = task_push(task, header->moment);

	/* Name and maps stay: the kernel's part of the exit follows, and threads may go on. */
	state->ended = true;
	return true;
}

/* PERF_RECORD_NAMESPACES: pid, tid, number of namespaces, device and inode of each. */
static bool timeline_take_namespaces(struct timeline *timeline, struct state_header *header)
{
	int32_t pid = (int32_t)cursor_u32(&header->cursor);
	int32_t tid = (int32_t)cursor_u32(&header->cursor);
	uint64_t count = cursor_u64(&header->cursor);

	if (count <= MNT_NS_INDEX)
		return !header->cursor.failed;
	cursor_skip(&header->cursor, MNT_NS_INDEX * sizeof(struct perf_ns_link_info) +
					     offsetof(struct perf_ns_link_info, ino));
	uint64_t mount = cursor_u64(&header->cursor);

	if (header->cursor.failed)
		return false;
	timeline_task_get(timeline, tid, pid)->mount_namespace = mount;
	return true;
}

static bool timeline_take_ksymbol(struct timeline *timeline, struct state_header *header)
{
	uint64_t start = cursor_u64(&header->cursor);
	uint32_t length = cursor_u32(&header->cursor);

	cursor_skip(&header->cursor, 2);
	uint16_t flags = cursor_u16(&header->cursor);
	const char *name = cursor_string(&header->cursor);

	if (!name)
		return false;
	struct map map = { .since = header->moment, .start = start, .last = start + length - 1 };
	/* a program may be loaded more than once: its address tells it apart, like a file's inode
	 */
	struct dso_origin origin = {
		.name = name, .kernel = true, .ksymbol = true, .inode = start
	};

	if (!length || map.last < start)
		return true;
	if (!(flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)) {
		map.dso = dso_table_get(&timeline->dsos, &origin);
		dso_table_set_kernel_map(
			&timeline->dsos, map.dso,
			&(struct kernel_map){ .name = name, .start = start, .length = length });
	}
	timeline_add_map(timeline, timeline->ksymbol_space, &map);
	return true;
}

void timeline_add_module(struct timeline *timeline, const char *name, uint64_t start,
			 uint64_t length)
{
	struct dso_origin origin = { .name = name, .kernel = true };
	struct map map = { .since = MOMENT_FIRST, .start = start, .last = start + length - 1 };

	if (!length || map.last < start)
		return;
	map.dso = dso_table_get(&timeline->dsos, &origin);
	dso_table_set_kernel_map(
		&timeline->dsos, map.dso,
		&(struct kernel_map){ .name = name, .start = start, .length = length });
	timeline_add_map(timeline, timeline->module_space, &map);
}

/* Applies a record. Returns false if it is shorter than its fields. */
static bool timeline_take(struct timeline *timeline, const struct state_record *record, bool swap)
{
	struct state_header header = { .moment = record->moment,
				       .cursor = cursor_of(record->data, record->size, swap) };

	header.type = (uint16_t)cursor_u32(&header.cursor);
	header.misc = cursor_u16(&header.cursor);
	cursor_skip(&header.cursor, 2);
	switch (header.type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return timeline_take_map(timeline, &header);
	case PERF_RECORD_COMM: return timeline_take_comm(timeline, &header);
	case PERF_RECORD_FORK: return timeline_take_fork(timeline, &header);
	case PERF_RECORD_EXIT: return timeline_take_exit(timeline, &header);
	case PERF_RECORD_KSYMBOL: return timeline_take_ksymbol(timeline, &header);
	case PERF_RECORD_NAMESPACES: return timeline_take_namespaces(timeline, &header);
	default: return true;
	}
}

static int state_record_compare(const void *left, const void *right)
{
	const struct state_record *a = left;
	const struct state_record *b = right;

	return moment_before(a->moment, b->moment) ? -1 : moment_before(b->moment, a->moment);
}

void timeline_init(struct timeline *timeline)
{
	*timeline = (struct timeline){ 0 };
	timeline->module_space = timeline_add_space(timeline, SPACE_NONE, MOMENT_NEVER);
	timeline->ksymbol_space =
		timeline_add_space(timeline, timeline->module_space, MOMENT_NEVER);
	timeline->kernel_space =
		timeline_add_space(timeline, timeline->ksymbol_space, MOMENT_NEVER);
	timeline->guest_kernel_space = timeline_add_space(timeline, SPACE_NONE, MOMENT_NEVER);
	/* There are no records of the idle threads. */
	task_last(timeline_task_get(timeline, 0, 0))->comm =
		comm_table_get(&timeline->comms, "swapper");
}

/* Gives maps of data the DSO of their file's code, whose build id their records lack. */
static void timeline_unify_dsos(struct timeline *timeline)
{
	struct dso **unified = xcalloc(timeline->dsos.count ?: 1, sizeof(struct dso *));

	for (size_t i = 0; i < timeline->dsos.count; i++)
		unified[i] = dso_table_with_build_id(&timeline->dsos, timeline->dsos.dsos[i]);
	for (size_t i = 0; i < timeline->map_count; i++)
		if (timeline->maps[i].dso)
			timeline->maps[i].dso = unified[timeline->maps[i].dso->id];
	free(unified);
}

static const struct map *file_map_at(const struct timeline *timeline, uint32_t space,
				     uint64_t address, struct moment moment)
{
	struct map_view view;

	timeline_map(timeline, space, address, moment, &view);
	const struct map *map = view.map == MAP_NONE ? NULL : &timeline->maps[view.map];

	return map && map->dso && map->dso->kind == DSO_USER ? map : NULL;
}

/* Returns whether the map of code is that of the program of its process: the first one. */
static bool is_program(const struct timeline *timeline, uint32_t space, const struct map *map)
{
	const struct address_space *own = &timeline->spaces[space];

	for (uint32_t i = 0; i < own->map_count; i++) {
		const struct map *first = &timeline->maps[own->maps[i]];

		if (first->dso && first->dso->kind == DSO_USER && first->protection & PROT_EXEC)
			return first->dso == map->dso;
	}
	return false;
}

/* Finds the file of code in an anonymous map that takes the place of the file's: programs move
 * their code to huge pages. Either it lies on code of the program, which cannot be unloaded before;
 * or it fills a hole between two maps of one file, whose offsets go on over the hole. Sets *offset
 * to its offset in the file. Returns NULL if it is code of its own. */
static struct dso *moved_code(const struct timeline *timeline, uint32_t space,
			      const struct map *map, uint64_t *offset)
{
	const struct moment before = { map->since.time,
				       map->since.position ? map->since.position - 1 : 0 };
	const struct moment after = { map->since.time, UINT64_MAX };
	const struct map *under = file_map_at(timeline, space, map->start, before);
	const struct map *low, *high;

	if (under && under->protection & PROT_EXEC && map->last <= under->last &&
	    is_program(timeline, space, under)) {
		*offset = under->file_offset + (map->start - under->start);
		return under->dso;
	}
	low = map->start ? file_map_at(timeline, space, map->start - 1, after) : NULL;
	high = map->last < UINT64_MAX ? file_map_at(timeline, space, map->last + 1, after) : NULL;
	if (!low || !high || low->dso != high->dso || high->start != map->last + 1 ||
	    high->file_offset - low->file_offset != high->start - low->start)
		return NULL;
	*offset = low->file_offset + (map->start - low->start);
	return low->dso;
}

/* Gives code that was moved out of its file the file's identity. */
static void timeline_restore_moved_code(struct timeline *timeline)
{
	for (uint32_t space = 0; space < timeline->space_count; space++)
		for (uint32_t i = 0; i < timeline->spaces[space].map_count; i++) {
			struct map *map = &timeline->maps[timeline->spaces[space].maps[i]];
			uint64_t offset = 0;
			struct dso *dso = map->dso && map->dso->kind == DSO_ANONYMOUS &&
							  map->protection & PROT_EXEC && !map->inode
						  ? moved_code(timeline, space, map, &offset)
						  : NULL;

			if (!dso)
				continue;
			map->dso = dso;
			map->file_offset = offset;
		}
}

void timeline_build(struct timeline *timeline, struct state_record *records, size_t count,
		    bool swap)
{
	array_sort(records, count, state_record_compare);
	for (size_t i = 0; i < count; i++) {
		if (timeline_take(timeline, &records[i], swap))
			continue;
		if (!timeline->bad_records || records[i].moment.position < timeline->first_bad)
			timeline->first_bad = records[i].moment.position;
		timeline->bad_records++;
	}
	timeline_unify_dsos(timeline);
	for (size_t i = 0; i < timeline->space_count; i++)
		address_space_index(&timeline->spaces[i], timeline->maps);
	timeline_restore_moved_code(timeline);
}

/* ---- placers ---- */

void placer_init(struct placer *placer, const struct timeline *timeline)
{
	placer->timeline = timeline;
	for (unsigned int mode = 0; mode <= PERF_RECORD_MISC_CPUMODE_MASK; mode++)
		placer->spaces[mode] =
			placer_space(timeline, placer_level((uint16_t)mode), SPACE_NONE);
	for (size_t i = 0; i < PLACER_TASKS; i++)
		placer->tasks[i] = (struct placer_task){ .task = PLACER_NO_TASK(i) };
	for (size_t i = 0; i < PLACER_MAPS; i++)
		placer->maps[i] = (struct placer_map){ .space = PLACER_NO_SPACE };
}

/* Sets *times to the times strictly between two moments. Returns false if there are none. At the
 * times of the moments themselves the position decides, so these are looked up each time. */
static bool placer_times(struct moment since, struct moment until, struct placer_range *times)
{
	uint64_t first = since.time || since.position ? since.time + 1 : 0;
	uint64_t last = until.time == UINT64_MAX ? UINT64_MAX : until.time - 1;

	if (!until.time || since.time == UINT64_MAX || first > last)
		return false;
	*times = (struct placer_range){ first, last - first };
	return true;
}

const struct placer_task *placer_ask_task(struct placer *placer, struct placer_task *slot,
					  uint64_t task, struct moment moment)
{
	struct task_view view;

	timeline_task(placer->timeline, (int32_t)task, (int32_t)(task >> 32), moment, &view);
	slot->comm = view.comm;
	slot->space = view.space;
	slot->task = placer_times(view.since, view.until, &slot->times)
			     ? task
			     : PLACER_NO_TASK(task >> 32);
	return slot;
}

/* Maps without a file between a map's end and an address in its .bss, one for each call. */
#define MAPS_BEFORE_MAX 8

static bool has_no_file(const struct map *map)
{
	return map && map->dso && map->dso->kind == DSO_ANONYMOUS;
}

/* Returns the nearest map of a file before the view, or MAP_NONE. */
static uint32_t file_before(const struct timeline *timeline, uint32_t space,
			    const struct map_view *view, struct moment moment)
{
	struct map_view before = *view;

	for (int i = 0; i < MAPS_BEFORE_MAX && before.first; i++) {
		timeline_map(timeline, space, before.first - 1, moment, &before);
		if (before.map != MAP_NONE && !has_no_file(&timeline->maps[before.map]))
			return before.map;
	}
	return MAP_NONE;
}

const struct placer_map *placer_ask_map(struct placer *placer, struct placer_map *slot,
					uint32_t space, uint64_t address, struct moment moment)
{
	struct map_view view;

	timeline_map(placer->timeline, space, address, moment, &view);
	const struct map *map = view.map == MAP_NONE ? NULL : &placer->timeline->maps[view.map];

	slot->dso = map && map->dso ? map->dso->id + 1 : 0;
	slot->map = view.map;
	slot->file_before = !map || has_no_file(map)
				    ? file_before(placer->timeline, space, &view, moment)
				    : MAP_NONE;
	/* As in perf, a map without an inode has no file. */
	slot->is_shared =
		map && map->flags & MAP_SHARED && !(map->protection & PROT_EXEC) && !map->inode;
	slot->to_file = map ? map_file_offset(map, 0) : 0;
	slot->addresses = (struct placer_range){ view.first, view.last - view.first };
	slot->space = placer_times(view.since, view.until, &slot->times) ? space : PLACER_NO_SPACE;
	return slot;
}

/* ---- the maps of a process ---- */

COMPARISON(compare_edges, uint64_t, BY_VALUE)

/* Lists the addresses where maps begin and end. */
static void address_space_edges(struct address_space *space, const struct map *maps)
{
	uint32_t count = 0;

	space->edges = xrealloc_array(NULL, 2 * (size_t)space->map_count, sizeof(*space->edges));
	for (uint32_t i = 0; i < space->map_count; i++) {
		const struct map *map = &maps[space->maps[i]];

		space->edges[count++] = map->start;
		if (map->last != UINT64_MAX)
			space->edges[count++] = map->last + 1;
	}
	array_sort(space->edges, count, compare_edges);
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || space->edges[i] != space->edges[i - 1])
			space->edges[space->edge_count++] = space->edges[i];
}

/* Returns the index of the last edge that is not above `address`, or edge_count. */
static uint32_t address_space_interval(const struct address_space *space, uint64_t address)
{
	uint32_t after =
		(uint32_t)partition_point(0, space->edge_count, i, space->edges[i] <= address);

	return after ? after - 1 : space->edge_count;
}

/* Adds a map to the nodes that make up its addresses. While `entries` is NULL it only counts. */
static void address_space_enter(struct address_space *space, const struct map *map, uint32_t index,
				uint32_t *used)
{
	uint32_t low = space->leaves + address_space_interval(space, map->start);
	uint32_t high = space->leaves + address_space_interval(space, map->last) + 1;

	for (; low < high; low /= 2, high /= 2) {
		uint32_t nodes[2];
		unsigned int count = 0;

		if (low & 1)
			nodes[count++] = low++;
		if (high & 1)
			nodes[count++] = --high;
		for (unsigned int i = 0; i < count; i++) {
			if (space->entries)
				space->entries[space->lists[nodes[i]] + used[nodes[i]]] = index;
			used[nodes[i]]++;
		}
	}
}

void address_space_index(struct address_space *space, const struct map *maps)
{
	if (!space->map_count)
		return;
	address_space_edges(space, maps);
	space->leaves = 1;
	while (space->leaves < space->edge_count)
		space->leaves *= 2;
	size_t nodes = 2 * (size_t)space->leaves;
	_cleanup_free_ uint32_t *used = xcalloc(nodes, sizeof(*used));

	for (uint32_t i = 0; i < space->map_count; i++)
		address_space_enter(space, &maps[space->maps[i]], space->maps[i], used);
	space->lists = xcalloc(nodes + 1, sizeof(*space->lists));
	for (size_t i = 0; i < nodes; i++)
		space->lists[i + 1] = space->lists[i] + used[i];
	space->entries = xcalloc(space->lists[nodes], sizeof(*space->entries));
	memset(used, 0, nodes * sizeof(*used));
	for (uint32_t i = 0; i < space->map_count; i++)
		address_space_enter(space, &maps[space->maps[i]], space->maps[i], used);
}

/* The newest map of a space at an interval and a moment, and when the next one comes. */
struct interval_state {
	uint32_t map; /* MAP_NONE: none */
	struct moment until;
};

/* Takes the maps of one node into account: the newest at the moment, and the next one. */
static void address_space_visit(const struct address_space *space, const struct map *maps,
				uint32_t node, struct moment moment, struct interval_state *state)
{
	size_t first = space->lists[node];
	size_t end = space->lists[node + 1];
	size_t after = partition_point(first, end, i,
				       !moment_before(moment, maps[space->entries[i]].since));

	if (after < end && moment_before(maps[space->entries[after]].since, state->until))
		state->until = maps[space->entries[after]].since;
	/* Newer maps have higher numbers. */
	if (after > first && (state->map == MAP_NONE || space->entries[after - 1] > state->map))
		state->map = space->entries[after - 1];
}

/* Finds the interval of `address`, and narrows the view to it. False: it is below all maps. */
static bool address_space_narrow(const struct address_space *space, uint64_t address,
				 uint32_t *interval, struct map_view *view)
{
	uint64_t next = 0; /* first edge above the address; 0: none */

	if (!space->edge_count)
		return false;
	*interval = address_space_interval(space, address);
	bool inside = *interval != space->edge_count;

	if (!inside)
		next = space->edges[0];
	else if (*interval + 1 < space->edge_count)
		next = space->edges[*interval + 1];
	if (inside && space->edges[*interval] > view->first)
		view->first = space->edges[*interval];
	if (next && next - 1 < view->last)
		view->last = next - 1;
	return inside;
}

void address_space_find(const struct address_space *spaces, uint32_t space, const struct map *maps,
			uint64_t address, struct moment moment, struct map_view *view)
{
	/* The limit of a space has passed: its parent changes the answer no more. */
	bool frozen = false;

	*view = (struct map_view){
		.map = MAP_NONE, .last = UINT64_MAX, .since = MOMENT_FIRST, .until = MOMENT_NEVER
	};
	while (space != SPACE_NONE && view->map == MAP_NONE) {
		const struct address_space *here = &spaces[space];
		struct interval_state state = { .map = MAP_NONE, .until = MOMENT_NEVER };
		uint32_t interval;

		if (address_space_narrow(here, address, &interval, view))
			for (uint32_t node = here->leaves + interval; node; node /= 2)
				address_space_visit(here, maps, node, moment, &state);
		view->map = state.map;
		if (!frozen && moment_before(state.until, view->until))
			view->until = state.until;
		if (!frozen && state.map != MAP_NONE)
			view->since = maps[state.map].since;
		if (moment_before(here->limit, moment)) {
			moment = here->limit;
			if (!frozen && state.map == MAP_NONE)
				view->since = moment;
			frozen = true;
		}
		space = here->parent;
	}
}

void address_space_deinit(struct address_space *space)
{
	free_all(space->maps, space->edges, space->lists, space->entries);
}
