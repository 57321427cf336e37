// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/btf_writer.h"

#include <byteswap.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"

struct btf_writer {
	struct strbuf types;
	struct strbuf strings;
	uint32_t first_string; /* offset: the base's come before */
	uint32_t next_id;
	bool swap;
};

struct btf_writer *btf_writer_create(const struct btf_writer *base, bool other_byte_order)
{
	struct btf_writer *writer = xcalloc(1, sizeof(*writer));

	writer->types = (struct strbuf)STRBUF_INIT;
	writer->strings = (struct strbuf)STRBUF_INIT;
	writer->next_id = base ? base->next_id : 1;
	writer->first_string = base ? base->first_string + (uint32_t)base->strings.length : 0;
	writer->swap = other_byte_order;
	if (!base)
		strbuf_add_char(&writer->strings, '\0');
	return writer;
}

uint32_t btf_writer_name(struct btf_writer *writer, const char *name)
{
	uint32_t offset = (uint32_t)writer->strings.length;

	if (!name)
		return 0;
	strbuf_add(&writer->strings, name, strlen(name) + 1);
	return writer->first_string + offset;
}

void btf_writer_word(struct btf_writer *writer, uint32_t word)
{
	if (writer->swap)
		word = bswap_32(word);
	strbuf_add(&writer->types, &word, sizeof(word));
}

uint32_t btf_writer_type(struct btf_writer *writer, const char *name, unsigned int kind,
			 bool kind_flag, unsigned int count, uint32_t size_or_type)
{
	btf_writer_word(writer, btf_writer_name(writer, name));
	btf_writer_word(writer, (uint32_t)kind_flag << 31 | kind << 24 | count);
	btf_writer_word(writer, size_or_type);
	return writer->next_id++;
}

uint32_t btf_writer_integer(struct btf_writer *writer, const char *name, uint32_t size,
			    uint8_t encoding)
{
	uint32_t id = btf_writer_type(writer, name, BTF_KIND_INT, false, 0, size);

	btf_writer_word(writer, (uint32_t)encoding << 24 | size * 8);
	return id;
}

uint32_t btf_writer_pointer(struct btf_writer *writer, uint32_t target)
{
	return btf_writer_type(writer, NULL, BTF_KIND_PTR, false, 0, target);
}

uint32_t btf_writer_array(struct btf_writer *writer, uint32_t element, uint32_t count)
{
	uint32_t id = btf_writer_type(writer, NULL, BTF_KIND_ARRAY, false, 0, 0);

	btf_writer_word(writer, element);
	btf_writer_word(writer, element);
	btf_writer_word(writer, count);
	return id;
}

uint32_t btf_writer_record(struct btf_writer *writer, unsigned int kind, const char *name,
			   uint32_t size, unsigned int count)
{
	return btf_writer_type(writer, name, kind, false, count, size);
}

void btf_writer_member(struct btf_writer *writer, const char *name, uint32_t type,
		       uint32_t bit_offset)
{
	btf_writer_word(writer, btf_writer_name(writer, name));
	btf_writer_word(writer, type);
	btf_writer_word(writer, bit_offset);
}

uint32_t btf_writer_function(struct btf_writer *writer, const char *name, uint32_t result,
			     const uint32_t *parameters, unsigned int count)
{
	uint32_t prototype =
		btf_writer_type(writer, NULL, BTF_KIND_FUNC_PROTO, false, count, result);

	for (unsigned int i = 0; i < count; i++) {
		btf_writer_word(writer, btf_writer_name(writer, parameters[i] ? "argument" : NULL));
		btf_writer_word(writer, parameters[i]);
	}
	return btf_writer_type(writer, name, BTF_KIND_FUNC, false, BTF_FUNC_STATIC, prototype);
}

uint8_t *btf_writer_finish(struct btf_writer *writer, size_t *size)
{
	struct btf_header header = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = BTF_HEADER_SIZE,
		.type_len = (uint32_t)writer->types.length,
		.str_off = (uint32_t)writer->types.length,
		.str_len = (uint32_t)writer->strings.length,
	};
	struct strbuf whole = STRBUF_INIT;

	if (writer->swap) {
		header.magic = bswap_16(header.magic);
		header.hdr_len = bswap_32(header.hdr_len);
		header.type_len = bswap_32(header.type_len);
		header.str_off = bswap_32(header.str_off);
		header.str_len = bswap_32(header.str_len);
	}
	strbuf_add(&whole, &header, BTF_HEADER_SIZE);
	strbuf_add(&whole, writer->types.data, writer->types.length);
	strbuf_add(&whole, writer->strings.data, writer->strings.length);
	*size = whole.length;
	strbuf_deinit(&writer->types);
	strbuf_deinit(&writer->strings);
	free(writer);
	return (uint8_t *)strbuf_detach(&whole);
}
