// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A record as C source: its members as they were declared, and stand-ins for the names that they
 * use, so that the result compiles by itself. Implements layout_facts_declare().
 *
 * The stand-in for a typedef is the typedef itself. The stand-in for a record within the record is
 * one of the same size and alignment. Records that are only pointed to are only declared.
 */
#include <ctype.h>
#include <inttypes.h>

#include "annotate/types/fit.h"
#include "dwarf/types/type.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/type_name.h"
#include "profiler/resolve/layout_facts.h"

#define DEPTH_MAX  32   /* of nested types; deeper ones come from damaged files */
#define ALIGN_MAX  4096 /* larger alignments are not guessed */
#define VECTOR_MAX 64   /* alignment of the largest vectors */

/* ---- alignment ---- */

uint64_t members_end(const struct member *members, size_t count)
{
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++)
		if (members[i].offset >= 0 && (uint64_t)members[i].offset + members[i].size > end)
			end = (uint64_t)members[i].offset + members[i].size;
	return end;
}

/* Returns the alignment that makes a record of `size` bytes whose members end at `end`, if
 * `natural` does not: the one that the declaration asks for. 0: none does. */
static uint64_t asked_align(uint64_t size, uint64_t end, uint64_t natural)
{
	if (!end || size < end + natural)
		return 0;
	for (uint64_t align = natural * 2; align <= ALIGN_MAX; align *= 2)
		if (round_up(end, align) == size)
			return align;
	return 0;
}

/* Returns the psABI's alignment of a memberless type (x86-64, table 3.1; vectors: size). */
static uint64_t scalar_align(const struct type *type)
{
	uint64_t size = type_size_or(type, 0), most = 16, align = 1;

	/* two numbers, each of which is aligned for itself */
	if (type->flags & TYPE_COMPLEX)
		size /= 2;
	/* made of words, and pointers to members of two */
	if (type->kind == TYPE_MEMBER_POINTER || (type->name && strstr(type->name, "_BitInt")))
		most = 8;
	if (type->flags & TYPE_VECTOR)
		most = VECTOR_MAX;
	while (align < most && align * 2 <= size && size % (align * 2) == 0)
		align *= 2;
	return align;
}

/* Returns the alignment, perhaps a lower one, that typedefs give a type; 0: none does. */
static uint64_t typedef_align(const struct type *type)
{
	for (int depth = 0;
	     depth < DEPTH_MAX && (type->kind == TYPE_TYPEDEF || type->kind == TYPE_QUALIFIED);
	     depth++, type = type_target(type))
		if (type->alignment)
			return type->alignment;
	return 0;
}

/* Returns the alignment of a type by its declarations and the psABI, at least 1. A record may ask
 * for more than its members do, which is in the debug information, or else shown by its size: this
 * counts for records within the type, and for the type itself if `asks` is set. */
static uint64_t natural_align(const struct type *type, int depth, bool asks);

/* The same for a record. */
static uint64_t record_align(const struct type *type, int depth, bool asks)
{
	const struct member *members;
	size_t count, base_count;
	uint64_t align = 1, declared;

	members = type_members(type, &count);
	for (size_t i = 0; i < count; i++) {
		bool variant = members[i].is_variant;
		uint64_t inner = natural_align(members[i].type, depth + 1, !variant);

		if (members[i].alignment > inner && asks)
			inner = members[i].alignment;
		align = inner > align ? inner : align;
		/* room after a small variant belongs to the others */
		asks &= !variant;
	}
	if (!asks)
		return align;
	if (type->alignment > align)
		return type->alignment;
	/* virtual bases lie behind the members, wherever that is */
	type_virtual_bases(type, &base_count);
	declared = base_count
			   ? 0
			   : asked_align(type_size_or(type, 0), members_end(members, count), align);
	return declared ?: align;
}

static uint64_t natural_align(const struct type *type, int depth, bool asks)
{
	enum type_result which = asks ? TYPE_RESULT_NATURAL_ASKED : TYPE_RESULT_NATURAL;
	uint64_t align, declared = typedef_align(type);
	uint32_t kept;

	type = type_strip(type);
	if (depth > DEPTH_MAX)
		return 1;
	if (declared && asks)
		return declared;
	if (type->kind == TYPE_ARRAY && !(type->flags & TYPE_VECTOR))
		return natural_align(type_target(type), depth + 1, true);
	if (!type_is_record(type))
		return type->alignment ?: scalar_align(type);
	if (type_result(type, which, &kept))
		return kept;
	align = record_align(type, depth, asks);
	/* such a number is damage; without it, each record is walked once */
	align = align < UINT32_MAX ? align : 1;
	type_keep_result(type, which, (uint32_t)align);
	return align;
}

static uint64_t member_align(const struct type *type)
{
	return natural_align(type, 0, true);
}

static bool is_cut(const struct type *type)
{
	return type_size_or(type, 0) % natural_align(type, 0, false) != 0;
}

/* Returns whether the record is packed: a member or its size breaks the natural alignment. */
static bool is_packed(const struct type *type)
{
	size_t count;
	const struct member *members = type_members(type, &count);

	for (size_t i = 0; i < count; i++) {
		uint64_t align = member_align(members[i].type);

		if (!members[i].bit_size && members[i].offset >= 0 &&
		    (uint64_t)members[i].offset % align)
			return true;
	}
	/* classes of D end with their last member */
	return type->kind != TYPE_CLASS && !(count && members->is_base) && is_cut(type);
}

/* Returns how many bytes at the beginning of the record have no description: a header that the
 * language keeps there. An empty base class, or a bitfield without a name, explains padding. */
