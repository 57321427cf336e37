// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the data address of a sample (count.h). */
#include <linux/hw_breakpoint.h>

#include "profiler/ingest/count.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/session_private.h"

/* ---- operands ---- */

/*
 * Computes the address that the operand accessed, from the registers before the instruction, which
 * was sampled at `ip`. Returns false if the operand or one of its registers is not known.
 */
static bool data_operand_address(const struct data_operand *operand,
				 const struct sample_registers *registers, uint64_t ip,
				 uint64_t *address)
{
	uint64_t sum = (uint64_t)operand->displacement, value;

	if (!operand->known)
		return false;
	if (operand->relative)
		sum += ip - operand->insn;
	if (operand->base != DATA_OPERAND_NO_REGISTER) {
		if (!sample_register(registers, operand->base, &value))
			return false;
		sum += value;
	}
	if (operand->index != DATA_OPERAND_NO_REGISTER) {
		if (!sample_register(registers, operand->index, &value))
			return false;
		sum += value * operand->scale;
	}
	*address = sum;
	return true;
}

/*
 * How far a thread's stack may extend above and below its stack pointer, in bytes. Above, that is
 * the default size of stacks in Linux and glibc. Below, a function without calls may use the red
 * zone, and others push or probe.
 */
#define USER_STACK_ABOVE (8ULL << 20)
#define USER_STACK_BELOW 0x2000

/*
 * Returns whether the event's samples have the registers before the instruction at ip, as an
 * interrupt has, since the interrupted instruction has not run yet. Precise events have those after
 * it (Intel) or of another instruction (AMD), and tracepoints and breakpoints trap after the
 * instruction.
 */
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
}

void data_finder_deinit(struct data_finder *finder)
{
	count_table_deinit(&finder->known);
	free(finder->operands);
}

/*
 * Returns the memory operand of the sampled instruction, or NULL if there is no object. Asks the
 * finder once for each instruction and thread, under the lock, since it opens files and decodes.
 */
static const struct data_operand *find_operand(struct data_finder *finder,
					       const struct data_question *question)
{
	const struct data_operand_finder *ask = &finder->session->options.operands;
	bool late = event_is_late(question->sample->event);
	uint64_t key[2] = { (uint64_t)question->dso << 2 | late << 1 | question->store,
			    question->offset };

	if (!question->dso || !ask->find)
		return NULL;
	uint64_t *index = count_table_get_words(&finder->known, key, 2);

	if (*index)
		return &finder->operands[*index - 1];
	struct dso *dso = finder->session->timeline.dsos.dsos[question->dso - 1];

	array_reserve(finder->operands, finder->count, finder->capacity);
	struct data_operand *operand = &finder->operands[finder->count++];

	*operand = (struct data_operand){ 0 };
	pthread_mutex_lock(finder->lock);
	operand->insn = session_file_address(finder->session, dso, question->offset);
	ask->find(ask->data, dso, operand->insn, question->store, late, operand);
	pthread_mutex_unlock(finder->lock);
	*index = finder->count;
	return operand;
}

/*
 * Returns the registers at the sampled instruction. For a sample in the kernel, the user registers
 * are not these.
 */
static const struct sample_registers *sampled_registers(const struct sample *sample)
{
	bool user = !sample->interrupt_registers.abi && session_sample_level(sample) == '.';

	return user ? &sample->user_registers : &sample->interrupt_registers;
}

/* Returns whether an address is on the sampled thread's stack, as far as registers tell. */
static enum data_stack on_stack(const struct arch *arch, const struct sample *sample,
				uint64_t address)
{
	uint64_t sp;

	if (!arch || !sample_register(sampled_registers(sample), arch->perf_stack_pointer, &sp))
		return DATA_STACK_UNKNOWN;
	bool on = session_sample_level(sample) == 'k'
			  ? address - (sp - arch->kernel_stack) < 2ULL * arch->kernel_stack
			  : address - (sp - USER_STACK_BELOW) < USER_STACK_ABOVE + USER_STACK_BELOW;

	return on ? DATA_STACK_ON : DATA_STACK_OFF;
}

/* Sets where the data is by the map that its address is in. */
static void find_data_place(struct data_finder *finder, struct placer *placer,
			    const struct data_question *question, struct count_data *data)
{
	const struct timeline *timeline = &finder->session->timeline;
	char level = session_sample_level(question->sample);
	/* The kernel's accesses to lower addresses are to memory of the process. */
	bool of_user = level == '.' || (level == 'k' && !address_is_kernel(data->address));
	uint32_t space = placer_space(timeline, of_user ? '.' : level, question->task_space);
	const struct placer_map *map = placer_map(placer, space, data->address, question->moment);

	data->where = data->check | map->dso | (map->is_shared ? COUNT_DATA_SHARED : 0);
	data->offset = data->address + map->to_file;
}

/* Finds the data address of a sample; with `place`, also the map that it is in. */
static void find_data(struct data_finder *finder, struct placer *placer,
		      const struct data_question *question, bool place, struct count_data *data)
{
	const struct sample *sample = question->sample;
	const struct perf_event_attr *attr = &sample->event->attr;
	const struct sample_registers *registers = sampled_registers(sample);
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
		computed = data_operand_address(operand, registers, sample->ip, &data->address);
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

	find_data(finder, placer, question, fields & COUNT_DATA_ADDRESS, &data);
	if (fields & COUNT_DATA_ADDRESS) {
		key[words++] = data.address;
		key[words++] = data.where;
		key[words++] = data.offset;
	}
	if (fields & COUNT_DATA_CHECK) {
		key[words++] = data.check;
		key[words++] = data.check_offset;
	}
	return words;
}
