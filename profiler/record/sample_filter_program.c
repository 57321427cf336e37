// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a filter to a BPF program: see sample_filter.h.
 *
 * The program gets struct bpf_perf_event_data, and what it returns says whether the sample is kept (1) or
 * dropped (0). What that struct does not have is in the kernel's own sample, which bpf_cast_to_kern_ctx()
 * (Linux 6.2) gives access to, by the offsets that the kernel's BTF tells. The kernel prepares the sample's
 * fields before it runs the program since Linux 6.3.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dwarf/btf/btf.h"
#include "profiler/base/memory.h"
#include "profiler/record/sample_filter.h"

#define CONTEXT_REGISTER BPF_REG_6 /* kept over calls: the program's argument */
#define SAMPLE_REGISTER  BPF_REG_7 /* kept over calls: struct perf_sample_data */
#define VALUE_REGISTER   BPF_REG_1
#define OTHER_REGISTER   BPF_REG_2
#define LOG_SIZE         65536

struct assembler {
	struct bpf_insn *instructions;
	size_t count;
	size_t capacity;
	size_t *jumps; /* instructions whose target is not known yet */
	size_t jump_count;
	size_t jump_capacity;
	struct btf *btf; /* NULL: not needed */
	int map_fd;
};

static void emit(struct assembler *assembler, struct bpf_insn instruction)
{
	array_reserve(assembler->instructions, assembler->count, assembler->capacity);
	assembler->instructions[assembler->count++] = instruction;
}

static void emit_operation(struct assembler *assembler, uint8_t operation, uint8_t destination, int32_t value)
{
	emit(assembler, (struct bpf_insn){ .code = BPF_ALU64 | operation | BPF_K,
					   .dst_reg = destination,
					   .imm = value });
}

static void emit_move(struct assembler *assembler, uint8_t destination, uint8_t source)
{
	emit(assembler, (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X,
					   .dst_reg = destination,
					   .src_reg = source });
}

static void emit_load(struct assembler *assembler, uint8_t destination, uint8_t base, int16_t offset)
{
	emit(assembler, (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_DW,
					   .dst_reg = destination,
					   .src_reg = base,
					   .off = offset });
}

/* A 64-bit constant takes two instructions; `kind` is 0, or what the constant is to the verifier. */
static void emit_constant(struct assembler *assembler, uint8_t destination, uint8_t kind, uint64_t value)
{
	emit(assembler, (struct bpf_insn){ .code = BPF_LD | BPF_DW, /* mode BPF_IMM is 0 */
					   .dst_reg = destination,
					   .src_reg = kind,
					   .imm = (uint32_t)value });
	emit(assembler, (struct bpf_insn){ .imm = (uint32_t)(value >> 32) });
}

static void emit_call(struct assembler *assembler, uint8_t kind, int32_t function)
{
	emit(assembler, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = kind, .imm = function });
}

/* The jump at `index` goes to the next instruction that is emitted. */
static void land(struct assembler *assembler, size_t index)
{
	assembler->instructions[index].off = assembler->count - index - 1;
}

static bool needs_sample(const struct sample_filter *filter)
{
	for (size_t i = 0; i < filter->count; i++) {
		if (filter->conditions[i].term->source == FILTER_SAMPLE)
			return true;
	}
	return false;
}

static struct error *struct_offset(const struct assembler *assembler, const char *structure,
				   const char *member, int16_t *offset)
{
	int64_t found = btf_member_offset(assembler->btf, structure, member);

	if (found < 0 || found > INT16_MAX)
		return error_create(ERROR_UNSUPPORTED, "--filter: this kernel's struct %s has no %s",
				    structure, member);
	*offset = found;
	return NULL;
}

/* Keep the context, and the kernel's sample where a term needs it. */
static struct error *emit_start(struct assembler *assembler, const struct sample_filter *filter)
{
	struct error *error;
	uint32_t function;
	int16_t offset = 0;

	emit_move(assembler, CONTEXT_REGISTER, BPF_REG_1);
	if (!needs_sample(filter))
		return NULL;
	error = btf_open("/sys/kernel/btf/vmlinux", NULL, &assembler->btf);
	if (error)
		return error_prefix(
			error,
			"--filter: only ip period addr cpu tid pid uid gid cgroup can be asked for here");
	function = btf_function_id(assembler->btf, "bpf_cast_to_kern_ctx");
	if (!function)
		return error_create(ERROR_UNSUPPORTED,
				    "--filter: before Linux 6.2 only ip period addr cpu tid pid uid gid "
				    "cgroup can be asked for");
	RETURN_ERROR(struct_offset(assembler, "bpf_perf_event_data_kern", "data", &offset));
	emit_call(assembler, BPF_PSEUDO_KFUNC_CALL, function);
	emit_load(assembler, SAMPLE_REGISTER, BPF_REG_0, offset);
	return NULL;
}

