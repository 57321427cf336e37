// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof annotate of code: functions with samples, their instructions with the share of the
 * samples, the source lines between them and the types that they access.
 *
 * Counted entries become hits in functions, hits of one function become a code_function, and its
 * decoded instructions become the lines that report/print/annotated.h prints. Late samples count
 * twice, never in one sum: where they were taken, and where they are charged.
 */
#include "profiler/commands/annotate.h"

#include <fnmatch.h>
#include <inttypes.h>

#include "annotate/access.h"
#include "annotate/access_count.h"
#include "annotate/solve/type_resolver.h"
#include "annotate/types/member.h"
#include "disasm/cfg.h"
#include "disasm/insn.h"
#include "dwarf/elf/image.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/cli/options.h"
#include "profiler/cli/names.h"
#include "profiler/cli/output.h"
#include "profiler/resolve/resolve.h"
#include "report/print/annotated.h"

struct code_sample {
	uint64_t address;
	uint32_t event; /* index in its group */
	bool charged;   /* the samples charged to this instruction, wherever they were taken */
	struct access_count count;
};

/* The types of an object's instructions, each once: in hostile files functions overlap. */
struct code_answers {
	struct hash_map index_of; /* by address */
	struct access *accesses;
};

struct code_function {
	struct dso *dso;
	const char *symbol; /* as shown; owned by the resolution */
	uint64_t address;
	uint32_t group;              /* group of events */
	struct code_sample *samples; /* sorted by address */
	size_t sample_count;
	struct access_count total; /* over all events of the group, as sampled */

	/* Set by code_function_decode(): */
	const uint8_t *bytes; /* in the image; NULL: no code, for the reason in `problem` */
	const char *problem;
	struct insn *insns;
	size_t insn_count;
	/* of all functions of the object, the first of which owns them; set by
	 * code_functions_resolve(); NULL: not needed */
	struct code_answers *answers;
	bool owns_answers;
};

struct source_file;

/* Source files, by line. Zero-initialized is empty. Each is read once, even if that fails. */
struct source_files {
	struct source_file *items;
	size_t count, capacity;
	char *refused; /* why the first of those that are there was not read; NULL: there is none */
};

struct code_lines {
	struct code_line *items;
	size_t count, capacity;
	struct arena texts; /* texts of the lines */
};

struct function_view {
	const struct input *input;
	struct annotate_code_options *options;
	const struct event_groups *groups;
	struct decoder *decoder;
	struct hash_map decoded; /* see may_decode() */
	struct source_files sources;
	size_t insns;                        /* of the functions that are shown */
	size_t missing;                      /* functions without code */
	const struct code_function *printed; /* the function printed last */
};

/* ---- sources ---- */

#define SOURCE_SIZE_MAX (64U << 20) /* larger files are not read as sources */

struct source_file {
	char *path;
	uid_t user; /* with whose rights it was read */
	char *text; /* newlines are replaced by NULs; NULL: cannot be read */
	const char **lines;
	size_t line_count;
};

/* Returns the text of a source file; NULL: it cannot, and why is noted of the first there. */
static char *read_source(struct source_files *files, const char *path,
			 const struct source_rights *rights, size_t *size)
{
	char *text;
	_cleanup_error_ struct error *error =
		source_file_read(path, rights, SOURCE_SIZE_MAX, &text, size);

	if (error && error->code != ERROR_NOT_FOUND && !files->refused)
		files->refused = xstrdup(error->message);
	return text;
}

static void cut_lines(struct source_file *file, size_t size)
{
	size_t capacity = 0;

	for (char *line = file->text, *end = file->text + size; line < end;) {
		char *newline = memchr(line, '\n', (size_t)(end - line));

		array_add(file->lines, file->line_count, capacity) = line;
		if (!newline)
			break;
		*newline = '\0';
		if (newline > line && newline[-1] == '\r')
			newline[-1] = '\0';
		line = newline + 1;
	}
}

