// SPDX-License-Identifier: GPL-2.0-or-later
/* The places that a proposal with more than one record changes, as text and JSON. */
#include "report/layout/advice.h"

uint32_t proposal_part_of(const struct advice_type *type, const struct advice_proposal *proposal,
			  uint32_t member)
{
	for (size_t i = 0; i < type->member_count; i++)
		if (proposal->placed[i].member == member)
			return proposal->placed[i].part;
	return 0;
}

/* Returns whether another place in the same line is told in the same words. */
static bool is_repeated(const struct advice_type *type, const struct advice_place *place)
{
	const struct advice_place *last = place > type->places ? place - 1 : NULL;

	return last && last->line == place->line && last->kind == place->kind &&
	       last->doubtful == place->doubtful && !strcmp(last->name, place->name) &&
	       !strcmp(last->file, place->file);
}

bool place_changes(const struct advice_type *type, const struct advice_proposal *proposal,
		   const struct advice_place *place)
{
	if (proposal->part_count < 2)
		return false;
	/* a peeled record is gone, and each member with it */
	return place->member == PLACE_WHOLE || proposal->kind == PROPOSAL_PEEL ||
	       proposal_part_of(type, proposal, place->member) > 0;
}

static void places_add_count(size_t count, const char *one, const char *several, bool first,
			     struct strbuf *text)
{
	strbuf_add_format(text, "%s%zu ", first ? "" : ", ", count);
	strbuf_add_string(text, count == 1 ? one : several);
}

struct place_counts {
	size_t accesses, others, doubtful, files;
};

static struct place_counts count_places(const struct advice_type *type,
					const struct advice_proposal *proposal)
{
	struct place_counts counts = { 0 };
	const char *file = ""; /* places are in the order of their files */

	array_each (const struct advice_place, place, type->places, type->place_count) {
		if (!place_changes(type, proposal, place) || is_repeated(type, place))
			continue;
		*(place->member == PLACE_WHOLE ? &counts.others : &counts.accesses) += 1;
		counts.doubtful += place->doubtful;
		counts.files += strcmp(file, place->file) != 0;
		file = place->file;
	}
	return counts;
}

/* Appends why there are no places, as a clause. */
static void add_lack_of_places(const struct advice_type *type, struct strbuf *text)
{
	const char *language = advice_unread_language(type);

	if (language)
		strbuf_add_format(text, "sources in %s are not read", language);
	else
		strbuf_add_string(text, type->source.read
						? "none was found in the sources that were read"
						: "no source is here");
}

void places_add_summary(const struct advice_type *type, const struct advice_proposal *proposal,
			struct strbuf *text)
{
	struct place_counts counts = count_places(type, proposal);

	if (proposal->part_count < 2)
		return;
	strbuf_add_string(text, "Places to change: ");
	if (!counts.files) {
		const char *language = advice_unread_language(type);

		if (language || !type->source.read)
			strbuf_add_string(text, "not known, as ");
		add_lack_of_places(type, text);
		strbuf_add_string(text, ".");
		if (advice_has_native(type))
			strbuf_add_format(text, " --emit=source prints the records in %s.",
					  language);
		return;
	}
	places_add_count(counts.accesses, "access to members that move",
			 "accesses to members that move", true, text);
	places_add_count(counts.others, "of the whole record", "of the whole record", false, text);
	strbuf_add_format(text, ", in %zu file%s", counts.files, counts.files == 1 ? "" : "s");
	if (counts.doubtful)
		strbuf_add_format(text, "; %zu of them may be of other records", counts.doubtful);
	strbuf_add_string(text, " (--emit=places lists them).");
}

bool places_print(const struct advice_type *type, const struct advice_proposal *proposal,
		  struct strbuf *text)
{
	struct place_counts counts = count_places(type, proposal);
	size_t start = text->length;

	strbuf_add_format(text, "# %s: %s", type->name, advice_kind_names[proposal->kind]);
	if (!counts.files) {
		strbuf_add_string(text, ": no places: ");
		if (type->refusal || proposal->part_count < 2)
			strbuf_add_string(text, type->refusal
							?: "no proposal moves members to "
							   "another record");
		else
			add_lack_of_places(type, text);
		strbuf_end_line(text, start);
		return false;
	}
	size_t all = counts.accesses + counts.others;

	strbuf_add_format(text, ": %zu place%s in %zu file%s", all, all == 1 ? "" : "s",
			  counts.files, counts.files == 1 ? "" : "s");
	if (counts.doubtful)
		strbuf_add_format(text, "; %zu, marked ?, may be of other records",
				  counts.doubtful);
	if (type->source.missing)
		strbuf_add_format(text, "; %zu source%s could not be read", type->source.missing,
				  type->source.missing == 1 ? "" : "s");
	strbuf_end_line(text, start);
	array_each (const struct advice_place, place, type->places, type->place_count) {
		if (!place_changes(type, proposal, place) || is_repeated(type, place))
			continue;
		start = text->length;
		strbuf_add_format(text, "%s:%u: %s", place->file, place->line, place->what);
		if (*place->name)
			strbuf_add_format(text, " '%s'", place->name);
		if (place->doubtful)
			strbuf_add_string(text, " ?");
		strbuf_end_line(text, start);
	}
	return true;
}

void places_print_json(const struct advice_type *type, const struct advice_proposal *proposal,
		       struct json *json)
{
	if (proposal->part_count < 2)
		return;
	json_array(json, "places");
	array_each (const struct advice_place, place, type->places, type->place_count) {
		if (!place_changes(type, proposal, place) || is_repeated(type, place))
			continue;
		json_object(json, NULL);
		json_string(json, "file", place->file);
		json_unsigned(json, "line", place->line);
		json_string(json, "what", place->what);
		json_string(json, "name", *place->name ? place->name : NULL);
		json_bool(json, "doubtful", place->doubtful);
		json_end(json);
	}
	json_end(json);
}
