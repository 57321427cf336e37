// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements record_sources.h.
 *
 * The sources of an object are the files of its units and the headers in their folders: headers
 * elsewhere are those of other projects, whose code does not depend on the records of this one.
 */
#include "profiler/resolve/record_sources.h"

#include <dirent.h>

#include "base/memory.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/type_name.h"
#include "report/layout/source.h"
#include "report/layout/source_order.h"

/*
 * ---- names
 *
 * The names of a program that have to do with records.
 */

#define NAMES_MAX  4000000 /* of one object */
#define DEPTH_MAX  8       /* of records without a name */
#define NOT_A_NAME UINT32_MAX

#define MOST_CODE 0.9 /* of a loop's instructions: a few come from the code around it */
#define ASKED_MAX 256 /* of a loop's instructions: each reads all scopes of the function */

/* A member, function or variable. */
struct seen_name {
	const char *text;
	enum source_name_kind kind;
	uint32_t record, pointers; /* of its type; record NOT_A_NAME: it is of another one */
	uint32_t owner;            /* the record that has the member; NOT_A_NAME: another one */
	bool is_void;              /* a pointer to anything */
};

struct name_collector {
	const struct record_source *records;
	size_t record_count;
	struct seen_name *items;
	size_t count, capacity;
};

/* Returns the index of the record that the type is, or NOT_A_NAME. */
static uint32_t record_of(const struct name_collector *collector, const struct type *type)
{
	const char *name = type_is_record(type) ? type_name_interned(type) : NULL;

	for (uint32_t i = 0; name && i < collector->record_count; i++)
		if (type_name_interned(collector->records[i].type) == name)
			return i;
	return NOT_A_NAME;
}

static void see_name(struct name_collector *collector, enum source_name_kind kind, const char *text,
		     const struct type *type, uint32_t owner)
{
	uint32_t pointers = 0;

	if (!text || !type || collector->count >= NAMES_MAX)
		return;
	for (type = type_strip(type); type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY;
	     type = type_strip(type_target(type)))
		pointers++;
	array_add(collector->items, collector->count, collector->capacity) =
		(struct seen_name){ text,     kind,  record_of(collector, type),
				    pointers, owner, type->kind == TYPE_VOID };
}

static void see_members(struct name_collector *collector, const struct type *type, uint32_t owner,
			int depth)
{
	if (type_is_vast(type))
		return;
	members_each (member, type_members, type) {
		const struct type *inner = type_strip(member->type);

		see_name(collector, NAMED_MEMBER, member->name, member->type, owner);
		if (owner != NOT_A_NAME)
			see_name(collector, NAMED_OWN, member->name, member->type, owner);
		while (inner->kind == TYPE_ARRAY)
			inner = type_strip(type_target(inner));
		if (type_is_record(inner) && !inner->name && depth < DEPTH_MAX)
			see_members(collector, inner, member->name ? NOT_A_NAME : owner, depth + 1);
	}
}

static void see_type(void *data, const struct type *type)
{
	struct name_collector *collector = data;

	if (type->kind == TYPE_TYPEDEF)
		see_name(collector, NAMED_TYPE, type->name, type, NOT_A_NAME);
	type = type_strip(type);
	if (type_is_record(type))
		see_members(collector, type, record_of(collector, type), 0);
}

static void see_function(void *data, const char *name, const struct prototype *prototype,
			 bool external _unused_)
{
	see_name(data, NAMED_FUNCTION, name, prototype->return_type, NOT_A_NAME);
}

static void see_variable(void *data, const struct global *variable, bool external _unused_)
{
	see_name(data, NAMED_VARIABLE, variable->name, variable->type, NOT_A_NAME);
}

COMPARISON(compare_seen, struct seen_name, BY_TEXT(text) ASCENDING(kind) ASCENDING(record))

