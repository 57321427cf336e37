// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements branches.h. */
#include "profiler/commands/branches.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/memory.h"
#include "report/print/print.h"
#include "report/text.h"

/* Returns the key of the first column that needs any of `needs`; NULL: there is none. */
static const struct key *key_that_needs(const struct layout *layout, uint64_t needs)
{
	for (size_t i = 0; i < layout->columns.count; i++)
		if (layout->columns.keys[i]->needs & needs)
			return layout->columns.keys[i];
	return NULL;
}

/* A branch accesses no data. */
#define NEED_DATA (NEED_TYPE | NEED_DATA_ADDRESS | NEED_DATA_SOURCE)

struct error *branches_check_keys(const struct layout *layout, bool of_branches, bool declined)
{
	const struct key *key = key_that_needs(layout, of_branches ? NEED_DATA : NEED_BRANCH);

	if (!key)
		return NULL;
	if (of_branches)
		return error_create(ERROR_OTHER,
				    "'%s' is a key of samples, but rows are branches here: add "
				    "--no-branch-stack",
				    key->name);
	return error_create(ERROR_OTHER, "'%s' is a key of branches: %s", key->name,
			    declined ? "leave out --no-branch-stack"
				     : "add -b, if the file was recorded with 'dtprof record -b'");
}

/* perf's names of PERF_BR_* and PERF_BR_NEW_*. */
static const char *const types[PERF_BR_MAX] = {
	"N/A",    "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
	"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", "",
};
static const char *const new_types[PERF_BR_NEW_MAX] = {
	"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5",
};

const char *branch_kind_name(unsigned int type, unsigned int new_type)
{
	if (type == PERF_BR_EXTEND_ABI)
		return new_type < COUNT_OF(new_types) ? new_types[new_type] : "";
	return type && type < COUNT_OF(types) ? types[type] : "";
}

const char *branch_speculation_name(unsigned int speculation)
{
	static const char *const names[] = { "", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH",
					     "SPEC_CORRECT_PATH" };

	return speculation < COUNT_OF(names) ? names[speculation] : "";
}

/* ---- branch stacks ---- */

/* The flags of a branch, which are struct perf_branch_entry's; older headers lack the last one. */
struct branch_flags {
	bool mispredicted, predicted, in_transaction, aborts, not_taken;
	unsigned int cycles;
	const char *kind, *speculation; /* "": not known */
};

static struct branch_flags flags_of(uint64_t word)
{
	struct perf_branch_entry entry;

	memcpy(&entry.to + 1, &word, sizeof(word));
	return (struct branch_flags){ .mispredicted = entry.mispred,
				      .predicted = entry.predicted,
				      .in_transaction = entry.in_tx,
				      .aborts = entry.abort,
				      .not_taken = word >> 33 & 1,
				      .cycles = entry.cycles,
				      .kind = branch_kind_name(entry.type, entry.new_type),
				      .speculation = branch_speculation_name(entry.spec) };
}

/* Returns the place of a frame. As in perf, it is in the function that has a symbol, not in one
 * that was inlined there. */
static const struct result_place *place_of(const struct branch_stack_view *view, uint32_t frame)
{
	const struct result_frame *frames = view->resolution->frames;
	uint32_t number = view->resolution->frame_of[frame];

	while (frames[number].place->inlined && frames[number].caller)
		number = frames[number].caller;
	return frames[number].place;
}

static void add_symbol(const struct result_place *place, struct strbuf *text)
{
	if (place->symbol)
		strbuf_add_format(text, "%s+0x%" PRIx64, place->symbol,
				  place->address - place->symbol_address);
	else
		strbuf_add_string(text, "[unknown]");
}

static void add_end(const struct branch_stack_view *view, uint32_t number, struct strbuf *text)
{
	const struct counted_frame *frame = &view->counts->frames[number];
	const struct result_place *place = place_of(view, number);

	if (view->form == BRANCH_SYMBOLS)
		add_symbol(place, text);
	else
		strbuf_add_format(text, "0x%" PRIx64,
				  view->form == BRANCH_OFFSETS ? frame->offset : frame->ip);
	if (view->shows_dso)
		strbuf_add_format(text, " (%s)", place->dso_path ? place->dso_path : "[unknown]");
}

