// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements advice_print(): who uses the type, which fields go together, the verdict, the old and
 * the new layout side by side, and the constraints on a change.
 */
#include "report/layout/advice.h"

#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "report/layout/lines.h"
#include "report/text.h"

#define REGIONS_SHOWN   8
#define PROCESSES_SHOWN 8
#define PROCESS_MIN     0.05 /* of the type's samples: rarer ones are left out */
#define PAIRS_SHOWN     8
#define LONE_SHOWN      3
#define NEARS_SHOWN     4
#define NEAR_MIN        20 /* samples: fewer say little */
#define FIELDS_SHOWN    6
#define COPIES_SHOWN    6
#define CHASE_SHARE     0.2 /* of the samples at a region's objects: at those of a chase */
#define FIRST_SHOWN     12  /* members of a layout that spares L1 lines */
#define LOOP_SHARE      0.1 /* of all samples: too few tell what a rarer loop waits for */
#define COLUMN          38  /* width of one of two layouts side by side */
#define WIDTH           79
#define LINE_WIDTH      80
#define SURE            0.95 /* of a share: as good as all of it */
#define RANGE_MAX       10   /* times the least: a count with a wider range tells nothing, */
#define RANGE_SHOWN     1.15 /* and one with a narrower range is a number */

/* Appends `before` and the text in lines of at most WIDTH columns; further lines are indented. */
static void add_wrapped(struct strbuf *buffer, const char *before, const char *text, size_t indent)
{
	if (*before == '\n')
		strbuf_add_char(buffer, *before++);

	size_t start = buffer->length, blanks = strspn(before, " ");

	strbuf_add_string(buffer, before);
	strbuf_add_string(buffer, text);
	strbuf_end_line(buffer, start);
	text_fold(buffer, start, 0, WIDTH, indent - blanks);
}

static void add_size(struct strbuf *buffer, double bytes)
{
	char text[32];

	strbuf_add_string(buffer, advice_size_text(bytes, text));
}

static bool is_open(const struct advice_objects *objects)
{
	return objects->most > RANGE_MAX * objects->estimate;
}

/* Returns whether so few samples have addresses that there may be many more objects. */
static bool is_few(const struct advice_objects *objects)
{
	return objects->addressed < ADVICE_ADDRESSES && !objects->at_most;
}

/* Appends "about 5300 to 9000 objects in use" or "about 5300 elements side by side". */
static void add_objects(const struct advice_objects *objects, struct strbuf *buffer)
{
	double least = objects->least ?: objects->estimate;
	bool range = !objects->at_most && objects->most > RANGE_SHOWN * least;

	if (is_open(objects) || is_few(objects)) {
		/* the estimate supposes that the ends of an array lie beyond the samples */
		if (objects->array)
			least *= (double)(objects->seen - 1) / (double)(objects->seen + 1);
		strbuf_add_format(buffer, "%s: cannot tell, at least %.0f",
				  objects->array ? "elements side by side" : "objects in use",
				  least);
		return;
	}
	strbuf_add_format(buffer, "%s %.0f", objects->at_most ? "at most about" : "about",
			  range ? least : objects->estimate);
	if (range)
		strbuf_add_format(buffer, " to %.0f", objects->most);
	/* visits may leave out some of them, such as empty slots of a table */
	strbuf_add_format(buffer, objects->array ? " element%s side by side" : " object%s in use",
			  objects->most < 1.5 ? "" : "s");
}

/* Prints the processes that use objects of the type. */
static void print_processes(const struct advice_type *type, struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t shown = 0;

	if (type->process_count == 1 && type->processes->sharers)
		strbuf_add_format(buffer, "  objects in memory that %u processes share\n",
				  type->processes->sharers + 1);
	if (type->process_count < 2)
		return;
	/* what is shared is not known without addresses */
	strbuf_add_format(&text,
			  "%zu processes %s; counts of objects and threads are those of the first "
			  "(--pid chooses others):",
			  type->process_count,
			  type->objects.estimate > 0 ? "have objects of their own"
						     : "use such objects");
	add_wrapped(buffer, "  ", text.data, 4);
	for (; shown < type->process_count && shown < PROCESSES_SHOWN; shown++) {
		const struct advice_process *process = &type->processes[shown];
		size_t start = buffer->length;

		if (shown && process->samples < PROCESS_MIN * (double)type->samples)
			break;
		strbuf_add_format(
			buffer, "    %5.1f%%  %d %s%s: ", percent_of(process->samples, type->total),
			process->pid, process->name ?: "(no name)",
			process->sharers ? " and others" : "");
		if (process->objects.estimate)
			add_objects(&process->objects, buffer);
		else
			strbuf_add_string(buffer, "objects in use not known");
		strbuf_end_line(buffer, start);
	}
	if (shown < type->process_count)
		strbuf_add_format(buffer, "    and %zu more\n", type->process_count - shown);
}

