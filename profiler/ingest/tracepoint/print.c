// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements print.h: evaluates the expressions of a print format over a record, and makes its
 * text. A record that lacks what the format asks for sets `failed`, and then has no text.
 */
#include "profiler/ingest/tracepoint/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A number by C's rules, of 32 or 64 bits. */
struct trace_number {
	uint64_t value; /* extended to 64 bits by its sign */
	bool is_long;   /* of 64 bits */
	bool is_signed;
};

/* A record that is being printed. */
struct trace_record {
	const struct trace_program *program;
	const uint8_t *raw;
	size_t size;
	bool swap;
	bool failed; /* it does not have what the format asks for */
};

struct trace_bytes {
	const uint8_t *data;
	size_t size;
};

static struct trace_number trace_evaluate(struct trace_record *record,
					  const struct trace_node *node);
static bool trace_evaluate_bytes(struct trace_record *record, const struct trace_node *node,
				 struct trace_bytes *bytes);

/* ---- values ---- */

/* Returns a number of 32 or 64 bits, extended from that width by its sign. */
static struct trace_number number_of_width(uint64_t value, bool is_long, bool is_signed)
{
	if (!is_long)
		value = is_signed ? (uint64_t)(int32_t)value : (uint32_t)value;
	return (struct trace_number){ value, is_long, is_signed };
}

/* Returns a number of `size` bytes. Types smaller than int become int (C11 6.3.1.1). */
static struct trace_number number_of_size(uint64_t value, unsigned int size, bool is_signed)
{
	switch (size) {
	case 1:
		return number_of_width(is_signed ? (uint64_t)(int8_t)value : (uint8_t)value, false,
				       true);
	case 2:
		return number_of_width(is_signed ? (uint64_t)(int16_t)value : (uint16_t)value,
				       false, true);
	case 4: return number_of_width(value, false, is_signed);
	default: return number_of_width(value, true, is_signed);
	}
}

static struct trace_number number_of_bool(bool is_true)
{
	return (struct trace_number){ is_true, false, true };
}

static struct trace_number fail_number(struct trace_record *record)
{
	record->failed = true;
	return number_of_bool(false);
}

static struct trace_number evaluate_field(struct trace_record *record,
					  const struct tracepoint_field *field)
{
	const uint8_t *bytes;
	size_t length;

	/* The word of a dynamic field is not its value: it says where the field is. */
	if (field->is_dynamic || !tracepoint_is_number_size(field->size) ||
	    !tracepoint_field_bytes(field, record->raw, record->size, record->swap, &bytes,
				    &length))
		return fail_number(record);
	return number_of_size(
		tracepoint_number(bytes, (uint32_t)length, record->swap, field->is_signed),
		(unsigned int)length, field->is_signed);
}

static struct trace_number evaluate_index(struct trace_record *record,
					  const struct trace_node *node)
{
	struct trace_number index = trace_evaluate(record, node->b);
	unsigned int size = node->type.size;
	struct trace_bytes bytes;

	if (!trace_evaluate_bytes(record, node->a, &bytes) || !tracepoint_is_number_size(size) ||
	    index.value >= bytes.size / size)
		return fail_number(record);
	return number_of_size(tracepoint_number(bytes.data + index.value * size, size, record->swap,
						node->type.is_signed),
			      size, node->type.is_signed);
}

static struct trace_number evaluate_unary(struct trace_record *record,
					  const struct trace_node *node)
{
	struct trace_number a = trace_evaluate(record, node->a);

	switch (node->operation) {
	case '!': return number_of_bool(!a.value);
	case '~': return number_of_width(~a.value, a.is_long, a.is_signed);
	case '-': return number_of_width(0 - a.value, a.is_long, a.is_signed);
	default: return a;
	}
}

/* Converts both operands to their common type (C11 6.3.1.8), and returns a result of that type. */
static struct trace_number convert_operands(struct trace_number *a, struct trace_number *b)
{
	struct trace_number result = { .is_long = a->is_long || b->is_long };

