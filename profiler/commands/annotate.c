// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof annotate: types with the share of each field, code with the share of each instruction, or
 * how the types were found (--type-stat, --insn-stat).
 */
#include "profiler/commands/annotate.h"

#include <assert.h>
#include <inttypes.h>

#include "annotate/rules/rules.h"
#include "disasm/insn.h"
#include "base/memory.h"
#include "profiler/commands/browse.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/html.h"
#include "profiler/cli/sandbox.h"
#include "profiler/cli/options.h"
#include "profiler/cli/names.h"
#include "profiler/cli/output.h"
#include "profiler/cli/trouble.h"
#include "report/print/annotated.h"
#include "report/text.h"

/* ---- --type-stat ---- */

struct type_stat {
	uint64_t samples;   /* of all instructions */
	uint64_t with_code; /* of instructions that could be read */
	uint64_t accesses;  /* of these, of instructions that access memory */
	/* accesses, and unreadable samples: each has a type, needs none, or has one reason */
	uint64_t total;
	uint64_t found; /* of accesses whose type is known or not needed */
	uint64_t how[HOW_COUNT];
	uint64_t stack, spill, canary, jump_table, constant, sanitizer;
	uint64_t recorded,
		computed; /* samples of accesses whose data address was recorded or computed */
	uint64_t agree,
		contradict; /* samples whose data address agrees with the type, or contradicts it */
	uint64_t reasons[REASON_COUNT];
	uint64_t rules[RULE_COUNT]; /* accesses that each rule found, or refused, the type of */
};

static void count_access(struct type_stat *stat, const struct access *access, bool has_code,
			 uint64_t samples)
{
	stat->samples += samples;
	if (!has_code) {
		stat->total += samples;
		stat->reasons[access->reason < REASON_COUNT ? access->reason : REASON_NONE] +=
			samples;
		return;
	}
	stat->with_code += samples;
	if (access_is_none(access))
		return;
	stat->accesses += samples;
	stat->total += samples;
	if (access->kind == ACCESS_TYPE || access->kind == ACCESS_UNKNOWN)
		stat->rules[access->rule] += samples;
	switch (access->kind) {
	case ACCESS_TYPE:
		stat->how[access->how < HOW_COUNT ? access->how : HOW_NONE] += samples;
		break;
	case ACCESS_STACK: stat->stack += samples; break;
	case ACCESS_SPILL: stat->spill += samples; break;
	case ACCESS_CANARY: stat->canary += samples; break;
	case ACCESS_JUMP_TABLE: stat->jump_table += samples; break;
	case ACCESS_LITERAL: stat->constant += samples; break;
	case ACCESS_SANITIZER: stat->sanitizer += samples; break;
	default:
		stat->reasons[access->reason < REASON_COUNT ? access->reason : REASON_NONE] +=
			samples;
		return;
	}
	stat->found += samples;
}

static void count_address(struct type_stat *stat, const struct result *result,
			  enum address_verdict verdict)
{
	if (result->place->no_memory || !result->data_known)
		return;
	*(result->data_computed ? &stat->computed : &stat->recorded) += result->samples;
	if (verdict == VERDICT_AGREES)
		stat->agree += result->samples;
	else if (verdict == VERDICT_CONTRADICTS)
		stat->contradict += result->samples;
}

static void print_addresses(const struct type_stat *stat, struct strbuf *text)
{
	uint64_t held = stat->agree + stat->contradict;

	strbuf_add_format(text,
			  "Data addresses:\n"
			  "known %" PRIu64 " (%.1f%%), recorded %" PRIu64
			  ", computed from registers %" PRIu64 "\n"
			  "of static and stack variables %" PRIu64 ", there %" PRIu64
			  " (%.2f%%), elsewhere %" PRIu64 "\n\n",
			  stat->recorded + stat->computed,
			  percent_of(stat->recorded + stat->computed, stat->total), stat->recorded,
			  stat->computed, held, stat->agree, percent_of(stat->agree, held),
			  stat->contradict);
}

static struct type_stat count_all(const struct input *input, const struct filter *filter)
{
	struct type_stat stat = { 0 };

	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);

		if (!filter_accepts(filter, &result))
			continue;
		count_access(&stat, &entry_place(input->resolution, i)->access,
			     !result.place->no_code, result.samples);
		count_address(&stat, &result, input->resolution->entries.verdicts[i]);
	}

	uint64_t accounted =
		stat.found + sum_over(uint64_t, reason, 0, REASON_COUNT, stat.reasons[reason]);

	assert(accounted == stat.total);
	return stat;
}