/* Appends "2 lines", or "2 to 3 lines" of an object that may begin within a line. */
static void add_line_count(const struct advice_type *type, uint64_t cacheline,
			   struct strbuf *buffer)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (uint64_t at = 0; at < cacheline && at < COUNT_OF(type->objects.alignments); at++) {
		uint64_t lines = (at + type->size + cacheline - 1) / cacheline;

		if (!type->objects.alignments[at])
			continue;
		least = lines < least ? lines : least;
		most = lines > most ? lines : most;
	}
	if (!most)
		least = most = (type->size + cacheline - 1) / cacheline;
	strbuf_add_format(buffer, "%" PRIu64, least);
	if (most > least)
		strbuf_add_format(buffer, " to %" PRIu64, most);
	strbuf_add_string(buffer, most == 1 ? " line" : " lines");
}

/* Prints the bytes of the lines in use. The reasons of proposals name the most of them. */
static void print_set(const struct advice_type *type, uint64_t cacheline, struct strbuf *buffer)
{
	const struct advice_objects *objects = &type->objects;
	double set = (double)type->current.prediction.old_set, line = (double)cacheline,
	       least = ceil((double)type->current.prediction.least_set / line) * line,
	       most = ceil(set * advice_most_factor(objects, set) / line) * line;

	bool least_only = is_open(objects) || is_few(objects);

	if (set <= 0 || (least_only && least < 1))
		return;
	strbuf_add_string(buffer, ";\n  the lines of them that hot code uses: ");
	if (least_only) {
		strbuf_add_string(buffer, "at least ");
		add_size(buffer, least);
	} else if (objects->at_most || objects->often > 0 || lines_are_some(type) || least < 1) {
		strbuf_add_string(buffer, "at most ");
		add_size(buffer, most);
	} else {
		if (least < SURE * most) {
			add_size(buffer, least);
			strbuf_add_string(buffer, " to ");
		}
		add_size(buffer, most);
	}
}

static void print_heading(const struct advice_type *type, const struct advice_machine *machine,
			  struct strbuf *buffer)
{
	const struct advice_objects *objects = &type->objects;
	_cleanup_strbuf_ struct strbuf title = STRBUF_INIT;

	strbuf_add_format(&title, "Type '%s' in %s:", type->name, type->object);
	add_wrapped(buffer, "", title.data, 2);
	if (type->is_unsized)
		strbuf_add_string(buffer, "  size unknown: it depends on the object");
	else {
		strbuf_add_format(buffer, "  %" PRIu64 " byte%s, ", type->size,
				  type->size == 1 ? "" : "s");
		add_line_count(type, machine->cacheline, buffer);
	}
	strbuf_add_format(buffer,
			  "; %" PRIu64 " of %" PRIu64 " samples %s charged to it (%.1f%%)\n",
			  type->samples, type->total, type->samples == 1 ? "is" : "are",
			  percent_of(type->samples, type->total));
	if (type->within)
		strbuf_add_format(buffer, "  %" PRIu64 " of them: its objects in other records\n",
				  type->within);
	print_processes(type, buffer);
	if (!objects->estimate) {
		strbuf_add_format(buffer, "  objects in use: not known (%s the address of one)\n",
				  objects->addressed ? "few samples have" : "no sample has");
		return;
	}
	strbuf_add_string(buffer, "  ");
	add_objects(objects, buffer);
	if (objects->often > 0)
		strbuf_add_format(buffer, ",\n  of which visits go to at least %.0f",
				  objects->often);
	if (!is_open(objects))
		strbuf_add_format(buffer,
				  objects->array && is_few(objects)
					  ? ",\n  by the addresses of %" PRIu64 " samples"
					  : ", by the addresses of %" PRIu64 " samples",
				  objects->addressed);
	else
		strbuf_add_format(buffer,
				  objects->array ? ":\n  the addresses of %" PRIu64
						   " samples lie far apart, with room for %.0f"
						 : ": the addresses of %" PRIu64
						   " samples\n  lie far apart, with room for %.0f",
				  objects->addressed, objects->most);
	print_set(type, machine->cacheline, buffer);
	strbuf_add_char(buffer, '\n');
}

/* ---- regions ---- */

/* Appends the members that a region uses, in their order, with "=" after those that it writes. The
 * first name is shortened if the line, which begins at `start`, would be too long otherwise. */
static void add_fields(const struct advice_type *type, const struct advice_region *region,
		       size_t start, struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf rest = STRBUF_INIT;
	size_t used = buffer->length - start, name = buffer->length;
	unsigned int shown = 0, left = 0;

	array_indexed (const struct advice_member, m, member, type->members, type->member_count) {
		bool read = false, written = false;

		array_each (const struct advice_use, use, region->uses, region->use_count) {
			if (!advice_uses_member(type, use, member))
				continue;
			*(use->write ? &written : &read) = true;
		}
		if (!read && !written)
			continue;
		if (shown >= FIELDS_SHOWN ||
		    (shown && used + rest.length + strlen(m->name) + 7 > WIDTH)) {
			left++;
			continue;
		}
		if (!shown++) {
			strbuf_add_string(buffer, m->name);
			used += strlen(m->name);
			strbuf_add_string(&rest, written ? "=" : "");
		} else
			strbuf_add_format(&rest, " %s%s", m->name, written ? "=" : "");
	}
	if (left)
		strbuf_add_format(&rest, " +%u", left);
	if (used + rest.length > LINE_WIDTH)
		text_shorten_name(buffer, name, LINE_WIDTH - rest.length - (name - start), "...");
	strbuf_add(buffer, rest.data, rest.length);
}

