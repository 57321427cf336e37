// SPDX-License-Identifier: GPL-2.0-or-later
/* Events from the text after -e, and the names of generic events: see event.h. */
#include "profiler/record/event.h"

#include <ctype.h>
#include <fnmatch.h>
#include <linux/hw_breakpoint.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "profiler/ingest/format.h"

/* ---- the list ---- */

struct event_spec *event_list_add(struct event_list *list, const char *name)
{
	array_reserve(list->items, list->count, list->capacity);
	struct event_spec *spec = &list->items[list->count];

	*spec = (struct event_spec){ .name = xstrdup(name), .leader = list->count };
	spec->attr.size = sizeof(spec->attr);
	spec->attr.exclude_guest = 1;
	list->count++;
	return spec;
}

/* Returns the PMU from the list, which opens it on first use. */
static struct error *event_list_pmu(struct event_list *list, const char *root, const char *name,
				    struct pmu **result)
{
	for (size_t i = 0; i < list->pmu_count; i++) {
		if (strcmp(list->pmus[i]->name, name) == 0) {
			*result = list->pmus[i];
			return NULL;
		}
	}
	RETURN_ERROR(pmu_open(root, name, result));
	array_add(list->pmus, list->pmu_count, list->pmu_capacity) = *result;
	return NULL;
}

static void release_spec(struct event_spec *spec)
{
	free_all(spec->name, spec->symbol, spec->cgroup, spec->tracepoint, spec->probed);
}

static void truncate_list(struct event_list *list, size_t count)
{
	while (list->count > count)
		release_spec(&list->items[--list->count]);
}

void event_list_drop(struct event_list *list, size_t leader)
{
	size_t kept = 0, *places = xcalloc(list->count, sizeof(*places));

	/* A leader comes before its members, so its new index is known when they move. */
	array_indexed (struct event_spec, spec, i, list->items, list->count) {
		if (spec->leader == leader) {
			release_spec(spec);
			continue;
		}
		places[i] = kept;
		spec->leader = places[spec->leader];
		list->items[kept++] = *spec;
	}
	list->count = kept;
	free(places);
}

/* Makes another event report processes if the removed one did, preferably on all CPUs. */
static void hand_over_following(struct event_list *list, const struct perf_event_attr *from)
{
	struct perf_event_attr *to = list->count ? &list->items[0].attr : NULL;

	for (size_t i = 0; i < list->count; i++)
		if (!list->items[i].pmu || !list->items[i].pmu->cpus) {
			to = &list->items[i].attr;
			break;
		}
	if (!to || !from->mmap)
		return;
	to->mmap = to->comm = to->task = 1;
	to->mmap2 = from->mmap2;
	to->build_id = from->build_id;
	to->comm_exec = from->comm_exec;
	to->ksymbol = from->ksymbol;
	to->bpf_event = from->bpf_event;
	to->context_switch = from->context_switch;
	to->mmap_data = from->mmap_data;
	to->cgroup = from->cgroup;
	to->namespaces = from->namespaces;
}

void event_list_remove(struct event_list *list, size_t index)
{
	struct event_spec removed = list->items[index];
	size_t next = SIZE_MAX;

	memmove(&list->items[index], &list->items[index + 1],
		(list->count - index - 1) * sizeof(*list->items));
	list->count--;
	array_indexed (struct event_spec, spec, i, list->items, list->count) {
		if (spec->leader == index && i >= index) {
			next = next == SIZE_MAX ? i : next;
			spec->leader = next;
		} else if (spec->leader > index) {
			spec->leader--;
		}
	}
	if (next != SIZE_MAX) {
		struct perf_event_attr *attr = &list->items[next].attr;

		attr->disabled = removed.attr.disabled;
		attr->enable_on_exec = removed.attr.enable_on_exec;
		attr->freq = removed.attr.freq;
		attr->sample_period = removed.attr.sample_period;
		attr->sample_type = removed.attr.sample_type;
	}
	hand_over_following(list, &removed.attr);
	release_spec(&removed);
}

void event_list_ungroup(struct event_list *list, size_t leader)
{
	const struct perf_event_attr *first = &list->items[leader].attr;

	for (size_t i = leader; i < list->count; i++) {
		struct event_spec *spec = &list->items[i];

		if (spec->leader != leader)
			continue;
		spec->leader = i;
		spec->attr.disabled = first->disabled;
		spec->attr.enable_on_exec = first->enable_on_exec;
		if (!spec->group_read)
			continue;
		spec->attr.freq = first->freq;
		spec->attr.sample_period = first->sample_period;
		spec->attr.sample_type = first->sample_type;
	}
}

bool event_traces(const struct event_spec *spec)
{
	return spec->pmu && spec->pmu->traces;
}

bool event_list_traces(const struct event_list *list)
{
	return any_of(i, 0, list->count, event_traces(&list->items[i]));
}

