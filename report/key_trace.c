// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/key_trace.h"

#include "report/keys.h"

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