/* Sets whether the members of a record are called as no other record's. */
static void set_unique(const struct seen_name *items, size_t count, struct source_record *records,
		       size_t record_count, struct arena *arena)
{
	array_indexed (struct source_record, record, i, records, record_count) {
		bool *unique = arena_alloc(arena, (record->accessed_count + 1) * sizeof(*unique));

		for (size_t k = 0; k < record->accessed_count; k++) {
			size_t low = 0, high = count;

			while (low < high) {
				size_t middle = (low + high) / 2;

				if (strcmp(items[middle].text, record->accessed[k]) < 0)
					low = middle + 1;
				else
					high = middle;
			}
			unique[k] = low < count && !strcmp(items[low].text, record->accessed[k]);
			for (; low < count && !strcmp(items[low].text, record->accessed[k]); low++)
				unique[k] &=
					items[low].kind != NAMED_MEMBER || items[low].owner == i;
		}
		record->unique = unique;
	}
}

/* Looks up the names that lead to the records in the debug information, and sets `unique` of the
 * records that it describes. Finds nothing for records of other languages than C. */
static void record_names_init(struct debug_reader *reader, const struct record_source *records,
			      struct source_record *described, size_t count, struct arena *arena,
			      struct source_names *names)
{
	struct name_collector collector = { .records = records, .record_count = count };
	const struct debug_visitor visitor = { &collector, see_type, see_function, see_variable };
	struct source_name *kept;

	*names = (struct source_names){ 0 };
	for (size_t i = 0; i < count; i++)
		if (records[i].facts->is_kernel || !records[i].facts->keyword)
			return;
	if (debug_reader_each(reader, &visitor) && collector.count < NAMES_MAX) {
		array_sort(collector.items, collector.count, compare_seen);
		set_unique(collector.items, collector.count, described, count, arena);
		kept = arena_alloc(arena, (collector.count + 1) * sizeof(*kept));
		array_each (const struct seen_name, seen, collector.items, collector.count) {
			struct source_name *last = names->count ? &kept[names->count - 1] : NULL;

			if (last && last->kind == seen->kind && !strcmp(last->text, seen->text))
				last->others |= seen->record != last->record || seen->is_void ||
						(seen->record != NOT_A_NAME &&
						 seen->pointers != last->pointers);
			else if (seen->record != NOT_A_NAME || seen->kind == NAMED_VARIABLE ||
				 seen->kind == NAMED_OWN || seen->kind == NAMED_MEMBER)
				kept[names->count++] =
					(struct source_name){ seen->text, seen->kind, seen->record,
							      seen->pointers, seen->is_void };
		}
		names->items = kept;
	}
	free(collector.items);
}

#define FILE_SIZE_MAX (32U << 20) /* of one source; SQLite's only one has 9 MB */
#define ALL_SIZES_MAX                                                                              \
	(96U << 20)     /* of all: a kernel's sources are larger, and mostly unrelated             \
			 */
#define PLACES_SHOWN  3 /* of one constraint */
#define DETAILS_SHOWN 4

/* Headers whose records are a contract with code that is compiled elsewhere. */
static const char *const system_folders[] = { "/usr/include/",    "/usr/lib/",
					      "/usr/bin/../lib/", "/usr/local/include/",
					      "/usr/local/go/",   "/rustc/",
					      "/rust/deps/" };

char *record_source_text(const char *path, const struct source_rights *rights, size_t *length)
{
	char *text;

	error_destroy(source_file_read(path, rights, FILE_SIZE_MAX, &text, length));
	return text;
}

/* Returns the path without "." and "name/..", so that one file has one path. */
static char *plain_path(struct arena *arena, const char *path)
{
	_cleanup_strbuf_ struct strbuf plain = STRBUF_INIT;

	while (*path) {
		size_t slashes = strspn(path, "/"), length = strcspn(path + slashes, "/");
		const char *name = path + slashes;
		char *last;

		path = name + length;
		if (!length || (length == 1 && name[0] == '.'))
			continue;
		last = strrchr(plain.data, '/');
		if (length == 2 && starts_with(name, "..") && last && strcmp(last, "/..") != 0) {
			strbuf_truncate(&plain, (size_t)(last - plain.data));
			continue;
		}
		if (slashes)
			strbuf_add_char(&plain, '/');
		strbuf_add(&plain, name, length);
	}
	return arena_strdup(arena, plain.data);
}

