// SPDX-License-Identifier: GPL-2.0-or-later
/* The call chains of samples (count.h): recorded, or found in a copy of the stack. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/unwind/unwind.h"
#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/ingest/count.h"
#include "profiler/ingest/session_private.h"

/* ---- callers from copies of stacks ---- */

struct walked_object {
	bool tried;
	bool lost; /* the object has a file, but it cannot be opened */
	struct unwind_table *table;
};

static void stack_walker_init(struct stack_walker *walker, struct session *session)
{
	*walker = (struct stack_walker){
		.session = session,
		.arch = session->header.swap ? NULL : session_arch(session),
	};
}

static void stack_walker_deinit(struct stack_walker *walker)
{
	for (size_t i = 0; i < walker->object_count; i++)
		unwind_table_close(walker->objects[i].table);
	free(walker->objects);
	*walker = (struct stack_walker){ 0 };
}

/* Returns whether the sample has what a walk needs: registers and a copy of the stack. */
static bool stack_walker_can(const struct stack_walker *walker, const struct sample *sample)
{
	return walker->arch && sample->user_registers.abi == PERF_SAMPLE_REGS_ABI_64 &&
	       sample->user_stack.bytes.size && sample->user_stack.dynamic_size;
}

/* ---- the registers and the stack of a sample ---- */

/* Sets *frame to the innermost frame, by the sample's registers. */
static void take_registers(const struct arch *arch, const struct sample *sample,
			   struct unwind_frame *frame)
{
	uint64_t value;

	*frame = (struct unwind_frame){ .numbers = &arch->frame, .exact = true };
	for (unsigned int i = 0; i < arch->frame.count; i++) {
		uint8_t reg = arch_reg_from_dwarf(arch, i);
		uint8_t number = reg_is_general(reg) ? arch->perf_numbers[reg] : arch->perf_pc;

		if (sample_register(&sample->user_registers, number, &value))
			unwind_set_register(frame, i, value);
	}
}

struct stack_copy {
	uint64_t start; /* the stack pointer */
	uint64_t size;
	const uint8_t *bytes;
};

/*
 * Finds the copy of the stack. Returns false if the stack pointer is not known. The bytes beyond
 * dynamic_size are not the thread's: the kernel could not copy them.
 */
static bool take_stack(const struct sample *sample, const struct unwind_frame *frame,
		       struct stack_copy *copy)
{
	uint64_t size = sample->user_stack.bytes.size;

	copy->size =
		size < sample->user_stack.dynamic_size ? size : sample->user_stack.dynamic_size;
	copy->bytes = sample->user_stack.bytes.data;
	return unwind_register(frame, frame->numbers->stack_pointer, &copy->start);
}

/* Reads from the copy, for struct unwind_memory. Returns false for an address outside of it. */
static bool read_stack(void *data, uint64_t address, void *buffer, size_t size)
{
	const struct stack_copy *copy = data;
	uint64_t offset = address - copy->start;

	if (address < copy->start || size > copy->size || offset > copy->size - size)
		return false;
	memcpy(buffer, copy->bytes + offset, size);
	return true;
}

/* ---- objects ---- */

/* Returns the object's unwind information, which is read the first time. */
static struct walked_object *walked_object_of(struct stack_walker *walker, struct dso *dso)
{
	const struct dso_options *options = &walker->session->options.dso;
	struct walked_object *object;
	const char *problem;

	if (dso->id >= walker->object_count) {
		size_t count = walker->session->timeline.dsos.count;

		walker->objects = xrealloc_array(walker->objects, count, sizeof(*walker->objects));
		memset(walker->objects + walker->object_count, 0,
		       (count - walker->object_count) * sizeof(*walker->objects));
		walker->object_count = count;
	}
	object = &walker->objects[dso->id];
	if (object->tried)
		return object;
	object->tried = true;

	const struct elf_image *image = dso_image(dso, options, &problem);

	if (image)
		error_destroy(
			unwind_table_open(image, dso_debug_image(dso, options), &object->table));
	else
		object->lost = dso->kind == DSO_USER || dso->kind == DSO_VDSO;
	return object;
}