static uint64_t hidden_header(const struct type *type)
{
	const struct type *record = type;
	const struct member *first;
	uint64_t start = 0;
	bool padded = false;
	int depth = 0;

	do {
		first = NULL;
		members_each (member, type_members, record) {
			size_t parts = 1;

			if (member->is_base)
				type_members(type_strip(member->type), &parts);
			padded |= !parts || member->bit_size;
			if (parts && (!first || member->offset < first->offset))
				first = member;
		}
		if (!first || first->offset < 0)
			return 0;
		start += (uint64_t)first->offset;
		record = type_strip(first->type);
	} while (first->is_base && depth++ < DEPTH_MAX);
	return start >= natural_align(padded ? type : record, 0, false) ? start : 0;
}

/* The state of writing C. */
struct c_source {
	struct arena *arena;
	struct strbuf prelude;
	struct string_pool names;
	struct hash_map declared; /* of interned names, by pointer and kind */
	const struct type *self;  /* the record that is being written */
	bool failed;              /* some member cannot be declared in C */
};

enum declared_form { DECLARED_FORWARD, DECLARED_WHOLE };

/* Returns true at the first call with this name and form. */
static bool first_time(struct c_source *source, const char *keyword, const char *name,
		       enum declared_form form)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	bool created;

	strbuf_add_format(&text, "%s %s %d", keyword, name, form);
	hash_map_insert(&source->declared, (uintptr_t)string_pool_intern(&source->names, text.data),
			&created);
	return created;
}

static bool is_c_name(const char *name)
{
	return name && is_c_identifier(name);
}

static const char *keyword_of(const struct type *type)
{
	return type->kind == TYPE_UNION ? "union" : type->kind == TYPE_ENUM ? "enum" : "struct";
}

static void declare_names(struct c_source *source, const struct type *type, bool whole, int depth);
static void write_record(struct c_source *source, const struct type *type, int indent,
			 struct strbuf *text, int depth);

/* Makes the tag a name by itself, as C++ has it. */
static void name_tag(struct c_source *source, const struct type *type)
{
	if (type->flags & TYPE_SCOPED && first_time(source, "typedef", type->name, DECLARED_WHOLE))
		strbuf_add_format(&source->prelude, "typedef %s %s %s;\n", keyword_of(type),
				  type->name, type->name);
}

/* Returns whether the words of a number's type are those of C's types, gcc's or clang's. */
static bool is_c_number(const char *name)
{
	static const char *const words[] = { "char",       "int",        "long",        "short",
					     "unsigned",   "signed",     "float",       "double",
					     "_Bool",      "complex",    "_Complex",    "__int128",
					     "_Float16",   "_Float32",   "_Float64",    "_Float128",
					     "_Float32x",  "_Float64x",  "__float128",  "__bf16",
					     "_Decimal32", "_Decimal64", "_Decimal128", "__fp16" };

	while (*name) {
		size_t length = strcspn(name, " ");

		if (!any_of(i, 0, COUNT_OF(words), text_is(name, length, words[i])))
			return starts_with(name, "_BitInt(");
		name += length;
		name += *name == ' ';
	}
	return true;
}

/* Declares the numbers that C has in headers, and those that compilers call by names which C does
 * not know. Numbers of other languages ("int64", "u32") are no types of C. */
static void declare_number(struct c_source *source, const struct type *type)
{
	static const struct {
		const char *name, *type;
	} types[] = { { "bool", "_Bool" },
		      { "wchar_t", "int" },
		      { "char8_t", "unsigned char" },
		      { "char16_t", "unsigned short" },
		      { "char32_t", "unsigned int" } };

	for (size_t i = 0; type->name && i < COUNT_OF(types); i++) {
		if (strcmp(type->name, types[i].name) != 0)
			continue;
		if (first_time(source, "typedef", type->name, DECLARED_WHOLE))
			strbuf_add_format(
				&source->prelude,
				"#if !defined __cplusplus%s\ntypedef %s %s;\n#endif\n",
				!strcmp(type->name, "bool") ? " && __STDC_VERSION__ < 202311L" : "",
				types[i].type, types[i].name);
		return;
	}
	if (!type->name || !is_c_number(type->name))
		source->failed = true;
	else if (starts_with(type->name, "complex ") &&
		 first_time(source, "macro", "complex", DECLARED_WHOLE))
		strbuf_add_string(&source->prelude, "#define complex __complex__\n");
}

/* Writes a record of the same size and alignment. Also one without bytes may align what follows. */
static void write_stand_in(struct c_source *source, const struct type *type)
{
	uint64_t align = member_align(type);

	if (is_packed(type))
		align = 1;
	strbuf_add_format(&source->prelude,
			  "%s %s { _Alignas(%" PRIu64 ") unsigned char stand_in[%" PRIu64 "]; };\n",
			  keyword_of(type), type->name, align, type_size_or(type, 0));
}

static void declare_record(struct c_source *source, const struct type *type, bool whole, int depth)
{
	size_t count;
	const struct member *members;

	if (!type->name) {
		members = type_members(type, &count);
		for (size_t i = 0; i < count; i++)
			declare_names(source, members[i].type, whole, depth + 1);
		return;
	}
	if (!is_c_name(type->name)) {
		source->failed = true;
		return;
	}
	name_tag(source, type);
	if (type == source->self)
		return;
	if (first_time(source, keyword_of(type), type->name, DECLARED_FORWARD))
		strbuf_add_format(&source->prelude, "%s %s;\n", keyword_of(type), type->name);
	/* a record without members has no bytes in C; a declared one is no member */
	if (whole && !(type->flags & TYPE_DECLARATION) &&
	    first_time(source, keyword_of(type), type->name, DECLARED_WHOLE))
		write_stand_in(source, type);
}

