// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys that tell tasks and processors apart. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "profiler/base/hash.h"
#include "report/key/key.h"
#include "report/key/keys.h"

/* ---- tasks and processors ---- */

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

/* ---- other fields of samples ---- */

#define ADDRESS_WIDTH 18 /* "0x" and 16 digits */

static void time_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	uint64_t time = row->result->time;

	if (format->nanoseconds)
		strbuf_add_format(buffer, "%" PRIu64 ".%09" PRIu64, time / 1000000000, time % 1000000000);
	else
		strbuf_add_format(buffer, "%" PRIu64 ".%06" PRIu64, time / 1000000000,
				  time % 1000000000 / 1000);
}

NUMBER_JSON(time, time)

NUMBER_KEY(time, "time", "Time", "time of the sample, by --time-quantum", NEED_TIME, time, smaller_first,
	   format->nanoseconds ? 16 : 12);

static void address_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	strbuf_add_format(buffer, "%-#*" PRIx64, (int)format->width, row->result->ip);
}

NUMBER_JSON(address, ip)

NUMBER_KEY(address, "addr", "Address", "address of the instruction, as sampled", NEED_IP, ip,
	   compare_addresses, ADDRESS_WIDTH);

static void code_page_size_cell(const struct row_view *row, const struct cell_format *format,
				struct strbuf *buffer)
{
	char text[PAGE_SIZE_TEXT];

	add_padded(buffer, format->width, page_size_text(row->result->code_page_size, text));
}

NUMBER_JSON(code_page_size, code_page_size)

NUMBER_KEY(code_page_size, "code_page_size", "Code Page Size", "size of the page the instruction is in",
	   NEED_CODE_PAGE_SIZE, code_page_size, smaller_first, 6);

static void transaction_cell(const struct row_view *row, const struct cell_format *format,
			     struct strbuf *buffer)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} bits[] = {
		{ PERF_TXN_ELISION, "EL " },
		{ PERF_TXN_TRANSACTION, "TX " },
		{ PERF_TXN_SYNC, "SYNC " },
		{ PERF_TXN_ASYNC, "ASYNC " },
		{ PERF_TXN_RETRY, "RETRY " },
		{ PERF_TXN_CONFLICT, "CON " },
		{ PERF_TXN_CAPACITY_WRITE, "CAP-WRITE " },
		{ PERF_TXN_CAPACITY_READ, "CAP-READ " },
	};
	uint64_t transaction = row->result->transaction;
	size_t start = buffer->length;

	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		if (transaction & bits[i].bit)
			strbuf_add_string(buffer, bits[i].name);
	if (transaction && !(transaction & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		strbuf_add_string(buffer, "NEITHER ");
	if (transaction & PERF_TXN_ABORT_MASK)
		strbuf_add_format(buffer, ":%" PRIx64,
				  (uint64_t)(transaction & PERF_TXN_ABORT_MASK) >> PERF_TXN_ABORT_SHIFT);
	while (buffer->length - start < format->width)
		strbuf_add_char(buffer, ' ');
}

NUMBER_JSON(transaction, transaction)

NUMBER_KEY(transaction, "transaction", "Transaction                ",
	   "transactional state, and why it was aborted", NEED_TRANSACTION, transaction, compare_numbers, 27);

static const char *cgroup_text(const struct result *result)
{
	if (!result->cgroup)
		return "N/A";
	return result->cgroup_name ? result->cgroup_name : "unknown";
}

static void cgroup_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	(void)format;
	strbuf_add_string(buffer, cgroup_text(row->result));
}

static void cgroup_json(const struct row_view *row, const char *name, struct json *json)
{
	json_string(json, name, row->result->cgroup ? row->result->cgroup_name : NULL);
}

NUMBER_KEY(cgroup, "cgroup", "Cgroup", "control group of the task", NEED_CGROUP, cgroup, smaller_first,
	   text_width(cgroup_text(row->result)));

/* As perf, which calls the task's cgroup namespace so; "0/0x0" where none was recorded. */
static void cgroup_id_cell(const struct row_view *row, const struct cell_format *format,
			   struct strbuf *buffer)
{
	(void)format;
	strbuf_add_format(buffer, "%" PRIu64 "/0x%" PRIx64, row->result->cgroup_device,
			  row->result->cgroup_inode);
}

static void cgroup_id_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = result->cgroup_device;
	words[1] = result->cgroup_inode;
}

static int cgroup_id_order(const struct row_view *a, const struct row_view *b)
{
	int devices = compare_numbers(a->result->cgroup_device, b->result->cgroup_device);

	return devices ? devices : compare_numbers(a->result->cgroup_inode, b->result->cgroup_inode);
}

