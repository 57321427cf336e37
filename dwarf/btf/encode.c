// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BTF from the type graph: see encode.h.
 *
 * The types are numbered first, and described when all have their numbers, because records refer to
 * each other in circles and libbpf adds members only to the last type.
 */
#include "dwarf/btf/encode.h"

#include <bpf/btf.h>
#include <linux/btf.h>

#include "dwarf/types/type_table.h"
#include "base/hash.h"
#include "base/memory.h"

/* The most members, parameters or enumerators of a record: 16 bits; newer kernels read more. */
#define COUNT_MAX 0xffff
/* The offset of a member of a record that has bitfields is 24 bits of bits. */
#define BITFIELD_OFFSET_MAX 0xffffff
#define BITFIELD_SIZE_MAX   0xff

/* The types that BTF has and the graph has not. They are numbered with those of the graph. */
enum entry_kind {
	ENTRY_TYPE,      /* `type` as it is */
	ENTRY_BYTES,     /* `part` bytes, for a part of an object whose type has no size */
	ENTRY_HOLDER,    /* a nameless struct with member `part` of `type` alone, for a union */
	ENTRY_FUNCTION,  /* what a value of `type`, a function of Go, points to */
	ENTRY_PROTOTYPE, /* the type of a function of `prototype` */
	ENTRY_BYTE,      /* the element of what BTF can describe only as bytes */
	ENTRY_INDEX,     /* the type of the index of arrays */
};

struct btf_entry {
	uint8_t kind; /* enum entry_kind */
	uint32_t part;
	const struct type *type;
	const struct prototype *prototype;
};

struct encoded_function {
	const char *name;
	uint32_t type; /* BTF id of its prototype */
	bool external;
};

struct encoded_variable {
	const char *section, *name;
	uint64_t section_size, offset, size;
	uint32_t type;
	bool external;
};

struct btf_encoder {
	struct btf *btf;
	struct btf_entry *entries; /* by BTF id - 1 */
	size_t count, capacity;
	struct hash_index index; /* of entries */
	size_t done;             /* entries whose own types have been numbered */
	struct encoded_function *functions;
	size_t function_count, function_capacity;
	struct hash_map function_ids; /* hash of a name and its type -> index + 1 */
	struct encoded_variable *variables;
	size_t variable_count, variable_capacity;
	struct string_pool names; /* of functions, variables and sections */
	struct btf_losses losses;
	int error; /* of libbpf, negative; 0: none */
};

/* Bytes of a pointer on the machines whose objects are read. */
#define POINTER_SIZE 8

struct btf_encoder *btf_encoder_create(void)
{
	struct btf_encoder *encoder = xcalloc(1, sizeof(*encoder));

	encoder->btf = btf__new_empty();
	if (!encoder->btf) {
		encoder->error = -errno;
		return encoder;
	}
	btf__set_pointer_size(encoder->btf, POINTER_SIZE);
	return encoder;
}

void btf_encoder_destroy(struct btf_encoder *encoder)
{
	if (!encoder)
		return;
	btf__free(encoder->btf);
	hash_index_deinit(&encoder->index);
	hash_map_deinit(&encoder->function_ids);
	string_pool_deinit(&encoder->names);
	free_all(encoder->entries, encoder->functions, encoder->variables, encoder);
}

/* ---- numbers ---- */

static bool same_types_of(const struct prototype *left, const struct prototype *right)
{
	if (left == right)
		return true;
	if (!left || !right || left->return_type != right->return_type ||
	    left->variadic != right->variadic || left->parameter_count != right->parameter_count)
		return false;
	for (size_t i = 0; i < left->parameter_count; i++) {
		const char *one = left->parameters[i].name, *other = right->parameters[i].name;

		if (left->parameters[i].type != right->parameters[i].type ||
		    strcmp(one ?: "", other ?: "") != 0)
			return false;
	}
	return true;
}

static bool same_entry(const struct btf_entry *left, const struct btf_entry *right)
{
	return left->kind == right->kind && left->part == right->part &&
	       left->type == right->type && same_types_of(left->prototype, right->prototype);
}

static uint64_t hash_entry(const struct btf_entry *entry)
{
	uint64_t hash = hash_combine((uint64_t)entry->kind << 32 | entry->part,
				     entry->type ? entry->type->id : 0);

	if (!entry->prototype)
		return hash;
	for (size_t i = 0; i < entry->prototype->parameter_count; i++)
		hash = hash_combine(hash, entry->prototype->parameters[i].type->id);
	return hash_combine(hash, entry->prototype->return_type ? entry->prototype->return_type->id
								: UINT32_MAX);
}

