// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdicts on cachelines as text: what lies in the line, who uses it, what it costs, and what
 * helps. */
#include "report/c2c/sharing.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "report/text.h"

#define WIDTH 80 /* columns of text that is not a table */
/* Rows of one cacheline without --show-all: those with the most samples, by address. */
#define ROWS_SHOWN     10
#define THREADS_SHOWN  4 /* of one cacheline without --show-all: those with the most samples */
#define FIELD_WIDTH    30
#define FUNCTION_WIDTH 26 /* of each of two functions that contend */
#define OFFSET_UNIT    8  /* of sharing_line.offsets */

static double share_of(const struct sharing *sharing, const struct sharing_line *line)
{
	if (sharing->cost)
		return percent_of(line->cost, sharing->cost);
	return percent_of(line->samples, sharing->samples);
}

/* Returns the percentage of all samples that are of other memory, by code that uses the line. */
static double share_elsewhere(const struct sharing_print_options *options,
			      const struct sharing_line *line)
{
	return percent_of(line->elsewhere, options->all_samples);
}

static bool is_latent_on_one_cpu(const struct sharing_line *line)
{
	return line->verdict == SHARING_LATENT_CPU || line->verdict == SHARING_LATENT_TRUE;
}

static bool is_shown(const struct sharing *sharing, const struct sharing_print_options *options,
		     const struct sharing_line *line)
{
	if (options->all)
		return true;
	if (line->verdict == SHARING_FEW)
		return false;
	/* nobody waits where sharing is latent */
	return line->verdict == SHARING_LATENT_PLACE || line->hitm ||
	       (is_latent_on_one_cpu(line) && !line->cost) ||
	       share_of(sharing, line) + share_elsewhere(options, line) >= options->percent_limit;
}

static const char *thread_name(const struct sharing_print_options *options, int32_t tid)
{
	const char *name = options->name ? options->name(options->name_data, tid) : NULL;

	return name ?: "";
}

/* Appends a thread's number, or "idle/3" for the idle thread of processor 3. */
static void add_thread_number(int32_t tid, int width, struct strbuf *buffer)
{
	char text[24];

	if (tid < 0)
		snprintf(text, sizeof(text), "idle/%d", -1 - tid);
	else
		snprintf(text, sizeof(text), "%d", tid);
	strbuf_add_format(buffer, "%*s", width, text);
}

/* ---- rows ---- */

/* Appends "struct sums.count", "char[]" or "?". */
static void print_sharing_add_field(const struct sharing_use *use, struct strbuf *text)
{
	if (!use->type) {
		strbuf_add_string(text, use->variable ?: "?");
		return;
	}
	strbuf_add_string(text, use->type);
	if (use->field)
		strbuf_add_format(text, ".%s", use->field);
}

/* Appends the text in a column. It is cut only for a terminal. */
static void add_cut(const struct sharing_print_options *options, const char *text, size_t width,
		    struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf cut = STRBUF_INIT;

	strbuf_add_string(&cut, text);
	if (options->width)
		text_shorten(&cut, 0, width);
	text_add_columns(buffer, cut.data, width);
}

/* Appends the samples of accesses that the row has, or "+" if all of them are implied. */
static void print_sharing_add_count(uint64_t samples, bool any, struct strbuf *buffer)
{
	if (any && !samples)
		strbuf_add_format(buffer, "%6s ", "+");
	else
		strbuf_add_format(buffer, "%6" PRIu64 " ", samples);
}

static void print_sharing_add_row(const struct sharing *sharing, const struct sharing_line *line,
				  const struct sharing_row *row, size_t field_width,
				  const struct sharing_print_options *options,
				  struct strbuf *buffer)
{
	const struct sharing_use *use = row->first;
	_cleanup_strbuf_ struct strbuf field = STRBUF_INIT;
	size_t start = buffer->length;

	print_sharing_add_field(use, &field);
	strbuf_add_format(buffer, "  %3" PRIu64 " %3u  ",
			  line->verdict == SHARING_LATENT_PLACE ? use->address - line->base
								: use->address % sharing->cacheline,
			  use->size);
	add_cut(options, field.data, field_width, buffer);
	strbuf_add_char(buffer, ' ');
	add_thread_number(use->tid, 7, buffer);
	strbuf_add_char(buffer, ' ');
	print_sharing_add_count(row->loads, row->reads, buffer);
	print_sharing_add_count(row->stores, row->writes, buffer);
	strbuf_add_char(buffer, ' ');

