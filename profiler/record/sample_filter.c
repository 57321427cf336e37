// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filters of samples: see sample_filter.h. Terms and constants have perf's names (perf-record(1),
 * --filter).
 *
 * The program gets struct bpf_perf_event_data and returns whether the sample is kept (1) or dropped
 * (0). Fields that this struct lacks are in the kernel's own sample, which bpf_cast_to_kern_ctx()
 * (Linux 6.2) gives access to; BTF of the kernel tells their offsets. Since Linux 6.3 the kernel
 * fills in the fields before it runs the program.
 */
#include "profiler/record/sample_filter.h"

#include <bpf/bpf.h>
#include <ctype.h>
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <sys/ioctl.h>

#include "dwarf/btf/btf.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/record/open.h"

/* ---- the expression ---- */

#define CONTEXT(member) (int32_t) offsetof(struct bpf_perf_event_data, member)
#if defined(__x86_64__)
#define CONTEXT_IP CONTEXT(regs.rip)
#elif defined(__aarch64__)
#define CONTEXT_IP CONTEXT(regs.pc)
#else
#error "add the instruction pointer of this architecture's bpf_user_pt_regs_t"
#endif

#define DATA_SOURCE(name, shift, bits)                                                             \
	{                                                                                          \
		name, FILTER_SAMPLE, 0, "data_src", shift, bits, PERF_SAMPLE_DATA_SRC, "-d"        \
	}

/* union perf_sample_weight: a word and two half words; data_src is perf_mem_data_src. */
static const struct sample_filter_term terms[] = {
	{ "ip", FILTER_CONTEXT, CONTEXT_IP, NULL, 0, 64, 0, NULL },
	{ "period", FILTER_CONTEXT, CONTEXT(sample_period), NULL, 0, 64, 0, NULL },
	{ "addr", FILTER_CONTEXT, CONTEXT(addr), NULL, 0, 64, PERF_SAMPLE_ADDR, "-d" },
	{ "cpu", FILTER_HELPER, BPF_FUNC_get_smp_processor_id, NULL, 0, 32, 0, NULL },
	{ "tid", FILTER_HELPER, BPF_FUNC_get_current_pid_tgid, NULL, 0, 32, 0, NULL },
	{ "pid", FILTER_HELPER, BPF_FUNC_get_current_pid_tgid, NULL, 32, 32, 0, NULL },
	{ "uid", FILTER_HELPER, BPF_FUNC_get_current_uid_gid, NULL, 0, 32, 0, NULL },
	{ "gid", FILTER_HELPER, BPF_FUNC_get_current_uid_gid, NULL, 32, 32, 0, NULL },
	{ "cgroup", FILTER_HELPER, BPF_FUNC_get_current_cgroup_id, NULL, 0, 64, 0, NULL },
	{ "time", FILTER_SAMPLE, 0, "time", 0, 64, PERF_SAMPLE_TIME, NULL },
	{ "phys_addr", FILTER_SAMPLE, 0, "phys_addr", 0, 64, PERF_SAMPLE_PHYS_ADDR, "--phys-data" },
	{ "code_pgsz", FILTER_SAMPLE, 0, "code_page_size", 0, 64, PERF_SAMPLE_CODE_PAGE_SIZE,
	  "--code-page-size" },
	{ "data_pgsz", FILTER_SAMPLE, 0, "data_page_size", 0, 64, PERF_SAMPLE_DATA_PAGE_SIZE,
	  "--data-page-size" },
	{ "txn", FILTER_SAMPLE, 0, "txn", 0, 64, PERF_SAMPLE_TRANSACTION, NULL },
	{ "weight", FILTER_SAMPLE, 0, "weight", 0, 32, PERF_SAMPLE_WEIGHT_TYPE, "-W" },
	{ "ins_lat", FILTER_SAMPLE, 0, "weight", 32, 16, PERF_SAMPLE_WEIGHT_STRUCT, "-W" },
	{ "retire_lat", FILTER_SAMPLE, 0, "weight", 48, 16, PERF_SAMPLE_WEIGHT_STRUCT, "-W" },
	{ "p_stage_cyc", FILTER_SAMPLE, 0, "weight", 48, 16, PERF_SAMPLE_WEIGHT_STRUCT, "-W" },
	DATA_SOURCE("mem_op", 0, 5),
	DATA_SOURCE("mem_snoop", 19, 5),
	DATA_SOURCE("mem_lock", 24, 2),
	DATA_SOURCE("mem_dtlb", 26, 7),
	DATA_SOURCE("mem_lvl", 33, 4),
	DATA_SOURCE("mem_remote", 37, 1),
	DATA_SOURCE("mem_snoopx", 38, 2),
	DATA_SOURCE("mem_blk", 40, 3),
	DATA_SOURCE("mem_hops", 43, 3),
};

