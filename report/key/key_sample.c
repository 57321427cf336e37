// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of what a sample carries besides addresses: its task, processor, time, weights, control
 * group, transaction and the fields of its tracepoint. */
#include <linux/perf_event.h>

#include "base/memory.h"
#include "report/key/keys.h"

/* ---- tasks and processors ---- */

enum { TASK_THREAD, TASK_PROCESS }; /* key->index of the keys of tasks */

const struct key key_comm = {
	KEY("comm", "Command", "name of the task"),
	.needs = NEED_COMM,
	RESULT_TEXT(comm),
	.cell = text_cell,
};

/* Returns the name of the task that the key shows: the last one of the thread, which is one row
 * whatever names it had; or that of the process. perf's pid and tid are the id of the thread; tgid
 * is that of the process. */
static const char *task_name(const struct key *key, const struct result *result)
{
	const char *name = key->index == TASK_PROCESS ? result->process : result->thread;

	return name ?: result->comm;
}

static KEY_WIDTH(task_width)
{
	return text_width(task_name(key, row->result)) + 8;
}

static KEY_CELL(task_cell)
{
	strbuf_add_format(buffer, "%7d:", (int32_t)number_of(key, row->result));
	add_padded(buffer, format->width > 8 ? format->width - 8 : 0, task_name(key, row->result));
}

static KEY_JSON(task_json)
{
	json_object(json, key->name);
	json_signed(json, key->index == TASK_PROCESS ? "pid" : "tid",
		    (int32_t)number_of(key, row->result));
	json_string(json, "comm", task_name(key, row->result));
	json_end(json);
}

#define TASK_KEY(member, which)                                                                    \
	.value = MEMBER_OF_RESULT(member), .compare = smaller_signed_first, .index = which,        \
	.identity = number_identity, .order = number_order, .width = task_width,                   \
	.cell = task_cell, .json = task_json

const struct key key_pid = {
	KEY("pid", "    Pid:Command", "thread and its last name, as perf has it"),
	.needs = NEED_TID | NEED_COMM,
	TASK_KEY(tid, TASK_THREAD),
};

const struct key key_tid = {
	KEY("tid", "    Tid:Command", "the same as pid"),
	.needs = NEED_TID | NEED_COMM,
	TASK_KEY(tid, TASK_THREAD),
};

const struct key key_tgid = {
	KEY("tgid", "   Tgid:Command", "process, and the name of its first thread"),
	.needs = NEED_PID | NEED_COMM,
	TASK_KEY(pid, TASK_PROCESS),
};

static KEY_CELL(cpu_cell)
{
	strbuf_add_format(buffer, "%*.*d", (int)format->width, (int)format->width,
			  row->result->cpu);
}

const struct key key_cpu = {
	KEY("cpu", "CPU", "processor that took the sample"),
	.needs = NEED_CPU,
	RESULT_NUMBER(cpu, smaller_signed_first, 0),
	.cell = cpu_cell,
	.json = signed_json,
};

/* ---- time, transaction, control group ---- */

static KEY_WIDTH(time_width)
{
	return format->nanoseconds ? 16 : 12;
}

static KEY_CELL(time_cell)
{
	strbuf_add_seconds(buffer, 0, row->result->time, format->nanoseconds);
}

const struct key key_time = {
	KEY("time", "Time", "time of the sample, in steps of 100 ms"),
	.needs = NEED_TIME,
	.value = MEMBER_OF_RESULT(time),
	.compare = smaller_first,
	.identity = number_identity,
	.order = number_order,
	.width = time_width,
	.cell = time_cell,
	.json = number_json,
};

static KEY_CELL(transaction_cell)
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

	for (size_t i = 0; i < COUNT_OF(bits); i++)
		if (transaction & bits[i].bit)
			strbuf_add_string(buffer, bits[i].name);
	if (transaction && !(transaction & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		strbuf_add_string(buffer, "NEITHER ");
	if (transaction & PERF_TXN_ABORT_MASK)
		strbuf_add_format(buffer, ":%" PRIx64,
				  (uint64_t)(transaction & PERF_TXN_ABORT_MASK) >>
					  PERF_TXN_ABORT_SHIFT);
	strbuf_pad(buffer, start, format->width);
}

const struct key key_transaction = {
	KEY("transaction", "Transaction                ",
	    "transactional state, and why it was aborted"),
	.needs = NEED_TRANSACTION,
	RESULT_NUMBER(transaction, compare_numbers, 27),
	.cell = transaction_cell,
	.json = number_json,
};

static const char *cgroup_text(const struct result *result)
{
	if (!result->cgroup)
		return "N/A";
	return result->cgroup_name ?: "unknown";
}

static KEY_CELL(cgroup_cell)
{
	strbuf_add_string(buffer, cgroup_text(row->result));
}

static KEY_JSON(cgroup_json)
{
	json_string(json, key->name, row->result->cgroup ? row->result->cgroup_name : NULL);
}

const struct key key_cgroup = {
	KEY("cgroup", "Cgroup", "control group of the task"),
	.needs = NEED_CGROUP,
	.value = MEMBER_OF_RESULT(cgroup),
	.compare = smaller_first,
	.identity = number_identity,
	.order = number_order,
	.text = cgroup_text,
	.width = text_cell_width,
	.cell = cgroup_cell,
	.json = cgroup_json,
};

/* ---- weights ---- */

/* Returns one weight times its samples. Rows are sorted by one weight, as in perf. */
static uint64_t weight_sum(const struct key *key, const struct row_view *row)
{
	uint64_t samples =
		sum_over(uint64_t, event, 0, row->event_count, row->figures[event].samples);

	return number_of(key, row->result) * samples;
}

static KEY_CELL(weight_sum_cell)
{
	size_t start = buffer->length;

	strbuf_add_number(buffer, weight_sum(key, row));
	strbuf_pad(buffer, start, format->width);
}

static KEY_JSON(weight_sum_json)
{
	json_unsigned(json, key->name, weight_sum(key, row));
}

const struct key key_weight = {
	KEY("weight", "Weight", "local_weight times the samples that have it"),
	.needs = NEED_WEIGHT,
	RESULT_NUMBER(weight, compare_numbers, 12),
	.cell = weight_sum_cell,
	.json = weight_sum_json,
};
const struct key key_latency = {
	KEY("ins_lat", "INSTR Latency", "local_ins_lat times the samples that have it"),
	.needs = NEED_WEIGHT2,
	RESULT_NUMBER(weight2, compare_numbers, 13),
	.cell = weight_sum_cell,
	.json = weight_sum_json,
};
const struct key key_retire = {
	KEY("retire_lat", "Retire Latency", "local_retire_lat times the samples that have it"),
	.needs = NEED_WEIGHT3,
	RESULT_NUMBER(weight3, compare_numbers, 13),
	.cell = weight_sum_cell,
	.json = weight_sum_json,
};
const struct key key_stage = {
	KEY("p_stage_cyc", "Retire Latency", "the same as retire_lat"),
	.needs = NEED_WEIGHT3,
	RESULT_NUMBER(weight3, compare_numbers, 13),
	.cell = weight_sum_cell,
	.json = weight_sum_json,
};

/* ---- fields of tracepoints ---- */

const struct key key_trace_text = {
	KEY("trace", "Trace output", "the fields of a tracepoint's record"),
	.needs = NEED_TRACE_TEXT,
	RESULT_TEXT(trace_text),
	.cell = text_cell,
	.none = "N/A",
	.json = text_json,
};