	_cleanup_strbuf_ struct strbuf code = STRBUF_INIT;

	strbuf_add_string(&code, use->function ?: "[unknown]");
	if (use->source)
		strbuf_add_format(&code, " %s", use->source);
	if (row->caller)
		strbuf_add_format(&code, " from %s%s", row->caller,
				  row->other_callers ? " and others" : "");
	if (options->width)
		text_shorten(&code, 0,
			     options->width - 1 -
				     text_columns(buffer->data + start, buffer->length - start));
	strbuf_add_string(buffer, code.data);
	strbuf_end_line(buffer, start);
}

/* Returns the number of samples that a row must exceed to be shown. */
static uint64_t row_limit(const struct sharing_line *line,
			  const struct sharing_print_options *options)
{
	uint64_t limit = 0;

	for (size_t shown = line->row_count; !options->all && shown > ROWS_SHOWN;) {
		limit++;
		shown = sum_over(size_t, i, 0, line->row_count, line->rows[i].samples > limit);
	}
	return limit;
}

/* Appends the object of the row's bytes: "struct sums at 0x...10, slots[1] (static)". Where the
 * object of a field begins may not be known: then the address is that of the bytes. */
static void print_sharing_add_object(const struct sharing_use *use, struct strbuf *buffer)
{
	static const char *const memories[] = { [SHARING_OTHER] = "",
						[SHARING_HEAP] = " on the heap",
						[SHARING_STACK] = " on a stack",
						[SHARING_STATIC] = "" };
	size_t start = buffer->length;
	bool inside = use->base == SHARING_NO_BASE && use->type && use->field;
	uint64_t base = use->base != SHARING_NO_BASE ? use->base : use->address;

	strbuf_add_format(buffer, "  %s%s %s 0x%" PRIx64, inside ? "bytes of " : "",
			  use->type ?: "memory of unknown type", inside ? "from" : "at", base);
	if (use->variable) {
		uint64_t offset = use->variable_offset - (use->address - base),
			 size = use->element_size;

		strbuf_add_format(buffer, ", %s", use->variable);
		if (size && size == use->type_size && offset % size == 0 &&
		    use->base != SHARING_NO_BASE && offset < UINT64_MAX / 2)
			strbuf_add_format(buffer, "[%" PRIu64 "]", offset / size);
		else if (offset && offset < UINT64_MAX / 2)
			strbuf_add_format(buffer, "+%" PRIu64, offset);
	}
	strbuf_add_string(buffer, memories[use->memory]);
	strbuf_end_line(buffer, start);
}

static bool print_sharing_same_object(const struct sharing_use *a, const struct sharing_use *b)
{
	if (a->base == SHARING_NO_BASE || b->base == SHARING_NO_BASE)
		return a->base == b->base && a->type == b->type && a->variable == b->variable;
	return a->base == b->base && a->type == b->type;
}

/* Returns the columns of the fields that are shown. */
static size_t width_of_fields(const struct sharing_line *line,
			      const struct sharing_print_options *options, uint64_t limit)
{
	size_t width = FIELD_WIDTH;

	for (size_t i = 0; !options->width && i < line->row_count; i++) {
		_cleanup_strbuf_ struct strbuf field = STRBUF_INIT;

		if (line->rows[i].samples <= limit)
			continue;
		print_sharing_add_field(line->rows[i].first, &field);

		size_t columns = text_columns(field.data, field.length);

		width = columns > width ? columns : width;
	}
	return width;
}