COMPARISON(compare_strength, struct advice_use,
	   BY(b->walk != WALK_SAME, a->walk != WALK_SAME) DESCENDING(samples) ASCENDING(sometimes))

/* Returns the use that the region's walk is named after. */
static const struct advice_use *strongest_use(const struct advice_region *region)
{
	const struct advice_use *best = &region->uses[0];

	for (size_t i = 1; i < region->use_count; i++)
		best = compare_strength(&region->uses[i], best) < 0 ? &region->uses[i] : best;
	return best;
}

static void print_region(const struct advice_type *type, const struct advice_region *region,
			 struct strbuf *buffer)
{
	size_t start = buffer->length;
	_cleanup_strbuf_ struct strbuf place = STRBUF_INIT;
	const struct advice_use *use = strongest_use(region);
	const char *walk =
		use->walk == WALK_SCATTERED && !region->loop ? "no loop" : advice_walk_name(use);

	strbuf_add_format(&place, "%s%s%s", region->function, region->line ? " " : "",
			  region->line ?: "");
	text_shorten(&place, 0, 32);
	strbuf_add_format(buffer, "  %5.1f%% %5.1f%%  %-9s ",
			  percent_of(region->samples, type->total),
			  percent_of(region->charged, type->total), walk);
	text_add_columns(buffer, place.data, 32);
	strbuf_add_string(buffer, "  ");
	add_fields(type, region, start, buffer);
	strbuf_end_line(buffer, start);
}

static void print_regions(const struct advice_type *type, struct strbuf *buffer)
{
	strbuf_add_string(buffer, "\n  all    waits  walk      loop or function                  "
				  "fields (= written)\n");
	for (size_t i = 0; i < type->region_count && i < REGIONS_SHOWN; i++)
		print_region(type, &type->regions[i], buffer);
	if (type->region_count > REGIONS_SHOWN)
		strbuf_add_format(buffer, "  and %zu more\n", type->region_count - REGIONS_SHOWN);
}

/* ---- chases ---- */

/* Returns the use that leads to the next object of the walk; NULL: that is too rare, or the samples
 * of the region are at other objects. */
static const struct advice_use *chase_of(const struct advice_type *type,
					 const struct advice_region *region)
{
	uint64_t chased =
			 sum_over(uint64_t, i, 0, region->use_count,
				  region->uses[i].walk == WALK_CHASE ? region->uses[i].samples : 0),
		 all = sum_over(uint64_t, i, 0, region->use_count, region->uses[i].samples);

	if (region->samples * 100 < type->total || !chased ||
	    (double)chased < CHASE_SHARE * (double)all)
		return NULL;
	return array_find(i, region->uses, region->use_count,
			  region->uses[i].walk == WALK_CHASE && !region->uses[i].aside);
}

/* Returns whether the region accesses the field that the chase goes through. Of several loops that
 * share the pointer, one may load it from another field than the others. */
static bool goes_through(const struct advice_type *type, const struct advice_region *region,
			 const char *field)
{
	const struct advice_member *member = array_find(i, type->members, type->member_count,
							!strcmp(type->members[i].name, field));

	return !member || any_of(i, 0, region->use_count,
				 advice_uses_member(type, &region->uses[i],
						    (uint32_t)(member - type->members)));
}

/* Returns whether both regions are copies of one loop, inlined in several places. */
static bool same_loop(const struct advice_region *a, const struct advice_region *b)
{
	return a == b || (a->line && b->line && !strcmp(a->line, b->line) &&
			  !strcmp(a->function, b->function));
}

/* Returns whether all lines in use fit in L1. */
static bool is_in_l1(const struct advice_type *type, const struct advice_machine *machine)
{
	double set = (double)type->current.prediction.old_set;

	return set > 0 && !is_open(&type->objects) && !is_few(&type->objects) &&
	       set * advice_most_factor(&type->objects, set) <= (double)machine->sizes[LEVEL_L1];
}

/* Prints one paragraph for all loops that chase pointers. */
static void print_chases(const struct advice_type *type, const struct advice_machine *machine,
			 struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	unsigned int count = 0;
	bool searches = false;

	array_each (const struct advice_region, region, type->regions, type->region_count) {
		const struct advice_use *chase = chase_of(type, region);
		const struct advice_region *all = type->regions;

		if (!chase || any_of(i, 0, (size_t)(region - all),
				     same_loop(&all[i], region) && chase_of(type, &all[i])))
			continue;
		searches |= region->searches;
		strbuf_add_format(&text, "%s %s (",
				  count++ ? "," : "Pointer chase:", region->function);
		if (region->line)
			strbuf_add_format(&text, "%s, ", region->line);
		if (chase->next && goes_through(type, region, chase->next))
			strbuf_add_format(&text, "through '%s', ", chase->next);
		strbuf_add_format(
			&text, "%.1f%% of the samples)",
			percent_of(sum_over(uint64_t, i, 0, type->region_count,
					    same_loop(&all[i], region) && chase_of(type, &all[i])
						    ? all[i].samples
						    : 0),
				   type->total));
	}
	if (!count)
		return;
	strbuf_add_string(&text, ". Each step waits for the object before.");
	if (searches)
		strbuf_add_string(&text, " Where the loop searches, keep what it compares beside "
					 "the pointer, so that fewer objects need to be read.");
	/* elements of an array may be linked by their indexes already; L1 needs no prefetch */
	if (!is_in_l1(type, machine))
		strbuf_add_string(&text,
				  type->objects.array
					  ? " A prefetch of the next object may shorten the wait."
					  : " An array with indexes in place of pointers, or a "
					    "prefetch of the next object, may shorten the wait.");
	add_wrapped(buffer, "\n", text.data, 2);
}

