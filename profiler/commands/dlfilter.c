// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements dlfilter.h.
 *
 * The structures that the library shares with its caller are those of perf's <perf/perf_dlfilter.h>
 * (linux/tools/perf/include), member by member; the layout is checked below. The data that a
 * library gets is valid until its filter_event() returns, as perf promises.
 *
 * In order: the interface, the functions that a library calls, its samples, loading, the list.
 */
#include "profiler/commands/dlfilter.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disasm/insn.h"
#include "dwarf/debug.h"
#include "dwarf/elf/image.h"
#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"
#include "profiler/base/text.h"
#include "profiler/cli/output.h"
#include "profiler/ingest/sample.h"

/* ---- the interface ---- */

struct perf_dlfilter_sample {
	uint32_t size; /* of this structure */
	uint16_t ins_lat, p_stage_cyc;
	uint64_t ip;
	int32_t pid, tid;
	uint64_t time, addr, id, stream_id, period, weight, transaction, insn_cnt, cyc_cnt;
	int32_t cpu;
	uint32_t flags; /* of branches that a hardware trace has; 0 here */
	uint64_t data_src, phys_addr, data_page_size, code_page_size, cgroup;
	uint8_t cpumode;
	uint8_t addr_correlates_sym; /* resolve_addr() may be called */
	uint16_t misc;
	uint32_t raw_size;
	const void *raw_data;
	uint64_t brstack_nr;
	const struct perf_branch_entry *brstack;
	uint64_t raw_callchain_nr;
	const uint64_t *raw_callchain;
	const char *event;
	int32_t machine_pid, vcpu; /* of a guest; 0 and -1 here */
};

struct perf_dlfilter_al {
	uint32_t size; /* of this structure */
	uint32_t symoff;
	const char *sym;
	uint64_t addr; /* in the file of the object, as sym_start and sym_end are */
	uint64_t sym_start, sym_end;
	const char *dso;
	uint8_t sym_binding; /* STB_* */
	uint8_t is_64_bit;
	uint8_t is_kernel_ip;
	uint32_t buildid_size;
	const uint8_t *buildid;
	/* Only resolve_ip() fills these: */
	uint8_t filtered;
	const char *comm;
	void *priv; /* the caller's */
};

/* Room for the functions of the interface, also for future ones, as in perf. */
#define INTERFACE_FUNCTIONS 128

struct perf_dlfilter_fns {
	const struct perf_dlfilter_al *(*resolve_ip)(void *context);
	const struct perf_dlfilter_al *(*resolve_addr)(void *context);
	char **(*args)(void *context, int *count);
	int32_t (*resolve_address)(void *context, uint64_t address, struct perf_dlfilter_al *al);
	const uint8_t *(*insn)(void *context, uint32_t *length);
	const char *(*srcline)(void *context, uint32_t *line_number);
	struct perf_event_attr *(*attr)(void *context);
	int32_t (*object_code)(void *context, uint64_t ip, void *buffer, uint32_t length);
	void (*al_cleanup)(void *context, struct perf_dlfilter_al *al);
	void *(*reserved[INTERFACE_FUNCTIONS - 9])(void *);
};

_Static_assert(sizeof(struct perf_dlfilter_sample) == 208, "the layout is perf's");
_Static_assert(sizeof(struct perf_dlfilter_al) == 88, "the layout is perf's");
_Static_assert(sizeof(struct perf_dlfilter_fns) == INTERFACE_FUNCTIONS * sizeof(void *),
	       "the layout is perf's");

typedef int filter_function(void *data, const struct perf_dlfilter_sample *sample, void *context);

struct dlfilter {
	char *path; /* for messages */
	void *library;
	/* The library's functions; NULL: the library does not have this one. */
	int (*start)(void **data, void *context);
	int (*stop)(void *data, void *context);
	filter_function *filter_event, *filter_event_early;
	const char *(*filter_description)(const char **long_description);
	void *data; /* set by start() */

	const struct dlfilter_options *arguments;
	const struct input_options *options;
	struct input *input;
	struct decoder *decoder;       /* NULL: not created yet */
	struct debug_reader **readers; /* by DSO id, each opened when it is first asked for */
	size_t reader_count, reader_capacity;

