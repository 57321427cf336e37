// SPDX-License-Identifier: GPL-2.0-or-later
/* PMU events through sysfs: see event_pmu.h. */
#include "profiler/record/event_pmu.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"

/* One "name" or "name=value". */
struct term {
	char *name;
	char *value; /* NULL: none */
	bool used;
};

struct term_list {
	struct term *items;
	size_t count;
	size_t capacity;
};

static void term_list_release(struct term_list *terms)
{
	for (size_t i = 0; i < terms->count; i++) {
		free(terms->items[i].name);
		free(terms->items[i].value);
	}
	free(terms->items);
}

static struct term_list split_terms(const char *text)
{
	struct term_list terms = { 0 };

	while (*text) {
		size_t length = strcspn(text, ",");
		size_t name_length = strcspn(text, ",=");

		if (length) {
			array_reserve(terms.items, terms.count, terms.capacity);
			terms.items[terms.count++] = (struct term){
				.name = xstrndup(text, name_length),
				.value = name_length < length
						 ? xstrndup(text + name_length + 1, length - name_length - 1)
						 : NULL,
			};
		}
		text += length + (text[length] == ',');
	}
	return terms;
}

static struct error *term_number(const struct event_spec *spec, const struct term *term, uint64_t *result)
{
	char *end;

	if (!term->value) {
		*result = 1;
		return NULL;
	}
	errno = 0;
	*result = strtoull(term->value, &end, 0);
	if (errno || end == term->value || *end || *term->value == '-')
		return error_create(ERROR_OTHER, "event '%s': '%s' is not a number for term '%s'", spec->name,
				    term->value, term->name);
	return NULL;
}

/* Terms that every PMU has; *found: `term` is one of them. */
static struct error *set_common_term(struct event_spec *spec, const struct term *term, bool *found)
{
	uint64_t value = 0;

	*found = true;
	if (strcmp(term->name, "name") == 0) {
		if (!term->value || !*term->value)
			return error_create(ERROR_OTHER, "event '%s': term 'name' wants a value", spec->name);
		free(spec->name);
		spec->name = xstrdup(term->value);
		return NULL;
	}
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
	} else {
		*found = false;
	}
	return NULL;
}

static const struct term *find_term(const struct term_list *terms, const char *name)
{
	for (size_t i = 0; i < terms->count; i++) {
		if (strcmp(terms->items[i].name, name) == 0)
			return &terms->items[i];
	}
	return NULL;
}

/* The terms of a named event; a value "?" is one that the user must give. */
static struct error *set_alias_terms(struct event_spec *spec, const struct pmu *pmu, const char *event,
				     const struct term_list *given)
{
	_cleanup_free_ char *text = pmu_event_terms(pmu, event);
	__attribute__((cleanup(term_list_release))) struct term_list terms = split_terms(text ? text : "");

	if (!terms.count)
		return error_create(ERROR_UNSUPPORTED, "event '%s': PMU '%s' does not say what '%s' is",
				    spec->name, pmu->name, event);
	for (size_t i = 0; i < terms.count; i++) {
		const struct term *term = &terms.items[i];
		uint64_t value;

		if (term->value && strcmp(term->value, "?") == 0) {
			if (find_term(given, term->name))
				continue;
			return error_create(ERROR_OTHER, "event '%s': term '%s' must be given a value",
					    spec->name, term->name);
		}
		RETURN_ERROR(term_number(spec, term, &value));
		RETURN_ERROR(pmu_set_term(pmu, term->name, value, &spec->attr));
	}
	return NULL;
}

bool event_is_memory(const struct pmu *pmu, const char *event)
{
	if (strcmp(pmu->name, "ibs_op") == 0)
		return true;
	return event && (strcmp(event, "mem-loads") == 0 || strcmp(event, "mem-stores") == 0);
}

/* First the named event, then what is given besides it. */
static struct error *set_terms(struct event_spec *spec, const struct pmu *pmu, const char *text)
{
	__attribute__((cleanup(term_list_release))) struct term_list terms = split_terms(text);

	spec->memory = event_is_memory(pmu, NULL);
	for (size_t i = 0; i < terms.count; i++) {
		struct term *term = &terms.items[i];

		if (term->value || !pmu_has_event(pmu, term->name))
			continue;
		RETURN_ERROR(set_alias_terms(spec, pmu, term->name, &terms));
		spec->memory = spec->memory || event_is_memory(pmu, term->name);
		term->used = true;
	}
	for (size_t i = 0; i < terms.count; i++) {
		const struct term *term = &terms.items[i];
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

static struct error *add_one(struct event_list *list, const char *root, const char *pmu_name,
			     const char *terms, const char *name)
{
	struct pmu *pmu;

	RETURN_ERROR(event_list_pmu(list, root, pmu_name, &pmu));

	struct event_spec *spec = event_list_add(list, name);

	spec->pmu = pmu;
	spec->attr.type = pmu->type;
	/* What counts for the machine knows no guest: such a PMU refuses exclude_*. */
	if (pmu->uncore)
		spec->attr.exclude_guest = 0;
	return set_terms(spec, pmu, terms);
}

struct error *event_add_pmu(struct event_list *list, const char *root, const char *text,
			    const char **modifiers)
{
	const char *slash = strchr(text, '/');
	const char *end = strchr(slash + 1, '/');

	if (!end)
		return error_create(ERROR_OTHER, "event '%s': the second '/' is missing", text);

	_cleanup_free_ char *pmu_name = xstrndup(text, slash - text);
	_cleanup_free_ char *terms = xstrndup(slash + 1, end - slash - 1);
	bool pattern = strpbrk(pmu_name, "*?[") != NULL;

	*modifiers = end + 1 + (end[1] == ':');
	if (!pattern) {
		_cleanup_free_ char *name = xstrndup(text, end + 1 - text);

		return add_one(list, root, pmu_name, terms, name);
	}

	_cleanup_names_ struct name_list all = pmu_names(root);
	bool found = false;

	for (size_t i = 0; i < all.count; i++) {
		if (fnmatch(pmu_name, all.names[i], 0))
			continue;
		_cleanup_free_ char *name = xasprintf("%s/%s/", all.names[i], terms);

		RETURN_ERROR(add_one(list, root, all.names[i], terms, name));
		found = true;
	}
	return found ? NULL : error_create(ERROR_NOT_FOUND, "no PMU of this machine matches '%s'", pmu_name);
}

struct error *event_add_alias(struct event_list *list, const char *root, const char *name, bool *found)
{
	_cleanup_names_ struct name_list cores = pmu_core_names(root);

	*found = false;
	for (size_t i = 0; i < cores.count; i++) {
		struct pmu *pmu;

		RETURN_ERROR(event_list_pmu(list, root, cores.names[i], &pmu));
		if (!pmu_has_event(pmu, name))
			continue;
		_cleanup_free_ char *full = xasprintf("%s/%s/", cores.names[i], name);

		RETURN_ERROR(add_one(list, root, cores.names[i], name, cores.count == 1 ? name : full));
		*found = true;
	}
	return NULL;
}
