// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin of gcc that keeps what the compiler knows of each memory access, for dtprof's exact mode.
 *
 * After an instruction with a memory operand it puts a local label, and when the function is
 * finished it writes where these labels are and which object each access goes to into the section
 * .dtprof.exact; the descriptions, which many functions share, go into .dtprof.exact.paths, where
 * the linker merges equal ones. Neither section is loaded. No instruction changes: a label takes up
 * no bytes. Documentation/exact.md describes both sections; annotate/exact/exact.c reads them.
 *
 * It is C++ because gcc's headers are.
 */
#include "gcc-plugin.h"
#include "plugin-version.h"
#include "backend.h"
#include "memmodel.h"
#include "rtl.h"
#include "tree.h"
#include "gimple.h"
#include "tree-dfa.h"
#include "target.h"
#include "output.h"
#include "rtl-iter.h"
#include "emit-rtl.h"
#include "langhooks.h"
#include "function.h"
#include "stor-layout.h"
#include "fold-const.h"

#include <map>
#include <string>
#include <vector>

int plugin_is_GPL_compatible;

namespace {

/* ---- names of types */

/* Returns the file without its folders, which differ from build to build. */
std::string file_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : nullptr;

	return slash ? slash + 1 : path ? path : "";
}

/* Control characters separate what is written; no name of C or C++ has one. */
std::string printable(std::string text)
{
	for (char &byte : text)
		if (byte == '"' || byte == '\\' || (unsigned char)byte < ' ')
			byte = '_';
	return text;
}

bool is_named_by_source(tree name)
{
#ifdef IDENTIFIER_ANON_P
	return !IDENTIFIER_ANON_P(name);
#else
	return IDENTIFIER_POINTER(name)[0] != '.' && IDENTIFIER_POINTER(name)[0] != '<';
#endif
}

bool is_tagged(tree type)
{
	return RECORD_OR_UNION_TYPE_P(type) || TREE_CODE(type) == ENUMERAL_TYPE;
}

/* Returns the class whose bytes, without padding at the end, a nameless record of C++'s front end
 * stands for where the class is a base. */
tree declared_type(tree type)
{
	type = TYPE_MAIN_VARIANT(type);
	if (RECORD_OR_UNION_TYPE_P(type) && !TYPE_NAME(type) && TYPE_CONTEXT(type) &&
	    TYPE_P(TYPE_CONTEXT(type)) && TYPE_STUB_DECL(type) == NULL_TREE)
		return TYPE_MAIN_VARIANT(TYPE_CONTEXT(type));
	return type;
}

std::string tag_of(tree type);

/* Returns the namespaces and classes around a declaration, as debug information qualifies names. */
std::string scope_of(tree scope)
{
	if (!scope || TREE_CODE(scope) == TRANSLATION_UNIT_DECL)
		return "";
	if (TYPE_P(scope))
		return tag_of(scope) + "::";
	if (TREE_CODE(scope) != NAMESPACE_DECL)
		return "";
	std::string around = scope_of(DECL_CONTEXT(scope));

	if (!DECL_NAME(scope) || !is_named_by_source(DECL_NAME(scope)))
		return around + "(anonymous namespace)::";
	if (!strcmp(IDENTIFIER_POINTER(DECL_NAME(scope)), "::"))
		return around;
	return around + IDENTIFIER_POINTER(DECL_NAME(scope)) + "::";
}

/* Returns the name that the declaration of a type gives it, as DWARF has it; "" if none does. */
std::string tag_of(tree type)
{
	type = declared_type(type);
	tree name = TYPE_NAME(type);

	if (!name)
		return "";
	if (TREE_CODE(name) == IDENTIFIER_NODE)
		return IDENTIFIER_POINTER(name);
	if (!DECL_NAME(name) || !is_named_by_source(DECL_NAME(name)))
		return "";
	if (!is_tagged(type))
		return IDENTIFIER_POINTER(DECL_NAME(name));
	const char *written = lang_hooks.dwarf_name(name, 2);

	if (!written || written[0] == '<')
		return "";
	return scope_of(DECL_CONTEXT(name)) + written;
}

HOST_WIDE_INT size_of(tree type)
{
	tree size = COMPLETE_TYPE_P(type) ? TYPE_SIZE_UNIT(type) : NULL_TREE;

	return size && tree_fits_shwi_p(size) ? tree_to_shwi(size) : 0;
}

