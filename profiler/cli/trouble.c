// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements trouble.h. */
#include "profiler/cli/trouble.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/objects/dso.h"
#include "profiler/objects/kernel.h"
#include "report/text.h"

/* ---- packages with debug information ---- */

/*
 * The package with an object's debug information is found by dpkg's lists of files and by the names
 * that Debian and Ubuntu give such packages. The network is not used. The lists
 * (INFO/PACKAGE[:ARCHITECTURE].list, a path a line) are read directly, which takes some
 * milliseconds; dpkg-query(1) takes ten times as long.
 */

#define LIST_SUFFIX ".list"

/* Returns the text of a file of this system, which the caller frees; NULL: it cannot be read. */
static char *read_text(const char *path, size_t *length)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t capacity = 0;
	ssize_t got = file ? getdelim(&text, &capacity, '\0', file) : -1;

	if (file)
		fclose(file);
	if (got < 0) {
		free(text);
		return NULL;
	}
	*length = (size_t)got;
	return text;
}

/* Returns the name of the folder of lists; $DPKG_ADMINDIR is dpkg's own variable. */
static char *list_folder(void)
{
	const char *admin = getenv("DPKG_ADMINDIR");

	return xasprintf("%s/info", admin && *admin ? admin : "/var/lib/dpkg");
}

static bool has_line(const char *text, size_t length, const char *line)
{
	size_t line_length = strlen(line);
	const char *at = text, *end = text + length;

	while ((at = memmem(at, (size_t)(end - at), line, line_length))) {
		const char *after = at + line_length;

		if ((at == text || at[-1] == '\n') && (after == end || *after == '\n'))
			return true;
		at++;
	}
	return false;
}

/* Returns whether a package's list of files has the path. Packages from before /usr was merged list
 * a file of /usr/lib as one of /lib. */
static bool lists_path(const char *text, size_t length, const char *path)
{
	return has_line(text, length, path) ||
	       (!strncmp(path, "/usr/", 5) && has_line(text, length, path + 4));
}

/* Returns the name of the package with a package's debug information; the caller frees it. Debian
 * makes NAME-dbgsym for each package; a few sources have older packages of their own. */
static char *debug_package_of(const char *package)
{
	static const char *const own[] = { "libc6", "libc6-i386", "libc6-x32" };

	for (size_t i = 0; i < COUNT_OF(own); i++)
		if (!strcmp(package, own[i]))
			return xstrdup("libc6-dbg");
	return xasprintf("%s-dbgsym", package);
}

static void search_list(const char *folder, const char *file, const char *const *paths,
			size_t count, char **names)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, file);
	size_t length = 0;
	_cleanup_free_ char *text = read_text(path, &length);

	for (size_t i = 0; text && i < count; i++) {
		if (names[i] || !lists_path(text, length, paths[i]))
			continue;
		/* "libc6:amd64.list"; version numbers of packages may have dots */
		size_t colon = strcspn(file, ":"), name = strlen(file) - strlen(LIST_SUFFIX);
		_cleanup_free_ char *package = xstrndup(file, colon < name ? colon : name);

		names[i] = debug_package_of(package);
	}
}

static bool is_list(const char *name)
{
	size_t length = strlen(name), suffix = strlen(LIST_SUFFIX);

	return length > suffix && !strcmp(name + length - suffix, LIST_SUFFIX);
}

/*
 * Sets names[i] to the package with the debug information of the file paths[i] ("libc6-dbg",
 * "zlib1g-dbgsym"), or to NULL if no package owns the file. The caller frees the names.
 */
static void debug_packages_find(const char *const *paths, size_t count, char **names)
{
	_cleanup_free_ char *folder = list_folder();
	DIR *lists_folder = opendir(folder);
	struct dirent *entry;
	size_t missing = count;

	memset(names, 0, count * sizeof(*names));
	while (lists_folder && missing && (entry = readdir(lists_folder))) {
		if (!is_list(entry->d_name))
			continue;
		search_list(folder, entry->d_name, paths, count, names);
		missing = 0;
		for (size_t i = 0; i < count; i++)
			missing += !names[i];
	}
	if (lists_folder)
		closedir(lists_folder);
}

