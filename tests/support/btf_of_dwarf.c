// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes each type once, in the order of its number, which it gets at its first mention. */
#include "tests/support/btf_of_dwarf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/btf_writer.h"

/* One record of BTF: a type, or a dimension of an array inside the outermost one. */
struct numbered {
	const struct type *type;
	size_t dimension;
};

struct conversion {
	struct btf_writer *writer;
	struct numbered *types; /* types[i] has the id i + 1 */
	size_t count;
};

static uint32_t id_of_dimension(struct conversion *conversion, const struct type *type,
				size_t dimension)
{
	if (type->kind == TYPE_VOID)
		return 0;
	for (size_t i = 0; i < conversion->count; i++)
		if (conversion->types[i].type == type &&
		    conversion->types[i].dimension == dimension)
			return (uint32_t)i + 1;
	conversion->types = xrealloc_array(conversion->types, conversion->count + 1,
					   sizeof(*conversion->types));
	conversion->types[conversion->count++] = (struct numbered){ type, dimension };
	return (uint32_t)conversion->count;
}

static uint32_t id_of(struct conversion *conversion, const struct type *type)
{
	return id_of_dimension(conversion, type, 0);
}

static void write_record(struct conversion *conversion, const struct type *type)
{
	struct btf_writer *writer = conversion->writer;
	size_t count;
	const struct member *members = type_members(type, &count);
	bool is_union = type->kind == TYPE_UNION, bitfields = false;

	if (type->flags & TYPE_DECLARATION) {
		btf_writer_type(writer, type->name, BTF_KIND_FWD, is_union, 0, 0);
		return;
	}
	for (size_t i = 0; i < count; i++)
		bitfields |= members[i].bit_size != 0;
	btf_writer_type(writer, type->name, is_union ? BTF_KIND_UNION : BTF_KIND_STRUCT, bitfields,
			(unsigned int)count, (uint32_t)type_size_or(type, 0));
	for (size_t i = 0; i < count; i++)
		btf_writer_member(writer, members[i].name, id_of(conversion, members[i].type),
				  members[i].bit_size << 24 | ((uint32_t)members[i].offset * 8 +
							       members[i].bit_offset));
}

static void write_array(struct conversion *conversion, const struct type *type, size_t dimension)
{
	size_t count;
	const uint64_t *dimensions = type_array_dimensions(type, &count);
	uint32_t element = dimension + 1 < count ? id_of_dimension(conversion, type, dimension + 1)
						 : id_of(conversion, type_target(type));

	btf_writer_array(conversion->writer, element,
			 dimension < count ? (uint32_t)dimensions[dimension] : 0);
}

static void write_function_type(struct conversion *conversion, const struct type *type)
{
	struct btf_writer *writer = conversion->writer;
	size_t count;
	const struct parameter *parameters = type_parameters(type, &count);
	bool variadic = type->flags & TYPE_VARIADIC;

	btf_writer_type(writer, NULL, BTF_KIND_FUNC_PROTO, false, (unsigned int)count + variadic,
			id_of(conversion, type_target(type)));
	for (size_t i = 0; i < count; i++) {
		btf_writer_word(writer, btf_writer_name(writer, parameters[i].name));
		btf_writer_word(writer, id_of(conversion, parameters[i].type));
	}
	for (int i = 0; i < 2 * variadic; i++)
		btf_writer_word(writer, 0);
}

static unsigned int qualifier_kind(const struct type *type)
{
	return type->qualifier == 'c'   ? BTF_KIND_CONST
	       : type->qualifier == 'v' ? BTF_KIND_VOLATILE
					: BTF_KIND_RESTRICT;
}

static uint8_t integer_encoding(const struct type *type)
{
	return (type->flags & TYPE_BOOL ? BTF_INT_BOOL : 0) |
	       (type->flags & TYPE_SIGNED ? BTF_INT_SIGNED : 0);
}

static void write_type(struct conversion *conversion, struct numbered numbered)
{
	const struct type *type = numbered.type;
	struct btf_writer *writer = conversion->writer;

	switch (type->kind) {
	case TYPE_INTEGER:
		btf_writer_integer(writer, type->name, (uint32_t)type_size_or(type, 0),
				   integer_encoding(type));
		break;
	case TYPE_POINTER: btf_writer_pointer(writer, id_of(conversion, type_target(type))); break;
	case TYPE_STRUCT:
	case TYPE_UNION: write_record(conversion, type); break;
	case TYPE_ARRAY: write_array(conversion, type, numbered.dimension); break;
	case TYPE_TYPEDEF:
		btf_writer_type(writer, type->name, BTF_KIND_TYPEDEF, false, 0,
				id_of(conversion, type_target(type)));
		break;
	case TYPE_QUALIFIED:
		btf_writer_type(writer, NULL, qualifier_kind(type), false, 0,
				id_of(conversion, type_target(type)));
		break;
	case TYPE_FUNCTION: write_function_type(conversion, type); break;
	case TYPE_ENUM:
		btf_writer_type(writer, type->name, BTF_KIND_ENUM, false, 0,
				(uint32_t)type_size_or(type, 0));
		break;
	case TYPE_FLOAT:
		btf_writer_type(writer, type->name, BTF_KIND_FLOAT, false, 0,
				(uint32_t)type_size_or(type, 0));
		break;
	default: btf_writer_type(writer, "other", BTF_KIND_FWD, false, 0, 0); break;
	}
}