	/* The sample that the library is asked about. NULL outside of its filter functions. */
	const struct sample *sample;
	const struct result *result;
	bool accepted;
	struct perf_dlfilter_al ip_place, address_place;
	struct perf_event_attr attr; /* a copy, as the library may change it */
	struct perf_branch_entry *branches;
	size_t branch_capacity;
	uint64_t *chain;
	size_t chain_capacity;
};

/* Returns whether there is an error, and frees it without a message. */
static bool failed(struct error *error)
{
	bool result = error;

	error_destroy(error);
	return result;
}

/* ---- the functions that a library calls ---- */

/* Returns the filter, or NULL if the library calls outside of its filter functions. */
static struct dlfilter *filter_of(void *context)
{
	struct dlfilter *filter = context;

	return filter && filter->sample ? filter : NULL;
}

static struct place locate(struct dlfilter *filter, uint64_t address)
{
	char level = session_sample_level(filter->sample);
	struct place place;

	/* a sample of user space may have an address of the kernel, and the other way round */
	if (level == 'k' || level == '.')
		level = address_is_kernel(address) ? 'k' : '.';
	session_locate(filter->input->session, filter->sample, level, address, &place);
	return place;
}

static bool is_64_bit(const struct dlfilter *filter, struct dso *dso)
{
	const char *problem;
	const struct elf_image *image = dso_image(dso, &filter->options->dso, &problem);
	size_t size;
	const uint8_t *bytes = image ? elf_image_data(image, &size) : NULL;

	return !bytes || size <= EI_CLASS || bytes[EI_CLASS] == ELFCLASS64;
}

/* Describes an address. */
static struct perf_dlfilter_al describe(struct dlfilter *filter, uint64_t address)
{
	struct place place = locate(filter, address);
	struct perf_dlfilter_al al = { .size = sizeof(al),
				       .addr = place.dso ? place.offset : address,
				       .is_kernel_ip = address_is_kernel(address) };
	const struct symbol *symbol;

	if (!place.dso)
		return al;
	al.dso = place.dso->long_name;
	al.is_64_bit = is_64_bit(filter, place.dso);
	al.buildid_size = place.dso->build_id.size;
	al.buildid = place.dso->build_id.bytes;
	symbol = dso_symbol_at(place.dso, &filter->options->dso, place.address);
	if (!symbol)
		symbol = dso_data_symbol_at(place.dso, &filter->options->dso, place.address);
	if (!symbol)
		return al;
	al.sym = resolve_symbol_name(filter->input->resolution, symbol->name);
	al.symoff = (uint32_t)(place.address - symbol->address);
	al.sym_start = place.offset - (place.address - symbol->address);
	al.sym_end = al.sym_start + symbol->size;
	al.sym_binding = symbol->binding;
	return al;
}

static const struct perf_dlfilter_al *resolve_ip(void *context)
{
	struct dlfilter *filter = filter_of(context);

	if (!filter)
		return NULL;
	if (!filter->ip_place.size) {
		filter->ip_place = describe(filter, filter->sample->ip);
		filter->ip_place.comm = filter->result->comm;
		filter->ip_place.filtered = !filter->accepted;
	}
	return &filter->ip_place;
}

/*
 * Returns whether the data address of the sample belongs to a symbol by perf's definition: it is
 * the target of each branch, or the address of a page fault.
 */
static bool address_correlates(const struct sample *sample)
{
	const struct perf_event_attr *attr = &sample->event->attr;

	if (!(sample->type & PERF_SAMPLE_ADDR))
		return false;
	if (attr->type == PERF_TYPE_SOFTWARE)
		return attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
		       attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		       attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	return attr->type == PERF_TYPE_HARDWARE &&
	       attr->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS && attr->sample_period == 1;
}

static const struct perf_dlfilter_al *resolve_addr(void *context)
{
	struct dlfilter *filter = filter_of(context);

	if (!filter || !address_correlates(filter->sample))
		return NULL;
	if (!filter->address_place.size)
		filter->address_place = describe(filter, filter->sample->address);
	return &filter->address_place;
}