/* Returns the debuginfod server of this machine's distribution, by /etc/os-release. */
static const char *debug_package_server(void)
{
	static const struct {
		const char *line, *server;
	} servers[] = {
		{ "ID=debian", "https://debuginfod.debian.net" },
		{ "ID=ubuntu", "https://debuginfod.ubuntu.com" },
		{ "ID=fedora", "https://debuginfod.fedoraproject.org" },
		{ "ID=arch", "https://debuginfod.archlinux.org" },
	};
	size_t length = 0;
	_cleanup_free_ char *text = read_text("/etc/os-release", &length);

	for (size_t i = 0; text && i < COUNT_OF(servers); i++)
		if (has_line(text, length, servers[i].line))
			return servers[i].server;
	return "https://debuginfod.elfutils.org";
}

/* ---- troubles ---- */

#define NAMES_SHOWN 4 /* of a list, unless all are asked for */

void shown_samples_add(struct shown_samples *shown, const struct input *input, size_t entry)
{
	const struct resolution *resolution = input->resolution;
	const struct dso *dso = resolution->places[resolution->place_of[entry]].dso;
	size_t index = dso ? dso->id + 1 : 0;

	if (index >= shown->count) {
		size_t count = index * 2 + 16;

		shown->of_dso = xrealloc_array(shown->of_dso, count, sizeof(*shown->of_dso));
		memset(shown->of_dso + shown->count, 0,
		       (count - shown->count) * sizeof(*shown->of_dso));
		shown->count = count;
	}
	shown->of_dso[index] += input->counts->entries[entry].samples;
	shown->total += input->counts->entries[entry].samples;
}

void shown_samples_deinit(struct shown_samples *shown)
{
	free(shown->of_dso);
	*shown = (struct shown_samples){ 0 };
}

/* The problems of one kind that are shown, those with the most samples first. */
struct trouble {
	const struct resolve_problem **items;
	char **packages; /* of each item, with its debug information; NULL: none is known */
	size_t count;
	uint64_t samples;
};

static void trouble_deinit(struct trouble *trouble)
{
	for (size_t i = 0; i < trouble->count; i++)
		free(trouble->packages[i]);
	free(trouble->packages);
	free(trouble->items);
}

static uint64_t samples_of(const struct resolve_problem *problem, const struct shown_samples *shown)
{
	size_t index = problem->dso ? problem->dso->id + 1 : 0;

	if (!shown)
		return problem->samples;
	return index < shown->count ? shown->of_dso[index] : 0;
}

/* Sets the packages of objects without debug information, and of no others. */
static void find_packages(struct trouble *trouble, enum resolve_problem_kind kind)
{
	_cleanup_free_ const char **paths = xcalloc(trouble->count + 1, sizeof(*paths));

	trouble->packages = xcalloc(trouble->count + 1, sizeof(*trouble->packages));
	if (kind != PROBLEM_NO_DEBUG_INFO || !trouble->count)
		return;
	for (size_t i = 0; i < trouble->count; i++)
		paths[i] = trouble->items[i]->dso->long_name;
	debug_packages_find(paths, trouble->count, trouble->packages);
}

static struct trouble find_trouble(const struct resolution *resolution,
				   const struct shown_samples *shown,
				   enum resolve_problem_kind kind)
{
	struct trouble trouble = { .items = xcalloc(resolution->problem_count + 1,
						    sizeof(*trouble.items)) };

	for (size_t i = 0; i < resolution->problem_count; i++) {
		const struct resolve_problem *problem = &resolution->problems[i];
		uint64_t samples = samples_of(problem, shown);

		if (problem->kind != kind || !samples)
			continue;
		trouble.items[trouble.count++] = problem;
		trouble.samples += samples;
	}
	find_packages(&trouble, kind);
	return trouble;
}

static void add_share(struct strbuf *text, uint64_t samples, uint64_t total)
{
	text_add_grouped(text, samples);
	strbuf_add_format(text, " sample%s (%.1f%%)", samples == 1 ? "" : "s",
			  percent_of(samples, total));
}

/* ---- lists that are cut ---- */

struct cut_list {
	struct strbuf *text;
	bool whole;
	const char *separator;
	size_t shown, left; /* names */
};

/* Appends a name, or counts it as left out. */
static void add_name(struct cut_list *list, const char *name)
{
	if (!list->whole && list->shown >= NAMES_SHOWN) {
		list->left++;
		return;
	}
	strbuf_add_string(list->text, list->shown++ ? list->separator : "");
	strbuf_add_string(list->text, name);
}

static void end_names(struct cut_list *list)
{
	if (list->left)
		strbuf_add_format(list->text, ", and %zu more (-v)", list->left);
}

/* ---- missing debug information ---- */

/* Appends the objects that no package has. Returns how many. */
static size_t add_own_objects(const struct trouble *trouble, char *const *packages,
			      struct cut_list *list)
{
	size_t count = 0;