/* ---- files ---- */

struct source_paths {
	const char **items;
	size_t count, capacity;
};

struct source_set {
	struct arena arena; /* of paths */
	struct source_paths paths;
	struct source_text *texts;
	size_t count, missing, size;
	struct source_rights rights;
};

static void add_path(struct source_paths *list, const char *path)
{
	array_add(list->items, list->count, list->capacity) = path;
}

bool source_is_of_system(const char *path)
{
	return any_of(i, 0, COUNT_OF(system_folders), starts_with(path, system_folders[i]));
}

bool source_call_line(struct debug_reader *reader, uint64_t address, const char **file,
		      unsigned int *line)
{
	struct inlined_call calls[INLINED_MAX];
	size_t count = debug_reader_inlined(reader, address, calls, INLINED_MAX);

	while (count--) {
		const char *from =
			calls[count].call_file == UINT64_MAX
				? NULL
				: debug_reader_call_file(reader, address, calls[count].call_file);

		if (!from || source_is_of_system(from))
			continue;
		*file = from;
		*line = (unsigned int)calls[count].call_line;
		return true;
	}
	return false;
}

/* Returns how many of the first calls around an instruction are these. */
static size_t same_calls(struct debug_reader *reader, uint64_t address,
			 const struct inlined_call *common, size_t depth)
{
	struct inlined_call calls[INLINED_MAX];
	size_t found = debug_reader_inlined(reader, address, calls, depth), same = 0;

	while (same < found && calls[same].call_line == common[same].call_line &&
	       calls[same].call_file == common[same].call_file)
		same++;
	return same;
}

/* Finds the inlined calls that all of these instructions are in, and returns how many there are. */
static size_t common_calls(struct debug_reader *reader, const uint64_t *addresses, size_t count,
			   struct inlined_call *common)
{
	size_t depth = count ? debug_reader_inlined(reader, *addresses, common, INLINED_MAX) : 0;

	for (size_t i = 1; i < count && depth; i += count / ASKED_MAX + 1)
		depth = same_calls(reader, addresses[i], common, depth);
	return depth;
}

size_t source_inlined_depth(struct debug_reader *reader, const uint64_t *jumps, size_t jump_count,
			    const uint64_t *all, size_t count)
{
	struct inlined_call common[INLINED_MAX];
	size_t depth = common_calls(reader, jumps, jump_count, common), asked = 0, within = 0;

	for (size_t i = 0; depth && i < count; i += count / ASKED_MAX + 1, asked++)
		within += same_calls(reader, all[i], common, depth) == depth;
	return (double)within >= MOST_CODE * (double)asked
		       ? depth
		       : common_calls(reader, all, count, common);
}

/* Finds the line of an instruction in the code that the first `depth` of the calls inlined around
 * it lead to: its own, or that of the next call. */
static bool line_at_depth(struct debug_reader *reader, uint64_t address, size_t depth,
			  const char **file, unsigned int *line)
{
	struct inlined_call calls[INLINED_MAX];

	if (debug_reader_inlined(reader, address, calls, INLINED_MAX) <= depth)
		return debug_reader_line(reader, address, file, line) && *line;
	*line = (unsigned int)calls[depth].call_line;
	*file = calls[depth].call_file == UINT64_MAX
			? NULL
			: debug_reader_call_file(reader, address, calls[depth].call_file);
	return *file && *line;
}

bool source_first_line(struct debug_reader *reader, const uint64_t *addresses, size_t count,
		       size_t *depth, const char **file, unsigned int *line)
{
	const char *other;
	unsigned int number;

	for (;; (*depth)--) {
		*file = NULL;
		for (size_t i = 0; i < count; i += count / ASKED_MAX + 1) {
			if (!line_at_depth(reader, addresses[i], *depth, &other, &number) ||
			    (*file &&
			     (number >= *line || strcmp(base_name(other), base_name(*file)))))
				continue;
			*file = other;
			*line = number;
		}
		if ((*file && !source_is_of_system(*file)) || !*depth)
			return *file;
	}
}