	result.is_signed = a->is_long == b->is_long ? a->is_signed && b->is_signed
			   : a->is_long             ? a->is_signed
						    : b->is_signed;
	*a = number_of_width(a->value, result.is_long, result.is_signed);
	*b = number_of_width(b->value, result.is_long, result.is_signed);
	return result;
}

static int compare_operands(struct trace_number a, struct trace_number b)
{
	if (a.is_signed)
		return (int64_t)a.value < (int64_t)b.value ? -1
							   : (int64_t)a.value > (int64_t)b.value;
	return a.value < b.value ? -1 : a.value > b.value;
}

static struct trace_number evaluate_shift(struct trace_number a, struct trace_number b, bool left)
{
	unsigned int width = a.is_long ? 64 : 32;
	uint64_t by = b.value;

	if (by >= width)
		return number_of_width(!left && a.is_signed && (int64_t)a.value < 0 ? UINT64_MAX
										    : 0,
				       a.is_long, a.is_signed);
	if (left)
		return number_of_width(a.value << by, a.is_long, a.is_signed);
	return number_of_width(a.is_signed ? (uint64_t)((int64_t)a.value >> by) : a.value >> by,
			       a.is_long, a.is_signed);
}

/* Returns a quotient, or with `rest` the remainder. A division by zero fails the record. */
static uint64_t evaluate_division(struct trace_record *record, struct trace_number a,
				  struct trace_number b, bool rest)
{
	if (!b.value) {
		record->failed = true;
		return 0;
	}
	if (!a.is_signed)
		return rest ? a.value % b.value : a.value / b.value;
	if (b.value == UINT64_MAX) /* -1: the least number has no opposite */
		return rest ? 0 : 0 - a.value;
	return (uint64_t)(rest ? (int64_t)a.value % (int64_t)b.value
			       : (int64_t)a.value / (int64_t)b.value);
}

static struct trace_number evaluate_binary(struct trace_record *record,
					   const struct trace_node *node)
{
	struct trace_number a = trace_evaluate(record, node->a);

	if (node->operation == TRACE_OPERATOR('&', '&'))
		return number_of_bool(a.value && trace_evaluate(record, node->b).value);
	if (node->operation == TRACE_OPERATOR('|', '|'))
		return number_of_bool(a.value || trace_evaluate(record, node->b).value);

	struct trace_number b = trace_evaluate(record, node->b);

	if (node->operation == TRACE_OPERATOR('<', '<') ||
	    node->operation == TRACE_OPERATOR('>', '>'))
		return evaluate_shift(a, b, node->operation == TRACE_OPERATOR('<', '<'));

	struct trace_number result = convert_operands(&a, &b);

	switch (node->operation) {
	case TRACE_OPERATOR('=', '='): return number_of_bool(a.value == b.value);
	case TRACE_OPERATOR('!', '='): return number_of_bool(a.value != b.value);
	case TRACE_OPERATOR('<', '='): return number_of_bool(compare_operands(a, b) <= 0);
	case TRACE_OPERATOR('>', '='): return number_of_bool(compare_operands(a, b) >= 0);
	case '<': return number_of_bool(compare_operands(a, b) < 0);
	case '>': return number_of_bool(compare_operands(a, b) > 0);
	case '+': result.value = a.value + b.value; break;
	case '-': result.value = a.value - b.value; break;
	case '*': result.value = a.value * b.value; break;
	case '/': result.value = evaluate_division(record, a, b, false); break;
	case '%': result.value = evaluate_division(record, a, b, true); break;
	case '&': result.value = a.value & b.value; break;
	case '|': result.value = a.value | b.value; break;
	default: result.value = a.value ^ b.value; break;
	}
	return number_of_width(result.value, result.is_long, result.is_signed);
}

static struct trace_number evaluate_length(struct trace_record *record,
					   const struct tracepoint_field *field)
{
	const uint8_t *bytes;
	size_t length;

	if (!tracepoint_field_bytes(field, record->raw, record->size, record->swap, &bytes,
				    &length))
		return fail_number(record);
	return number_of_width(length, false, true);
}