/* PERF_MEM_* of perf_event.h. The constants of snoopx are written after mem_snoop. */
static const struct {
	const char *term;
	const char *name;
	uint64_t value;
} constants[] = {
	{ "mem_op", "na", 1 },         { "mem_op", "load", 2 },
	{ "mem_op", "store", 4 },      { "mem_op", "pfetch", 8 },
	{ "mem_op", "exec", 16 },      { "mem_lvl", "l1", 1 },
	{ "mem_lvl", "l2", 2 },        { "mem_lvl", "l3", 3 },
	{ "mem_lvl", "l4", 4 },        { "mem_lvl", "cxl", 9 },
	{ "mem_lvl", "io", 10 },       { "mem_lvl", "any_cache", 11 },
	{ "mem_lvl", "lfb", 12 },      { "mem_lvl", "ram", 13 },
	{ "mem_lvl", "pmem", 14 },     { "mem_lvl", "na", 15 },
	{ "mem_snoop", "na", 1 },      { "mem_snoop", "none", 2 },
	{ "mem_snoop", "hit", 4 },     { "mem_snoop", "miss", 8 },
	{ "mem_snoop", "hitm", 16 },   { "mem_snoopx", "fwd", 1 },
	{ "mem_snoopx", "peer", 2 },   { "mem_remote", "remote", 1 },
	{ "mem_lock", "na", 1 },       { "mem_lock", "locked", 2 },
	{ "mem_dtlb", "na", 1 },       { "mem_dtlb", "l1_hit", 10 },
	{ "mem_dtlb", "l1_miss", 12 }, { "mem_dtlb", "l2_hit", 18 },
	{ "mem_dtlb", "l2_miss", 20 }, { "mem_dtlb", "any_hit", 2 },
	{ "mem_dtlb", "any_miss", 4 }, { "mem_dtlb", "walk", 32 },
	{ "mem_dtlb", "fault", 64 },   { "mem_blk", "na", 1 },
	{ "mem_blk", "by_data", 2 },   { "mem_blk", "by_addr", 4 },
	{ "mem_hops", "hops0", 1 },    { "mem_hops", "hops1", 2 },
	{ "mem_hops", "hops2", 3 },    { "mem_hops", "hops3", 4 },
};

static const struct {
	const char *text;
	enum sample_filter_operator comparison;
} operators[] = {
	{ "==", FILTER_EQUAL },      { "!=", FILTER_DIFFERENT }, { ">=", FILTER_GREATER_EQUAL },
	{ "<=", FILTER_LESS_EQUAL }, { ">", FILTER_GREATER },    { "<", FILTER_LESS },
	{ "&", FILTER_BITS },
};

static const char *skip_spaces(const char *at)
{
	return at + strspn(at, " \t");
}

static const struct sample_filter_term *find_term(const char *name)
{
	return array_find(i, terms, COUNT_OF(terms), strcmp(terms[i].name, name) == 0);
}

static struct error *unknown_term(const char *name)
{
	struct nearest nearest = { .word = name };

	for (size_t i = 0; i < COUNT_OF(terms); i++)
		nearest_consider(&nearest, terms[i].name);
	if (nearest.best)
		return error_create(ERROR_NOT_FOUND, "--filter: unknown term '%s' (nearest: '%s')",
				    name, nearest.best);
	return error_create(ERROR_NOT_FOUND,
			    "--filter: unknown term '%s'; there are ip period addr cpu tid pid uid "
			    "gid cgroup time weight and others (dtprof-record(1))",
			    name);
}

static struct error *cgroup_filter_value(const char *path, uint64_t *value)
{
	struct error *error = cgroup_id("", path, value);

	return error ? error_prefix(error, "--filter") : NULL;
}

static struct error *parse_value(struct sample_filter_condition *condition, const char *text)
{
	static const char units[] = "kmg";
	char *end;

	for (size_t i = 0; i < COUNT_OF(constants); i++) {
		bool extended = strcmp(constants[i].term, "mem_snoopx") == 0 &&
				strcmp(condition->term->name, "mem_snoop") == 0;

		if (strcmp(constants[i].name, text) ||
		    (!extended && strcmp(constants[i].term, condition->term->name)))
			continue;
		condition->term = find_term(constants[i].term);
		condition->value = constants[i].value;
		return NULL;
	}
	if (strcmp(condition->term->name, "cgroup") == 0 && *text == '/')
		return cgroup_filter_value(text, &condition->value);
	errno = 0;
	condition->value = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || errno)
		return error_other("--filter: '%s' is not a value of '%s'", text,
				   condition->term->name);
	if (*end && strchr(units, tolower(*end))) {
		condition->value <<= 10 * (strchr(units, tolower(*end)) - units + 1);
		end++;
	}
	return *end ? error_other("--filter: '%s' is not a value of '%s'", text,
				  condition->term->name)
		    : NULL;
}