void branch_stack_add_text(const struct branch_stack_view *view, uint32_t stack,
			   struct strbuf *text)
{
	const struct counted_branch *branch = stack ? &view->counts->branch_stacks[stack] : NULL;

	for (; branch && branch->from; branch++) {
		struct branch_flags flags = flags_of(branch->flags);
		bool told = flags.predicted || flags.mispredicted || flags.not_taken;

		/* as in perf: nothing separates a symbol from what precedes it */
		strbuf_add_string(text, view->form == BRANCH_SYMBOLS ? "" : " ");
		add_end(view, branch->from, text);
		strbuf_add_char(text, '/');
		add_end(view, branch->to, text);
		strbuf_add_format(text, "/%s%s/%c/%c/%u/%s/%s ",
				  !told ? "-" : (flags.predicted ? "P" : "M"),
				  flags.not_taken ? "N" : "", flags.in_transaction ? 'X' : '-',
				  flags.aborts ? 'A' : '-', flags.cycles, flags.kind,
				  *flags.speculation ? flags.speculation : "-");
	}
}

static void add_json_end(const struct branch_stack_view *view, uint32_t number, bool is_target,
			 struct json *json)
{
	const struct counted_frame *frame = &view->counts->frames[number];
	const struct result_place *place = place_of(view, number);
	_cleanup_strbuf_ struct strbuf symbol = STRBUF_INIT;

	json_unsigned(json, is_target ? "to" : "from",
		      view->form == BRANCH_OFFSETS ? frame->offset : frame->ip);
	json_string(json, is_target ? "dso_to" : "dso_from", place->dso_path);
	if (view->form != BRANCH_SYMBOLS)
		return;
	if (place->symbol)
		add_symbol(place, &symbol);
	json_string(json, is_target ? "symbol_to" : "symbol_from",
		    place->symbol ? symbol.data : NULL);
}

void branch_stack_add_json(const struct branch_stack_view *view, uint32_t stack, const char *name,
			   struct json *json)
{
	const struct counted_branch *branch = stack ? &view->counts->branch_stacks[stack] : NULL;

	json_array(json, name);
	for (; branch && branch->from; branch++) {
		struct branch_flags flags = flags_of(branch->flags);

		json_object(json, NULL);
		add_json_end(view, branch->from, false, json);
		add_json_end(view, branch->to, true, json);
		if (flags.predicted || flags.mispredicted)
			json_bool(json, "mispredict", flags.mispredicted);
		else
			json_null(json, "mispredict");
		json_bool(json, "taken", !flags.not_taken);
		json_bool(json, "in_tx", flags.in_transaction);
		json_bool(json, "abort", flags.aborts);
		json_unsigned(json, "cycles", flags.cycles);
		json_string(json, "kind", *flags.kind ? flags.kind : NULL);
		json_string(json, "speculation", *flags.speculation ? flags.speculation : NULL);
		json_end(json);
	}
	json_end(json);
}

/* ---- kinds of branches ---- */

static void add_branch_kind(const char *name, uint64_t count, uint64_t total, struct strbuf *text)
{
	if (count)
		strbuf_add_format(text, "\n%8s: %5.1f%%", name, percent_of(count, total));
}

void print_branch_kinds(const struct branch_kinds *kinds, struct strbuf *text)
{
	uint64_t total = 0;

	for (size_t i = 0; i < COUNT_OF(types); i++)
		total += kinds->types[i];
	if (!total)
		return;
	strbuf_add_string(text, "\n#\n# Branch Statistics:\n#");
	add_branch_kind("COND_FWD", kinds->forward, total, text);
	add_branch_kind("COND_BWD", kinds->backward, total, text);
	add_branch_kind("CROSS_4K", kinds->cross_4k, total, text);
	add_branch_kind("CROSS_2M", kinds->cross_2m, total, text);
	for (size_t i = 0; i < COUNT_OF(types); i++)
		add_branch_kind(types[i], kinds->types[i], total, text);
	for (size_t i = 0; i < COUNT_OF(new_types); i++)
		add_branch_kind(new_types[i], kinds->new_types[i], total, text);
	strbuf_add_char(text, '\n');
}