static struct trace_number trace_evaluate(struct trace_record *record,
					  const struct trace_node *node)
{
	struct trace_number value;

	switch (node->kind) {
	case TRACE_NUMBER:
		return number_of_width(node->number, node->type.size == 8, node->type.is_signed);
	case TRACE_FIELD: return evaluate_field(record, node->field);
	case TRACE_UNARY: return evaluate_unary(record, node);
	case TRACE_BINARY: return evaluate_binary(record, node);
	case TRACE_CONDITION:
		return trace_evaluate(record,
				      trace_evaluate(record, node->a).value ? node->b : node->c);
	case TRACE_CAST:
		value = trace_evaluate(record, node->a);
		return node->type.size
			       ? number_of_size(value.value, node->type.size, node->type.is_signed)
			       : value;
	case TRACE_INDEX: return evaluate_index(record, node);
	case TRACE_DYNAMIC_LENGTH: return evaluate_length(record, node->field);
	default: return fail_number(record); /* a text, or an address in the kernel's memory */
	}
}

bool trace_evaluate_constant(const struct trace_node *node, uint64_t *value)
{
	struct trace_record nothing = { 0 };

	*value = trace_evaluate(&nothing, node).value;
	return !nothing.failed;
}

/* ---- bytes ---- */

/*
 * Sets *bytes to the contents of an array or a dynamic field. Returns false, and fails the record,
 * if the node is something else or the record is too short.
 */
static bool trace_evaluate_bytes(struct trace_record *record, const struct trace_node *node,
				 struct trace_bytes *bytes)
{
	while (node->kind == TRACE_CAST && node->type.is_pointer)
		node = node->a;
	if ((node->kind == TRACE_FIELD && node->field->is_array) || node->kind == TRACE_DYNAMIC ||
	    node->kind == TRACE_DYNAMIC_STRING || node->kind == TRACE_BITMASK)
		if (tracepoint_field_bytes(node->field, record->raw, record->size, record->swap,
					   &bytes->data, &bytes->size))
			return true;
	record->failed = true;
	return false;
}

/* ---- texts of arguments ---- */

struct trace_printer {
	struct trace_record record;
	const struct trace_symbols *symbols;
	struct strbuf *text;
};

/* Adds the names of flags. As in the kernel, bits without a name are added as a number. */
static void add_flags(struct trace_printer *printer, const struct trace_node *node,
		      struct strbuf *text)
{
	struct trace_number flags = trace_evaluate(&printer->record, node->a);
	uint64_t left = flags.is_long ? flags.value : (uint32_t)flags.value;
	bool any = false;

	for (const struct trace_entry *entry = node->entries; entry && left; entry = entry->next) {
		if (!entry->value || (left & entry->value) != entry->value)
			continue;
		strbuf_add_format(text, "%s%s", any ? node->text : "", entry->name);
		left &= ~entry->value;
		any = true;
	}
	if (left)
		strbuf_add_format(text, "%s0x%" PRIx64, any ? node->text : "", left);
}

static void add_symbolic(struct trace_printer *printer, const struct trace_node *node,
			 struct strbuf *text)
{
	struct trace_number number = trace_evaluate(&printer->record, node->a);
	uint64_t mask = number.is_long ? UINT64_MAX : UINT32_MAX;

	for (const struct trace_entry *entry = node->entries; entry; entry = entry->next)
		if ((entry->value & mask) == (number.value & mask)) {
			strbuf_add_string(text, entry->name);
			return;
		}
	strbuf_add_format(text, "0x%" PRIx64, number.value & mask);
}

static void add_hexadecimal(const struct trace_bytes *bytes, size_t count, const char *between,
			    struct strbuf *text)
{
	for (size_t i = 0; i < count && i < bytes->size; i++)
		strbuf_add_format(text, "%s%02x", i ? between : "", bytes->data[i]);
}

/* Adds bytes or numbers; fails if there are fewer than asked for. */
static void add_array(struct trace_printer *printer, const struct trace_node *node,
		      struct strbuf *text)
{
	struct trace_record *record = &printer->record;
	uint64_t count = trace_evaluate(record, node->b).value;
	uint64_t size = node->kind == TRACE_ARRAY ? trace_evaluate(record, node->c).value : 1;
	struct trace_bytes bytes;

