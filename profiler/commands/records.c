// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements records.h: statistics, tasks, the words of single records, and the dump of all of
 * them. Words and layout are those of perf 7.2.
 */
#include "profiler/commands/records.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/arch/arch.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "profiler/commands/branches.h"
#include "profiler/ingest/format.h"
#include "profiler/ingest/sample.h"
#include "report/text.h"

/* ---- the words of a record ---- */

static void add_ids(struct cursor *cursor, struct strbuf *text)
{
	int32_t pid = (int32_t)cursor_u32(cursor), tid = (int32_t)cursor_u32(cursor);

	strbuf_add_format(text, " %d/%d", pid, tid);
}

/* Adds "START(LENGTH) @ OFFSET". */
static void add_range(struct cursor *cursor, struct strbuf *text)
{
	uint64_t start = cursor_u64(cursor), length = cursor_u64(cursor);
	uint64_t offset = cursor_u64(cursor);

	strbuf_add_format(text, "%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64, start, length, offset);
}

/* Adds the text at the cursor, which may lack its NUL in a broken record. */
static void add_string(struct cursor *cursor, struct strbuf *text)
{
	const char *string = cursor_string(cursor);
	size_t start = text->length;

	strbuf_add_string(text, string ? string : "");
	make_printable(text->data + start, text->length - start);
}

static void add_map(const struct record_view *record, struct cursor *cursor, struct strbuf *text)
{
	add_ids(cursor, text);
	strbuf_add_string(text, ": [");
	add_range(cursor, text);
	strbuf_add_format(text, "]: %c ", record->misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x');
	add_string(cursor, text);
}

static void add_build_id(struct cursor *cursor, struct strbuf *text)
{
	uint8_t size = cursor_u8(cursor), bytes[20] = { 0 };
	const uint8_t *found;

	cursor_skip(cursor, 3);
	found = cursor_bytes(cursor, sizeof(bytes));
	if (found)
		memcpy(bytes, found, sizeof(bytes));
	strbuf_add_string(text, " <");
	for (size_t i = 0; i < size && i < sizeof(bytes); i++)
		strbuf_add_format(text, "%02x", bytes[i]);
	strbuf_add_char(text, '>');
}

static void add_map2(const struct record_view *record, struct cursor *cursor, struct strbuf *text)
{
	uint32_t protection, flags;

	add_ids(cursor, text);
	strbuf_add_string(text, ": [");
	add_range(cursor, text);
	if (record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		add_build_id(cursor, text);
	} else {
		uint32_t major = cursor_u32(cursor), minor = cursor_u32(cursor);
		uint64_t inode = cursor_u64(cursor), generation = cursor_u64(cursor);

		strbuf_add_format(text, " %02x:%02x %" PRIu64 " %" PRIu64, major, minor, inode,
				  generation);
	}
	protection = cursor_u32(cursor);
	flags = cursor_u32(cursor);
	strbuf_add_format(text, "]: %c%c%c%c ", protection & PROT_READ ? 'r' : '-',
			  protection & PROT_WRITE ? 'w' : '-', protection & PROT_EXEC ? 'x' : '-',
			  flags & MAP_SHARED ? 's' : 'p');
	add_string(cursor, text);
}

static void add_comm(const struct record_view *record, struct cursor *cursor, struct strbuf *text)
{
	int32_t pid = (int32_t)cursor_u32(cursor), tid = (int32_t)cursor_u32(cursor);

	strbuf_add_string(text, record->misc & PERF_RECORD_MISC_COMM_EXEC ? " exec: " : ": ");
	add_string(cursor, text);
	strbuf_add_format(text, ":%d/%d", pid, tid);
}

/* Adds the thread of a fork or an exit, and its parent. */
static void add_task(const struct record_view *record, struct cursor *cursor, struct strbuf *text)
{
	int32_t pid = (int32_t)cursor_u32(cursor), parent_pid = (int32_t)cursor_u32(cursor);
	int32_t tid = (int32_t)cursor_u32(cursor), parent_tid = (int32_t)cursor_u32(cursor);

	(void)record;
	strbuf_add_format(text, "(%d:%d):(%d:%d)", pid, tid, parent_pid, parent_tid);
}

static void add_namespaces(const struct record_view *record, struct cursor *cursor,
			   struct strbuf *text)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	uint64_t count;

	(void)record;
	add_ids(cursor, text);
	count = cursor_u64(cursor);
	strbuf_add_format(text, " - nr_namespaces: %" PRIu64 "\n\t\t[", count);
	for (uint64_t i = 0; i < count && cursor_left(cursor) >= 16; i++) {
		uint64_t device = cursor_u64(cursor), inode = cursor_u64(cursor);

		strbuf_add_trusted(text, i && i % 4 == 0 ? "\n\t\t " : "");
		strbuf_add_format(text, "%" PRIu64 "/%s: %" PRIu64 "/%#" PRIx64 "%s", i,
				  i < COUNT_OF(names) ? names[i] : "unknown", device, inode,
				  i + 1 == count ? "]" : ", ");
	}
}

static void add_switch(const struct record_view *record, struct cursor *cursor, struct strbuf *text)
{
	bool out = record->misc & PERF_RECORD_MISC_SWITCH_OUT;

	strbuf_add_format(text, " %s",
			  !out                                                 ? "IN         "
			  : record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? "OUT preempt"
									       : "OUT        ");
	if (record->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		int32_t pid = (int32_t)cursor_u32(cursor), tid = (int32_t)cursor_u32(cursor);

		strbuf_add_format(text, "  %s pid/tid: %5d/%-5d", out ? "next" : "prev", pid, tid);
	}
}

static void add_lost(const struct record_view *record, struct cursor *cursor, struct strbuf *text)
{
	(void)record;
	cursor_skip(cursor, 8);
	strbuf_add_format(text, " lost %" PRIu64, cursor_u64(cursor));
}

static void add_ksymbol(const struct record_view *record, struct cursor *cursor,
			struct strbuf *text)
{
	uint64_t address = cursor_u64(cursor);
	uint32_t length = cursor_u32(cursor);
	uint16_t type = cursor_u16(cursor), flags = cursor_u16(cursor);

	(void)record;
	strbuf_add_format(text, " addr %" PRIx64 " len %u type %u flags 0x%x name ", address,
			  length, type, flags);
	add_string(cursor, text);
}

static void add_bpf(const struct record_view *record, struct cursor *cursor, struct strbuf *text)
{
	uint16_t type = cursor_u16(cursor), flags = cursor_u16(cursor);

	(void)record;
	strbuf_add_format(text, " type %u, flags %u, id %u", type, flags, cursor_u32(cursor));
}

static void add_cgroup(const struct record_view *record, struct cursor *cursor, struct strbuf *text)
{
	(void)record;
	strbuf_add_format(text, " cgroup: %" PRIu64 " ", cursor_u64(cursor));
	add_string(cursor, text);
}

static void add_aux(const struct record_view *record, struct cursor *cursor, struct strbuf *text)
{
	uint64_t offset = cursor_u64(cursor), size = cursor_u64(cursor), flags = cursor_u64(cursor);

	(void)record;
	strbuf_add_format(text,
			  " offset: %#" PRIx64 " size: %#" PRIx64 " flags: %#" PRIx64 " [%s%s%s%s]",
			  offset, size, flags, flags & PERF_AUX_FLAG_TRUNCATED ? "T" : "",
			  flags & PERF_AUX_FLAG_OVERWRITE ? "O" : "",
			  flags & PERF_AUX_FLAG_PARTIAL ? "P" : "",
			  flags & PERF_AUX_FLAG_COLLISION ? "C" : "");
}

static void add_trace_start(const struct record_view *record, struct cursor *cursor,
			    struct strbuf *text)
{
	uint32_t pid = cursor_u32(cursor), tid = cursor_u32(cursor);

	(void)record;
	strbuf_add_format(text, " pid: %u tid: %u", pid, tid);
}

static void add_poked_bytes(struct cursor *cursor, const char *which, uint16_t length,
			    struct strbuf *text)
{
	for (uint16_t i = 0; i < length && cursor_left(cursor); i++) {
		if (i % 16 == 0)
			strbuf_add_format(text, "\n            %s bytes:", which);
		strbuf_add_format(text, " %02x", cursor_u8(cursor));
	}
}

static void add_text_poke(const struct record_view *record, struct cursor *cursor,
			  struct strbuf *text)
{
	uint64_t address = cursor_u64(cursor);
	uint16_t before = cursor_u16(cursor), after = cursor_u16(cursor);

	(void)record;
	strbuf_add_format(text, " %" PRIx64 "  old len %u new len %u", address, before, after);
	add_poked_bytes(cursor, "Old", before, text);
	add_poked_bytes(cursor, "New", after, text);
}

void record_add_text(const struct record_view *record, struct strbuf *text)
{
	static void (*const writers[])(const struct record_view *record, struct cursor *cursor,
				       struct strbuf *text) = {
		[PERF_RECORD_MMAP] = add_map,
		[PERF_RECORD_MMAP2] = add_map2,
		[PERF_RECORD_COMM] = add_comm,
		[PERF_RECORD_FORK] = add_task,
		[PERF_RECORD_EXIT] = add_task,
		[PERF_RECORD_NAMESPACES] = add_namespaces,
		[PERF_RECORD_SWITCH] = add_switch,
		[PERF_RECORD_SWITCH_CPU_WIDE] = add_switch,
		[PERF_RECORD_LOST] = add_lost,
		[PERF_RECORD_KSYMBOL] = add_ksymbol,
		[PERF_RECORD_BPF_EVENT] = add_bpf,
		[PERF_RECORD_CGROUP] = add_cgroup,
		[PERF_RECORD_AUX] = add_aux,
		[PERF_RECORD_ITRACE_START] = add_trace_start,
		[PERF_RECORD_TEXT_POKE] = add_text_poke,
	};
	struct cursor cursor = cursor_of(record->data, record->size, record->swap);
	const char *name = session_record_name(record->type);

	strbuf_add_format(text, "PERF_RECORD_%s", name ? name : "UNKNOWN");
	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	if (record->type < COUNT_OF(writers) && writers[record->type])
		writers[record->type](record, &cursor, text);
	strbuf_add_char(text, '\n');
}

struct record_task record_task(const struct record_view *record)
{
	struct cursor cursor = cursor_of(record->data, record->size, record->swap);
	struct record_task task = { record->pid, record->tid };

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_NAMESPACES:
		task.pid = (int32_t)cursor_u32(&cursor);
		task.tid = (int32_t)cursor_u32(&cursor);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		task.pid = (int32_t)cursor_u32(&cursor);
		cursor_skip(&cursor, 4); /* of the parent */
		task.tid = (int32_t)cursor_u32(&cursor);
		break;
	default: break;
	}
	return task;
}

