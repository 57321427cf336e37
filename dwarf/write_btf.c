// SPDX-License-Identifier: GPL-2.0-or-later
/* BTF of a whole object: debug_object_write_btf(). */
#include "dwarf/btf/encode.h"
#include "dwarf/debug.h"

#include "base/memory.h"

struct btf_writing {
	struct btf_encoder *encoder;
	const struct elf_image *image;
};

static void visit_type(void *data, const struct type *type)
{
	struct btf_writing *writing = data;

	btf_encoder_add_type(writing->encoder, type);
}

static void visit_function(void *data, const char *name, const struct prototype *prototype,
			   bool external)
{
	struct btf_writing *writing = data;

	btf_encoder_add_function(writing->encoder, name, prototype, external);
}

/* Finds a thread-local variable's section by its offset in the block of .tdata and .tbss. */
static bool thread_section(const struct elf_image *image, uint64_t offset,
			   struct elf_section *section, uint64_t *in_section)
{
	struct elf_section data = { 0 };
	bool has_data = elf_image_section_named(image, ".tdata", &data);

	*in_section = offset;
	if (has_data && offset < data.size) {
		*section = data;
		return true;
	}
	if (!elf_image_section_named(image, ".tbss", section))
		return false;
	/* .tbss begins where it would be loaded after .tdata, with its alignment */
	if (has_data && section->address > data.address)
		*in_section -= section->address - data.address;
	return true;
}

static void visit_variable(void *data, const struct global *variable, bool external)
{
	struct btf_writing *writing = data;
	struct elf_section section;
	uint64_t offset;

	if (variable->thread_local_) {
		if (!thread_section(writing->image, variable->address, &section, &offset))
			return;
	} else {
		if (!elf_image_section_at(writing->image, variable->address, &section))
			return;
		offset = variable->address - section.address;
	}
	btf_encoder_add_variable(writing->encoder, section.name, section.size, variable, offset,
				 external);
}

struct error *debug_object_write_btf(struct debug_object *object, const struct elf_image *image,
				     void **data, size_t *size, struct btf_losses *losses)
{
	struct btf_writing writing = { btf_encoder_create(8, false), image };
	struct debug_visitor visitor = { &writing, visit_type, visit_function, visit_variable };
	struct debug_reader *reader;
	struct error *error = debug_reader_open(object, &reader);

	if (!error) {
		error = debug_reader_each(reader, &visitor)
				? btf_encoder_finish(writing.encoder, data, size, losses)
				: error_create(ERROR_UNSUPPORTED,
					       "%s: its debug information is BTF already",
					       elf_image_path(image));
		debug_reader_close(reader);
	}
	btf_encoder_destroy(writing.encoder);
	return error;
}