	for (size_t i = 0; i < trouble->count; i++)
		if (!packages[i]) {
			add_name(list, trouble->items[i]->dso->short_name);
			count++;
		}
	end_names(list);
	return count;
}

/* Appends each package once. */
static void add_packages(size_t count, char *const *packages, struct cut_list *list)
{
	for (size_t i = 0; i < count; i++) {
		bool known = !packages[i];

		for (size_t j = 0; j < i && !known; j++)
			known = packages[j] && !strcmp(packages[j], packages[i]);
		if (!known)
			add_name(list, packages[i]);
	}
	end_names(list);
}

static void add_no_debug_info(const struct trouble *trouble, bool whole, struct strbuf *text)
{
	char *const *packages = trouble->packages;
	const char *urls = getenv("DEBUGINFOD_URLS");
	size_t packaged = 0;

	for (size_t i = 0; i < trouble->count; i++)
		packaged += packages[i] != NULL;
	strbuf_add_format(text,
			  " %s debug information: ", trouble->samples == 1 ? "lacks" : "lack");
	/* the kind of objects with the most samples comes first */
	for (int turn = 0; turn < 2; turn++) {
		bool own = (packages[0] == NULL) == (turn == 0);
		struct cut_list list = { .text = text, .whole = whole };

		if (own ? packaged == trouble->count : !packaged)
			continue;
		strbuf_add_string(text, turn && packaged && packaged < trouble->count ? "; " : "");
		list.separator = own ? ", " : " ";
		strbuf_add_string(text, own ? "build with -g: " : "apt install ");
		if (own)
			add_own_objects(trouble, packages, &list);
		else
			add_packages(trouble->count, packages, &list);
		/* the server has packages, not the user's own programs */
		if (!own && (!urls || !*urls))
			strbuf_add_format(text, ", or DEBUGINFOD_URLS=%s", debug_package_server());
	}
}

/* ---- the other kinds ---- */

static void add_objects(const struct trouble *trouble, const char *words, bool whole,
			struct strbuf *text)
{
	struct cut_list list = { .text = text, .whole = whole, .separator = ", " };

	strbuf_add_string(text, words);
	for (size_t i = 0; i < trouble->count; i++)
		add_name(&list, trouble->items[i]->dso->short_name);
	end_names(&list);
}

static void add_kernel_types(const struct trouble *trouble, struct strbuf *text)
{
	_cleanup_free_ char *package = kernel_debug_package(trouble->items[0]->dso->release);

	strbuf_add_string(text, " in the kernel: no types without ");
	if (package)
		strbuf_add_format(text, "vmlinux (install %s) or /proc/kcore", package);
	else
		strbuf_add_string(text, "vmlinux or /proc/kcore");
	strbuf_add_string(text, ": see dtprof-report(1) KERNEL");
}

/*
 * Returns whether the message of the first problem is shown in full, with its build ids and paths.
 * Problems with a kernel are shown in full if the user named the kernel's files, or if the output,
 * which may be kept as a log, is not a screen.
 */
static bool tells_all(const struct trouble *trouble, enum resolve_problem_kind kind,
		      const struct dso_options *options, bool screen)
{
	bool named = options->vmlinux || options->kallsyms || options->btf;

	if (kind <= PROBLEM_KERNEL_TYPES)
		return named || !screen;
	if (kind == PROBLEM_SYMBOL_MAP)
		return true;
	return kind == PROBLEM_NO_FILE && trouble->count == 1 && trouble->items[0]->dso->refused;
}

/*
 * Appends the line of a kind of trouble. Returns how many problems the line shows with their whole
 * message: 0 or 1.
 */
