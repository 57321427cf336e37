// SPDX-License-Identifier: GPL-2.0-or-later
/* The patch that changes the source of a record to a proposed layout, or the reason why there is
 * none. */
#include "profiler/commands/layout_patch.h"

#include "base/memory.h"
#include "base/text.h"
#include "profiler/resolve/record_sources.h"
#include "report/layout/patch.h"

const struct advice_proposal *layout_chosen(const struct advice_type *type, enum advice_kind kind)
{
	for (size_t i = 0; i < type->proposal_count; i++)
		if (type->proposals[i].kind == kind)
			return &type->proposals[i];
	if (kind == PROPOSAL_KINDS && type->proposal_count &&
	    type->proposals[0].prediction.verdict == VERDICT_GAIN)
		return &type->proposals[0];
	return &type->current;
}

/* ---- patches ---- */

/* Returns the first constraint that a change of the layout is likely to break, or NULL. */
static const char *likely_broken(const struct advice_type *type)
{
	for (size_t i = 0; i < type->constraint_count; i++)
		if (type->constraints[i].risk == RISK_BREAK)
			return type->constraints[i].text;
	return NULL;
}

/* Returns why a patch cannot make the proposal of the type, or NULL. */
static const char *unpatchable(const struct advice_type *type,
			       const struct advice_proposal *proposal, enum advice_kind kind)
{
	if (type->refusal)
		return type->refusal;
	if (proposal->kind == PROPOSAL_KEEP && kind != PROPOSAL_KINDS)
		return "there is no such proposal";
	if (proposal->kind == PROPOSAL_KEEP)
		return type->proposal_count ? type->proposals[0].prediction.reason
					    : "no other layout has fewer lines";
	if (advice_has_native(type))
		return "sources in Rust and Go are changed by hand: --emit=source prints the "
		       "records";
	if (advice_unread_language(type))
		return "sources in other languages than C and C++ are changed by hand";
	if (!type->source.file)
		return "debug information does not say where it is declared";
	if (proposal->part_count > 1 && (type->is_cxx || type->is_kernel))
		return "programs that are not in C are split by hand: --emit=c prints the "
		       "records, and --emit=places what changes";
	if (proposal->part_count > 1 && type->source.missing)
		return "sources are missing, which may use the members that leave";
	return NULL;
}

/* Appends what the reader of a patch has to know: the gain, what to check, and how to apply it. */
static void add_notes(const struct advice_type *type, const struct advice_proposal *proposal,
		      const char *folder, struct strbuf *note)
{
	const struct advice_prediction *prediction = &proposal->prediction;
	size_t start = note->length;

	strbuf_add_format(note, "# %s: %s; %s", type->name, advice_kind_names[proposal->kind],
			  advice_verdict_names[prediction->verdict]);
	if (prediction->verdict == VERDICT_GAIN)
		strbuf_add_format(note, " of at least %.2f", prediction->whole.low);
	strbuf_add_format(note, ": %s", prediction->reason);
	if (prediction->spared.old > 0)
		strbuf_add_format(note, "; %.1f lines of %s in place of %.1f",
				  prediction->spared.new,
				  prediction->spared.object ? "an object" : "a visit",
				  prediction->spared.old);
	strbuf_end_line(note, start);
	for (size_t i = 0; i < type->constraint_count; i++) {
		if (!type->constraints[i].risk)
			continue;
		start = note->length;
		strbuf_add_format(note, "# to be checked: %s", type->constraints[i].text);
		strbuf_end_line(note, start);
	}
	if (source_is_header(type->source.file)) {
		start = note->length;
		strbuf_add_format(note,
				  "# to be checked: other programs that include %s, which were not "
				  "searched",
				  base_name(type->source.file));
		strbuf_end_line(note, start);
	}
	start = note->length;
	strbuf_add_string(note, "# apply it with: patch -p1 -d ");
	strbuf_add_shell_word(note, folder);
	strbuf_end_line(note, start);
}

/* Returns whether a path has control characters: a newline would begin a line of the patch. */
static bool has_control(const char *path)
{
	for (; *path; path++)
		if ((unsigned char)*path < ' ' || *path == 0x7f)
			return true;
	return false;
}

/* Returns whether lines of a patch, which have to be those of the source to the byte, do nothing to
 * a terminal. Pages of sources end with form feeds, and lines of some with CR LF. */
static bool is_harmless(const struct strbuf *diff)
{
	_cleanup_free_ char *copy = xstrndup(diff->data, diff->length);

	make_lines_printable(copy, diff->length, "\n\t\f\r");
	return !any_of(i, 0, diff->length,
		       copy[i] != diff->data[i] || (copy[i] == '\r' && copy[i + 1] != '\n'));
}

/* Appends why there is no patch. For a proposal of several records, also names the proposal with
 * one record, whose patch only moves lines of the declaration. */
static void add_refusal(const struct advice_type *type, const struct advice_proposal *proposal,
			const char *why, struct strbuf *text)
{
	size_t start = text->length;

	strbuf_add_format(text, "# %s: no patch: %s", type->name, why);
	strbuf_end_line(text, start);
	array_each (const struct advice_proposal, other, type->proposals, type->proposal_count) {
		if (proposal->part_count < 2 || other->part_count > 1 || likely_broken(type))
			continue;
		strbuf_add_format(text, "# --proposal=%s keeps one record: %s, %.2f to %.2f\n",
				  advice_kind_names[other->kind],
				  advice_verdict_names[other->prediction.verdict],
				  other->prediction.whole.low, other->prediction.whole.high);
		return;
	}
}