static struct source_file *find_or_read(struct source_files *files, const char *path,
					const struct source_rights *rights)
{
	for (size_t i = 0; i < files->count; i++)
		if (!strcmp(files->items[i].path, path) && files->items[i].user == rights->user)
			return &files->items[i];
	struct source_file *file = &array_add(files->items, files->count, files->capacity);
	size_t size = 0;

	*file = (struct source_file){ .path = xstrdup(path),
				      .user = rights->user,
				      .text = read_source(files, path, rights, &size) };
	if (file->text)
		cut_lines(file, size);
	return file;
}

/* Returns line `number` (from 1) without its newline; NULL: none. Valid as long as `files`. */
static const char *source_files_line(struct source_files *files, const char *path,
				     const struct source_rights *rights, unsigned int number)
{
	const struct source_file *file = find_or_read(files, path, rights);

	return number && number <= file->line_count ? file->lines[number - 1] : NULL;
}

static void source_files_deinit(struct source_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free_all(files->items[i].path, files->items[i].text, files->items[i].lines);
	}
	free_all(files->items, files->refused);
	*files = (struct source_files){ 0 };
}

/* ---- functions ---- */

static void code_function_deinit(struct code_function *function)
{
	free_all(function->samples, function->insns);
	if (!function->owns_answers)
		return;
	hash_map_deinit(&function->answers->index_of);
	free_all(function->answers->accesses, function->answers);
}

static uint64_t function_size(const struct code_function *function,
			      const struct dso_options *options)
{
	const struct symbol *symbol = dso_symbol_at(function->dso, options, function->address);
	uint64_t size = symbol && symbol->address == function->address ? symbol->size : 0;

	/* a wrong symbol table may end the function before its last sample */
	if (function->sample_count) {
		uint64_t last = function->samples[function->sample_count - 1].address;

		if (size <= last - function->address)
			size = last - function->address + 1;
	}
	return size < CFG_SIZE_MAX ? size : CFG_SIZE_MAX;
}

#define CODE_FLOOR ((uint64_t)1 << 19) /* for images that are not files, as a kernel's memory */

/* Takes the bytes of a function from those that may be decoded of its object. `decoded` has the
 * bytes so far by object, in units of 16. False: there are not as many left. */
static bool may_decode(struct hash_map *decoded, const struct code_function *function,
		       const struct elf_image *image, uint64_t size)
{
	uint32_t *units = hash_map_insert(decoded, (uintptr_t)function->dso, NULL);

	/* a line takes much more room than an instruction that is solved */
	if (16 * (uint64_t)*units + size > CODE_FLOOR + elf_image_code_max(image) / 2)
		return false;
	*units += (uint32_t)(size / 16) + 1;
	return true;
}

/* Adds a part to the instruction before, of the same line. A branch comes last. */
static void merge_part(struct insn *before, const struct insn *part)
{
	uint8_t length = before->length + part->length;
	uint64_t address = before->address, target;

	if (insn_direct_target(part, &target))
		*before = *part;
	before->address = address;
	before->length = length;
}

/* Finds the function's code and decodes it. `decoded` is as in may_decode(). */
static void code_function_decode(struct code_function *function, struct decoder **decoder,
				 struct hash_map *decoded, const struct dso_options *options)
{
	const struct elf_image *image = dso_image(function->dso, options, &function->problem);
	uint64_t size = function_size(function, options);
	size_t available = 0, capacity = 0;

	if (!image)
		return;
	if (!decoder_switch(decoder, elf_image_arch(image))) {
		function->problem = "it is a 32-bit program, whose instructions are not decoded";
		return;
	}
	function->bytes = elf_image_bytes(image, function->address, &available);
	if (!function->bytes) {
		function->problem = "the file has no code at its address";
		return;
	}
	lower_to(size, available);
	if (!may_decode(decoded, function, image, size)) {
		function->problem = "it overlaps others, and so much code of its file is not shown";
		return;
	}
	for (uint64_t offset = 0; offset < size;) {
		struct insn *insn = &array_add(function->insns, function->insn_count, capacity);

		/* the size may be wrong and cut the last instruction, so all bytes are passed */
		decoder_decode(*decoder, function->bytes + offset, available - offset,
			       function->address + offset, insn);
		offset += insn->length;
		if (insn->part && function->insn_count > 1)
			merge_part(insn - 1, &function->insns[--function->insn_count]);
	}
}

