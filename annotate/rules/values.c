// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rules about values: a declared type that meets the tracked one (STAGE_MEET), and the value of
 * a load (STAGE_LOAD). rules.c has the reason and an example of each.
 *
 * RawVec<T, A> of Rust's library is { RawVecInner<A>, PhantomData<T> } since Rust 1.83, and
 * RawVecInner<A> keeps a Unique<u8> (library/alloc/src/raw_vec/mod.rs). T is the first argument in
 * the name, as rustc writes it into the debug information.
 */

#include "annotate/cxx/virtual_table.h"
#include "annotate/facts/scope_types.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- STAGE_MEET */

/* These rules are asked about two pointers to different types. */

/* Applies to a whole and its part. An element of an array stands for itself. */
bool rule_tracked_whole(const struct value *tracked, const struct value *declared)
{
	int64_t within = tracked->offset - declared->offset;
	uint64_t size = field_size(tracked->type);

	if (tracked->stride) { /* one of several wholes is as good, if it has more than the part */
		if (!size || tracked->stride % size || value_is_cast_element(tracked) ||
		    field_size(declared->type) == size)
			return false;
		within %= (int64_t)size;
	}
	/* A pointer to the whole, of which a variable says that it is before an element, stays one
	 * to the whole. A pointer to the element itself may be the start of a walk over the array.
	 */
	return field_contains(tracked->type, within, declared->type) &&
	       ((!tracked->offset && declared->offset < 0) ||
		!field_is_element(tracked->type, within, declared->type));
}

bool rule_declared_whole(const struct value *tracked, const struct value *declared)
{
	return field_contains(declared->type, declared->offset - tracked->offset, tracked->type);
}

bool rule_member_of_tracked(const struct value *tracked, const struct value *declared)
{
	int64_t within;

	return !type_is_record(type_strip(declared->type)) &&
	       type_is_record(type_strip(tracked->type)) && !tracked->stride &&
	       declared->offset != tracked->offset &&
	       !__builtin_sub_overflow(tracked->offset, declared->offset, &within) && within >= 0 &&
	       (uint64_t)within < field_size(tracked->type);
}

/* ---- STAGE_BASE */

static bool may_be_object(const struct value *value)
{
	return value->kind == VALUE_FRAME || value->kind == VALUE_POINTER ||
	       value->kind == VALUE_UNKNOWN || (value->kind == VALUE_ADDRESS && !value->stride);
}

bool rule_virtual_base(struct solver *solver, uint32_t index, const struct value *a,
		       const struct value *b, struct value *sum)
{
	const struct insn *insn = &solver->code->insns[index];
	const struct operand *to = &insn->operands[0];

	if ((insn->operation != OP_ADD && insn->operation != OP_LEA) ||
	    to->kind != OPERAND_REGISTER || !may_be_object(a) || !may_be_object(b) ||
	    !language_has(solver->function, FACT_VIRTUAL))
		return false;
	if (solver->reader && virtual_table_base_sum(solver, index, a, b, sum)) {
		return true;
	}
	if (!solver->options.infer || (!virtual_table_is_base_offset(solver, &insn->operands[1]) &&
				       !virtual_table_holds_base_offset(solver, a) &&
				       !virtual_table_holds_base_offset(solver, b)))
		return false;
	uint64_t key = origin_key_insn(index, to->reg);

	solver->origins.items[origins_id(&solver->origins, key)].virtual_base = true;
	*sum = origins_value(&solver->origins, key);
	return true;
}

/* ---- STAGE_LOAD */

#define RAW_VEC        "alloc::raw_vec::RawVec<"
#define RAW_INNER      "alloc::raw_vec::RawVecInner<"
#define RUST_DEPTH_MAX 30

/* Returns the first argument of "name<T, A>", to be freed; NULL: there is none. */
static char *first_argument(const char *arguments)
{
	int depth = 0;

	for (const char *at = arguments; *at; at++) {
		if (strchr("<([{", *at))
			depth++;
		else if (*at == '-' && at[1] == '>')
			at++; /* fn(A) -> B */
		else if (!depth && (*at == ',' || *at == '>'))
			return xstrndup(arguments, (size_t)(at - arguments));
		else if (strchr(">)]}", *at))
			depth--;
	}
	return NULL;
}

/*
 * Returns the type of the element or member that contains *offset of an array or record, and makes
 * *offset relative to it; NULL if there is none.
 */