/* Returns whether a source is read as C: not those of languages whose names of files tell them. */
static bool is_read(const char *path)
{
	static const char *const others[] = { ".adb", ".ads",  ".f",   ".f03", ".f08", ".f90",
					      ".f95", ".for",  ".pas", ".pp",  ".lpr", ".rs",
					      ".go",  ".d",    ".cr",  ".zig", ".nim", ".swift",
					      ".mod", ".vala", ".a68", ".cob", ".cbl", ".jl" };
	const char *dot = strrchr(path, '.');

	return !dot || !any_of(i, 0, COUNT_OF(others), !strcasecmp(dot, others[i]));
}

bool source_is_header(const char *name)
{
	static const char *const suffixes[] = { ".h", ".hh", ".hpp", ".hxx", ".inc", ".def" };

	return any_of(i, 0, COUNT_OF(suffixes), ends_with(name, suffixes[i]));
}

static void add_headers(struct source_set *set, const char *folder)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory)) != NULL) {
		_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

		if (!source_is_header(entry->d_name))
			continue;
		strbuf_add_format(&path, "%s/%s", folder, entry->d_name);
		add_path(&set->paths, arena_strdup(&set->arena, path.data));
	}
	if (directory)
		closedir(directory);
}

static void add_all_headers(struct source_set *set)
{
	struct source_paths folders = { 0 };

	for (size_t i = 0; i < set->paths.count; i++) {
		const char *path = set->paths.items[i], *slash = strrchr(path, '/');

		if (slash && slash != path)
			add_path(&folders,
				 arena_strndup(&set->arena, path, (size_t)(slash - path)));
	}
	array_unique(folders.items, folders.count, compare_strings);
	for (size_t i = 0; i < folders.count; i++)
		add_headers(set, folders.items[i]);
	free(folders.items);
}

static void find_paths(struct debug_reader *reader, const struct record_source *records,
		       size_t record_count, struct source_set *set)
{
	size_t count;
	const char *const *files = debug_reader_source_files(reader, &set->arena, &count);

	for (size_t i = 0; i < count; i++)
		if (files[i][0] == '/' && !source_is_of_system(files[i]) && is_read(files[i]))
			add_path(&set->paths, plain_path(&set->arena, files[i]));
	for (size_t i = 0; i < record_count; i++)
		if (records[i].facts->source.file && is_read(records[i].facts->source.file))
			add_path(&set->paths,
				 plain_path(&set->arena, records[i].facts->source.file));
	array_unique(set->paths.items, set->paths.count, compare_strings);
	add_all_headers(set);
	array_unique(set->paths.items, set->paths.count, compare_strings);
}

static bool is_near(const char *path, const struct record_source *records, size_t count)
{
	size_t folder = (size_t)(base_name(path) - path);

	for (size_t i = 0; i < count; i++) {
		const char *file = records[i].facts->source.file;

		if (file && (size_t)(base_name(file) - file) == folder &&
		    !strncmp(path, file, folder))
			return true;
	}
	return false;
}

/* Reads the files, those near the records first, as a limit may leave out the others. */
static void read_texts(struct source_set *set, const struct record_source *records, size_t count)
{
	set->texts = xcalloc(set->paths.count + 1, sizeof(*set->texts));
	for (size_t i = 0; i < 2 * set->paths.count; i++) {
		const char *path = set->paths.items[i % set->paths.count];
		size_t length = 0;
		char *text;

		if (is_near(path, records, count) != (i < set->paths.count))
			continue;
		text = set->size < ALL_SIZES_MAX ? record_source_text(path, &set->rights, &length)
						 : NULL;
		if (!text) {
			set->missing++;
			continue;
		}
		set->size += length;
		set->texts[set->count++] =
			(struct source_text){ .path = path, .text = text, .length = length };
	}
}