/* Returns the id of an entry, which is added if it is new. */
static uint32_t id_of_entry(struct btf_encoder *encoder, const struct btf_entry *entry)
{
	uint64_t hash = hash_entry(entry);

	hash_index_each (i, &encoder->index, hash)
		if (same_entry(&encoder->entries[i], entry))
			return i + 1;
	hash_index_add(&encoder->index, hash, (uint32_t)encoder->count);
	array_add(encoder->entries, encoder->count, encoder->capacity) = *entry;
	return (uint32_t)encoder->count;
}

static uint32_t byte_id(struct btf_encoder *encoder)
{
	return id_of_entry(encoder, &(struct btf_entry){ .kind = ENTRY_BYTE });
}

static uint32_t index_id(struct btf_encoder *encoder)
{
	return id_of_entry(encoder, &(struct btf_entry){ .kind = ENTRY_INDEX });
}

/* True for a type without name and size, of which nothing is known: BTF has only void for it. */
static bool is_unknown(const struct type *type)
{
	return type->kind == TYPE_UNSPECIFIED && !type->name && !type_size_or(type, 0);
}

/* Returns the type that stands for this one in BTF: it has no _Atomic. */
static const struct type *type_in_btf(const struct type *type)
{
	while (type && type->kind == TYPE_QUALIFIED && type->qualifier == 'a')
		type = type_target(type);
	return type;
}

/* Returns the BTF id of a type: 0 for void. */
static uint32_t id_of(struct btf_encoder *encoder, const struct type *type)
{
	type = type_in_btf(type);
	if (!type || type->kind == TYPE_VOID || is_unknown(type))
		return 0;
	return id_of_entry(encoder, &(struct btf_entry){ .kind = ENTRY_TYPE, .type = type });
}

/* Returns whether BTF knows how large objects of the type are: not if it is only declared. */
static bool has_size(const struct type *type)
{
	uint64_t size;

	while ((type = type_strip(type))->kind == TYPE_ARRAY)
		type = type_target(type);
	return type_size(type, &size);
}

/* Returns the id of the type of a part of an object, which takes up `size` bytes of it. */
static uint32_t id_of_part(struct btf_encoder *encoder, const struct type *type, uint64_t size)
{
	return has_size(type) ? id_of(encoder, type)
			      : id_of_entry(encoder, &(struct btf_entry){ .kind = ENTRY_BYTES,
									  .part = (uint32_t)size });
}

/* ---- records ---- */

/* A member as BTF has it. */
struct btf_field {
	const char *name;
	uint32_t type;
	uint64_t bit_offset;
	uint32_t bit_size;
};

/* True if the members of different variants share bytes, which only unions can say. */
static bool is_like_union(const struct type *record)
{
	return record->kind == TYPE_UNION || type_has_variants(record);
}

static uint64_t bit_offset_of(const struct member *member)
{
	return (uint64_t)member->offset * 8 + member->bit_offset;
}

/* Returns whether BTF has room for the record. */
static bool encode_fits(const struct type *record)
{
	size_t count;
	const struct member *members = type_members(record, &count);
	bool bits = false;

	if (count > COUNT_MAX || type_size_or(record, 0) > UINT32_MAX / 8)
		return false;
	for (size_t i = 0; i < count; i++)
		bits = bits || members[i].bit_size;
	return !any_of(i, 0, count,
		       members[i].offset < 0 || members[i].bit_size > BITFIELD_SIZE_MAX ||
			       members[i].offset > (int64_t)type_size_or(record, 0) ||
			       (bits && bit_offset_of(&members[i]) > BITFIELD_OFFSET_MAX));
}

COMPARISON(by_offset, struct btf_field, ASCENDING(bit_offset) ASCENDING(bit_size))

