// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof debug: prints what each stage of the type engine knows about one function, for those who
 * work on dtprof.
 *
 * Each dump asks a room for its results through its public header and prints them, one fact in a
 * line. The form is for people and may change. Names come from the file, so every line is made
 * printable before it is printed.
 */
#include <inttypes.h>

#include "annotate/facts/abi.h"
#include "annotate/solve/type_resolver.h"
#include "annotate/types/member.h"
#include "disasm/cfg.h"
#include "dwarf/debug.h"
#include "dwarf/elf/image.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "profiler/commands/commands.h"
#include "profiler/cli/sandbox.h"
#include "profiler/cli/input.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/objects/dso.h"

#define TEXT_COLUMN 52 /* the facts about an instruction are after its text */

static struct {
	bool no_infer;
	enum syntax syntax;
} options;

/* The function that is dumped, and the tools to look at it. Zero-initialized is closed. */
struct subject {
	const struct elf_image *image;
	const struct arch *arch;     /* of the image's code */
	struct debug_object *debug;  /* NULL: no debug information */
	struct debug_reader *reader; /* NULL without `debug` */
	struct decoder *decoder;
	const struct symbol *symbol;
	struct function *function; /* NULL: not in the debug information */
	struct cfg *code;          /* NULL: not decoded yet */
};

/* ---- the function ---- */

/* Parses "0x1140"; false if it is not an address. */
static bool parse_address(const char *text, uint64_t *address)
{
	char *end;

	errno = 0;
	*address = strtoull(text, &end, 16);
	return starts_with(text, "0x") && end > text + 2 && !*end && !errno;
}

static const struct symbol *find_demangled(const struct elf_image *image, const char *name)
{
	size_t count;
	const struct symbol *symbols = elf_image_symbols(image, &count);

	for (size_t i = 0; i < count; i++) {
		_cleanup_free_ char *readable =
			symbol_is_data(&symbols[i]) ? NULL : symbol_demangle(symbols[i].name);

		if (readable && !strcmp(readable, name))
			return &symbols[i];
	}
	return NULL;
}

static const struct symbol *find_symbol(struct dso *dso, const struct dso_options *dso_options,
					const struct elf_image *image, const char *name)
{
	const struct elf_image *files[] = { image, dso_debug_image(dso, dso_options) };
	uint64_t address;

	if (parse_address(name, &address))
		return dso_symbol_at(dso, dso_options, address);
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		const struct symbol *symbol =
			files[i] ? elf_image_symbol_named(files[i], name) : NULL;

		if (symbol && !symbol_is_data(symbol))
			return symbol;
	}
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		const struct symbol *symbol = files[i] ? find_demangled(files[i], name) : NULL;

		if (symbol)
			return symbol;
	}
	return NULL;
}

static struct error *subject_open(struct subject *subject, struct dso *dso,
				  const struct dso_options *dso_options, const char *name)
{
	const char *problem = NULL;

	subject->image = dso_image(dso, dso_options, &problem);
	if (!subject->image)
		return error_create(ERROR_NOT_FOUND, "%s", problem);
	subject->arch = abi_of_image(subject->image)->arch;
	subject->debug = dso_debug(dso, dso_options, &problem);
	if (subject->debug)
		subject->reader = debug_reader_open(subject->debug);
	subject->symbol = find_symbol(dso, dso_options, subject->image, name);
	if (!subject->symbol)
		return error_create(ERROR_NOT_FOUND, "%s has no function '%s'", dso->long_name,
				    name);
	if (subject->reader)
		subject->function =
			debug_reader_function(subject->reader, subject->symbol->address);
	RETURN_ERROR(decoder_check(subject->arch));
	subject->decoder = decoder_create(subject->arch);
	return NULL;
}

static void subject_close(struct subject *subject)
{
	cfg_destroy(subject->code);
	function_destroy(subject->function);
	decoder_destroy(subject->decoder);
	debug_reader_close(subject->reader);
}