/* Returns the name of a typedef, or "". */
std::string typedef_name(tree type)
{
	tree name = TYPE_NAME(type);

	return name && TREE_CODE(name) == TYPE_DECL && DECL_NAME(name) &&
			       is_named_by_source(DECL_NAME(name))
		       ? IDENTIFIER_POINTER(DECL_NAME(name))
		       : "";
}

/* Returns the name by which the source calls a type that has no tag: u32, not unsigned int. */
std::string typedef_of(tree type)
{
	std::string name = typedef_name(type);
	tree other = RECORD_OR_UNION_TYPE_P(type) ? TYPE_MAIN_VARIANT(type) : NULL_TREE;

	for (; name.empty() && other; other = TYPE_NEXT_VARIANT(other))
		name = typedef_name(other);
	return name;
}

/* Returns the name of what is neither a pointer nor an array; *place becomes where a record is
 * declared, "FILE:LINE". */
std::string own_name(tree type, std::string *place)
{
	if (FUNC_OR_METHOD_TYPE_P(type))
		return "(function_type)";
	if (!is_tagged(type)) {
		std::string name = typedef_of(type);

		return name.empty() ? tag_of(type) : name;
	}
	std::string tag = tag_of(type), keyword = TREE_CODE(type) == RECORD_TYPE  ? "struct "
						  : TREE_CODE(type) == UNION_TYPE ? "union "
										  : "enum ";

	if (tag.empty()) {
		tag = typedef_of(type);
		keyword = tag.empty() ? keyword : "";
	}
	tree stub = TYPE_STUB_DECL(declared_type(type));

	if (stub && DECL_P(stub) && !DECL_IS_UNDECLARED_BUILTIN(stub)) {
		expanded_location at = expand_location(DECL_SOURCE_LOCATION(stub));

		if (at.file)
			*place = file_name(at.file) + ":" + std::to_string(at.line);
	}
	return keyword + tag;
}

/* Returns a type's name, its size, and the place of its declaration, separated by tabs. "*" and
 * "[COUNT]" behind the name make pointers and arrays of it; the size is that of the name alone. */
std::string type_text(tree type)
{
	std::string suffix, place;

	for (;;) {
		if (POINTER_TYPE_P(type)) {
			suffix.insert(0, "*");
			type = TREE_TYPE(type);
		} else if (TREE_CODE(type) == ARRAY_TYPE) {
			HOST_WIDE_INT whole = size_of(type), one;

			while (TREE_CODE(type) == ARRAY_TYPE)
				type = TREE_TYPE(type);
			one = size_of(type);
			suffix.insert(0, "[" + std::to_string(one ? whole / one : 0) + "]");
		} else {
			break;
		}
	}
	HOST_WIDE_INT size = is_tagged(type) ? size_of(declared_type(type)) : size_of(type);
	std::string name = own_name(type, &place);

	return printable(name + suffix) + "\t" + std::to_string(size) + "\t" + printable(place);
}

/* ---- access paths */

/* An access, on the way from the object that is named or pointed to. */
struct path {
	tree root;             /* the object's type */
	HOST_WIDE_INT offset;  /* bytes from its beginning, with variable indexes as 0 */
	HOST_WIDE_INT stride;  /* bytes of the innermost array's elements that are indexed; 0: none */
	HOST_WIDE_INT bit, bits; /* the bitfield, from `offset` on; bits is 0: none */
	/* p: what a pointer points to; v: a variable with a fixed place; l: one of the function */
	char kind;
	std::string name;      /* of the variable */
	std::string members;   /* ".ht_table[].next" */
};

/* Returns whether a record is a nameless one around a scalar, such as that of the kernel's
 * get_unaligned(): a cast to it says how bytes are read, not what object they belong to. */
bool is_wrapper(tree record)
{
	tree field = TREE_CODE(record) == RECORD_TYPE ? TYPE_FIELDS(record) : NULL_TREE;

	return field && TREE_CODE(field) == FIELD_DECL && !DECL_CHAIN(field) &&
	       !AGGREGATE_TYPE_P(TREE_TYPE(field)) &&
	       size_of(TREE_TYPE(field)) == size_of(record) && tag_of(record).empty() &&
	       typedef_of(record).empty();
}

/* Returns whether an object has a subobject of the record `part` at an offset, or, if that is a
 * wrapper, a scalar of its size; *members becomes the way to it. */