/* Unlike the other functions, this one may be called from start() and stop(). */
static char **arguments_of(void *context, int *count)
{
	struct dlfilter *filter = context;

	if (!filter || !count)
		return NULL;
	*count = (int)filter->arguments->count;
	return filter->arguments->arguments;
}

static int32_t resolve_address(void *context, uint64_t address, struct perf_dlfilter_al *al)
{
	struct dlfilter *filter = filter_of(context);
	struct perf_dlfilter_al found;
	uint32_t size;

	if (!filter || !al)
		return -1;
	/* the library was compiled with a header that may know fewer members */
	size = al->size < sizeof(found) ? al->size : sizeof(found);
	if (size < sizeof(found.size))
		return -1;
	found = describe(filter, address);
	found.size = size;
	memcpy(al, &found, size);
	return 0;
}

/* Frees nothing, because the recording owns the strings of resolve_address(). */
static void clean_up(void *context, struct perf_dlfilter_al *al)
{
	(void)context;
	(void)al;
}

/* Returns the bytes of the object at an address and sets *available to their number; or NULL. */
static const uint8_t *object_bytes(struct dlfilter *filter, uint64_t address, size_t *available)
{
	struct place place = locate(filter, address);
	const struct dso_options *dso = &filter->options->dso;
	const char *problem;
	const struct elf_image *image = place.dso ? dso_image(place.dso, dso, &problem) : NULL;
	const struct symbol *symbol;

	if (!image)
		return NULL;
	symbol = dso_is_kernel(place.dso) ? dso_symbol_at(place.dso, dso, place.address) : NULL;
	if (symbol)
		dso_apply_alternatives(place.dso, &symbol->address, 1);
	return elf_image_bytes(image, place.address, available);
}

static const uint8_t *instruction(void *context, uint32_t *length)
{
	struct dlfilter *filter = filter_of(context);
	const struct arch *arch = filter ? session_arch(filter->input->session) : NULL;
	size_t available;
	const uint8_t *bytes;

	if (!arch || !length)
		return NULL;
	bytes = object_bytes(filter, filter->sample->ip, &available);
	if (!bytes || (!filter->decoder && failed(decoder_create(arch, &filter->decoder))))
		return NULL;
	*length = decoder_length(filter->decoder, bytes, available);
	return *length ? bytes : NULL;
}

static struct debug_reader *reader_of(struct dlfilter *filter, struct dso *dso)
{
	const char *problem;
	struct debug_object *debug = dso_debug(dso, &filter->options->dso, &problem);

	while (filter->reader_count <= dso->id) {
		array_reserve(filter->readers, filter->reader_count, filter->reader_capacity);
		filter->readers[filter->reader_count++] = NULL;
	}
	if (debug && !filter->readers[dso->id] &&
	    failed(debug_reader_open(debug, &filter->readers[dso->id])))
		filter->readers[dso->id] = NULL;
	return filter->readers[dso->id];
}

static const char *source_line(void *context, uint32_t *number)
{
	struct dlfilter *filter = filter_of(context);
	struct place place;
	struct debug_reader *reader;
	const char *file;
	unsigned int line;

	if (!filter || !number)
		return NULL;
	place = locate(filter, filter->sample->ip);
	reader = place.dso ? reader_of(filter, place.dso) : NULL;
	if (!reader || !debug_reader_line(reader, place.address, &file, &line))
		return NULL;
	*number = line;
	return file;
}

static struct perf_event_attr *attributes(void *context)
{
	struct dlfilter *filter = filter_of(context);

	if (!filter)
		return NULL;
	filter->attr = filter->sample->event->attr;
	return &filter->attr;
}

static int32_t object_code(void *context, uint64_t ip, void *buffer, uint32_t length)
{
	struct dlfilter *filter = filter_of(context);
	size_t available;
	const uint8_t *bytes;

	if (!filter || !buffer || length > INT32_MAX)
		return -1;
	bytes = object_bytes(filter, ip, &available);
	if (!bytes)
		return -1;
	if (length > available)
		length = (uint32_t)available;
	memcpy(buffer, bytes, length);
	return (int32_t)length;
}

