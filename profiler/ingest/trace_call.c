// SPDX-License-Identifier: GPL-2.0-or-later
/* Helpers of the kernel's that print formats call: see trace_program.h. */
#include "profiler/ingest/trace_program.h"

/* "{ 0x1, "NAME" }, ..." up to the ')' of the call; a table's end, "{ -1, NULL }", is left out. */
static bool parse_entries(struct trace_parser *parser, const struct trace_entry **entries)
{
	const struct trace_entry **last = entries;

	while (trace_parse_take(parser, ',')) {
		struct trace_entry entry = { 0 };
		const struct trace_node *value;

		if (!trace_parse_expect(parser, '{') || !(value = trace_parse_expression(parser)) ||
		    !trace_parse_expect(parser, ','))
			return false;
		if (!trace_evaluate_constant(value, &entry.value)) {
			(void)trace_parse_fail(parser, "a value of a table is no number");
			return false;
		}
		entry.name = trace_parse_string(parser);
		if (!entry.name && !trace_parse_text(parser, "NULL") &&
		    !trace_parse_text(parser, "((void *)0)")) {
			(void)trace_parse_fail(parser, "a value of a table has no name");
			return false;
		}
		if (!trace_parse_expect(parser, '}'))
			return false;
		if (entry.name) {
			struct trace_entry *added = arena_copy(parser->arena, &entry, sizeof(entry));

			*last = added;
			last = &added->next;
		}
	}
	return true;
}

static bool parse_named_value(struct trace_parser *parser, struct trace_node *node)
{
	node->a = trace_parse_expression(parser);
	if (!node->a)
		return false;
	if (node->kind == TRACE_FLAGS) {
		if (!trace_parse_expect(parser, ',') || !(node->text = trace_parse_string(parser))) {
			(void)trace_parse_fail(parser, "flags have no delimiter");
			return false;
		}
	}
	return parse_entries(parser, &node->entries);
}

/* One, two or three expressions. */
static bool parse_arguments(struct trace_parser *parser, struct trace_node *node)
{
	node->a = trace_parse_expression(parser);
	if (!node->a || !trace_parse_expect(parser, ',') || !(node->b = trace_parse_expression(parser)))
		return false;
	if (node->kind != TRACE_ARRAY)
		return true;
	return trace_parse_expect(parser, ',') && (node->c = trace_parse_expression(parser));
}

static bool parse_dynamic(struct trace_parser *parser, struct trace_node *node)
{
	node->field = trace_parse_field(parser);
	if (node->field && !node->field->is_dynamic)
		(void)trace_parse_fail(parser, "field '%s' is no dynamic one", node->field->name);
	return !parser->problem->length;
}

/* The second argument says what is likely. */
static const struct trace_node *parse_expectation(struct trace_parser *parser)
{
	const struct trace_node *node = trace_parse_expression(parser);

	if (!node || !trace_parse_expect(parser, ',') || !trace_parse_expression(parser) ||
	    !trace_parse_expect(parser, ')'))
		return NULL;
	return node;
}

static const struct trace_node *parse_size(struct trace_parser *parser)
{
	struct trace_node node = { .kind = TRACE_NUMBER, .type = { .size = 8 } };
	struct trace_type type;

	if (!trace_parse_type(parser, &type) || !type.size)
		return trace_parse_fail(parser, "the size of a type is not known");
	node.number = type.size;
	return trace_parse_expect(parser, ')') ? trace_parse_add(parser, node) : NULL;
}

static const struct {
	const char *name;
	enum trace_kind kind;
	bool (*parse)(struct trace_parser *parser, struct trace_node *node);
} functions[] = {
	{ "__print_flags", TRACE_FLAGS, parse_named_value },
	{ "__print_flags_u64", TRACE_FLAGS, parse_named_value },
	{ "__print_symbolic", TRACE_SYMBOLIC, parse_named_value },
	{ "__print_symbolic_u64", TRACE_SYMBOLIC, parse_named_value },
	{ "__print_hex", TRACE_HEX, parse_arguments },
	{ "__print_hex_str", TRACE_HEX_STRING, parse_arguments },
	{ "__print_array", TRACE_ARRAY, parse_arguments },
	{ "__get_str", TRACE_DYNAMIC_STRING, parse_dynamic },
	{ "__get_rel_str", TRACE_DYNAMIC_STRING, parse_dynamic },
	{ "__get_dynamic_array", TRACE_DYNAMIC, parse_dynamic },
	{ "__get_rel_dynamic_array", TRACE_DYNAMIC, parse_dynamic },
	{ "__get_dynamic_array_len", TRACE_DYNAMIC_LENGTH, parse_dynamic },
	{ "__get_rel_dynamic_array_len", TRACE_DYNAMIC_LENGTH, parse_dynamic },
	{ "__get_bitmask", TRACE_BITMASK, parse_dynamic },
	{ "__get_rel_bitmask", TRACE_BITMASK, parse_dynamic },
	{ "__get_cpumask", TRACE_BITMASK, parse_dynamic },
	{ "__get_rel_cpumask", TRACE_BITMASK, parse_dynamic },
};

/* Behind the name and the '('. */
const struct trace_node *trace_parse_call(struct trace_parser *parser, const char *name, size_t length)
{
	if (trace_is_word(name, length, "__builtin_expect"))
		return parse_expectation(parser);
	if (trace_is_word(name, length, "sizeof"))
		return parse_size(parser);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		struct trace_node node = { .kind = functions[i].kind };

		if (!trace_is_word(name, length, functions[i].name))
			continue;
		return functions[i].parse(parser, &node) && trace_parse_expect(parser, ')')
			       ? trace_parse_add(parser, node)
			       : NULL;
	}
	return trace_parse_fail(parser, "the function %.*s() is not known", (int)length, name);
}