static void print_affinities(const struct advice_type *type, struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t shown = 0, count = 0;

	/* the strongest come first; those that would be shown as 0% say nothing */
	while (count < type->affinity_count && type->affinities[count].most >= 0.005)
		count++;
	if (!count)
		return;
	strbuf_add_string(&text, "Used together:");
	for (; shown < count && shown < PAIRS_SHOWN; shown++) {
		const struct advice_affinity *pair = &type->affinities[shown];

		strbuf_add_format(&text, "%s %s and %s %s%.0f%%", shown ? "," : "",
				  type->members[pair->first].name, type->members[pair->second].name,
				  pair->always < SURE * pair->most ? "up to " : "",
				  100 * pair->most);
	}
	if (shown < count)
		strbuf_add_format(&text, ", %zu more pairs", count - shown);
	add_wrapped(buffer, "\n", text.data, 2);
}

/* Returns whether two members share bytes, as those of a union do: accesses of both are the same.
 */
static bool are_overlaid(const struct advice_type *type, uint32_t first, uint32_t second)
{
	const struct advice_member *one = &type->members[first], *other = &type->members[second];

	return one->offset < other->offset + other->size && other->offset < one->offset + one->size;
}

/* Prints the pairs of members that data addresses show to be used together. */
static void print_nears(const struct advice_type *type, struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t shown = 0;

	strbuf_add_format(&text, "Used within %d ms, by addresses:", ADVICE_NEAR_NS / 1000000);
	array_each (const struct advice_near, near, type->nears, type->near_count) {
		/* the most frequent come first; those that would be shown as 0% say nothing */
		if (shown == NEARS_SHOWN || 200 * near->samples < type->near_samples)
			break;
		if (!are_overlaid(type, near->first, near->second))
			strbuf_add_format(&text, "%s %s and %s %.0f%%", shown++ ? "," : "",
					  type->members[near->first].name,
					  type->members[near->second].name,
					  percent_of(near->samples, type->near_samples));
	}
	if (shown && type->near_samples >= NEAR_MIN)
		add_wrapped(buffer, "", text.data, 2);
}

/* Prints the copies that take a share of the time worth a line. */
static void print_copies(const struct advice_type *type, struct strbuf *buffer)
{
	const char *hint = NULL;

	if (!type->copy_count || type->copies[0].samples * 100 < type->total)
		return;
	strbuf_add_string(buffer, "\n  all    copy\n");
	for (size_t i = 0; i < type->copy_count && i < COPIES_SHOWN &&
			   type->copies[i].samples * 200 >= type->total;
	     i++) {
		const struct result_copy *copy = type->copies[i].copy;
		char share[16];

		snprintf(share, sizeof(share), "  %5.1f%% ",
			 percent_of(type->copies[i].samples, type->total));
		add_wrapped(buffer, share, copy->text, 11);
		if (copy->hint && copy->hint != hint)
			add_wrapped(buffer, "           ", copy->hint, 11);
		hint = copy->hint ?: hint;
	}
}

/* Returns whether a layout with a gain moves any of the members that are alone in a line. */
static bool lone_are_moved(const struct advice_type *type)
{
	const struct advice_proposal *best = type->proposal_count ? &type->proposals[0] : NULL;

	return best && best->prediction.verdict == VERDICT_GAIN &&
	       any_of(i, 0, type->lone_count < LONE_SHOWN ? type->lone_count : LONE_SHOWN,
		      any_of(k, 0, type->member_count,
			     best->placed[k].member == type->lone[i].member &&
				     (best->placed[k].part ||
				      best->placed[k].offset !=
					      type->members[type->lone[i].member].offset)));
}

/* Prints the only members for which code touches a line: to move first, if it gains. */
static void print_lone(const struct advice_type *type, const struct advice_machine *machine,
		       struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	bool numbered = lines_begin_at_lines(type, type->current.parts, machine->cacheline);

	if (!type->lone_count || type->refusal)
		return;
	strbuf_add_string(&text, "Alone in a line: ");
	for (size_t i = 0; i < type->lone_count && i < LONE_SHOWN; i++) {
		const struct advice_lone *lone = &type->lone[i];

		strbuf_add_format(&text, "%s%s (", i ? ", " : "", type->members[lone->member].name);
		if (numbered)
			strbuf_add_format(&text, "line %" PRIu64 ", ", lone->line);
		if (lone->weight < SURE * lone->most && lone->weight >= 0.005)
			strbuf_add_format(&text, "%.0f to ", 100 * lone->weight);
		else if (lone->weight < SURE * lone->most)
			strbuf_add_string(&text, "up to ");
		strbuf_add_format(&text, "%.0f%%%s)", 100 * lone->most,
				  i ? "" : " of this code's samples touch it for nothing else");
	}
	strbuf_add_string(&text,
			  lone_are_moved(type)
				  ? ". Move these first, to the fields that the same code uses."
				  : ".");
	add_wrapped(buffer, "\n", text.data, 2);
}