static bool read_constant(void *image, uint64_t address, void *buffer, size_t size)
{
	return elf_image_read(image, address, buffer, size, true);
}

static void add_range(const struct subject *subject, uint64_t low, uint64_t high,
		      struct cfg_range *ranges, size_t *count)
{
	size_t available = 0;
	const uint8_t *bytes = elf_image_code(subject->image, low, &available);

	if (!bytes || high <= low)
		return;
	ranges[*count].address = low;
	ranges[*count].size = high - low < available ? high - low : available;
	ranges[(*count)++].bytes = bytes;
}

/* Decodes all parts of the function: of debug information, else of the symbol. */
static struct error *decode(struct subject *subject)
{
	const struct function *function = subject->function;
	size_t most = function && function->range_count ? function->range_count : 1, count = 0,
	       pad_count = 0;
	_cleanup_free_ struct cfg_range *ranges = xcalloc(most, sizeof(*ranges));
	struct arena arena = { 0 };
	const struct exception_edge *pads = NULL;

	for (size_t i = 0; function && i < function->range_count; i++)
		add_range(subject, function->ranges[i].low, function->ranges[i].high, ranges,
			  &count);
	if (!count)
		add_range(subject, subject->symbol->address,
			  subject->symbol->address + subject->symbol->size, ranges, &count);
	if (!count)
		return error_create(ERROR_NOT_FOUND, "the file has no code of '%s'",
				    subject->symbol->name);
	if (subject->reader)
		pads = debug_reader_exception_edges(subject->reader, ranges[0].address, &arena,
						    &pad_count);

	_cleanup_free_ uint64_t *leaders = xcalloc(pad_count, sizeof(*leaders));

	for (size_t i = 0; i < pad_count; i++)
		leaders[i] = pads[i].pad;
	arena_deinit(&arena);
	return cfg_build(subject->decoder,
			 &(struct cfg_request){ .ranges = ranges,
						.range_count = count,
						.leaders = leaders,
						.leader_count = pad_count,
						.read = read_constant,
						.data = (void *)subject->image },
			 &subject->code);
}

/* ---- lines ---- */

/* Prints the line and empties the buffer. */
static void end_line(struct strbuf *line)
{
	strbuf_end_line(line, 0);
	print_text(line);
	strbuf_reset(line);
}

static void add_insn(struct subject *subject, const struct insn *insn, struct strbuf *line)
{
	struct insn_text text = { .mnemonic = "(no code)" };
	size_t available = 0;
	const uint8_t *bytes = elf_image_code(subject->image, insn->address, &available);

	if (bytes)
		decoder_text(subject->decoder, bytes, available, insn->address, options.syntax,
			     &text);
	strbuf_add_format(line, "%8" PRIx64 ":  ", insn->address);
	if (insn->part) /* its text is that of the first part */
		return;
	if (*text.operands)
		strbuf_add_format(line, "%-8s %s", text.mnemonic, text.operands);
	else
		strbuf_add_string(line, text.mnemonic);
}

/* ---- cfg ---- */

static void add_blocks(const char *title, const uint32_t *blocks, uint32_t count,
		       struct strbuf *line)
{
	if (count)
		strbuf_add_format(line, "; %s", title);
	for (uint32_t i = 0; i < count; i++)
		strbuf_add_format(line, " %u", blocks[i]);
}

