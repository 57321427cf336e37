// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes what kernels' BTF has from the debug information: see btf_of_dwarf.h. */
#include "tests/support/btf_of_dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/btf/encode.h"

struct conversion {
	struct btf_encoder *encoder;
	struct elf_section per_cpu;
	char *const *left_out;
	size_t left_out_count;
};

/* Types come with the functions and variables that need them. */
static void ignore_type(void *data, const struct type *type)
{
	(void)data;
	(void)type;
}

static void add_function(void *data, const char *name, const struct prototype *prototype,
			 bool external)
{
	struct conversion *conversion = data;

	for (size_t i = 0; i < conversion->left_out_count; i++)
		if (strcmp(conversion->left_out[i], name) == 0)
			return;
	btf_encoder_add_function(conversion->encoder, name, prototype, external);
}

static void add_variable(void *data, const struct global *variable, bool external)
{
	struct conversion *conversion = data;
	uint64_t offset = variable->address - conversion->per_cpu.address;

	if (!variable->thread_local_ && offset < conversion->per_cpu.size)
		btf_encoder_add_variable(conversion->encoder, ".data..percpu",
					 conversion->per_cpu.size, variable, offset, external);
}

uint8_t *btf_of_dwarf(const struct elf_image *image, struct debug_object *object,
		      char *const *left_out, size_t left_out_count, size_t *size)
{
	struct conversion conversion = { .encoder = btf_encoder_create(),
					 .left_out = left_out,
					 .left_out_count = left_out_count };
	const struct debug_visitor visitor = { &conversion, ignore_type, add_function,
					       add_variable };
	struct btf_losses losses;
	struct debug_reader *reader;
	void *data;

	elf_image_section_named(image, ".data..percpu", &conversion.per_cpu);
	reader = debug_reader_open(object);
	if (!debug_reader_each(reader, &visitor) ||
	    btf_encoder_finish(conversion.encoder, &data, size, &losses))
		abort();
	debug_reader_close(reader);
	btf_encoder_destroy(conversion.encoder);
	return data;
}
