// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of what else a sample carries: its time, address, page size, transaction, cgroup. */
#include "report/keys.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

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