#define STATISTICS (HOW_COUNT + 6)

/* Fills in the samples by how types were found, or not needed. Returns the entries' number. */
static size_t found_statistics(const struct type_stat *stat,
			       struct statistic statistics[STATISTICS])
{
	size_t count = 0;

	for (int how = 0; how < HOW_COUNT; how++)
		statistics[count++] = (struct statistic){ access_how_name(how), stat->how[how] };
	statistics[count++] = (struct statistic){ "stack operation", stat->stack };
	statistics[count++] = (struct statistic){ "stack spill", stat->spill };
	statistics[count++] = (struct statistic){ "stack canary", stat->canary };
	statistics[count++] = (struct statistic){ "jump table", stat->jump_table };
	statistics[count++] = (struct statistic){ "constant", stat->constant };
	statistics[count++] = (struct statistic){ "sanitizer", stat->sanitizer };
	return count;
}

static void reason_statistics(const struct type_stat *stat,
			      struct statistic statistics[REASON_COUNT])
{
	for (int reason = 0; reason < REASON_COUNT; reason++)
		statistics[reason] =
			(struct statistic){ access_reason_name(reason), stat->reasons[reason] };
}

/* Fills in all rules but RULE_NONE, which has no name. Returns their number. */
static size_t rule_statistics(const struct type_stat *stat, struct statistic statistics[RULE_COUNT])
{
	for (unsigned int rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
		statistics[rule - 1] = (struct statistic){ rule_name(rule), stat->rules[rule] };
	return RULE_COUNT - 1;
}

static void print_type_stat(const struct input *input, const struct filter *filter)
{
	struct type_stat stat = count_all(input, filter);
	struct statistic found[STATISTICS], reasons[REASON_COUNT], by_rule[RULE_COUNT];
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	uint64_t bad = stat.total - stat.found;

	strbuf_add_format(
		&text,
		"Annotate data type stats:\n"
		"samples %" PRIu64 ", with code %" PRIu64 " (%.1f%%), memory accesses %" PRIu64
		" (%.1f%%)\n"
		"total %" PRIu64 ", ok %" PRIu64 " (%.1f%%), bad %" PRIu64 " (%.1f%%)\n\n",
		stat.samples, stat.with_code, percent_of(stat.with_code, stat.samples),
		stat.accesses, percent_of(stat.accesses, stat.with_code), stat.total, stat.found,
		percent_of(stat.found, stat.total), bad, percent_of(bad, stat.total));
	if (stat.recorded || stat.computed)
		print_addresses(&stat, &text);
	print_statistics("How types were found", found, found_statistics(&stat, found), stat.total,
			 &text);
	reason_statistics(&stat, reasons);
	print_statistics("Why types were not found", reasons, REASON_COUNT, stat.total, &text);
	size_t rule_count = rule_statistics(&stat, by_rule);

	if (any_of(i, 0, rule_count, by_rule[i].count))
		print_statistics("Rules that decided (dtprof list rules)", by_rule, rule_count,
				 stat.total, &text);
	print_text(&text);
}

static void add_statistics(const char *name, const struct statistic *statistics, size_t count,
			   struct json *json)
{
	json_array(json, name);
	for (size_t i = 0; i < count; i++) {
		if (!statistics[i].count)
			continue;
		json_object(json, NULL);
		json_string(json, "name", statistics[i].label);
		json_unsigned(json, "samples", statistics[i].count);
		json_end(json);
	}
	json_end(json);
}

static void type_stat_json(const struct input *input, const struct filter *filter,
			   struct json *json)
{
	struct type_stat stat = count_all(input, filter);
	struct statistic found[STATISTICS], reasons[REASON_COUNT], by_rule[RULE_COUNT];

	reason_statistics(&stat, reasons);
	json_object(json, "type_stat");
	json_unsigned(json, "samples", stat.samples);
	json_unsigned(json, "with_code", stat.with_code);
	json_unsigned(json, "memory_accesses", stat.accesses);
	json_unsigned(json, "total", stat.total);
	json_unsigned(json, "ok", stat.found);
	json_unsigned(json, "bad", stat.total - stat.found);
	json_object(json, "data_addresses");
	json_unsigned(json, "recorded", stat.recorded);
	json_unsigned(json, "computed", stat.computed);
	json_unsigned(json, "agree", stat.agree);
	json_unsigned(json, "contradict", stat.contradict);
	json_end(json);
	add_statistics("found", found, found_statistics(&stat, found), json);
	add_statistics("reasons", reasons, REASON_COUNT, json);
	add_statistics("rules", by_rule, rule_statistics(&stat, by_rule), json);
	json_end(json);
}

/* ---- --insn-stat ---- */

/* Samples of one mnemonic. `good` ones have a type or need none. */
struct insn_count {
	const char *name;
	uint64_t good, bad;
};

struct insn_counts {
	struct insn_count *items;
	size_t count, capacity;
	struct string_pool names;
	uint64_t good, bad;
};

static struct insn_count *find_or_create(struct insn_counts *counts, const char *name)
{
	name = string_pool_intern(&counts->names, name);
	for (size_t i = 0; i < counts->count; i++)
		if (counts->items[i].name == name)
			return &counts->items[i];
	array_add(counts->items, counts->count, counts->capacity) =
		(struct insn_count){ .name = name };
	return &counts->items[counts->count - 1];
}

/* Sets `text` to the first word of the instruction, or to "?" if its code is not available. */
static void mnemonic(struct decoder **decoder, const struct resolved_place *place,
		     const struct dso_options *dso_options, char *text, size_t size)
{
	const struct elf_image *image =
		place->dso ? dso_image(place->dso, dso_options, NULL) : NULL;
	size_t available = 0;
	const uint8_t *bytes =
		image ? elf_image_code(image, place->access.address, &available) : NULL;

	snprintf(text, size, "?");
	if (bytes && available && decoder_switch(decoder, elf_image_arch(image)))
		decoder_format(*decoder, bytes, available, place->access.address, text, size);
	text[strcspn(text, " \t")] = '\0';
}

COMPARISON(compare_counts, struct insn_count, BY(b->good + b->bad, a->good + a->bad) BY_TEXT(name))

static void add_counts(const struct insn_counts *counts, struct json *json)
{
	json_object(json, "insn_stat");
	json_unsigned(json, "ok", counts->good);
	json_unsigned(json, "bad", counts->bad);
	json_each (json, "instructions", const struct insn_count, insn, counts->items,
		   counts->count) {
		json_string(json, "name", insn->name);
		json_unsigned(json, "ok", insn->good);
		json_unsigned(json, "bad", insn->bad);
	}
	json_end(json);
}

static void print_counts(const struct insn_counts *counts)
{
	uint64_t total = counts->good + counts->bad;

	printf("Annotate Instruction stats\n"
	       "total %" PRIu64 ", ok %" PRIu64 " (%.1f%%), bad %" PRIu64 " (%.1f%%)\n\n"
	       "  %-20s: %5s %5s\n"
	       "-----------------------------------------------------------\n",
	       total, counts->good, percent_of(counts->good, total), counts->bad,
	       percent_of(counts->bad, total), "Name/opcode", "Good", "Bad");
	for (size_t i = 0; i < counts->count; i++)
		printf("  %-20s: %5" PRIu64 " %5" PRIu64 "\n", counts->items[i].name,
		       counts->items[i].good, counts->items[i].bad);
	printf("\n");
}

static struct error *print_insn_stat(const struct input *input,
				     const struct dso_options *dso_options,
				     const struct filter *filter, struct json *json)
{
	struct insn_counts counts = { 0 };

	RETURN_ERROR(decoder_check(arch_default()));
	struct decoder *decoder = decoder_create(arch_default());

	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		const struct resolved_place *place = entry_place(input->resolution, i);
		bool bad = place->access.kind == ACCESS_UNKNOWN ||
			   place->access.kind == ACCESS_NO_CODE;
		char text[160];

		if (access_is_none(&place->access) || !filter_accepts(filter, &result))
			continue;
		mnemonic(&decoder, place, dso_options, text, sizeof(text));
		*(bad ? &find_or_create(&counts, text)->bad
		      : &find_or_create(&counts, text)->good) += result.samples;
		*(bad ? &counts.bad : &counts.good) += result.samples;
	}
	decoder_destroy(decoder);
	array_sort(counts.items, counts.count, compare_counts);
	if (json)
		add_counts(&counts, json);
	else
		print_counts(&counts);
	free(counts.items);
	string_pool_deinit(&counts.names);
	return NULL;
}