static void declare_enum(struct c_source *source, const struct type *type)
{
	if (!type->name)
		return;
	if (!is_c_name(type->name))
		source->failed = true;
	else if (first_time(source, "enum", type->name, DECLARED_WHOLE))
		strbuf_add_format(&source->prelude, "enum %s%s { %s_stand_in%s };\n",
				  type_size_or(type, 0) != 4 ? "__attribute__((packed)) " : "",
				  type->name, type->name,
				  type_size_or(type, 0) == 8   ? " = 1L << 40"
				  : type_size_or(type, 0) == 2 ? " = 1 << 12"
							       : "");
	if (is_c_name(type->name))
		name_tag(source, type);
}

/* As type_declarator(). C before version 23 writes a function without parameters "f()", not
 * "f(...)". */
static void c_declarator(const struct type *type, const char *name, struct strbuf *base,
			 struct strbuf *declarator)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *at, *next;

	type_declarator(type, name, base, &text);
	for (at = text.data; (next = strstr(at, "(...)")); at = next + strlen("(...)"))
		strbuf_add_format(declarator, "%.*s()", (int)(next - at), at);
	strbuf_add_string(declarator, at);
}

/* Returns whether compilers know the name without a header. */
static bool is_built_in(const char *name)
{
	return starts_with(name, "__builtin_") || starts_with(name, "__int128") ||
	       !strcmp(name, "_Bool") || !strcmp(name, "__gnuc_va_list");
}

static void declare_typedef(struct c_source *source, const struct type *type, bool whole, int depth)
{
	const struct type *target = type_target(type);
	_cleanup_strbuf_ struct strbuf base = STRBUF_INIT, declarator = STRBUF_INIT;

	if (!is_c_name(type->name)) {
		source->failed = true;
		return;
	}
	/* a target without a name must be complete, even if only a pointer to it is needed */
	declare_names(source, target, whole, depth + 1);
	/* if the target cannot be declared in C, neither can the typedef */
	if (source->failed || is_built_in(type->name) ||
	    !first_time(source, "typedef", type->name, DECLARED_WHOLE))
		return;
	if (type_is_record(type_strip(target)) && target->kind != TYPE_TYPEDEF &&
	    !type_strip(target)->name) {
		const struct type *record = type_strip(target);
		uint64_t align = is_packed(record) ? 1 : member_align(record);

		strbuf_add_format(&source->prelude,
				  "typedef %s { _Alignas(%" PRIu64
				  ") unsigned char stand_in[%" PRIu64 "]; } %s;\n",
				  keyword_of(record), align, type_size_or(record, 0), type->name);
		return;
	}
	if (type_strip(target)->kind == TYPE_ENUM && target->kind != TYPE_TYPEDEF &&
	    !type_strip(target)->name) {
		strbuf_add_format(&source->prelude, "typedef %s %s;\n",
				  type_size_or(target, 0) == 8   ? "long"
				  : type_size_or(target, 0) == 2 ? "short"
				  : type_size_or(target, 0) == 1 ? "signed char"
								 : "int",
				  type->name);
		return;
	}
	c_declarator(target, type->name, &base, &declarator);
	strbuf_add_format(&source->prelude, "typedef %s %s;\n", base.data, declarator.data);
}

/* Adds the names that the declaration of a member of this type needs. `whole`: the type must be
 * complete, because the member is more than a pointer to it. */
static void declare_names(struct c_source *source, const struct type *type, bool whole, int depth)
{
	if (depth > DEPTH_MAX) {
		source->failed = true;
		return;
	}
	switch (type->kind) {
	case TYPE_POINTER: declare_names(source, type_target(type), false, depth + 1); break;
	case TYPE_ARRAY:
		/* the elements of an array must be complete, even for a pointer to the array */
		declare_names(source, type_target(type), true, depth + 1);
		break;
	case TYPE_QUALIFIED: declare_names(source, type_target(type), whole, depth + 1); break;
	case TYPE_TYPEDEF: declare_typedef(source, type, whole, depth); break;
	case TYPE_STRUCT:
	case TYPE_CLASS:
	case TYPE_UNION: declare_record(source, type, whole, depth); break;
	case TYPE_ENUM: declare_enum(source, type); break;
	case TYPE_FUNCTION: {
		size_t count;
		const struct parameter *parameters = type_parameters(type, &count);

		declare_names(source, type_target(type), false, depth + 1);
		for (size_t i = 0; i < count; i++)
			declare_names(source, parameters[i].type, false, depth + 1);
		break;
	}
	case TYPE_INTEGER:
	case TYPE_FLOAT: declare_number(source, type); break;
	case TYPE_VOID: break;
	default: source->failed = true;
	}
}

/* ---- members ---- */

static void add_tabs(struct strbuf *text, int count)
{
	strbuf_add_repeated(text, '\t', (size_t)count);
}

/* Returns the unnamed record that the declaration must spell out, also of an array; or NULL. */
static const struct type *unnamed_record(const struct type *type)
{
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		if (type->kind == TYPE_ARRAY || type->kind == TYPE_QUALIFIED ||
		    type->kind == TYPE_POINTER)
			type = type_target(type);
		else
			break;
	}
	return (type_is_record(type) || type->kind == TYPE_ENUM) && !type->name ? type : NULL;
}

static void add_bits(const struct member *member, struct strbuf *text)
{
	if (member->bit_size)
		strbuf_add_format(text, " : %u", member->bit_size);
}

/* Writes the declaration of a member, with its semicolon and without its first indent. `last`: it
 * may be a flexible array; C wants the length 0 of other arrays without elements. */
