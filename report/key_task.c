// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys that tell tasks and processors apart. */
#include "report/keys.h"

#include "profiler/base/hash.h"

static void comm_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->comm);
}

static int comm_order(const struct row_view *a, const struct row_view *b)
{
	return alphabetical(a->result->comm, b->result->comm);
}

static unsigned int comm_width(const struct row_view *row, const struct cell_format *format)
{
	(void)format;
	return text_width(row->result->comm);
}

static void comm_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	add_padded(buffer, format->width, row->result->comm);
}

const struct key key_comm = {
	.name = "comm",
	.header = "Command",
	.summary = "name of the task",
	.needs = NEED_COMM,
	.identity = comm_identity,
	.order = comm_order,
	.width = comm_width,
	.cell = comm_cell,
};

/* "kworker/<N>:<N>": each run of digits counts as one. */
static void add_without_digits(const char *comm, struct strbuf *buffer)
{
	while (comm && *comm) {
		size_t digits = strspn(comm, "0123456789"), rest = strcspn(comm + digits, "0123456789");

		if (digits)
			strbuf_add_string(buffer, "<N>");
		strbuf_add(buffer, comm + digits, rest);
		comm += digits + rest;
	}
}

/* Two names of one form are one row: of the text itself only a hash fits, so two of them, of other seeds. */
static void nodigit_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	add_without_digits(result->comm, &text);
	words[0] = hash_bytes(text.data, text.length);
	strbuf_add_char(&text, '#');
	words[1] = hash_bytes(text.data, text.length);
	words[2] = text.length;
}

static int nodigit_order(const struct row_view *a, const struct row_view *b)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT, other _cleanup_strbuf_ = STRBUF_INIT;

	add_without_digits(a->result->comm, &text);
	add_without_digits(b->result->comm, &other);
	return alphabetical(text.data, other.data);
}

static unsigned int nodigit_width(const struct row_view *row, const struct cell_format *format)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)format;
	add_without_digits(row->result->comm, &text);
	return (unsigned int)text.length;
}

static void nodigit_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	add_without_digits(row->result->comm, &text);
	add_padded(buffer, format->width, text.data);
}

const struct key key_comm_nodigit = {
	.name = "comm_nodigit",
	.header = "CommandNoDigit",
	.summary = "name of the task, with <N> for its digits",
	.needs = NEED_COMM,
	.identity = nodigit_identity,
	.order = nodigit_order,
	.width = nodigit_width,
	.cell = nodigit_cell,
};

/* perf's pid is the thread's id, its tgid the process's. A thread is one row, with its last name. */
static const char *thread_name(const struct result *result)
{
	return result->thread ? result->thread : result->comm;
}

static void tid_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = (uint32_t)result->tid;
}

static int tid_order(const struct row_view *a, const struct row_view *b)
{
	return (a->result->tid < b->result->tid) - (a->result->tid > b->result->tid);
}

static unsigned int task_width(const struct row_view *row, const struct cell_format *format)
{
	(void)format;
	return text_width(thread_name(row->result)) + 8;
}

static void add_task(struct strbuf *buffer, unsigned int width, int32_t id, const char *comm)
{
	strbuf_add_format(buffer, "%7d:", id);
	add_padded(buffer, width > 8 ? width - 8 : 0, comm);
}

static void tid_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	add_task(buffer, format->width, row->result->tid, thread_name(row->result));
}

static void tid_json(const struct row_view *row, const char *name, struct json *json)
{
	json_object(json, name);
	json_signed(json, "tid", row->result->tid);
	json_string(json, "comm", thread_name(row->result));
	json_end(json);
}

const struct key key_pid = {
	.name = "pid",
	.header = "    Pid:Command",
	.summary = "thread and its last name, as perf has it",
	.needs = NEED_TID | NEED_COMM,
	.identity = tid_identity,
	.order = tid_order,
	.width = task_width,
	.cell = tid_cell,
	.json = tid_json,
};

const struct key key_tid = {
	.name = "tid",
	.header = "    Tid:Command",
	.summary = "the same as pid",
	.needs = NEED_TID | NEED_COMM,
	.identity = tid_identity,
	.order = tid_order,
	.width = task_width,
	.cell = tid_cell,
	.json = tid_json,
};

/* One without a name of its own has that of the thread, which is ":TID" if that has none, either. */
static const char *process_name(const struct result *result)
{
	return result->process ? result->process : result->comm;
}

static void tgid_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = (uint32_t)result->pid;
}

static int tgid_order(const struct row_view *a, const struct row_view *b)
{
	return (a->result->pid < b->result->pid) - (a->result->pid > b->result->pid);
}

static void tgid_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	add_task(buffer, format->width, row->result->pid, process_name(row->result));
}

static unsigned int tgid_width(const struct row_view *row, const struct cell_format *format)
{
	(void)format;
	return text_width(process_name(row->result)) + 8;
}

static void tgid_json(const struct row_view *row, const char *name, struct json *json)
{
	json_object(json, name);
	json_signed(json, "pid", row->result->pid);
	json_string(json, "comm", process_name(row->result));
	json_end(json);
}

const struct key key_tgid = {
	.name = "tgid",
	.header = "   Tgid:Command",
	.summary = "process, and the name of its first thread",
	.needs = NEED_PID | NEED_COMM,
	.identity = tgid_identity,
	.order = tgid_order,
	.width = tgid_width,
	.cell = tgid_cell,
	.json = tgid_json,
};

static void cpu_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = (uint32_t)result->cpu;
}

static int cpu_order(const struct row_view *a, const struct row_view *b)
{
	return (a->result->cpu < b->result->cpu) - (a->result->cpu > b->result->cpu);
}

static void cpu_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	strbuf_add_format(buffer, "%*.*d", (int)format->width, (int)format->width, row->result->cpu);
}

static void cpu_json(const struct row_view *row, const char *name, struct json *json)
{
	json_signed(json, name, row->result->cpu);
}

const struct key key_cpu = {
	.name = "cpu",
	.header = "CPU",
	.summary = "processor that took the sample",
	.needs = NEED_CPU,
	.identity = cpu_identity,
	.order = cpu_order,
	.cell = cpu_cell,
	.json = cpu_json,
};

static void parallelism_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = result->parallelism;
}

static int parallelism_order(const struct row_view *a, const struct row_view *b)
{
	return -compare_numbers(a->result->parallelism, b->result->parallelism);
}

static void parallelism_cell(const struct row_view *row, const struct cell_format *format,
			     struct strbuf *buffer)
{
	strbuf_add_format(buffer, "%*" PRIu32, (int)format->width, row->result->parallelism);
}

static void parallelism_json(const struct row_view *row, const char *name, struct json *json)
{
	json_unsigned(json, name, row->result->parallelism);
}

const struct key key_parallelism = {
	.name = "parallelism",
	.header = "Parallelism",
	.summary = "how many threads of the recording ran at the time",
	.needs = NEED_PARALLELISM,
	.identity = parallelism_identity,
	.order = parallelism_order,
	.cell = parallelism_cell,
	.json = parallelism_json,
};