/* ---- the command ---- */

#define UNSET UINT64_MAX

static struct {
	struct input_options input;
	struct annotate_types_options types;
	struct annotate_code_options code;
	struct name_list symbols; /* -s and the arguments */
	struct filter filter;
	struct grouping grouping;
	struct sample_choice choice;
	const char *columns; /* NULL: percent, or as -n and --show-total-period say */
	bool show_samples, show_period;
	bool want_types; /* --data-type */
	bool type_stat, insn_stat;
	bool json, csv;
	const char *html;
	enum browse_mode browse;
	bool demangle;
} options = { .demangle = true,
	      .types = { .output.cacheline = UNSET,
			 .filter = &options.filter,
			 .grouping = &options.grouping },
	      .code = { .symbols = &options.symbols,
			.source = true,
			.grouping = &options.grouping,
			.filter = &options.filter,
			.input = &options.input } };

static struct error *parse_type(void *value _unused_, const char *argument)
{
	options.want_types = true;
	options.types.type = argument;
	return NULL;
}

// clang-format off
static const struct option_spec annotate_options[] = {
	GROUP("Choosing the output"),
	{ OPTION_CALL_OPTIONAL, 0, "data-type", NULL, "NAME", "show types of this name (or all like 'list_*'); all types\nwithout a name, those with the most samples first", parse_type },
	FLAG(0, "code-with-type", &options.code.with_type, "show code with the type and field of each memory access"),
	FLAG(0, "layout", &options.types.layout, "show types, or the one that is named, in pahole's form:\nholes, padding, cachelines and the fields that share them"),
	FLAG(0, "type-stat", &options.type_stat, "show how types were found, and why others were not"),
	FLAG(0, "insn-stat", &options.insn_stat, "show the instructions with and without a type"),
	{ OPTION_CALL, 's', "symbol", &options.symbols, "LIST", "show the code of these functions (or all like 'list_*');\nwith --data-type, only accesses in them", parse_words_option },
	{ OPTION_CALL, 'd', "dsos", &options.filter.dsos, "LIST", "use only samples in these programs and libraries", parse_words_option },
	OPTION(STRING, 'C', "cpu", &options.choice.cpu_list, "LIST", "on these processors, such as 0-3,8"),
	OPTION(STRING, 0, "time", &options.choice.time, "RANGES", "use only samples of these times, as in report"),
	{ OPTION_CALL, 'c', "comms", &options.filter.comms, "LIST", "use only samples of these commands", parse_words_option },
	GROUP("Code"),
	FLAG(0, "source", &options.code.source, "show source lines between instructions (the default;\n--no-source: do not)"),
	OPTION(STRING, 0, "prefix", &options.code.prefix, "DIR", "look for sources with absolute paths below DIR"),
	SOURCE_OPTION_SPEC(options.input),
	OPTION(UNSIGNED, 0, "prefix-strip", &options.code.strip, "N", "with --prefix, leave out the first N parts of their paths"),
	FLAG('P', "full-paths", &options.code.output.full_paths, "show programs and sources with their directories"),
	OPTION(ENUM, 'M', "disassembler-style", WORDS(options.code.syntax, "att", "intel"), "STYLE", "att (default) or intel"),
	OPTION(PERCENT, 0, "percent-limit", &options.code.output.percent_limit, "PERCENT", "leave out functions below this"),
	FLAG(0, "skip-missing", &options.code.skip_missing, "do not warn of functions without code"),
	GROUP("Output"),
	OPTION(STRING, 'F', "columns", &options.columns, "LIST", "show these columns for each field; +NAME adds to the\ndefault"),
	FLAG(0, "by-symbol", &options.types.by_symbol, "list the functions that access each field"),
	FLAG(0, "elements", &options.types.elements, "list the elements of arrays that are accessed by a\nconstant or known index"),
	FLAG('n', "show-nr-samples", &options.show_samples, "show samples instead of percentages"),
	FLAG(0, "show-total-period", &options.show_period, "show periods instead of percentages"),
	OPTION(U64, 0, "cacheline", &options.types.output.cacheline, "BYTES", "mark boundaries at this distance (the recorded machine's,\nor 64); 0: none"),
	OPTION(UNSIGNED, 0, "max-name", &options.types.max_name, "N", "cut the middle out of longer names (default: as the lines of\na terminal need)"),
	FLAG(0, "hex", &options.types.output.hexadecimal, "print offsets and sizes as perf does: 0x28"),
	GROUPING_OPTION_SPECS(options.grouping),
	FLAG(0, "json", &options.json, "print JSON (Documentation/json.md)"),
	FLAG(0, "csv", &options.csv, "print comma-separated values"),
	OPTION(STRING, 0, "html", &options.html, "FILE", "write a page for browsers: types with their layouts, and code"),
	BROWSE_OPTION_SPECS(options.browse),
	FLAG(0, "demangle", &options.demangle, "show names of functions as in the source (the default;\n--no-demangle: as in the object)"),
	GROUP("Input"),
	INPUT_OPTION_SPECS(options.input),
	OPTIONS_END,
};
// clang-format on