static void write_member(struct c_source *source, const struct member *member, bool last,
			 int indent, struct strbuf *text, int depth)
{
	_cleanup_strbuf_ struct strbuf base = STRBUF_INIT, name = STRBUF_INIT,
				       declarator = STRBUF_INIT;
	const struct type *unnamed = unnamed_record(member->type);
	const char *rest, *empty;

	source->failed |= member->name && !is_c_name(member->name);
	c_declarator(member->type, member->name, &base, &name);
	empty = last || type_size_or(member->type, 0) ? NULL : strstr(name.data, "[]");
	strbuf_add(&declarator, name.data, empty ? (size_t)(empty - name.data) : name.length);
	if (empty)
		strbuf_add_format(&declarator, "[0]%s", empty + strlen("[]"));
	if (!unnamed) {
		declare_names(source, member->type, true, depth);
		/* "struct list *" and "next": the star is at the end of the first part */
		bool star = base.length && base.data[base.length - 1] == '*';

		strbuf_add_format(text, "%s%s%s", base.data, declarator.length && !star ? " " : "",
				  declarator.data);
		add_bits(member, text);
		strbuf_add_char(text, ';');
		return;
	}
	if (unnamed->kind == TYPE_ENUM) {
		const char *integer = advice_integer(type_size_or(unnamed, 0));

		strbuf_add_format(text, "unsigned %s %s", integer ?: "int", declarator.data);
		add_bits(member, text);
		strbuf_add_char(text, ';');
		return;
	}
	strbuf_add_format(text, "%s {\n", keyword_of(unnamed));
	write_record(source, unnamed, indent + 1, text, depth + 1);
	add_tabs(text, indent);
	strbuf_add_char(text, '}');
	if (member_align(unnamed) != natural_align(unnamed, 0, false))
		strbuf_add_format(text, " __attribute__((aligned(%" PRIu64 ")))",
				  member_align(unnamed));
	/* what follows the keyword in the first part: a pointer's star */
	rest = strchr(base.data, '*');
	if (rest)
		strbuf_add_format(text, " %s", rest);
	if (declarator.length)
		strbuf_add_format(text, "%s%s", rest ? "" : " ", declarator.data);
	strbuf_add_char(text, ';');
}

static uint64_t first_bit(const struct member *member)
{
	return 8 * (uint64_t)member->offset + member->bit_offset;
}

/* The most unnamed bitfields that are written in a row. */
#define UNNAMED_MAX 64

/* Writes the unnamed bitfields that debug information leaves out between the bit `end` and the next
 * bitfield. One of width 0 goes on to the next unit. */
static void add_bit_gap(const struct member *member, uint64_t end, int indent, struct strbuf *text)
{
	uint64_t first = first_bit(member), size = type_size_or(member->type, 0);
	const char *unit = advice_integer(size);

	if (!unit)
		return;
	for (int i = 0; end < first && i < UNNAMED_MAX; i++) {
		uint64_t next = end - end % (8 * size) + 8 * size;
		bool rest = next <= first && end % (8 * size);

		lower_to(next, first);
		strbuf_add_format(text, "unsigned %s : %" PRIu64 ";\n", unit,
				  rest ? 0 : next - end);
		add_tabs(text, indent);
		end = next;
	}
}

/* Writes the bytes of unnamed bitfields from `end` to a member, or to the end of a record, if its
 * alignment does not lead there. */
static void add_byte_gap(uint64_t end, uint64_t offset, uint64_t align, int indent,
			 struct strbuf *text)
{
	if (offset <= round_up(end, align) || offset - end >= UNNAMED_MAX)
		return;
	for (; end < offset; end++) {
		add_tabs(text, indent);
		strbuf_add_string(text, "unsigned char : 8;\n");
	}
}

static void write_record(struct c_source *source, const struct type *type, int indent,
			 struct strbuf *text, int depth)
{
	size_t count;
	const struct member *members = type_members(type, &count);
	uint64_t end = 0; /* bit after the member before */

	if (depth > DEPTH_MAX)
		source->failed = true;
	for (size_t i = 0; i < count && depth <= DEPTH_MAX; i++) {
		if (!members[i].bit_size)
			add_byte_gap((end + 7) / 8, (uint64_t)members[i].offset,
				     member_align(members[i].type), indent, text);
		add_tabs(text, indent);
		if (members[i].bit_size)
			add_bit_gap(&members[i], end, indent, text);
		end = first_bit(&members[i]) + (members[i].bit_size ?: 8 * members[i].size);
		write_member(source, &members[i], false, indent, text, depth + 1);
		strbuf_add_char(text, '\n');
	}
	if (type->kind != TYPE_UNION || !count)
		add_byte_gap((end + 7) / 8, type_size_or(type, 0), member_align(type), indent,
			     text);
}

/* ---- the members of the whole type ---- */

/* The state of collecting members. */
struct declaring {
	struct c_source source;
	struct advice_type *result;
	size_t capacity;
	uint64_t bits_end;    /* bit of the record after the last bitfield */
	struct strbuf run;    /* declaration of a run of bitfields, until it ends; else empty */
	bool run_has_gap;     /* an unnamed bitfield is in it */
	bool fixed_bits;      /* some run would lie otherwise elsewhere */
	struct strbuf linked; /* names of members that objects are linked through */
};

static const char *keep(struct declaring *declaring, const struct strbuf *text)
{
	return arena_strdup(declaring->source.arena, text->data);
}

static void add_constraint(struct declaring *declaring, const char *text)
{
	advice_add_constraint(declaring->result, declaring->source.arena, RISK_NONE, text);
}

