// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records for BPF programs that are loaded already: see synthesize.h. bpf(2) tells where their functions are
 * once compiled (struct bpf_prog_info), /proc/kallsyms what the kernel calls these.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <perf/event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/record/synthesize.h"

/* More functions than the verifier lets a program have (BPF_MAX_SUBPROGS is 256). */
#define MOST_FUNCTIONS 1024

struct bpf_symbol {
	uint64_t address;
	char *name;
};

struct bpf_symbols {
	struct bpf_symbol *items;
	size_t count;
	size_t capacity;
};

struct functions {
	uint64_t addresses[MOST_FUNCTIONS];
	uint32_t lengths[MOST_FUNCTIONS];
	uint8_t tags[MOST_FUNCTIONS][BPF_TAG_SIZE];
};

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int compare_symbols(const void *left, const void *right)
{
	uint64_t a = ((const struct bpf_symbol *)left)->address,
		 b = ((const struct bpf_symbol *)right)->address;

	return a < b ? -1 : a > b;
}

/* Lines of /proc/kallsyms that end in "[bpf]". */
static void read_symbols(const char *root, struct bpf_symbols *symbols)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/kallsyms", root);
	_cleanup_free_ char *line = NULL;
	FILE *file = fopen(path, "re");
	size_t capacity = 0;

	while (file && getline(&line, &capacity, file) > 0) {
		struct bpf_symbol symbol;
		char name[KSYM_NAME_LEN], module[16];

		if (sscanf(line, "%lx %*c %255s %15s", &symbol.address, name, module) != 3 ||
		    strcmp(module, "[bpf]") || !symbol.address)
			continue;
		symbol.name = xstrdup(name);
		array_reserve(symbols->items, symbols->count, symbols->capacity);
		symbols->items[symbols->count++] = symbol;
	}
	if (file)
		fclose(file);
	if (symbols->count)
		qsort(symbols->items, symbols->count, sizeof(*symbols->items), compare_symbols);
}

/* As the kernel names it in its own KSYMBOL records: by its tag and, of a program with one, its name. */
static char *function_name(const struct bpf_symbols *symbols, const struct bpf_prog_info *info,
			   const struct functions *functions, size_t index)
{
	const struct bpf_symbol key = { .address = functions->addresses[index] };
	const struct bpf_symbol *known =
		symbols->count ? bsearch(&key, symbols->items, symbols->count, sizeof(key), compare_symbols)
			       : NULL;
	char tag[2 * BPF_TAG_SIZE + 1];

	if (known)
		return xstrdup(known->name);
	for (size_t i = 0; i < BPF_TAG_SIZE; i++)
		snprintf(tag + 2 * i, 3, "%02x", functions->tags[index][i]);
	return *info->name ? xasprintf("bpf_prog_%s_%.*s", tag, BPF_OBJ_NAME_LEN, info->name)
			   : xasprintf("bpf_prog_%s", tag);
}

static void add_function(uint64_t address, uint32_t length, const char *name,
			 const struct synthesis_options *options, struct strbuf *records)
{
	struct perf_record_ksymbol record = { .header = { .type = PERF_RECORD_KSYMBOL,
							  .misc = PERF_RECORD_MISC_KERNEL },
					      .addr = address,
					      .len = length,
					      .ksym_type = PERF_RECORD_KSYMBOL_TYPE_BPF };
	size_t start = records->length;

	strbuf_add(records, &record, offsetof(struct perf_record_ksymbol, name));
	strbuf_add(records, name, strnlen(name, KSYM_NAME_LEN - 1));
	strbuf_add_char(records, '\0');
	synthesize_end(records, start, options);
}

static void add_program(const struct bpf_prog_info *info, const struct synthesis_options *options,
			struct strbuf *records)
{
	struct perf_record_bpf_event record = { .header = { .type = PERF_RECORD_BPF_EVENT,
							    .misc = PERF_RECORD_MISC_KERNEL },
						.type = PERF_BPF_EVENT_PROG_LOAD,
						.id = info->id };
	size_t start = records->length;

	memcpy(record.tag, info->tag, sizeof(record.tag));
	strbuf_add(records, &record, sizeof(record));
	synthesize_end(records, start, options);
}

/* False: it is gone, or not this program's to see. */
static bool read_program(uint32_t id, struct bpf_prog_info *info, struct functions *functions)
{
	union bpf_attr attr = { .prog_id = id };
	int fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr), status;

	if (fd < 0)
		return false;
	*info = (struct bpf_prog_info){ .nr_jited_ksyms = MOST_FUNCTIONS,
					.jited_ksyms = (uintptr_t)functions->addresses,
					.nr_jited_func_lens = MOST_FUNCTIONS,
					.jited_func_lens = (uintptr_t)functions->lengths,
					.nr_prog_tags = MOST_FUNCTIONS,
					.prog_tags = (uintptr_t)functions->tags };
	attr = (union bpf_attr){ .info = {
					 .bpf_fd = fd, .info_len = sizeof(*info), .info = (uintptr_t)info } };
	status = bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	close(fd);
	return status == 0;
}

/* Interpreted programs have no functions, and addresses are 0 for those who may not see them. */
void synthesize_bpf(const char *root, const struct synthesis_options *options, struct strbuf *records)
{
	struct bpf_symbols symbols = { 0 };
	struct functions *functions = xcalloc(1, sizeof(*functions));
	union bpf_attr attr = { .start_id = 0 };
	struct bpf_prog_info info;
	bool named = false;

	for (; bpf(BPF_PROG_GET_NEXT_ID, &attr) == 0; attr = (union bpf_attr){ .start_id = attr.next_id }) {
		if (!read_program(attr.next_id, &info, functions))
			continue;
		/* a file of megabytes, that most machines can do without */
		if (info.nr_jited_ksyms && !named) {
			read_symbols(root, &symbols);
			named = true;
		}
		for (size_t i = 0; i < info.nr_jited_ksyms && i < info.nr_jited_func_lens; i++) {
			_cleanup_free_ char *name = function_name(&symbols, &info, functions, i);

			if (functions->addresses[i])
				add_function(functions->addresses[i], functions->lengths[i], name, options,
					     records);
		}
		add_program(&info, options, records);
	}
	for (size_t i = 0; i < symbols.count; i++)
		free(symbols.items[i].name);
	free(symbols.items);
	free(functions);
}