static struct error *resolve_addresses(struct dso *dso, const struct dso_options *dso_options,
				       bool no_infer, unsigned int threads,
				       const uint64_t *addresses, size_t count,
				       struct access *accesses)
{
	const struct elf_image *image = dso_image(dso, dso_options, NULL);
	struct debug_object *debug = dso_debug(dso, dso_options, NULL);
	struct type_resolver_options options = { .no_infer = no_infer, .threads = threads };
	struct type_resolver *resolver;

	RETURN_ERROR(type_resolver_create(image, debug, &options, &resolver));
	type_resolver_resolve(resolver, addresses, NULL, count, accesses);
	type_resolver_destroy(resolver);
	for (size_t i = 0; i < count; i++)
		bpf_access_correct(dso, image, &accesses[i]);
	return NULL;
}

/* Resolves all functions of the first one's object together, so that threads share the work. */
static struct error *resolve_object(struct code_function *first, size_t count,
				    const struct dso_options *dso_options, bool no_infer,
				    unsigned int threads)
{
	struct code_answers *answers = xcalloc(1, sizeof(*answers));
	_cleanup_free_ uint64_t *addresses = NULL;
	size_t address_count = 0, capacity = 0;

	array_each (struct code_function, function, first, count) {
		if (function->dso != first->dso)
			continue;
		for (size_t k = 0; k < function->insn_count; k++) {
			uint64_t address = function->insns[k].address;
			bool created;
			uint32_t *index = hash_map_insert(&answers->index_of, address, &created);

			if (!created)
				continue;
			*index = (uint32_t)address_count;
			array_add(addresses, address_count, capacity) = address;
		}
		function->answers = answers;
		function->owns_answers = function == first;
	}
	answers->accesses = xcalloc(address_count, sizeof(*answers->accesses));
	return resolve_addresses(first->dso, dso_options, no_infer, threads, addresses,
				 address_count, answers->accesses);
}

/* Finds the types of all memory accesses of decoded functions. */
static struct error *code_functions_resolve(struct code_function *functions, size_t count,
					    const struct dso_options *dso_options, bool no_infer,
					    unsigned int threads)
{
	for (size_t i = 0; i < count; i++) {
		if (!functions[i].insn_count || functions[i].answers)
			continue;

		struct error *error =
			resolve_object(&functions[i], count - i, dso_options, no_infer, threads);

		if (error)
			return error_prefix(error, "%s", functions[i].dso->long_name);
	}
	return NULL;
}

/* ---- lines ---- */

#define CONTEXT 5 /* source lines shown before the first one, as in objdump */

/* The state of turning one function into lines. */
struct line_maker {
	struct function_view *view;
	const struct code_function *function;
	bool source; /* source lines are shown */
	struct code_lines *lines;
	struct debug_reader *reader; /* NULL: no debug information */
	const struct elf_image *image;
	struct source_rights rights; /* with which its sources are read */
	size_t next_sample;
	/* The source line that was shown last, and for each file the last line shown of it. */
	const char *file;
	unsigned int number;
	struct shown_file {
		const char *file;
		unsigned int last;
	} * shown;
	size_t shown_count, shown_capacity;
};

static struct code_line *add_line(struct code_lines *lines)
{
	array_add(lines->items, lines->count, lines->capacity) = (struct code_line){ 0 };
	return &lines->items[lines->count - 1];
}

/* ---- source ---- */

static unsigned int *shown_up_to(struct line_maker *maker, const char *file)
{
	for (size_t i = 0; i < maker->shown_count; i++)
		if (!strcmp(maker->shown[i].file, file))
			return &maker->shown[i].last;
	array_add(maker->shown, maker->shown_count, maker->shown_capacity) =
		(struct shown_file){ .file = file };
	return &maker->shown[maker->shown_count - 1].last;
}

