// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fields of samples that have to be looked up while counting (count.h): the call chain,
 * recorded or found in a copy of the stack; the data address; texts of tracepoints.
 */
#include <linux/hw_breakpoint.h>
#include <sys/mman.h>

#include "dwarf/unwind/unwind.h"
#include "base/hash.h"
#include "base/memory.h"
#include "profiler/ingest/count.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/session_private.h"

/* ---- callers from copies of stacks ---- */

struct walked_object {
	bool tried;
	bool unreadable; /* the object has a file, but it cannot be opened */
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

/* ---- the registers and the stack of a sample ---- */

/* Sets *frame to the innermost frame, by the sample's registers. */
static void count_fields_take_registers(const struct arch *arch,
					const struct sample_registers *registers,
					struct unwind_frame *frame)
{
	uint64_t value;

	*frame = (struct unwind_frame){ .numbers = &arch->frame, .exact = true };
	for (unsigned int i = 0; i < arch->frame.count; i++) {
		uint8_t reg = arch_reg_from_dwarf(arch, i);
		uint8_t number = reg_is_general(reg) ? arch->perf_numbers[reg] : arch->perf_pc;

		if (sample_register(registers, number, &value))
			unwind_set_register(frame, i, value);
	}
}

struct stack_copy {
	uint64_t start; /* the stack pointer */
	uint64_t size;
	const uint8_t *bytes;
};

/* Finds the copy of the stack. Returns false if the stack pointer is not known. The bytes beyond
 * dynamic_size are not the thread's: the kernel could not copy them. */
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

	const struct elf_image *image = dso_image(dso, options, NULL);

	if (image)
		error_destroy(
			unwind_table_open(image, dso_debug_image(dso, options), &object->table));
	else
		object->unreadable = dso->kind == DSO_USER || dso->kind == DSO_VDSO;
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

/* Steps to the caller. Code without frame information may still keep a frame pointer. */
static enum unwind_step step_to_caller(struct frame_walk *walk, uint64_t ip)
{
	struct session *session = walk->walker->session;
	const struct placer_map *map =
		placer_map(walk->placer, walk->walked->space, ip, walk->walked->moment);
	struct dso *dso = map->dso ? session->timeline.dsos.dsos[map->dso - 1] : NULL;
	const struct walked_object *object = dso ? walked_object_of(walk->walker, dso) : NULL;
	enum unwind_step step = UNWIND_UNKNOWN;

	if (object && object->unreadable)
		return UNWIND_FAILED;
	if (object && object->table) {
		uint64_t address = session_file_address(session, dso, ip + map->to_file);

		step = unwind_step(object->table, address, ip - address, &walk->memory,
				   &walk->frame);
	}
	return step == UNWIND_UNKNOWN ? unwind_step_by_frame_pointer(&walk->memory, &walk->frame)
				      : step;
}

/* Calls `visit` for each frame, the innermost first, at most `limit` times. The address of a caller
 * is the last byte of its call instruction. */
static void stack_walker_walk(struct stack_walker *walker, struct placer *placer,
			      const struct walked_sample *walked, unsigned int limit,
			      void (*visit)(void *data, uint64_t ip), void *data)
{
	struct frame_walk walk = { .walker = walker, .placer = placer, .walked = walked };
	const struct frame_registers *numbers = &walker->arch->frame;
	enum unwind_step step = UNWIND_CALLER;
	uint64_t pc, sp, above;

	count_fields_take_registers(walker->arch, &walked->sample->user_registers, &walk.frame);
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
		/* The code that a signal handler returns to did not call it: the kernel did. */
		visit(data, step == UNWIND_CALLER && walk.frame.exact ? pc : ip);
		/* Callers' frames are higher, except across a signal; this ends cycles. */
		if (step == UNWIND_CALLER && !walk.frame.exact &&
		    (!unwind_register(&walk.frame, numbers->stack_pointer, &above) || above <= sp))
			return;
	}
}

