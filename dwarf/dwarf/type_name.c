// SPDX-License-Identifier: GPL-2.0-or-later
/* Names with their namespaces, classes and template arguments: "a::b<int>::c". */
#include <dwarf.h>

#include "dwarf/dwarf/index.h"
#include "dwarf/dwarf/type.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/function.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/type_name.h"

static void add_template_arguments(struct dwarf_types *types, const struct die *die,
				   struct strbuf *buffer, int depth);

#define NESTING_MAX 64

static bool type_name_is_record(const struct container *container)
{
	return container->tag == DW_TAG_structure_type || container->tag == DW_TAG_class_type ||
	       container->tag == DW_TAG_union_type;
}

char *dwarf_name_without_modules(const struct die *die)
{
	const char *name = die->unit->has_modules ? die_name(die) : NULL;
	char *plain = name && strchr(name, '@') ? xstrdup(name) : NULL, *to = plain;

	while (plain && *name)
		if (*name != '@')
			*to++ = *name++;
		else
			while (*++name == '.' || (*name == ':' && name[1] != ':') ||
			       type_name_word_length(name))
				;
	if (plain)
		*to = 0;
	return plain;
}

static void add_own_name(const struct die *die, struct strbuf *buffer)
{
	_cleanup_free_ char *plain = dwarf_name_without_modules(die);

	strbuf_add_string(buffer, plain ?: die_name(die));
}

/* Adds the name of a class around another name; a type unit of its own has it. */
static void add_record(struct dwarf_types *types, struct unit *unit,
		       const struct container *container, struct strbuf *buffer, int depth)
{
	struct die die;

	if (!die_at(types->files, unit_reference(unit, container->start), &die))
		return;
	if (die_has(&die, SLOT_SIGNATURE) &&
	    !die_at(types->files, die_target(&die, SLOT_SIGNATURE), &die))
		return;
	if (!die_name(&die) || !*die_name(&die))
		/* a nameless class adds nothing: its members are named by the scope around it */
		return;
	add_own_name(&die, buffer);
	add_template_arguments(types, &die, buffer, depth);
	strbuf_add_string(buffer, "::");
}

static void add_containers(struct dwarf_types *types, struct unit *unit, uint64_t offset,
			   struct strbuf *buffer, int depth)
{
	const struct unit_index *index = unit_index_get(unit);
	const struct container *container = unit_index_container(index, offset);
	const struct container *around[NESTING_MAX];
	size_t count = 0;

	/* names in a function do not begin with the function's name */
	while (container && container->tag != DW_TAG_subprogram && count < NESTING_MAX) {
		around[count++] = container;
		container = container->parent < index->container_count
				    ? &index->containers[container->parent]
				    : NULL;
	}
	while (count) {
		container = around[--count];
		if (type_name_is_record(container)) {
			add_record(types, unit, container, buffer, depth);
		} else if (container->name || container->tag == DW_TAG_namespace) {
			strbuf_add_string(buffer, container->name ?: ANONYMOUS_NAMESPACE);
			strbuf_add_string(buffer, "::");
		}
	}
}

/* Adds the name of a class without a tag that a typedef names, `typedef struct { ... } state;`.
 * Such a class of C++ has the typedef's name for linkage ([dcl.typedef]), which gcc gives only in
 * mangled form: pointers to it do not lead through the typedef. */
static bool add_linkage_name(const struct die *die, struct strbuf *buffer)
{
	static const char prefix[] = "typeinfo name for ";
	const char *linkage =
		die->unit->language == LANGUAGE_CXX ? die_string(die, SLOT_LINKAGE_NAME) : NULL;

	if (!linkage || !*linkage)
		return false;
	_cleanup_free_ char *mangled = xasprintf("_ZTS%s", linkage);
	_cleanup_free_ char *text = symbol_demangle(mangled);

	if (!text || !starts_with(text, prefix))
		return false;
	strbuf_add_string(buffer, text + strlen(prefix));
	return true;
}

/* Adds a name that tells encoding and size to base types that have none: gcc 16's compilers of
 * Algol 68 and COBOL call every base type "__unknown__", of whatever size. */