static struct error *emit_term(struct assembler *assembler, const struct sample_filter_term *term)
{
	int16_t offset = 0;

	switch (term->source) {
	case FILTER_CONTEXT: emit_load(assembler, VALUE_REGISTER, CONTEXT_REGISTER, term->number); break;
	case FILTER_HELPER:
		emit_call(assembler, 0, term->number);
		emit_move(assembler, VALUE_REGISTER, BPF_REG_0);
		break;
	case FILTER_SAMPLE:
		RETURN_ERROR(struct_offset(assembler, "perf_sample_data", term->member, &offset));
		emit_load(assembler, VALUE_REGISTER, SAMPLE_REGISTER, offset);
		break;
	}
	/* The value's bits, moved up to the top and down again. */
	if (term->bits < 64) {
		emit_operation(assembler, BPF_LSH, VALUE_REGISTER, 64 - term->bits - term->shift);
		emit_operation(assembler, BPF_RSH, VALUE_REGISTER, 64 - term->bits);
	}
	return NULL;
}

/* Jump if the condition holds; where to is settled later. */
static struct error *emit_condition(struct assembler *assembler,
				    const struct sample_filter_condition *condition)
{
	static const uint8_t jumps[] = {
		[FILTER_EQUAL] = BPF_JEQ, [FILTER_DIFFERENT] = BPF_JNE,     [FILTER_GREATER] = BPF_JGT,
		[FILTER_LESS] = BPF_JLT,  [FILTER_GREATER_EQUAL] = BPF_JGE, [FILTER_LESS_EQUAL] = BPF_JLE,
		[FILTER_BITS] = BPF_JSET,
	};

	RETURN_ERROR(emit_term(assembler, condition->term));
	emit_constant(assembler, OTHER_REGISTER, 0, condition->value);
	array_reserve(assembler->jumps, assembler->jump_count, assembler->jump_capacity);
	assembler->jumps[assembler->jump_count++] = assembler->count;
	emit(assembler, (struct bpf_insn){ .code = BPF_JMP | jumps[condition->operator] | BPF_X,
					   .dst_reg = VALUE_REGISTER,
					   .src_reg = OTHER_REGISTER });
	return NULL;
}

/* Count the sample that is dropped, and drop it. */
static void emit_drop(struct assembler *assembler)
{
	size_t missing;

	emit(assembler,
	     (struct bpf_insn){ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10, .off = -4 });
	emit_constant(assembler, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)assembler->map_fd);
	emit_move(assembler, BPF_REG_2, BPF_REG_10);
	emit_operation(assembler, BPF_ADD, BPF_REG_2, -4);
	emit_call(assembler, 0, BPF_FUNC_map_lookup_elem);
	missing = assembler->count;
	emit(assembler, (struct bpf_insn){ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0 });
	emit_operation(assembler, BPF_MOV, BPF_REG_1, 1);
	emit(assembler, (struct bpf_insn){ .code = BPF_STX | BPF_ATOMIC | BPF_DW,
					   .dst_reg = BPF_REG_0,
					   .src_reg = BPF_REG_1,
					   .imm = BPF_ADD });
	land(assembler, missing);
	emit_operation(assembler, BPF_MOV, BPF_REG_0, 0);
	emit(assembler, (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT });
}

/*
 * Alternatives, one after the other: the first that holds jumps over the way out, to the next group of
 * alternatives; behind the last group the sample is kept.
 */
static struct error *assemble(struct assembler *assembler, const struct sample_filter *filter)
{
	RETURN_ERROR(emit_start(assembler, filter));
	for (size_t i = 0; i < filter->count; i++) {
		RETURN_ERROR(emit_condition(assembler, &filter->conditions[i]));
		if (filter->conditions[i].or_next)
			continue;
		emit_drop(assembler);
		for (size_t j = 0; j < assembler->jump_count; j++)
			land(assembler, assembler->jumps[j]);
		assembler->jump_count = 0;
	}
	emit_operation(assembler, BPF_MOV, BPF_REG_0, 1);
	emit(assembler, (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT });
	return NULL;
}