/* Returns the name of a member; one without a name is named by the first one in it. */
static const char *member_name(struct declaring *declaring, const struct member *member)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const struct member *first = member;
	size_t count = 1;

	for (unsigned int depth = 0;
	     count && !first->name && !first->is_base && depth < TYPE_DEPTH_MAX; depth++) {
		const struct member *inner = type_members(type_strip(first->type), &count);

		first = count ? inner : first;
	}
	const char *name = first->name ?: type_name_interned(first->type);

	if (first == member)
		return arena_strdup(declaring->source.arena, name);
	strbuf_add_format(&text, "(%s of %s ...)", keyword_of(type_strip(member->type)), name);
	return keep(declaring, &text);
}

/* Returns whether the member is an array without a size that ends the record. An array of no
 * elements between other members is only a mark, also if there are few bytes after it. */
static bool is_flexible(const struct member *member, const struct type *record)
{
	const struct type *type = type_strip(member->type);
	size_t count;
	const struct member *members = type_members(record, &count);

	return type->kind == TYPE_ARRAY && !type_size_or(type, 0) && member->offset >= 0 &&
	       type_size_or(record, 0) && (uint64_t)member->offset + 8 >= type_size_or(record, 0) &&
	       (record->kind == TYPE_UNION ||
		!any_of(i, 0, count,
			members[i].offset >= member->offset && type_size_or(members[i].type, 0)));
}

/* Returns whether the member is an array of one element that ends the record: the form of a
 * flexible array before C99. */
static bool may_be_longer(const struct member *member, const struct type *record)
{
	const struct type *type = type_strip(member->type);
	uint64_t size = type_size_or(type, 0);
	size_t count;
	const struct member *members = type_members(record, &count);

	return type->kind == TYPE_ARRAY && size && size == type_size_or(type_target(type), 0) &&
	       !any_of(i, 0, count, members[i].offset > member->offset);
}

/* Returns whether a value of the type ends in a flexible array: it is one, or its last member, or
 * one of a union's that reaches its end, does. */
static bool ends_flexibly(const struct type *type, int depth)
{
	const struct type *record = type_strip(type);
	const struct member *members;
	uint64_t size = type_size_or(record, 0);
	size_t count;

	if (depth > DEPTH_MAX || !type_is_record(record) || type_is_vast(record))
		return false;
	members = type_members(record, &count);
	for (size_t i = 0; i < count; i++) {
		uint64_t inner = type_size_or(members[i].type, 0);
		bool last =
			members[i].offset >= 0 && (record->kind == TYPE_UNION ||
						   (uint64_t)members[i].offset + inner + 8 > size);

		if (last && (is_flexible(&members[i], record) ||
			     (inner && ends_flexibly(members[i].type, depth + 1))))
			return true;
	}
	return false;
}

static bool is_linked(const struct type *type)
{
	static const char *const names[] = { "struct list_head",   "struct hlist_node",
					     "struct rb_node",     "struct llist_node",
					     "struct rcu_head",    "struct hlist_nulls_node",
					     "struct work_struct", "struct kref" };

	return any_of(i, 0, COUNT_OF(names), !strcmp(type_name_interned(type), names[i]));
}

static void pin(struct declaring *declaring, const struct type *type, const struct member *member,
		struct advice_member *result)
{
	const struct type *stripped = type_strip(member->type);

	if (is_flexible(member, type)) {
		result->flags |= MEMBER_LAST;
		result->pinned = "a flexible array stays last";
	} else if (may_be_longer(member, type)) {
		result->flags |= MEMBER_LAST;
		result->pinned = "an array of one element may have more in memory: it stays last";
	} else if (ends_flexibly(member->type, 0)) {
		/* what lies after it, if anything does, is overwritten */
		result->flags |= MEMBER_LAST;
		result->pinned = "it ends in a flexible array, so it stays last";
	} else if (member->is_base || member->is_artificial) {
		result->flags |= MEMBER_FIRST;
		result->pinned = "base classes and the vtable pointer stay first";
	} else if (!member->offset && type_is_record(stripped) && !member->bit_size &&
		   !(type->flags & TYPE_SCOPED) && !(type->name && strchr(type->name, '.'))) {
		/* in C alone: C++ has base classes for this, and Go, whose names have dots, none */
		result->flags |= MEMBER_FIRST;
		result->pinned =
			member->name
				? "code may cast between this record and the embedded one that "
				  "comes first"
				: "code may cast between this record and others that begin like it";
	}
	if (is_linked(member->type))
		strbuf_add_format(&declaring->linked, "%s%s", declaring->linked.length ? ", " : "",
				  result->name);
}

/* Writes a member whose type has no name in C, such as those of C++: as bytes of the same size and
 * alignment, with its declaration as a comment. */
static void write_bytes(const struct member *member, const char *name, struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf base = STRBUF_INIT, declarator = STRBUF_INIT;
	uint64_t size = type_size_or(member->type, 0);

	type_declarator(member->type, member->name, &base, &declarator);
	if (member->bit_size) {
		strbuf_add_format(text, "unsigned %s ",
				  advice_integer(size) ? advice_integer(size) : "int");
	} else {
		strbuf_add_format(text, "_Alignas(%" PRIu64 ") unsigned char ",
				  member_align(member->type));
	}
	if (!is_c_name(name)) /* it may be a keyword, or begin with a digit */
		strbuf_add_char(text, '_');
	for (; *name; name++)
		strbuf_add_char(text, isalnum((unsigned char)*name) ? *name : '_');
	if (member->bit_size)
		add_bits(member, text);
	else
		strbuf_add_format(text, "[%" PRIu64 "]", member->size);
	strbuf_add_string(text, "; /* ");
	strbuf_add_c_comment(text, base.data);
	strbuf_add_char(text, ' ');
	strbuf_add_c_comment(text, declarator.data);
	strbuf_add_string(text, " */");
}