static const struct perf_dlfilter_fns functions = {
	.resolve_ip = resolve_ip,
	.resolve_addr = resolve_addr,
	.args = arguments_of,
	.resolve_address = resolve_address,
	.insn = instruction,
	.srcline = source_line,
	.attr = attributes,
	.object_code = object_code,
	.al_cleanup = clean_up,
};

/* ---- samples ---- */

static void copy_branches(struct dlfilter *filter, struct perf_dlfilter_sample *shown)
{
	uint64_t count = filter->sample->branches.count;

	if (filter->branch_capacity < count) {
		filter->branches =
			xrealloc_array(filter->branches, count, sizeof(*filter->branches));
		filter->branch_capacity = count;
	}
	for (uint64_t i = 0; i < count; i++)
		filter->branches[i] = sample_branch(filter->sample, i);
	shown->brstack_nr = count;
	shown->brstack = count ? filter->branches : NULL;
}

static void copy_chain(struct dlfilter *filter, struct perf_dlfilter_sample *shown)
{
	uint64_t count = filter->sample->callchain.count;

	if (filter->chain_capacity < count) {
		filter->chain = xrealloc_array(filter->chain, count, sizeof(*filter->chain));
		filter->chain_capacity = count;
	}
	for (uint64_t i = 0; i < count; i++)
		filter->chain[i] = sample_word(&filter->sample->callchain, i);
	shown->raw_callchain_nr = count;
	shown->raw_callchain = count ? filter->chain : NULL;
}

/*
 * Returns the sample as the library sees it. As in perf, fields that were not recorded are 0,
 * except the time and the ids: all their bits are set.
 */
static struct perf_dlfilter_sample shown_sample(struct dlfilter *filter)
{
	const struct sample *sample = filter->sample;
	bool has_id = sample->type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER);
	struct perf_dlfilter_sample shown = {
		.size = sizeof(shown),
		.ins_lat = (uint16_t)sample->weight2,
		.p_stage_cyc = (uint16_t)sample->weight3,
		.ip = sample->ip,
		.pid = sample->pid,
		.tid = sample->tid,
		.time = sample->type & PERF_SAMPLE_TIME ? sample->time : UINT64_MAX,
		.addr = sample->address,
		.id = has_id ? sample->id : UINT64_MAX,
		.stream_id = sample->type & PERF_SAMPLE_STREAM_ID ? sample->stream_id : UINT64_MAX,
		.period = sample->period,
		.weight = sample->weight,
		.transaction = sample->transaction,
		.cpu = sample->cpu,
		.data_src = sample->data_source,
		.phys_addr = sample->physical_address,
		.data_page_size = sample->data_page_size,
		.code_page_size = sample->code_page_size,
		.cgroup = sample->cgroup,
		.cpumode = sample->misc & PERF_RECORD_MISC_CPUMODE_MASK,
		.addr_correlates_sym = address_correlates(sample),
		.misc = sample->misc,
		.raw_size = (uint32_t)sample->raw.size,
		.raw_data = sample->raw.size ? sample->raw.data : NULL,
		.event = sample->event->name,
		.vcpu = -1,
	};

	copy_branches(filter, &shown);
	copy_chain(filter, &shown);
	return shown;
}

/* Returns an error that names the function of the library that failed. */
static struct error *failure(const struct dlfilter *filter, const char *function, int result)
{
	return error_create(ERROR_OTHER, "--dlfilter: %s() of %s failed with %d", function,
			    filter->path, result);
}

struct error *dlfilter_check(struct dlfilter *filter, enum dlfilter_stage stage,
			     const struct result *result, bool accepted, bool *keeps)
{
	bool early = stage == DLFILTER_EARLY;
	filter_function *function = early ? filter->filter_event_early : filter->filter_event;
	struct perf_dlfilter_sample shown;
	struct sample sample;
	int answer;

	*keeps = true;
	if (!function ||
	    !session_sample_at(filter->input->session, result->position, result->time, &sample))
		return NULL;
	filter->sample = &sample;
	filter->result = result;
	filter->accepted = accepted;
	filter->ip_place.size = filter->address_place.size = 0;
	shown = shown_sample(filter);
	answer = function(filter->data, &shown, filter);
	filter->sample = NULL;
	filter->result = NULL;
	*keeps = !answer;
	return answer < 0 ? failure(filter, early ? "filter_event_early" : "filter_event", answer)
			  : NULL;
}