/* The texts that a patch changes. */
struct patched_sources {
	struct source_text *texts;
	const char **names;
	size_t count, capacity;
};

static void patched_sources_deinit(struct patched_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		free((char *)sources->texts[i].text);
		source_text_deinit(&sources->texts[i]);
	}
	free_all(sources->texts, sources->names);
}

/* Reads a file below the folder, if it is not read yet. Returns why it cannot, or NULL. */
static const char *add_patched(const struct advice_type *type, const char *folder, const char *file,
			       struct patched_sources *sources)
{
	size_t above = strlen(folder), length = 0;
	char *contents;

	if (any_of(i, 0, sources->count, !strcmp(sources->texts[i].path, file)))
		return NULL;
	if (has_control(file))
		return "the path of a source has characters that a patch cannot have";
	if (!starts_with(file, folder) || file[above] != '/')
		return "the sources are not below one folder";
	contents = record_source_text(file, &type->source.rights, &length);
	if (!contents)
		return "its source cannot be read";
	if (sources->count == sources->capacity) {
		sources->capacity = sources->capacity * 2 + 16;
		sources->texts =
			xrealloc_array(sources->texts, sources->capacity, sizeof(*sources->texts));
		sources->names =
			xrealloc_array(sources->names, sources->capacity, sizeof(*sources->names));
	}
	sources->names[sources->count] = file + above + 1;
	source_text_init(&sources->texts[sources->count++], file, contents, length);
	return NULL;
}

/* Reads the files that the proposal changes. Returns why it cannot, or NULL. */
static const char *read_patched(const struct advice_type *type,
				const struct advice_proposal *proposal, const char *folder,
				struct patched_sources *sources)
{
	const char *reason = add_patched(type, folder, type->source.file, sources);

	for (size_t i = 0; i < type->place_count && !reason; i++)
		if (place_changes(type, proposal, &type->places[i]))
			reason = add_patched(type, folder, type->places[i].file, sources);
	return reason;
}

/* Returns the folder in which the patch is applied: the compiler's, or the last symbolic link below
 * it, because patch(1) follows no link that leads out of the folder. */
static char *patch_folder(const struct advice_type *type)
{
	const char *file = type->source.file, *folder = type->source.folder;
	size_t above = folder ? strlen(folder) : 0;

	if (!above || strncmp(file, folder, above) != 0 || file[above] != '/')
		above = (size_t)(base_name(file) - file) - 1;
	for (const char *end = file + above; (end = strchr(end + 1, '/')) != NULL;) {
		_cleanup_free_ char *path = xstrndup(file, (size_t)(end - file));
		struct stat status;

		if (!lstat(path, &status) && S_ISLNK(status.st_mode))
			above = (size_t)(end - file);
	}
	return xstrndup(file, above);
}

/* Appends the diff, or why there is none; a proposal becomes what is really made. */
static void make_diff(const struct advice *advice, const struct advice_type *type,
		      struct advice_proposal *proposal, bool chosen, struct arena *arena,
		      const struct patched_sources *sources, struct strbuf *diff,
		      struct strbuf *why)
{
	bool by_pointer = false;

	if (proposal->part_count == 1) {
		patch_make(type, proposal, &advice->machine, &sources->texts[0], sources->names[0],
			   diff, why);
		return;
	}
	if (!split_patch_make(type, proposal, &advice->machine, sources->texts, sources->names,
			      sources->count, &by_pointer, diff, why))
		return;
	if (!by_pointer || proposal->parts[0].pointer)
		return;
	*proposal = proposal_by_pointer(type, &advice->machine, proposal, arena);
	if (!chosen && proposal->prediction.verdict != VERDICT_GAIN)
		strbuf_add_string(why, "its objects are not in one array that the source names, "
				       "and a pointer in each takes the gain away");
}

bool layout_add_patch(const struct advice *advice, const struct advice_type *type,
		      enum advice_kind kind, bool even_if, struct strbuf *text,
		      struct layout_patched *patched)
{
	struct advice_proposal proposal = *layout_chosen(type, kind);
	const char *reason = unpatchable(type, &proposal, kind);
	_cleanup_strbuf_ struct strbuf diff = STRBUF_INIT, why = STRBUF_INIT;
	_cleanup_free_ char *folder = reason ? NULL : patch_folder(type);
	__attribute__((cleanup(patched_sources_deinit))) struct patched_sources sources = { 0 };
	_cleanup_arena_ struct arena arena = { 0 };

	if (!reason && !even_if && likely_broken(type)) {
		strbuf_add_format(&why,
				  "it is likely to break the program (--even-if makes it): %s",
				  likely_broken(type));
		reason = why.data;
	}
	if (!reason)
		reason = read_patched(type, &proposal, folder, &sources);
	if (!reason) {
		make_diff(advice, type, &proposal, kind != PROPOSAL_KINDS, &arena, &sources, &diff,
			  &why);
		if (!why.length && !is_harmless(&diff))
			strbuf_add_string(&why, "its source has control characters");
		reason = why.length ? why.data : NULL;
	}
	if (reason) {
		add_refusal(type, &proposal, reason, text);
		return false;
	}
	add_notes(type, &proposal, folder, text);
	strbuf_add_trusted(text, diff.data);
	if (patched) {
		*patched = (struct layout_patched){ folder, proposal.prediction.whole,
						    proposal.prediction.verdict };
		folder = NULL;
	}
	return true;
}