/* ---- the table of frames ---- */

void chain_table_deinit(struct chain_table *table)
{
	free(table->nodes);
	hash_index_deinit(&table->index);
	*table = (struct chain_table){ 0 };
}

static bool is_node(const struct chain_node *node, uint32_t caller, const struct chain_place *place)
{
	return node->caller == caller && node->place.ip == place->ip &&
	       node->place.offset == place->offset && node->place.dso == place->dso &&
	       node->place.level == place->level && node->place.stands == place->stands;
}

/* Returns the number of the frame at `place` that `caller` called. */
static uint32_t chain_table_add(struct chain_table *table, uint32_t caller,
				const struct chain_place *place)
{
	uint64_t hash = hash_combine(hash_combine(place->ip, place->offset),
				     (uint64_t)caller << 32 | place->dso);

	hash_index_each (number, &table->index, hash)
		if (is_node(&table->nodes[number], caller, place))
			return number;
	hash_index_add(&table->index, hash, (uint32_t)table->count);
	array_add(table->nodes, table->count, table->capacity) =
		(struct chain_node){ .caller = caller, .place = *place };
	return (uint32_t)table->count - 1;
}

void chain_table_restore(struct chain_table *table, const struct sample_counts *counts)
{
	for (size_t i = 1; i < counts->frame_count; i++) {
		const struct counted_frame *frame = &counts->frames[i];

		(void)chain_table_add(
			table, frame->caller,
			&(struct chain_place){ .ip = frame->ip,
					       .offset = frame->offset,
					       .dso = frame->dso ? frame->dso->id + 1 : 0,
					       .level = frame->level,
					       .stands = frame->stands });
	}
}

/* ---- chains as they are recorded ---- */

/* A recorded chain (perf_event_open(2), PERF_SAMPLE_CALLCHAIN) has the innermost frame first.
 * Markers from PERF_CONTEXT_MAX on tell the address space of the addresses after them. */

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

	if (record->type != RECORD_CALLCHAIN_DEFERRED)
		return;
	cursor_skip(&cursor, RECORD_HEADER_SIZE);

	uint64_t cookie = cursor_u64(&cursor), count = cursor_u64(&cursor);

	if (cursor.failed || count > cursor_left(&cursor) / 8)
		return;

	*hash_map_item(&deferred->by_cookie, cookie, deferred->chains, deferred->count,
		       deferred->capacity, NULL) =
		(struct sample_words){ .data = cursor_bytes(&cursor, 8 * count),
				       .count = count,
				       .swap = session->header.swap };
}

void chain_counter_init(struct chain_counter *counter, struct session *session,
			const struct count_options *options)
{
	*counter = (struct chain_counter){
		.limit = options->chain_limit ?: COUNT_CHAIN_MAX,
		.kernel_only = options->kernel_only,
	};
	stack_walker_init(&counter->walker, session);
	counter->table = (struct chain_table){ 0 };
	array_add(counter->table.nodes, counter->table.count, counter->table.capacity) =
		(struct chain_node){ 0 };
	if (session->has_deferred)
		session_each_record(session, take_deferred, &counter->deferred);
}

void chain_counter_deinit(struct chain_counter *counter)
{
	free(counter->deferred.chains);
	hash_map_deinit(&counter->deferred.by_cookie);
	stack_walker_deinit(&counter->walker);
	free_all(counter->frames, counter->known);
	counter->frames = NULL;
	counter->known = NULL;
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
	uint8_t stands;        /* enum frame_address, of the next frame */
	bool has_user;         /* frames of user space were recorded */
	uint64_t since, until; /* the times for which the places of the frames so far hold */
};