static void add_rows(const struct sharing *sharing, const struct sharing_line *line,
		     const struct sharing_print_options *options, struct strbuf *buffer)
{
	uint64_t limit = row_limit(line, options);
	size_t field_width = width_of_fields(line, options, limit);
	const struct sharing_row *before = NULL;
	size_t left_out = 0;
	bool implied = false;

	strbuf_add_format(buffer, "  %3s %3s  %-*s %7s %6s %6s  %s\n", "off", "len",
			  (int)field_width, "field", "thread", "loads", "stores", "function");
	array_each (const struct sharing_row, row, line->rows, line->row_count) {
		if (row->samples <= limit) {
			left_out++;
			continue;
		}
		if (!before || !print_sharing_same_object(before->first, row->first))
			print_sharing_add_object(row->first, buffer);
		print_sharing_add_row(sharing, line, row, field_width, options, buffer);
		implied |= (row->reads && !row->loads) || (row->writes && !row->stores);
		before = row;
	}
	if (implied)
		strbuf_add_string(
			buffer, "  + not sampled, but made by the same code as a sampled access\n");
	if (left_out)
		strbuf_add_format(buffer,
				  "  and %zu rows of at most %" PRIu64 " samples (--show-all)\n",
				  left_out, limit);
}

/* ---- what it means ---- */

static void print_sharing_add_threads(const struct sharing_line *line,
				      const struct sharing_print_options *options,
				      struct strbuf *buffer)
{
	for (size_t i = 0; i < line->thread_count && (options->all || i < THREADS_SHOWN); i++) {
		const struct sharing_thread *thread = &line->threads[i];
		size_t start = buffer->length;

		strbuf_add_string(buffer, "  thread ");
		add_thread_number(thread->tid, 0, buffer);
		if (*thread_name(options, thread->tid))
			strbuf_add_format(buffer, " %s", thread_name(options, thread->tid));
		if (thread->cpu >= 0)
			strbuf_add_format(buffer, " on CPU %d%s", thread->cpu,
					  thread->cpus > 1 ? " and others" : "");
		strbuf_add_format(buffer, ": %" PRIu64 " samples, %" PRIu64 " of them stores",
				  thread->samples, thread->stores);
		strbuf_end_line(buffer, start);
	}
	if (line->thread_count > THREADS_SHOWN && !options->all)
		strbuf_add_format(buffer, "  and %zu more threads\n",
				  line->thread_count - THREADS_SHOWN);
}

/* Appends the places in `offsets` that are `first`, first + step ...: "0, 8, 16". */
static void add_offsets(uint64_t offsets, uint64_t cacheline, uint64_t first, uint64_t step,
			struct strbuf *buffer)
{
	bool any = false;

	for (uint64_t offset = first; offset < cacheline; offset += step)
		if (offsets >> offset / OFFSET_UNIT & 1) {
			strbuf_add_format(buffer, "%s%" PRIu64, any ? ", " : "", offset);
			any = true;
		}
}

static void add_latent(const struct sharing *sharing, const struct sharing_line *line,
		       struct strbuf *buffer)
{
	uint64_t here = line->base % sharing->cacheline;

	strbuf_add_format(buffer,
			  "  not shared here: the first object begins at offset %" PRIu64
			  " of its line.\n"
			  "  It would be if it began at offset ",
			  here);
	add_offsets(line->offsets, sharing->cacheline, here % 16, 16, buffer);
	strbuf_add_format(buffer, " of %" PRIu64 ".\n", sharing->cacheline);
	if (line->pairs > 1)
		strbuf_add_format(buffer, "  %" PRIu64 " such pairs of this type\n", line->pairs);
}

static void add_gain(const struct sharing_line *line, struct strbuf *buffer)
{
	if (line->verdict != SHARING_FALSE)
		return;
	if (line->gain > 0)
		strbuf_add_format(
			buffer,
			"  expected without any false sharing: these threads %.1f times as fast,\n"
			"  the whole process %.1f times\n",
			line->gain, line->whole_gain);
	else if (line->gain_at_most > 0)
		strbuf_add_format(buffer,
				  "  expected without any false sharing: these threads at most "
				  "%.1f times as\n"
				  "  fast\n",
				  line->gain_at_most);
	else if (line->pid < 0)
		strbuf_add_string(buffer,
				  "  gain not predicted: the threads are of several processes\n");
	else if (line->timed)
		strbuf_add_string(buffer, "  gain not predicted: a timer's samples do not tell "
					  "waiting from other work,\n"
					  "  and these threads do hardly anything else\n");
	else
		strbuf_add_string(
			buffer,
			"  gain not predicted: no other access of these threads to compare with\n");
	if (line->maybe_in_turn)
		strbuf_add_string(buffer,
				  "  no gain if one of them always waits while the other one runs: "
				  "these samples do\n"
				  "  not tell, but those of c2c record do, as it records context "
				  "switches\n");
}