/* ---- report -D ---- */

struct dumper {
	struct session *session;
	const struct arch *arch;
	uint64_t sample_type; /* of all events */
	bool has_trailer;     /* records that are not samples have times (sample_id_all) */
	struct strbuf text;
	void (*write)(struct strbuf *text);
};

/* Adds the bytes in rows of 16, as hexadecimal numbers and as characters. */
static void add_bytes(const struct record_view *record, struct strbuf *text)
{
	strbuf_add_format(text, ".\n. ... raw event: size %zu bytes\n", record->size);
	for (size_t row = 0; row < record->size; row += 16) {
		size_t count = record->size - row < 16 ? record->size - row : 16;

		strbuf_add_format(text, ".  %04zx: ", row);
		for (size_t i = 0; i < count; i++)
			strbuf_add_format(text, " %02x", record->data[row + i]);
		strbuf_add_repeated(text, ' ', 3 * (16 - count) + 2);
		for (size_t i = 0; i < count; i++) {
			uint8_t c = record->data[row + i];

			strbuf_add_char(text, c < 0x80 && isprint(c) ? (char)c : '.');
		}
		strbuf_add_repeated(text, ' ', 16 - count);
		strbuf_add_char(text, '\n');
	}
	strbuf_add_char(text, '\n');
}