static void add_source_line(struct line_maker *maker, const char *file, unsigned int number,
			    const char *text)
{
	struct code_line *line = add_line(maker->lines);

	line->source = arena_strdup(&maker->lines->texts, text);
	line->file = file;
	line->number = number;
}

/* Returns a source line, looked for as --prefix and --prefix-strip say: with DIR and 2,
 * "/build/prog-1.0/src/a.c" is "DIR/src/a.c". Relative paths stay, as with objdump's. */
static const char *source_line_at(struct line_maker *maker, const char *file, unsigned int number)
{
	const struct annotate_code_options *options = maker->view->options;
	struct source_files *sources = &maker->view->sources;
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;
	const char *rest = file;
	struct source_rights rights = maker->rights;

	if (!options->prefix || *file != '/')
		return source_files_line(sources, file, &rights, number);
	for (unsigned int i = 0; i < options->strip; i++) {
		const char *slash = strchr(rest + 1, '/');

		if (!slash)
			break;
		rest = slash;
	}
	strbuf_add_format(&path, "%s%s", options->prefix, rest);
	rights.root = options->prefix;
	return source_files_line(sources, path.data, &rights, number);
}

/* Adds the source lines up to this one that were not shown; going back, this alone. */
static void add_source(struct line_maker *maker, const char *file, unsigned int number)
{
	bool other_file = !maker->file || strcmp(maker->file, file) != 0;
	unsigned int *last, first;

	if (!other_file && maker->number == number)
		return;
	maker->file = file;
	maker->number = number;
	if (!source_line_at(maker, file, number))
		return;
	if (other_file) {
		bool whole = maker->view->options->output.full_paths;
		_cleanup_free_ char *name =
			xasprintf("%s:%u", whole ? file : base_name(file), number);

		add_source_line(maker, file, number, name);
	}
	last = shown_up_to(maker, file);
	first = number > CONTEXT ? number - CONTEXT : 1;
	if (first <= *last)
		first = *last + 1;
	lower_to(first, number);
	for (unsigned int i = first; i <= number; i++)
		add_source_line(maker, file, i, source_line_at(maker, file, i));
	raise_to(*last, number);
}

/* ---- instructions ---- */

/* Returns "# 33760 <absentkey+0x8>", the symbol at an address of this object; NULL: none. */
static const char *reference_text(struct line_maker *maker, uint64_t address)
{
	const struct symbol *symbol = elf_image_object_at(maker->image, address);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!symbol)
		symbol = dso_symbol_at(maker->function->dso, &maker->view->options->input->dso,
				       address);
	if (!symbol)
		return NULL;

	_cleanup_free_ char *readable = symbol_demangle(symbol->name);

	strbuf_add_format(&text, "# %" PRIx64 " <%s", address, readable ?: symbol->name);
	if (address > symbol->address)
		strbuf_add_format(&text, "+%#" PRIx64, address - symbol->address);
	strbuf_add_char(&text, '>');
	return arena_strdup(&maker->lines->texts, text.data);
}

static bool annotate_code_is_inside(const struct code_function *function, uint64_t address)
{
	const struct insn *last = &function->insns[function->insn_count - 1];

	return address >= function->address && address < last->address + last->length;
}

static void add_jump(struct line_maker *maker, const struct insn *insn, struct code_line *line)
{
	const struct operand *target = insn->operand_count ? &insn->operands[0] : NULL;
	bool jumps = insn->operation == OP_JUMP || insn->operation == OP_BRANCH;

	if ((!jumps && insn->operation != OP_CALL) || !target || target->kind != OPERAND_IMMEDIATE)
		return;
	if (jumps && annotate_code_is_inside(maker->function, (uint64_t)target->value))
		line->target = (uint64_t)target->value;
	else
		line->reference = reference_text(maker, (uint64_t)target->value);
}

static void add_reference(struct line_maker *maker, const struct insn *insn, struct code_line *line)
{
	for (unsigned int i = 0; i < insn->operand_count && !line->reference; i++)
		if (insn->operands[i].kind == OPERAND_MEMORY && insn->operands[i].pc_relative)
			line->reference = reference_text(maker, (uint64_t)insn->operands[i].value);
}