	if (!trace_evaluate_bytes(record, node->a, &bytes))
		return;
	if (!tracepoint_is_number_size(size) || count > bytes.size / size) {
		record->failed = true;
		return;
	}
	if (node->kind != TRACE_ARRAY) {
		add_hexadecimal(&bytes, count, node->kind == TRACE_HEX ? " " : "", text);
		return;
	}
	strbuf_add_char(text, '{');
	for (uint64_t i = 0; i < count; i++)
		strbuf_add_format(text, "%s0x%" PRIx64, i ? "," : "",
				  tracepoint_number(bytes.data + i * size, (uint32_t)size,
						    record->swap, false));
	strbuf_add_char(text, '}');
}

/* Appends a bitmask as the kernel's %*pb does: words of 32 bits, the highest first, separated by
 * commas. */
static void add_bitmask(const struct trace_record *record, const struct trace_bytes *bytes,
			struct strbuf *text)
{
	for (size_t i = bytes->size / 4; i-- > 0;) {
		/* A word of 8 bytes in the other byte order has its halves swapped. */
		size_t at = record->swap && bytes->size % 8 == 0 ? i ^ 1 : i;

		strbuf_add_format(text, "%08" PRIx64 "%s",
				  tracepoint_number(bytes->data + 4 * at, 4, record->swap, false),
				  i ? "," : "");
	}
}

/* Adds a string, which ends at its first zero byte or with the field. */
static void add_string(struct trace_printer *printer, const struct trace_node *node,
		       struct strbuf *text)
{
	struct trace_bytes bytes;

	if (trace_evaluate_bytes(&printer->record, node, &bytes))
		strbuf_add(text, bytes.data, strnlen((const char *)bytes.data, bytes.size));
}

/* Adds the argument of %s. A number is an address in the kernel, whose memory is not available. */
static void add_text(struct trace_printer *printer, const struct trace_node *node,
		     struct strbuf *text)
{
	struct trace_bytes bytes;

	while (node->kind == TRACE_CONDITION)
		node = trace_evaluate(&printer->record, node->a).value ? node->b : node->c;
	switch (node->kind) {
	case TRACE_STRING: strbuf_add_string(text, node->text); break;
	case TRACE_FLAGS: add_flags(printer, node, text); break;
	case TRACE_SYMBOLIC: add_symbolic(printer, node, text); break;
	case TRACE_HEX:
	case TRACE_HEX_STRING:
	case TRACE_ARRAY: add_array(printer, node, text); break;
	case TRACE_BITMASK:
		if (trace_evaluate_bytes(&printer->record, node, &bytes))
			add_bitmask(&printer->record, &bytes, text);
		break;
	case TRACE_DYNAMIC:
	case TRACE_DYNAMIC_STRING: add_string(printer, node, text); break;
	case TRACE_CAST:
		if (node->type.is_pointer && node->type.element_size == 1) {
			add_text(printer, node->a, text);
			break;
		}
		__attribute__((fallthrough));
	default:
		if (node->kind == TRACE_FIELD && node->field->is_array)
			add_string(printer, node, text);
		else
			strbuf_add_format(text, "%" PRIx64,
					  trace_evaluate(&printer->record, node).value);
	}
}

/* ---- conversions ---- */

/* Returns a width or precision: `fixed`, or the value of an argument. */
static int width_of(struct trace_printer *printer, int fixed, const struct trace_node *argument)
{
	int64_t number;

	if (!argument)
		return fixed;
	number = (int64_t)trace_evaluate(&printer->record, argument).value;
	return number < -TRACE_WIDTH_MAX  ? -TRACE_WIDTH_MAX
	       : number > TRACE_WIDTH_MAX ? TRACE_WIDTH_MAX
					  : (int)number;
}

/* Formats a value. Width and precision may be arguments of the format, or missing. */
#define ADD_CONVERTED(printer, piece, conversion, value)                                           \
	do {                                                                                       \
		char specification[32];                                                            \
		int width = width_of(printer, (piece)->width, (piece)->width_argument);            \
		int precision =                                                                    \
			width_of(printer, (piece)->precision, (piece)->precision_argument);        \
                                                                                                   \
		snprintf(specification, sizeof(specification), "%%%s*%s%s", (piece)->flags,        \
			 precision >= 0 ? ".*" : "", conversion);                                  \
		if (width == -1 && !(piece)->width_argument)                                       \
			width = 0;                                                                 \
		if (precision >= 0)                                                                \
			strbuf_add_format((printer)->text, specification, width, precision,        \
					  value);                                                  \
		else                                                                               \
			strbuf_add_format((printer)->text, specification, width, value);           \
	} while (0)