static bool is_left_out(const char *name, char *const *left_out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(left_out[i], name) == 0)
			return true;
	return false;
}

/* A function of the object, or a per-cpu variable, that the BTF mentions. */
struct mentioned {
	const struct symbol *symbol;
	const struct prototype *prototype; /* NULL: a variable */
	uint32_t result;                   /* id of the result or the variable's type */
	uint32_t parameters[16];
	unsigned int parameter_count;
};

static void mention_function(struct conversion *conversion, struct mentioned *mentioned)
{
	const struct prototype *prototype = mentioned->prototype;

	mentioned->result = prototype->return_type ? id_of(conversion, prototype->return_type) : 0;
	for (size_t i = 0; i < prototype->parameter_count && i < 15; i++)
		mentioned->parameters[mentioned->parameter_count++] =
			id_of(conversion, prototype->parameters[i].type);
	if (prototype->variadic)
		mentioned->parameters[mentioned->parameter_count++] = 0;
}

static size_t mention_all(struct conversion *conversion, const struct elf_image *image,
			  struct debug_reader *reader, char *const *left_out, size_t left_out_count,
			  struct mentioned **result)
{
	struct elf_section per_cpu;
	bool has_per_cpu = elf_image_section_named(image, ".data..percpu", &per_cpu);
	size_t symbol_count, count = 0;
	const struct symbol *symbols = elf_image_symbols(image, &symbol_count);

	*result = xcalloc(symbol_count + 1, sizeof(**result));
	for (size_t i = 0; i < symbol_count; i++) {
		struct mentioned mentioned = { .symbol = &symbols[i] };
		struct global global;

		if (symbols[i].type == STT_FUNC &&
		    !is_left_out(symbols[i].name, left_out, left_out_count)) {
			mentioned.prototype = debug_reader_prototype_at(reader, symbols[i].address,
									symbols[i].address);
			if (!mentioned.prototype)
				continue;
			mention_function(conversion, &mentioned);
		} else if (symbols[i].type == STT_OBJECT && has_per_cpu &&
			   symbols[i].address - per_cpu.address < per_cpu.size &&
			   debug_reader_global_at(reader, symbols[i].address, 0, &global)) {
			mentioned.result = id_of(conversion, global.type);
		} else {
			continue;
		}
		(*result)[count++] = mentioned;
	}
	return count;
}

static void write_per_cpu(struct btf_writer *writer, const struct elf_image *image,
			  const struct mentioned *mentioned, size_t count)
{
	_cleanup_free_ uint32_t *ids = xcalloc(count + 1, sizeof(*ids));
	struct elf_section section;
	unsigned int variables = 0;

	if (!elf_image_section_named(image, ".data..percpu", &section))
		return;

	for (size_t i = 0; i < count; i++) {
		if (mentioned[i].prototype)
			continue;
		ids[i] = btf_writer_type(writer, mentioned[i].symbol->name, BTF_KIND_VAR, false, 0,
					 mentioned[i].result);
		btf_writer_word(writer, BTF_VAR_GLOBAL_ALLOCATED);
		variables++;
	}
	if (!variables)
		return;
	btf_writer_type(writer, ".data..percpu", BTF_KIND_DATASEC, false, variables,
			(uint32_t)section.size);
	for (size_t i = 0; i < count; i++) {
		if (!ids[i])
			continue;
		btf_writer_word(writer, ids[i]);
		btf_writer_word(writer, (uint32_t)(mentioned[i].symbol->address - section.address));
		btf_writer_word(writer, (uint32_t)mentioned[i].symbol->size);
	}
}

uint8_t *btf_of_dwarf(const struct elf_image *image, struct debug_object *object,
		      char *const *left_out, size_t left_out_count, size_t *size)
{
	struct conversion conversion = { .writer = btf_writer_create(NULL, false) };
	_cleanup_free_ struct mentioned *mentioned = NULL;
	struct debug_reader *reader;
	struct error *error = debug_reader_open(object, &reader);

	if (error)
		abort();
	size_t count =
		mention_all(&conversion, image, reader, left_out, left_out_count, &mentioned);

	for (size_t i = 0; i < conversion.count; i++)
		write_type(&conversion, conversion.types[i]);
	for (size_t i = 0; i < count; i++)
		if (mentioned[i].prototype)
			btf_writer_function(conversion.writer, mentioned[i].symbol->name,
					    mentioned[i].result, mentioned[i].parameters,
					    mentioned[i].parameter_count);
	write_per_cpu(conversion.writer, image, mentioned, count);
	debug_reader_close(reader);
	free(conversion.types);
	return btf_writer_finish(conversion.writer, size);
}