/* Parses TERM OPERATOR VALUE and moves *at past it. */
static struct error *parse_condition(const char **at, struct sample_filter_condition *condition)
{
	const char *start = skip_spaces(*at), *end = start;
	size_t i;

	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	_cleanup_free_ char *name = xstrndup(start, end - start);

	if (!*name)
		return error_other("--filter: a term is missing at '%s'", start);
	condition->term = find_term(name);
	if (!condition->term)
		return unknown_term(name);
	end = skip_spaces(end);
	for (i = 0; i < COUNT_OF(operators); i++)
		if (strncmp(end, operators[i].text, strlen(operators[i].text)) == 0)
			break;
	if (i == COUNT_OF(operators))
		return error_other(
			"--filter: after '%s' there must be one of == != > >= < <= &, not '%s'",
			name, end);
	condition->comparison = operators[i].comparison;
	start = skip_spaces(end + strlen(operators[i].text));
	end = start + strcspn(start, ",| \t");
	_cleanup_free_ char *value = xstrndup(start, end - start);

	*at = skip_spaces(end);
	return parse_value(condition, value);
}

struct error *sample_filter_parse(const char *text, struct sample_filter *filter)
{
	for (;;) {
		struct sample_filter_condition condition = { 0 };

		RETURN_ERROR(parse_condition(&text, &condition));
		if (filter->count == SAMPLE_FILTER_MAX)
			return error_other("--filter: more than %d conditions", SAMPLE_FILTER_MAX);
		condition.or_next = text[0] == '|' && text[1] == '|';
		array_add(filter->conditions, filter->count, filter->capacity) = condition;
		if (!*text)
			return NULL;
		if (*text != ',' && !condition.or_next)
			return error_other("--filter: ',' or '||' is missing before '%s'", text);
		text += condition.or_next ? 2 : 1;
	}
}

void sample_filter_deinit(struct sample_filter *filter)
{
	free(filter->conditions);
	*filter = (struct sample_filter){ 0 };
}

/* ---- the program ---- */

#define CONTEXT_REGISTER BPF_REG_6 /* argument of the program; calls preserve it */
#define SAMPLE_REGISTER  BPF_REG_7 /* struct perf_sample_data; calls preserve it */
#define VALUE_REGISTER   BPF_REG_1
#define OTHER_REGISTER   BPF_REG_2
#define LOG_SIZE         65536 /* bytes for the log of the kernel's verifier */

struct assembler {
	struct bpf_insn *instructions;
	size_t count, capacity;
	size_t *jumps; /* instructions whose target is not known yet */
	size_t jump_count, jump_capacity;
	struct btf *btf; /* NULL: not needed */
	int map_fd;
};

static void emit(struct assembler *assembler, struct bpf_insn instruction)
{
	array_add(assembler->instructions, assembler->count, assembler->capacity) = instruction;
}

static void emit_operation(struct assembler *assembler, uint8_t operation, uint8_t destination,
			   int32_t value)
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

static void emit_load(struct assembler *assembler, uint8_t destination, uint8_t base,
		      int16_t offset)
{
	emit(assembler, (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_DW,
					   .dst_reg = destination,
					   .src_reg = base,
					   .off = offset });
}

/* Emits a 64-bit constant of two instructions. `kind` is for the verifier; 0: a number. */
static void emit_constant(struct assembler *assembler, uint8_t destination, uint8_t kind,
			  uint64_t value)
{
	emit(assembler, (struct bpf_insn){ .code = BPF_LD | BPF_DW, /* mode BPF_IMM is 0 */
					   .dst_reg = destination,
					   .src_reg = kind,
					   .imm = (uint32_t)value });
	emit(assembler, (struct bpf_insn){ .imm = (uint32_t)(value >> 32) });
}

static void emit_call(struct assembler *assembler, uint8_t kind, int32_t function)
{
	emit(assembler,
	     (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = kind, .imm = function });
}

/* Makes the jump at `index` go to the next instruction that is emitted. */
static void set_jump_target(struct assembler *assembler, size_t index)
{
	assembler->instructions[index].off = assembler->count - index - 1;
}