static bool add_base_name(const struct die *die, const char *name, struct strbuf *buffer)
{
	static const char *const names[] = {
		[DW_ATE_boolean] = "bool",
		[DW_ATE_float] = "float",
		[DW_ATE_signed] = "int",
		[DW_ATE_signed_char] = "int",
		[DW_ATE_unsigned] = "uint",
		[DW_ATE_unsigned_char] = "uint",
		[DW_ATE_complex_float] = "complex",
		[DW_ATE_UTF] = "char",
	};
	uint64_t encoding, size;

	if ((name && *name && strcmp(name, "__unknown__") != 0) || die->tag != DW_TAG_base_type ||
	    !die_unsigned(die, SLOT_ENCODING, &encoding) || encoding >= COUNT_OF(names) ||
	    !names[encoding] || !die_unsigned(die, SLOT_BYTE_SIZE, &size) || size > 64)
		return false;
	strbuf_add_format(buffer, "%s%d", names[encoding], (int)size * 8);
	return true;
}

/* The same for a DIE that is `depth` levels deep in the template arguments of another name. */
static bool add_qualified_name(struct dwarf_types *types, const struct die *die,
			       struct strbuf *buffer, int depth)
{
	const char *name = die_name(die);
	struct die declared;

	/* a class may be defined outside of the scope that declares it (gcc's type units) */
	if (die_has(die, SLOT_SPECIFICATION) &&
	    die_at(types->files, die_target(die, SLOT_SPECIFICATION), &declared) &&
	    die_name(&declared)) {
		die = &declared;
		name = die_name(die);
	}
	if (add_base_name(die, name, buffer))
		return true;
	if (!name || !*name)
		return add_linkage_name(die, buffer);
	if (die->tag != DW_TAG_base_type &&
	    (die->unit->language == LANGUAGE_CXX || die->unit->language == LANGUAGE_RUST))
		add_containers(types, die->unit, die->offset, buffer, depth);
	/* gccgo writes a dot before the package: ".main.node" */
	if (die->unit->language == LANGUAGE_GO && name[0] == '.' && name[1])
		strbuf_add_string(buffer, name + 1);
	else
		add_own_name(die, buffer);
	if (die->tag != DW_TAG_base_type)
		add_template_arguments(types, die, buffer, depth);
	return true;
}

bool dwarf_qualified_name(struct dwarf_types *types, const struct die *die, struct strbuf *buffer)
{
	return add_qualified_name(types, die, buffer, 0);
}

/*
 * ---- template arguments ----
 *
 * clang's -gsimple-template-names omits them from names. "box" with its children
 * DW_TAG_template_type_parameter and DW_TAG_template_value_parameter (DWARF 5, section 2.23)
 * becomes "box<int, 3>", spelled as clang spells the whole name.
 *
 * Only DIEs are read, and no type is loaded: a class may be an argument of its own base.
 */

/* Limits on the depth and length of template arguments. A name beyond them keeps its plain form. */
#define DEPTH_MAX  32
#define LENGTH_MAX 16384

struct printer {
	struct dwarf_types *types;
	struct strbuf *buffer;
	int depth;
};

static bool add_type(struct printer *printer, uint64_t reference);

/* Reads the DIE of a type. If it stands for one in a type unit, reads that one. */
static bool type_at(struct printer *printer, uint64_t reference, struct die *die)
{
	struct dwarf_files *files = printer->types->files;

	return reference && die_at(files, reference, die) &&
	       (!die_has(die, SLOT_SIGNATURE) ||
		die_at(files, die_target(die, SLOT_SIGNATURE), die));
}

/* Adds "int (char, ...)", or, with the mark of a pointer to the function, "int (*)(char, ...)". */
static bool add_function(struct printer *printer, const struct die *function, const char *mark)
{
	struct strbuf *buffer = printer->buffer;
	size_t count = 0;

	if (!add_type(printer, die_type_target(function)))
		return false;
	if (mark)
		strbuf_add_format(buffer, " (%s)(", mark);
	else
		strbuf_add_string(buffer, " (");
	children_each (die, function) {
		if (count++)
			strbuf_add_string(buffer, ", ");
		if (die.tag == DW_TAG_unspecified_parameters)
			strbuf_add_string(buffer, "...");
		else if (die.tag != DW_TAG_formal_parameter ||
			 !add_type(printer, die_type_target(&die)))
			return false;
	}
	strbuf_add_char(buffer, ')');
	return true;
}