static const struct type *part_at(const struct type *type, int64_t *offset)
{
	const struct type *bare = type_strip(type);

	if (bare->kind == TYPE_ARRAY)
		return field_element_at(bare, offset);

	members_each (member, type_members, bare)
		if ((uint64_t)(*offset - member->offset) < field_size(member->type)) {
			*offset -= member->offset;
			return member->type;
		}
	return NULL;
}

/* True if the `u8*` at `offset` of a `record` is the buffer of a Vec<T>, VecDeque<T> ... All
 * vectors share code that does not know T, so this is how it is declared. *element becomes T, or
 * NULL if T is not known. */
static bool rust_vector_buffer(const struct solver *solver, const struct type *record,
			       int64_t offset, const struct type **element)
{
	bool inner = false;

	*element = NULL;
	for (int depth = 0; record && depth < RUST_DEPTH_MAX; depth++) {
		const struct type *bare = type_strip(record);

		if (bare->name && starts_with(bare->name, RAW_INNER))
			inner = true;
		if (bare->name && starts_with(bare->name, RAW_VEC)) {
			_cleanup_free_ char *name = first_argument(bare->name + strlen(RAW_VEC));

			*element = solver_type_named(solver, name);
		}
		record = part_at(record, &offset);
	}
	return inner;
}

/* Returns the type to which functions that are inlined here cast a void pointer of a record; NULL:
 * not known. */
static const struct type *private_data(const struct solver *solver, const struct field_ref *field,
				       const struct type *type)
{
	const struct type *bare = type_strip(type);
	const struct type *object = type_is_pointer(bare) ? type_target(bare) : NULL;
	const struct type *record;

	if (!solver->options.infer || !solver->function || !object ||
	    type_strip(object)->kind != TYPE_VOID)
		return NULL;
	record = field_innermost_record(field->type, field->offset);
	if (!record)
		return NULL;
	size_t count;
	const struct inline_cast *casts =
		debug_reader_inline_casts(solver->reader, solver->code->insns[0].address, &count);

	return scope_types_of_private(solver->function, solver->code, casts, count, record,
				      field->offset);
}

bool rule_rust_vector(struct loaded_value *load)
{
	struct solver *solver = load->solver;
	const struct type *element;

	if (load->value.kind != VALUE_POINTER || type_size_or(load->value.type, 0) != 1 ||
	    !rust_vector_buffer(solver, load->field->type, load->field->offset, &element))
		return false;
	if (!element || !field_size(element))
		load->value = *load->unknown;
	else
		load->value.type = element;
	return true;
}

bool rule_inferred_load(struct loaded_value *load)
{
	if (load->value.kind != VALUE_UNKNOWN || load->unknown->kind != VALUE_POINTER)
		return false;
	load->value = *load->unknown;
	return true;
}

bool rule_private_data(struct loaded_value *load)
{
	const struct type *record = load->value.kind == VALUE_UNKNOWN
					    ? private_data(load->solver, load->field, load->type)
					    : NULL;

	if (!record)
		return false;
	load->value.kind = VALUE_POINTER;
	load->value.type = record;
	load->value.how = HOW_INFERRED;
	return true;
}

/* libstdc++ keeps a function object in the std::function itself if it has at most this size and is
 * copied as bytes (bits/std_function.h). */
#define STORED_LOCALLY_MAX 16

/* The call of a function object is at most this deep in the helpers of std::function. Deeper calls
 * may be those that it makes of other function objects. */
#define FUNCTOR_DEPTH_MAX 8

/* Returns the class of the only function object that is called in code inlined here; NULL: there is
 * none, or more than one. */
static const struct type *functor_called(const struct function *function)
{
	const struct type *found = NULL;

	for (size_t i = 0; i < function->scope_count; i++) {
		const struct prototype *callee =
			function->scopes[i].inlined ? function->scopes[i].prototype : NULL;
		const struct type *class =
			callee && callee->name && *callee->name == 'o' &&
					strcmp(callee->name, "operator()") == 0 &&
					callee->parameter_count && callee->parameters[0].artificial
				? field_pointee(callee->parameters[0].type)
				: NULL;

		if (!class || function->scopes[i].depth > FUNCTOR_DEPTH_MAX)
			continue;
		if (found && !field_same_type(found, class))
			return NULL;
		found = class;
	}
	return found;
}