/* Returns the members of a record by their offsets, to be freed; numbers their types. */
static struct btf_field *fields_of(struct btf_encoder *encoder, const struct type *record,
				   size_t *count)
{
	const struct member *members = type_members(record, count);
	struct btf_field *fields = xmalloc((*count + 1) * sizeof(*fields));

	array_indexed (const struct member, member, i, members, *count) {
		fields[i] = (struct btf_field){ .name = member->name };
		if (is_like_union(record) && bit_offset_of(member)) {
			fields[i].name = NULL;
			fields[i].type =
				id_of_entry(encoder, &(struct btf_entry){ .kind = ENTRY_HOLDER,
									  .type = record,
									  .part = (uint32_t)i });
			continue;
		}
		fields[i].type = id_of_part(encoder, member->type, member->size);
		fields[i].bit_offset = bit_offset_of(member);
		fields[i].bit_size = member->bit_size;
	}
	if (!(!any_of(i, 1, *count, fields[i].bit_offset < fields[i - 1].bit_offset)))
		array_sort(fields, *count, by_offset);
	return fields;
}

/* ---- the types that a type leads to ---- */

static void number_prototype(struct btf_encoder *encoder, const struct type *result,
			     const struct parameter *parameters, size_t count)
{
	id_of(encoder, result);
	for (size_t i = 0; i < count; i++)
		id_of(encoder, parameters[i].type);
}

/* True if the elements of the array are apart, so that BTF has only bytes for it. */
static bool is_strided(const struct type *array)
{
	uint64_t count = type_array_count(array), element = 0;

	return !has_size(array) ||
	       (count && type_size_or(array, 0) && type_size(type_target(array), &element) &&
		element * count != type_size_or(array, 0));
}

/* Returns whether BTF has integers of this size. */
static bool has_integer(uint64_t size)
{
	return size <= 16 && has_one_bit(size);
}

static bool has_float(uint64_t size)
{
	return size == 12 || (size > 1 && has_integer(size));
}

/* Returns whether the type is described as an array of bytes. */
static bool is_bytes(const struct type *type)
{
	switch (type->kind) {
	case TYPE_INTEGER:
	case TYPE_UNSPECIFIED:
	case TYPE_MEMBER_POINTER:
		return type_size_or(type, 0) && !has_integer(type_size_or(type, 0));
	case TYPE_FLOAT: return type->flags & TYPE_COMPLEX || !has_float(type_size_or(type, 0));
	case TYPE_ENUM:
		return type_size_or(type, 0) &&
		       (type_size_or(type, 0) > 8 || !has_integer(type_size_or(type, 0)));
	case TYPE_ARRAY: return is_strided(type);
	}
	return false;
}

static void number_function(struct btf_encoder *encoder, const struct type *type)
{
	size_t count;
	const struct parameter *parameters = type_parameters(type, &count);

	number_prototype(encoder, type_target(type), parameters, count);
}

/* Returns the BTF id of the function that a value of the type points to; 0: it is a function
 * itself. Values of Go's types of functions are pointers, and have a size. */
static uint32_t pointed_function_id(struct btf_encoder *encoder, const struct type *type)
{
	return type_size_or(type, 0)
		       ? id_of_entry(encoder,
				     &(struct btf_entry){ .kind = ENTRY_FUNCTION, .type = type })
		       : 0;
}

static void number_type(struct btf_encoder *encoder, const struct type *type)
{
	size_t count;

	type_settle_members(type);
	if (is_bytes(type)) {
		byte_id(encoder);
		index_id(encoder);
		return;
	}
	switch (type->kind) {
	case TYPE_POINTER:
	case TYPE_REFERENCE:
	case TYPE_TYPEDEF:
	case TYPE_QUALIFIED: id_of(encoder, type_target(type)); break;
	case TYPE_ARRAY:
		id_of(encoder, type_target(type));
		index_id(encoder);
		break;
	case TYPE_STRUCT:
	case TYPE_CLASS:
	case TYPE_UNION:
		if (!(type->flags & TYPE_DECLARATION) && encode_fits(type))
			free(fields_of(encoder, type, &count));
		break;
	case TYPE_FUNCTION:
		if (!pointed_function_id(encoder, type))
			number_function(encoder, type);
		break;
	}
}

/* Numbers everything that the entries so far lead to. */
static void number_all(struct btf_encoder *encoder)
{
	while (encoder->done < encoder->count) {
		struct btf_entry entry = encoder->entries[encoder->done++];
		const struct member *member;
		size_t count;

		switch ((enum entry_kind)entry.kind) {
		case ENTRY_TYPE: number_type(encoder, entry.type); break;
		case ENTRY_BYTES:
			byte_id(encoder);
			index_id(encoder);
			break;
		case ENTRY_HOLDER:
			member = &type_members(entry.type, &count)[entry.part];
			id_of_part(encoder, member->type, member->size);
			break;
		case ENTRY_FUNCTION: number_function(encoder, entry.type); break;
		case ENTRY_PROTOTYPE:
			number_prototype(encoder, entry.prototype->return_type,
					 entry.prototype->parameters,
					 entry.prototype->parameter_count);
			break;
		case ENTRY_BYTE:
		case ENTRY_INDEX: break;
		}
	}
}