static const char *context_text(uint64_t ip)
{
	static const struct {
		int64_t ip;
		const char *text;
	} contexts[] = {
		{ PERF_CONTEXT_HV, " (PERF_CONTEXT_HV)" },
		{ PERF_CONTEXT_KERNEL, " (PERF_CONTEXT_KERNEL)" },
		{ PERF_CONTEXT_USER, " (PERF_CONTEXT_USER)" },
		{ PERF_CONTEXT_GUEST, " (PERF_CONTEXT_GUEST)" },
		{ PERF_CONTEXT_GUEST_KERNEL, " (PERF_CONTEXT_GUEST_KERNEL)" },
		{ PERF_CONTEXT_GUEST_USER, " (PERF_CONTEXT_GUEST_USER)" },
	};

	for (size_t i = 0; i < COUNT_OF(contexts); i++)
		if ((int64_t)ip == contexts[i].ip)
			return contexts[i].text;
	return "";
}

static void add_chain(const struct sample *sample, struct strbuf *text)
{
	strbuf_add_format(text, "... FP chain: nr:%" PRIu64 "\n", sample->callchain.count);
	for (uint64_t i = 0; i < sample->callchain.count; i++) {
		uint64_t ip = sample_word(&sample->callchain, i);

		strbuf_add_format(text, "..... %2" PRIu64 ": %016" PRIx64 "%s\n", i, ip,
				  context_text(ip));
	}
}