bool rule_stored_functor(struct loaded_value *load)
{
	const struct function *function = load->solver->function;
	const struct type *record = type_strip(load->field->type);

	if (!function || !load->solver->options.infer || !record->name ||
	    strcmp(record->name, "std::_Any_data") != 0)
		return false;
	const struct type *functor = functor_called(function);
	bool local = functor && field_size(functor) <= STORED_LOCALLY_MAX &&
		     !type_is_by_address(functor);
	const struct type *member =
		local ? field_scalar(functor, load->field->offset, sizeof(void *)) : NULL;
	uint32_t origin = load->value.origin;

	if (member)
		load->value = value_of_type(member, HOW_INFERRED, origin);
	else if (functor && !local && !load->field->offset)
		load->value = value_pointer(functor, 0, HOW_INFERRED);
	else
		return false;
	load->value.origin = origin;
	return true;
}

/* A container or iterator of libstdc++, and the node that it leads to; the value of the node is an
 * argument of the template (bits/stl_tree.h, stl_list.h, hashtable.h, hashtable_policy.h,
 * forward_list.h). */
struct node_name {
	const char *prefix;
	unsigned int argument;
	const char *node; /* with the value's type between the two */
	const char *end;
	const char *other; /* a second form of the end; NULL: none */
};

static const struct node_name *node_name_of(const char *name)
{
	static const struct node_name names[] = {
		{ "std::_Rb_tree_iterator<", 0, "std::_Rb_tree_node<", ">", NULL },
		{ "std::_Rb_tree_const_iterator<", 0, "std::_Rb_tree_node<", ">", NULL },
		{ "std::_Rb_tree<", 1, "std::_Rb_tree_node<", ">", NULL },
		{ "std::_List_iterator<", 0, "std::_List_node<", ">", NULL },
		{ "std::_List_const_iterator<", 0, "std::_List_node<", ">", NULL },
		{ "std::__cxx11::_List_base<", 0, "std::_List_node<", ">", NULL },
		{ "std::_Fwd_list_iterator<", 0, "std::_Fwd_list_node<", ">", NULL },
		{ "std::_Fwd_list_base<", 0, "std::_Fwd_list_node<", ">", NULL },
		{ "std::_Hashtable<", 1, "std::__detail::_Hash_node<", ", true>", ", false>" },
		{ "std::__detail::_Node_iterator_base<", 0, "std::__detail::_Hash_node<", ", true>",
		  ", false>" },
	};

	return starts_with(name, "std::")
		       ? array_find(i, names, COUNT_OF(names), starts_with(name, names[i].prefix))
		       : NULL;
}

/* Returns the text of argument number `index` of a template, counted from 0; NULL if there is
 * none. */
static char *template_argument(const char *arguments, unsigned int index)
{
	for (; index; index--) {
		_cleanup_free_ char *skipped = first_argument(arguments);
		size_t length = skipped ? strlen(skipped) : 0;

		if (!skipped || !starts_with(arguments + length, ", "))
			return NULL;
		arguments += length + 2;
	}
	return first_argument(arguments);
}

/* Returns the node that a container or iterator of this type leads to; NULL if it is neither, or if
 * two nodes have such a name. */
static const struct type *node_of_name(const struct solver *solver, const char *name)
{
	const struct node_name *form = node_name_of(name);
	_cleanup_free_ char *value =
		form ? template_argument(name + strlen(form->prefix), form->argument) : NULL;

	if (!value)
		return NULL;
	/* "> >" is how the debug information ends nested templates */
	const char *space = form->end[0] == '>' && ends_with(value, ">") ? " " : "";
	_cleanup_free_ char *first = xasprintf("%s%s%s%s", form->node, value, space, form->end);
	const struct type *node = solver_type_named(solver, first);

	if (!form->other)
		return node;
	_cleanup_free_ char *second = xasprintf("%s%s%s", form->node, value, form->other);
	const struct type *other = solver_type_named(solver, second);

	return node && other ? NULL : node ? node : other;
}

/* Returns the node that the container at `offset` of a record leads to; NULL: there is none. */
static const struct type *node_of_container(const struct solver *solver, const struct type *record,
					    int64_t offset)
{
	for (int depth = 0; record && depth < RUST_DEPTH_MAX; depth++) {
		const struct type *bare = type_strip(record),
				  *node = bare->name ? node_of_name(solver, bare->name) : NULL;

		if (node)
			return node;
		record = part_at(record, &offset);
	}
	return NULL;
}

/* True for the base classes of nodes, which have nothing but links. */
static bool is_node_base(const struct type *type)
{
	const struct type *bare = type_strip(type);

	return (bare->kind == TYPE_STRUCT || bare->kind == TYPE_CLASS) && bare->name &&
	       starts_with(bare->name, "std::") && ends_with(bare->name, "_node_base");
}