/* Writes the declaration of a member of the record itself. */
static void declare_member(struct declaring *declaring, const struct member *member, bool last,
			   struct strbuf *text)
{
	size_t start = text->length;

	write_member(&declaring->source, member, last, 1, text, 0);
	if (!declaring->source.failed && !member->is_base && !member->is_artificial)
		return;
	declaring->source.failed = false;
	strbuf_truncate(text, start);
	write_bytes(member, member_name(declaring, member), text);
}

static struct advice_member *new_member(struct declaring *declaring)
{
	struct advice_type *result = declaring->result;

	if (result->member_count >= declaring->capacity) {
		size_t capacity = declaring->capacity ? 2 * declaring->capacity : 16;
		struct advice_member *all =
			arena_alloc(declaring->source.arena, capacity * sizeof(*all));

		if (result->member_count)
			memcpy(all, result->members, result->member_count * sizeof(*all));
		result->members = all;
		declaring->capacity = capacity;
	}
	return &result->members[result->member_count++];
}

/* Adds a bitfield to the run that the last member is, if no new storage unit lies between them. */
static bool join_bitfields(struct declaring *declaring, const struct member *member)
{
	struct advice_type *result = declaring->result;
	struct advice_member *last =
		result->member_count ? &result->members[result->member_count - 1] : NULL;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	uint64_t end = (uint64_t)member->offset + member->size;

	if (!last || !(last->flags & MEMBER_BITFIELDS) || !member->bit_size ||
	    (first_bit(member) > declaring->bits_end &&
	     first_bit(member) >= round_up(declaring->bits_end, 8 * member_align(member->type))))
		return false;
	/* "first,second", then "first..last" */
	size_t first = strcspn(last->name, ",.");
	bool many = last->name[first] != '\0';

	strbuf_add_format(&name, "%.*s%s%s", (int)first, last->name, many ? ".." : ",",
			  member->name ?: "(unnamed)");
	if (!declaring->run.length)
		strbuf_add_trusted(&declaring->run, last->declaration);
	strbuf_add_string(&declaring->run, "\n\t");
	declaring->run_has_gap |= first_bit(member) > declaring->bits_end;
	add_bit_gap(member, declaring->bits_end, 1, &declaring->run);
	declare_member(declaring, member, false, &declaring->run);
	declaring->bits_end = first_bit(member) + member->bit_size;
	raise_to(last->unit, member_align(member->type));
	last->name = keep(declaring, &name);
	if (end > last->offset + last->size)
		last->size = end - last->offset;
	return true;
}

/*
 * Ends a run of bitfields: the last member has its declaration, and the alignment with which the
 * run lies as it does now: no bitfield crosses the boundary of a unit of its type (psABI, 3.1.2).
 * That is the largest unit's; a run in the middle of a unit may also be where a power of two has
 * all of it.
 */
static void end_run(struct declaring *declaring)
{
	struct advice_type *result = declaring->result;
	struct advice_member *last =
		result->member_count ? &result->members[result->member_count - 1] : NULL;

	if (declaring->run.length)
		last->declaration = keep(declaring, &declaring->run);
	strbuf_reset(&declaring->run);
	if (!last || !(last->flags & MEMBER_BITFIELDS))
		return;
	last->align = last->unit;
	if (last->offset % last->unit) {
		last->align = 1;
		while (8 * (last->offset + last->align) < declaring->bits_end)
			last->align *= 2;
		declaring->fixed_bits |= declaring->run_has_gap || last->align > last->unit;
	}
	declaring->run_has_gap = false;
}

/* Returns whether the member is a base class without members, which takes no bytes. */
static bool is_empty_base(const struct member *member, int depth)
{
	const struct type *type = type_strip(member->type);
	size_t count;
	const struct member *inner;

	if (!member->is_base || !type_is_record(type) || type->flags & TYPE_DECLARATION ||
	    depth > DEPTH_MAX)
		return false;
	inner = type_members(type, &count);
	return all_of(i, 0, count, is_empty_base(&inner[i], depth + 1));
}

static void add_member(struct declaring *declaring, const struct type *type,
		       const struct member *member)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	struct advice_member *result;

	if (member->offset < 0 || is_empty_base(member, 0) || join_bitfields(declaring, member))
		return;
	end_run(declaring);
	result = new_member(declaring);
	if (member->bit_size && first_bit(member) % 8) {
		declaring->run_has_gap = true;
		strbuf_add_format(&text, "unsigned char : %" PRIu64 ";\n\t", first_bit(member) % 8);
	}
	declare_member(declaring, member, is_flexible(member, type), &text);
	declaring->bits_end = first_bit(member) + member->bit_size;
	*result = (struct advice_member){
		.name = member_name(declaring, member),
		.declaration = keep(declaring, &text),
		.offset = (uint64_t)member->offset,
		.size = member->size,
		.align = member_align(member->type),
	};
	if (member->bit_size) {
		result->flags |= MEMBER_BITFIELDS;
		result->unit = result->align;
	}
	pin(declaring, type, member, result);
}

/* Finds members declared with an alignment: after a gap that the type does not explain. */
static void find_aligned_members(struct advice_type *result)
{
	uint64_t end = 0;

	array_each (struct advice_member, member, result->members, result->member_count) {
		uint64_t natural = round_up(end, member->align);

		for (uint64_t align = 2 * member->align;
		     align <= ALIGN_MAX && member->offset > natural &&
		     !(member->flags & MEMBER_ALIGNED) && !(member->flags & MEMBER_BITFIELDS);
		     align *= 2) {
			if (round_up(end, align) != member->offset)
				continue;
			member->align = align;
			member->flags |= MEMBER_ALIGNED;
			raise_to(result->align, align);
		}
		end = member->offset + member->size;
	}
}