bool has_part(tree object, HOST_WIDE_INT offset, tree part, int depth, std::string *members)
{
	if (depth > 16)
		return false;
	if (TREE_CODE(object) == ARRAY_TYPE) {
		HOST_WIDE_INT size = size_of(TREE_TYPE(object));

		if (!size || (offset >= size_of(object) && size_of(object)) ||
		    !has_part(TREE_TYPE(object), offset % size, part, depth + 1, members))
			return false;
		members->insert(0, "[]");
		return true;
	}
	if (!RECORD_OR_UNION_TYPE_P(object))
		return !offset && size_of(object) == size_of(part) && is_wrapper(part);
	if (!offset && declared_type(object) == part)
		return true;
	for (tree field = TYPE_FIELDS(object); field; field = DECL_CHAIN(field)) {
		if (TREE_CODE(field) != FIELD_DECL || DECL_BIT_FIELD(field) ||
		    !tree_fits_shwi_p(DECL_FIELD_OFFSET(field)))
			continue;
		HOST_WIDE_INT at = int_byte_position(field);

		if (offset < at || (offset >= at + size_of(TREE_TYPE(field)) && offset != at) ||
		    !has_part(TREE_TYPE(field), offset - at, part, depth + 1, members))
			continue;
		if (DECL_NAME(field))
			members->insert(0, std::string(".") + IDENTIFIER_POINTER(DECL_NAME(field)));
		return true;
	}
	return false;
}

/* Adds one step of an expression, whose operand is the object around it. False: it is of a kind
 * that has no place in a type. */
bool add_step(tree step, struct path *path)
{
	switch (TREE_CODE(step)) {
	case COMPONENT_REF: {
		tree field = TREE_OPERAND(step, 1);

		if (TREE_OPERAND(step, 2) || !tree_fits_shwi_p(DECL_FIELD_OFFSET(field)))
			return false;
		HOST_WIDE_INT bit = int_bit_position(field);

		path->offset += bit / BITS_PER_UNIT;
		path->bits = 0;
		if (DECL_BIT_FIELD(field) && tree_fits_uhwi_p(DECL_SIZE(field))) {
			path->bit = bit % BITS_PER_UNIT;
			path->bits = tree_to_uhwi(DECL_SIZE(field));
		}
		if (DECL_NAME(field))
			path->members += std::string(".") + IDENTIFIER_POINTER(DECL_NAME(field));
		return true;
	}
	case ARRAY_REF: {
		tree index = TREE_OPERAND(step, 1), low = array_ref_low_bound(step),
		     size = array_ref_element_size(step);

		if (!tree_fits_shwi_p(size) || !tree_fits_shwi_p(low))
			return false;
		path->members += "[]";
		if (tree_fits_shwi_p(index))
			path->offset += (tree_to_shwi(index) - tree_to_shwi(low)) * tree_to_shwi(size);
		else
			path->stride = tree_to_shwi(size);
		return true;
	}
	case BIT_FIELD_REF:
		if (!tree_fits_uhwi_p(TREE_OPERAND(step, 2)))
			return false;
		path->offset += tree_to_uhwi(TREE_OPERAND(step, 2)) / BITS_PER_UNIT;
		return true;
	case REALPART_EXPR:
	case VIEW_CONVERT_EXPR: return true;
	case IMAGPART_EXPR: path->offset += size_of(TREE_TYPE(step)); return true;
	default: return false;
	}
}

/* Begins a path with what the innermost expression names: a variable, or what a pointer points to.
 * `whole` says that no step follows that tells of the object around. */
bool begin_path(tree base, bool whole, struct path *path)
{
	if (TREE_CODE(base) == TARGET_MEM_REF || TREE_CODE(base) == INDIRECT_REF) {
		path->kind = 'p';
		path->root = TREE_TYPE(base);
		return !whole;
	}
	if (TREE_CODE(base) == MEM_REF) {
		tree pointer = TREE_OPERAND(base, 0);
		poly_int64 distance;
		HOST_WIDE_INT offset;

		if (!mem_ref_offset(base).to_shwi(&distance) || !distance.is_constant(&offset))
			return false;
		if (TREE_CODE(pointer) == ADDR_EXPR && DECL_P(TREE_OPERAND(pointer, 0))) {
			base = TREE_OPERAND(pointer, 0);
			path->offset = offset;
		} else {
			tree pointed = POINTER_TYPE_P(TREE_TYPE(pointer)) ? TREE_TYPE(TREE_TYPE(pointer))
									  : NULL_TREE;

			path->kind = 'p';
			path->root = TREE_TYPE(base);
			/* an object in the one that the pointer is declared to point to */
			if (offset && pointed && RECORD_OR_UNION_TYPE_P(TREE_TYPE(base)) &&
			    RECORD_OR_UNION_TYPE_P(pointed) && COMPLETE_TYPE_P(pointed) &&
			    has_part(pointed, offset, declared_type(TREE_TYPE(base)), 0,
				     &path->members)) {
				path->root = pointed;
				path->offset = offset;
				return true;
			}
			return !whole;
		}
	}
	if (!VAR_P(base) && TREE_CODE(base) != PARM_DECL && TREE_CODE(base) != RESULT_DECL)
		return false;
	path->kind = TREE_STATIC(base) || DECL_EXTERNAL(base) ? 'v' : 'l';
	path->name = DECL_NAME(base) ? IDENTIFIER_POINTER(DECL_NAME(base)) : "";
	path->root = TREE_TYPE(base);
	return true;
}