static bool add_pointed(struct printer *printer, const struct die *die, const char *mark)
{
	struct strbuf *buffer = printer->buffer;
	uint64_t target = die_type_target(die);
	struct die pointee;

	if (type_at(printer, target, &pointee)) {
		if (pointee.tag == DW_TAG_subroutine_type)
			return add_function(printer, &pointee, mark);
		if (pointee.tag == DW_TAG_array_type)
			return false;
	}
	if (!add_type(printer, target))
		return false;
	if (buffer->length && !strchr("*&", buffer->data[buffer->length - 1]))
		strbuf_add_char(buffer, ' ');
	strbuf_add_string(buffer, mark);
	return true;
}

static bool is_pointer(struct printer *printer, uint64_t reference)
{
	struct die die;

	return type_at(printer, reference, &die) &&
	       (die.tag == DW_TAG_pointer_type || die.tag == DW_TAG_reference_type ||
		die.tag == DW_TAG_rvalue_reference_type || die.tag == DW_TAG_const_type ||
		die.tag == DW_TAG_volatile_type);
}

/* Adds a qualified type: "const char", but "char *const". */
static bool add_qualified(struct printer *printer, const struct die *die, const char *qualifier)
{
	uint64_t target = die_type_target(die);

	if (is_pointer(printer, target)) {
		if (!add_type(printer, target))
			return false;
		if (printer->buffer->data[printer->buffer->length - 1] != '*')
			strbuf_add_char(printer->buffer, ' ');
		strbuf_add_string(printer->buffer, qualifier);
		return true;
	}
	strbuf_add_string(printer->buffer, qualifier);
	strbuf_add_char(printer->buffer, ' ');
	return add_type(printer, target);
}

static bool add_type_die(struct printer *printer, const struct die *die)
{
	switch (die->tag) {
	case DW_TAG_pointer_type: return add_pointed(printer, die, "*");
	case DW_TAG_reference_type: return add_pointed(printer, die, "&");
	case DW_TAG_rvalue_reference_type: return add_pointed(printer, die, "&&");
	case DW_TAG_const_type: return add_qualified(printer, die, "const");
	case DW_TAG_volatile_type: return add_qualified(printer, die, "volatile");
	case DW_TAG_subroutine_type: return add_function(printer, die, NULL);
	case DW_TAG_base_type:
	case DW_TAG_unspecified_type:
	case DW_TAG_typedef:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return add_qualified_name(printer->types, die, printer->buffer, printer->depth);
	}
	return false;
}

static bool add_type(struct printer *printer, uint64_t reference)
{
	struct die die;
	bool known;

	if (!reference) {
		strbuf_add_string(printer->buffer, "void");
		return true;
	}
	if (printer->depth >= DEPTH_MAX || printer->buffer->length > LENGTH_MAX ||
	    !type_at(printer, reference, &die))
		return false;
	printer->depth++;
	known = add_type_die(printer, &die);
	printer->depth--;
	return known;
}

static bool add_enumerator(struct printer *printer, const struct die *enumeration, int64_t value)
{
	struct strbuf *buffer = printer->buffer;
	size_t start = buffer->length;
	int64_t constant;

	if (!add_qualified_name(printer->types, enumeration, buffer, printer->depth))
		return false;
	children_each (die, enumeration) {
		if (!die_value(&die, SLOT_CONST_VALUE, &constant) || constant != value ||
		    !die_name(&die))
			continue;
		if (!die_flag(enumeration, SLOT_ENUM_CLASS)) {
			/* the enumerators belong to the scope around the enum */
			const char *name = die_name(enumeration);

			buffer->length -= name ? strlen(name) : 0;
			buffer->data[buffer->length] = 0;
		} else {
			strbuf_add_string(buffer, "::");
		}
		strbuf_add_string(buffer, die_name(&die));
		return true;
	}
	buffer->length = start;
	buffer->data[start] = 0;
	return false;
}

static void add_character(struct strbuf *buffer, uint64_t value)
{
	if (value >= ' ' && value < 127 && value != '\'' && value != '\\')
		strbuf_add_format(buffer, "'%c'", (char)value);
	else
		strbuf_add_format(buffer, "'\\x%02x'", (unsigned int)(value & 0xff));
}

/* Returns the suffix of literals of a type, or NULL if a value of the type is written as a cast. */
static const char *literal_suffix(const char *type)
{
	static const char *const suffixes[][2] = {
		{ "int", "" },         { "unsigned int", "U" },
		{ "long", "L" },       { "unsigned long", "UL" },
		{ "long long", "LL" }, { "unsigned long long", "ULL" },
	};

	for (size_t i = 0; i < COUNT_OF(suffixes); i++)
		if (strcmp(type, suffixes[i][0]) == 0)
			return suffixes[i][1];
	return NULL;
}

