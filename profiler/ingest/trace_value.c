// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of expressions in a record: see trace_program.h. */
#include "profiler/ingest/trace_program.h"

/* ---- numbers ---- */

/* To its own width, by its own sign. */
static struct trace_number settle(uint64_t value, bool is_long, bool is_signed)
{
	if (!is_long)
		value = is_signed ? (uint64_t)(int32_t)value : (uint32_t)value;
	return (struct trace_number){ value, is_long, is_signed };
}

/* What is smaller than an int is one. */
static struct trace_number of_size(uint64_t value, unsigned int size, bool is_signed)
{
	switch (size) {
	case 1: return settle(is_signed ? (uint64_t)(int8_t)value : (uint8_t)value, false, true);
	case 2: return settle(is_signed ? (uint64_t)(int16_t)value : (uint16_t)value, false, true);
	case 4: return settle(value, false, is_signed);
	default: return settle(value, true, is_signed);
	}
}

static struct trace_number truth(bool is_true)
{
	return (struct trace_number){ is_true, false, true };
}

static struct trace_number fail(struct trace_record *record)
{
	record->failed = true;
	return truth(false);
}

static bool is_number_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static struct trace_number field_number(struct trace_record *record, const struct tracepoint_field *field)
{
	const uint8_t *bytes;
	size_t length;

	/* the word that says where a dynamic one is, is no number */
	if (field->is_dynamic || !is_number_size(field->size) ||
	    !tracepoint_field_bytes(field, record->raw, record->size, record->swap, &bytes, &length))
		return fail(record);
	return of_size(tracepoint_number(bytes, (uint32_t)length, record->swap, field->is_signed),
		       (unsigned int)length, field->is_signed);
}

static struct trace_number element(struct trace_record *record, const struct trace_node *node)
{
	struct trace_number index = trace_evaluate(record, node->b);
	unsigned int size = node->type.size;
	struct trace_bytes bytes;

	if (!trace_evaluate_bytes(record, node->a, &bytes) || !is_number_size(size) ||
	    index.value >= bytes.size / size)
		return fail(record);
	return of_size(
		tracepoint_number(bytes.data + index.value * size, size, record->swap, node->type.is_signed),
		size, node->type.is_signed);
}

static struct trace_number unary(struct trace_record *record, const struct trace_node *node)
{
	struct trace_number a = trace_evaluate(record, node->a);

	switch (node->operation) {
	case '!': return truth(!a.value);
	case '~': return settle(~a.value, a.is_long, a.is_signed);
	case '-': return settle(0 - a.value, a.is_long, a.is_signed);
	default: return a;
	}
}

/* The result's type, and the operands in it (C11 6.3.1.8). */
static struct trace_number convert(struct trace_number *a, struct trace_number *b)
{
	struct trace_number result = { .is_long = a->is_long || b->is_long };

	result.is_signed = a->is_long == b->is_long ? a->is_signed && b->is_signed
			   : a->is_long             ? a->is_signed
						    : b->is_signed;
	*a = settle(a->value, result.is_long, result.is_signed);
	*b = settle(b->value, result.is_long, result.is_signed);
	return result;
}

static int compare(struct trace_number a, struct trace_number b)
{
	if (a.is_signed)
		return (int64_t)a.value < (int64_t)b.value ? -1 : (int64_t)a.value > (int64_t)b.value;
	return a.value < b.value ? -1 : a.value > b.value;
}

static struct trace_number shift(struct trace_number a, struct trace_number b, bool left)
{
	unsigned int width = a.is_long ? 64 : 32;
	uint64_t by = b.value;

	if (by >= width)
		return settle(!left && a.is_signed && (int64_t)a.value < 0 ? UINT64_MAX : 0, a.is_long,
			      a.is_signed);
	if (left)
		return settle(a.value << by, a.is_long, a.is_signed);
	return settle(a.is_signed ? (uint64_t)((int64_t)a.value >> by) : a.value >> by, a.is_long,
		      a.is_signed);
}