void btf_encoder_add_type(struct btf_encoder *encoder, const struct type *type)
{
	id_of(encoder, type);
}

void btf_encoder_add_function(struct btf_encoder *encoder, const char *name,
			      const struct prototype *prototype, bool external)
{
	/* as pahole: a kernel loads no BTF with a function that has a nameless parameter */
	if (!name || !*name || prototype->parameter_count >= COUNT_MAX ||
	    (any_of(i, 0, prototype->parameter_count, !prototype->parameters[i].name))) {
		encoder->losses.functions++;
		return;
	}
	name = string_pool_intern(&encoder->names, name);

	uint32_t type = id_of_entry(
		encoder, &(struct btf_entry){ .kind = ENTRY_PROTOTYPE, .prototype = prototype });
	bool created;

	hash_map_insert(&encoder->function_ids, hash_combine((uintptr_t)name, type), &created);
	if (!created)
		return;
	array_add(encoder->functions, encoder->function_count, encoder->function_capacity) =
		(struct encoded_function){ name, type, external };
}

void btf_encoder_add_variable(struct btf_encoder *encoder, const char *section,
			      uint64_t section_size, const struct global *variable, uint64_t offset,
			      bool external)
{
	uint32_t type = id_of(encoder, variable->type);

	if (!type || !variable->name || !*variable->name || section_size > UINT32_MAX ||
	    offset > section_size || variable->size > section_size - offset) {
		encoder->losses.variables++;
		return;
	}
	array_add(encoder->variables, encoder->variable_count, encoder->variable_capacity) =
		(struct encoded_variable){
			.section = string_pool_intern(&encoder->names, section),
			.name = string_pool_intern(&encoder->names, variable->name),
			.section_size = section_size,
			.offset = offset,
			.size = variable->size,
			.type = type,
			.external = external,
		};
}

/* ---- writing ---- */

/* Keeps the first error of libbpf, whose functions return an id or a negative error. */
static void check(struct btf_encoder *encoder, int result)
{
	if (result < 0 && !encoder->error)
		encoder->error = result;
}

static void write_bytes(struct btf_encoder *encoder, uint64_t size)
{
	check(encoder, btf__add_array(encoder->btf, (int)index_id(encoder), (int)byte_id(encoder),
				      size > UINT32_MAX ? 0 : (uint32_t)size));
}

static void write_integer(struct btf_encoder *encoder, const struct type *type)
{
	int encoding = type->flags & TYPE_BOOL     ? BTF_INT_BOOL
		       : type->flags & TYPE_SIGNED ? BTF_INT_SIGNED
						   : 0;

	check(encoder, btf__add_int(encoder->btf, type->name ?: "(unnamed)", type_size_or(type, 0),
				    encoding));
}

static void write_float(struct btf_encoder *encoder, const struct type *type)
{
	check(encoder,
	      btf__add_float(encoder->btf, type->name ?: "(unnamed)", type_size_or(type, 0)));
}

static void write_enum(struct btf_encoder *encoder, const struct type *type)
{
	size_t count;
	const struct enumerator *constants = type_enumerators(type, &count);
	bool is_long = false;

	if (count > COUNT_MAX)
		count = 0;
	/* BTF has only declarations of enums of four bytes */
	uint32_t size = type_size_or(type, 0) ? (uint32_t)type_size_or(type, 0) : 4;
	/* of eight bytes without a sign, the top bit is no sign either */
	int64_t low = size > 4 && !(type->flags & TYPE_SIGNED) ? 0 : INT32_MIN;

	for (size_t i = 0; i < count; i++)
		is_long = is_long || constants[i].value > UINT32_MAX || constants[i].value < low;
	check(encoder,
	      is_long ? btf__add_enum64(encoder->btf, type->name, size, type->flags & TYPE_SIGNED)
		      : btf__add_enum(encoder->btf, type->name, size));
	for (size_t i = 0; i < count; i++)
		check(encoder, is_long ? btf__add_enum64_value(encoder->btf, constants[i].name,
							       (uint64_t)constants[i].value)
				       : btf__add_enum_value(encoder->btf, constants[i].name,
							     constants[i].value));
}