static bool type_name_add_integer(struct printer *printer, const struct die *parameter,
				  const struct die *base)
{
	struct strbuf *buffer = printer->buffer;
	const char *name = die_name(base);
	uint64_t encoding = 0, value;
	int64_t number;

	if (!name || !die_unsigned(base, SLOT_ENCODING, &encoding) ||
	    !die_unsigned(parameter, SLOT_CONST_VALUE, &value) ||
	    !die_value(parameter, SLOT_CONST_VALUE, &number))
		return false;
	if (encoding == DW_ATE_boolean) {
		strbuf_add_string(buffer, value ? "true" : "false");
		return true;
	}
	if (strcmp(name, "char") == 0) {
		add_character(buffer, value & 0xff);
		return true;
	}
	if (!literal_suffix(name))
		strbuf_add_format(buffer, "(%s)", name);
	if (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char)
		strbuf_add_format(buffer, "%lld", (long long)number);
	else
		strbuf_add_format(buffer, "%llu", (unsigned long long)value);
	strbuf_add_string(buffer, literal_suffix(name) ? literal_suffix(name) : "");
	return true;
}

static bool add_value(struct printer *printer, const struct die *parameter)
{
	uint64_t reference = die_type_target(parameter);
	int64_t value;
	struct die type;

	for (int i = 0; i < DEPTH_MAX; i++) {
		if (!type_at(printer, reference, &type))
			return false;
		if (type.tag == DW_TAG_base_type)
			return type_name_add_integer(printer, parameter, &type);
		if (type.tag == DW_TAG_enumeration_type)
			return die_value(parameter, SLOT_CONST_VALUE, &value) &&
			       add_enumerator(printer, &type, value);
		if (type.tag != DW_TAG_typedef && type.tag != DW_TAG_const_type)
			return false; /* an address, whose symbol is not known here */
		reference = die_type_target(&type);
	}
	return false;
}

static bool add_argument(struct printer *printer, const struct die *parameter)
{
	const char *name;

	switch (parameter->tag) {
	case DW_TAG_template_type_parameter: return add_type(printer, die_type_target(parameter));
	case DW_TAG_template_value_parameter: return add_value(printer, parameter);
	case DW_TAG_GNU_template_template_param:
		name = die_string(parameter, SLOT_TEMPLATE_NAME);
		strbuf_add_string(printer->buffer, name ?: "");
		return name != NULL;
	}
	return false;
}

/* Adds the arguments among the children of `parent`, a record or a pack, and counts them. */
static bool add_arguments(struct printer *printer, const struct die *parent, size_t *count,
			  bool *any)
{
	children_each (die, parent) {
		switch (die.tag) {
		case DW_TAG_GNU_template_parameter_pack:
			*any = true;
			if (parent->tag == die.tag || !add_arguments(printer, &die, count, any))
				return false;
			break;
		case DW_TAG_template_type_parameter:
		case DW_TAG_template_value_parameter:
		case DW_TAG_GNU_template_template_param:
			*any = true;
			if ((*count)++)
				strbuf_add_string(printer->buffer, ", ");
			if (printer->buffer->length > LENGTH_MAX || !add_argument(printer, &die))
				return false;
			break;
		}
	}
	return true;
}

/* Appends "<int, 3>" for an instance of a C++ template whose name lacks it. Appends nothing if the
 * name has its arguments, or if one of them cannot be spelled. */
static void add_template_arguments(struct dwarf_types *types, const struct die *die,
				   struct strbuf *buffer, int depth)
{
	struct printer printer = { .types = types, .buffer = buffer, .depth = depth };
	const char *name = die_name(die);
	size_t start = buffer->length, count = 0;
	bool any = false;

	if (die->unit->language != LANGUAGE_CXX || !die->has_children || !name || strchr(name, '<'))
		return;
	strbuf_add_char(buffer, '<');
	if (depth < DEPTH_MAX && add_arguments(&printer, die, &count, &any) && any) {
		/* clang writes "> >", as C++98 needs it */
		if (buffer->data[buffer->length - 1] == '>')
			strbuf_add_char(buffer, ' ');
		strbuf_add_char(buffer, '>');
		return;
	}
	buffer->length = start;
	buffer->data[start] = 0;
}