/* By zero there is no result. */
static uint64_t divide(struct trace_record *record, struct trace_number a, struct trace_number b, bool rest)
{
	if (!b.value) {
		record->failed = true;
		return 0;
	}
	if (!a.is_signed)
		return rest ? a.value % b.value : a.value / b.value;
	if (b.value == UINT64_MAX) /* -1: the least number has no opposite */
		return rest ? 0 : 0 - a.value;
	return (uint64_t)(rest ? (int64_t)a.value % (int64_t)b.value : (int64_t)a.value / (int64_t)b.value);
}

static struct trace_number binary(struct trace_record *record, const struct trace_node *node)
{
	struct trace_number a = trace_evaluate(record, node->a);

	if (node->operation == TRACE_OPERATOR('&', '&'))
		return truth(a.value && trace_evaluate(record, node->b).value);
	if (node->operation == TRACE_OPERATOR('|', '|'))
		return truth(a.value || trace_evaluate(record, node->b).value);

	struct trace_number b = trace_evaluate(record, node->b);

	if (node->operation == TRACE_OPERATOR('<', '<') || node->operation == TRACE_OPERATOR('>', '>'))
		return shift(a, b, node->operation == TRACE_OPERATOR('<', '<'));

	struct trace_number result = convert(&a, &b);

	switch (node->operation) {
	case TRACE_OPERATOR('=', '='): return truth(a.value == b.value);
	case TRACE_OPERATOR('!', '='): return truth(a.value != b.value);
	case TRACE_OPERATOR('<', '='): return truth(compare(a, b) <= 0);
	case TRACE_OPERATOR('>', '='): return truth(compare(a, b) >= 0);
	case '<': return truth(compare(a, b) < 0);
	case '>': return truth(compare(a, b) > 0);
	case '+': result.value = a.value + b.value; break;
	case '-': result.value = a.value - b.value; break;
	case '*': result.value = a.value * b.value; break;
	case '/': result.value = divide(record, a, b, false); break;
	case '%': result.value = divide(record, a, b, true); break;
	case '&': result.value = a.value & b.value; break;
	case '|': result.value = a.value | b.value; break;
	default: result.value = a.value ^ b.value; break;
	}
	return settle(result.value, result.is_long, result.is_signed);
}

static struct trace_number dynamic_length(struct trace_record *record, const struct tracepoint_field *field)
{
	const uint8_t *bytes;
	size_t length;

	if (!tracepoint_field_bytes(field, record->raw, record->size, record->swap, &bytes, &length))
		return fail(record);
	return settle(length, false, true);
}

struct trace_number trace_evaluate(struct trace_record *record, const struct trace_node *node)
{
	struct trace_number value;

	switch (node->kind) {
	case TRACE_NUMBER: return settle(node->number, node->type.size == 8, node->type.is_signed);
	case TRACE_FIELD: return field_number(record, node->field);
	case TRACE_UNARY: return unary(record, node);
	case TRACE_BINARY: return binary(record, node);
	case TRACE_CONDITION:
		return trace_evaluate(record, trace_evaluate(record, node->a).value ? node->b : node->c);
	case TRACE_CAST:
		value = trace_evaluate(record, node->a);
		return node->type.size ? of_size(value.value, node->type.size, node->type.is_signed) : value;
	case TRACE_INDEX: return element(record, node);
	case TRACE_DYNAMIC_LENGTH: return dynamic_length(record, node->field);
	default: return fail(record); /* a text, or an address of this machine's kernel */
	}
}

bool trace_evaluate_constant(const struct trace_node *node, uint64_t *value)
{
	struct trace_record nothing = { 0 };

	*value = trace_evaluate(&nothing, node).value;
	return !nothing.failed;
}

/* ---- bytes ---- */

bool trace_evaluate_bytes(struct trace_record *record, const struct trace_node *node,
			  struct trace_bytes *bytes)
{
	while (node->kind == TRACE_CAST && node->type.is_pointer)
		node = node->a;
	if ((node->kind == TRACE_FIELD && node->field->is_array) || node->kind == TRACE_DYNAMIC ||
	    node->kind == TRACE_DYNAMIC_STRING || node->kind == TRACE_BITMASK)
		if (tracepoint_field_bytes(node->field, record->raw, record->size, record->swap, &bytes->data,
					   &bytes->size))
			return true;
	record->failed = true;
	return false;
}