/* Returns the part of a value that a conversion of this length ("h", "ll") prints. */
static uint64_t cut_to_length(const struct trace_printer *printer, const struct trace_piece *piece,
			      uint64_t value, bool is_signed)
{
	unsigned int bits = piece->length == 'H'   ? 8
			    : piece->length == 'h' ? 16
			    : piece->length == 'l' ? 8 * printer->record.program->long_size
			    : piece->length == 'L' ? 64
						   : 32;

	return is_signed ? (uint64_t)sign_extended(value, bits) : value & low_bits(bits);
}

static void add_number(struct trace_printer *printer, const struct trace_piece *piece)
{
	bool is_signed = piece->conversion == 'd' || piece->conversion == 'i';
	uint64_t value = cut_to_length(
		printer, piece, trace_evaluate(&printer->record, piece->argument).value, is_signed);
	const char conversion[] = { 'j', piece->conversion, '\0' };

	if (is_signed)
		ADD_CONVERTED(printer, piece, conversion, (intmax_t)value);
	else
		ADD_CONVERTED(printer, piece, conversion, (uintmax_t)value);
}

static void add_string_argument(struct trace_printer *printer, const struct trace_piece *piece)
{
	_cleanup_strbuf_ struct strbuf value = STRBUF_INIT;

	add_text(printer, piece->argument, &value);
	ADD_CONVERTED(printer, piece, "s", value.data);
}

/* Adds the name of a function of the kernel (%pS and the like), or its address. */
static void add_function(struct trace_printer *printer, const struct trace_piece *piece)
{
	uint64_t address = trace_evaluate(&printer->record, piece->argument).value, offset = 0;
	const struct trace_symbols *symbols = printer->symbols;
	const char *name =
		symbols && symbols->find ? symbols->find(symbols->data, address, &offset) : NULL;

	if (!name)
		strbuf_add_format(printer->text, "0x%" PRIx64, address);
	else if (piece->extension[0] == 's' || piece->extension[0] == 'f')
		strbuf_add_string(printer->text, name);
	else
		strbuf_add_format(printer->text, "%s+0x%" PRIx64, name, offset);
}

/* Adds 16 bytes. The bytes of the first three parts of a GUID (%pUl) are reversed. */
static void add_uuid(const struct trace_bytes *bytes, const char *kind, struct strbuf *text)
{
	static const uint8_t guid[] = { 3, 2, 1, 0, 5, 4, 7, 6 };
	bool is_guid = kind[1] == 'l' || kind[1] == 'L', large = kind[1] == 'L' || kind[1] == 'B';

	for (size_t i = 0; i < 16; i++) {
		uint8_t byte = bytes->data[is_guid && i < sizeof(guid) ? guid[i] : i];

		strbuf_add_format(text, large ? "%02X" : "%02x", byte);
		if (i == 3 || i == 5 || i == 7 || i == 9)
			strbuf_add_char(text, '-');
	}
}

static void add_ipv6(const struct trace_bytes *bytes, bool colons, struct strbuf *text)
{
	for (size_t i = 0; i < 16; i += 2)
		strbuf_add_format(text, "%s%02x%02x", i && colons ? ":" : "", bytes->data[i],
				  bytes->data[i + 1]);
}

/* Writes the longest run of zero parts as "::" (RFC 5952). */
static void add_short_ipv6(const struct trace_bytes *bytes, struct strbuf *text)
{
	unsigned int parts[8], best = 8, longest = 1;

	for (unsigned int i = 0; i < 8; i++)
		parts[i] = (unsigned int)bytes->data[2 * i] << 8 | bytes->data[2 * i + 1];
	for (unsigned int i = 0; i < 8; i++) {
		unsigned int zeros = 0;

		while (i + zeros < 8 && !parts[i + zeros])
			zeros++;
		if (zeros > longest) {
			best = i;
			longest = zeros;
		}
	}
	for (unsigned int i = 0; i < 8; i++) {
		if (i == best) {
			strbuf_add_string(text, "::");
			i += longest - 1;
			continue;
		}
		strbuf_add_format(text, "%s%x", i && i != best + longest ? ":" : "", parts[i]);
	}
}