/* The state of one walk. */
struct frame_walk {
	struct stack_walker *walker;
	struct placer *placer;
	const struct walked_sample *walked;
	struct stack_copy stack;
	struct unwind_memory memory;
	struct unwind_frame frame;
};

/*
 * Steps to the caller. Code without a file or without frame information may at least keep a frame
 * pointer.
 */
static enum unwind_step step_to_caller(struct frame_walk *walk, uint64_t ip)
{
	struct session *session = walk->walker->session;
	const struct placer_map *map =
		placer_map(walk->placer, walk->walked->space, ip, walk->walked->moment);
	struct dso *dso = map->dso ? session->timeline.dsos.dsos[map->dso - 1] : NULL;
	const struct walked_object *object = dso ? walked_object_of(walk->walker, dso) : NULL;
	enum unwind_step step = UNWIND_UNKNOWN;

	if (object && object->lost)
		return UNWIND_FAILED;
	if (object && object->table) {
		uint64_t address = session_file_address(session, dso, ip + map->to_file);

		step = unwind_step(object->table, address, ip - address, &walk->memory,
				   &walk->frame);
	}
	return step == UNWIND_UNKNOWN ? unwind_step_by_frame_pointer(&walk->memory, &walk->frame)
				      : step;
}

/*
 * Calls `visit` for each frame, the innermost first, at most `limit` times. The address of a caller
 * is the last byte of its call instruction.
 */
static void stack_walker_walk(struct stack_walker *walker, struct placer *placer,
			      const struct walked_sample *walked, unsigned int limit,
			      void (*visit)(void *data, uint64_t ip), void *data)
{
	struct frame_walk walk = { .walker = walker, .placer = placer, .walked = walked };
	const struct frame_registers *numbers = &walker->arch->frame;
	enum unwind_step step = UNWIND_CALLER;
	uint64_t pc, sp, above;

	take_registers(walker->arch, walked->sample, &walk.frame);
	if (!take_stack(walked->sample, &walk.frame, &walk.stack))
		return;
	walk.memory = (struct unwind_memory){ .read = read_stack, .data = &walk.stack };
	for (unsigned int count = 0; count < limit && step == UNWIND_CALLER; count++) {
		if (!unwind_register(&walk.frame, numbers->return_address, &pc) || !pc)
			return;

		/* The return address may be in the next function. */
		uint64_t ip = walk.frame.exact ? pc : pc - 1;

		if (!unwind_register(&walk.frame, numbers->stack_pointer, &sp))
			sp = UINT64_MAX;
		step = step_to_caller(&walk, ip);
		/*
		 * A signal handler was not called from where it returns to: the kernel put it
		 * there.
		 */
		visit(data, step == UNWIND_CALLER && walk.frame.exact ? pc : ip);
		/* Callers' frames are higher, except across a signal; this ends cycles. */
		if (step == UNWIND_CALLER && !walk.frame.exact &&
		    (!unwind_register(&walk.frame, numbers->stack_pointer, &above) || above <= sp))
			return;
	}
}

/* ---- the table of frames ---- */

#define FIRST_SLOT_COUNT 1024 /* a power of two */

static void chain_table_init(struct chain_table *table)
{
	*table = (struct chain_table){ .slot_count = FIRST_SLOT_COUNT };
	table->slots = xcalloc(FIRST_SLOT_COUNT, sizeof(*table->slots));
	array_reserve(table->nodes, table->count, table->capacity);
	table->nodes[table->count++] = (struct chain_node){ 0 };
}

void chain_table_deinit(struct chain_table *table)
{
	free(table->nodes);
	free(table->slots);
	*table = (struct chain_table){ 0 };
}

static uint64_t node_hash(uint32_t caller, const struct chain_place *place)
{
	return hash_combine(hash_combine(place->ip, place->offset),
			    (uint64_t)caller << 32 | place->dso);
}

static bool is_node(const struct chain_node *node, uint32_t caller, const struct chain_place *place)
{
	return node->caller == caller && node->place.ip == place->ip &&
	       node->place.offset == place->offset && node->place.dso == place->dso &&
	       node->place.level == place->level;
}

