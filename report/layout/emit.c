// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements emit_c() and emit_rules(): a layout as C source with assertions, and as rules. */
#include "report/layout/advice.h"
#include "report/layout/rules.h"

#include <ctype.h>
#include <inttypes.h>

#include "base/strbuf.h"
#include "base/type_name.h"
#include "base/text.h"

/* The samples that a type needs for a rule on its heat. Another run may have fewer, and with fewer
 * than HEAT_SAMPLES the rule is not judged. */
#define RULE_SAMPLES (4 * HEAT_SAMPLES)
#define HOT_SHARE    0.05 /* of the type's samples: a member with more gets a rule of its own */

static bool is_plain_name(const char *name)
{
	return *name &&
	       !name[strspn(name,
			    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

/* Appends a name with "_" where C allows no character: "std__pair_int_". */
static void add_identifier(const char *name, struct strbuf *buffer)
{
	if (isdigit((unsigned char)*name) || (is_plain_name(name) && !is_c_identifier(name)))
		strbuf_add_char(buffer, '_');
	for (; *name; name++) {
		char c[2] = { *name, '\0' };

		strbuf_add_char(buffer, is_plain_name(c) ? *name : '_');
	}
}

/* Appends the name of the part's type in C: "struct neighbor", or "client" for a typedef. */
static void add_part_type(const struct advice_type *type, uint32_t part,
			  const struct advice_proposal *proposal, struct strbuf *buffer)
{
	if (!type->is_typedef)
		strbuf_add_format(buffer, "%s ", type->keyword);
	add_identifier(proposal->parts[part].name, buffer);
}

/* Appends the declaration, with further lines as they are. */
static void add_declaration(const struct advice_member *member, bool aligned, uint64_t align,
			    struct strbuf *buffer)
{
	strbuf_add_char(buffer, '\t');
	if (aligned)
		strbuf_add_format(buffer, "_Alignas(%" PRIu64 ") ", align);
	if (aligned && member->flags & MEMBER_BITFIELDS) /* they cannot be aligned */
		strbuf_add_format(buffer, "char before_%.*s[0];\n\t",
				  (int)strcspn(member->name, ",."), member->name);
	strbuf_add_trusted(buffer, member->declaration); /* of lines; its names are printable */
	strbuf_add_char(buffer, '\n');
}

static void emit_pointer(const struct advice_type *type, const struct advice_proposal *proposal,
			 uint32_t part, struct strbuf *buffer)
{
	strbuf_add_char(buffer, '\t');
	add_part_type(type, part + 1, proposal, buffer);
	strbuf_add_format(buffer, " *%s;\n", proposal->parts[part].pointer_name ?: "cold");
}

/* The most bytes of unnamed bitfields that are written. */
#define UNNAMED_MAX 64

/* Appends the bytes from `end` to an offset, as unnamed bitfields. */
static void emit_unnamed(uint64_t end, uint64_t offset, struct strbuf *buffer)
{
	if (offset - end < UNNAMED_MAX)
		for (; end < offset; end++)
			strbuf_add_string(buffer, "\tunsigned char : 8;\n");
}

/* Appends unnamed bitfields that lead from `end` to the offset of a run, or of a member to which
 * its alignment does not lead: one of width 0, which ends a storage unit, or if that is not enough,
 * the bytes. */
static void emit_unit_start(const struct advice_member *member, uint64_t end, uint64_t offset,
			    struct strbuf *buffer)
{
	const char *unit = advice_integer(member->align);

	if (unit && round_up(end, member->align) == offset)
		strbuf_add_format(buffer, "\tunsigned %s : 0;\n", unit);
	else
		emit_unnamed(end, offset, buffer);
}

/* ---- groups of a kernel's record ---- */

/* The members of a kernel's record that are used a lot, in each cacheline, form a group: from the
 * first to the last of them in the line, between __cacheline_group_begin() and _end() of
 * <linux/cache.h>, whose assertions keep them there. */
static bool is_grouped(const struct advice_type *type, const struct advice_proposal *proposal,
		       size_t place)
{
	const struct advice_placed *placed = &proposal->placed[place];
	const struct advice_member *member = &type->members[placed->member];

	return type->is_kernel && !placed->part && is_plain_name(member->name) && member->size &&
	       !(member->flags & MEMBER_BITFIELDS) &&
	       (affinity_use(type, placed->member) >= HOT_SHARE ||
		(double)member->samples >= HOT_SHARE * (double)type->samples);
}

/* Returns whether another member of the group lies before (or after) this one in the line. */
static bool has_neighbour(const struct advice_type *type, const struct advice_proposal *proposal,
			  size_t place, const struct advice_machine *machine, bool before)
{
	uint64_t line = proposal->placed[place].offset / machine->cacheline;

	return any_of(i, 0, type->member_count,
		      (before ? i < place : i > place) && is_grouped(type, proposal, i) &&
			      proposal->placed[i].offset / machine->cacheline == line);
}

/* Begins the group of a line before its first member, or ends it after its last one. */
static void emit_group_ends(const struct advice_type *type, const struct advice_proposal *proposal,
			    size_t place, const struct advice_machine *machine, bool begin,
			    struct strbuf *buffer)
{
	if (is_grouped(type, proposal, place) &&
	    !has_neighbour(type, proposal, place, machine, begin))
		strbuf_add_format(buffer, "\t__cacheline_group_%s(%s_line%" PRIu64 ");\n",
				  begin ? "begin" : "end", type->tag,
				  proposal->placed[place].offset / machine->cacheline);
}

static bool has_groups(const struct advice_type *type, const struct advice_proposal *proposal)
{
	return any_of(i, 0, type->member_count, is_grouped(type, proposal, i));
}

/* Stand-ins for the macros of <linux/cache.h>, for a compiler without the kernel's headers. */
static const char group_macros[] =
	"#ifndef CACHELINE_ASSERT_GROUP_MEMBER\n"
	"#define __cacheline_group_begin(group) char __cacheline_group_begin__##group[0]\n"
	"#define __cacheline_group_end(group) char __cacheline_group_end__##group[0]\n"
	"#define CACHELINE_ASSERT_GROUP_MEMBER(type, group, member) \\\n"
	"\t_Static_assert(__builtin_offsetof(type, member) >= \\\n"
	"\t\t       __builtin_offsetof(type, __cacheline_group_begin__##group) && \\\n"
	"\t\t       __builtin_offsetof(type, member) + sizeof(((type *)0)->member) <= \\\n"
	"\t\t       __builtin_offsetof(type, __cacheline_group_end__##group), #member)\n"
	"#endif\n\n";

/* The kernel's macros are statements, so a function has the assertions, unless `scoped`. */
static void emit_group_assertions(const struct advice_type *type,
				  const struct advice_proposal *proposal,
				  const struct advice_machine *machine, bool scoped,
				  struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	if (!has_groups(type, proposal))
		return;
	add_part_type(type, 0, proposal, &name);
	if (!scoped)
		strbuf_add_format(buffer, "static inline void %s_lines(void)\n{\n", type->tag);
	array_indexed (const struct advice_placed, placed, i, proposal->placed,
		       type->member_count) {
		if (is_grouped(type, proposal, i))
			strbuf_add_format(buffer,
					  "\tCACHELINE_ASSERT_GROUP_MEMBER(%s, %s_line%" PRIu64
					  ", %s);\n",
					  name.data, type->tag, placed->offset / machine->cacheline,
					  type->members[placed->member].name);
	}
	if (!scoped)
		strbuf_add_string(buffer, "}\n");
}

static void emit_part(const struct advice_type *type, const struct advice_proposal *proposal,
		      uint32_t part, const struct advice_machine *machine, struct strbuf *buffer)
{
	const struct advice_part *p = &proposal->parts[part];
	uint64_t end = 0, line = 0;
	bool after_bits = false;

	if (type->is_typedef) {
		strbuf_add_format(buffer, "typedef %s {\n", type->keyword);
	} else {
		add_part_type(type, part, proposal, buffer);
		strbuf_add_string(buffer, " {\n");
	}
	array_indexed (const struct advice_placed, placed, i, proposal->placed,
		       type->member_count) {
		const struct advice_member *member = &type->members[placed->member];
		bool aligned;

		if (placed->part != part)
			continue;
		if (placed->offset / machine->cacheline != line) {
			line = placed->offset / machine->cacheline;
			strbuf_add_format(buffer, "\t/* line %" PRIu64 " */\n", line);
		}
		aligned = proposal->kind != PROPOSAL_KEEP &&
			  placed->offset > round_up(end, member->align) &&
			  placed->offset % machine->cacheline == 0;
		/* an aligned first member aligns the record */
		if (proposal->kind == PROPOSAL_PAD && !placed->offset && p->align > type->align)
			aligned = true;
		emit_group_ends(type, proposal, i, machine, true, buffer);
		if (member->flags & MEMBER_BITFIELDS
			    ? proposal->kind != PROPOSAL_KEEP || placed->offset > end || after_bits
			    : proposal->kind == PROPOSAL_KEEP &&
				      !(member->flags & MEMBER_ALIGNED) &&
				      placed->offset > round_up(end, member->align))
			emit_unit_start(member, end, placed->offset, buffer);
		if (member->flags & MEMBER_ALIGNED)
			add_declaration(member, true, member->align, buffer);
		else
			add_declaration(member, aligned, machine->cacheline, buffer);
		emit_group_ends(type, proposal, i, machine, false, buffer);
		end = placed->offset + member->size;
		after_bits = member->flags & MEMBER_BITFIELDS;
	}
	if (proposal->kind == PROPOSAL_KEEP && p->size > round_up(end, p->align))
		emit_unnamed(end, p->size, buffer);
	if (p->pointer)
		emit_pointer(type, proposal, part, buffer);
	strbuf_add_char(buffer, '}');
	if (type->explicit_align && !part)
		strbuf_add_format(buffer, " __attribute__((aligned(%" PRIu64 ")))",
				  type->explicit_align);
	if (type->is_typedef) {
		strbuf_add_char(buffer, ' ');
		add_identifier(p->name, buffer);
	}
	strbuf_add_string(buffer, ";\n");
}

static void emit_assertions(const struct advice_type *type, const struct advice_proposal *proposal,
			    uint32_t part, const struct advice_machine *machine,
			    struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	add_part_type(type, part, proposal, &name);
	strbuf_add_format(buffer, "_Static_assert(sizeof(%s) == %" PRIu64 ", \"size\");\n",
			  name.data, proposal->parts[part].size);
	array_each (const struct advice_placed, placed, proposal->placed, type->member_count) {
		const struct advice_member *member = &type->members[placed->member];

		if (placed->part != part || (member->flags & MEMBER_BITFIELDS) ||
		    !is_c_identifier(member->name))
			continue;
		strbuf_add_format(buffer,
				  "_Static_assert(__builtin_offsetof(%s, %s) == %" PRIu64
				  ", \"%s in line %" PRIu64 "\");\n",
				  name.data, member->name, placed->offset, member->name,
				  placed->offset / machine->cacheline);
	}
}

/* The record of a C++ program compiles as C++, too. */
static const char cxx_words[] = "#ifdef __cplusplus\n"
				"#define _Alignas alignas\n"
				"#define _Static_assert static_assert\n"
				"#endif\n";

const char *emit_c_refusal(const struct advice_type *type)
{
	return type->refusal ?: type->keyword ? NULL : "it cannot be declared in C";
}

void emit_c(const struct advice_type *type, const struct advice_proposal *proposal,
	    const struct advice_machine *machine, size_t number, struct strbuf *buffer)
{
	const char *refusal = emit_c_refusal(type);
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	strbuf_add_c_comment(&name, type->name);
	if (refusal) {
		strbuf_add_format(buffer, "/* %s: ", name.data);
		strbuf_add_c_comment(buffer, refusal);
		strbuf_add_string(buffer, " */\n");
		return;
	}
	if (number) {
		/* names that only members' types need are not used here */
		strbuf_add_string(buffer,
				  "#pragma GCC diagnostic ignored \"-Wunused-local-typedefs\"\n");
		strbuf_add_format(buffer, "__attribute__((unused)) static void layout%zu_of_",
				  number);
		add_identifier(type_name_without_keyword(type->name), buffer);
		strbuf_add_string(buffer, "(void)\n{\n");
	}
	strbuf_add_format(
		buffer,
		"/* Stand-ins for the names that %s uses: include its own headers instead. */\n",
		name.data);
	strbuf_add_trusted(buffer, type->is_cxx ? cxx_words : "");
	strbuf_add_trusted(buffer, type->prelude); /* made of a printable text */
	strbuf_add_char(buffer, '\n');
	if (has_groups(type, proposal))
		strbuf_add_trusted(buffer, group_macros);
	strbuf_add_format(buffer, "/* %s: %s; ", name.data, advice_kind_names[proposal->kind]);
	strbuf_add_c_comment(buffer, proposal->kind == PROPOSAL_KEEP ? "as it is"
								     : proposal->prediction.reason);
	strbuf_add_string(buffer, " */\n");
	for (uint32_t part = (uint32_t)proposal->part_count; part-- > 0;) {
		emit_part(type, proposal, part, machine, buffer);
		emit_assertions(type, proposal, part, machine, buffer);
		if (!part)
			emit_group_assertions(type, proposal, machine, number, buffer);
		if (!part && number)
			strbuf_add_string(buffer, "}\n");
		strbuf_add_char(buffer, '\n');
	}
}

/* ---- Rust and Go ---- */

/* Appends a type with the last words of its paths: the file that declares the record has names for
 * them. Parameters that Rust's library gives by default are left out. */
static void add_short_type(const struct advice_type *type, const char *native,
			   struct strbuf *buffer)
{
	static const char *const defaults[] = { ", alloc::alloc::Global",
						", std::hash::random::RandomState" };
	const char *mark = type->is_rust ? "::" : ".";
	size_t word = buffer->length;

	while (*native) {
		const char *skipped = NULL;

		for (size_t i = 0; i < COUNT_OF(defaults) && !skipped; i++)
			skipped = starts_with(native, defaults[i]) ? defaults[i] : NULL;
		if (skipped) {
			native += strlen(skipped);
		} else if (starts_with(native, mark) &&
			   (type->is_rust || starts_with(type->tag, buffer->data + word))) {
			/* Go has names of its own package without it */
			strbuf_truncate(buffer, word);
			native += strlen(mark);
		} else {
			const char c[2] = { *native++, '\0' };

			strbuf_add_string(buffer, c);
			word = is_plain_name(c) ? word : buffer->length;
		}
	}
}

/* Appends the name of a part: "ItemCold" of "main.Item" and "main.Item_cold". */
static void add_native_name(const struct advice_type *type, const struct advice_part *part,
			    struct strbuf *buffer)
{
	size_t length = strcspn(type->tag, "<["), begin = length;
	const char *suffix = part->name + strlen(type->tag);
	bool first = true;

	while (begin && type->tag[begin - 1] != ':' && type->tag[begin - 1] != '.')
		begin--;
	strbuf_add(buffer, type->tag + begin, length - begin);
	for (; starts_with(part->name, type->tag) && *suffix; suffix++) {
		if (*suffix != '_')
			strbuf_add_char(buffer,
					first ? (char)toupper((unsigned char)*suffix) : *suffix);
		first = *suffix == '_';
	}
}

/* Returns whether the text of a type is source, too: not that of closures and traits. */
static bool is_source(const char *native)
{
	return native && !strstr(native, "dyn ") && !strstr(native, "{closure") &&
	       !strstr(native, "Output=");
}

static void emit_native_part(const struct advice_type *type, const struct advice_proposal *proposal,
			     uint32_t part, struct strbuf *buffer)
{
	const struct advice_part *p = &proposal->parts[part];
	_cleanup_strbuf_ struct strbuf name = STRBUF_TEXT;
	bool rust = type->is_rust;

	add_native_name(type, p, &name);
	if (rust && type->keeps_order)
		strbuf_add_string(buffer, "#[repr(C)]\n");
	strbuf_add_format(buffer, rust ? "struct %s {\n" : "type %s struct {\n", name.data);
	array_each (const struct advice_placed, placed, proposal->placed, type->member_count) {
		const struct advice_member *member = &type->members[placed->member];

		if (placed->part != part)
			continue;
		strbuf_add_trusted(buffer, rust ? "    " : "\t");
		if (!is_source(member->native))
			strbuf_add_string(buffer, "// ");
		strbuf_add_format(buffer, rust ? "%s: " : "%s ", member->name);
		if (is_source(member->native))
			add_short_type(type, member->native, buffer);
		else
			strbuf_add_string(buffer, "(as it is declared now)");
		strbuf_add_trusted(buffer, rust && is_source(member->native) ? ",\n" : "\n");
	}
	if (p->pointer) {
		_cleanup_strbuf_ struct strbuf next = STRBUF_TEXT;

		add_native_name(type, p + 1, &next);
		strbuf_add_format(buffer, rust ? "    %s: Box<%s>,\n" : "\t%s *%s\n",
				  p->pointer_name ?: "cold", next.data);
	}
	strbuf_add_string(buffer, "}\n");
	strbuf_add_format(buffer,
			  rust ? "const _: () = assert!(std::mem::size_of::<%s>() <= %" PRIu64
				 ");\n"
			       : "var _ [%2$" PRIu64 " - unsafe.Sizeof(%1$s{})]byte\n",
			  name.data, p->size);
}

void emit_source(const struct advice_type *type, const struct advice_proposal *proposal,
		 const struct advice_machine *machine, size_t number, struct strbuf *buffer)
{
	const char *refusal = emit_c_refusal(type);
	size_t start = buffer->length;

	if (!advice_has_native(type)) {
		emit_c(type, proposal, machine, number, buffer);
		return;
	}
	strbuf_add_format(buffer, "// %s: %s", type->name,
			  refusal ?: advice_kind_names[proposal->kind]);
	if (!refusal && proposal->kind != PROPOSAL_KEEP)
		strbuf_add_format(buffer, "; %s", proposal->prediction.reason);
	strbuf_end_line(buffer, start);
	if (refusal)
		return;
	strbuf_add_trusted(
		buffer, type->is_rust ? "// Attributes, visibility, parameters and lifetimes are "
					"those of the source.\n"
				      : "// Tags and comments are those of the source; the sizes "
					"need package unsafe.\n");
	if (proposal->part_count > 1 && !proposal->parts[0].pointer)
		strbuf_add_string(buffer, "// Each record has an array of its own: the parts of an "
					  "object have one index.\n");
	for (uint32_t part = 0; part < proposal->part_count; part++)
		emit_native_part(type, proposal, part, buffer);
	strbuf_add_char(buffer, '\n');
}

/* Returns the number of lines that have `share` of the type's heat, the hottest first; 0 if that is
 * not known, because too many samples are somewhere in an array. */
static uint64_t hot_lines(const struct advice_type *type, double share)
{
	_cleanup_free_ uint64_t *samples = xcalloc(type->line_count + 1, sizeof(*samples));
	uint64_t lines = 0, sum = 0;

	memcpy(samples, type->line_samples, type->line_count * sizeof(*samples));
	while (lines < type->line_count && (double)sum < share * (double)type->samples) {
		uint64_t best = 0;

		for (uint64_t i = 1; i < type->line_count; i++)
			if (samples[i] > samples[best])
				best = i;
		sum += samples[best];
		samples[best] = 0;
		lines++;
	}
	return (double)sum < share * (double)type->samples ? 0 : lines;
}

/* Returns how many bytes of a member's name a rule has; 0: no rule can name it. A run of bit-fields
 * ("a, b", "a..d") is named by its first one, whichever of them has the samples. */
static size_t rule_name_length(const char *name)
{
	bool instance = strchr(name, '<');
	const char *points = strstr(name, "..");
	size_t length = points ? (size_t)(points - name) : strcspn(name, instance ? "" : ",");

	return strcspn(name, instance ? "\n#" : " \n#") < length ? 0 : length;
}

void emit_rules(const struct advice_type *type, const struct advice_machine *machine,
		struct strbuf *buffer)
{
	uint64_t line = machine->cacheline;

	const char *name = type_name_without_keyword(type->name);

	strbuf_add_format(buffer, "# %s: %" PRIu64 " samples of %" PRIu64 "\n", type->name,
			  type->samples, type->total);
	if (type->size)
		strbuf_add_format(buffer, "sizeof(%s) <= %" PRIu64 "\n", name, type->size);
	array_each (const struct advice_member, member, type->members, type->member_count) {
		size_t length = rule_name_length(member->name);

		if ((double)member->samples < HOT_SHARE * (double)type->samples || !length)
			continue;
		if (member->flags & MEMBER_BITFIELDS &&
		    member->offset / line != (member->offset + member->size - 1) / line)
			continue;
		strbuf_add_format(buffer, "%s.%.*s in line %" PRIu64, name, (int)length,
				  member->name, member->offset / line);
		if (member->name[length])
			strbuf_add_format(buffer, " # the bit-fields %s", member->name);
		strbuf_add_char(buffer, '\n');
	}
	if (!type->size)
		strbuf_add_string(buffer,
				  "# no rules on size and heat: the size is not constant\n");
	else if (type->samples < RULE_SAMPLES)
		strbuf_add_format(buffer, "# no rule on heat: it takes %d samples\n", RULE_SAMPLES);
	else if (!hot_lines(type, 0.9))
		strbuf_add_format(
			buffer, "# no rule on heat: %" PRIu64 " samples are somewhere in arrays\n",
			type->somewhere);
	else
		strbuf_add_format(buffer, "heat of %s in <= %" PRIu64 " lines\n", name,
				  hot_lines(type, 0.9));
}