static unsigned int cgroup_id_width(const struct row_view *row, const struct cell_format *format)
{
	(void)row;
	(void)format;
	return 20;
}

static void cgroup_id_json(const struct row_view *row, const char *name, struct json *json)
{
	json_object(json, name);
	json_unsigned(json, "device", row->result->cgroup_device);
	json_unsigned(json, "inode", row->result->cgroup_inode);
	json_end(json);
}

const struct key key_cgroup_id = {
	.name = "cgroup_id",
	.header = "cgroup id (dev/inode)",
	.summary = "cgroup namespace of the task",
	.needs = NEED_CGROUP_NAMESPACE,
	.identity = cgroup_id_identity,
	.order = cgroup_id_order,
	.width = cgroup_id_width,
	.cell = cgroup_id_cell,
	.json = cgroup_id_json,
};

static void socket_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	strbuf_add_format(buffer, "%*.*d", (int)format->width, format->width > 3 ? (int)format->width - 3 : 0,
			  row->result->socket);
}

static void socket_json(const struct row_view *row, const char *name, struct json *json)
{
	json_signed(json, name, row->result->socket);
}

NUMBER_KEY(socket, "socket", "Socket", "socket of the processor", NEED_SOCKET | NEED_CPU, socket,
	   smaller_first, 6);

/* ARM's SPE alone says this; where it is not said, perf's column is empty as well. */
static void simd_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	(void)row;
	(void)format;
	(void)buffer;
}

static void simd_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	(void)result;
	(void)words;
}

static int simd_order(const struct row_view *a, const struct row_view *b)
{
	(void)a;
	(void)b;
	return 0;
}

const struct key key_simd = {
	.name = "simd",
	.header = "Simd   ",
	.summary = "vector operation (of ARM's SPE; empty in recordings of x86)",
	.identity = simd_identity,
	.order = simd_order,
	.cell = simd_cell,
};

/* ---- weights ---- */

static void add_weight(struct strbuf *buffer, const struct cell_format *format, uint64_t weight)
{
	size_t start = buffer->length;

	strbuf_add_number(buffer, weight);
	strbuf_pad(buffer, start, format->width);
}

/* The weight of one sample, and times the samples that have it. */
static uint64_t times_samples(const struct row_view *row, uint64_t weight)
{
	uint64_t samples = 0;

	for (uint32_t event = 0; event < row->event_count; event++)
		samples += row->figures[event].samples;
	return weight * samples;
}