static const struct command_usage annotate_usage = {
	.name = "annotate",
	.synopsis = "[--data-type[=NAME]] [--type-stat] [--insn-stat] [OPTIONS] [FUNCTION...]",
	.summary = "Show the types that samples of a perf.data file go to, field by field; or the "
		   "code of functions.",
	.options = annotate_options,
	/* --type-stat and --insn-stat are printed as text or JSON */
	.alternatives = (const char *const[]){ "html json csv", "html csv type-stat",
					       "html csv insn-stat", "layout by-symbol", NULL },
};

static struct error *choose_columns(void)
{
	struct field_columns *columns = &options.types.output.columns;

	*columns = (struct field_columns){ .items = { options.show_period    ? &field_period
						      : options.show_samples ? &field_samples
									     : &field_percent },
					   .count = 1 };
	return options.columns ? field_columns_parse(options.columns, columns) : NULL;
}

/* Returns whether code is wanted: as in perf, by naming a function; else types are shown. */
static bool wants_code(void)
{
	return !options.want_types && !options.types.layout &&
	       (options.symbols.count || options.code.with_type ||
		(options.browse == BROWSE_NEVER && !options.type_stat && !options.insn_stat &&
		 !options.types.by_symbol && !options.types.elements && !options.columns &&
		 !options.csv && !options.json));
}