static void grow_slots(struct chain_table *table)
{
	size_t mask;

	free(table->slots);
	table->slot_count *= 2;
	table->slots = xcalloc(table->slot_count, sizeof(*table->slots));
	mask = table->slot_count - 1;
	for (uint32_t number = 1; number < table->count; number++) {
		const struct chain_node *node = &table->nodes[number];
		size_t slot = node_hash(node->caller, &node->place) & mask;

		while (table->slots[slot])
			slot = (slot + 1) & mask;
		table->slots[slot] = number;
	}
}

/* Returns the number of the frame at `place` that `caller` called. */
static uint32_t chain_table_add(struct chain_table *table, uint32_t caller,
				const struct chain_place *place)
{
	if (table->count * 2 > table->slot_count)
		grow_slots(table);

	size_t mask = table->slot_count - 1, slot = node_hash(caller, place) & mask;

	while (table->slots[slot]) {
		if (is_node(&table->nodes[table->slots[slot]], caller, place))
			return table->slots[slot];
		slot = (slot + 1) & mask;
	}
	array_reserve(table->nodes, table->count, table->capacity);
	table->nodes[table->count] = (struct chain_node){ .caller = caller, .place = *place };
	table->slots[slot] = (uint32_t)table->count;
	return (uint32_t)table->count++;
}

/* ---- chains as they are recorded ---- */

/*
 * A recorded chain (perf_event_open(2), PERF_SAMPLE_CALLCHAIN) has the innermost frame first.
 * Markers from PERF_CONTEXT_MAX on tell the address space of the addresses after them.
 */

/* enum perf_callchain_context; older headers lack the later values. */
#define CONTEXT_HYPERVISOR    ((uint64_t)-32)
#define CONTEXT_KERNEL        ((uint64_t)-128)
#define CONTEXT_USER          ((uint64_t)-512)
#define CONTEXT_USER_DEFERRED ((uint64_t)-640) /* a cookie follows, and nothing more */
#define CONTEXT_GUEST_KERNEL  ((uint64_t)-2176)
#define CONTEXT_GUEST_USER    ((uint64_t)-2560)

/* Reads a PERF_RECORD_CALLCHAIN_DEFERRED: cookie, number, addresses. */
static void take_deferred(const struct session *session, const struct raw_record *record,
			  void *data)
{
	struct cursor cursor = cursor_of(record->data, record->size, session->header.swap);
	struct deferred_chains *deferred = data;
	bool created;

	if (record->type != RECORD_CALLCHAIN_DEFERRED)
		return;
	cursor_skip(&cursor, RECORD_HEADER_SIZE);

	uint64_t cookie = cursor_u64(&cursor), count = cursor_u64(&cursor);

	if (cursor.failed || count > cursor_left(&cursor) / 8)
		return;

	uint32_t *index = hash_map_insert(&deferred->by_cookie, cookie, &created);

	if (created) {
		*index = (uint32_t)deferred->count;
		array_reserve(deferred->chains, deferred->count, deferred->capacity);
		deferred->count++;
	}
	deferred->chains[*index] = (struct sample_words){ .data = cursor_bytes(&cursor, 8 * count),
							  .count = count,
							  .swap = session->header.swap };
}

void chain_counter_init(struct chain_counter *counter, struct session *session,
			const struct count_options *options)
{
	*counter = (struct chain_counter){
		.limit = options->chain_limit ? options->chain_limit : COUNT_CHAIN_MAX,
	};
	stack_walker_init(&counter->walker, session);
	chain_table_init(&counter->table);
	session_each_record(session, take_deferred, &counter->deferred);
}

void chain_counter_deinit(struct chain_counter *counter)
{
	free(counter->deferred.chains);
	hash_map_deinit(&counter->deferred.by_cookie);
	stack_walker_deinit(&counter->walker);
	free(counter->frames);
	counter->frames = NULL;
}