/* Finds the path of a memory operand. False: the compiler does not know it any more. */
bool find_path(const_rtx operand, struct path *path)
{
	tree expression = MEM_EXPR(operand);
	HOST_WIDE_INT within = 0;
	std::vector<tree> steps;

	if (!expression || TREE_CODE(expression) == SSA_NAME || !MEM_OFFSET_KNOWN_P(operand) ||
	    !MEM_OFFSET(operand).is_constant(&within))
		return false;
	for (; handled_component_p(expression); expression = TREE_OPERAND(expression, 0))
		steps.push_back(expression);
	if (!DECL_P(expression) && is_wrapper(TREE_TYPE(expression)))
		steps.clear();
	if (!begin_path(expression, steps.empty(), path))
		return false;
	for (size_t i = steps.size(); i--;) /* the outermost first */
		if (!add_step(steps[i], path))
			return false;
	path->offset += within;
	path->bit -= path->bits ? within * BITS_PER_UNIT : 0;
	return true;
}

std::string path_text(const struct path &path)
{
	return std::string(1, path.kind) + "\t" + printable(path.name) + "\t" +
	       type_text(path.root) + "\t" + std::to_string(path.offset) + "\t" +
	       std::to_string(path.stride) + "\t" + std::to_string(path.bit) + ":" +
	       std::to_string(path.bits) + "\t" + printable(path.members);
}

/* ---- what is written */

const unsigned FORMAT_VERSION = 1, ACCESS_STORE = 1, ACCESS_ASM = 2, ACCESS_BITS = 2;

/* A memory operand of an instruction. */
struct operand {
	size_t path;   /* in function_paths */
	unsigned size; /* bytes; 0: not known */
	unsigned flags;
};

/* An instruction with such operands, which ends at a label. */
struct place {
	unsigned label;
	bool cold; /* in the function's part that is seldom executed, which is elsewhere */
	std::vector<operand> operands;
};

std::map<std::string, unsigned> paths; /* of the unit: the number of the label of each */
std::vector<unsigned> function_paths;  /* those of the function, in the order of their first use */
std::map<unsigned, size_t> function_path_numbers;
std::vector<place> places; /* of the function */
unsigned labels;

size_t path_number(const struct path &path)
{
	unsigned global = paths.emplace(path_text(path), paths.size()).first->second;
	auto known = function_path_numbers.emplace(global, function_paths.size());

	if (known.second)
		function_paths.push_back(global);
	return known.first->second;
}

bool stores(rtx_insn *insn, const_rtx memory)
{
	rtx set = single_set(insn), target = set ? SET_DEST(set) : NULL_RTX;

	while (target && (GET_CODE(target) == ZERO_EXTRACT || GET_CODE(target) == SUBREG ||
			  GET_CODE(target) == STRICT_LOW_PART))
		target = XEXP(target, 0);
	return target == memory;
}

void add_operand(rtx_insn *insn, const_rtx memory, bool assembly, std::vector<operand> *operands)
{
	struct path path = {};
	HOST_WIDE_INT size = 0;

	if (!find_path(memory, &path))
		return;
	if (MEM_SIZE_KNOWN_P(memory) && !MEM_SIZE(memory).is_constant(&size))
		size = 0;
	operands->push_back({ path_number(path), size > 0 && size < 65536 ? (unsigned)size : 0,
			      (stores(insn, memory) ? ACCESS_STORE : 0) |
				      (assembly ? ACCESS_ASM : 0) });
}

void (*other_hook)(FILE *, rtx_insn *, rtx *, int);