static void add_frame(void *data, uint64_t ip)
{
	struct chain_reader *reader = data;
	struct chain_counter *counter = reader->counter;
	uint32_t space = placer_space(reader->placer->timeline, reader->level, reader->space);
	const struct placer_map *map = placer_map(reader->placer, space, ip, reader->moment);
	uint64_t since = map->times.first, until = since + map->times.span;

	reader->since = since > reader->since ? since : reader->since;
	reader->until = until < reader->until ? until : reader->until;
	array_add(counter->frames, counter->frame_count, counter->frame_capacity) =
		(struct chain_place){ .ip = ip,
				      .offset = ip + map->to_file,
				      .dso = map->dso,
				      .level = reader->level,
				      .stands = reader->stands };
}

/* True if the sample has the calls that the processor keeps (LBR, PERF_SAMPLE_BRANCH_CALL_STACK),
 * the last one first. They replace the frames of user space that frame pointers give. If the sample
 * is in the kernel, the innermost known place is the target of the last call. */
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

/* Returns what the innermost frame of a level is (enum frame_address). For tracepoints, and for
 * events that the kernel counts itself, it gives the registers of a caller
 * (perf_arch_fetch_caller_regs()), otherwise those at an interrupt or a probe. User space was left
 * by an interrupt or a system call. */
static uint8_t innermost_frame(const struct sample *sample, char level)
{
	const struct perf_event_attr *attr = &sample->event->attr;
	bool of_switch = attr->type == PERF_TYPE_SOFTWARE &&
			 (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
			  attr->config == PERF_COUNT_SW_CPU_MIGRATIONS);

	return level == 'k' && (of_switch || attr->type == PERF_TYPE_TRACEPOINT) ? FRAME_MAY_RETURN
										 : FRAME_EXACT;
}

const struct sample_registers *count_registers_at(const struct sample *sample, char level)
{
	bool interrupted = sample->interrupt_registers.abi && level == session_sample_level(sample);

	return interrupted || level != '.' ? &sample->interrupt_registers : &sample->user_registers;
}

/* Finds the caller of a level's innermost frame at `ip`, if a register still has the return address
 * there. The chain of frame pointers lacks it: it begins with the caller's own frame. */
static bool caller_by_link(const struct chain_reader *reader, const struct sample *sample,
			   uint64_t ip, uint64_t *caller)
{
	struct stack_walker *walker = &reader->counter->walker;
	const struct walked_sample walked = { .sample = sample,
					      .space = placer_space(reader->placer->timeline,
								    reader->level, reader->space),
					      .moment = reader->moment };
	struct frame_walk walk = { .walker = walker, .placer = reader->placer, .walked = &walked };
	const struct sample_registers *registers = count_registers_at(sample, reader->level);
	uint64_t unused;

	if (!walker->arch || !walker->arch->perf_link ||
	    registers->abi != PERF_SAMPLE_REGS_ABI_64 ||
	    !sample_register(registers, walker->arch->perf_link, &unused))
		return false;
	const struct frame_registers *numbers = &walker->arch->frame;

	count_fields_take_registers(walker->arch, registers, &walk.frame);
	unwind_set_register(&walk.frame, numbers->return_address, ip);
	/* no memory is known, so that any stack pointer will do */
	if (!unwind_register(&walk.frame, numbers->stack_pointer, &unused))
		unwind_set_register(&walk.frame, numbers->stack_pointer, 0);
	walk.memory = (struct unwind_memory){ .read = read_stack, .data = &walk.stack };
	return step_to_caller(&walk, ip) == UNWIND_CALLER &&
	       unwind_register(&walk.frame, numbers->return_address, caller);
}

/* Adds the frames of a list. `follow` tells whether to go on with the deferred chain that the list
 * may end in. Returns false at an unknown marker: the level of the addresses after it is not known,
 * so the chain does not count, as in perf. */