struct error *dlfilter_start(struct dlfilter *filter, const struct input_options *options,
			     struct input *input)
{
	int result;

	filter->options = options;
	filter->input = input;
	result = filter->start ? filter->start(&filter->data, filter) : 0;
	return result < 0 ? failure(filter, "start", result) : NULL;
}

struct error *dlfilter_stop(struct dlfilter *filter)
{
	int result = filter->stop ? filter->stop(filter->data, filter) : 0;

	return result < 0 ? failure(filter, "stop", result) : NULL;
}

bool dlfilter_is_early(const struct dlfilter *filter)
{
	return filter->filter_event_early;
}

/* ---- loading ---- */

struct error *dlfilter_add_argument(void *data, const char *argument)
{
	struct dlfilter_options *options = data;

	/* one more for the NULL at the end */
	array_reserve(options->arguments, options->count + 1, options->capacity);
	options->arguments[options->count++] = xstrdup(argument);
	options->arguments[options->count] = NULL;
	return NULL;
}

void dlfilter_options_deinit(struct dlfilter_options *options)
{
	for (size_t i = 0; i < options->count; i++)
		free(options->arguments[i]);
	free(options->arguments);
}

/* The folders of perf's filters: beside its commands, and those of common builds. */
#define FILTER_FOLDERS 3

static void filter_folders(char *folders[FILTER_FOLDERS])
{
	const char *commands = getenv("PERF_EXEC_PATH"), *home = getenv("HOME");

	folders[0] = commands ? xasprintf("%s/dlfilters", commands) : NULL;
	folders[1] = home ? xasprintf("%s/libexec/perf-core/dlfilters", home) : NULL;
	folders[2] = xstrdup("/usr/libexec/perf-core/dlfilters");
}

/* Returns the path of a filter, or its name if only the dynamic linker can find it. */
static char *find_filter(const char *name)
{
	char *folders[FILTER_FOLDERS], *path = NULL;

	if (strchr(name, '/'))
		return xstrdup(name);
	if (!access(name, F_OK))
		return xasprintf("./%s", name);
	filter_folders(folders);
	for (size_t i = 0; i < FILTER_FOLDERS; i++) {
		_cleanup_free_ char *folder = folders[i];
		_cleanup_free_ char *candidate = folder ? xasprintf("%s/%s", folder, name) : NULL;

		if (candidate && !path && !access(candidate, F_OK)) {
			path = candidate;
			candidate = NULL;
		}
	}
	return path ? path : xstrdup(name);
}

/*
 * Returns the address of a symbol of the library itself, and sets *size. Returns NULL if only a
 * library that it uses has the symbol, or none has.
 */
static void *own_symbol(void *library, const char *name, size_t *size)
{
	struct link_map *own = NULL, *owner = NULL;
	const ElfW(Sym) *symbol = NULL;
	void *address = dlsym(library, name);
	Dl_info info;

	if (!address || dlinfo(library, RTLD_DI_LINKMAP, &own) ||
	    !dladdr1(address, &info, (void **)&owner, RTLD_DL_LINKMAP) || owner != own ||
	    !dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT))
		return NULL;
	*size = symbol ? symbol->st_size : 0;
	return address;
}

/*
 * Sets the pointer to a function of the library. POSIX allows storing the object pointer of
 * dlsym() in it.
 */