static void set_deinit(struct source_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free((char *)set->texts[i].text);
		source_text_deinit(&set->texts[i]);
	}
	free_all(set->texts, set->paths.items);
	arena_deinit(&set->arena);
}

static void cut_tokens(size_t item, unsigned int thread _unused_, void *data)
{
	struct source_set *set = data;
	struct source_text *text = &set->texts[item];

	source_text_init(text, text->path, text->text, text->length);
}

/* ---- constraints ---- */

/* Each kind of use as a constraint: the text around the names in it. */
static const struct use_text {
	const char *before, *after;
	enum advice_risk risk;
} use_texts[SOURCE_CONSTRAINTS] = {
	[SOURCE_BY_POSITION] = { "initialized by position, so the order is part of the source", "",
				 RISK_BREAK },
	[SOURCE_BY_NAME] = { "container_of(), offsetof() and the like follow ",
			     " by name when it moves", RISK_NONE },
	[SOURCE_CAST_BASE] = { "pointers are cast between this record and its first member, which "
			       "stays first",
			       "", RISK_NONE },
	[SOURCE_CAST] = { "pointers are cast to ", ", which may have to begin alike", RISK_BREAK },
	[SOURCE_RANGE] = { "several members are copied, set or compared at once", "", RISK_BREAK },
	[SOURCE_ARITHMETIC] = { "other members are reached from the address of ", "", RISK_BREAK },
	[SOURCE_BYTES] = { "its bytes are reached by offsets, numbers or a union", "", RISK_BREAK },
	[SOURCE_COMPARED] = { "compared as a whole by memcmp(), with its holes", "", RISK_BREAK },
	[SOURCE_WRITTEN] = { "written or read as a whole, so the layout may be a format, by ", "",
			     RISK_BREAK },
	[SOURCE_SORTED] = { "whole objects of an array are moved or found by ",
			    ": parts beside it, found by the same index (peel, split), must move "
			    "with them",
			    RISK_DOUBT },
};

/* Appends the details of uses, each once, in quotes. */
static void add_details(const struct source_use *uses, size_t count, struct strbuf *text)
{
	unsigned int shown = 0, left = 0;
	_cleanup_map_ struct hash_map seen = { 0 };

	for (size_t i = 0; i < count; i++) {
		bool created = false;

		if (*uses[i].detail)
			hash_map_insert(&seen, hash_bytes(uses[i].detail, strlen(uses[i].detail)),
					&created);
		if (!created)
			continue;
		if (shown == DETAILS_SHOWN) {
			left++;
			continue;
		}
		strbuf_add_format(text, "%s'%s'", shown++ ? ", " : "", uses[i].detail);
	}
	if (left)
		strbuf_add_format(text, " and %u more", left);
}

/* Adds the constraint that uses of one kind make. */
static void add_uses(const struct source_use *uses, size_t count, struct advice_type *facts,
		     struct arena *arena)
{
	const struct use_text *use = &use_texts[uses[0].kind];
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t length = strlen(use->before);

	strbuf_add_string(&text, use->before);
	if (use->before[length - 1] == ' ')
		add_details(uses, count, &text);
	strbuf_add_format(&text, "%s: ", use->after);
	for (size_t i = 0; i < count && i < PLACES_SHOWN; i++)
		strbuf_add_format(&text, "%s%s:%u", i ? ", " : "", base_name(uses[i].path),
				  uses[i].line);
	if (count > PLACES_SHOWN)
		strbuf_add_format(&text, " and %zu more", count - PLACES_SHOWN);
	advice_add_constraint(facts, arena, use->risk, text.data);
}

/* Keeps the first member in its place, to which pointers to the record are cast. */
static void pin_first(struct advice_type *facts, const char *why)
{
	struct advice_member *first = facts->member_count ? &facts->members[0] : NULL;

	if (!first || first->offset || first->pinned)
		return;
	first->flags |= MEMBER_FIRST;
	first->pinned = why;
}