static struct error *load_error(int error_number, const char *log)
{
	const char *last = strrchr(log, '\n');

	if (error_number == EPERM || error_number == EACCES)
		return error_create(ERROR_PERMISSION,
				    "--filter needs the capabilities CAP_BPF and CAP_PERFMON (or root)");
	/* The verifier's last but one line is its verdict. */
	while (last && last > log && !last[1])
		last = memrchr(log, '\n', last - log);
	return error_errno(error_number, "--filter: the kernel refuses the program%s%s", *log ? ": " : "",
			   *log ? (last && last[1] ? last + 1 : log) : "");
}

/* bpf(2), which the C library does not wrap. */
static int call_bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static struct error *load(struct assembler *assembler, int *fd)
{
	_cleanup_free_ char *log = xcalloc(1, LOG_SIZE);
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	attr.insns = (uintptr_t)assembler->instructions;
	attr.insn_cnt = assembler->count;
	attr.license = (uintptr_t) "GPL";
	attr.log_buf = (uintptr_t)log;
	attr.log_size = LOG_SIZE;
	attr.log_level = 1;
	memcpy(attr.prog_name, "dtprof_filter", sizeof("dtprof_filter"));
	*fd = call_bpf(BPF_PROG_LOAD, &attr);
	return *fd < 0 ? load_error(errno, log) : NULL;
}

/* An array of one counter. */
static struct error *create_map(int *fd)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = sizeof(uint32_t);
	attr.value_size = sizeof(uint64_t);
	attr.max_entries = 1;
	memcpy(attr.map_name, "dtprof_dropped", sizeof("dtprof_dropped"));
	*fd = call_bpf(BPF_MAP_CREATE, &attr);
	return *fd < 0 ? load_error(errno, "") : NULL;
}

static struct error *build(const struct sample_filter *filter, struct sample_filter_program *program)
{
	struct assembler assembler = { 0 };
	struct error *error;

	RETURN_ERROR(create_map(&program->map_fd));
	assembler.map_fd = program->map_fd;
	error = assemble(&assembler, filter);
	if (!error)
		error = load(&assembler, &program->program_fd);
	btf_close(assembler.btf);
	free(assembler.instructions);
	free(assembler.jumps);
	return error;
}

static struct error *check_fields(const struct sample_filter *filter, const struct event_spec *event)
{
	for (size_t i = 0; i < filter->count; i++) {
		const struct sample_filter_term *term = filter->conditions[i].term;

		if (!term->sample_type || (event->attr.sample_type & term->sample_type))
			continue;
		return error_create(ERROR_OTHER, "--filter: samples of event '%s' have no '%s'%s%s",
				    event->name, term->name, term->option ? "; add " : "",
				    term->option ? term->option : "");
	}
	return NULL;
}

struct error *sample_filter_attach(const struct sample_filter *filter, const struct event_list *events,
				   const struct counters *counters, struct sample_filter_program *program)
{
	for (size_t i = 0; i < events->count; i++) {
		if (events->items[i].follower)
			continue;
		if (events->items[i].tracepoint)
			return error_create(ERROR_UNSUPPORTED,
					    "--filter: event '%s' is a tracepoint, which is not sampled",
					    events->items[i].name);
		RETURN_ERROR(check_fields(filter, &events->items[i]));
	}
	RETURN_ERROR(build(filter, program));
	for (size_t i = 0; i < counters->count; i++) {
		const struct counter *counter = &counters->items[i];

		if (!events->items[counter->event].follower &&
		    ioctl(counter->fd, PERF_EVENT_IOC_SET_BPF, program->program_fd))
			return error_errno(errno, "--filter: cannot be put on event '%s'",
					   events->items[counter->event].name);
	}
	return NULL;
}

uint64_t sample_filter_dropped(const struct sample_filter_program *program)
{
	uint64_t dropped = 0;
	uint32_t key = 0;
	union bpf_attr attr;

	if (program->map_fd < 0)
		return 0;
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = program->map_fd;
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)&dropped;
	if (call_bpf(BPF_MAP_LOOKUP_ELEM, &attr))
		return 0;
	return dropped;
}

void sample_filter_program_close(struct sample_filter_program *program)
{
	closep(&program->program_fd);
	closep(&program->map_fd);
	program->program_fd = program->map_fd = -1;
}