/* Returns the row with the most disturbed samples, whose field is the one to move. */
static const struct sharing_row *most_disturbed(const struct sharing_line *line)
{
	const struct sharing_row *most = NULL;

	for (size_t i = 0; i < line->row_count; i++)
		if (!most || line->rows[i].disturbed > most->disturbed)
			most = &line->rows[i];
	return most;
}

static void add_cure(const struct sharing *sharing, const struct sharing_line *line,
		     struct strbuf *buffer)
{
	const struct sharing_row *row = most_disturbed(line);
	const char *type = row && row->first->type ? row->first->type : NULL;
	uint64_t cacheline = sharing->cacheline;
	enum sharing_kind kind = type ? line->kind : SHARING_UNLIKE;

	/* a number has no member to align */
	if (type && !row->first->field && (kind == SHARING_NEIGHBOURS || kind == SHARING_ONE_TYPE))
		kind = row->first->element_size ? SHARING_ELEMENTS : SHARING_UNLIKE;
	if (line->verdict == SHARING_TRUE || line->verdict == SHARING_LATENT_TRUE) {
		strbuf_add_trusted(
			buffer, line->cure
					? "  help: a copy for each thread, whose sum is the value\n"
					: "  help: a copy for each thread, fewer updates; layout "
					  "cannot mend this\n");
		return;
	}
	switch (kind) {
	case SHARING_NEIGHBOURS:
	case SHARING_ONE_TYPE:
		strbuf_add_format(
			buffer, "  help: _Alignas(%" PRIu64 ") on the first member of %s%s\n",
			cacheline, type, kind == SHARING_ONE_TYPE ? ", if these are two" : "");
		break;
	case SHARING_ELEMENTS:
		strbuf_add_format(buffer,
				  "  help: give the elements of each thread lines of their own "
				  "(pad to %" PRIu64 " bytes)\n",
				  cacheline);
		break;
	case SHARING_ONE_OBJECT:
		if (line->cure) {
			strbuf_add_string(
				buffer,
				"  help: give fields of different threads lines of their own\n");
			break;
		}
		strbuf_add_format(
			buffer,
			"  help: move '%s' of %s, with what its thread uses, to a line of\n"
			"  its own (_Alignas(%" PRIu64 "))\n",
			row->first->field ?: "?", type, cacheline);
		break;
	case SHARING_UNLIKE:
		strbuf_add_format(buffer,
				  "  help: align what a thread writes to %" PRIu64
				  " bytes (_Alignas, aligned_alloc)\n",
				  cacheline);
	}
}

/* Appends the layout that mends the line, as `dtprof layout` proposes it. */
static void add_layout(const struct sharing_line *line, struct strbuf *buffer)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!line->cure)
		return;
	strbuf_add_format(&text, "layout: %s %s", line->cure->kind, line->cure->summary);
	text_add_sentence(buffer, &text, 2, WIDTH - 1);
}

/* Appends why the threads do not contend now, but would on two processors. */
static void add_latent_cpu(const struct sharing_line *line, struct strbuf *buffer)
{
	if (!line->thread_count || any_of(i, 0, line->thread_count, line->threads[i].cpus > 1))
		strbuf_add_string(buffer, "  hardly shared here: these threads took turns on one "
					  "processor.\n  It would be on two.\n");
	else
		strbuf_add_format(
			buffer,
			"  not shared here: these threads ran on CPU %d. It would be on two.\n",
			line->threads[0].cpu);
}

/* Adds whose memory it is: the kernel's, a process's, or sharers', the shown one first. */
static void add_owner(const struct sharing_line *line, const struct sharing_print_options *options,
		      struct strbuf *buffer)
{
	int32_t owner = sharing_line_owner(line), other = 0;
	bool more = false;

