// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements trouble.h. */
#include "profiler/cli/trouble.h"

#include <dirent.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/cli/output.h"
#include "profiler/objects/dso.h"
#include "profiler/objects/dso_open.h"
#include "profiler/objects/kernel.h"
#include "report/text.h"

/* ---- packages with debug information ---- */

/* The package with an object's debug information is found by dpkg's lists of files and by the names
 * that Debian and Ubuntu give such packages. The network is not used. The lists
 * (INFO/PACKAGE[:ARCHITECTURE].list, a path a line) are read directly, which takes some
 * milliseconds; dpkg-query(1) takes ten times as long. */

#define LIST_SUFFIX ".list"

/* Returns the text of a file of this system, which the caller frees; NULL: it cannot be read. */
static char *read_text(const char *path, size_t *length)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t capacity = 0;
	ssize_t got = file ? getdelim(&text, &capacity, '\0', file) : -1;

	if (file && ferror(file))
		got = -1;
	if (file)
		fclose(file);
	if (got < 0) {
		free(text);
		return NULL;
	}
	*length = (size_t)got;
	return text;
}

/* Returns dpkg's folder; $DPKG_ADMINDIR is its own variable. Advice has names from its files. */
static const char *dpkg_folder(void)
{
	const char *admin = getenv("DPKG_ADMINDIR");

	return admin && *admin && folder_believe(admin) ? admin : "/var/lib/dpkg";
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

/* Returns whether a package's list has the path, as one of /lib if /usr was not merged. */
static bool lists_path(const char *text, size_t length, const char *path)
{
	return has_line(text, length, path) ||
	       (starts_with(path, "/usr/") && has_line(text, length, path + 4));
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

/* Sets names[i] to the package with the debug information of the file paths[i] ("libc6-dbg",
 * "zlib1g-dbgsym"), or to NULL if no package owns the file. The caller frees the names. */
static void debug_packages_find(const char *const *paths, size_t count, char **names)
{
	_cleanup_free_ char *folder = xasprintf("%s/info", dpkg_folder());
	DIR *lists_folder = opendir(folder);
	struct dirent *entry;
	size_t missing = count;

	memset(names, 0, count * sizeof(*names));
	while (lists_folder && missing && (entry = readdir(lists_folder))) {
		if (!is_list(entry->d_name))
			continue;
		search_list(folder, entry->d_name, paths, count, names);
		missing = sum_over(size_t, i, 0, count, !names[i]);
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

/* Returns whether apt(8) lacks the archive of debug information, which for Debian is one of its
 * own: the names of its lists, in a folder beside dpkg's, tell. False if there are no lists. They
 * also tell whether this is the unstable distribution, which has the next one's name. */
static bool lacks_debug_archive(bool *unstable)
{
	_cleanup_free_ char *path = xasprintf("%s/../apt/lists", dpkg_folder());
	DIR *folder = opendir(path);
	struct dirent *entry;
	bool any = folder, found = false;

	while (folder && !found && (entry = readdir(folder))) {
		found = strstr(entry->d_name, "debian-debug") || strstr(entry->d_name, "-debug_");
		*unstable |= strstr(entry->d_name, "_dists_sid_") ||
			     strstr(entry->d_name, "_dists_unstable_");
	}
	if (folder)
		closedir(folder);
	return any && !found;
}

/* Appends the line that lets apt(8) find -dbgsym packages, if it is missing. */
static void add_debug_archive(char *const *packages, size_t count, struct strbuf *text)
{
	size_t length = 0;
	_cleanup_free_ char *release = read_text("/etc/os-release", &length);
	const char *codename = release ? strstr(release, "\nVERSION_CODENAME=") : NULL;
	bool any = false, unstable = false;

	for (size_t i = 0; i < count; i++)
		any |= packages[i] && strstr(packages[i], "-dbgsym");
	if (!any || !codename || !has_line(release, length, "ID=debian") ||
	    !lacks_debug_archive(&unstable))
		return;
	codename = unstable ? "unstable" : codename + strlen("\nVERSION_CODENAME=");
	strbuf_add_format(text,
			  " (from deb http://deb.debian.org/debian-debug %.*s-debug main, a line "
			  "for /etc/apt/sources.list)",
			  (int)strcspn(codename, "\n"), codename);
}

/* ---- troubles ---- */

#define NAMES_SHOWN 4 /* of a list, unless all are asked for */

void shown_samples_add(struct shown_samples *shown, const struct input *input, size_t entry)
{
	const struct resolution *resolution = input->resolution;
	const struct dso *dso = entry_place(resolution, entry)->dso;
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
	bool unread; /* dso_unread_symbols() of one */
};

static void trouble_deinit(struct trouble *trouble)
{
	for (size_t i = 0; i < trouble->count; i++)
		free(trouble->packages[i]);
	free_all(trouble->packages, trouble->items);
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

	array_each (const struct resolve_problem, problem, resolution->problems,
		    resolution->problem_count) {
		uint64_t samples = samples_of(problem, shown);
		bool unread = problem->dso && dso_unread_symbols(problem->dso);

		if (problem->kind != kind || (!samples && !unread))
			continue;
		trouble.unread |= unread;
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
	size_t packaged = sum_over(size_t, i, 0, trouble->count, packages[i] != NULL);

	strbuf_add_format(text, " %s in objects without debug information: ",
			  trouble->samples == 1 ? "is" : "are");
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
		if (own)
			continue;
		add_debug_archive(packages, trouble->count, text);
		if (!urls || !*urls)
			strbuf_add_format(
				text, ", or DEBUGINFOD_URLS=%s%s", debug_package_server(),
				dso_has_debuginfod() ? "" : " (needs apt install libdebuginfod1)");
		else if (!dso_has_debuginfod())
			strbuf_add_string(text, ", or libdebuginfod1, which DEBUGINFOD_URLS needs");
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

/* Appends that the kernel lacks its symbols or types, which vmlinux or `other` would have. */
static void add_no_vmlinux(const struct trouble *trouble, const char *lacked, const char *other,
			   struct strbuf *text)
{
	_cleanup_free_ char *package = kernel_debug_package(trouble->items[0]->dso->release);

	strbuf_add_format(text, " in the kernel: no %s without vmlinux ", lacked);
	if (package)
		strbuf_add_format(text, "(install %s) ", package);
	strbuf_add_format(text, "or %s: see dtprof-report(1) KERNEL", other);
}

/* Returns whether the user named files of the kernel. */
static bool names_kernel(const struct dso_options *options)
{
	return options->vmlinux || options->kallsyms || options->btf;
}

/* Returns whether the message of the first problem is shown in full, with its build ids and paths.
 * Problems with a kernel are shown in full if the user named the kernel's files, or if there is a
 * list of its symbols that cannot be used. */
static bool tells_all(const struct trouble *trouble, enum resolve_problem_kind kind,
		      const struct dso_options *options)
{
	if (kind <= PROBLEM_KERNEL_TYPES)
		return names_kernel(options) || (kind == PROBLEM_KERNEL_SYMBOLS &&
						 dso_refused_symbols(trouble->items[0]->dso));
	if (kind == PROBLEM_SYMBOL_MAP || kind == PROBLEM_COMPANION)
		return true;
	return kind == PROBLEM_NO_FILE && trouble->count == 1 && trouble->items[0]->dso->refused;
}

/* Appends the line of a kind of trouble. Returns how many problems it shows in full: 0 or 1. */
static size_t add_trouble(const struct trouble *trouble, enum resolve_problem_kind kind,
			  const struct input_options *options, struct strbuf *text)
{
	bool whole = options->verbose;

	if (tells_all(trouble, kind, &options->dso)) {
		strbuf_add_format(text, ": %s", trouble->items[0]->message);
		if (trouble->count > 1 && !whole)
			strbuf_add_format(text, " (and %zu more: -v)", trouble->count - 1);
		return 1;
	}
	switch (kind) {
	case PROBLEM_KERNEL_HIDDEN:
		strbuf_add_string(text, " in the kernel: no symbols, its addresses were hidden "
					"when this was recorded (kernel.kptr_restrict)");
		break;
	case PROBLEM_KERNEL_SYMBOLS: add_no_vmlinux(trouble, "symbols", "kallsyms", text); break;
	case PROBLEM_KERNEL_TYPES: add_no_vmlinux(trouble, "types", "/proc/kcore", text); break;
	case PROBLEM_NO_BPF:
		add_objects(trouble,
			    " in BPF programs and trampolines without code in the recording (root "
			    "records it): ",
			    whole, text);
		break;
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
		if (trouble->count == 1) {
			strbuf_add_format(text, ": %s", trouble->items[0]->message);
			return 1;
		}
		strbuf_add_format(text, " %s debug information that ",
				  trouble->samples == 1 ? "has" : "have");
		add_objects(trouble,
			    kind == PROBLEM_NO_DEBUG_FILE
				    ? "continues in files which are not there (-v names them): "
				    : "cannot be read (-v says why): ",
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

/* Returns whether the share of the samples is printed as 0.0%. */
static bool is_nothing(uint64_t samples, uint64_t total)
{
	return samples * 2000 < total;
}

/* Lines about samples, each followed by its details. */
struct remark {
	uint64_t samples;
	size_t place; /* of several with as many samples, the first added comes first */
	char *text;
};

struct remarks {
	struct remark *items;
	size_t count, capacity;
	uint64_t total; /* of all samples */
	unsigned int width;
	bool verbose;
};

static void keep_remark(struct remarks *remarks, uint64_t samples, struct strbuf *text)
{
	array_reserve(remarks->items, remarks->count, remarks->capacity);
	remarks->items[remarks->count] = (struct remark){ .samples = samples,
							  .place = remarks->count,
							  .text = xstrdup(text->data) };
	remarks->count++;
	strbuf_reset(text);
}

/* Adds a line about samples: "12 samples (3.0%) in code ...". */
static void add_remark(struct remarks *remarks, uint64_t samples, const char *what)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_TEXT, text = STRBUF_TEXT;

	if (is_nothing(samples, remarks->total) && !remarks->verbose)
		return;
	add_share(&line, samples, remarks->total);
	strbuf_add_format(&line, " %s", what);
	add_line(&text, &line, remarks->width, 0);
	keep_remark(remarks, samples, &text);
}

COMPARISON(compare_remarks, struct remark, DESCENDING(samples) ASCENDING(place))

/* Appends the remarks, those about the most samples first, and frees them. */
static void end_remarks(struct remarks *remarks, struct strbuf *text)
{
	array_sort(remarks->items, remarks->count, compare_remarks);
	for (size_t i = 0; i < remarks->count; i++) {
		strbuf_add_trusted(text, remarks->items[i].text);
		free(remarks->items[i].text);
	}
	free(remarks->items);
}

/* Appends a line for each object, with its own samples and the whole reason. `first` is the index
 * of the first problem whose whole message the line above has not shown. */
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

/* A kernel or code without types or symbols is reported from these percentages on. */
#define KERNEL_SHARE_MIN   5
#define NO_TYPES_SHARE_MIN 5

/* Samples in bulk memory functions are a trouble if they are at least this percentage of all. */
#define BULK_SHARE_MIN 5

static bool is_without_caller(const struct counted *entry, const struct access *access)
{
	return access->kind == ACCESS_BULK && !entry->caller;
}

static bool has_lines_only(const struct counted *entry _unused_, const struct access *access)
{
	return access->kind == ACCESS_UNKNOWN && access->reason == REASON_LINES_ONLY;
}

static bool has_no_types(const struct counted *entry _unused_, const struct access *access)
{
	return access->kind == ACCESS_UNKNOWN && access->reason == REASON_NO_TYPES;
}

/* Code of a JIT compiler, in memory or in a file that perf inject has made of a function. */
static bool is_made_at_run_time(const struct counted *entry, const struct access *access)
{
	const char *name = entry->dso ? entry->dso->short_name : "";
	bool unknown =
		access->reason == REASON_NO_FUNCTION || access->reason == REASON_NO_DEBUG_INFO;

	return starts_with(name, "[JIT]") ||
	       (unknown && starts_with(name, "jitted-") && ends_with(name, ".so"));
}

static bool has_no_function(const struct counted *entry, const struct access *access)
{
	return access->kind == ACCESS_UNKNOWN && access->reason == REASON_NO_FUNCTION &&
	       entry->dso && !dso_is_kernel(entry->dso) && !is_made_at_run_time(entry, access);
}

static bool is_not_decoded(const struct counted *entry, const struct access *access)
{
	return entry->dso && access->reason == REASON_NO_CODE &&
	       (access->kind == ACCESS_UNKNOWN || access->kind == ACCESS_NO_CODE);
}

static bool is_unsure(const struct counted *entry, const struct access *access _unused_)
{
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
 * *samples to the number of samples in all such classes. Only shown DSOs count. NULL: none. */
static const struct declared_class *declared_class(const struct input *input,
						   const struct shown_samples *shown,
						   uint64_t *samples)
{
	const struct resolution *resolution = input->resolution;
	const struct counted *best = NULL;
	const char *name = NULL;

	*samples = 0;
	array_indexed (const struct counted, entry, i, input->counts->entries,
		       input->counts->count) {
		const struct resolved_place *place = entry_place(resolution, i);

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
		strbuf_add_format(text,
				  "build %s of %s, which has its virtual table, with -g (with "
				  "clang also -fstandalone-debug)",
				  class->file, class->dso->short_name);
	else if (class->dso && class->function)
		strbuf_add_format(text, "build the file of %s that defines %s with -g",
				  class->dso->short_name, function ?: class->function);
	else
		strbuf_add_string(text,
				  "build the file that defines their virtual functions with -g, or "
				  "with clang a file that uses them with -g -fstandalone-debug");
}

/* Counts the samples of the shown objects for which `is` is true. */
static uint64_t count_samples(const struct input *input, const struct shown_samples *shown,
			      bool (*is)(const struct counted *entry, const struct access *access))
{
	const struct resolution *resolution = input->resolution;
	uint64_t samples = 0;

	array_indexed (const struct counted, entry, i, input->counts->entries,
		       input->counts->count) {
		const struct access *access = &entry_place(resolution, i)->access;

		if (is(entry, access) && is_shown(entry, shown))
			samples += entry->samples;
	}
	return samples;
}

/* ---- all samples without a type ---- */

/* The causes of samples without a type: objects' problems (resolve_problem_kind) first. */
enum cause {
	CAUSE_LINES_ONLY = PROBLEM_KINDS,
	CAUSE_NO_TYPES,
	CAUSE_NO_FUNCTION,
	CAUSE_MADE,
	CAUSE_OUTSIDE,
	CAUSE_NO_OBJECT,
	CAUSE_NOT_DECODED,
	CAUSE_CODE,
	CAUSES
};

/* Samples without a type are accounted for from this percentage of all samples on; those that only
 * the code itself leaves open, from the second one on. */
#define UNKNOWN_SHARE_MIN 5
#define OPEN_SHARE_MIN    20

/* Returns the first problem of the DSO; NULL: there is none. */
static const struct resolve_problem *problem_of(const struct resolution *resolution,
						const struct dso *dso)
{
	return array_find(i, resolution->problems, resolution->problem_count,
			  resolution->problems[i].dso == dso);
}

static enum cause cause_of(const struct resolution *resolution, const struct counted *entry,
			   const struct access *access)
{
	const struct resolve_problem *problem = problem_of(resolution, entry->dso);

	if (is_made_at_run_time(entry, access))
		return CAUSE_MADE;
	if (problem)
		return (enum cause)problem->kind;
	if (entry->dso && !strcmp(entry->dso->long_name, DSO_OUTSIDE_NAME))
		return CAUSE_OUTSIDE;
	if (!entry->dso)
		return CAUSE_NO_OBJECT;
	switch (access->reason) {
	case REASON_NO_OBJECT: return CAUSE_NO_OBJECT;
	case REASON_NO_CODE: return CAUSE_NOT_DECODED;
	case REASON_LINES_ONLY: return CAUSE_LINES_ONLY;
	case REASON_NO_TYPES: return CAUSE_NO_TYPES;
	case REASON_NO_FUNCTION: return CAUSE_NO_FUNCTION;
	default: return CAUSE_CODE;
	}
}

/* Appends "node without debug information", or "3 objects without ..." for several. */
static void add_cause(const struct trouble *trouble, unsigned int cause, struct strbuf *text)
{
	static const char *const texts[] = {
		[PROBLEM_KERNEL_HIDDEN] = "kernel whose addresses were hidden",
		[PROBLEM_KERNEL_SYMBOLS] = "kernel without symbols",
		[PROBLEM_KERNEL_TYPES] = "kernel without vmlinux",
		[PROBLEM_NO_BPF] = "without code in the recording",
		[PROBLEM_NO_FILE] = "gone or replaced",
		[PROBLEM_SYMBOL_MAP] = "whose symbol map is not used",
		[PROBLEM_NO_DEBUG_INFO] = "without debug information",
		[PROBLEM_NO_DEBUG_FILE] = "without a file of its debug information",
		[PROBLEM_COMPANION] = "whose companion is not used",
		[PROBLEM_OTHER] = "whose debug information cannot be read",
		[CAUSE_LINES_ONLY] = "code with line tables only",
		[CAUSE_NO_TYPES] = "code whose debug information has no types",
		[CAUSE_NO_FUNCTION] = "functions that the debug information lacks",
		[CAUSE_MADE] = "code made at run time",
		[CAUSE_OUTSIDE] = "code outside of the PID namespace",
		[CAUSE_NO_OBJECT] = "code in no file",
		[CAUSE_NOT_DECODED] = "instructions that are not decoded",
		[CAUSE_CODE] = "accesses whose type the code does not show",
	};

	_Static_assert(COUNT_OF(texts) == CAUSES, "a text for each cause");
	const char *text_of_cause = texts[cause];

	if (cause == PROBLEM_NO_FILE && trouble->items[0]->dso->recorded_elsewhere)
		text_of_cause = "of another machine, not here";
	if (cause >= PROBLEM_NO_BPF && cause < PROBLEM_KINDS) {
		if (trouble->count == 1)
			strbuf_add_format(text, "%s ", trouble->items[0]->dso->short_name);
		else
			strbuf_add_format(text, "%zu objects ", trouble->count);
	}
	strbuf_add_string(text, text_of_cause);
}

/* The samples without a type: all, by cause, and by object those of its problems. */
struct account {
	uint64_t unknown, by_cause[CAUSES];
	struct shown_samples lacking;
};

/* Returns whether the entry is of blocked time for a lock or object that is known. */
static bool waits_for_known(const struct resolution *resolution, const struct counted *entry)
{
	uint32_t wait = resolution->wait_of ? resolution->wait_of[entry->chain] : 0;

	return wait && *resolution->waits[wait - 1].type != '(';
}

static struct account account_of(const struct input *input, const struct shown_samples *shown)
{
	const struct resolution *resolution = input->resolution;
	struct account account = { 0 };

	array_indexed (const struct counted, entry, i, input->counts->entries,
		       input->counts->count) {
		const struct access *access = &entry_place(resolution, i)->access;

		if ((access->kind != ACCESS_UNKNOWN && access->kind != ACCESS_NO_CODE) ||
		    !is_shown(entry, shown) || waits_for_known(resolution, entry))
			continue;
		enum cause cause = cause_of(resolution, entry, access);

		if ((unsigned int)cause < PROBLEM_KINDS)
			shown_samples_add(&account.lacking, input, i);
		account.by_cause[cause] += entry->samples;
		account.unknown += entry->samples;
	}
	return account;
}

/* Appends the shares of all samples without a type: "76.0% of the samples have no type: 44.1% node
 * without debug information, 20.9% kernel without vmlinux, 11.0% code made at run time". */
static void add_account(const struct input *input, struct account *account,
			const struct remarks *remarks, struct strbuf *text)
{
	uint64_t *by_cause = account->by_cause, unknown = account->unknown, total = remarks->total;
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	if (unknown * 100 <
	    total * (by_cause[CAUSE_CODE] == unknown ? OPEN_SHARE_MIN : UNKNOWN_SHARE_MIN))
		return;
	if (unknown == total && !session_arch(input->session)) {
		_cleanup_free_ char *machine = header_value(input->session, "arch");

		strbuf_add_format(
			&line,
			"the samples have no type: they are of %s, and types are found in code of "
			"x86-64 and arm64 only",
			machine ?: "another machine");
		add_line(text, &line, remarks->width, 0);
		return;
	}
	strbuf_add_format(&line,
			  "%.1f%% of the samples have no type: ", percent_of(unknown, total));
	for (bool first = true;; first = false) {
		unsigned int most = 0;

		for (unsigned int cause = 1; cause < CAUSES; cause++)
			most = by_cause[cause] > by_cause[most] ? cause : most;
		if (!by_cause[most] || (!first && is_nothing(by_cause[most], total)))
			break;

		struct trouble trouble =
			most < PROBLEM_KINDS ? find_trouble(input->resolution, &account->lacking,
							    (enum resolve_problem_kind)most)
					     : (struct trouble){ 0 };

		strbuf_add_format(&line, "%s%.1f%% ", first ? "" : ", ",
				  percent_of(by_cause[most], total));
		add_cause(&trouble, most, &line);
		trouble_deinit(&trouble);
		by_cause[most] = 0;
	}
	add_line(text, &line, remarks->width, 0);
}

/* Remarks on samples in code without types, in declared classes, and in bulk functions. */
static void add_remarks(const struct input *input, const struct shown_samples *shown,
			struct remarks *remarks)
{
	uint64_t total = remarks->total, declared;
	uint64_t lines_only = count_samples(input, shown, has_lines_only);
	uint64_t no_types = count_samples(input, shown, has_no_types);
	uint64_t no_function = count_samples(input, shown, has_no_function);
	uint64_t bulk = count_samples(input, shown, is_without_caller);
	const struct declared_class *class = declared_class(input, shown, &declared);
	uint64_t made = input->resolution->needs & NEED_TYPE
				? count_samples(input, shown, is_made_at_run_time)
				: 0;

	uint64_t undecoded = count_samples(input, shown, is_not_decoded);
	uint64_t unsure = count_samples(input, shown, is_unsure);

	if (undecoded) {
		_cleanup_free_ char *decoder = resolution_decoder();
		_cleanup_free_ char *what = xasprintf(
			"in instructions that are not decoded: those of 32-bit programs, and those "
			"that %s does not know, but a newer one may (package libcapstone)",
			decoder);

		add_remark(remarks, undecoded, what);
	}

	if (unsure)
		add_remark(remarks, unsure,
			   "in files that may be other ones than the recorded, which have no build "
			   "id and are of another machine, or younger or changed since (--symfs "
			   "DIR names the right ones)");
	if (lines_only)
		add_remark(remarks, lines_only,
			   "in code with line tables only: build with -g, not -g1 (Rust: -C "
			   "debuginfo=2)");
	if (no_types && no_types * 100 >= total * NO_TYPES_SHARE_MIN)
		add_remark(remarks, no_types,
			   "in code whose debug information describes no types: assemblers and the "
			   "compilers of OCaml and Haskell write only functions and lines, and "
			   "that of Swift no members, whatever the options (-s srcline shows "
			   "lines); crystal build needs --debug");
	if (no_function && no_function * 100 >= total * NO_TYPES_SHARE_MIN)
		add_remark(remarks, no_function,
			   "in functions that the debug information of their object lacks: their "
			   "sources or static libraries were compiled without it");
	if (class && declared * 100 >= total * DECLARED_SHARE_MIN) {
		_cleanup_strbuf_ struct strbuf what = STRBUF_INIT;

		add_cure_of_declared(class, &what);
		add_remark(remarks, declared, what.data);
	}
	if (made)
		add_remark(
			remarks, made,
			"in code that was made at run time (by a JIT compiler): it has no types");
	if (bulk && bulk * 100 >= total * BULK_SHARE_MIN)
		add_remark(remarks, bulk,
			   "in functions such as memset, whose callers would tell the types: "
			   "record with -g");
}

void trouble_text(const struct input_options *options, const struct input *input,
		  const struct shown_samples *shown, bool screen, unsigned int width,
		  struct strbuf *text)
{
	struct remarks remarks = { .total = shown ? shown->total : 0,
				   .width = width,
				   .verbose = options->verbose };

	for (size_t i = 0; !shown && i < input->counts->count; i++)
		remarks.total += input->counts->entries[i].samples;
	bool types = input->resolution->needs & NEED_TYPE && remarks.total;
	struct account account = types ? account_of(input, shown) : (struct account){ 0 };

	for (enum resolve_problem_kind kind = 0; kind < PROBLEM_KINDS; kind++) {
		/* the samples that a problem leaves without a type, as in the account of these */
		const struct shown_samples *counted =
			account.by_cause[kind] ? &account.lacking : shown;
		struct trouble trouble = find_trouble(input->resolution, counted, kind);
		_cleanup_strbuf_ struct strbuf line = STRBUF_TEXT, lines = STRBUF_TEXT;
		bool matters = options->verbose || trouble.unread ||
			       (kind > PROBLEM_KERNEL_TYPES
					? !is_nothing(trouble.samples, remarks.total)
					: names_kernel(&options->dso) ||
						  trouble.samples * 100 >=
							  remarks.total * KERNEL_SHARE_MIN);

		if (trouble.count && matters) {
			add_share(&line, trouble.samples, remarks.total);

			size_t told = add_trouble(&trouble, kind, options, &line);

			add_line(&lines, &line, width, 0);
			if (options->verbose)
				add_details(&trouble, told, counted, width, screen ? 2 : 0, &lines);
			keep_remark(&remarks, trouble.samples, &lines);
		}
		trouble_deinit(&trouble);
	}
	add_remarks(input, shown, &remarks);
	if (types)
		add_account(input, &account, &remarks, text);
	end_remarks(&remarks, text);
	shown_samples_deinit(&account.lacking);
}

void trouble_print(const struct input_options *options, const struct input *input,
		   unsigned int width)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	if (options->quiet)
		return;
	trouble_text(options, input, NULL, true, width, &text);
	if (text.length)
		putchar('\n'), print_text(&text);
}
