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
	if (proposal->part_count > 1)
		return "a second record changes each use of the members: --emit=c prints both, and "
		       "--emit=places the uses";
	if (!type->source.file)
		return "debug information does not say where it is declared";
	return NULL;
}

/* Appends what the reader of a patch has to know: the gain, what to check, and how to apply it. */
static void add_notes(const struct advice_type *type, const struct advice_proposal *proposal,
		      const char *folder, struct strbuf *note)
{
	const struct advice_prediction *prediction = &proposal->prediction;
	size_t start = note->length;

	strbuf_add_format(note, "# %s: %s; %s", type->name, advice_kind_names[proposal->kind],
			  advice_verdict_name(prediction->verdict));
	if (prediction->verdict == VERDICT_GAIN)
		strbuf_add_format(note, " of %.2f to %.2f", prediction->whole.low,
				  prediction->whole.high);
	strbuf_add_format(note, ": %s", prediction->reason);
	strbuf_end_line(note, start);
	for (size_t i = 0; i < type->constraint_count; i++) {
		if (!type->constraints[i].risk)
			continue;
		start = note->length;
		strbuf_add_format(note, "# to be checked: %s", type->constraints[i].text);
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

static void add_refusal(const struct advice_type *type, const char *why, struct strbuf *text)
{
	size_t start = text->length;

	strbuf_add_format(text, "# %s: no patch: %s", type->name, why);
	strbuf_end_line(text, start);
}

bool layout_add_patch(const struct advice *advice, const struct advice_type *type,
		      enum advice_kind kind, bool even_if, struct strbuf *text, char **below)
{
	const struct advice_proposal *proposal = layout_chosen(type, kind);
	const char *reason = unpatchable(type, proposal, kind), *file = type->source.file, *name;
	_cleanup_strbuf_ struct strbuf diff = STRBUF_INIT, why = STRBUF_INIT;
	_cleanup_free_ char *contents = NULL, *folder = NULL;
	struct source_text source;
	size_t length = 0, above = type->source.folder ? strlen(type->source.folder) : 0;
	bool made;

	if (!reason) {
		contents = record_source_text(file, &type->source.rights, &length);
		reason = contents ? NULL : "its source cannot be read";
	}
	if (!reason && !even_if && likely_broken(type)) {
		strbuf_add_format(&why,
				  "it is likely to break the program (--even-if makes it): %s",
				  likely_broken(type));
		reason = why.data;
	}
	if (!reason && has_control(file))
		reason = "the path of its source has characters that a patch cannot have";
	if (reason) {
		add_refusal(type, reason, text);
		return false;
	}
	if (!above || strncmp(file, type->source.folder, above) != 0 || file[above] != '/')
		above = (size_t)(base_name(file) - file) - 1;
	folder = xstrndup(file, above);
	name = file + above + 1;
	source_text_init(&source, file, contents, length);
	made = patch_make(type, proposal, &advice->machine, &source, name, &diff, &why);
	source_text_deinit(&source);
	if (made && !is_harmless(&diff)) {
		strbuf_add_string(&why, "its source has control characters");
		made = false;
	}
	if (made) {
		add_notes(type, proposal, folder, text);
		strbuf_add_trusted(text, diff.data);
	} else {
		add_refusal(type, why.data, text);
	}
	if (made && below) {
		*below = folder;
		folder = NULL;
	}
	return made;
}
