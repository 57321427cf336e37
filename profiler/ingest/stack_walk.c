// SPDX-License-Identifier: GPL-2.0-or-later
/* Callers from copies of stacks: see stack_walk.h. */
#include "profiler/ingest/stack_walk.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/unwind.h"
#include "profiler/ingest/session_private.h"

struct walked_object {
	bool tried;
	bool lost; /* there is a file, but it cannot be had */
	struct unwind_table *table;
};

/* Registers of <asm/perf_regs.h> (x86), whatever machine reads the file, by their DWARF numbers. */
static const uint8_t perf_registers[UNWIND_REGISTERS] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8,
};

void stack_walker_init(struct stack_walker *walker, struct session *session)
{
	*walker = (struct stack_walker){
		.session = session,
		.other_machine = session->header.swap || !session_may_be_x86_64(session),
	};
}

void stack_walker_deinit(struct stack_walker *walker)
{
	for (size_t i = 0; i < walker->object_count; i++)
		unwind_table_close(walker->objects[i].table);
	free(walker->objects);
	*walker = (struct stack_walker){ 0 };
}

bool stack_walker_can(const struct stack_walker *walker, const struct sample *sample)
{
	return !walker->other_machine && sample->user_registers.abi == PERF_SAMPLE_REGS_ABI_64 &&
	       sample->user_stack.bytes.size && sample->user_stack.dynamic_size;
}

/* ---- what a sample has ---- */

static void take_registers(const struct sample *sample, struct unwind_frame *frame)
{
	uint64_t value;

	*frame = (struct unwind_frame){ .exact = true };
	for (unsigned int i = 0; i < UNWIND_REGISTERS; i++)
		if (sample_register(&sample->user_registers, perf_registers[i], &value))
			unwind_set_register(frame, i, value);
}

struct stack_copy {
	uint64_t start; /* the stack pointer */
	uint64_t size;
	const uint8_t *bytes;
};

/* What the kernel could not copy stays as it was in its buffer: it is none of the thread's. */
static bool take_stack(const struct sample *sample, const struct unwind_frame *frame, struct stack_copy *copy)
{
	uint64_t size = sample->user_stack.bytes.size;

	copy->size = size < sample->user_stack.dynamic_size ? size : sample->user_stack.dynamic_size;
	copy->bytes = sample->user_stack.bytes.data;
	return unwind_register(frame, UNWIND_SP, &copy->start);
}

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

static struct walked_object *object_of(struct stack_walker *walker, struct dso *dso)
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
		error_destroy(unwind_table_open(image, dso_debug_image(dso, options), &object->table));
	else
		object->lost = dso->kind == DSO_USER || dso->kind == DSO_VDSO;
	return object;
}

struct frame_walk {
	struct stack_walker *walker;
	struct placer *placer;
	const struct walked_sample *walked;
	struct stack_copy stack;
	struct unwind_memory memory;
	struct unwind_frame frame;
};

/* Code that is in no file, and what has no frame information, may at least keep a frame pointer. */
static enum unwind_step take_step(struct frame_walk *walk, uint64_t ip)
{
	struct session *session = walk->walker->session;
	const struct placer_map *map =
		placer_map(walk->placer, walk->walked->space, ip, walk->walked->moment);
	struct dso *dso = map->dso ? session->timeline.dsos.dsos[map->dso - 1] : NULL;
	const struct walked_object *object = dso ? object_of(walk->walker, dso) : NULL;
	enum unwind_step step = UNWIND_UNKNOWN;

	if (object && object->lost)
		return UNWIND_FAILED;
	if (object && object->table) {
		uint64_t address = session_file_address(session, dso, ip + map->to_file);

		step = unwind_step(object->table, address, ip - address, &walk->memory, &walk->frame);
	}
	return step == UNWIND_UNKNOWN ? unwind_step_by_frame_pointer(&walk->memory, &walk->frame) : step;
}

void stack_walker_walk(struct stack_walker *walker, struct placer *placer, const struct walked_sample *walked,
		       unsigned int limit, void (*visit)(void *data, uint64_t ip), void *data)
{
	struct frame_walk walk = { .walker = walker, .placer = placer, .walked = walked };
	enum unwind_step step = UNWIND_CALLER;
	uint64_t pc, sp, above;

	take_registers(walked->sample, &walk.frame);
	if (!take_stack(walked->sample, &walk.frame, &walk.stack))
		return;
	walk.memory = (struct unwind_memory){ .read = read_stack, .data = &walk.stack };
	for (unsigned int count = 0; count < limit && step == UNWIND_CALLER; count++) {
		if (!unwind_register(&walk.frame, UNWIND_PC, &pc) || !pc)
			return;

		/* where a call returns to may be in another function already */
		uint64_t ip = walk.frame.exact ? pc : pc - 1;

		if (!unwind_register(&walk.frame, UNWIND_SP, &sp))
			sp = UINT64_MAX;
		step = take_step(&walk, ip);
		/* what signal handlers return to was not called, but is where the kernel put it */
		visit(data, step == UNWIND_CALLER && walk.frame.exact ? pc : ip);
		/* frames lie one above the other, unless a signal came; nothing goes round in circles */
		if (step == UNWIND_CALLER && !walk.frame.exact &&
		    (!unwind_register(&walk.frame, UNWIND_SP, &above) || above <= sp))
			return;
	}
}