/* ---- layouts side by side ---- */

/* The lines of one layout, as they are printed. */
struct layout_column {
	struct strbuf text;
	size_t *starts;
	size_t count, capacity;
};

/* Adds a line with the text of a buffer, which is empty afterwards. */
static void add_column_line(struct layout_column *column, struct strbuf *text)
{
	array_add(column->starts, column->count, column->capacity) = column->text.length;
	strbuf_add(&column->text, text->data, text->length + 1);
	strbuf_reset(text);
}

/* Lines of a layout shown as one: a member over several has samples somewhere in them. */
struct joined_lines {
	uint64_t last; /* number of the last one */
	uint64_t samples;
};

static struct joined_lines lines_from(const struct advice_type *type,
				      const struct advice_proposal *proposal, uint32_t part,
				      uint64_t line, uint64_t cacheline)
{
	struct joined_lines lines = { .last = line };

	array_each (const struct advice_placed, placed, proposal->placed, type->member_count) {
		uint64_t size = type->members[placed->member].size;

		if (placed->part != part || placed->offset / cacheline < line ||
		    placed->offset / cacheline > lines.last)
			continue;
		lines.samples += type->members[placed->member].samples;
		if (size > cacheline && (placed->offset + size - 1) / cacheline > lines.last)
			lines.last = (placed->offset + size - 1) / cacheline;
	}
	return lines;
}

/* Returns how a member compares with that of the same name in the other layout: '>' if their
 * offsets differ, `absent` if there is none, else ' '. */
static char member_mark(const struct advice_member *member, const struct advice_type *other,
			char absent)
{
	for (size_t i = 0; other && i < other->member_count; i++)
		if (!strcmp(other->members[i].name, member->name))
			return other->members[i].offset != member->offset ? '>' : ' ';
	return other ? absent : ' ';
}

/* Makes a layout's lines. Members that `other` (or NULL) has elsewhere are marked. */
static void make_column(const struct advice_type *type, const struct advice_proposal *proposal,
			uint64_t cacheline, const struct advice_type *other, char absent,
			struct layout_column *column)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	uint32_t part = UINT32_MAX;
	uint64_t line = 0, end = 0;
	bool lines_known = true;

	*column = (struct layout_column){ .text = STRBUF_INIT };
	array_each (const struct advice_placed, placed, proposal->placed, type->member_count) {
		const struct advice_member *member = &type->members[placed->member];

		if (placed->part != part) {
			part = placed->part;
			line = UINT64_MAX;
			end = 0;
			lines_known = lines_begin_at_lines(type, &proposal->parts[part], cacheline);
			strbuf_add_format(&text, "%s: %" PRIu64 " byte%s",
					  proposal->parts[part].name, proposal->parts[part].size,
					  proposal->parts[part].size == 1 ? "" : "s");
			add_column_line(column, &text);
		}
		if (placed->offset > end) {
			strbuf_add_format(&text, "              (hole of %" PRIu64 ")",
					  placed->offset - end);
			add_column_line(column, &text);
		}
		if (line == UINT64_MAX || placed->offset / cacheline > line) {
			uint64_t first = placed->offset / cacheline;
			struct joined_lines lines =
				lines_from(type, proposal, part, first, cacheline);

			line = lines.last;
			if (!lines_known)
				strbuf_add_format(&text, "--- bytes %" PRIu64 "-%" PRIu64,
						  first * cacheline, (line + 1) * cacheline - 1);
			else
				strbuf_add_format(&text, "--- line%s %" PRIu64,
						  line > first ? "s" : "", first);
			if (line > first && lines_known)
				strbuf_add_format(&text, "-%" PRIu64, line);
			strbuf_add_format(&text, ": %.1f%% ---",
					  percent_of(lines.samples, type->samples));
			add_column_line(column, &text);
		}
		strbuf_add_format(&text, "%4" PRIu64 " %4" PRIu64 " %5.1f%%%c%s", placed->offset,
				  member->size, percent_of(member->samples, type->samples),
				  member_mark(member, other, absent), member->name);
		add_column_line(column, &text);
		end = placed->offset + member->size;
	}
}

static void add_layout_cell(const struct layout_column *column, size_t line, struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf cell = STRBUF_INIT;

	if (line < column->count)
		strbuf_add_string(&cell, column->text.data + column->starts[line]);
	text_shorten(&cell, 0, COLUMN);
	text_add_columns(buffer, cell.data, COLUMN);
}

/* Prints both columns below a heading, and frees them. */
static void print_columns(const char *left, const char *right, struct layout_column *old,
			  struct layout_column *new, struct strbuf *buffer)
{
	strbuf_add_format(buffer, "%-*s  %s\n", COLUMN, left, right);
	for (size_t i = 0; i < old->count || i < new->count; i++) {
		size_t start = buffer->length;

		add_layout_cell(old, i, buffer);
		strbuf_add_string(buffer, "  ");
		add_layout_cell(new, i, buffer);
		while (buffer->length > start && buffer->data[buffer->length - 1] == ' ')
			buffer->length--;
		buffer->data[buffer->length] = '\0';
		strbuf_end_line(buffer, start);
	}
	free_all(old->starts, new->starts);
	strbuf_deinit(&old->text);
	strbuf_deinit(&new->text);
}