static struct html_annotations html_annotations(bool code)
{
	return (struct html_annotations){ .type = options.types.type,
					  .symbols = code ? &options.symbols : NULL,
					  .input = &options.input,
					  .choice = &options.choice,
					  .no_demangle = !options.demangle,
					  .filter = &options.filter,
					  .grouping = &options.grouping };
}

static uint64_t needs(bool code)
{
	bool stat = options.type_stat || options.insn_stat;
	struct html_annotations annotations = html_annotations(code);

	if (options.html)
		return html_annotations_needs(&annotations);
	return filter_needs(&options.filter) | (stat ? NEED_TYPE | NEED_DATA_ADDRESS : 0) |
	       (code ? annotate_code_needs(&options.code) : annotate_types_needs(&options.types));
}

static uint64_t time_quantum(struct session *session)
{
	return options.types.layout && !options.html ? annotate_time_quantum(session) : 0;
}

static struct error *annotate_write_html(struct input *input, bool code)
{
	struct html_annotations annotations = html_annotations(code);
	struct html_document document;

	RETURN_ERROR(html_open(&document, options.html, "annotate", input));
	return html_close(&document, html_add_annotations(&annotations, input, &document.json),
			  options.input.quiet);
}

static struct error *print_statistics_of(const struct input *input, struct json *json)
{
	if (options.type_stat && json)
		type_stat_json(input, &options.filter, json);
	else if (options.type_stat)
		print_type_stat(input, &options.filter);
	return options.insn_stat ? print_insn_stat(input, &options.input.dso, &options.filter, json)
				 : NULL;
}

static struct error *print_all(struct input *input, bool code, struct json *json)
{
	if (!options.input.quiet && !options.json && !options.csv)
		print_type_source(input->session);
	RETURN_ERROR(print_statistics_of(input, json));
	options.types.json = options.code.json = json;
	return code ? annotate_code(input, &options.code)
		    : annotate_types(input, &options.input.dso, &options.types);
}

/* Prints one JSON object. It is complete also if something is missing: the status says so. */
static struct error *annotate_print_json(struct input *input, bool code)
{
	struct json json = JSON_INIT(write_stdout, NULL);

	json_start(&json, NULL, "dtprof-annotate", 1);
	struct error *error = print_all(input, code, &json);

	json_finish(&json);
	return error;
}

/* Returns whether an option asks for more or other than the browser shows. */
static bool wants_text(void)
{
	return options.json || options.csv || options.html || options.type_stat ||
	       options.insn_stat || options.columns || options.show_samples ||
	       options.show_period || options.types.by_symbol || options.types.elements ||
	       options.types.max_name || options.types.output.hexadecimal ||
	       options.types.output.cacheline != UNSET || options.grouping.all ||
	       options.input.quiet || options.code.output.percent_limit > 0 ||
	       global_options.debug_type_profile || options.symbols.count > 1;
}