	if (!line->pid) {
		strbuf_add_string(buffer, " of the kernel");
		return;
	}
	for (size_t i = 0; line->pid < 0 && i < line->row_count; i++) {
		int32_t process = line->rows[i].first->process;

		more |= other && process != owner && process != other;
		other = other || process == owner ? other : process;
	}
	strbuf_add_format(buffer, " of process %d %s", owner, thread_name(options, owner));
	if (other)
		strbuf_add_format(buffer, "%s %d %s%s", more ? "," : " and", other,
				  thread_name(options, other), more ? " and others" : "");
}

static void print_sharing_add_heading(const struct sharing *sharing,
				      const struct sharing_line *line, size_t number,
				      const struct sharing_print_options *options,
				      struct strbuf *buffer)
{
	size_t start = buffer->length;

	strbuf_add_format(buffer, "%zu. %s", number, sharing_verdict_name(line->verdict));
	if (line->verdict != SHARING_TRUE && line->verdict != SHARING_LATENT_TRUE &&
	    line->verdict != SHARING_FEW)
		strbuf_add_format(buffer, ", %s", sharing_kind_name(line->kind));
	if (line->verdict != SHARING_LATENT_PLACE && (line->cost || !is_latent_on_one_cpu(line)))
		strbuf_add_format(buffer, ": %.1f%% of %s", share_of(sharing, line), options->cost);
	if (line->elsewhere && line->verdict <= SHARING_BOTH)
		strbuf_add_format(buffer, ", %.1f%% beside it", share_elsewhere(options, line));
	if (line->hitm)
		strbuf_add_format(buffer, ", %" PRIu64 " HITM", line->hitm);
	strbuf_end_line(buffer, start);
	start = buffer->length;
	if (line->alike)
		strbuf_add_format(buffer, "  %" PRIu64 " cachelines, such as 0x%" PRIx64,
				  line->alike, line->address);
	else
		strbuf_add_format(buffer, "  cacheline 0x%" PRIx64, line->address);
	add_owner(line, options, buffer);
	if (line->verdict <= SHARING_BOTH && !line->alike)
		strbuf_add_format(buffer, ", used in turns %" PRIu64 " times", line->turns);
	strbuf_end_line(buffer, start);
	if (line->verdict == SHARING_BOTH)
		strbuf_add_format(buffer,
				  "  %" PRIu64 " samples share bytes, %" PRIu64
				  " use other bytes of the line\n",
				  line->shared, line->disturbed);
	if (is_latent_on_one_cpu(line))
		add_latent_cpu(line, buffer);
}

static void add_sums(const struct sharing *sharing, const struct sharing_print_options *options,
		     size_t hidden, struct strbuf *buffer)
{
	uint64_t counts[SHARING_VERDICTS] = { 0 };

	for (size_t i = 0; i < sharing->line_count; i++)
		counts[sharing->lines[i].verdict]++;
	strbuf_add_format(buffer,
			  "# %" PRIu64 " of %" PRIu64 " samples have a data address, in %" PRIu64
			  " cachelines of %" PRIu64 " bytes\n# false sharing: %" PRIu64
			  " lines, true: %" PRIu64 ", both: %" PRIu64 ", latent: %" PRIu64
			  ", too few samples: %" PRIu64 "\n",
			  sharing->samples, options->all_samples,
			  (uint64_t)sharing->line_count - counts[SHARING_LATENT_PLACE] +
				  sharing->private_lines,
			  sharing->cacheline, counts[SHARING_FALSE], counts[SHARING_TRUE],
			  counts[SHARING_BOTH],
			  counts[SHARING_LATENT_CPU] + counts[SHARING_LATENT_TRUE] +
				  counts[SHARING_LATENT_PLACE],
			  counts[SHARING_FEW]);
	if (options->left_out)
		strbuf_add_format(
			buffer,
			"# looked at: pieces from all over the recording, %.1f%% of its %" PRIu64
			" samples\n",
			percent_of(options->all_samples, options->all_samples + options->left_out),
			options->all_samples + options->left_out);
	if (hidden)
		strbuf_add_format(buffer, "# not shown: %zu lines (--show-all)\n", hidden);
	strbuf_add_string(buffer, "#\n");
}