/* Sets the type of a line. As in perf, one without gets none; --type-stat has the reason. */
static void annotate_code_add_type(struct line_maker *maker, const struct access *access,
				   struct code_line *line)
{
	_cleanup_strbuf_ struct strbuf field = STRBUF_INIT;

	if (access->kind == ACCESS_UNKNOWN || access->kind == ACCESS_NO_CODE ||
	    access_is_none(access) || access->kind == ACCESS_STACK)
		return;
	line->type.name = arena_strdup(&maker->lines->texts, access_type_name(access));
	if (access->kind != ACCESS_TYPE)
		return;
	line->type.typed = true;
	line->type.offset = access->offset;
	if (access_members_path(access, &field))
		line->type.field = arena_strdup(&maker->lines->texts, field.data);
}

static void annotate_code_add_counts(struct line_maker *maker, const struct insn *insn,
				     struct code_line *line)
{
	const struct code_function *function = maker->function;
	struct access_count *sums[2] = { NULL, NULL }; /* [false]: as sampled, [true]: as charged */
	size_t event_count = maker->view->groups->groups[function->group].count;

	while (maker->next_sample < function->sample_count) {
		const struct code_sample *sample = &function->samples[maker->next_sample];

		if (sample->address >= insn->address + insn->length)
			break;
		struct access_count **counts = &sums[sample->charged];

		if (!*counts)
			*counts = arena_alloc(&maker->lines->texts, event_count * sizeof(**counts));
		access_count_add(&(*counts)[sample->event], &sample->count);
		maker->next_sample++;
	}
	line->counts = sums[false];
	line->charged = sums[true];
}

static void add_instruction(struct line_maker *maker, size_t index)
{
	const struct code_function *function = maker->function;
	const struct insn *insn = &function->insns[index];
	struct arena *texts = &maker->lines->texts;
	struct insn_text text;
	const char *file;
	unsigned int number;
	bool has_source = maker->reader &&
			  debug_reader_line(maker->reader, insn->address, &file, &number) && number;

	if (has_source && maker->source)
		add_source(maker, file, number);

	struct code_line *line = add_line(maker->lines);

	decoder_text(maker->view->decoder, function->bytes + (insn->address - function->address),
		     insn->length, insn->address, maker->view->options->syntax, &text);
	line->address = insn->address;
	line->mnemonic = arena_strdup(texts, text.mnemonic);
	line->operands = arena_strdup(texts, text.operands);
	if (has_source) {
		line->file = file;
		line->number = number;
	}
	add_jump(maker, insn, line);
	add_reference(maker, insn, line);
	const struct code_answers *answers = function->answers;

	if (answers)
		annotate_code_add_type(
			maker,
			&answers->accesses[*hash_map_find(&answers->index_of, insn->address)],
			line);
	annotate_code_add_counts(maker, insn, line);
}

COMPARISON(compare_addresses, uint64_t, BY_VALUE)

static void mark_targets(struct code_lines *lines)
{
	_cleanup_free_ uint64_t *targets = xcalloc(lines->count, sizeof(*targets));
	size_t count = 0;

	for (size_t i = 0; i < lines->count; i++)
		if (lines->items[i].target)
			targets[count++] = lines->items[i].target;
	array_sort(targets, count, compare_addresses);
	for (size_t i = 0; i < lines->count && count; i++)
		if (!lines->items[i].source)
			lines->items[i].is_target =
				bsearch(&lines->items[i].address, targets, count, sizeof(*targets),
					compare_addresses) != NULL;
}

static void code_lines_make(struct function_view *view, const struct code_function *function,
			    struct code_lines *lines)
{
	const struct annotate_code_options *options = view->options;
	const struct dso_options *dso_options = &options->input->dso;
	struct line_maker maker = {
		.view = view,
		.function = function,
		.source = options->source &&
			  (options->format == OUTPUT_TEXT || options->source_in_json),
		.lines = lines,
	};
	struct debug_object *debug = dso_debug(function->dso, dso_options, NULL);