/* Returns the member behind which bytes have no description, though neither padding nor a declared
 * alignment explains them: the language keeps something there (flang, behind pointers), or members
 * without a name. NULL: there is none. */
static const struct advice_member *hidden_after(const struct type *type,
						const struct advice_type *result)
{
	const struct advice_member *last = NULL;
	uint64_t size = type_size_or(type, 0), end = 0;
	size_t base_count;

	type_virtual_bases(type, &base_count);
	array_each (const struct advice_member, member, result->members, result->member_count) {
		if (last && !(member->flags & (MEMBER_ALIGNED | MEMBER_BITFIELDS)) &&
		    member->offset >= round_up(end, member->align) + member->align)
			return last;
		last = member;
		end = member->offset + member->size > end ? member->offset + member->size : end;
	}
	return !base_count && last && size >= round_up(end, result->align) + result->align &&
			       !asked_align(size, end, result->align)
		       ? last
		       : NULL;
}

/* Returns whether members overlap or lack whole bytes: they cannot be laid out anew. */
static bool overlaps(const struct advice_type *type)
{
	return any_of(i, 1, type->member_count,
		      type->members[i].offset <
			      type->members[i - 1].offset + type->members[i - 1].size);
}

/* Returns whether a run of bitfields shares its unit with a neighbour: it stays. */
static bool has_shared_units(const struct type *type)
{
	bool any = false;

	members_each (member, type_members, type)
		any |= member->bit_size != 0;
	return any;
}

/* Returns whether it is one of Rust's "path::{closure_env#0}" or "path::{async_fn_env#0}", or the
 * frame of a coroutine, which is named after its function's symbol (gcc: "_Z4loopi.Frame", clang:
 * "_Z4loopi.coro_frame_ty"). */
static bool is_made_by_compiler(const struct type *type)
{
	const char *name = type->name ?: "";

	return *type_name_last_part(name) == '{' || (starts_with(name, "_Z") && strchr(name, '.'));
}

/* Returns why no other layout of the record is proposed; NULL: there is no reason. */
static const char *refusal_of(const struct type *type, const struct advice_type *result,
			      struct arena *arena)
{
	if (type->kind == TYPE_UNION)
		return "it is a union: its members share their bytes";
	if (!type_is_record(type) || !result->member_count)
		return "it has no members";
	if (type->flags & TYPE_DYNAMIC)
		return "its size is not a constant: it depends on the object";
	if (type->flags & TYPE_DESCRIPTOR)
		return "the language lays it out: it describes an array";
	if (type_size_or(type, 0) > ADVICE_SIZE_MAX)
		return "it is larger than 1 MB: a few lines more or less do not matter to it";
	if (is_made_by_compiler(type))
		return "the compiler makes it, and orders its members itself";
	if (starts_with(type->name ?: "", VIRTUAL_TABLE_PREFIX))
		return "the compiler makes it for a class, from its virtual functions";
	if (hidden_header(type))
		return arena_format(arena,
				    "its first %" PRIu64 " bytes are not described: the language "
				    "keeps something there",
				    hidden_header(type));
	if (is_packed(type))
		return "it is packed: its layout is a format that others read";
	if (is_cut(type))
		return "its size is no multiple of its alignment: it is packed, or its language "
		       "lays "
		       "out classes so";
	if (overlaps(result))
		return "its members overlap";
	if (hidden_after(type, result))
		return arena_format(arena,
				    "bytes behind '%s' are not described: the language may keep "
				    "something there",
				    hidden_after(type, result)->name);
	return NULL;
}

static void add_general_constraints(struct declaring *declaring, const struct type *type)
{
	const struct advice_type *result = declaring->result;
	uint64_t end = 0;

	array_each (const struct advice_member, member, result->members, result->member_count) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		end = member->offset + member->size;
		if (!member->pinned)
			continue;
		strbuf_add_format(&text, "'%s': %s", member->name, member->pinned);
		add_constraint(declaring, text.data);
	}
	if (declaring->linked.length) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		strbuf_add_format(&text,
				  "container_of() follows the embedded nodes when they move: %s",
				  declaring->linked.data);
		add_constraint(declaring, text.data);
	}
	if (has_shared_units(type))
		add_constraint(declaring,
			       "bitfields that follow each other stay together, in their order");
	declaring->result->explicit_align = asked_align(type_size_or(type, 0), end, result->align);
	if (declaring->result->explicit_align)
		add_constraint(declaring,
			       "its size shows an explicit alignment, which the proposals keep");
}

/* Keeps the first member with bytes at each offset, and the first one without, as its index. */
static void index_members(const struct advice_type *result, struct hash_map *members)
{
	array_indexed (const struct advice_member, member, i, result->members,
		       result->member_count) {
		bool created;
		uint32_t *index =
			hash_map_insert(members, member->offset << 1 | !member->size, &created);

		if (created)
			*index = i;
	}
}

/* Returns the member that a member of the type belongs to, which may be a run of bitfields. */
static uint32_t member_index(const struct advice_type *result, const struct hash_map *members,
			     const struct member *member)
{
	uint64_t offset = (uint64_t)member->offset;
	bool empty = !member->bit_size && !type_size_or(member->type, 0);
	const uint32_t *index = hash_map_find(members, offset << 1 | empty);
	int found = index ? (int)*index : advice_member_at(result, offset);

	/* several members without bytes may have one offset */
	for (uint32_t i = found; index && empty && member->name && i < result->member_count &&
				 result->members[i].offset == offset;
	     i++)
		if (!strcmp(result->members[i].name, member->name))
			return i;
	return found < 0 ? 0 : (uint32_t)found;
}