static void dump_block(struct subject *subject, size_t number, struct strbuf *line)
{
	static const struct {
		uint32_t flag;
		const char *text;
	} flags[] = {
		{ BLOCK_RETURNS, "returns" },
		{ BLOCK_NO_RETURN, "does not return" },
		{ BLOCK_UNKNOWN_SUCCESSORS, "unknown successors" },
		{ BLOCK_TAIL_CALL, "tail call" },
		{ BLOCK_LEADER, "landing pad" },
		{ BLOCK_PADDING, "padding" },
		{ BLOCK_ORPHAN, "no predecessor" },
	};
	const struct cfg *code = subject->code;
	const struct basic_block *block = &code->blocks[number];

	strbuf_add_format(line, "block %zu: %u instructions", number, block->count);
	add_blocks("from", code->edges + block->predecessor_first, block->predecessor_count, line);
	add_blocks("to", code->edges + block->successor_first, block->successor_count, line);
	for (size_t i = 0; i < COUNT_OF(flags); i++)
		if (block->flags & flags[i].flag)
			strbuf_add_format(line, "; %s", flags[i].text);
	end_line(line);
	for (uint32_t i = 0; i < block->count; i++) {
		add_insn(subject, &code->insns[block->first + i], line);
		end_line(line);
	}
}

static struct error *dump_cfg(struct subject *subject)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_TEXT;

	RETURN_ERROR(decode(subject));
	for (size_t i = 0; i < subject->code->block_count; i++)
		dump_block(subject, i, &line);
	strbuf_add_string(&line, "reverse post-order:");
	for (size_t i = 0; i < subject->code->block_count; i++)
		strbuf_add_format(&line, " %u", subject->code->order[i]);
	end_line(&line);
	for (size_t i = 0; i < subject->code->table_count; i++) {
		strbuf_add_format(&line, "jump table at %" PRIx64 ", %" PRIu64 " bytes",
				  subject->code->tables[i].address, subject->code->tables[i].size);
		end_line(&line);
	}
	return NULL;
}

/* ---- facts, types ---- */

/*
 * Resolves the instructions of the function, or with `memory` only those that access memory. Sets
 * *accesses to one access for each instruction, whose `address` is 0 if it was not resolved. The
 * caller frees them.
 */
static struct error *resolve_all(struct subject *subject,
				 const struct type_resolver_options *type_resolver_options,
				 bool memory, struct access **accesses)
{
	struct type_resolver *resolver;

	RETURN_ERROR(decode(subject));

	size_t insn_count = subject->code->insn_count, count = 0;
	_cleanup_free_ uint64_t *addresses = xcalloc(insn_count, sizeof(*addresses));
	_cleanup_free_ struct access *found = xcalloc(insn_count, sizeof(*found));

	for (size_t i = 0; i < insn_count; i++)
		if (!memory || insn_memory(&subject->code->insns[i], false))
			addresses[count++] = subject->code->insns[i].address;
	RETURN_ERROR(type_resolver_create(subject->image, subject->debug, type_resolver_options,
					  &resolver));
	type_resolver_resolve(resolver, addresses, NULL, count, found);
	type_resolver_destroy(resolver);
	*accesses = xcalloc(insn_count, sizeof(**accesses));
	for (size_t i = 0; i < count; i++)
		(*accesses)[cfg_find(subject->code, addresses[i])] = found[i];
	return NULL;
}

static void print_trace(void *data, uint64_t address, const char *text)
{
	struct subject *subject = data;
	int64_t index = cfg_find(subject->code, address);
	_cleanup_strbuf_ struct strbuf line = STRBUF_TEXT;

	if (index >= 0) {
		add_insn(subject, &subject->code->insns[index], &line);
		end_line(&line);
	}
	while (*text) {
		size_t length = strcspn(text, "\n");

		strbuf_add_string(&line, "    ");
		strbuf_add(&line, text, length);
		end_line(&line);
		text += length + (text[length] == '\n');
	}
}

static struct error *dump_facts(struct subject *subject)
{
	_cleanup_free_ struct access *accesses = NULL;

	return resolve_all(subject,
			   &(struct type_resolver_options){ .no_infer = options.no_infer,
							    .threads = 1,
							    .trace = print_trace,
							    .trace_data = subject },
			   true, &accesses);
}