static void print_side_by_side(const struct advice_type *type,
			       const struct advice_proposal *proposal,
			       const struct advice_machine *machine, struct strbuf *buffer)
{
	struct layout_column old, new;

	make_column(type, &type->current, machine->cacheline, NULL, ' ', &old);
	make_column(type, proposal, machine->cacheline, NULL, ' ', &new);
	strbuf_add_char(buffer, '\n');
	print_columns("  old (offset, size, heat)", "  new", &old, &new, buffer);
}

void advice_print_layouts(const struct advice_type *old, const struct advice_type *new,
			  const struct advice_machine *machine, struct strbuf *buffer)
{
	struct layout_column left, right;
	size_t start = buffer->length;

	strbuf_add_format(buffer, "Type '%s': (>) moved, (+) new, (-) gone", new->name);
	strbuf_end_line(buffer, start);
	make_column(old, &old->current, machine->cacheline, new, '-', &left);
	make_column(new, &new->current, machine->cacheline, old, '+', &right);
	print_columns("  old (offset, size, heat)", "  new", &left, &right, buffer);
}

/* ---- the verdict ---- */

/* High ends are no promises: many programs gain more than either model expects. */
static void add_range(const struct advice_range *range, struct strbuf *text)
{
	strbuf_add_format(text, range->low >= 1.005 ? "at least %.2f" : "%.2f or more", range->low);
}

/* Appends what a replay has measured, or why there is none. */
static void add_replay(const struct advice_replay *replay, struct strbuf *text)
{
	if (replay->refusal)
		strbuf_add_format(text, "; not replayed: %s", replay->refusal);
	else if (replay->tried)
		strbuf_add_format(text,
				  "; measured by replay: %.2f times (range %.2f to %.2f; equal "
				  "runs differ by %.0f%%)",
				  replay->middle, replay->whole.low, replay->whole.high,
				  100 * replay->noise);
}

static void print_gain(const struct advice_type *type, const struct advice_proposal *proposal,
		       const struct advice_machine *machine, struct strbuf *buffer)
{
	const struct advice_prediction *prediction = &proposal->prediction;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_add_format(&text, "Advice: %s. Expected: ", advice_kind_names[proposal->kind]);
	add_range(&prediction->whole, &text);
	strbuf_add_string(&text, " times faster as a whole");
	if ((double)type->own_total < 0.95 * (double)type->total) {
		strbuf_add_string(&text, " (");
		add_range(&prediction->own, &text);
		strbuf_add_string(&text, type->is_kernel ? " of the kernel's time)"
							 : " of the time in user space)");
	}
	add_replay(&prediction->replay, &text);
	for (size_t i = 0; i < type->region_count && i < 3; i++) {
		if (prediction->regions[i].high < 1.01 ||
		    (double)type->regions[i].samples < LOOP_SHARE * (double)type->total)
			continue;
		strbuf_add_string(&text, ", ");
		add_range(&prediction->regions[i], &text);
		strbuf_add_format(&text, " in %s (%s%s%.0f%% of the samples)",
				  type->regions[i].function, type->regions[i].line ?: "",
				  type->regions[i].line ? ", " : "",
				  percent_of(type->regions[i].samples, type->total));
	}
	strbuf_add_format(&text, "; %s.", prediction->reason);
	if (prediction->width)
		strbuf_add_format(&text, " How much more cannot be told: it depends most on %s.",
				  prediction->width);
	add_wrapped(buffer, "\n", text.data, 2);
	print_side_by_side(type, proposal, machine, buffer);
	strbuf_reset(&text);
	places_add_summary(type, proposal, &text);
	if (type->source.file && !advice_unread_language(type)) {
		bool by_hand = proposal->part_count > 1 && (type->is_cxx || type->is_kernel);

		strbuf_add_format(&text, "%s%s", text.length ? " " : "",
				  by_hand ? "--emit=c prints the records."
					  : "--emit=patch changes the source, or says why it "
					    "cannot.");
	}
	if (text.length)
		add_wrapped(buffer, "\n", text.data, 2);
}

/* Prints the layout that promises no time, but fewer lines to fetch into L1. */
static void print_spared(const struct advice_type *type, struct strbuf *buffer)
{
	const struct advice_proposal *best = &type->proposals[0];
	const struct advice_spared *spared = &best->prediction.spared;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char old_lines[32], new_lines[32];

	if (spared->object) {
		snprintf(old_lines, sizeof(old_lines), "%.1f", spared->old);
		snprintf(new_lines, sizeof(new_lines), "%.1f", spared->new);
	} else {
		advice_visit_text(&best->prediction, false, 1, old_lines);
		advice_visit_text(&best->prediction, true, 1, new_lines);
	}

	strbuf_add_format(
		&text,
		"%s misses: %s (--proposal=%s). %s %s lines%s in place of %s%s, so no time is "
		"promised. First in the new order:",
		spared->object ? "Fewer L1" : "Perhaps fewer cache", advice_kind_names[best->kind],
		advice_kind_names[best->kind],
		spared->object ? "All code with samples touches"
			       : "A visit by one function touches",
		new_lines, spared->object ? " of an object" : "", old_lines,
		spared->object ? ", which are fetched again where other data has pushed them out "
				 "of L1. L2 is near"
			       : ". Functions that visit an object one after another may share "
				 "them, and most of the wait may be hidden");
	for (size_t i = 0; i < type->member_count && i < FIRST_SHOWN; i++)
		strbuf_add_format(&text, "%s %s", i ? "," : "",
				  type->members[best->placed[i].member].name);
	strbuf_add_string(&text, type->member_count > FIRST_SHOWN ? " ..." : ".");
	add_wrapped(buffer, "", text.data, 2);
}