void print_sharing(const struct sharing *sharing, const struct sharing_print_options *options,
		   struct strbuf *buffer)
{
	size_t number = 0, hidden = sum_over(size_t, i, 0, sharing->line_count,
					     !is_shown(sharing, options, &sharing->lines[i]));

	add_sums(sharing, options, hidden, buffer);
	array_each (const struct sharing_line, line, sharing->lines, sharing->line_count) {
		if (!is_shown(sharing, options, line))
			continue;
		if (number++)
			strbuf_add_char(buffer, '\n');
		print_sharing_add_heading(sharing, line, number, options, buffer);
		if (line->verdict == SHARING_LATENT_PLACE)
			add_latent(sharing, line, buffer);
		print_sharing_add_threads(line, options, buffer);
		add_rows(sharing, line, options, buffer);
		sharing_locks_text(line, buffer);
		add_gain(line, buffer);
		if (line->verdict != SHARING_FEW)
			add_cure(sharing, line, buffer);
		add_layout(line, buffer);
	}
}

/* ---- functions ---- */

/* A pair of functions: one writes, the other is disturbed or uses the same bytes. */
struct contest {
	const char *writer, *other;
	bool is_true;
	double samples;
	uint64_t lines;
	const struct sharing_line *last;
};

struct contests {
	struct contest *items;
	size_t count, capacity;
};

static void add_contest(struct contests *contests, const struct sharing_line *line,
			const char *writer, const char *other, bool is_true, double samples)
{
	struct contest *contest = array_find(i, contests->items, contests->count,
					     contests->items[i].writer == writer &&
						     contests->items[i].other == other &&
						     contests->items[i].is_true == is_true);

	if (!contest) {
		contest = &array_add(contests->items, contests->count, contests->capacity);
		*contest = (struct contest){ .writer = writer, .other = other, .is_true = is_true };
	}
	contest->samples += samples;
	contest->lines += contest->last != line;
	contest->last = line;
}

static uint64_t samples_if_writing(const struct sharing_row *row)
{
	return row->writes ? row->samples : 0;
}

/* Adds the contests of a line. The samples of each row are divided among the functions of other
 * threads in proportion to the samples of their rows that write. */
static void add_contests(struct contests *contests, const struct sharing_line *line)
{
	array_each (const struct sharing_row, row, line->rows, line->row_count) {
		uint64_t stores = sum_over(uint64_t, j, 0, line->row_count,
					   line->rows[j].first->tid != row->first->tid
						   ? samples_if_writing(&line->rows[j])
						   : 0);

		for (size_t j = 0; j < line->row_count && stores; j++) {
			const struct sharing_row *writer = &line->rows[j];
			double part = (double)samples_if_writing(writer) / (double)stores;

			if (writer->first->tid == row->first->tid || !samples_if_writing(writer))
				continue;
			if (row->disturbed)
				add_contest(contests, line, writer->first->function,
					    row->first->function, false,
					    part * (double)row->disturbed);
			if (row->shared)
				add_contest(contests, line, writer->first->function,
					    row->first->function, true, part * (double)row->shared);
		}
	}
}

COMPARISON(compare_contests, struct contest,
	   DESCENDING(samples) BY_TEXT(writer) BY_TEXT(other) ASCENDING(is_true))

static void list_contests(const struct sharing *sharing, struct contests *contests)
{
	for (size_t i = 0; i < sharing->line_count; i++)
		if (sharing->lines[i].verdict <= SHARING_LATENT_TRUE)
			add_contests(contests, &sharing->lines[i]);
	array_sort(contests->items, contests->count, compare_contests);
}

static const char *function_name(const char *function)
{
	return function ?: "[unknown]";
}