static void add_branches(const struct sample *sample, struct strbuf *text)
{
	strbuf_add_format(text, "... branch stack: nr:%" PRIu64 "\n", sample->branches.count);
	for (uint64_t i = 0; i < sample->branches.count; i++) {
		struct perf_branch_entry branch = sample_branch(sample, i);

		strbuf_add_format(text,
				  "..... %2" PRIu64 ": %016" PRIx64 " -> %016" PRIx64
				  " %u cycles %s%s%s%s %x %s %s\n",
				  i, (uint64_t)branch.from, (uint64_t)branch.to,
				  (unsigned int)branch.cycles, branch.mispred ? "M" : " ",
				  branch.predicted ? "P" : " ", branch.abort ? "A" : " ",
				  branch.in_tx ? "T" : " ", (unsigned int)branch.reserved,
				  branch_kind_name(branch.type, branch.new_type),
				  branch_speculation_name(branch.spec));
	}
}

static void add_registers(const struct dumper *dumper, const char *kind,
			  const struct sample_registers *registers, struct strbuf *text)
{
	static const char *const abis[] = { "none", "32-bit", "64-bit" };

	if (!registers->mask)
		return;
	strbuf_add_format(text, "... %s regs: mask 0x%" PRIx64 " ABI %s\n", kind, registers->mask,
			  registers->abi < COUNT_OF(abis) ? abis[registers->abi] : "unknown");
	for (unsigned int number = 0; number < 64; number++) {
		const char *name = "unknown";
		uint64_t value;

		if (!sample_register(registers, number, &value))
			continue;
		for (size_t i = 0; dumper->arch && i < dumper->arch->sampled_register_count; i++)
			if (dumper->arch->sampled_registers[i].number == number)
				name = dumper->arch->sampled_registers[i].name;
		strbuf_add_format(text, ".... %-5s 0x%016" PRIx64 "\n", name, value);
	}
}