static void dump_type(struct subject *subject, const struct insn *insn, const struct access *access,
		      struct strbuf *line)
{
	_cleanup_strbuf_ struct strbuf field = STRBUF_INIT;

	add_insn(subject, insn, line);
	if (access->kind == ACCESS_NO_MEMORY) {
		end_line(line);
		return;
	}
	strbuf_pad(line, 0, TEXT_COLUMN);
	strbuf_add_format(line, "  %s", access_type_name(access));
	if (access->kind == ACCESS_TYPE) {
		strbuf_add_format(line, " +%" PRId64, access->offset);
		if (access_members_path(access, &field))
			strbuf_add_format(line, " (%s)", field.data);
		strbuf_add_format(line, "; %s%s", access_how_name(access->how),
				  access->indexed ? ", indexed" : "");
	} else if (access->reason) {
		strbuf_add_format(line, "; %s", access_reason_name(access->reason));
	}
	end_line(line);
}

static struct error *dump_types(struct subject *subject)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_TEXT;
	_cleanup_free_ struct access *accesses = NULL;

	RETURN_ERROR(resolve_all(
		subject,
		&(struct type_resolver_options){ .no_infer = options.no_infer, .threads = 1 },
		false, &accesses));
	for (size_t i = 0; i < subject->code->insn_count; i++)
		dump_type(subject, &subject->code->insns[i], &accesses[i], &line);
	return NULL;
}

/* ---- the command ---- */

static const struct dump {
	const char *name;
	struct error *(*run)(struct subject *subject);
} dumps[] = {
	{ "cfg", dump_cfg },
	{ "facts", dump_facts },
	{ "types", dump_types },
};

static const struct dump *find_dump(const char *name)
{
	return array_find(i, dumps, COUNT_OF(dumps), !strcmp(dumps[i].name, name));
}

static const struct option_spec specs[] = {
	OPTION(ENUM, 'M', "disassembler-style", WORDS(options.syntax, "att", "intel"), "STYLE",
	       "att (the default) or intel"),
	FLAG(0, "no-infer", &options.no_infer,
	     "leave out types inferred from the later use of a value"),
	{ OPTION_CALL, 0, "no-rule", NULL, "NAME[,NAME...]",
	  "find types without these rules (dtprof list rules)", parse_no_rule_option },
	OPTIONS_END,
};

static const struct command_usage usage = {
	.name = "debug",
	.synopsis = "[OPTIONS] cfg|facts|types FILE FUNCTION",
	.summary = "Show what dtprof knows about a function of a program: its basic blocks, facts\n"
		   "about values, or types of accesses.",
	.options = specs,
};

static struct error *debug_run(const struct dump *dump, const char *path, const char *name,
			       struct subject *subject)
{
	struct dso_table table = { 0 };
	const struct dso_options dso_options = { .no_companion = true };
	struct dso *dso = dso_table_get(&table, &(struct dso_origin){ .name = path });
	struct error *error = subject_open(subject, dso, &dso_options, name);

	if (!error)
		error = dump->run(subject);
	subject_close(subject);
	dso_table_deinit(&table);
	return error;
}

int command_debug(int argc, char **argv)
{
	_cleanup_free_ char *path = NULL;
	struct subject subject = { 0 };
	int rest, status;

	if (!command_begin(argc, argv, &usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	if (rest != 3)
		return command_fail_usage(error_other(
			"a dump, a file and a function are needed (see dtprof debug --help)"));

	const struct dump *dump = find_dump(argv[0]);

	if (!dump)
		return command_fail_usage(error_other(
			"'%s' is not a dump; the dumps are cfg, facts and types", argv[0]));
	path = realpath(argv[1], NULL);
	if (!path)
		return command_fail(error_errno(errno, "cannot open %s", argv[1]));

	sandbox_for(NULL, NULL, false);
	struct error *error = debug_run(dump, path, argv[2], &subject);

	return error ? command_fail(error) : EXIT_SUCCESS;
}