static struct error *browse(struct input *input, bool code)
{
	const struct name_list *symbols = &options.symbols;

	return browse_run(&(struct browse_report){ .input = &options.input,
						   .filter = &options.filter,
						   .code = &options.code,
						   .start = code ? BROWSE_FUNCTIONS : BROWSE_TYPES,
						   .chooses = !code && !options.want_types,
						   .type = code ? NULL : options.types.type,
						   .function = code && symbols->count
								       ? symbols->names[0]
								       : NULL },
			  input);
}

static struct error *run_annotate(struct input *input, bool code, bool browses)
{
	/* on a terminal, results come first */
	bool at_end = isatty(STDOUT_FILENO) && !options.json && !options.csv;
	/* with -v, nothing is cut or folded */
	unsigned int width = options.input.verbose ? 0 : terminal_width();
	struct error *error;

	RETURN_ERROR(input_open(&options.input, input));
	RETURN_ERROR(sample_choice_init(&options.choice, input->session));
	RETURN_ERROR(input_resolve(
		&options.input,
		&(struct input_needs){
			.needs = browses ? browse_needs(&options.filter, input->session)
					 : needs(code),
			.charges = options.html || (code && options.code.with_type),
			.choice = &options.choice,
			.details = options.types.layout && !options.html ? DETAILS_MAX : 0,
			.time_quantum = time_quantum(input->session),
			.no_demangle = !options.demangle,
			.again = options.html,
			.tells_trouble = at_end || browses },
		input));
	RETURN_ERROR(times_check(&options.choice, input));
	if (browses)
		return browse(input, code);
	if (options.html)
		return annotate_write_html(input, code);
	if (options.types.output.cacheline == UNSET)
		options.types.output.cacheline = input_cacheline(input);
	options.types.output.colour = options.code.output.colour = terminal_colour();
	options.code.output.max_name = options.types.max_name ?: width;
	options.types.output.width = options.code.output.width = width;
	options.types.output.ellipsis = terminal_ellipsis();
	pager_start();
	error = options.json ? annotate_print_json(input, code) : print_all(input, code, NULL);
	if (!error && at_end && !options.types.type && !options.symbols.count)
		trouble_print(&options.input, input, width);
	return error;
}

/* Checks that the options go together, and derives the output formats from them. */
static struct error *annotate_check_options(void)
{
	RETURN_ERROR(choose_columns());
	options.types.format = options.code.format = options.json  ? OUTPUT_JSON
						     : options.csv ? OUTPUT_CSV
								   : OUTPUT_TEXT;
	options.types.quiet = options.input.quiet;
	return NULL;
}

static void print_columns(void)
{
	printf("\nColumns of -F:\n");
	for (const struct field_column *const *column = all_field_columns; *column; column++)
		print_term((*column)->name, 19, (*column)->summary);
}

int command_annotate(int argc, char **argv)
{
	struct input input = { 0 };
	int rest, status;

	if (!command_begin(argc, argv, &annotate_usage, OPTIONS_ANYWHERE, &rest, &status)) {
		if (status == EXIT_SUCCESS)
			print_columns();
		return status;
	}
	/* perf has no --layout, so a name is what it is in pahole there: a type */
	if (options.types.layout && !options.types.type && rest == 1)
		options.types.type = argv[--rest];
	for (int i = 0; i < rest; i++)
		name_list_add(&options.symbols, argv[i]);

	bool code = wants_code();
	bool browses = false;
	struct error *error = annotate_check_options();

	if (!error)
		error = browse_decide(options.browse, wants_text(), &browses);
	if (error)
		return command_fail_usage(error);
	if (!code) {
		options.filter.symbols = options.symbols;
		options.symbols = (struct name_list){ 0 };
	}
	options.code.output.hexadecimal = options.types.output.hexadecimal;
	options.code.output.figure = options.show_period    ? CODE_PERIOD
				     : options.show_samples ? CODE_SAMPLES
							    : CODE_PERCENT;
	sandbox_for(options.html, browses ? "./dtprof.hist" : NULL, options.input.verbose);
	error = run_annotate(&input, code, browses);
	status = error ? command_fail(error) : input_status(&input);
	input_leave(&input);
	filter_deinit(&options.filter);
	name_list_deinit(&options.symbols);
	sample_choice_deinit(&options.choice);
	return status;
}