	maker.reader = debug ? debug_reader_open(debug) : NULL;
	maker.image = dso_image(function->dso, dso_options, NULL);
	maker.rights = dso_source_rights(function->dso, dso_options);
	for (size_t i = 0; i < function->insn_count; i++)
		add_instruction(&maker, i);
	mark_targets(lines);
	debug_reader_close(maker.reader);
	free(maker.shown);
}

static void code_lines_deinit(struct code_lines *lines)
{
	free(lines->items);
	arena_deinit(&lines->texts);
	*lines = (struct code_lines){ 0 };
}

/* ---- all functions ---- */

uint64_t annotate_code_needs(const struct annotate_code_options *options)
{
	/* Sampled instructions have traces. All others are resolved later, without one. */
	bool traces = options->with_type && global_options.debug_type_profile;

	return NEED_SYMBOL | NEED_DSO | NEED_ADDRESS | (traces ? NEED_TYPE : 0);
}

/* ---- which functions ---- */

/* A counted entry in a function. */
struct code_hit {
	struct dso *dso;
	const char *symbol;
	uint64_t function;
	uint32_t group;
	struct code_sample sample;
};

struct code_hits {
	struct code_hit *items;
	size_t count, capacity;
};

static bool is_wanted(const struct name_list *symbols, const char *name)
{
	if (!symbols->count)
		return true;
	return any_of(i, 0, symbols->count,
		      !strcmp(symbols->names[i], name) || !fnmatch(symbols->names[i], name, 0));
}

COMPARISON(compare_functions, struct code_hit,
	   ASCENDING(group) ASCENDING(dso->id) ASCENDING(function))
COMPARISON(compare_hits, struct code_hit,
	   ASCENDING(group) ASCENDING(dso->id) ASCENDING(function) ASCENDING(sample.address))

static void add_hit(struct code_hits *hits, const struct code_hit *hit)
{
	array_add(hits->items, hits->count, hits->capacity) = *hit;
}

/* Finds the function that late samples were taken in; what they are charged to may differ. */
static void find_sampled_function(const struct input *input,
				  const struct annotate_code_options *options,
				  const struct counted *counted, struct result_place *place)
{
	const struct symbol *symbol =
		dso_symbol_at(counted->dso, &options->input->dso, counted->address);

	place->address = counted->address;
	place->symbol = symbol ? resolve_symbol_name(input->resolution, symbol->name) : NULL;
	place->symbol_address = symbol ? symbol->address : 0;
}

static bool is_accepted(const struct annotate_code_options *options, const struct result *result)
{
	return !options->receiver || options->receiver->accepts(options->receiver->data, result);
}

static void collect_hits(const struct input *input, const struct annotate_code_options *options,
			 const struct event_groups *groups, struct code_hits *hits)
{
	array_indexed (const struct counted, counted, i, input->counts->entries,
		       input->counts->count) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		const struct resolved_place *place = entry_place(input->resolution, i);
		struct result_place sampled = *result.place;
		struct code_hit hit = {
			.dso = counted->dso,
			.group = groups->group_of[counted->event],
			.sample = { .event = groups->member_of[counted->event],
				    .count = { .samples = counted->samples,
					       .period = counted->period } },
		};

		if (!counted->dso)
			continue;
		if (place->late && place->blame != BLAME_NOTHING && sampled.symbol &&
		    is_accepted(options, &result)) {
			hit.sample.charged = true;
			hit.symbol = sampled.symbol;
			hit.function = sampled.symbol_address;
			hit.sample.address = sampled.address;
			add_hit(hits, &hit);
		}
		if (place->late)
			find_sampled_function(input, options, counted, &sampled);
		result.place = &sampled;
		if (!sampled.symbol || !filter_accepts(options->filter, &result) ||
		    !is_accepted(options, &result) || !is_wanted(options->symbols, sampled.symbol))
			continue;
		hit.sample.charged = false;
		hit.symbol = sampled.symbol;
		hit.function = sampled.symbol_address;
		hit.sample.address = counted->address;
		add_hit(hits, &hit);
	}
	array_sort(hits->items, hits->count, compare_hits);
}