static void write_field(struct btf_encoder *encoder, const struct btf_field *field)
{
	check(encoder, btf__add_field(encoder->btf, field->name, (int)field->type,
				      (uint32_t)field->bit_offset, field->bit_size));
}

static void write_record(struct btf_encoder *encoder, const struct type *type)
{
	bool is_union = is_like_union(type), declared = type->flags & TYPE_DECLARATION;
	uint32_t size = (uint32_t)type_size_or(type, 0);
	size_t count;

	if (declared || !encode_fits(type)) {
		encoder->losses.records += !declared;
		check(encoder, btf__add_fwd(encoder->btf, type->name ?: "(unnamed)",
					    is_union ? BTF_FWD_UNION : BTF_FWD_STRUCT));
		return;
	}
	check(encoder, is_union ? btf__add_union(encoder->btf, type->name, size)
				: btf__add_struct(encoder->btf, type->name, size));
	_cleanup_free_ struct btf_field *fields = fields_of(encoder, type, &count);

	for (size_t i = 0; i < count; i++)
		write_field(encoder, &fields[i]);
}

/* A struct with one member of a union that is not at its beginning. */
static void write_holder(struct btf_encoder *encoder, const struct btf_entry *entry)
{
	size_t count;
	const struct member *member = &type_members(entry->type, &count)[entry->part];

	check(encoder, btf__add_struct(encoder->btf, NULL, (uint32_t)type_size_or(entry->type, 0)));
	write_field(encoder,
		    &(struct btf_field){ .name = member->name,
					 .type = id_of_part(encoder, member->type, member->size),
					 .bit_offset = bit_offset_of(member),
					 .bit_size = member->bit_size });
}

/* As pahole, a single array has all dimensions' elements; unknown if BTF has no room. */
static void write_array(struct btf_encoder *encoder, const struct type *array)
{
	uint64_t elements = type_array_count(array);

	check(encoder, btf__add_array(encoder->btf, (int)index_id(encoder),
				      (int)id_of(encoder, type_target(array)),
				      elements > UINT32_MAX ? 0 : (uint32_t)elements));
}

static void write_prototype(struct btf_encoder *encoder, const struct type *result,
			    const struct parameter *parameters, size_t count, bool variadic)
{
	if (count >= COUNT_MAX)
		count = 0;
	check(encoder, btf__add_func_proto(encoder->btf, (int)id_of(encoder, result)));
	for (size_t i = 0; i < count; i++)
		check(encoder, btf__add_func_param(encoder->btf, parameters[i].name,
						   (int)id_of(encoder, parameters[i].type)));
	if (variadic)
		check(encoder, btf__add_func_param(encoder->btf, NULL, 0));
}

static void write_function(struct btf_encoder *encoder, const struct type *type)
{
	size_t count;
	const struct parameter *parameters = type_parameters(type, &count);

	write_prototype(encoder, type_target(type), parameters, count, type->flags & TYPE_VARIADIC);
}

static void write_type(struct btf_encoder *encoder, const struct type *type)
{
	const struct type *target = type_target(type);
	struct btf *btf = encoder->btf;
	uint32_t pointed;

	if (is_bytes(type)) {
		write_bytes(encoder, type_size_or(type, 0));
		return;
	}
	switch (type->kind) {
	case TYPE_FLOAT: write_float(encoder, type); break;
	case TYPE_ENUM: write_enum(encoder, type); break;
	case TYPE_POINTER:
	case TYPE_REFERENCE: check(encoder, btf__add_ptr(btf, (int)id_of(encoder, target))); break;
	case TYPE_STRUCT:
	case TYPE_CLASS:
	case TYPE_UNION: write_record(encoder, type); break;
	case TYPE_ARRAY: write_array(encoder, type); break;
	case TYPE_TYPEDEF:
		check(encoder, btf__add_typedef(btf, type->name, (int)id_of(encoder, target)));
		break;
	case TYPE_QUALIFIED:
		check(encoder, type->qualifier == 'c'
				       ? btf__add_const(btf, (int)id_of(encoder, target))
			       : type->qualifier == 'v'
				       ? btf__add_volatile(btf, (int)id_of(encoder, target))
				       : btf__add_restrict(btf, (int)id_of(encoder, target)));
		break;
	case TYPE_FUNCTION:
		pointed = pointed_function_id(encoder, type);
		if (pointed)
			check(encoder, btf__add_ptr(btf, (int)pointed));
		else
			write_function(encoder, type);
		break;
	default: /* integers, and what has a size and a name but no structure */
		if (type_size_or(type, 0))
			write_integer(encoder, type);
		else
			check(encoder, btf__add_typedef(btf, type->name ?: "(unnamed)", 0));
	}
}

