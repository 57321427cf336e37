// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A declaration as C and C++ write it, taken apart: the declarator grows around the name from the outermost
 * kind inwards, until what is left of the type stands in front of it.
 */
#include "dwarf/type.h"

#include <inttypes.h>

#include "profiler/base/memory.h"

#define FUNCTION_DEPTH 4 /* parameters of functions that are parameters ... */
#define STEPS          64

static void declare(const struct type *type, const char *name, struct strbuf *base, struct strbuf *declarator,
		    unsigned int depth);

static void prepend(struct strbuf *buffer, const char *text)
{
	char *rest = strbuf_detach(buffer);

	strbuf_add_string(buffer, text);
	strbuf_add_string(buffer, rest);
	free(rest);
}

static void add_parameters(const struct type *function, struct strbuf *declarator, unsigned int depth)
{
	size_t count;
	const struct parameter *parameters = type_parameters(function, &count);

	strbuf_add_char(declarator, '(');
	for (size_t i = 0; i < count; i++) {
		_cleanup_strbuf_ struct strbuf base = STRBUF_INIT;
		_cleanup_strbuf_ struct strbuf inner = STRBUF_INIT;

		declare(parameters[i].type, "", &base, &inner, depth + 1);
		strbuf_add_format(declarator, "%s%s%s%s", i ? ", " : "", base.data, inner.length ? " " : "",
				  inner.data);
	}
	if (function->flags & TYPE_VARIADIC)
		strbuf_add_string(declarator, count ? ", ..." : "...");
	else if (!count)
		strbuf_add_string(declarator, "void");
	strbuf_add_char(declarator, ')');
}

/* What a pointer to it needs around its star. */
static bool binds_tighter(const struct type *target)
{
	while (target->kind == TYPE_QUALIFIED)
		target = type_target(target);
	return target->kind == TYPE_ARRAY || target->kind == TYPE_FUNCTION;
}

static void add_pointer(const struct type *type, struct strbuf *declarator)
{
	const char *sign = type->kind == TYPE_POINTER ? "*" : type->flags & TYPE_RVALUE ? "&&" : "&";

	prepend(declarator, sign);
	if (binds_tighter(type_target(type))) {
		prepend(declarator, "(");
		strbuf_add_char(declarator, ')');
	}
}

static void add_dimensions(const struct type *array, struct strbuf *declarator)
{
	size_t count;
	const uint64_t *dimensions = type_array_dimensions(array, &count);

	for (size_t i = 0; i < count; i++) {
		if (dimensions[i])
			strbuf_add_format(declarator, "[%" PRIu64 "]", dimensions[i]);
		else
			strbuf_add_string(declarator, "[]");
	}
}

static const char *qualifier_text(const struct type *type)
{
	switch (type->qualifier) {
	case 'c': return "const ";
	case 'v': return "volatile ";
	case 'r': return "restrict ";
	default: return "_Atomic ";
	}
}

/* Signs in front of the declarator stand with the type, as in pahole: "struct list *", "next". */
static void move_signs(struct strbuf *base, struct strbuf *declarator)
{
	_cleanup_free_ char *text = strbuf_detach(declarator);
	const char *rest = text;

	if (*rest == '*' || *rest == '&')
		strbuf_add_char(base, ' ');
	while (*rest == '*' || *rest == '&') {
		strbuf_add_char(base, *rest++);
		if (*rest == '*')
			strbuf_add_char(base, ' ');
	}
	strbuf_add_string(declarator, rest);
}

static void declare(const struct type *type, const char *name, struct strbuf *base, struct strbuf *declarator,
		    unsigned int depth)
{
	const char *qualifiers[4];
	unsigned int qualifier_count = 0;

	strbuf_add_string(declarator, name);
	for (unsigned int step = 0; step < STEPS; step++) {
		switch (type->kind) {
		case TYPE_POINTER:
		case TYPE_REFERENCE: add_pointer(type, declarator); break;
		case TYPE_ARRAY: add_dimensions(type, declarator); break;
		case TYPE_FUNCTION:
			if (depth < FUNCTION_DEPTH)
				add_parameters(type, declarator, depth);
			else
				strbuf_add_string(declarator, "(...)");
			break;
		case TYPE_QUALIFIED: {
			const struct type *target = type_target(type);

			while (target->kind == TYPE_QUALIFIED)
				target = type_target(target);
			if (target->kind == TYPE_POINTER)
				prepend(declarator, qualifier_text(type));
			else if (qualifier_count < 4)
				qualifiers[qualifier_count++] = qualifier_text(type);
			break;
		}
		default:
			for (unsigned int i = 0; i < qualifier_count; i++)
				strbuf_add_string(base, qualifiers[i]);
			type_declaration(type, base);
			move_signs(base, declarator);
			return;
		}
		type = type_target(type);
	}
	strbuf_add_string(base, "(unknown type)");
}

void type_declarator(const struct type *type, const char *name, struct strbuf *base,
		     struct strbuf *declarator)
{
	declare(type, name ? name : "", base, declarator, 0);
}