static bool read_words(struct chain_reader *reader, const struct sample *sample,
		       const struct sample_words *words, bool follow)
{
	reader->stands = innermost_frame(sample, reader->level);
	for (uint64_t i = 0; i < words->count; i++) {
		uint64_t word = sample_word(words, i);

		if (word < PERF_CONTEXT_MAX) {
			bool leaf = reader->stands == FRAME_EXACT;
			uint64_t caller;

			reader->has_user |= reader->level == '.';
			add_frame(reader, word);
			reader->stands = FRAME_RETURNS;
			if (leaf && caller_by_link(reader, sample, word, &caller) &&
			    (i + 1 >= words->count || sample_word(words, i + 1) != caller))
				add_frame(reader, caller);
			continue;
		}
		if (reader->counter->kernel_only && reader->level != '.' && word == CONTEXT_USER)
			return true;
		reader->level = context_level(word);
		reader->stands = innermost_frame(sample, reader->level);
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

/* ---- chains that were read before ---- */

/* Programs come by the same ways again and again. */
#define KNOWN_CHAINS 4096

struct known_chain {
	uint64_t hash;         /* of its words */
	uint64_t since, until; /* the times for which it holds */
	uint32_t chain;        /* CHAIN_NONE: the slot is free */
	uint32_t event;        /* that tells what the innermost frames are */
	uint32_t space;        /* of the task; SPACE_NONE: it has no frames of user space */
};

/* Returns whether the words alone tell the chain, together with event, address space and time. */
static bool is_told_by_words(const struct chain_counter *counter, const struct sample *sample)
{
	return sample->callchain.count && !sample->callchain.swap && !counter->deferred.count &&
	       !sample->user_registers.abi && !sample->interrupt_registers.abi &&
	       !sample->branches.count;
}

/* Returns how many words there are before those that are left out. */
static uint64_t words_before_user(const struct chain_counter *counter,
				  const struct sample_words *words)
{
	uint64_t count = words->count, at = 1;

	while (counter->kernel_only && at < count && sample_word(words, at) != CONTEXT_USER)
		at++;
	return counter->kernel_only ? at : count;
}

/* Returns whether a chain was made of these words. */
static bool is_of_words(const struct chain_table *table, uint32_t chain,
			const struct sample_words *words, uint64_t count)
{
	char level = '.';

	for (uint64_t i = 0; i < count; i++) {
		uint64_t word = sample_word(words, i);
		const struct chain_node *node = &table->nodes[chain];

		if (word >= PERF_CONTEXT_MAX) {
			level = context_level(word);
			continue;
		}
		if (chain == CHAIN_NONE || node->place.ip != word || node->place.level != level)
			return false;
		chain = node->caller;
	}
	return chain == CHAIN_NONE;
}

/* Returns the slot of a chain of these words. It is the sample's if slot->chain is set. */
static struct known_chain *find_known(struct chain_counter *counter, const struct sample *sample,
				      uint32_t space, struct moment moment)
{
	const struct sample_words *words = &sample->callchain;
	uint64_t count = words_before_user(counter, words);
	uint64_t hash = 0;

	for (uint64_t i = 0; i < count; i++)
		hash = (hash ^ sample_word(words, i)) * HASH_GOLDEN_RATIO;
	if (!counter->known)
		counter->known = xcalloc(KNOWN_CHAINS, sizeof(*counter->known));
	struct known_chain *known = &counter->known[hash >> 32 & (KNOWN_CHAINS - 1)];

	if (!known->chain || known->hash != hash || known->event != sample->event->index ||
	    (known->space != SPACE_NONE && known->space != space) || moment.time < known->since ||
	    moment.time > known->until || !is_of_words(&counter->table, known->chain, words, count))
		*known = (struct known_chain){ .hash = hash, .event = sample->event->index };
	return known;
}

uint32_t chain_counter_add(struct chain_counter *counter, struct placer *placer, uint32_t space,
			   const struct sample *sample, struct moment moment)
{
	struct chain_reader reader = { .counter = counter,
				       .placer = placer,
				       .space = space,
				       .moment = moment,
				       .level = '.',
				       .until = UINT64_MAX };
	struct known_chain *known = is_told_by_words(counter, sample)
					    ? find_known(counter, sample, space, moment)
					    : NULL;
	uint32_t chain = CHAIN_NONE;

	if (known && known->chain)
		return counter->last = known->chain;
	counter->frame_count = 0;
	counter->last = CHAIN_NONE;
	if (!read_words(&reader, sample, &sample->callchain, true))
		return CHAIN_NONE;
	if (!reader.has_user && !counter->kernel_only && counter->walker.arch &&
	    sample->user_registers.abi == PERF_SAMPLE_REGS_ABI_64 &&
	    sample->user_stack.bytes.size && sample->user_stack.dynamic_size) {
		struct walked_sample walked = { .sample = sample,
						.space = space,
						.moment = moment };

		reader.level = '.';
		reader.stands = FRAME_EXACT; /* the walk gives the calls */
		stack_walker_walk(&counter->walker, placer, &walked, counter->limit, add_frame,
				  &reader);
	}
	for (size_t i = counter->frame_count; i-- > 0;)
		chain = chain_table_add(&counter->table, chain, &counter->frames[i]);
	if (known) {
		known->chain = chain;
		known->since = reader.since;
		known->until = reader.until;
		known->space = reader.has_user ? space : SPACE_NONE;
	}
	return counter->last = chain;
}

/* ---- data addresses: operands ---- */

/* The registers of a sample, which was taken at `ip`, before the instruction there. */
struct sampled_state {
	const struct sample_registers *registers;
	uint64_t ip;
	uint8_t tag_bits; /* the architecture's */
};

/* Computes the address, without a tag, of an operand of these registers and displacement, all else
 * as in `operand`.
 * Returns false if one of the registers is not known. */
static bool sum_address(const struct data_operand *operand, const struct sampled_state *state,
			uint8_t base, uint8_t index, int64_t displacement, uint64_t *address)
{
	uint64_t sum = (uint64_t)displacement, value;

	if (operand->relative)
		sum += state->ip - operand->insn;
	if (base != DATA_OPERAND_NO_REGISTER) {
		if (!sample_register(state->registers, base, &value))
			return false;
		sum += value;
	}
	if (index != DATA_OPERAND_NO_REGISTER) {
		if (!sample_register(state->registers, index, &value))
			return false;
		sum += value * operand->scale;
	}
	*address = (uint64_t)((int64_t)(sum << state->tag_bits) >> state->tag_bits);
	return true;
}

/* Sets data->begin, data->end and data->last, whose address was computed from these registers. */
static void find_range(const struct data_operand *operand, const struct sampled_state *state,
		       struct count_data *data)
{
	const struct sample_registers *registers = state->registers;
	uint64_t index, count;

	if (operand->ends)
		(void)sum_address(operand, state,
				  operand->limits_index ? operand->base : operand->limit,
				  operand->limits_index ? operand->limit : operand->index,
				  operand->last_displacement, &data->last);
	if (operand->base != DATA_OPERAND_NO_REGISTER &&
	    operand->index != DATA_OPERAND_NO_REGISTER &&
	    sample_register(registers, operand->index, &index)) {
		uint64_t added = index * operand->scale + (uint64_t)operand->index_change;

		data->begin = data->address - added;
		if (operand->tells_element) {
			data->element_known |= ELEMENT_INDEX;
			data->element_index =
				operand->element_modulus
					? (uint64_t)positive_remainder((int64_t)added,
								       operand->element_modulus)
					: added;
		}
	}
	if (operand->size && sample_register(registers, operand->repeat, &count) &&
	    count < (UINT64_MAX - data->address) / operand->size)
		data->end = data->address + count * operand->size;
}

static void keep_registers(const struct data_operand *operand,
			   const struct sample_registers *registers, struct count_data *data)
{
	for (size_t i = 0; i < DATA_KEPT_MAX; i++)
		if (operand->kept[i] != DATA_OPERAND_NO_REGISTER)
			(void)sample_register(registers, operand->kept[i], &data->kept[i]);
}

/* The bytes by which a thread's stack may extend above and below its stack pointer. The upper bound
 * is the default size of stacks in Linux and glibc. The lower one leaves room for the red zone of a
 * function without calls, and for pushes and probes. */
#define USER_STACK_ABOVE (8ULL << 20)
#define USER_STACK_BELOW 0x2000

/* Returns whether the event's samples have the registers before the instruction at ip. An interrupt
 * has these, since the interrupted instruction has not run yet. Precise events have the registers
 * after the instruction (Intel) or those of another one (AMD). Tracepoints and breakpoints trap
 * after the instruction. */
static bool event_interrupts_before_ip(const struct perf_event_attr *attr)
{
	switch (attr->type) {
	case PERF_TYPE_SOFTWARE:
		return attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		       attr->config == PERF_COUNT_SW_TASK_CLOCK ||
		       attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
		       attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		       attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW: return !attr->precise_ip;
	default: return false;
	}
}

bool event_is_timer(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

bool event_is_late(const struct event *event)
{
	return event_interrupts_before_ip(&event->attr) &&
	       (event->attr.type != PERF_TYPE_SOFTWARE || event_is_timer(event));
}

static bool event_records_registers(const struct perf_event_attr *attr)
{
	return attr->sample_type & (PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER);
}

static bool event_watches_data(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_BREAKPOINT && attr->bp_type & HW_BREAKPOINT_RW;
}

bool event_has_data(const struct event *event)
{
	return event_watches_data(&event->attr) || event_records_registers(&event->attr) ||
	       event->attr.sample_type & PERF_SAMPLE_ADDR;
}

bool event_checks_data(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return event_watches_data(attr) ||
	       (event_records_registers(attr) &&
		(attr->sample_type & PERF_SAMPLE_ADDR || event_interrupts_before_ip(attr)));
}

void data_finder_init(struct data_finder *finder, struct session *session, pthread_mutex_t *lock)
{
	*finder = (struct data_finder){ .session = session,
					.arch = session_arch(session),
					.lock = lock };
	count_table_init(&finder->known, 2);
	finder->likely_bits = 1;
	while (finder->likely_bits < LIKELY_BITS_MAX &&
	       1U << finder->likely_bits < session->totals.samples / 4)
		finder->likely_bits++;
	finder->likely = xcalloc((size_t)1 << finder->likely_bits, sizeof(*finder->likely));
}

void data_finder_deinit(struct data_finder *finder)
{
	count_table_deinit(&finder->known);
	hash_map_deinit(&finder->image_of);
	free_all(finder->operands, finder->images, finder->likely);
}

/* Returns the memory operand of the sampled instruction, or NULL if there is no object. Asks the
 * finder once for each instruction and thread. Holds the lock while it opens files. */
static const struct data_operand *find_operand(struct data_finder *finder,
					       const struct data_question *question)
{
	const struct data_operand_finder *ask = &finder->session->options.operands;
	bool late = event_is_late(question->sample->event);
	uint64_t key[2] = { (uint64_t)question->dso << 2 | late << 1 | question->store,
			    question->offset };

	if (!question->dso || !ask->find)
		return NULL;
	uint32_t *number = &likely_entries_of(finder, question->sample->ip)->operand;

	(void)count_table_get_likely(&finder->known, key, 2, number);
	if (*number < finder->count)
		return &finder->operands[*number];
	struct dso *dso = finder->session->timeline.dsos.dsos[question->dso - 1];

	struct data_operand *operand =
		&array_add(finder->operands, finder->count, finder->capacity);

	*operand = (struct data_operand){ 0 };
	memset(operand->kept, DATA_OPERAND_NO_REGISTER, sizeof(operand->kept));
	pthread_mutex_lock(finder->lock);
	operand->insn = session_file_address(finder->session, dso, question->offset);
	(void)dso_image(dso, &finder->session->options.dso, NULL); /* open it under the lock */
	pthread_mutex_unlock(finder->lock);
	ask->find(ask->data, dso, operand->insn, question->store, late, operand);
	return operand;
}

/* Tells whether an address is on the sampled thread's stack, as far as registers show it. */
static enum data_stack on_stack(const struct arch *arch, const struct sample *sample,
				uint64_t address)
{
	uint64_t sp;

	if (!arch || !sample_register(count_registers_at(sample, session_sample_level(sample)),
				      arch->perf_stack_pointer, &sp))
		return DATA_STACK_UNKNOWN;
	bool on = session_sample_level(sample) == 'k'
			  ? address - (sp - arch->kernel_stack) < 2ULL * arch->kernel_stack
			  : address - (sp - USER_STACK_BELOW) < USER_STACK_ABOVE + USER_STACK_BELOW;

	return on ? DATA_STACK_ON : DATA_STACK_OFF;
}

/* Returns the image of a program or library, or NULL. It is opened once for each thread. */
static const struct elf_image *image_of(struct data_finder *finder, struct dso *dso)
{
	bool created;
	const struct elf_image **image =
		hash_map_item(&finder->image_of, dso->id, finder->images, finder->image_count,
			      finder->image_capacity, &created);

	if (created) {
		pthread_mutex_lock(finder->lock);
		*image = dso_image(dso, &finder->session->options.dso, NULL);
		pthread_mutex_unlock(finder->lock);
	}
	return *image;
}

/* Finds the file address of data in memory that no file is mapped to, but that an ELF file asks for
 * (.bss), by the file's map before it. Returns NULL if it is other memory. */
static const struct dso *find_bss(struct data_finder *finder, const struct placer_map *place,
				  uint64_t address, uint64_t *file_address)
{
	const struct map *map = place->file_before == MAP_NONE
					? NULL
					: &finder->session->timeline.maps[place->file_before];
	const struct elf_image *image =
		map && map->dso && map->dso->kind == DSO_USER ? image_of(finder, map->dso) : NULL;
	uint64_t last;

	/* The last page of a map of data is no other segment's, as its first one may be. */
	if (!image ||
	    !(map->protection & PROT_EXEC
		      ? elf_image_offset_to_address(image, map_file_offset(map, map->last), &last)
		      : elf_image_offset_to_data(image, map_file_offset(map, map->last), &last)))
		return NULL;
	*file_address = last + (address - map->last);
	return elf_image_has_data(image, *file_address) ? map->dso : NULL;
}

/* Sets the place of the data by the map that contains its address. */
static void find_data_place(struct data_finder *finder, struct placer *placer,
			    const struct data_question *question, struct count_data *data)
{
	const struct timeline *timeline = &finder->session->timeline;
	char level = session_sample_level(question->sample);
	/* The kernel's accesses to lower addresses are to memory of the process. */
	bool of_user = level == '.' || (level == 'k' && !address_is_kernel(data->address));
	uint32_t space = placer_space(timeline, of_user ? '.' : level, question->task_space);
	const struct placer_map *map = placer_map(placer, space, data->address, question->moment);

	const struct dso *dso =
		of_user ? find_bss(finder, map, data->address, &data->offset) : NULL;

	if (dso) {
		data->where = data->check | (dso->id + 1) | COUNT_DATA_IN_OBJECT;
		return;
	}
	data->where = data->check | map->dso | (map->is_shared ? COUNT_DATA_SHARED : 0);
	data->offset = data->address + map->to_file;
}

/* Finds the data address of a sample; with `place`, also the map that it is in. */
static void find_data(struct data_finder *finder, struct placer *placer,
		      const struct data_question *question, bool place, struct count_data *data)
{
	const struct sample *sample = question->sample;
	const struct perf_event_attr *attr = &sample->event->attr;
	const struct sample_registers *registers =
		count_registers_at(sample, session_sample_level(sample));
	const struct sampled_state state = { .registers = registers,
					     .ip = sample->ip,
					     .tag_bits =
						     finder->arch ? finder->arch->tag_bits : 0 };
	bool computes =
		     registers->abi == PERF_SAMPLE_REGS_ABI_64 && event_interrupts_before_ip(attr),
	     computed = false;
	const struct data_operand *operand = NULL;

	*data = (struct count_data){ .address = sample->address };
	if (!data->address && event_watches_data(attr))
		data->address = attr->bp_addr;
	if (data->address || computes)
		operand = find_operand(finder, question);
	if (!data->address && operand && computes)
		computed = operand->known &&
			   sum_address(operand, &state, operand->base, operand->index,
				       operand->displacement, &data->address);
	if (computed)
		find_range(operand, &state, data);
	if (operand && computes)
		keep_registers(operand, registers, data);
	if (!data->address)
		return;

	uint64_t in_object = operand ? data->address - (sample->ip - operand->insn) : 0;

	data->check = COUNT_DATA_KNOWN | (computed ? COUNT_DATA_COMPUTED : 0) |
		      (uint64_t)on_stack(finder->arch, sample, data->address)
			      << COUNT_DATA_STACK_SHIFT;
	if (operand && in_object >= operand->start && in_object < operand->end) {
		/* It may be in no map: .bss is in none, and maps of data may not be recorded. */
		data->check |= COUNT_DATA_IN_OBJECT;
		data->check_offset = in_object;
		if (operand->tells_element) {
			data->element_known |= ELEMENT_ADDRESS;
			data->element_address = in_object;
		}
		data->where = data->check | question->dso;
		data->offset = in_object;
	} else if (place) {
		find_data_place(finder, placer, question, data);
	}
}

unsigned int data_finder_words(struct data_finder *finder, struct placer *placer, uint64_t fields,
			       const struct data_question *question, uint64_t *key)
{
	struct count_data data;
	unsigned int words = 0;

	find_data(finder, placer, question, fields & COUNT_DATA_ADDRESS && !question->coarse,
		  &data);
	if (question->coarse) {
		data.address = data.where = data.offset = data.begin = data.end = data.last = 0;
		memset(data.kept, 0, sizeof(data.kept));
	}
	if (fields & COUNT_DATA_ADDRESS) {
		key[words++] = data.address;
		key[words++] = data.where;
		key[words++] = data.offset;
	}
	if (fields & COUNT_DATA_CHECK) {
		key[words++] = data.check;
		key[words++] = data.check_offset;
	}
	if (fields & COUNT_DATA_RANGE) {
		key[words++] = data.begin;
		key[words++] = data.end;
		key[words++] = data.last;
		for (size_t i = 0; i < DATA_KEPT_MAX; i++)
			key[words++] = data.kept[i];
	}
	if (fields & COUNT_ELEMENT) {
		key[words++] = data.element_known;
		key[words++] = data.element_index;
		key[words++] = data.element_address;
	}
	return words;
}

/* ---- tracepoints: texts of whole records ---- */

void trace_texts_init(struct trace_texts *texts)
{
	*texts = (struct trace_texts){ .text = STRBUF_INIT };
	array_add(texts->texts, texts->count, texts->capacity) = NULL;
}

void trace_texts_deinit(struct trace_texts *texts)
{
	string_pool_deinit(&texts->pool);
	hash_map_deinit(&texts->numbers);
	free(texts->texts);
	strbuf_deinit(&texts->text);
	*texts = (struct trace_texts){ 0 };
}

uint32_t trace_texts_add(struct trace_texts *texts, const struct sample *sample, bool swap)
{
	const struct event *event = sample->event;

	strbuf_reset(&texts->text);
	if (!tracepoint_fields_text(event->fields, event->field_count, sample->raw.data,
				    sample->raw.size, swap, &texts->text))
		return 0;

	const char *text = string_pool_intern(&texts->pool, texts->text.data);
	const char **item = hash_map_item(&texts->numbers, (uintptr_t)text, texts->texts,
					  texts->count, texts->capacity, NULL);

	*item = text;
	return (uint32_t)(item - texts->texts);
}