/* Sets *offset to that of a member of the kernel's struct, by its BTF. */
static struct error *struct_offset(const struct assembler *assembler, const char *structure,
				   const char *member, int16_t *offset)
{
	int64_t found = btf_member_offset(assembler->btf, structure, member);

	if (found < 0 || found > INT16_MAX)
		return error_create(ERROR_UNSUPPORTED,
				    "--filter: this kernel's struct %s has no %s", structure,
				    member);
	*offset = found;
	return NULL;
}

/* Saves the context and, if a term needs it, the kernel's sample. */
static struct error *emit_start(struct assembler *assembler, const struct sample_filter *filter)
{
	struct error *error;
	uint32_t function;
	int16_t offset = 0;

	emit_move(assembler, CONTEXT_REGISTER, BPF_REG_1);
	if (!(any_of(i, 0, filter->count, filter->conditions[i].term->source == FILTER_SAMPLE)))
		return NULL;
	error = btf_open("/sys/kernel/btf/vmlinux", NULL, &assembler->btf);
	if (error)
		return error_prefix(error, "--filter: only ip period addr cpu tid pid uid gid "
					   "cgroup can be used here");
	function = btf_function_id(assembler->btf, "bpf_cast_to_kern_ctx");
	if (!function)
		return error_create(ERROR_UNSUPPORTED,
				    "--filter: before Linux 6.2 only ip period addr cpu tid pid "
				    "uid gid cgroup can be used");
	RETURN_ERROR(struct_offset(assembler, "bpf_perf_event_data_kern", "data", &offset));
	emit_call(assembler, BPF_PSEUDO_KFUNC_CALL, function);
	emit_load(assembler, SAMPLE_REGISTER, BPF_REG_0, offset);
	return NULL;
}

static struct error *emit_term(struct assembler *assembler, const struct sample_filter_term *term)
{
	int16_t offset = 0;

	switch (term->source) {
	case FILTER_CONTEXT:
		emit_load(assembler, VALUE_REGISTER, CONTEXT_REGISTER, term->number);
		break;
	case FILTER_HELPER:
		emit_call(assembler, 0, term->number);
		emit_move(assembler, VALUE_REGISTER, BPF_REG_0);
		break;
	case FILTER_SAMPLE:
		RETURN_ERROR(struct_offset(assembler, "perf_sample_data", term->member, &offset));
		emit_load(assembler, VALUE_REGISTER, SAMPLE_REGISTER, offset);
		break;
	}
	/* Shift the bits of the value to the top and back to isolate them. */
	if (term->bits < 64) {
		emit_operation(assembler, BPF_LSH, VALUE_REGISTER, 64 - term->bits - term->shift);
		emit_operation(assembler, BPF_RSH, VALUE_REGISTER, 64 - term->bits);
	}
	return NULL;
}

/* Emits a jump that is taken if the condition holds; assemble() sets its target. */
static struct error *emit_condition(struct assembler *assembler,
				    const struct sample_filter_condition *condition)
{
	static const uint8_t jumps[] = {
		[FILTER_EQUAL] = BPF_JEQ,         [FILTER_DIFFERENT] = BPF_JNE,
		[FILTER_GREATER] = BPF_JGT,       [FILTER_LESS] = BPF_JLT,
		[FILTER_GREATER_EQUAL] = BPF_JGE, [FILTER_LESS_EQUAL] = BPF_JLE,
		[FILTER_BITS] = BPF_JSET,
	};

	RETURN_ERROR(emit_term(assembler, condition->term));
	emit_constant(assembler, OTHER_REGISTER, 0, condition->value);
	array_add(assembler->jumps, assembler->jump_count, assembler->jump_capacity) =
		assembler->count;
	emit(assembler, (struct bpf_insn){ .code = BPF_JMP | jumps[condition->comparison] | BPF_X,
					   .dst_reg = VALUE_REGISTER,
					   .src_reg = OTHER_REGISTER });
	return NULL;
}

/* Counts the sample as dropped and drops it. */
static void emit_drop(struct assembler *assembler)
{
	size_t missing;

	emit(assembler, (struct bpf_insn){ .code = BPF_ST | BPF_MEM | BPF_W,
					   .dst_reg = BPF_REG_10,
					   .off = -4 });
	emit_constant(assembler, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)assembler->map_fd);
	emit_move(assembler, BPF_REG_2, BPF_REG_10);
	emit_operation(assembler, BPF_ADD, BPF_REG_2, -4);
	emit_call(assembler, 0, BPF_FUNC_map_lookup_elem);
	missing = assembler->count;
	emit(assembler,
	     (struct bpf_insn){ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0 });
	emit_operation(assembler, BPF_MOV, BPF_REG_1, 1);
	emit(assembler, (struct bpf_insn){ .code = BPF_STX | BPF_ATOMIC | BPF_DW,
					   .dst_reg = BPF_REG_0,
					   .src_reg = BPF_REG_1,
					   .imm = BPF_ADD });
	set_jump_target(assembler, missing);
	emit_operation(assembler, BPF_MOV, BPF_REG_0, 0);
	emit(assembler, (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT });
}