static void add_all_uses(const struct source_uses *uses, const struct record_source *records,
			 struct arena *arena)
{
	for (size_t i = 0, end; i < uses->count; i = end) {
		const struct source_use *first = &uses->items[i];

		for (end = i; end < uses->count && uses->items[end].record == first->record &&
			      uses->items[end].kind == first->kind;)
			end++;
		if (first->kind >= SOURCE_CONSTRAINTS)
			continue;
		add_uses(first, end - i, records[first->record].facts, arena);
		if (first->kind == SOURCE_CAST)
			pin_first(records[first->record].facts,
				  "pointers to the record are cast to pointers to another record");
		if (first->kind == SOURCE_CAST_BASE)
			pin_first(
				records[first->record].facts,
				"pointers to the record are cast to pointers to its first member");
	}
}

/* ---- places ---- */

#define PLACES_MAX 100000 /* of one record */

static const char *const place_texts[SOURCE_USE_KINDS] = {
	[SOURCE_BY_POSITION] = "initializer by position",
	[SOURCE_BY_NAME] = "offsetof or the like of",
	[SOURCE_CAST_BASE] = "cast to or from the first member",
	[SOURCE_CAST] = "cast to",
	[SOURCE_RANGE] = "several members at once",
	[SOURCE_ARITHMETIC] = "other members by the address of",
	[SOURCE_BYTES] = "its bytes by offsets, numbers or a union",
	[SOURCE_COMPARED] = "comparison of the whole record",
	[SOURCE_WRITTEN] = "whole record read or written by",
	[SOURCE_SORTED] = "whole objects moved or found by",
	[SOURCE_ACCESS] = "access to",
	[SOURCE_MACRO] = "access in a macro to",
	[SOURCE_DESIGNATED] = "initializer of",
	[SOURCE_SIZE] = "size",
	[SOURCE_ALLOCATED] = "allocation",
	[SOURCE_OBJECT] = "object",
	[SOURCE_COPIED] = "copy of the whole record",
	[SOURCE_VALUE] = "use of the whole record",
	[SOURCE_FREED] = "object freed by",
	[SOURCE_EXPANDED] = "in what a macro makes of its arguments",
};

/* Returns the member that is named at a place of this kind, or PLACE_WHOLE. */
static uint32_t member_at_place(const struct advice_type *facts, const struct source_use *use)
{
	bool named = use->kind == SOURCE_ACCESS || use->kind == SOURCE_MACRO ||
		     use->kind == SOURCE_DESIGNATED || use->kind == SOURCE_BY_NAME ||
		     use->kind == SOURCE_ARITHMETIC || use->kind == SOURCE_EXPANDED;

	for (size_t i = 0; i < facts->declared_count && named; i++)
		if (facts->declared[i].name && !strcmp(facts->declared[i].name, use->detail))
			return facts->declared[i].member;
	return PLACE_WHOLE;
}

COMPARISON(record_compare_places, struct advice_place,
	   BY_TEXT(file) ASCENDING(line) ASCENDING(member) ASCENDING(kind) ASCENDING(doubtful)
		   ASCENDING(at))

static void keep_places(const struct source_uses *uses, const struct record_source *records,
			struct arena *arena)
{
	for (size_t i = 0, end; i < uses->count; i = end) {
		struct advice_type *facts = records[uses->items[i].record].facts;

		for (end = i;
		     end < uses->count && uses->items[end].record == uses->items[i].record;)
			end++;
		facts->place_count = end - i < PLACES_MAX ? end - i : PLACES_MAX;
		facts->places = arena_alloc(arena, facts->place_count * sizeof(*facts->places));
		for (size_t k = 0; k < facts->place_count; k++) {
			const struct source_use *use = &uses->items[i + k];

			facts->places[k] = (struct advice_place){
				.file = arena_strdup(arena, use->path),
				.line = use->line,
				.at = use->at,
				.kind = (uint8_t)use->kind,
				.what = place_texts[use->kind],
				.member = member_at_place(facts, use),
				.name = arena_strdup(arena, use->detail),
				.doubtful = use->doubtful,
			};
		}
		array_sort(facts->places, facts->place_count, record_compare_places);
	}
}