static void add_read(const struct sample *sample, struct strbuf *text)
{
	uint64_t format = sample->event->attr.read_format;
	unsigned int stride = sample->read.stride;
	uint64_t count = stride ? sample->read.values.count / stride : 0;

	strbuf_add_string(text, "... sample_read:\n");
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		strbuf_add_format(text, "...... time enabled %016" PRIx64 "\n",
				  sample->read.time_enabled);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		strbuf_add_format(text, "...... time running %016" PRIx64 "\n",
				  sample->read.time_running);
	if (format & PERF_FORMAT_GROUP)
		strbuf_add_format(text, ".... group nr %" PRIu64 "\n", count);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t id = sample->read.id_at ? sample_word(&sample->read.values,
							       i * stride + sample->read.id_at)
						 : 0;

		strbuf_add_format(text, "..... id %016" PRIx64 ", value %016" PRIx64, id,
				  sample_word(&sample->read.values, i * stride));
		if (format & PERF_FORMAT_LOST)
			strbuf_add_format(
				text, ", lost %" PRIu64,
				sample_word(&sample->read.values, i * stride + stride - 1));
		strbuf_add_char(text, '\n');
	}
}

/* Adds the fields of a sample that have a size of their own. */
static void add_parts(const struct dumper *dumper, const struct record_view *record,
		      struct strbuf *text)
{
	const struct sample *sample = record->sample;

	if (sample->type & PERF_SAMPLE_CALLCHAIN)
		add_chain(sample, text);
	if (sample->type & PERF_SAMPLE_BRANCH_STACK)
		add_branches(sample, text);
	if (sample->type & PERF_SAMPLE_REGS_USER)
		add_registers(dumper, "user", &sample->user_registers, text);
	if (sample->type & PERF_SAMPLE_REGS_INTR)
		add_registers(dumper, "intr", &sample->interrupt_registers, text);
	if (sample->type & PERF_SAMPLE_STACK_USER)
		strbuf_add_format(text, "... ustack: size %" PRIu64 ", offset 0x%zx\n",
				  sample->user_stack.dynamic_size,
				  sample->user_stack.bytes.data
					  ? (size_t)(sample->user_stack.bytes.data - record->data) -
						    8
					  : 0);
}

static void add_words(const struct sample *sample, struct strbuf *text)
{
	char page[PAGE_SIZE_TEXT];

	if (sample->type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)) {
		strbuf_add_format(text, "... weight: %" PRIu64, sample->weight);
		if (sample->type & PERF_SAMPLE_WEIGHT_STRUCT)
			strbuf_add_format(text, ",0x%" PRIx64 ",0x%" PRIx64, sample->weight2,
					  sample->weight3);
		strbuf_add_char(text, '\n');
	}
	if (sample->type & PERF_SAMPLE_DATA_SRC)
		strbuf_add_format(text, " . data_src: 0x%" PRIx64 "\n", sample->data_source);
	if (sample->type & PERF_SAMPLE_PHYS_ADDR)
		strbuf_add_format(text, " .. phys_addr: 0x%" PRIx64 "\n", sample->physical_address);
	if (sample->type & PERF_SAMPLE_DATA_PAGE_SIZE)
		strbuf_add_format(text, " .. data page size: %s\n",
				  page_size_text(sample->data_page_size, page));
	if (sample->type & PERF_SAMPLE_CODE_PAGE_SIZE)
		strbuf_add_format(text, " .. code page size: %s\n",
				  page_size_text(sample->code_page_size, page));
	if (sample->type & PERF_SAMPLE_TRANSACTION)
		strbuf_add_format(text, "... transaction: %" PRIx64 "\n", sample->transaction);
	if (sample->type & PERF_SAMPLE_READ)
		add_read(sample, text);
}

/* Adds where a sample was taken: the thread's name, and the object. */
static void add_where(const struct dumper *dumper, const struct record_view *record,
		      struct strbuf *text)
{
	const struct sample *sample = record->sample;
	char level = session_sample_level(sample);
	struct place place;
	size_t start;