static void print_other(const struct advice_type *type, const struct advice_proposal *proposal,
			struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_add_format(&text, "%s", advice_kind_names[proposal->kind]);
	if (proposal->part_count == 1 && proposal->parts[0].size != type->size)
		strbuf_add_format(&text, " to %" PRIu64 " bytes", proposal->parts[0].size);
	strbuf_add_format(&text, ": %s", advice_verdict_names[proposal->prediction.verdict]);
	if (proposal->prediction.verdict == VERDICT_GAIN) {
		/* its range is no promise: only the advised layout has one */
		strbuf_add_string(&text, ", ranked below the advice");
	} else if (proposal->prediction.verdict == VERDICT_NO_GAIN &&
		   proposal->prediction.spared.old > 0) {
		strbuf_add_string(&text, " in time");
	}
	strbuf_add_format(&text, ": %s", proposal->prediction.reason);
	add_replay(&proposal->prediction.replay, &text);
	add_wrapped(buffer, "  ", text.data, 4);
}

static void print_rust(const struct advice_type *type, struct strbuf *buffer)
{
	if (type->is_rust && !type->keeps_order)
		strbuf_add_string(buffer, "Rust's compiler orders the members itself: only split "
					  "and peel are tried.\n");
}

static void print_verdict(const struct advice_type *type, const struct advice_machine *machine,
			  struct strbuf *buffer)
{
	size_t first = 0;

	if (type->refusal) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		strbuf_add_format(&text, "No advice: %s.", type->refusal);
		add_wrapped(buffer, "\n", text.data, 2);
		return;
	}
	if (!type->proposal_count && type->sharing_count) {
		strbuf_add_string(
			buffer, "\nNo advice: threads share a line, but no member can be moved.\n");
		return;
	}
	if (!type->proposal_count) {
		const struct advice_prediction *today = &type->current.prediction;
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		/* which members are used is not known, either */
		if (today->verdict == VERDICT_CANNOT_TELL && 2 * type->unknown > type->total)
			strbuf_add_format(&text, "No advice: a gain cannot be told: %s.",
					  today->reason);
		else
			strbuf_add_string(
				&text, "No gain: no other order of the members has fewer lines.");
		add_wrapped(buffer, "\n", text.data, 2);
		print_rust(type, buffer);
		return;
	}
	if (type->proposals[0].prediction.verdict == VERDICT_GAIN) {
		print_gain(type, &type->proposals[0], machine, buffer);
		first = 1;
	} else {
		bool unsure = any_of(i, 0, type->proposal_count,
				     type->proposals[i].prediction.verdict == VERDICT_CANNOT_TELL),
		     spared = type->proposals[0].prediction.spared.old > 0;

		strbuf_add_trusted(buffer, unsure   ? "\nNo advice: a gain cannot be told.\n"
					   : spared ? "\nNo gain in time.\n"
						    : "\nNo gain.\n");
		if (spared)
			print_spared(type, buffer);
	}
	print_rust(type, buffer);
	if (first < type->proposal_count && first)
		strbuf_add_string(buffer, "\nAlso tried:\n");
	for (size_t i = first; i < type->proposal_count; i++)
		print_other(type, &type->proposals[i], buffer);
}

/* Appends "read by 2, written by at least 1", by threads with samples at reads and writes: those
 * with the one may have no sample of the other, which the same code makes. */
static void add_users(const struct advice_type *type, uint32_t number, struct strbuf *text)
{
	const struct advice_member *member = &type->members[number];
	bool written = advice_any_use(type, use->write && advice_uses_member(type, use, number));

	strbuf_add_format(text, "%s: ", member->name);
	if (member->readers)
		strbuf_add_format(text, "read by %s%u, ",
				  member->writers > member->readers ? "at least " : "",
				  member->readers);
	if (member->writers)
		strbuf_add_format(text, "written by %s%u",
				  written && member->readers > member->writers ? "at least " : "",
				  member->writers);
	else
		strbuf_add_string(text, written ? "no sample is at a write of it"
						: "not written by code with samples");
}

static void print_users(const struct advice_type *type, struct strbuf *buffer)
{
	size_t shown = 0;

	array_indexed (const struct advice_member, member, i, type->members, type->member_count) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		if ((member->readers <= 1 && member->writers <= 1) ||
		    any_of(k, 0, i, are_overlaid(type, (uint32_t)k, i)))
			continue;
		if (!shown++)
			strbuf_add_string(buffer, "\nSeveral threads use:\n");
		add_users(type, i, &text);
		add_wrapped(buffer, "  ", text.data, 4);
	}
	if (type->sharing_count && !shown)
		strbuf_add_char(buffer, '\n');
	for (size_t i = 0; i < type->sharing_count; i++) {
		add_wrapped(buffer, "  ", type->sharings[i].text, 4);
	}
}

