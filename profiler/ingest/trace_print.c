// SPDX-License-Identifier: GPL-2.0-or-later
/* A record by the print format of its event: see trace_program.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profiler/ingest/trace_program.h"

#define MAX_WIDTH 1000 /* of a column, whatever an argument says */

struct trace_printer {
	struct trace_record record;
	const struct trace_symbols *symbols;
	struct strbuf *text;
};

/* ---- texts of arguments ---- */

/* As the kernel: what no name is left for is a number. */
static void add_flags(struct trace_printer *printer, const struct trace_node *node, struct strbuf *text)
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

static void add_symbolic(struct trace_printer *printer, const struct trace_node *node, struct strbuf *text)
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

/* Bytes, or numbers: not more than there are. */
static void add_array(struct trace_printer *printer, const struct trace_node *node, struct strbuf *text)
{
	struct trace_record *record = &printer->record;
	uint64_t count = trace_evaluate(record, node->b).value;
	uint64_t size = node->kind == TRACE_ARRAY ? trace_evaluate(record, node->c).value : 1;
	struct trace_bytes bytes;

	if (!trace_evaluate_bytes(record, node->a, &bytes))
		return;
	if ((size != 1 && size != 2 && size != 4 && size != 8) || count > bytes.size / size) {
		record->failed = true;
		return;
	}
	if (node->kind != TRACE_ARRAY) {
		add_hexadecimal(&bytes, count, node->kind == TRACE_HEX ? " " : "", text);
		return;
	}
	strbuf_add_char(text, '{');
	for (uint64_t i = 0; i < count; i++)
		strbuf_add_format(
			text, "%s0x%" PRIx64, i ? "," : "",
			tracepoint_number(bytes.data + i * size, (uint32_t)size, record->swap, false));
	strbuf_add_char(text, '}');
}

/* As the kernel's %*pb: words of 32 bits, the highest first, with commas between. */
static void add_bitmask(const struct trace_record *record, const struct trace_bytes *bytes,
			struct strbuf *text)
{
	for (size_t i = bytes->size / 4; i-- > 0;) {
		/* words of 8 bytes of another byte order have their halves the other way round */
		size_t at = record->swap && bytes->size % 8 == 0 ? i ^ 1 : i;

		strbuf_add_format(text, "%08" PRIx64 "%s",
				  tracepoint_number(bytes->data + 4 * at, 4, record->swap, false),
				  i ? "," : "");
	}
}

/* A string that ends at its first zero byte, or with the field. */
static void add_string(struct trace_printer *printer, const struct trace_node *node, struct strbuf *text)
{
	struct trace_bytes bytes;

	if (trace_evaluate_bytes(&printer->record, node, &bytes))
		strbuf_add(text, bytes.data, strnlen((const char *)bytes.data, bytes.size));
}

/* Of %s. A number is an address of the kernel's, whose memory is not there. */
static void add_text(struct trace_printer *printer, const struct trace_node *node, struct strbuf *text)
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
			strbuf_add_format(text, "%" PRIx64, trace_evaluate(&printer->record, node).value);
	}
}

/* ---- conversions ---- */

static int measure(struct trace_printer *printer, int fixed, const struct trace_node *argument)
{
	int64_t number;

	if (!argument)
		return fixed;
	number = (int64_t)trace_evaluate(&printer->record, argument).value;
	return number < -MAX_WIDTH ? -MAX_WIDTH : number > MAX_WIDTH ? MAX_WIDTH : (int)number;
}

/* A value by a conversion whose width and precision are arguments, or left out. */
#define ADD_CONVERTED(printer, piece, conversion, value)                                                     \
	do {                                                                                                 \
		char specification[32];                                                                      \
		int width = measure(printer, (piece)->width, (piece)->width_argument);                       \
		int precision = measure(printer, (piece)->precision, (piece)->precision_argument);           \
                                                                                                             \
		snprintf(specification, sizeof(specification), "%%%s*%s%s", (piece)->flags,                  \
			 precision >= 0 ? ".*" : "", conversion);                                            \
		if (width == -1 && !(piece)->width_argument)                                                 \
			width = 0;                                                                           \
		if (precision >= 0)                                                                          \
			strbuf_add_format((printer)->text, specification, width, precision, value);          \
		else                                                                                         \
			strbuf_add_format((printer)->text, specification, width, value);                     \
	} while (0)