static size_t add_trouble(const struct trouble *trouble, enum resolve_problem_kind kind,
			  const struct input_options *options, bool screen, struct strbuf *text)
{
	bool whole = options->verbose;

	if (tells_all(trouble, kind, &options->dso, screen)) {
		strbuf_add_format(text, ": %s", trouble->items[0]->message);
		if (trouble->count > 1 && !whole)
			strbuf_add_format(text, " (and %zu more: -v)", trouble->count - 1);
		return 1;
	}
	switch (kind) {
	case PROBLEM_KERNEL_HIDDEN:
		strbuf_add_string(
			text, " in the kernel: no symbols, its addresses were hidden when this was "
			      "recorded (kernel.kptr_restrict)");
		break;
	case PROBLEM_KERNEL_SYMBOLS:
		strbuf_add_string(text,
				  " in the kernel: no symbols without vmlinux or kallsyms: see "
				  "dtprof-report(1) KERNEL");
		break;
	case PROBLEM_KERNEL_TYPES: add_kernel_types(trouble, text); break;
	case PROBLEM_NO_FILE:
		add_objects(trouble,
			    trouble->items[0]->dso->recorded_elsewhere
				    ? " in files of another machine, which are not here (--symfs "
				      "DIR, or dtprof archive there): "
				    : " in files that are gone or were replaced since: ",
			    whole, text);
		break;
	case PROBLEM_NO_DEBUG_INFO: add_no_debug_info(trouble, whole, text); break;
	default:
		if (trouble->count == 1 && !screen) {
			strbuf_add_format(text, ": %s", trouble->items[0]->message);
			return 1;
		}
		add_objects(trouble,
			    trouble->samples == 1
				    ? " has debug information that cannot be read (-v says why): "
				    : " have debug information that cannot be read (-v says why): ",
			    whole, text);
		break;
	}
	return 0;
}

/* Appends a line that begins with `indent` spaces, wrapped with two more. Empties `line`. */
static void add_line(struct strbuf *text, struct strbuf *line, unsigned int width, size_t indent)
{
	make_printable(line->data, line->length);
	strbuf_add_repeated(text, ' ', indent);
	if (width)
		text_add_wrapped(text, line->data, indent, width, indent + 2);
	else
		strbuf_add(text, line->data, line->length);
	strbuf_add_char(text, '\n');
	strbuf_reset(line);
}

/* Adds a line about samples: "12 samples (3.0%) in code ...". */
static void add_remark(struct strbuf *text, uint64_t samples, uint64_t total, unsigned int width,
		       const char *what)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	add_share(&line, samples, total);
	strbuf_add_format(&line, " %s", what);
	add_line(text, &line, width, 0);
}

/*
 * Appends a line for each object, with its own samples and the whole reason. `first` is the index
 * of the first problem whose whole message the line above has not shown.
 */
static void add_details(const struct trouble *trouble, size_t first,
			const struct shown_samples *shown, unsigned int width, size_t indent,
			struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	for (size_t i = first; i < trouble->count; i++) {
		const struct resolve_problem *problem = trouble->items[i];

		text_add_grouped(&line, samples_of(problem, shown));
		strbuf_add_string(&line, ": ");
		if (trouble->packages[i])
			strbuf_add_format(&line, "no debug information in %s: apt install %s",
					  problem->dso->long_name, trouble->packages[i]);
		else
			strbuf_add_string(&line, problem->message);
		add_line(text, &line, width, indent);
	}
}

/* Samples in bulk memory functions are a trouble if they are at least this percentage of all. */
#define BULK_SHARE_MIN 5

static bool is_without_caller(const struct counted *entry, const struct access *access)
{
	return access->kind == ACCESS_BULK && !entry->caller;
}

static bool has_lines_only(const struct counted *entry, const struct access *access)
{
	(void)entry;
	return access->kind == ACCESS_UNKNOWN && access->reason == REASON_LINES_ONLY;
}

static bool is_made_at_run_time(const struct counted *entry, const struct access *access)
{
	(void)access;
	return entry->dso && starts_with(entry->dso->short_name, "[JIT]");
}

static bool is_unsure(const struct counted *entry, const struct access *access)
{
	(void)access;
	return entry->dso && entry->dso->unsure;
}

/* Samples in classes that are only declared are reported from this percentage of all samples on. */
#define DECLARED_SHARE_MIN 5

/* True if the report shows the entry's DSO. Without `shown`, it shows all. */
static bool is_shown(const struct counted *entry, const struct shown_samples *shown)
{
	size_t object = entry->dso ? entry->dso->id + 1UL : 0;

	return !shown || (object < shown->count && shown->of_dso[object]);
}

/* Returns the class of the largest counted sample in a class that is only declared, and sets
 * *samples to the number of samples in all such classes. Only shown DSOs count. NULL: there is
 * none. */
static const struct declared_class *declared_class(const struct input *input,
						   const struct shown_samples *shown,
						   uint64_t *samples)
{
	const struct resolution *resolution = input->resolution;
	const struct counted *best = NULL;
	const char *name = NULL;

	*samples = 0;
	for (size_t i = 0; i < input->counts->count; i++) {
		const struct counted *entry = &input->counts->entries[i];
		const struct resolved_place *place = &resolution->places[resolution->place_of[i]];

		if (!resolved_place_is_declared(place) || !is_shown(entry, shown))
			continue;
		*samples += entry->samples;
		if (!best || entry->samples > best->samples) {
			best = entry;
			name = type_strip(place->access.type)->name;
		}
	}
	return name ? resolution_declared_class(resolution, name) : NULL;
}