void print_sharing_functions(const struct sharing *sharing,
			     const struct sharing_print_options *options, struct strbuf *buffer)
{
	struct contests contests = { 0 };
	size_t width = FUNCTION_WIDTH; /* of the first of two functions */

	list_contests(sharing, &contests);
	for (size_t i = 0; !options->width && i < contests.count; i++) {
		const char *name = function_name(contests.items[i].other);
		size_t columns = text_columns(name, strlen(name));

		width = columns > width ? columns : width;
	}
	strbuf_add_format(buffer, "# %7s  %5s  %-5s  %-*s  %s\n", "Samples", "Lines", "Kind",
			  (int)width, "Disturbed, or sharing", "Writer");
	array_each (const struct contest, contest, contests.items, contests.count) {
		size_t start = buffer->length;

		strbuf_add_format(buffer, "  %7.0f  %5" PRIu64 "  %-5s  ", contest->samples,
				  contest->lines, contest->is_true ? "true" : "false");
		add_cut(options, function_name(contest->other), width, buffer);
		strbuf_add_string(buffer, "  ");

		size_t writer = buffer->length;

		strbuf_add_string(buffer, function_name(contest->writer));
		if (options->width)
			text_shorten(buffer, writer, FUNCTION_WIDTH);
		strbuf_end_line(buffer, start);
	}
	free(contests.items);
}

/* ---- JSON ---- */

static const char *const verdict_words[SHARING_VERDICTS] = {
	[SHARING_FALSE] = "false",
	[SHARING_TRUE] = "true",
	[SHARING_BOTH] = "both",
	[SHARING_LATENT_CPU] = "latent-cpu",
	[SHARING_LATENT_TRUE] = "latent-true",
	[SHARING_LATENT_PLACE] = "latent-place",
	[SHARING_FEW] = "few",
	[SHARING_PRIVATE] = "private",
};

static const char *const kind_words[] = { [SHARING_ONE_OBJECT] = "one-object",
					  [SHARING_NEIGHBOURS] = "neighbours",
					  [SHARING_ELEMENTS] = "elements",
					  [SHARING_ONE_TYPE] = "one-type",
					  [SHARING_UNLIKE] = "unlike" };

static void add_row_json(const struct sharing *sharing, const struct sharing_line *line,
			 const struct sharing_row *row, struct json *json)
{
	const struct sharing_use *use = row->first;

	json_object(json, NULL);
	json_unsigned(json, "offset",
		      line->verdict == SHARING_LATENT_PLACE ? use->address - line->base
							    : use->address % sharing->cacheline);
	json_unsigned(json, "size", use->size);
	json_string(json, "type", use->type);
	json_string(json, "field", use->field);
	if (use->base != SHARING_NO_BASE)
		json_unsigned(json, "object", use->base);
	else
		json_null(json, "object");
	json_string(json, "variable", use->variable);
	json_signed(json, "tid", use->tid);
	json_unsigned(json, "samples", row->samples);
	json_unsigned(json, "loads", row->loads);
	json_unsigned(json, "stores", row->stores);
	json_unsigned(json, "hitm", row->hitm);
	json_unsigned(json, "shared", row->shared);
	json_unsigned(json, "disturbed", row->disturbed);
	json_string(json, "function", use->function);
	json_string(json, "source", use->source);
	json_string(json, "caller", row->caller);
	json_bool(json, "reads", row->reads);
	json_bool(json, "writes", row->writes);
	json_end(json);
}