bool event_is_cycles(const struct event_spec *spec)
{
	/* the upper half of a hybrid machine's config is the kind of core */
	return spec->attr.type == PERF_TYPE_HARDWARE &&
	       (uint32_t)spec->attr.config == PERF_COUNT_HW_CPU_CYCLES;
}

void event_fall_back(struct event_spec *spec)
{
	const char *modifiers =
		strrchr(spec->name, '/') ? strrchr(spec->name, '/') : strchr(spec->name, ':');
	char letters[16] = "";
	size_t count = 0;

	for (; modifiers && *modifiers && count < sizeof(letters) - 1; modifiers++)
		if (strchr("ukhGHI", *modifiers))
			letters[count++] = *modifiers;
	if (!spec->name_given) {
		char *name = xasprintf("cpu-clock%s%s", count ? ":" : "", letters);

		free(spec->name);
		spec->name = name;
	}
	spec->attr.type = PERF_TYPE_SOFTWARE;
	spec->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	spec->attr.precise_ip = 0;
	spec->highest_precision = false;
	spec->pmu = NULL;
}

void event_list_deinit(struct event_list *list)
{
	truncate_list(list, 0);
	for (size_t i = 0; i < list->pmu_count; i++)
		pmu_close(list->pmus[i]);
	free_all(list->items, list->pmus);
	*list = (struct event_list){ 0 };
}

/* ---- probes ---- */

static struct error *find_probes(const char *root, int64_t *type)
{
	if (sysfs_read_number(type, root, PMU_FOLDER "/uprobe/type"))
		return NULL;
	return error_create(ERROR_UNSUPPORTED,
			    "this kernel has no probes of programs (" PMU_FOLDER
			    "/uprobe), which Linux 4.17 with CONFIG_UPROBE_EVENTS has");
}

struct error *event_probes_check(const char *root)
{
	int64_t type;

	return find_probes(root, &type);
}

struct error *event_add_probe(struct event_list *list, const char *root,
			      const struct event_probe *probe)
{
	int64_t type;

	RETURN_ERROR(find_probes(root, &type));

	struct event_spec *spec = event_list_add(list, probe->name);

	spec->probed = xstrdup(probe->path);
	spec->registers = probe->registers;
	spec->call_graph = probe->callchain ? EVENT_CALL_GRAPH_FP : EVENT_CALL_GRAPH_NONE;
	spec->rate_given = spec->exclude_given = true;
	spec->attr.type = (uint32_t)type;
	spec->attr.uprobe_path = (uintptr_t)spec->probed;
	spec->attr.probe_offset = probe->offset;
	spec->attr.sample_period = 1;
	return NULL;
}

/* ---- names of generic events ---- */

struct generic_event {
	uint32_t type, config;
	const char *name;
	const char *alias;
};

static const struct generic_event generic_events[] = {
#define HARDWARE(id, name, alias) { PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id, name, alias },
#define SOFTWARE(id, name, alias) { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, name, alias },
	HARDWARE_EVENTS(HARDWARE) SOFTWARE_EVENTS(SOFTWARE)
};

/* config of a cache event is cache | operation << 8 | result << 16: perf_event_open(2). */
static const char *const cache_names[][3] = {
#define CACHE(id, ...) [PERF_COUNT_HW_CACHE_##id] = { __VA_ARGS__ },
	EVENT_CACHES(CACHE)
};