/* Appends how to get the fields of a class that is only declared. */
static void add_cure_of_declared(const struct declared_class *class, struct strbuf *text)
{
	_cleanup_free_ char *function = class->function ? symbol_demangle(class->function) : NULL;

	strbuf_add_format(text,
			  "in classes that are only declared in the units that use them, such as "
			  "%s: to get their fields, ",
			  class->name);
	if (class->dso && !class->has_debug_info)
		strbuf_add_format(text,
				  "install the debug information of %s, which has its virtual "
				  "table, or build it with -g",
				  class->dso->short_name);
	else if (class->dso && class->file)
		strbuf_add_format(
			text,
			"build %s of %s, which has its virtual table, with -g (with clang "
			"also -fstandalone-debug)",
			class->file, class->dso->short_name);
	else if (class->dso && class->function)
		strbuf_add_format(text, "build the file of %s that defines %s with -g",
				  class->dso->short_name, function ? function : class->function);
	else
		strbuf_add_string(
			text,
			"build the file that defines their virtual functions with -g, or with "
			"clang a file that uses them with -g -fstandalone-debug");
}

/* Counts the samples of the shown objects for which `is` is true. */
static uint64_t count_samples(const struct input *input, const struct shown_samples *shown,
			      bool (*is)(const struct counted *entry, const struct access *access))
{
	const struct resolution *resolution = input->resolution;
	uint64_t samples = 0;

	for (size_t i = 0; i < input->counts->count; i++) {
		const struct counted *entry = &input->counts->entries[i];
		const struct access *access = &resolution->places[resolution->place_of[i]].access;

		if (is(entry, access) && is_shown(entry, shown))
			samples += entry->samples;
	}
	return samples;
}

void trouble_text(const struct input_options *options, const struct input *input,
		  const struct shown_samples *shown, bool screen, unsigned int width,
		  struct strbuf *text)
{
	const struct resolution *resolution = input->resolution;
	uint64_t total = 0;

	for (size_t i = 0; !shown && i < input->counts->count; i++)
		total += input->counts->entries[i].samples;
	for (enum resolve_problem_kind kind = 0; kind < PROBLEM_KINDS; kind++) {
		struct trouble trouble = find_trouble(resolution, shown, kind);
		_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

		if (trouble.count) {
			size_t told;

			add_share(&line, trouble.samples, shown ? shown->total : total);
			told = add_trouble(&trouble, kind, options, screen, &line);
			add_line(text, &line, width, 0);
			if (options->verbose)
				add_details(&trouble, told, shown, width, screen ? 2 : 0, text);
		}
		trouble_deinit(&trouble);
	}
	total = shown ? shown->total : total;

	uint64_t lines_only = count_samples(input, shown, has_lines_only);
	uint64_t bulk = count_samples(input, shown, is_without_caller);
	uint64_t declared;
	const struct declared_class *class = declared_class(input, shown, &declared);
	uint64_t made = resolution->needs & NEED_TYPE
				? count_samples(input, shown, is_made_at_run_time)
				: 0;

	uint64_t unsure = count_samples(input, shown, is_unsure);

	if (unsure)
		add_remark(text, unsure, total, width,
			   "in files that may be other ones than the recorded, which have no "
			   "build id and are of another machine or younger (--symfs DIR names the "
			   "right ones)");
	if (lines_only)
		add_remark(text, lines_only, total, width,
			   "in code with line tables only: build with -g, not -g1 (Rust: -C "
			   "debuginfo=2)");
	if (class && declared * 100 >= total * DECLARED_SHARE_MIN) {
		_cleanup_strbuf_ struct strbuf what = STRBUF_INIT;

		add_cure_of_declared(class, &what);
		add_remark(text, declared, total, width, what.data);
	}
	if (made)
		add_remark(
			text, made, total, width,
			"in code that was made at run time (by a JIT compiler): it has no types");
	if (bulk && bulk * 100 >= total * BULK_SHARE_MIN)
		add_remark(text, bulk, total, width,
			   "in functions such as memset, whose callers would tell the types: "
			   "record with -g");
}

void trouble_print(const struct input_options *options, const struct input *input,
		   unsigned int width)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (options->quiet)
		return;
	trouble_text(options, input, NULL, true, width, &text);
	if (text.length)
		printf("\n%s", text.data);
}
