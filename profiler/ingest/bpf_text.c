// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF programs that were loaded at the time, as text: see feature_text.h; struct bpf_prog_info is in
 * <linux/bpf.h>. */
#include <inttypes.h>
#include <linux/bpf.h>
#include <string.h>

#include "profiler/ingest/feature_text.h"

/* What is printed of a program; arrays lie in the data behind the info, where the info has offsets for
 * pointers. */
struct bpf_program {
	struct bpf_prog_info info;
	const uint8_t *data;
	size_t data_size;
};

static struct cursor bpf_array(const struct bpf_program *program, uint64_t offset, bool swap)
{
	if (offset > program->data_size)
		offset = program->data_size;
	return cursor_of(program->data + offset, program->data_size - offset, swap);
}

static void print_bpf_name(struct strbuf *text, const struct bpf_prog_info *info)
{
	char name[BPF_OBJ_NAME_LEN + 1] = { 0 };

	strbuf_add_string(text, "bpf_prog_");
	for (size_t i = 0; i < BPF_TAG_SIZE; i++)
		strbuf_add_format(text, "%02x", info->tag[i]);
	memcpy(name, info->name, BPF_OBJ_NAME_LEN);
	if (*name) {
		strbuf_add_char(text, '_');
		text_add_printable(text, name);
	}
}

static void print_bpf_program(struct feature_printer *printer, const struct bpf_program *program)
{
	const struct bpf_prog_info *info = &program->info;
	struct cursor addresses = bpf_array(program, info->jited_ksyms, printer->cursor.swap);
	struct cursor lengths = bpf_array(program, info->jited_func_lens, printer->cursor.swap);

	if (info->nr_jited_ksyms == 0 || info->nr_jited_ksyms != info->nr_jited_func_lens)
		return;
	strbuf_add_format(printer->text, "# bpf_prog_info %u:%s", info->id,
			  info->nr_jited_ksyms > 1 ? "\n" : " ");
	for (uint32_t i = 0; i < info->nr_jited_ksyms && !addresses.failed && !lengths.failed; i++) {
		if (info->nr_jited_ksyms > 1)
			strbuf_add_format(printer->text, "# \tsub_prog %u: ", i);
		print_bpf_name(printer->text, info);
		uint64_t address = cursor_u64(&addresses);

		strbuf_add_format(printer->text, " addr 0x%" PRIx64 " size %u\n", address,
				  cursor_u32(&lengths));
	}
}

void print_bpf_programs(struct feature_printer *printer)
{
	struct cursor *cursor = &printer->cursor;
	uint32_t count = cursor_u32(cursor);

	if (!count)
		strbuf_add_string(printer->text, "# bpf_prog_info empty\n");
	/* The info is a struct of the recording machine's own byte order, which is not taken apart here. */
	for (uint32_t i = 0; i < count && !cursor->failed && !cursor->swap; i++) {
		struct bpf_program program = { 0 };
		uint32_t info_size = cursor_u32(cursor);
		uint32_t data_size = cursor_u32(cursor);

		cursor_skip(cursor, 8); /* which arrays there are */
		const void *info = cursor_bytes(cursor, info_size);

		program.data = cursor_bytes(cursor, data_size);
		program.data_size = data_size;
		if (cursor->failed)
			return;
		memcpy(&program.info, info,
		       info_size < sizeof(program.info) ? info_size : sizeof(program.info));
		print_bpf_program(printer, &program);
	}
}

void print_btf(struct feature_printer *printer)
{
	struct cursor *cursor = &printer->cursor;
	uint32_t count = cursor_u32(cursor);

	if (!count)
		strbuf_add_string(printer->text, "# btf info empty\n");
	for (uint32_t i = 0; i < count && !cursor->failed; i++) {
		uint32_t id = cursor_u32(cursor);

		cursor_skip(cursor, cursor_u32(cursor));
		if (!cursor->failed)
			strbuf_add_format(printer->text, "# btf info of id %u\n", id);
	}
}