static const struct {
	const char *suffix;
	uint8_t operation;
	uint8_t result;
} cache_suffixes[] = {
	{ "-loads", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-load-misses", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "-stores", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-store-misses", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "-prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS },
	/* other spellings of these, which are not listed */
	{ "-load", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-load-refs", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-misses", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "-store", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-store-refs", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
};
#define LISTED_SUFFIXES 6

/* Returns whether a cache has the operation: instruction caches and iTLB are only read. */
static bool cache_has(uint64_t cache, uint8_t operation)
{
	switch (cache) {
	case PERF_COUNT_HW_CACHE_L1I: return operation != PERF_COUNT_HW_CACHE_OP_WRITE;
	case PERF_COUNT_HW_CACHE_ITLB:
	case PERF_COUNT_HW_CACHE_BPU: return operation == PERF_COUNT_HW_CACHE_OP_READ;
	default: return true;
	}
}

static bool find_cache_event(const char *name, uint64_t *config)
{
	for (size_t cache = 0; cache < COUNT_OF(cache_names); cache++) {
		for (size_t i = 0; i < 3 && cache_names[cache][i]; i++) {
			size_t length = strlen(cache_names[cache][i]);

			if (strncasecmp(name, cache_names[cache][i], length))
				continue;
			for (size_t j = 0; j < COUNT_OF(cache_suffixes); j++) {
				if (strcasecmp(name + length, cache_suffixes[j].suffix) ||
				    !cache_has(cache, cache_suffixes[j].operation))
					continue;
				*config = cache | cache_suffixes[j].operation << 8 |
					  cache_suffixes[j].result << 16;
				return true;
			}
		}
	}
	return false;
}

static bool event_name_find(const char *name, uint32_t *type, uint64_t *config)
{
	array_each (const struct generic_event, event, generic_events, COUNT_OF(generic_events)) {
		if (strcmp(name, event->name) && (!event->alias || strcmp(name, event->alias)))
			continue;
		*type = event->type;
		*config = event->config;
		return true;
	}
	if (!find_cache_event(name, config))
		return false;
	*type = PERF_TYPE_HW_CACHE;
	return true;
}

struct name_list event_name_list(uint32_t type)
{
	struct name_list names = { 0 };

	for (size_t i = 0; i < COUNT_OF(generic_events); i++)
		if (generic_events[i].type == type)
			name_list_add(&names, generic_events[i].name);
	for (size_t cache = 0; type == PERF_TYPE_HW_CACHE && cache < COUNT_OF(cache_names);
	     cache++) {
		for (size_t i = 0; i < LISTED_SUFFIXES; i++) {
			if (!cache_has(cache, cache_suffixes[i].operation))
				continue;
			_cleanup_free_ char *name =
				xasprintf("%s%s", cache_names[cache][0], cache_suffixes[i].suffix);

			name_list_add(&names, name);
		}
	}
	return names;
}

/* ---- modifiers: the letters after the colon, as in perf-list(1) ---- */

/* Applies u, k or h. These modifiers name the levels that are counted; all others are excluded. A
 * second group of letters adds to the first. */
static void count_only(struct event_spec *spec, char letter)
{
	struct perf_event_attr *attr = &spec->attr;

	if (!spec->exclude_given)
		attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 1;
	spec->exclude_given = true;
	if (letter == 'u')
		attr->exclude_user = 0;
	else if (letter == 'k')
		attr->exclude_kernel = 0;
	else
		attr->exclude_hv = 0;
}

static void count_guest_or_host(struct event_spec *spec, char letter)
{
	struct perf_event_attr *attr = &spec->attr;

	if (!spec->guest_given)
		attr->exclude_guest = attr->exclude_host = 1;
	spec->guest_given = true;
	if (letter == 'G')
		attr->exclude_guest = 0;
	else
		attr->exclude_host = 0;
}

static struct error *modify_one(struct event_spec *spec, char letter)
{
	switch (letter) {
	case 'u':
	case 'k':
	case 'h': count_only(spec, letter); break;
	case 'G':
	case 'H': count_guest_or_host(spec, letter); break;
	case 'I': spec->attr.exclude_idle = 1; break;
	case 'p':
		if (spec->attr.precise_ip == 3)
			return error_other("event '%s': more than three modifiers 'p'", spec->name);
		spec->attr.precise_ip++;
		break;
	case 'P': spec->highest_precision = true; break;
	case 'S': spec->group_read = true; break;
	case 'D': spec->attr.pinned = 1; break;
	case 'W': spec->weak_group = true; break;
	case 'e': spec->attr.exclusive = 1; break;
	default:
		return error_other(
			"event '%s': unknown modifier '%c' (there are u k h G H I p P S D W e)",
			spec->name, letter);
	}
	return NULL;
}

/* Applies `modifiers`, "" for none, and adds those that change what is counted to the name. */
static struct error *event_modify(struct event_spec *spec, const char *modifiers)
{
	if (!*modifiers)
		return NULL;
	for (const char *letter = modifiers; *letter; letter++)
		RETURN_ERROR(modify_one(spec, *letter));

	char letters[16] = "";
	size_t length = strlen(spec->name), count = 0;

	/* The name does not say how the event is scheduled. */
	for (const char *letter = modifiers; *letter && count < sizeof(letters) - 1; letter++)
		if (strchr("ukhGHIpP", *letter))
			letters[count++] = *letter;
	if (!count)
		return NULL;
	/* Modifiers follow the slash of a PMU event. A breakpoint's name has all already. */
	bool slash = length && spec->name[length - 1] == '/';
	bool named = strchr(spec->name, ':') != NULL && !spec->tracepoint;
	char *name = spec->attr.type == PERF_TYPE_BREAKPOINT
			     ? xstrdup(spec->name)
			     : xasprintf("%s%s%s", spec->name, slash || named ? "" : ":", letters);

	free(spec->name);
	spec->name = name;
	return NULL;
}

/* ---- PMU/term=value,.../ ---- */

struct term {
	char *name;
	char *value; /* NULL: none */
	bool used;
};

struct term_list {
	struct term *items;
	size_t count, capacity;
};

static void term_list_deinit(struct term_list *terms)
{
	for (size_t i = 0; i < terms->count; i++) {
		free_all(terms->items[i].name, terms->items[i].value);
	}
	free(terms->items);
}

static struct term_list split_terms(const char *text)
{
	struct term_list terms = { 0 };

	each_word (word, length, text) {
		size_t name_length = strcspn(word, ",=");

		if (length)
			array_add(terms.items, terms.count, terms.capacity) = (struct term){
				.name = xstrndup(word, name_length),
				.value = name_length < length ? xstrndup(word + name_length + 1,
									 length - name_length - 1)
							      : NULL,
			};
	}
	return terms;
}

static struct error *term_number(const struct event_spec *spec, const struct term *term,
				 uint64_t *result)
{
	char *end;

	if (!term->value) {
		*result = 1;
		return NULL;
	}
	errno = 0;
	*result = strtoull(term->value, &end, 0);
	if (errno || end == term->value || *end || *term->value == '-')
		return error_other("event '%s': '%s' is not a number for term '%s'", spec->name,
				   term->value, term->name);
	return NULL;
}

#define DEFAULT_USER_STACK 8192

static struct error *set_call_graph(struct event_spec *spec, const struct term *term)
{
	static const struct {
		const char *name;
		enum event_call_graph call_graph;
	} modes[] = { { "no", EVENT_CALL_GRAPH_NONE },
		      { "fp", EVENT_CALL_GRAPH_FP },
		      { "dwarf", EVENT_CALL_GRAPH_DWARF } };

	for (size_t i = 0; term->value && i < COUNT_OF(modes); i++)
		if (!strcmp(term->value, modes[i].name)) {
			spec->call_graph = modes[i].call_graph;
			spec->user_stack = spec->user_stack ?: DEFAULT_USER_STACK;
			return NULL;
		}
	return error_other("event '%s': call-graph takes fp, dwarf or no", spec->name);
}

/* Sets a term that every PMU has; *found tells whether `term` is one. */
static struct error *set_common_term(struct event_spec *spec, const struct term *term, bool *found)
{
	uint64_t value = 0;

	*found = true;
	if (strcmp(term->name, "name") == 0) {
		if (!term->value || !*term->value)
			return error_other("event '%s': term 'name' needs a value", spec->name);
		free(spec->name);
		spec->name = xstrdup(term->value);
		spec->name_given = true;
		return NULL;
	}
	if (strcmp(term->name, "call-graph") == 0)
		return set_call_graph(spec, term);
	bool period = strcmp(term->name, "period") == 0, freq = strcmp(term->name, "freq") == 0;

	if (period || freq) {
		RETURN_ERROR(term_number(spec, term, &value));
		spec->attr.sample_period = value;
		spec->attr.freq = freq;
		spec->rate_given = true;
	} else if (strcmp(term->name, "config") == 0) {
		RETURN_ERROR(term_number(spec, term, &value));
		spec->attr.config = value;
	} else if (strcmp(term->name, "config1") == 0) {
		RETURN_ERROR(term_number(spec, term, &value));
		spec->attr.config1 = value;
	} else if (strcmp(term->name, "config2") == 0) {
		RETURN_ERROR(term_number(spec, term, &value));
		spec->attr.config2 = value;
	} else if (strcmp(term->name, "stack-size") == 0) {
		RETURN_ERROR(term_number(spec, term, &value));
		spec->user_stack = (uint32_t)(value > 65528 ? 65528 : round_up(value, 8));
	} else if (strcmp(term->name, "no-inherit") == 0 || strcmp(term->name, "inherit") == 0) {
		RETURN_ERROR(term_number(spec, term, &value));
		spec->no_inherit = (term->name[0] == 'n') == (value != 0);
	} else {
		*found = false;
	}
	return NULL;
}

static const struct term *event_find_term(const struct term_list *terms, const char *name)
{
	return array_find(i, terms->items, terms->count, strcmp(terms->items[i].name, name) == 0);
}

/* Sets the terms of a named event. The user must give those with the value "?". */
static struct error *set_named_event_terms(struct event_spec *spec, const struct pmu *pmu,
					   const char *event, const struct term_list *given)
{
	_cleanup_free_ char *text = pmu_event_terms(pmu, event);
	__attribute__((cleanup(term_list_deinit))) struct term_list terms = split_terms(text ?: "");

	if (!terms.count)
		return error_create(ERROR_UNSUPPORTED,
				    "event '%s': PMU '%s' does not describe '%s'", spec->name,
				    pmu->name, event);
	array_each (const struct term, term, terms.items, terms.count) {
		uint64_t value;

		if (term->value && strcmp(term->value, "?") == 0) {
			if (event_find_term(given, term->name))
				continue;
			return error_other("event '%s': term '%s' must be given a value",
					   spec->name, term->name);
		}
		RETURN_ERROR(term_number(spec, term, &value));
		RETURN_ERROR(pmu_set_term(pmu, term->name, value, &spec->attr));
	}
	return NULL;
}

/* Returns whether the samples of an event have a data address, its source and a weight. */
static bool event_is_memory(const struct pmu *pmu, const char *event)
{
	if (strcmp(pmu->name, "ibs_op") == 0 || pmu_is_spe(pmu))
		return true;
	return event && (strcmp(event, "mem-loads") == 0 || strcmp(event, "mem-stores") == 0);
}

/* Sets the terms of the named event first, then those that are given beside it. */
static struct error *set_terms(struct event_spec *spec, const struct pmu *pmu, const char *text)
{
	__attribute__((cleanup(term_list_deinit))) struct term_list terms = split_terms(text);

	spec->memory = event_is_memory(pmu, NULL);
	array_each (struct term, term, terms.items, terms.count) {
		if (term->value || !pmu_has_event(pmu, term->name))
			continue;
		RETURN_ERROR(set_named_event_terms(spec, pmu, term->name, &terms));
		spec->memory = spec->memory || event_is_memory(pmu, term->name);
		term->used = true;
	}
	array_each (const struct term, term, terms.items, terms.count) {
		uint64_t value;
		bool found;

		if (term->used)
			continue;
		RETURN_ERROR(set_common_term(spec, term, &found));
		if (found)
			continue;
		RETURN_ERROR(term_number(spec, term, &value));
		RETURN_ERROR(pmu_set_term(pmu, term->name, value, &spec->attr));
	}
	return NULL;
}

static struct error *add_pmu_event(struct event_list *list, const char *root, const char *pmu_name,
				   const char *terms, const char *name)
{
	struct pmu *pmu;

	RETURN_ERROR(event_list_pmu(list, root, pmu_name, &pmu));

	struct event_spec *spec = event_list_add(list, name);

	spec->pmu = pmu;
	spec->attr.type = pmu->type;
	/* A PMU that counts for the machine refuses exclude_*: it does not know guests. */
	if (pmu->uncore)
		spec->attr.exclude_guest = 0;
	return set_terms(spec, pmu, terms);
}

/* Adds PMU/terms/modifiers; *modifiers points into `text`, after the second slash. The PMU may be a
 * pattern, such as "uncore_cha_*", which adds one event for each PMU that it matches. */
static struct error *event_add_pmu(struct event_list *list, const char *root, const char *text,
				   const char **modifiers)
{
	const char *slash = strchr(text, '/');
	const char *end = strchr(slash + 1, '/');

	if (!end)
		return error_other("event '%s': the second '/' is missing", text);

	_cleanup_free_ char *pmu_name = xstrndup(text, slash - text);
	_cleanup_free_ char *terms = xstrndup(slash + 1, end - slash - 1);
	bool pattern = strpbrk(pmu_name, "*?[") != NULL;

	*modifiers = end + 1 + (end[1] == ':');
	if (!pattern) {
		_cleanup_free_ char *name = xstrndup(text, end + 1 - text);

		return add_pmu_event(list, root, pmu_name, terms, name);
	}

	_cleanup_names_ struct name_list all = pmu_names(root);
	bool found = false;

	for (size_t i = 0; i < all.count; i++) {
		if (fnmatch(pmu_name, all.names[i], 0))
			continue;
		_cleanup_free_ char *name = xasprintf("%s/%s/", all.names[i], terms);

		RETURN_ERROR(add_pmu_event(list, root, all.names[i], terms, name));
		found = true;
	}
	return found ? NULL
		     : error_create(ERROR_NOT_FOUND, "no PMU of this machine matches '%s'",
				    pmu_name);
}

/* Adds an event that a core PMU names in sysfs, such as "mem-loads". *found: there is one. */
static struct error *event_add_alias(struct event_list *list, const char *root, const char *name,
				     bool *found)
{
	_cleanup_names_ struct name_list cores = pmu_core_names(root);

	*found = false;
	for (size_t i = 0; i < cores.count; i++) {
		struct pmu *pmu;

		RETURN_ERROR(event_list_pmu(list, root, cores.names[i], &pmu));
		if (!pmu_has_event(pmu, name))
			continue;
		_cleanup_free_ char *full = xasprintf("%s/%s/", cores.names[i], name);

		RETURN_ERROR(add_pmu_event(list, root, cores.names[i], name,
					   cores.count == 1 ? name : full));
		*found = true;
	}
	return NULL;
}

/* ---- the text after -e ---- */

static struct error *add_core_event(struct event_list *list, const char *root, const char *only,
				    const char *name, uint32_t type, uint64_t config);

/* Sets the terms of generic events from `first` on. Only terms that every PMU has are accepted. The
 * event's own name, `event_name`, is passed over. */
static struct error *set_generic_terms(struct event_list *list, size_t first, const char *text,
				       const char *event_name)
{
	__attribute__((cleanup(term_list_deinit))) struct term_list terms = split_terms(text);

	for (size_t i = first; i < list->count; i++)
		for (size_t j = 0; j < terms.count; j++) {
			bool found;

			if (!terms.items[j].value && !strcmp(terms.items[j].name, event_name))
				continue;
			RETURN_ERROR(set_common_term(&list->items[i], &terms.items[j], &found));
			if (!found)
				return error_other("event '%s' has no term '%s'",
						   list->items[i].name, terms.items[j].name);
		}
	return NULL;
}

/* Returns the generic event among the terms of PMU/EVENT,term=value/, to be freed, or NULL. */
static char *generic_term(const char *text, uint32_t *type, uint64_t *config)
{
	__attribute__((cleanup(term_list_deinit))) struct term_list terms = split_terms(text);

	for (size_t i = 0; i < terms.count; i++)
		if (!terms.items[i].value && event_name_find(terms.items[i].name, type, config))
			return xstrdup(terms.items[i].name);
	return NULL;
}

/* Adds a generic event that is written like an event of a PMU: cycles/name=x/, software/cpu-clock/,
 * and cpu/cycles/ where the PMU has no event of this name or the machine no PMU "cpu". *found tells
 * whether it was one. */
static struct error *event_add_generic(struct event_list *list, const char *root, const char *text,
				       const char **modifiers, bool *found)
{
	const char *slash = strchr(text, '/'), *end = strchr(slash + 1, '/');
	_cleanup_free_ char *pmu = xstrndup(text, (size_t)(slash - text)), *event = NULL;
	size_t first = list->count;
	uint32_t type;
	uint64_t config;

	*found = false;
	if (!end)
		return NULL;
	_cleanup_free_ char *terms = xstrndup(slash + 1, (size_t)(end - slash - 1));
	_cleanup_names_ struct name_list cores = pmu_core_names(root);
	bool core = any_of(i, 0, cores.count, !strcmp(cores.names[i], pmu));

	if (event_name_find(pmu, &type, &config))
		event = xstrdup(pmu);
	else if (!strcmp(pmu, "software") || !strcmp(pmu, "cpu") || core)
		event = generic_term(terms, &type, &config);
	if (!event || (core && sysfs_exists(root, PMU_FOLDER "/%s/events/%s", pmu, event)))
		return NULL;
	*found = true;
	*modifiers = end + 1 + (end[1] == ':');
	_cleanup_free_ char *name = xstrndup(text, (size_t)(end + 1 - text));

	RETURN_ERROR(add_core_event(list, root, core ? pmu : NULL, name, type, config));
	return set_generic_terms(list, first, terms, event);
}

struct parser {
	struct event_list *list;
	const char *root;
	const char *at;
};

static bool parse_number(const char *text, uint64_t *result)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*result = strtoull(text, &end, 0);
	return !errno && !*end;
}

/* Adds a hardware, cache or raw event, which counts on every kind of core, or on that of the PMU
 * `only`. A hybrid machine gets one event for each core PMU, whose type goes into the upper half of
 * config (PERF_PMU_TYPE_SHIFT); a raw event takes the type of the PMU itself. */
static struct error *add_core_event(struct event_list *list, const char *root, const char *only,
				    const char *name, uint32_t type, uint64_t config)
{
	_cleanup_names_ struct name_list cores = pmu_core_names(root);
	bool hybrid = type != PERF_TYPE_SOFTWARE && cores.count > 0 &&
		      !(cores.count == 1 && strcmp(cores.names[0], "cpu") == 0);

	if (!hybrid) {
		struct event_spec *spec = event_list_add(list, name);

		spec->attr.type = type;
		spec->attr.config = config;
		return NULL;
	}
	for (size_t i = 0; i < cores.count; i++) {
		struct pmu *pmu;

		if (only && strcmp(only, cores.names[i]))
			continue;
		RETURN_ERROR(event_list_pmu(list, root, cores.names[i], &pmu));
		_cleanup_free_ char *full = xasprintf("%s/%s/", cores.names[i], name);
		struct event_spec *spec = event_list_add(list, only ? name : full);

		spec->pmu = pmu;
		spec->attr.type = type == PERF_TYPE_RAW ? pmu->type : type;
		spec->attr.config =
			type == PERF_TYPE_RAW ? config : config | (uint64_t)pmu->type << 32;
	}
	return NULL;
}

static bool is_raw(const char *name, uint64_t *config)
{
	char *end;

	if (*name != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	errno = 0;
	*config = strtoull(name + 1, &end, 16);
	return !errno && !*end;
}

/* Parses "r", "w" and "x" in any order. The hardware watches execution alone (HW_BREAKPOINT_X). */
static bool parse_access(const char *text, uint32_t *type)
{
	*type = 0;
	for (; *text; text++) {
		uint32_t bit = *text == 'r'   ? HW_BREAKPOINT_R
			       : *text == 'w' ? HW_BREAKPOINT_W
			       : *text == 'x' ? HW_BREAKPOINT_X
					      : 0;

		if (!bit || (*type & bit))
			return false;
		*type |= bit;
	}
	return *type != 0;
}

/* Takes "[:ACCESS][:MODIFIERS]" off the end of `address`, at `text` + strlen("mem:"). */
static struct error *take_breakpoint_access(const char *text, char *address, uint32_t *type,
					    const char **modifiers)
{
	char *access = strchr(address, ':'), *more;

	*type = HW_BREAKPOINT_R | HW_BREAKPOINT_W;
	*modifiers = "";
	if (!access)
		return NULL;
	*access++ = '\0';
	more = strchr(access, ':');
	if (more) {
		*modifiers = text + strlen("mem:") + (more + 1 - address);
		*more = '\0';
	}
	if (parse_access(access, type))
		return NULL;
	return error_other("breakpoint '%s': access '%s' is not made of r, w and x", text, access);
}

/* Takes "/LENGTH" off the end of `address`. Sets *length to 0 if none is given. */
static struct error *take_breakpoint_length(const char *text, char *address, uint64_t *length)
{
	char *slash = strchr(address, '/');

	*length = 0;
	if (!slash)
		return NULL;
	*slash++ = '\0';
	if (parse_number(slash, length) && *length && *length <= 8 && !(*length & (*length - 1)))
		return NULL;
	return error_other("breakpoint '%s': the length must be 1, 2, 4 or 8, not '%s'", text,
			   slash);
}

/* Adds mem:ADDRESS[/LENGTH][:ACCESS][:MODIFIERS]; the address may be a symbol or a field of one. */
static struct error *add_breakpoint(struct parser *parser, const char *text, const char **modifiers)
{
	_cleanup_free_ char *address = xstrdup(text + strlen("mem:"));
	uint64_t address_value = 0, length;
	uint32_t type;

	RETURN_ERROR(take_breakpoint_access(text, address, &type, modifiers));
	RETURN_ERROR(take_breakpoint_length(text, address, &length));
	if (!*address)
		return error_other("breakpoint '%s': no address", text);

	bool symbol = !parse_number(address, &address_value);

	if (symbol && isdigit((unsigned char)*address))
		return error_other("breakpoint '%s': '%s' is neither a number nor a name", text,
				   address);

	struct event_spec *spec = event_list_add(parser->list, text);

	spec->attr.type = PERF_TYPE_BREAKPOINT;
	spec->attr.bp_type = type;
	spec->attr.bp_addr = address_value;
	/* The kernel wants sizeof(long) for execution. With a symbol, 0 means its size. */
	spec->attr.bp_len = type & HW_BREAKPOINT_X ? sizeof(long)
			    : length ?: symbol               ? 0
						   : HW_BREAKPOINT_LEN_4;
	spec->symbol = symbol ? xstrdup(address) : NULL;
	return NULL;
}

static struct error *unknown_event(const struct parser *parser, const char *name)
{
	static const uint32_t types[] = { PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE,
					  PERF_TYPE_HW_CACHE };
	_cleanup_names_ struct name_list pmus = pmu_names(parser->root);
	_cleanup_names_ struct name_list all = { 0 };

	for (size_t i = 0; i < COUNT_OF(types); i++) {
		_cleanup_names_ struct name_list some = event_name_list(types[i]);

		for (size_t j = 0; j < some.count; j++)
			name_list_add(&all, some.names[j]);
	}
	for (size_t i = 0; i < pmus.count; i++) {
		_cleanup_free_ char *pmu_event = xasprintf("%s//", pmus.names[i]);

		name_list_add(&all, pmu_event);
	}

	const char *nearest = nearest_name(name, &all);

	if (nearest)
		return error_create(
			ERROR_NOT_FOUND,
			"unknown event '%s' (nearest: '%s'; 'dtprof record -e list' lists them)",
			name, nearest);
	return error_create(ERROR_NOT_FOUND,
			    "unknown event '%s' ('dtprof record -e list' lists them)", name);
}

/* Adds a name without slashes: generic, raw, of a core PMU, or SYSTEM:TRACEPOINT. */
static struct error *add_named(struct parser *parser, const char *text, const char **modifiers)
{
	const char *colon = strchr(text, ':');
	_cleanup_free_ char *name = colon ? xstrndup(text, colon - text) : xstrdup(text);
	uint32_t type;
	uint64_t config;
	bool found;

	*modifiers = colon ? colon + 1 : "";
	if (event_name_find(name, &type, &config))
		return add_core_event(parser->list, parser->root, NULL, name, type, config);
	if (is_raw(name, &config))
		return add_core_event(parser->list, parser->root, NULL, name, PERF_TYPE_RAW,
				      config);
	RETURN_ERROR(event_add_alias(parser->list, parser->root, name, &found));
	if (found)
		return NULL;
	if (colon)
		return tracepoint_add(parser->list, parser->root, text, modifiers);
	return unknown_event(parser, text);
}

/* Takes the text up to the event's end, but commas between slashes, not in mem:. */
static char *take_event_text(struct parser *parser)
{
	bool breakpoint = starts_with(parser->at, "mem:");
	const char *start = parser->at;
	bool terms = false;

	for (; *parser->at && (terms || !strchr(",{}", *parser->at)); parser->at++)
		if (*parser->at == '/' && !breakpoint)
			terms = !terms;
	return xstrndup(start, parser->at - start);
}

static struct error *add_with_terms(struct parser *parser, const char *text, const char **modifiers)
{
	bool found;

	RETURN_ERROR(event_add_generic(parser->list, parser->root, text, modifiers, &found));
	return found ? NULL : event_add_pmu(parser->list, parser->root, text, modifiers);
}

static struct error *parse_all(struct parser *parser);

/* Adds the machine's memory event by the name that perf mem has for it. */
static struct error *add_memory_event(struct parser *parser, const char *name,
				      enum memory_operation operation)
{
	enum memory_source source = memory_source_find(parser->root);
	_cleanup_free_ char *text = memory_source_events(parser->root, source, operation, 0);
	struct parser inner = { .list = parser->list, .root = parser->root, .at = text };

	if (source == MEMORY_SOURCE_CLOCK || !*text)
		return error_create(ERROR_UNSUPPORTED,
				    "event '%s': this machine has no such memory event (without -e "
				    "a timer is recorded)",
				    name);
	return parse_all(&inner);
}

static struct error *parse_event(struct parser *parser)
{
	_cleanup_free_ char *text = take_event_text(parser);
	size_t first = parser->list->count;
	const char *modifiers = "";

	if (!*text)
		return error_other("an event is missing before '%s'",
				   *parser->at ? parser->at : "the end of the list");
	if (strcmp(text, "ldlat-loads") == 0)
		return add_memory_event(parser, text, MEMORY_LOADS);
	if (strcmp(text, "ldlat-stores") == 0)
		return add_memory_event(parser, text, MEMORY_STORES);
	if (starts_with(text, "mem:"))
		RETURN_ERROR(add_breakpoint(parser, text, &modifiers));
	else if (strchr(text, '/'))
		RETURN_ERROR(add_with_terms(parser, text, &modifiers));
	else
		RETURN_ERROR(add_named(parser, text, &modifiers));
	for (size_t i = first; i < parser->list->count; i++)
		RETURN_ERROR(event_modify(&parser->list->items[i], modifiers));
	return NULL;
}

/* Groups the events from `first` on. Events of different core PMUs cannot be in one group, so those
 * of each PMU form a group of their own. */
static void lead_group(struct event_list *list, size_t first)
{
	for (size_t i = first; i < list->count; i++) {
		for (size_t j = first; j <= i; j++) {
			if (j == i || list->items[j].pmu == list->items[i].pmu ||
			    !list->items[i].pmu || !list->items[j].pmu) {
				list->items[i].leader = list->items[j].leader;
				break;
			}
		}
	}
}

static struct error *parse_group(struct parser *parser)
{
	size_t first = parser->list->count;

	do {
		parser->at++;
		RETURN_ERROR(parse_event(parser));
	} while (*parser->at == ',');
	if (*parser->at != '}')
		return error_other("the group of events is not closed by '}'");
	parser->at++;
	lead_group(parser->list, first);
	if (*parser->at != ':')
		return NULL;
	parser->at++;

	const char *end = parser->at + strcspn(parser->at, ",");
	_cleanup_free_ char *modifiers = xstrndup(parser->at, end - parser->at);

	parser->at = end;
	for (size_t i = first; i < parser->list->count; i++)
		RETURN_ERROR(event_modify(&parser->list->items[i], modifiers));
	return NULL;
}

static struct error *parse_all(struct parser *parser)
{
	for (;;) {
		RETURN_ERROR(*parser->at == '{' ? parse_group(parser) : parse_event(parser));
		if (!*parser->at)
			return NULL;
		if (*parser->at != ',')
			return error_other("a comma is missing between the events at '%s'",
					   parser->at);
		parser->at++;
	}
}

struct error *event_parse(struct event_list *list, const char *root, const char *text)
{
	struct parser parser = { .list = list, .root = root, .at = text };
	size_t before = list->count;
	struct error *error = parse_all(&parser);

	if (error)
		truncate_list(list, before);
	return error;
}