/* Returns the member that a declaration with this name is, or is in; NULL: none is known. */
static struct advice_member *declared_member(struct advice_type *facts, const char *name)
{
	for (size_t i = 0; name && i < facts->declared_count; i++)
		if (facts->declared[i].name && !strcmp(facts->declared[i].name, name))
			return &facts->members[facts->declared[i].member];
	return NULL;
}

/* Says why the order of members matters, with the place in the source. */
static const char *order_text(const struct source_order *order, struct arena *arena)
{
	static const char *const texts[] = {
		[ORDER_FIRST] = "a comment says that it is first",
		[ORDER_LAST] = "a comment says that it is last",
		[ORDER_KEPT] = "a comment says that the order of members matters",
		[ORDER_ASSERTED] = "its offsets are asserted",
		[ORDER_DOUBT] = "a comment says that something else depends on it",
	};
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (order->kind == ORDER_PREFIX)
		strbuf_add_format(&text, "'%s' begins with the same %zu members", order->other,
				  order->count);
	else
		strbuf_add_string(&text, texts[order->kind]);
	strbuf_add_format(&text, ": %s:%u", base_name(order->path), order->line);
	make_printable(text.data, text.length);
	return arena_strdup(arena, text.data);
}

static void pin_member(struct advice_member *member, uint32_t flag, const char *why)
{
	if (!member || member->flags & (MEMBER_FIRST | MEMBER_LAST))
		return;
	member->flags |= flag;
	member->pinned = why;
}

/* Applies what a declaration says of the order of its members. Whatever cannot be kept by pinning
 * members to an end of the record refuses all other layouts. */
static void apply_order(const struct source_order *order, struct advice_type *facts,
			struct arena *arena)
{
	const char *why = order_text(order, arena);
	struct advice_member *member = declared_member(facts, order->member);
	size_t count = facts->member_count;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	switch (order->kind) {
	case ORDER_PREFIX:
		for (size_t i = 0; !order->apart && i < order->count && i < facts->declared_count;
		     i++)
			pin_member(&facts->members[facts->declared[i].member], MEMBER_FIRST, why);
		break;
	case ORDER_FIRST:
	case ORDER_LAST:
		/* a comment on another member is about several, or about members within one */
		if (!count)
			break;
		if (member && member != facts->members && member != facts->members + count - 1)
			facts->refusal = facts->refusal ?: why;
		pin_member(order->kind == ORDER_FIRST ? facts->members : facts->members + count - 1,
			   order->kind == ORDER_FIRST ? MEMBER_FIRST : MEMBER_LAST, why);
		break;
	case ORDER_DOUBT: break;
	default: facts->refusal = facts->refusal ?: why;
	}
	strbuf_add_format(&text, "%s%s%s%s", order->member ? "'" : "", order->member ?: "",
			  order->member ? "': " : "", why);
	advice_add_constraint(facts, arena,
			      order->apart                 ? RISK_DOUBT
			      : order->kind == ORDER_DOUBT ? RISK_BREAK
							   : RISK_NONE,
			      text.data);
}

/* The most constraints that are told of one record. */
#define ORDERS_SHOWN 12

/* Returns whether the program has the other record of an order: one that only a branch of the
 * preprocessor declares, or that no code uses, is not in its debug information. */
static bool has_other(struct debug_reader *reader, const struct source_order *order)
{
	const struct type *found;

	return order->kind != ORDER_PREFIX ||
	       debug_reader_types_called(reader, order->other, &found, 1);
}

static void add_orders(struct debug_reader *reader, const struct source_orders *orders,
		       const struct record_source *records, struct arena *arena)
{
	size_t shown = 0;

	array_indexed (const struct source_order, order, i, orders->items, orders->count) {
		shown = i && orders->items[i - 1].record == order->record ? shown + 1 : 0;
		/* one header may have been read under two paths */
		if (shown < ORDERS_SHOWN && has_other(reader, order))
			apply_order(order, records[order->record].facts, arena);
	}
}