/* Returns the functions with hits, to be freed; with `charged`, those only charged to. */
static struct code_function *make_functions(const struct code_hits *hits, bool charged,
					    size_t *count)
{
	struct code_function *functions = xcalloc(hits->count, sizeof(*functions));

	*count = 0;
	for (size_t start = 0, end; start < hits->count; start = end) {
		const struct code_hit *first = &hits->items[start];
		bool sampled = charged || !first->sample.charged;

		for (end = start + 1;
		     end < hits->count && !compare_functions(first, &hits->items[end]); end++)
			sampled |= !hits->items[end].sample.charged;
		/* the function has only charges from other functions, or is filtered out */
		if (!sampled)
			continue;

		struct code_function *function = &functions[(*count)++];

		*function = (struct code_function){ .dso = first->dso,
						    .symbol = first->symbol,
						    .address = first->function,
						    .group = first->group,
						    .sample_count = end - start };
		function->samples = xcalloc(end - start, sizeof(*function->samples));
		for (size_t i = start; i < end; i++) {
			function->samples[i - start] = hits->items[i].sample;
			if (!hits->items[i].sample.charged)
				access_count_add(&function->total, &hits->items[i].sample.count);
		}
	}
	return functions;
}

/* Orders by group, and then by sums from the largest on, as perf's list of functions. */
COMPARISON(compare_totals, struct code_function,
	   ASCENDING(group) DESCENDING(total.period) DESCENDING(total.samples) BY_TEXT(symbol)
		   ASCENDING(dso->id) ASCENDING(address))

/* ---- what is shown of them ---- */

static void total_of(const struct code_function *function, struct access_count *totals)
{
	for (size_t i = 0; i < function->sample_count; i++)
		if (!function->samples[i].charged)
			access_count_add(&totals[function->samples[i].event],
					 &function->samples[i].count);
}

static bool is_below_limit(const struct function_view *view, const struct code_function *function)
{
	const struct event_group *group = &view->groups->groups[function->group];
	const struct event *events = session_events(view->input->session, NULL);
	uint64_t whole = sum_over(uint64_t, i, 0, group->count, events[group->events[i]].period);

	return whole && 100.0 * (double)function->total.period / (double)whole <
				view->options->output.percent_limit;
}

static void print_function(struct function_view *view, const struct code_function *function)
{
	const struct event_group *group = &view->groups->groups[function->group];
	_cleanup_strbuf_ struct strbuf events = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	_cleanup_free_ struct access_count *totals = xcalloc(group->count, sizeof(*totals));
	struct code_lines lines = { 0 };

	code_lines_make(view, function, &lines);
	event_group_name(group, view->input->session, &events);
	total_of(function, totals);

	struct code_listing listing = { .symbol = function->symbol,
					.object = function->dso->long_name,
					.events = events.data,
					.event_count = group->count,
					.address = function->address,
					.samples = function->total.samples,
					.totals = totals,
					.lines = lines.items,
					.line_count = lines.count };

	if (view->options->receiver) {
		view->options->receiver->code(view->options->receiver->data, &listing);
		code_lines_deinit(&lines);
		return;
	}
	switch (view->options->format) {
	case OUTPUT_JSON: print_code_listing_json(&listing, view->options->json); break;
	case OUTPUT_CSV:
		print_code_listing_csv(
			&listing,
			!view->options->input->quiet &&
				(!view->printed || view->printed->group != function->group),
			&text);
		break;
	case OUTPUT_TEXT: print_code_listing(&listing, &view->options->output, &text); break;
	case OUTPUT_HTML: break; /* a page is made of JSON */
	}
	view->printed = function;
	print_text(&text);
	code_lines_deinit(&lines);
}

/* The code of the first function may exceed options->insns_max this many times: interpreters do. */
#define FIRST_TIMES_MAX 5