/* Called after each instruction has been written. */
void after_insn(FILE *file, rtx_insn *insn, rtx *rtx_operands, int count)
{
	if (other_hook)
		other_hook(file, insn, rtx_operands, count);
	if (!NONDEBUG_INSN_P(insn) || GET_CODE(PATTERN(insn)) == USE ||
	    GET_CODE(PATTERN(insn)) == CLOBBER)
		return;
	bool assembly = GET_CODE(PATTERN(insn)) == ASM_INPUT || asm_noperands(PATTERN(insn)) >= 0;
	std::vector<operand> operands;
	subrtx_iterator::array_type array;

	FOR_EACH_SUBRTX(iter, array, PATTERN(insn), NONCONST)
		if (MEM_P(*iter))
			add_operand(insn, *iter, assembly, &operands);
	if (operands.empty())
		return;
	targetm.asm_out.internal_label(file, "LDTX", labels);
	places.push_back({ labels++, in_cold_section_p, operands });
}

void write_label(FILE *file, const char *prefix, unsigned number)
{
	char name[64];

	ASM_GENERATE_INTERNAL_LABEL(name, prefix, number);
	assemble_name_raw(file, name);
}

/* Writes the instructions of one part of the function. The section follows the part's own: it goes
 * when that goes (COMDAT groups, --gc-sections). */
void write_part(FILE *file, bool cold)
{
	static unsigned parts;
	const struct place *last = nullptr;
	tree group = current_function_decl ? DECL_COMDAT_GROUP(current_function_decl) : NULL_TREE;

	for (const struct place &place : places) {
		if (place.cold != cold)
			continue;
		if (!last) {
			fprintf(file, "\t.pushsection .dtprof.exact,\"%so\",@progbits,", group ? "G" : "");
			write_label(file, "LDTX", place.label);
			if (group)
				fprintf(file, ",%s,comdat", IDENTIFIER_POINTER(group));
			fprintf(file, "\n\t.4byte ");
			write_label(file, "LDTE", parts);
			fprintf(file, "-1f\n1:\t.byte %d,%d\n\t.%dbyte ", FORMAT_VERSION,
				POINTER_SIZE_UNITS, POINTER_SIZE_UNITS);
			write_label(file, "LDTX", place.label);
			fprintf(file, "\n\t.uleb128 %zu\n", function_paths.size());
			for (unsigned path : function_paths) {
				fprintf(file, "\t.4byte ");
				write_label(file, "LDTP", path);
				fputc('\n', file);
			}
			last = &place;
		}
		fprintf(file, "\t.uleb128 ");
		write_label(file, "LDTX", place.label);
		fputc('-', file);
		write_label(file, "LDTX", last->label);
		fprintf(file, ",%zu", place.operands.size());
		for (const struct operand &operand : place.operands)
			fprintf(file, ",%zu,%u", operand.path << ACCESS_BITS | operand.flags,
				operand.size);
		fputc('\n', file);
		last = &place;
	}
	if (last) {
		write_label(file, "LDTE", parts++);
		fprintf(file, ":\n\t.popsection\n");
	}
}

/* Called when all passes over a function have ended. */
void after_function(void *, void *)
{
	write_part(asm_out_file, false);
	write_part(asm_out_file, true);
	places.clear();
	function_paths.clear();
	function_path_numbers.clear();
}

/* Called at the end of the unit. */
void after_unit(void *, void *)
{
	if (paths.empty() || !asm_out_file)
		return;
	fprintf(asm_out_file, "\t.pushsection .dtprof.exact.paths,\"MS\",@progbits,1\n");
	for (const auto &path : paths) {
		write_label(asm_out_file, "LDTP", path.second);
		fprintf(asm_out_file, ":\n\t.asciz \"%s\"\n", path.first.c_str());
	}
	fprintf(asm_out_file, "\t.popsection\n");
}

void before_unit(void *, void *)
{
	static bool set;

	if (set)
		return;
	set = true;
	other_hook = targetm.asm_out.final_postscan_insn;
	targetm.asm_out.final_postscan_insn = after_insn;
}

} /* namespace */

int plugin_init(struct plugin_name_args *plugin, struct plugin_gcc_version *version)
{
	if (!plugin_default_version_check(version, &gcc_version))
		return 1;
	register_callback(plugin->base_name, PLUGIN_START_UNIT, before_unit, nullptr);
	register_callback(plugin->base_name, PLUGIN_ALL_PASSES_END, after_function, nullptr);
	register_callback(plugin->base_name, PLUGIN_FINISH_UNIT, after_unit, nullptr);
	return 0;
}