static uint64_t of_length(const struct trace_printer *printer, const struct trace_piece *piece,
			  uint64_t value, bool is_signed)
{
	unsigned int bits = piece->length == 'H'   ? 8
			    : piece->length == 'h' ? 16
			    : piece->length == 'l' ? 8 * printer->record.program->long_size
			    : piece->length == 'L' ? 64
						   : 32;

	value <<= 64 - bits;
	return is_signed ? (uint64_t)((int64_t)value >> (64 - bits)) : value >> (64 - bits);
}

static void add_number(struct trace_printer *printer, const struct trace_piece *piece)
{
	bool is_signed = piece->conversion == 'd' || piece->conversion == 'i';
	uint64_t value =
		of_length(printer, piece, trace_evaluate(&printer->record, piece->argument).value, is_signed);
	const char conversion[] = { 'j', piece->conversion, '\0' };

	if (is_signed)
		ADD_CONVERTED(printer, piece, conversion, (intmax_t)value);
	else
		ADD_CONVERTED(printer, piece, conversion, (uintmax_t)value);
}

static void add_string_argument(struct trace_printer *printer, const struct trace_piece *piece)
{
	struct strbuf value _cleanup_strbuf_ = STRBUF_INIT;

	add_text(printer, piece->argument, &value);
	ADD_CONVERTED(printer, piece, "s", value.length ? value.data : "");
}

static void add_function(struct trace_printer *printer, const struct trace_piece *piece)
{
	uint64_t address = trace_evaluate(&printer->record, piece->argument).value, offset = 0;
	const struct trace_symbols *symbols = printer->symbols;
	const char *name = symbols && symbols->find ? symbols->find(symbols->data, address, &offset) : NULL;

	if (!name)
		strbuf_add_format(printer->text, "0x%" PRIx64, address);
	else if (piece->extension[0] == 's' || piece->extension[0] == 'f')
		strbuf_add_string(printer->text, name);
	else
		strbuf_add_format(printer->text, "%s+0x%" PRIx64, name, offset);
}

/* 16 bytes; the first three parts of a GUID (%pUl) have their bytes the other way round. */
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

/* The longest run of zero parts is "::", as in RFC 5952. */
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

/* Addresses and the like: bytes of the record, as many as they have. */
static void add_bytes(struct trace_printer *printer, const struct trace_piece *piece)
{
	const char *kind = piece->extension;
	size_t needed = kind[0] == 'M' || kind[0] == 'm' ? 6 : kind[0] == 'U' ? 16 : kind[1] == '4' ? 4 : 16;
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
		strbuf_add_format(printer->text, kind[0] == 'I' ? "%u.%u.%u.%u" : "%03u.%03u.%03u.%03u",
				  bytes.data[0], bytes.data[1], bytes.data[2], bytes.data[3]);
	else if (kind[2] == 'c')
		add_short_ipv6(&bytes, printer->text);
	else
		add_ipv6(&bytes, kind[0] == 'I', printer->text);
}

/* %*ph: as many bytes as the width says, at most 64 as in the kernel. */
static void add_dump(struct trace_printer *printer, const struct trace_piece *piece)
{
	char kind = piece->extension[1];
	int count = measure(printer, piece->width, piece->width_argument);
	struct trace_bytes bytes;

	if (trace_evaluate_bytes(&printer->record, piece->argument, &bytes) && count > 0)
		add_hexadecimal(&bytes, count < 64 ? (size_t)count : 64,
				kind == 'C'   ? ":"
				: kind == 'D' ? "-"
				: kind == 'N' ? ""
					      : " ",
				printer->text);
}

static void add_pointer(struct trace_printer *printer, const struct trace_piece *piece)
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
	case 'p': add_pointer(printer, piece); break;
	case 'c':
		strbuf_add_char(printer->text, (char)trace_evaluate(&printer->record, piece->argument).value);
		break;
	default: add_number(printer, piece);
	}
}

bool trace_program_print(const struct trace_program *program, const uint8_t *raw, size_t size, bool swap,
			 const struct trace_symbols *symbols, struct strbuf *text)
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
	text->length = start;
	if (text->data)
		text->data[start] = '\0';
	return false;
}