/* True if `node` is a record that begins with the base class, and has the value after it. (A
 * std::list begins with a base, too, and has a counter after it.) */
static bool is_node(const struct type *node, const struct type *base)
{
	const struct type *bare = type_strip(node);

	return bare->name && strstr(bare->name, "_node<") && field_size(node) > field_size(base) &&
	       field_contains(node, 0, base);
}

/* Returns the node that a loaded link, which is declared as a pointer to `base`, leads to; NULL if
 * it is not known. */
static const struct type *linked_node(const struct loaded_value *load, const struct type *base)
{
	const struct type *other = load->address->alternative;
	const struct type *element = other ? field_pointee(other) : NULL;

	if (other && is_node(other, base))
		return other;
	if (element && is_node(element, base)) /* a bucket */
		return element;
	if (is_node(load->field->type, base))
		return load->field->type;
	other = node_of_container(load->solver, load->field->type, load->field->offset);
	return other && is_node(other, base) ? other : NULL;
}

void rules_name_nodes(struct solver *solver)
{
	const struct function *function = solver->function;

	if (!language_has(solver->function, FACT_SELVES))
		return;
	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		array_each (struct register_fact, fact, solver->facts.registers[reg],
			    solver->facts.register_counts[reg]) {
			const struct type *bare =
				fact->value.kind == VALUE_POINTER && !fact->value.offset &&
						fact->variable < function->variable_count
					? type_strip(function->variables[fact->variable].type)
					: NULL;
			const struct type *node = bare && type_is_record(bare) && bare->name
							  ? node_of_name(solver, bare->name)
							  : NULL;

			if (node && is_node_base(fact->value.type) &&
			    is_node(node, fact->value.type))
				fact->value.alternative = type_canonical(node);
		}
}

void rules_name_result(const struct solver *solver, const struct type *type,
		       const struct value *argument, struct value *result)
{
	const struct type *node = NULL;

	if (result->kind != VALUE_POINTER || result->offset || result->alternative ||
	    !language_has(solver->function, FACT_SELVES) || !is_node_base(result->type))
		return;
	if (type_is_record(type_strip(type)))
		node = node_of_container(solver, type, 0);
	else if (argument->kind == VALUE_POINTER && !argument->offset && argument->alternative &&
		 field_same_type(argument->type, result->type))
		node = argument->alternative;
	if (node && is_node(node, result->type))
		result->alternative = type_canonical(node);
}

bool rule_container_node(struct loaded_value *load)
{
	struct value *value = &load->value;
	const struct type *object = value->kind == VALUE_POINTER ? value->type : NULL;
	const struct type *element = object ? field_pointee(object) : NULL;
	bool buckets = element && is_node_base(element);

	if (!object || value->offset || value->alternative || !load->solver->reader ||
	    (!buckets && !is_node_base(object)))
		return false;
	const struct type *node = linked_node(load, buckets ? element : object);

	if (!node)
		return false;
	value->alternative = type_canonical(buckets ? type_pointer_to(node) : node);
	return true;
}

bool rule_coroutine_handle(struct loaded_value *load)
{
	static const char handle[] = "coroutine_handle<";
	const struct type *record =
		load->value.kind == VALUE_UNKNOWN && load->value.type && load->solver->reader
			? field_innermost_record(load->field->type, load->field->offset)
			: NULL;
	const char *name = record ? type_strip(record)->name : NULL;
	const char *arguments = name && starts_with(name, "std::") ? strstr(name, handle) : NULL;
	_cleanup_free_ char *promise =
		arguments ? template_argument(arguments + strlen(handle), 0) : NULL;

	if (!promise || field_size(record) != WORD)
		return false;
	const struct type *type = solver_type_named(load->solver, promise);

	if (!type || !type_is_record(type_strip(type)) || type_alignment(type) > COROUTINE_PROMISE)
		return false;
	/* without an origin, because its offset would count from the value that was loaded */
	load->value = value_pointer(type_canonical(type), -COROUTINE_PROMISE, HOW_INFERRED);
	return true;
}

bool rule_class_table(struct loaded_value *load)
{
	const struct virtual_table *table =
		load->value.kind == VALUE_POINTER && !load->value.offset
			? virtual_table_pointed(load->solver, load->field, load->type)
			: NULL;

	if (!table)
		return false;
	/* a function that the debug information leaves out, such as a destructor that the compiler
	 * made, is beyond the table's declared entries */
	load->value.alternative = load->value.type;
	load->value.alternative_delta = -(int32_t)table->functions;
	load->value.type = table->type;
	load->value.offset = table->functions;
	return true;
}