/* Adds an address or the like; fails if the record has fewer bytes than that needs. */
static void add_bytes(struct trace_printer *printer, const struct trace_piece *piece)
{
	const char *kind = piece->extension;
	size_t needed = kind[0] == 'M' || kind[0] == 'm' ? 6
			: kind[0] == 'U'                 ? 16
			: kind[1] == '4'                 ? 4
							 : 16;
	struct trace_bytes bytes;

	if (!trace_evaluate_bytes(&printer->record, piece->argument, &bytes))
		return;
	if (bytes.size < needed) {
		printer->record.failed = true;
		return;
	}
	if (kind[0] == 'M' || kind[0] == 'm')
		add_hexadecimal(&bytes, needed, kind[0] == 'M' ? ":" : "", printer->text);
	else if (kind[0] == 'U')
		add_uuid(&bytes, kind, printer->text);
	else if (kind[1] == '4')
		strbuf_add_format(printer->text,
				  kind[0] == 'I' ? "%u.%u.%u.%u" : "%03u.%03u.%03u.%03u",
				  bytes.data[0], bytes.data[1], bytes.data[2], bytes.data[3]);
	else if (kind[2] == 'c')
		add_short_ipv6(&bytes, printer->text);
	else
		add_ipv6(&bytes, kind[0] == 'I', printer->text);
}

#define DUMP_MAX 64 /* bytes, as in the kernel: lib/vsprintf.c, hex_string() */

/* Adds %*ph: as many bytes as the width says. */
static void add_dump(struct trace_printer *printer, const struct trace_piece *piece)
{
	char kind = piece->extension[1];
	int count = width_of(printer, piece->width, piece->width_argument);
	struct trace_bytes bytes;

	if (trace_evaluate_bytes(&printer->record, piece->argument, &bytes) && count > 0)
		add_hexadecimal(&bytes, count < DUMP_MAX ? (size_t)count : DUMP_MAX,
				kind == 'C'   ? ":"
				: kind == 'D' ? "-"
				: kind == 'N' ? ""
					      : " ",
				printer->text);
}

static void add_extended_pointer(struct trace_printer *printer, const struct trace_piece *piece)
{
	switch (piece->extension[0]) {
	case 'S':
	case 's':
	case 'F':
	case 'f':
	case 'B': add_function(printer, piece); break;
	case 'M':
	case 'm':
	case 'I':
	case 'i':
	case 'U': add_bytes(printer, piece); break;
	case 'h': add_dump(printer, piece); break;
	default:
		strbuf_add_format(printer->text, "0x%" PRIx64,
				  trace_evaluate(&printer->record, piece->argument).value);
	}
}

static void add_piece(struct trace_printer *printer, const struct trace_piece *piece)
{
	strbuf_add_string(printer->text, piece->text);
	switch (piece->conversion) {
	case '\0': break;
	case 's': add_string_argument(printer, piece); break;
	case 'p': add_extended_pointer(printer, piece); break;
	case 'c':
		strbuf_add_char(printer->text,
				(char)trace_evaluate(&printer->record, piece->argument).value);
		break;
	default: add_number(printer, piece);
	}
}

bool trace_program_print(const struct trace_program *program, const uint8_t *raw, size_t size,
			 bool swap, const struct trace_symbols *symbols, struct strbuf *text)
{
	struct trace_printer printer = {
		.record = { .program = program, .raw = raw, .size = size, .swap = swap },
		.symbols = symbols,
		.text = text,
	};
	size_t start = text->length;

	for (size_t i = 0; i < program->count && !printer.record.failed; i++)
		add_piece(&printer, &program->pieces[i]);
	if (!printer.record.failed)
		return true;
	strbuf_truncate(text, start);
	return false;
}