static void add_line_json(const struct sharing *sharing, const struct sharing_line *line,
			  struct json *json)
{
	json_object(json, NULL);
	json_string(json, "verdict", verdict_words[line->verdict]);
	json_string(json, "kind", kind_words[line->kind]);
	json_signed(json, "pid", sharing_line_owner(line));
	json_unsigned(json, "address", line->address);
	json_unsigned(json, "samples", line->samples);
	json_double(json, "percent", share_of(sharing, line));
	json_unsigned(json, "elsewhere", line->elsewhere);
	json_unsigned(json, "hitm", line->hitm);
	json_unsigned(json, "shared", line->shared);
	json_unsigned(json, "disturbed", line->disturbed);
	json_unsigned(json, "turns", line->turns);
	if (line->alike)
		json_unsigned(json, "alike", line->alike);
	if (line->gain > 0) {
		json_double(json, "gain", line->gain);
		json_double(json, "whole_gain", line->whole_gain);
	}
	if (line->gain_at_most > 0)
		json_double(json, "gain_at_most", line->gain_at_most);
	if (line->maybe_in_turn)
		json_bool(json, "maybe_in_turn", true);
	sharing_locks_json(line, json);
	if (line->cure) {
		json_object(json, "layout");
		json_string(json, "kind", line->cure->kind);
		json_unsigned(json, "old_size", line->cure->old_size);
		json_unsigned(json, "new_size", line->cure->new_size);
		json_string(json, "summary", line->cure->summary);
		json_string(json, "source", line->cure->source);
		json_end(json);
	}
	if (line->verdict == SHARING_LATENT_PLACE) {
		json_unsigned(json, "base_offset", line->base % sharing->cacheline);
		json_unsigned(json, "distance", line->distance);
		json_unsigned(json, "pairs", line->pairs);
		json_array(json, "sharing_offsets");
		for (uint64_t offset = 0; offset < sharing->cacheline; offset += OFFSET_UNIT)
			if (line->offsets >> offset / OFFSET_UNIT & 1)
				json_unsigned(json, NULL, offset);
		json_end(json);
	}
	json_each (json, "threads", const struct sharing_thread, thread, line->threads,
		   line->thread_count) {
		json_signed(json, "tid", thread->tid);
		json_signed(json, "cpu", thread->cpu);
		json_unsigned(json, "cpus", thread->cpus);
		json_unsigned(json, "samples", thread->samples);
		json_unsigned(json, "stores", thread->stores);
	}
	json_array(json, "rows");
	for (size_t i = 0; i < line->row_count; i++)
		add_row_json(sharing, line, &line->rows[i], json);
	json_end(json);
	json_end(json);
}

void print_sharing_json(const struct sharing *sharing, const struct sharing_print_options *options,
			struct json *json)
{
	struct contests contests = { 0 };

	json_unsigned(json, "cacheline", sharing->cacheline);
	json_unsigned(json, "samples", options->all_samples);
	json_unsigned(json, "left_out", options->left_out);
	json_unsigned(json, "addressed", sharing->samples);
	json_string(json, "cost", options->cost);
	json_unsigned(json, "private_lines", sharing->private_lines);
	json_array(json, "lines");
	for (size_t i = 0; i < sharing->line_count; i++)
		add_line_json(sharing, &sharing->lines[i], json);
	json_end(json);
	list_contests(sharing, &contests);
	json_each (json, "functions", const struct contest, contest, contests.items,
		   contests.count) {
		json_string(json, "writer", contest->writer);
		json_string(json, "other", contest->other);
		json_string(json, "kind", contest->is_true ? "true" : "false");
		json_double(json, "samples", contest->samples);
		json_unsigned(json, "lines", contest->lines);
	}
	free(contests.items);
}

/* ---- CSV ---- */

void print_sharing_csv(const struct sharing *sharing, const struct sharing_print_options *options,
		       struct strbuf *buffer)
{
	if (!options->quiet)
		strbuf_add_string(
			buffer,
			"verdict,kind,pid,cacheline,offset,size,type,field,object,variable,tid,"
			"samples,loads,stores,hitm,shared,disturbed,function,source,caller\n");
	array_each (const struct sharing_line, line, sharing->lines, sharing->line_count) {
		array_each (const struct sharing_row, row, line->rows, line->row_count) {
			const struct sharing_use *use = row->first;

			strbuf_add_format(buffer, "%s,%s,%d,0x%" PRIx64 ",%" PRIu64 ",%u",
					  verdict_words[line->verdict], kind_words[line->kind],
					  sharing_line_owner(line), line->address,
					  use->address % sharing->cacheline, use->size);
			csv_add_next(buffer, use->type, use->field);
			if (use->base != SHARING_NO_BASE)
				strbuf_add_format(buffer, ",0x%" PRIx64, use->base);
			else
				strbuf_add_char(buffer, ',');
			csv_add_next(buffer, use->variable);
			strbuf_add_format(buffer,
					  ",%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
					  ",%" PRIu64 ",%" PRIu64,
					  use->tid, row->samples, row->loads, row->stores,
					  row->hitm, row->shared, row->disturbed);
			csv_add_next(buffer, use->function, use->source);
			csv_add_next(buffer, row->caller);
			strbuf_add_char(buffer, '\n');
		}
	}
}