/* Emits the whole program. The alternatives of a group follow each other. The first that holds
 * jumps over the drop to the next group, after the last to keeping. */
static struct error *assemble(struct assembler *assembler, const struct sample_filter *filter)
{
	RETURN_ERROR(emit_start(assembler, filter));
	for (size_t i = 0; i < filter->count; i++) {
		RETURN_ERROR(emit_condition(assembler, &filter->conditions[i]));
		if (filter->conditions[i].or_next)
			continue;
		emit_drop(assembler);
		for (size_t j = 0; j < assembler->jump_count; j++)
			set_jump_target(assembler, assembler->jumps[j]);
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
		return error_create(
			ERROR_PERMISSION,
			"--filter needs the capabilities CAP_BPF and CAP_PERFMON (or root)");
	if (error_number == ENOSYS)
		return error_create(ERROR_PERMISSION,
				    "--filter needs bpf(2), which this kernel does not have");
	/* The verifier's reason is in its last line but one. */
	while (last && last > log && !last[1])
		last = memrchr(log, '\n', last - log);
	return error_errno(error_number, "--filter: the kernel refuses the program%s%s",
			   *log ? ": " : "", *log ? (last && last[1] ? last + 1 : log) : "");
}

/* Loads the program into the kernel. */
static struct error *load(struct assembler *assembler, int *fd)
{
	_cleanup_free_ char *log = xcalloc(1, LOG_SIZE);
	LIBBPF_OPTS(bpf_prog_load_opts, options, .log_buf = log, .log_size = LOG_SIZE,
		    .log_level = 1);

	*fd = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "dtprof_filter", "GPL",
			    assembler->instructions, assembler->count, &options);
	return *fd < 0 ? load_error(errno, log) : NULL;
}

/* Creates an array of one counter. */
static struct error *create_map(int *fd)
{
	*fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "dtprof_dropped", sizeof(uint32_t),
			     sizeof(uint64_t), 1, NULL);
	return *fd < 0 ? load_error(errno, "") : NULL;
}

static struct error *build(const struct sample_filter *filter,
			   struct sample_filter_program *program)
{
	struct assembler assembler = { 0 };
	struct error *error;

	RETURN_ERROR(create_map(&program->map_fd));
	assembler.map_fd = program->map_fd;
	error = assemble(&assembler, filter);
	if (!error)
		error = load(&assembler, &program->program_fd);
	btf_close(assembler.btf);
	free_all(assembler.instructions, assembler.jumps);
	return error;
}

/* Returns an error if samples of the event lack a field that a condition needs. */
static struct error *check_fields(const struct sample_filter *filter,
				  const struct event_spec *event)
{
	for (size_t i = 0; i < filter->count; i++) {
		const struct sample_filter_term *term = filter->conditions[i].term;

		if (!term->sample_type || (event->attr.sample_type & term->sample_type))
			continue;
		return error_other("--filter: samples of event '%s' have no '%s'%s%s", event->name,
				   term->name, term->option ? "; add " : "", term->option ?: "");
	}
	return NULL;
}

struct error *sample_filter_attach(const struct sample_filter *filter,
				   const struct event_list *events, const struct counters *counters,
				   struct sample_filter_program *program)
{
	for (size_t i = 0; i < events->count; i++) {
		if (events->items[i].follower)
			continue;
		if (events->items[i].tracepoint)
			return error_create(
				ERROR_UNSUPPORTED,
				"--filter: event '%s' is a tracepoint, which is not sampled",
				events->items[i].name);
		RETURN_ERROR(check_fields(filter, &events->items[i]));
	}
	RETURN_ERROR(build(filter, program));
	array_each (const struct counter, counter, counters->items, counters->count) {
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

	if (program->map_fd < 0 || bpf_map_lookup_elem(program->map_fd, &key, &dropped))
		return 0;
	return dropped;
}

void sample_filter_program_close(struct sample_filter_program *program)
{
	closep(&program->program_fd);
	closep(&program->map_fd);
	program->program_fd = program->map_fd = -1;
}