/* Both keys of one weight; rows are in the order of the one sample's, as in perf. */
#define WEIGHT_KEYS(id, local_name, local_header, sum_name, sum_header, local_summary, sum_summary, member,  \
		    key_needs, least_width)                                                                  \
	static void local_##id##_cell(const struct row_view *row, const struct cell_format *format,          \
				      struct strbuf *buffer)                                                 \
	{                                                                                                    \
		add_weight(buffer, format, row->result->member);                                             \
	}                                                                                                    \
	static void id##_cell(const struct row_view *row, const struct cell_format *format,                  \
			      struct strbuf *buffer)                                                         \
	{                                                                                                    \
		add_weight(buffer, format, times_samples(row, row->result->member));                         \
	}                                                                                                    \
	static void id##_json(const struct row_view *row, const char *name, struct json *json)               \
	{                                                                                                    \
		json_unsigned(json, name, times_samples(row, row->result->member));                          \
	}                                                                                                    \
	NUMBER_JSON(local_##id, member)                                                                      \
	NUMBER_KEY(local_##id, local_name, local_header, local_summary, key_needs, member, compare_numbers,  \
		   least_width);                                                                             \
	NUMBER_KEY(id, sum_name, sum_header, sum_summary, key_needs, member, compare_numbers, least_width)

WEIGHT_KEYS(weight, "local_weight", "Local Weight", "weight", "Weight",
	    "weight (latency, in cycles) of one sample", "local_weight times the samples that have it",
	    weight, NEED_WEIGHT, 12);
WEIGHT_KEYS(latency, "local_ins_lat", "Local INSTR Latency", "ins_lat", "INSTR Latency",
	    "latency of the instruction, of one sample", "local_ins_lat times the samples that have it",
	    weight2, NEED_WEIGHT2, 13);
WEIGHT_KEYS(retire, "local_retire_lat", "Local Retire Latency", "retire_lat", "Retire Latency",
	    "cycles before the instruction retired, of one sample",
	    "local_retire_lat times the samples that have it", weight3, NEED_WEIGHT3, 13);
WEIGHT_KEYS(stage, "local_p_stage_cyc", "Local Retire Latency", "p_stage_cyc", "Retire Latency",
	    "the same as local_retire_lat", "the same as retire_lat", weight3, NEED_WEIGHT3, 13);

/* ---- fields of tracepoints ---- */

static const struct result_trace *trace_of(const struct row_view *row, unsigned int index)
{
	return &row->result->traces[index];
}

/* By the first bytes of the value, as in perf; then by the text. */
static int trace_order(const struct result_trace *a, const struct result_trace *b)
{
	int order = compare_numbers(a->first, b->first);

	return order ? order : -alphabetical(a->value, b->value);
}

static unsigned int trace_width(const struct result_trace *trace)
{
	unsigned int width = text_width(trace->text);

	return trace->text && trace->width > width ? trace->width : width;
}

static void trace_cell(const struct result_trace *trace, const struct cell_format *format,
		       struct strbuf *buffer)
{
	unsigned int width = text_width(trace->text);

	if (format->width > width)
		strbuf_add_repeated(buffer, ' ', format->width - width);
	add_padded(buffer, width < format->width ? width : format->width, trace->text);
}

/* Callbacks do not know which key they are of, so that each index has its own. */
#define INDEX(number)                                                                                        \
	static void identity_##number(const struct result *result, uint64_t words[KEY_WORDS])                \
	{                                                                                                    \
		words[0] = pointer_word(result->traces[number].value);                                       \
	}                                                                                                    \
	static int order_##number(const struct row_view *a, const struct row_view *b)                        \
	{                                                                                                    \
		return trace_order(trace_of(a, number), trace_of(b, number));                                \
	}                                                                                                    \
	static unsigned int width_##number(const struct row_view *row, const struct cell_format *format)     \
	{                                                                                                    \
		(void)format;                                                                                \
		return trace_width(trace_of(row, number));                                                   \
	}                                                                                                    \
	static void cell_##number(const struct row_view *row, const struct cell_format *format,              \
				  struct strbuf *buffer)                                                     \
	{                                                                                                    \
		trace_cell(trace_of(row, number), format, buffer);                                           \
	}

#define CALLBACKS(number)                                                                                    \
	{ .identity = identity_##number,                                                                     \
	  .order = order_##number,                                                                           \
	  .width = width_##number,                                                                           \
	  .cell = cell_##number },

/* clang-format off */
#define ALL_INDICES(DO) \
	DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) \
	DO(11) DO(12) DO(13) DO(14) DO(15) DO(16) DO(17) DO(18) DO(19) DO(20) \
	DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31) \
	DO(32) DO(33) DO(34) DO(35) DO(36) DO(37) DO(38) DO(39) DO(40) DO(41) \
	DO(42) DO(43) DO(44) DO(45) DO(46) DO(47) DO(48) DO(49) DO(50) DO(51) DO(52) \
	DO(53) DO(54) DO(55) DO(56) DO(57) DO(58) DO(59) DO(60) DO(61) DO(62) DO(63)
/* clang-format on */

ALL_INDICES(INDEX)

static const struct key callbacks[] = { ALL_INDICES(CALLBACKS) };

_Static_assert(sizeof(callbacks) / sizeof(*callbacks) == TRACE_KEYS, "one for each index");

struct key trace_key(unsigned int index, const char *name, const char *header)
{
	struct key key = callbacks[index];

	key.name = name;
	key.header = header;
	key.needs = NEED_TRACE;
	key.right_heading = true;
	return key;
}

/* The whole text of a record. */
static const char *whole_text(const struct result *result)
{
	return result->trace_text ? result->trace_text : "N/A";
}

static void text_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->trace_text);
}

static int text_order(const struct row_view *a, const struct row_view *b)
{
	return alphabetical(whole_text(a->result), whole_text(b->result));
}

static unsigned int whole_width(const struct row_view *row, const struct cell_format *format)
{
	(void)format;
	return text_width(whole_text(row->result));
}

static void text_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	add_padded(buffer, format->width, whole_text(row->result));
}

static void text_json(const struct row_view *row, const char *name, struct json *json)
{
	json_string(json, name, row->result->trace_text);
}

const struct key key_trace_text = {
	.name = "trace",
	.header = "Trace output",
	.summary = "text of a tracepoint's record, as the kernel prints it (--raw-trace: its fields)",
	.needs = NEED_TRACE_TEXT,
	.identity = text_identity,
	.order = text_order,
	.width = whole_width,
	.cell = text_cell,
	.json = text_json,
};