/* Drops the code of a function that would exceed options->insns_max. */
static bool annotate_code_leave_out(struct function_view *view, struct code_function *function,
				    size_t kept)
{
	struct annotate_code_options *options = view->options;
	size_t max = options->insns_max * (kept ? 1 : FIRST_TIMES_MAX);

	view->insns += function->insn_count;
	if (!max || view->insns <= max)
		return false;
	view->insns -= function->insn_count;
	free(function->insns);
	function->insns = NULL;
	function->insn_count = 0;
	options->left_out_functions++;
	options->left_out_samples += function->total.samples;
	return true;
}

/* Makes the code of kernels and modules look as it ran, before it is decoded. */
static void patch_functions(const struct code_function *functions, size_t count,
			    const struct dso_options *options)
{
	_cleanup_free_ uint64_t *addresses = xcalloc(count + 1, sizeof(*addresses));

	for (size_t i = 0; i < count; i++) {
		struct dso *dso = functions[i].dso;
		size_t used = 0;

		if (!dso_is_kernel(dso) || any_of(k, 0, i, functions[k].dso == dso) ||
		    !dso_image(dso, options, NULL))
			continue;
		for (size_t k = i; k < count; k++)
			if (functions[k].dso == dso)
				addresses[used++] = functions[k].address;
		dso_apply_alternatives(dso, addresses, used);
	}
}

static struct error *print_functions(struct function_view *view, struct code_function *functions,
				     size_t count)
{
	const struct annotate_code_options *options = view->options;
	size_t kept = 0;

	patch_functions(functions, count, &options->input->dso);
	array_each (struct code_function, function, functions, count) {
		if (is_below_limit(view, function))
			continue;
		code_function_decode(function, &view->decoder, &view->decoded,
				     &options->input->dso);
		if (function->insn_count && annotate_code_leave_out(view, function, kept))
			continue;
		if (function->insn_count)
			kept++;
		else if (options->receiver)
			return error_other("cannot show the code of %s: %s", function->symbol,
					   function->problem);
		else if (!options->skip_missing && !options->input->quiet &&
			 (options->symbols->count || options->input->verbose))
			warning("cannot show the code of %s: %s", function->symbol,
				function->problem);
		else
			view->missing++;
	}
	if (options->with_type)
		RETURN_ERROR(code_functions_resolve(functions, count, &options->input->dso,
						    options->input->no_infer,
						    options->input->threads));
	if (options->format == OUTPUT_JSON)
		json_array(options->json, "functions");
	for (size_t i = 0; i < count; i++)
		if (functions[i].insn_count)
			print_function(view, &functions[i]);
	if (options->format == OUTPUT_JSON)
		json_end(options->json);
	if (view->missing && !options->skip_missing && !options->input->quiet)
		warning("%zu functions have no code to show (-v lists them)", view->missing);
	if (!kept && options->symbols->count)
		return error_create(ERROR_NOT_FOUND, "there is no code to show");
	return NULL;
}

struct error *annotate_code(const struct input *input, struct annotate_code_options *options)
{
	struct event_groups groups;
	struct code_hits hits = { 0 };
	struct error *error;
	struct function_view view = { .input = input, .options = options, .groups = &groups };
	size_t count;

	RETURN_ERROR(decoder_check(arch_default()));
	view.decoder = decoder_create(arch_default());
	event_groups_init(&groups, input->session, options->grouping);
	collect_hits(input, options, &groups, &hits);

	struct code_function *functions = make_functions(&hits, options->receiver != NULL, &count);

	if (count) {
		array_sort(functions, count, compare_totals);
		error = print_functions(&view, functions, count);
	} else {
		error = options->symbols->count
				? name_unknown(NAME_SYMBOL, options->symbols->names[0], input)
				: error_create(ERROR_NOT_FOUND,
					       "no sample is in a function that has a name");
	}
	for (size_t i = 0; i < count; i++)
		code_function_deinit(&functions[i]);
	free_all(functions, hits.items);
	if (view.sources.refused && !options->input->quiet)
		warning("%s", view.sources.refused);
	source_files_deinit(&view.sources);
	event_groups_deinit(&groups);
	decoder_destroy(view.decoder);
	hash_map_deinit(&view.decoded);
	return error;
}