static void write_entry(struct btf_encoder *encoder, const struct btf_entry *entry)
{
	switch ((enum entry_kind)entry->kind) {
	case ENTRY_TYPE: write_type(encoder, entry->type); break;
	case ENTRY_BYTES: write_bytes(encoder, entry->part); break;
	case ENTRY_HOLDER: write_holder(encoder, entry); break;
	case ENTRY_FUNCTION: write_function(encoder, entry->type); break;
	case ENTRY_PROTOTYPE:
		write_prototype(encoder, entry->prototype->return_type,
				entry->prototype->parameters, entry->prototype->parameter_count,
				entry->prototype->variadic);
		break;
	case ENTRY_BYTE: check(encoder, btf__add_int(encoder->btf, "__u8", 1, 0)); break;
	case ENTRY_INDEX: /* as clang and pahole call it */
		check(encoder, btf__add_int(encoder->btf, "__ARRAY_SIZE_TYPE__", POINTER_SIZE, 0));
		break;
	}
}

COMPARISON(by_place, struct encoded_variable,
	   BY_TEXT(section) ASCENDING(offset) BY_TEXT(name) ASCENDING(type))

/* Returns the index after the last variable of a section. */
static size_t section_end(const struct btf_encoder *encoder, size_t first)
{
	size_t end = first;

	while (end < encoder->variable_count &&
	       encoder->variables[end].section == encoder->variables[first].section)
		end++;
	return end;
}

/* Writes the variables, and a list of them for each section, as long as BTF has room for it. */
static void write_variables(struct btf_encoder *encoder)
{
	_cleanup_free_ int *ids = xmalloc((encoder->variable_count + 1) * sizeof(*ids));

	array_sort(encoder->variables, encoder->variable_count, by_place);
	array_indexed (const struct encoded_variable, variable, i, encoder->variables,
		       encoder->variable_count) {
		ids[i] =
			btf__add_var(encoder->btf, variable->name,
				     variable->external ? BTF_VAR_GLOBAL_ALLOCATED : BTF_VAR_STATIC,
				     (int)variable->type);
		check(encoder, ids[i]);
	}
	for (size_t first = 0, end; first < encoder->variable_count; first = end) {
		end = section_end(encoder, first);
		check(encoder, btf__add_datasec(encoder->btf, encoder->variables[first].section,
						(uint32_t)encoder->variables[first].section_size));
		for (size_t i = first; i < end; i++) {
			if (i - first >= COUNT_MAX) {
				encoder->losses.variables += end - i;
				break;
			}
			check(encoder,
			      btf__add_datasec_var_info(encoder->btf, ids[i],
							(uint32_t)encoder->variables[i].offset,
							(uint32_t)encoder->variables[i].size));
		}
	}
}

struct error *btf_encoder_finish(struct btf_encoder *encoder, void **data, size_t *size,
				 struct btf_losses *losses)
{
	uint32_t length = 0;

	number_all(encoder);
	const size_t count = encoder->count;

	for (size_t i = 0; i < count && !encoder->error; i++)
		write_entry(encoder, &encoder->entries[i]);
	for (size_t i = 0; i < encoder->function_count && !encoder->error; i++) {
		const struct encoded_function *function = &encoder->functions[i];

		check(encoder, btf__add_func(encoder->btf, function->name,
					     function->external ? BTF_FUNC_GLOBAL : BTF_FUNC_STATIC,
					     (int)function->type));
	}
	if (!encoder->error)
		write_variables(encoder);

	const void *raw = encoder->error ? NULL : btf__raw_data(encoder->btf, &length);

	if (!raw)
		return error_errno(encoder->error ? -encoder->error : ENOMEM,
				   "libbpf cannot write BTF");
	*data = xmalloc(length);
	memcpy(*data, raw, length);
	*size = length;
	*losses = encoder->losses;
	return NULL;
}