static void print_locks(const struct advice_type *type, const struct advice_machine *machine,
			struct strbuf *buffer)
{
	if (type->lock_count)
		strbuf_add_string(buffer, "\nThreads waited for:\n");
	array_each (const struct advice_lock, lock, type->locks, type->lock_count) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		advice_lock_text(type, lock, machine->cacheline, &text);
		add_wrapped(buffer, "  ", text.data, 4);
	}
}

static void print_constraints(const struct advice_type *type, struct strbuf *buffer)
{
	if (!type->constraint_count)
		return;
	strbuf_add_string(buffer, "\nConstraints (* to be checked by you):\n");
	for (size_t i = 0; i < type->constraint_count; i++) {
		add_wrapped(buffer, type->constraints[i].risk ? "  * " : "    ",
			    type->constraints[i].text, 4);
	}
}

void advice_print(const struct advice_type *type, const struct advice_machine *machine,
		  struct strbuf *buffer)
{
	print_heading(type, machine, buffer);
	if (type->region_count)
		print_regions(type, buffer);
	print_affinities(type, buffer);
	print_nears(type, buffer);
	print_copies(type, buffer);
	print_lone(type, machine, buffer);
	print_users(type, buffer);
	print_locks(type, machine, buffer);
	print_chases(type, machine, buffer);
	print_verdict(type, machine, buffer);
	if (!type->refusal)
		print_constraints(type, buffer);
	strbuf_add_char(buffer, '\n');
}

/* ---- instantiations of one template ---- */

/* Returns the text after the template's arguments, or `name` if there are none at its start. */
static const char *skip_arguments(const char *name)
{
	unsigned int depth = 0;

	if (*name != '<')
		return name;
	do {
		depth += *name == '<';
		depth -= *name == '>';
	} while (*name++ && *name && depth);
	return name;
}

/* Returns whether both are instantiations of one template. */
static bool same_template(const struct advice_type *a, const struct advice_type *b)
{
	const char *left = a->name, *right = b->name;

	if (!strchr(left, '<') || !strchr(right, '<') || strcmp(a->object, b->object) != 0)
		return false;
	for (;;) {
		left = skip_arguments(left);
		right = skip_arguments(right);
		if (*left != *right || !*left)
			return *left == *right;
		left++;
		right++;
	}
}

bool advice_is_later_instance(const struct advice *advice, size_t number)
{
	return any_of(i, 0, number, same_template(&advice->types[i], &advice->types[number]));
}

static void print_instance(const struct advice_type *type, struct strbuf *buffer)
{
	const struct advice_proposal *best = type->proposal_count ? &type->proposals[0] : NULL;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_add_format(&text, "%s: %" PRIu64 " bytes, %.1f%% of the samples: ", type->name,
			  type->size, percent_of(type->samples, type->total));
	if (best && best->prediction.verdict == VERDICT_GAIN) {
		strbuf_add_format(&text, "%s, ", advice_kind_names[best->kind]);
		add_range(&best->prediction.whole, &text);
		strbuf_add_string(&text, " times faster as a whole");
	} else if (type->refusal) {
		strbuf_add_string(&text, type->refusal);
	} else {
		strbuf_add_format(&text, "%s: %s",
				  best ? advice_verdict_names[best->prediction.verdict] : "no gain",
				  best ? best->prediction.reason
				       : "no other order of the members has fewer lines");
	}
	add_wrapped(buffer, "  ", text.data, 4);
}

void advice_print_instances(const struct advice *advice, size_t first, struct strbuf *buffer)
{
	bool any = false;

	for (size_t i = first + 1; i < advice->type_count; i++) {
		if (!same_template(&advice->types[first], &advice->types[i]))
			continue;
		if (!any)
			strbuf_add_string(buffer, "Other instantiations of this template "
						  "(--type=NAME shows one in full):\n");
		any = true;
		print_instance(&advice->types[i], buffer);
	}
	if (any)
		strbuf_add_char(buffer, '\n');
}

/* ---- sources ---- */

/* Returns whether a type before the one with this number is of the same program. */
static bool is_known_object(const struct advice *advice, size_t number)
{
	return any_of(i, 0, number, !strcmp(advice->types[i].object, advice->types[number].object));
}

void advice_print_sources(const struct advice *advice, struct strbuf *buffer)
{
	array_indexed (const struct advice_type, type, i, advice->types, advice->type_count) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		if (is_known_object(advice, i))
			continue;
		strbuf_add_format(&text, "%s: ", base_name(type->object));
		if (type->source.read) {
			strbuf_add_format(&text,
					  "%zu source file%s searched for code that depends on the "
					  "order of members",
					  type->source.read,
					  type->source.read == 1 ? " was" : "s were");
			if (type->source.missing)
				strbuf_add_format(&text, ", %zu could not be read",
						  type->source.missing);
			strbuf_add_string(&text, ". Code elsewhere is not seen.");
		} else {
			const char *language = advice_unread_language(type);

			strbuf_add_format(&text, language ? "sources in %s are not read" : "%s",
					  language ?: "its sources are not here or cannot be read");
			strbuf_add_string(&text,
					  ". The machine code of functions with samples was "
					  "searched for code that depends on the order of members. "
					  "Initializers by position, records that are written as a "
					  "whole, and other functions are not seen.");
		}
		add_wrapped(buffer, "", text.data, 2);
	}
}