/* Returns the level that a marker sets, or 0 if the marker is unknown. */
static char context_level(uint64_t context)
{
	switch (context) {
	case CONTEXT_HYPERVISOR: return 'H';
	case CONTEXT_KERNEL: return 'k';
	case CONTEXT_USER:
	case CONTEXT_USER_DEFERRED: return '.';
	case CONTEXT_GUEST_KERNEL: return 'g';
	case CONTEXT_GUEST_USER: return 'u';
	default: return 0;
	}
}

struct chain_reader {
	struct chain_counter *counter;
	struct placer *placer;
	uint32_t space;
	struct moment moment;
	char level;
	bool has_user; /* frames of user space were recorded */
};

static void add_frame(void *data, uint64_t ip)
{
	struct chain_reader *reader = data;
	struct chain_counter *counter = reader->counter;
	uint32_t space = placer_space(reader->placer->timeline, reader->level, reader->space);
	const struct placer_map *map = placer_map(reader->placer, space, ip, reader->moment);

	array_reserve(counter->frames, counter->frame_count, counter->frame_capacity);
	counter->frames[counter->frame_count++] = (struct chain_place){
		.ip = ip, .offset = ip + map->to_file, .dso = map->dso, .level = reader->level
	};
}

/*
 * Returns whether the sample has the calls that the processor keeps (LBR,
 * PERF_SAMPLE_BRANCH_CALL_STACK), the last one first. They replace the frames of user space that
 * frame pointers give. If the sample is in the kernel, the innermost known place is where the last
 * call went.
 */
static bool has_branch_calls(const struct sample *sample)
{
	return sample->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK &&
	       sample->branches.count;
}

static void add_branch_calls(struct chain_reader *reader, const struct sample *sample)
{
	const struct sample_words *entries = &sample->branches.entries;

	reader->level = '.';
	reader->has_user = true;
	add_frame(reader,
		  session_sample_level(sample) == '.' ? sample->ip : sample_word(entries, 1));
	for (uint64_t i = 0; i < sample->branches.count && i < reader->counter->limit; i++)
		if (sample_word(entries, 3 * i))
			add_frame(reader, sample_word(entries, 3 * i));
}

/*
 * Adds the frames of a list. `follow` tells whether to go on with the deferred chain that the list
 * may end in. Returns false at an unknown marker: the level of the addresses after it is not known,
 * so the chain does not count, as in perf.
 */
static bool read_words(struct chain_reader *reader, const struct sample *sample,
		       const struct sample_words *words, bool follow)
{
	for (uint64_t i = 0; i < words->count; i++) {
		uint64_t word = sample_word(words, i);

		if (word < PERF_CONTEXT_MAX) {
			reader->has_user |= reader->level == '.';
			add_frame(reader, word);
			continue;
		}
		reader->level = context_level(word);
		if (!reader->level)
			return false;
		if (word == CONTEXT_USER && has_branch_calls(sample)) {
			add_branch_calls(reader, sample);
			return true;
		}
		if (word != CONTEXT_USER_DEFERRED)
			continue;
		if (!follow || i + 1 >= words->count)
			return true;

		const struct deferred_chains *deferred = &reader->counter->deferred;
		const uint32_t *index =
			hash_map_find(&deferred->by_cookie, sample_word(words, i + 1));

		return !index || read_words(reader, sample, &deferred->chains[*index], false);
	}
	return true;
}

uint32_t chain_counter_add(struct chain_counter *counter, struct placer *placer, uint32_t space,
			   const struct sample *sample, struct moment moment)
{
	struct chain_reader reader = {
		.counter = counter, .placer = placer, .space = space, .moment = moment, .level = '.'
	};
	uint32_t chain = CHAIN_NONE;

	counter->frame_count = 0;
	if (!read_words(&reader, sample, &sample->callchain, true))
		return CHAIN_NONE;
	if (!reader.has_user && stack_walker_can(&counter->walker, sample)) {
		struct walked_sample walked = { .sample = sample,
						.space = space,
						.moment = moment };

		reader.level = '.';
		stack_walker_walk(&counter->walker, placer, &walked, counter->limit, add_frame,
				  &reader);
	}
	for (size_t i = counter->frame_count; i-- > 0;)
		chain = chain_table_add(&counter->table, chain, &counter->frames[i]);
	return chain;
}
