// SPDX-License-Identifier: GPL-2.0-or-later
/* Events from the text after -e: see event.h. */
#include "profiler/record/event.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"
#include "profiler/record/event_modifier.h"
#include "profiler/record/event_names.h"
#include "profiler/record/event_pmu.h"
#include "profiler/record/tracepoint.h"

struct parser {
	struct event_list *list;
	const char *root;
	const char *at;
};

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

struct error *event_list_pmu(struct event_list *list, const char *root, const char *name, struct pmu **result)
{
	for (size_t i = 0; i < list->pmu_count; i++) {
		if (strcmp(list->pmus[i]->name, name) == 0) {
			*result = list->pmus[i];
			return NULL;
		}
	}
	RETURN_ERROR(pmu_open(root, name, result));
	array_reserve(list->pmus, list->pmu_count, list->pmu_capacity);
	list->pmus[list->pmu_count++] = *result;
	return NULL;
}

static void release_spec(struct event_spec *spec)
{
	free(spec->name);
	free(spec->symbol);
	free(spec->cgroup);
	free(spec->tracepoint);
}

static void truncate_list(struct event_list *list, size_t count)
{
	while (list->count > count)
		release_spec(&list->items[--list->count]);
}

void event_list_drop(struct event_list *list, size_t leader)
{
	size_t kept = 0, *places = xcalloc(list->count, sizeof(*places));

	/* A leader comes before its members: its new place is known when they move. */
	for (size_t i = 0; i < list->count; i++) {
		struct event_spec *spec = &list->items[i];

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

void event_list_release(struct event_list *list)
{
	truncate_list(list, 0);
	for (size_t i = 0; i < list->pmu_count; i++)
		pmu_close(list->pmus[i]);
	free(list->items);
	free(list->pmus);
	*list = (struct event_list){ 0 };
}

static bool parse_number(const char *text, uint64_t *result)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*result = strtoull(text, &end, 0);
	return !errno && !*end;
}

/*
 * A hardware, cache or raw event counts on every kind of core: on a hybrid machine one event a core PMU,
 * whose type goes into the upper half of config (PERF_PMU_TYPE_SHIFT; a raw event takes the PMU's own type).
 */
static struct error *add_core_event(struct parser *parser, const char *name, uint32_t type, uint64_t config)
{
	_cleanup_names_ struct name_list cores = pmu_core_names(parser->root);
	bool hybrid = type != PERF_TYPE_SOFTWARE && cores.count > 0 &&
		      !(cores.count == 1 && strcmp(cores.names[0], "cpu") == 0);

	if (!hybrid) {
		struct event_spec *spec = event_list_add(parser->list, name);

		spec->attr.type = type;
		spec->attr.config = config;
		return NULL;
	}
	for (size_t i = 0; i < cores.count; i++) {
		struct pmu *pmu;

		RETURN_ERROR(event_list_pmu(parser->list, parser->root, cores.names[i], &pmu));
		_cleanup_free_ char *full = xasprintf("%s/%s/", cores.names[i], name);
		struct event_spec *spec = event_list_add(parser->list, full);

		spec->pmu = pmu;
		spec->attr.type = type == PERF_TYPE_RAW ? pmu->type : type;
		spec->attr.config = type == PERF_TYPE_RAW ? config : config | (uint64_t)pmu->type << 32;
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

/* "r", "w", "x" in any order; execution alone, as the hardware has it (HW_BREAKPOINT_X). */
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

/* mem:ADDRESS[/LENGTH][:ACCESS][:MODIFIERS]; the address may be a symbol or a field of one. */
static struct error *add_breakpoint(struct parser *parser, const char *text, const char **modifiers)
{
	_cleanup_free_ char *address = xstrdup(text + strlen("mem:"));
	char *access = strchr(address, ':'), *length = NULL;
	uint64_t address_value = 0, length_value = 0;
	uint32_t type = HW_BREAKPOINT_R | HW_BREAKPOINT_W;

	*modifiers = "";
	if (access) {
		char *more;

		*access++ = '\0';
		more = strchr(access, ':');
		if (more) {
			*modifiers = text + strlen("mem:") + (more + 1 - address);
			*more = '\0';
		}
		if (!parse_access(access, &type))
			return error_create(ERROR_OTHER,
					    "breakpoint '%s': access '%s' is not made of r, w and x", text,
					    access);
	}
	length = strchr(address, '/');
	if (length) {
		*length++ = '\0';
		if (!parse_number(length, &length_value) || !length_value || length_value > 8 ||
		    (length_value & (length_value - 1)))
			return error_create(ERROR_OTHER,
					    "breakpoint '%s': the length must be 1, 2, 4 or 8, not '%s'",
					    text, length);
	}
	if (!*address)
		return error_create(ERROR_OTHER, "breakpoint '%s': no address", text);

	bool symbol = !parse_number(address, &address_value);

	if (symbol && isdigit((unsigned char)*address))
		return error_create(ERROR_OTHER, "breakpoint '%s': '%s' is neither a number nor a name", text,
				    address);

	struct event_spec *spec = event_list_add(parser->list, text);

	spec->attr.type = PERF_TYPE_BREAKPOINT;
	spec->attr.bp_type = type;
	spec->attr.bp_addr = address_value;
	/* The kernel wants sizeof(long) for execution; 0 with a symbol: the size of what it names. */
	spec->attr.bp_len = type & HW_BREAKPOINT_X ? sizeof(long)
			    : length_value         ? length_value
			    : symbol               ? 0
						   : HW_BREAKPOINT_LEN_4;
	spec->symbol = symbol ? xstrdup(address) : NULL;
	return NULL;
}

static struct error *unknown_event(const struct parser *parser, const char *name)
{
	static const uint32_t types[] = { PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE, PERF_TYPE_HW_CACHE };
	_cleanup_names_ struct name_list pmus = pmu_names(parser->root);
	_cleanup_names_ struct name_list all = { 0 };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
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
		return error_create(ERROR_NOT_FOUND,
				    "unknown event '%s' (nearest: '%s'; 'dtprof record -e list' lists them)",
				    name, nearest);
	return error_create(ERROR_NOT_FOUND, "unknown event '%s' ('dtprof record -e list' lists them)", name);
}

/* A name that has no slashes: generic, raw, a core PMU's event, or SYSTEM:TRACEPOINT. */
static struct error *add_named(struct parser *parser, const char *text, const char **modifiers)
{
	const char *colon = strchr(text, ':');
	_cleanup_free_ char *name = colon ? xstrndup(text, colon - text) : xstrdup(text);
	uint32_t type;
	uint64_t config;
	bool found;

	*modifiers = colon ? colon + 1 : "";
	if (event_name_find(name, &type, &config))
		return add_core_event(parser, name, type, config);
	if (is_raw(name, &config))
		return add_core_event(parser, name, PERF_TYPE_RAW, config);
	RETURN_ERROR(event_add_alias(parser->list, parser->root, name, &found));
	if (found)
		return NULL;
	if (colon)
		return tracepoint_add(parser->list, parser->root, text, modifiers);
	return unknown_event(parser, text);
}

/* Up to the comma or brace that ends the event; commas between slashes belong to it, but for
 * mem:ADDRESS/LENGTH. */
static char *take_event_text(struct parser *parser)
{
	bool breakpoint = strncmp(parser->at, "mem:", 4) == 0;
	const char *start = parser->at;
	bool terms = false;

	for (; *parser->at && (terms || !strchr(",{}", *parser->at)); parser->at++) {
		if (*parser->at == '/' && !breakpoint)
			terms = !terms;
	}
	return xstrndup(start, parser->at - start);
}

static struct error *parse_event(struct parser *parser)
{
	_cleanup_free_ char *text = take_event_text(parser);
	size_t first = parser->list->count;
	const char *modifiers = "";

	if (!*text)
		return error_create(ERROR_OTHER, "an event is missing before '%s'",
				    *parser->at ? parser->at : "the end of the list");
	if (strncmp(text, "mem:", 4) == 0)
		RETURN_ERROR(add_breakpoint(parser, text, &modifiers));
	else if (strchr(text, '/'))
		RETURN_ERROR(event_add_pmu(parser->list, parser->root, text, &modifiers));
	else
		RETURN_ERROR(add_named(parser, text, &modifiers));
	for (size_t i = first; i < parser->list->count; i++)
		RETURN_ERROR(event_modify(&parser->list->items[i], modifiers));
	return NULL;
}

/* Events of different core PMUs cannot be one group: those of each PMU form their own. */
static void lead_group(struct event_list *list, size_t first)
{
	for (size_t i = first; i < list->count; i++) {
		for (size_t j = first; j <= i; j++) {
			if (j == i || list->items[j].pmu == list->items[i].pmu || !list->items[i].pmu ||
			    !list->items[j].pmu) {
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
		return error_create(ERROR_OTHER, "the group of events is not closed by '}'");
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
			return error_create(ERROR_OTHER, "a comma is missing between the events at '%s'",
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