/* Returns the name of the first member's type if that is a record with a name, or NULL. */
static const char *first_record(const struct type *type)
{
	size_t count;
	const struct member *members = type_members(type_strip(type), &count);
	const struct type *first = count && !members[0].offset ? type_strip(members[0].type) : NULL;

	return first && type_is_record(first) && first->name ? type_name_last_part(first->name)
							     : NULL;
}

static struct source_record describe(const struct record_source *record, struct arena *arena)
{
	const struct advice_type *facts = record->facts;
	size_t count = facts->member_count;
	const char **names = arena_alloc(arena, (count + 1) * sizeof(*names));
	uint64_t *sizes = arena_alloc(arena, (count + 1) * sizeof(*sizes));

	for (size_t i = 0; i < count; i++) {
		names[i] = facts->members[i].name;
		sizes[i] = facts->members[i].size;
	}
	const char **accessed = arena_alloc(arena, (facts->declared_count + 1) * sizeof(*accessed));
	size_t accessed_count = 0;

	for (size_t i = 0; i < facts->declared_count; i++)
		if (facts->declared[i].name)
			accessed[accessed_count++] = facts->declared[i].name;
	return (struct source_record){ .tag = type_name_last_part(facts->tag),
				       .is_typedef = facts->is_typedef,
				       .first = first_record(record->type),
				       .size = facts->size,
				       .members = names,
				       .sizes = sizes,
				       .member_count = count,
				       .accessed = accessed,
				       .accessed_count = accessed_count };
}

/* Finds the declaration of a record, and refuses to change one that others are compiled with. */
static void find_place(struct debug_reader *reader, const struct record_source *record,
		       struct arena *arena)
{
	struct advice_type *facts = record->facts;
	struct type_place place;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!debug_reader_type_place(reader, type_strip(record->type), &place))
		return;
	facts->source.file = plain_path(arena, place.file);
	facts->source.line = place.line;
	facts->source.folder = place.folder ? plain_path(arena, place.folder) : NULL;
	if (facts->refusal)
		return;
	if (source_is_of_system(facts->source.file))
		strbuf_add_format(
			&text,
			"%s declares it, so code that is compiled elsewhere depends on its layout",
			facts->source.file);
	else if (strstr(facts->source.file, "/include/uapi/"))
		strbuf_add_format(&text, "%s declares it, so programs depend on its layout",
				  facts->source.file);
	if (text.length)
		facts->refusal = arena_strdup(arena, text.data);
}

void record_sources_read(struct debug_object *debug, const struct record_source *records,
			 size_t count, const struct source_rights *rights, unsigned int threads,
			 struct arena *arena)
{
	_cleanup_free_ struct source_record *described = xcalloc(count + 1, sizeof(*described));
	struct source_set set = { .rights = *rights };
	struct debug_reader *reader = debug_reader_open(debug);
	struct source_orders orders;
	struct source_names names;
	struct source_uses uses;

	for (size_t i = 0; i < count; i++) {
		find_place(reader, &records[i], arena);
		described[i] = describe(&records[i], arena);
	}
	find_paths(reader, records, count, &set);
	read_texts(&set, records, count);
	threads = threads ?: parallel_default_threads();
	parallel_for(set.count, threads, cut_tokens, &set);
	record_names_init(reader, records, described, count, &set.arena, &names);
	source_uses_init(&uses, described, count, &names, set.texts, set.count, threads);
	add_all_uses(&uses, records, arena);
	keep_places(&uses, records, arena);
	source_orders_init(&orders, described, count, set.texts, set.count);
	add_orders(reader, &orders, records, arena);
	source_orders_deinit(&orders);
	debug_reader_close(reader);
	for (size_t i = 0; i < count; i++) {
		records[i].facts->source.read = set.count;
		records[i].facts->source.missing = set.missing;
		records[i].facts->source.rights = *rights;
	}
	source_uses_deinit(&uses);
	set_deinit(&set);
}