	session_locate(dumper->session, sample, level, sample->ip, &place);
	start = text->length;
	strbuf_add_format(text, " ... thread: %s:%d",
			  session_view_comm(dumper->session, record, sample->pid, sample->tid),
			  sample->tid);
	strbuf_end_line(text, start);
	start = text->length;
	strbuf_add_format(text, " ...... dso: %s",
			  place.dso      ? place.dso->long_name
			  : level == 'H' ? "[hypervisor]"
					 : "<not found>");
	strbuf_end_line(text, start);
}

static void add_sample(const struct dumper *dumper, const struct record_view *record,
		       struct strbuf *text)
{
	const struct sample *sample = record->sample;

	strbuf_add_string(text, "PERF_RECORD_SAMPLE");
	if (!sample) {
		strbuf_add_string(text, ": shorter than its fields, or of no event of the file\n");
		return;
	}
	strbuf_add_format(
		text, "(IP, 0x%x): %d/%d: %#" PRIx64 " period: %" PRIu64 " addr: %#" PRIx64 "\n",
		record->misc, sample->pid, sample->tid, sample->ip, sample->period,
		sample->address);
	add_parts(dumper, record, text);
	add_words(sample, text);
	add_where(dumper, record, text);
}

/* Adds the text of a record that is not a sample. As in perf, the text of lost records differs from
 * that of script. */
static void add_other(const struct record_view *record, struct strbuf *text)
{
	struct cursor cursor = cursor_of(record->data, record->size, record->swap);
	uint64_t first;

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	first = cursor_u64(&cursor);
	switch (record->type) {
	case PERF_RECORD_LOST:
		strbuf_add_format(text, "PERF_RECORD_LOST: id:%" PRIu64 ": lost:%" PRIu64 "\n",
				  first, cursor_u64(&cursor));
		break;
	case PERF_RECORD_LOST_SAMPLES:
		strbuf_add_format(text,
				  "PERF_RECORD_LOST_SAMPLES: id:%" PRIu64 ": lost samples :%" PRIu64
				  "\n",
				  record->id, first);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
	case PERF_RECORD_FINISHED_INIT:
		strbuf_add_format(text, "PERF_RECORD_%s: unhandled!\n",
				  session_record_name(record->type));
		break;
	default: record_add_text(record, text); break;
	}
}

static void dump_record(const struct record_view *record, void *data)
{
	struct dumper *dumper = data;
	struct strbuf *text = &dumper->text;

	strbuf_add_format(text, "\n%#" PRIx64 "@%s [%#zx]: event: %" PRIu32 "\n", record->offset,
			  record->file, record->size, record->type);
	add_bytes(record, text);
	if (record->type != PERF_RECORD_SAMPLE && !dumper->has_trailer) {
		strbuf_add_string(text, "-1 -1 ");
	} else {
		if (dumper->sample_type & PERF_SAMPLE_CPU)
			strbuf_add_format(text, "%u ", (unsigned int)record->cpu);
		if (dumper->sample_type & PERF_SAMPLE_TIME)
			strbuf_add_format(text, "%" PRIu64 " ", record->time);
	}
	strbuf_add_format(text, "%#" PRIx64 " [%#zx]: ", record->offset, record->size);
	if (record->type == PERF_RECORD_SAMPLE)
		add_sample(dumper, record, text);
	else
		add_other(record, text);
	dumper->write(text);
}

void dump_records(struct session *session, void (*write)(struct strbuf *text))
{
	struct dumper dumper = { .session = session,
				 .arch = session_arch(session),
				 .text = STRBUF_TEXT,
				 .write = write };
	size_t count;
	const struct event *events = session_events(session, &count);

	for (size_t i = 0; i < count; i++)
		dumper.sample_type |= events[i].attr.sample_type;
	dumper.has_trailer = count && events[0].attr.sample_id_all;
	session_each_view(session, dump_record, &dumper);
	strbuf_deinit(&dumper.text);
}