#define SET_FUNCTION(filter, name)                                                                 \
	do {                                                                                       \
		size_t size_of_code;                                                               \
		*(void **)&(filter)->name = own_symbol((filter)->library, #name, &size_of_code);   \
	} while (0)

/* Loads the library, sets the pointers to its functions, and gives it the pointers to ours. */
static struct error *load(struct dlfilter *filter)
{
	void *copy;
	size_t size;

	filter->library = dlopen(filter->path, RTLD_NOW);
	if (!filter->library)
		return error_create(ERROR_NOT_FOUND, "--dlfilter: cannot load %s", dlerror());
	SET_FUNCTION(filter, start);
	SET_FUNCTION(filter, stop);
	SET_FUNCTION(filter, filter_event);
	SET_FUNCTION(filter, filter_event_early);
	SET_FUNCTION(filter, filter_description);
	if (!filter->start && !filter->stop && !filter->filter_event && !filter->filter_event_early)
		return error_create(ERROR_FORMAT,
				    "--dlfilter: %s has no filter_event(), filter_event_early(), "
				    "start() or stop(): it is not a filter (perf-dlfilter(1))",
				    filter->path);
	copy = own_symbol(filter->library, "perf_dlfilter_fns", &size);
	if (copy)
		memcpy(copy, &functions, size < sizeof(functions) ? size : sizeof(functions));
	return NULL;
}

struct error *dlfilter_open(const struct dlfilter_options *options, struct dlfilter **result)
{
	struct dlfilter *filter = xcalloc(1, sizeof(*filter));
	struct error *error;

	filter->path = find_filter(options->file);
	filter->arguments = options;
	error = load(filter);
	if (error) {
		dlfilter_close(filter);
		return error;
	}
	*result = filter;
	return NULL;
}

void dlfilter_close(struct dlfilter *filter)
{
	if (!filter)
		return;
	for (size_t i = 0; i < filter->reader_count; i++)
		if (filter->readers[i])
			debug_reader_close(filter->readers[i]);
	free(filter->readers);
	decoder_destroy(filter->decoder);
	if (filter->library)
		dlclose(filter->library);
	free(filter->branches);
	free(filter->chain);
	free(filter->path);
	free(filter);
}

/* ---- the list ---- */

/* Returns whether a file is a library with a filter function, without running any of its code. */
static bool is_filter(const char *path)
{
	struct elf_image *image;
	bool result;

	if (failed(elf_image_open(path, &image)))
		return false;
	result = elf_image_type(image) == ET_DYN &&
		 (elf_image_symbol_named(image, "filter_event") ||
		  elf_image_symbol_named(image, "filter_event_early"));
	elf_image_close(image);
	return result;
}

/* Returns whether nobody but the user and root can have written the file. */
static bool is_trusted(const char *path)
{
	struct stat status;

	return !stat(path, &status) && (status.st_uid == geteuid() || !status.st_uid) &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH));
}

static void print_filter(const char *path, const char *name, bool verbose)
{
	struct dlfilter_options options = { .file = path };
	struct dlfilter *filter = NULL;
	const char *description = "(others may have written it: not loaded)", *more = NULL;

	if (is_trusted(path)) {
		description = "";
		if (failed(dlfilter_open(&options, &filter)))
			description = "(cannot be loaded)";
		else if (filter->filter_description)
			description = filter->filter_description(&more);
	}
	printf("  %-36s %s\n", name, description ? description : "");
	if (verbose && more)
		printf("%s\n", more);
	dlfilter_close(filter);
}

static void list_folder(const char *folder, bool verbose, size_t *count)
{
	struct dirent **entries;
	int entry_count = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < entry_count; i++) {
		_cleanup_free_ struct dirent *entry = entries[i];
		_cleanup_free_ char *path = xasprintf("%s/%s", folder, entry->d_name);

		if (!ends_with(entry->d_name, ".so") || !is_filter(path))
			continue;
		if (!(*count)++)
			printf("List of available dlfilters:\n");
		make_printable(entry->d_name, strlen(entry->d_name));
		print_filter(path, entry->d_name, verbose);
	}
	if (entry_count >= 0)
		free(entries);
}

void dlfilter_list(bool verbose)
{
	char *folders[FILTER_FOLDERS];
	size_t count = 0;

	list_folder(".", verbose, &count);
	filter_folders(folders);
	for (size_t i = 0; i < FILTER_FOLDERS; i++) {
		if (folders[i])
			list_folder(folders[i], verbose, &count);
		free(folders[i]);
	}
	if (!count)
		printf("No dlfilters here or in perf's folders (%s)\n",
		       "PERF_EXEC_PATH, ~/libexec/perf-core, /usr/libexec/perf-core");
}