/* Keeps the members in the order and with the text of their declarations. */
static void keep_declared(struct declaring *declaring, const struct member *members, size_t count)
{
	struct advice_type *result = declaring->result;
	_cleanup_map_ struct hash_map indices = { 0 };

	index_members(result, &indices);
	result->declared =
		arena_alloc(declaring->source.arena, (count + 1) * sizeof(*result->declared));
	for (size_t i = 0; i < count; i++) {
		_cleanup_strbuf_ struct strbuf base = STRBUF_INIT, declarator = STRBUF_INIT;

		if (members[i].offset < 0 || members[i].is_base || members[i].is_artificial)
			continue;
		type_declarator(members[i].type, members[i].name, &base, &declarator);
		strbuf_add_format(&base, " %s", declarator.data);
		result->declared[result->declared_count++] = (struct advice_declared){
			.name = members[i].name
					? arena_strdup(declaring->source.arena, members[i].name)
					: NULL,
			.text = unnamed_record(members[i].type) ? NULL : keep(declaring, &base),
			.member = member_index(result, &indices, &members[i]),
		};
	}
}

/* Appends the type in Rust, or in Go. Returns false if debug information does not tell it: whether
 * a pointer of Rust is a reference, or the arguments of a function. */
static bool add_native_type(const struct type *type, bool rust, int depth, struct strbuf *text)
{
	const struct type *target = type_target(type);
	uint64_t size = type_size_or(type, 0), element = target ? type_size_or(target, 0) : 0;

	if (depth > DEPTH_MAX)
		return false;
	if (type->name) {
		strbuf_add_string(text, type->name);
		return true;
	}
	if (type->kind == TYPE_ARRAY && element) {
		strbuf_add_format(text, rust ? "[" : "[%" PRIu64 "]", size / element);
		if (!add_native_type(target, rust, depth + 1, text))
			return false;
		if (rust)
			strbuf_add_format(text, "; %" PRIu64 "]", size / element);
		return true;
	}
	if (type->kind != TYPE_POINTER || rust)
		return false;
	strbuf_add_char(text, '*');
	return target && target->kind != TYPE_VOID &&
	       add_native_type(target, rust, depth + 1, text);
}

void layout_facts_translate(const struct type *type, struct arena *arena,
			    struct advice_type *result)
{
	size_t count;
	const struct member *members = type_members(type_strip(type), &count);
	uint64_t before = 0, most = 0;

	result->keeps_order = result->is_rust;
	for (size_t i = 0; i < count; i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
		int number = members[i].offset < 0
				     ? -1
				     : advice_member_at(result, (uint64_t)members[i].offset);

		result->keeps_order &= members[i].offset >= (int64_t)before;
		before = number < 0 ? before : (uint64_t)members[i].offset;
		most += members[i].size;
		if (number >= 0 && members[i].name &&
		    add_native_type(members[i].type, result->is_rust, 0, &text))
			result->members[number].native = arena_strdup(arena, text.data);
	}
	/* Rust's compiler leaves no hole that another order fills */
	result->keeps_order &= round_up(most, result->align) < result->size;
}

/* Members without bytes stay before those with bytes at the same offset. */
COMPARISON(compare_members, struct advice_member, ASCENDING(offset) ASCENDING(size))

void layout_facts_declare(const struct type *type, struct arena *arena, struct advice_type *result)
{
	struct declaring declaring = { .source = { .arena = arena, .prelude = STRBUF_TEXT },
				       .result = result,
				       .run = STRBUF_TEXT,
				       .linked = STRBUF_INIT };
	const struct type *record = type_strip(type);
	const char *name = type_name_without_keyword(type_name_interned(type));
	size_t count;
	const struct member *members = type_members(record, &count);
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	declaring.source.self = record;
	result->name = arena_strdup(arena, type_label_interned(type));
	result->tag = arena_strdup(arena, name);
	result->is_typedef = !record->name;
	/* a record without any name is called by its keyword */
	result->keyword = strcmp(name, keyword_of(record)) != 0 ? keyword_of(record) : NULL;
	result->size = type_size_or(record, 0);
	result->is_unsized = record->flags & TYPE_DYNAMIC;
	result->align = natural_align(record, 0, false);
	for (size_t i = 0; i < count; i++)
		add_member(&declaring, record, &members[i]);
	end_run(&declaring);
	/* Rust's compiler puts members where it likes */
	array_sort(result->members, result->member_count, compare_members);
	keep_declared(&declaring, members, count);
	find_aligned_members(result);
	result->refusal = refusal_of(record, result, declaring.source.arena);
	if (!result->refusal && declaring.fixed_bits)
		result->refusal = "its bitfields begin inside a storage unit, and would lie "
				  "otherwise at another place";
	if (result->keyword && is_c_name(record->name))
		strbuf_add_format(&text, "%s %s;\n", result->keyword, record->name);
	strbuf_add_text(&text, &declaring.source.prelude);
	add_general_constraints(&declaring, record);
	if (declaring.source.failed)
		result->keyword = NULL;
	if (result->explicit_align)
		result->align = result->explicit_align;
	result->prelude = keep(&declaring, &text);
	strbuf_deinit(&declaring.source.prelude);
	strbuf_deinit(&declaring.run);
	strbuf_deinit(&declaring.linked);
	string_pool_deinit(&declaring.source.names);
	hash_map_deinit(&declaring.source.declared);
}
