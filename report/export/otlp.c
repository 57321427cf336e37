// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * OpenTelemetry's profiles: one message ProfilesData (otlp.proto), in the state v1development of
 * its schema, which may still change.
 *
 * A profile has one value for each sample. So each event has a profile of its periods and one of
 * the numbers of samples, and others of latency, loads and stores if samples have them. All share
 * the tables of one dictionary. Samples of an event with the same stack and attributes are one.
 */
#include <inttypes.h>
#include <stdio.h>

#include "otlp.pb-c.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "report/export/export.h"

#define ATTRIBUTES_MAX 9

struct otlp_group {
	uint32_t event;
	int32_t stack;
	int32_t *attributes;
	size_t attribute_count;
	uint64_t samples, period, latency, loads, stores;
};

struct otlp_writer {
	const struct export_profile *profile;
	struct arena arena; /* messages and texts */
	/* the tables, whose first elements are zeroes, and of struct otlp_group */
	struct numbering texts, mappings, locations, functions, attributes, stacks, groups;
	struct message_list profile_list;
};

/* ---- the dictionary ---- */

/* Returns the index of the attribute `key` with the value `text`, or `number` if `text` is NULL. */
static int32_t attribute_index(struct otlp_writer *writer, const char *key, const char *text,
			       int64_t number)
{
	uint32_t index;
	Otlp__KeyValueAndUnit *attribute =
		numbering_new(&writer->attributes, sizeof(*attribute), &index, "%s\n%s%" PRId64,
			      key, text ?: "\n", text ? 0 : number);

	if (attribute) {
		Otlp__AnyValue *value = arena_alloc(&writer->arena, sizeof(*value));

		otlp__key_value_and_unit__init(attribute);
		otlp__any_value__init(value);
		attribute->key_strindex = numbering_text(&writer->texts, key);
		attribute->value = value;
		value->value_case = text ? OTLP__ANY_VALUE__VALUE_STRING_VALUE
					 : OTLP__ANY_VALUE__VALUE_INT_VALUE;
		if (text)
			value->string_value = export_text(&writer->arena, text);
		else
			value->int_value = number;
	}
	return (int32_t)index;
}

/* Sets a message's list of attributes to this one. */
static void set_attribute(struct otlp_writer *writer, int32_t attribute, int32_t **list,
			  size_t *count)
{
	*list = arena_copy(&writer->arena, &attribute, sizeof(attribute));
	*count = 1;
}

static int32_t mapping_index(struct otlp_writer *writer, const struct result_place *place)
{
	const char *path = place->dso_path ?: place->dso;
	const char *build_id = export_build_id(writer->profile, path);
	uint32_t index;
	Otlp__Mapping *mapping = numbering_new(&writer->mappings, sizeof(*mapping), &index, "%s",
					       path ?: "[unknown]");

	if (mapping) {
		otlp__mapping__init(mapping);
		mapping->filename_strindex = numbering_text(&writer->texts, path ?: "[unknown]");
		if (build_id)
			set_attribute(writer,
				      attribute_index(writer, "process.executable.build_id.gnu",
						      build_id, 0),
				      &mapping->attribute_indices, &mapping->n_attribute_indices);
	}
	return (int32_t)index;
}

static int32_t function_index(struct otlp_writer *writer, const char *name, const char *file)
{
	uint32_t index;
	Otlp__Function *function = numbering_new(&writer->functions, sizeof(*function), &index,
						 "%s\n%s", name, file ?: "");

	if (function) {
		otlp__function__init(function);
		function->name_strindex = function->system_name_strindex =
			numbering_text(&writer->texts, name);
		function->filename_strindex = numbering_text(&writer->texts, file);
	}
	return (int32_t)index;
}

/* A kernel's objects have brackets, "[ext4]"; so has the vDSO, which is user space. */
static bool is_kernel(const struct result_place *place)
{
	return place->dso && place->dso[0] == '[' && strcmp(place->dso, "[vdso]") != 0 &&
	       strcmp(place->dso, "[unknown]") != 0;
}

static int32_t location_index(struct otlp_writer *writer, const struct export_frame *frame)
{
	const struct result_place *place = frame->place;
	uint32_t line = export_line(place);
	uint32_t index;
	Otlp__Location *location =
		numbering_new(&writer->locations, sizeof(*location), &index,
			      "%s\n%s\n%" PRIx64 "\n%" PRIu32 "\n%s", frame->name, place->dso ?: "",
			      place->address, line, place->source_file ?: "");

	if (location) {
		Otlp__Line *text = arena_alloc(&writer->arena, sizeof(*text));

		otlp__location__init(location);
		otlp__line__init(text);
		location->mapping_index = mapping_index(writer, place);
		location->address = place->address;
		text->function_index =
			function_index(writer, frame->name, line ? place->source_file : NULL);
		text->line = line;
		location->n_lines = 1;
		location->lines = arena_copy(&writer->arena, &text, sizeof(Otlp__Line *));
		set_attribute(writer,
			      attribute_index(writer, "profile.frame.type",
					      is_kernel(place) ? "kernel" : "native", 0),
			      &location->attribute_indices, &location->n_attribute_indices);
	}
	return (int32_t)index;
}

static int32_t stack_index(struct otlp_writer *writer, const struct export_row *row)
{
	struct export_frame frames[EXPORT_FRAMES_MAX];
	size_t count = export_stack(writer->profile, row, frames);
	int32_t locations[EXPORT_FRAMES_MAX];
	_cleanup_strbuf_ struct strbuf key = STRBUF_INIT;
	uint32_t index;

	for (size_t i = 0; i < count; i++) {
		locations[i] = location_index(writer, &frames[i]);
		strbuf_add_format(&key, "%" PRId32 " ", locations[i]);
	}

	Otlp__Stack *stack = numbering_new(&writer->stacks, sizeof(*stack), &index, "%s", key.data);

	if (stack) {
		otlp__stack__init(stack);
		stack->location_indices =
			arena_copy(&writer->arena, locations, count * sizeof(*locations));
		stack->n_location_indices = count;
	}
	return (int32_t)index;
}

/* ---- samples ---- */

/* Fills in the attributes of a row and returns their number. OpenTelemetry's conventions have no
 * names for types, so the names of their attributes begin with "dtprof". */
static size_t list_attributes(struct otlp_writer *writer, const struct export_row *row,
			      int32_t attributes[ATTRIBUTES_MAX])
{
	const struct result_place *place = row->place;
	size_t count = 0;

	attributes[count++] = attribute_index(writer, "dtprof.type", place->type, 0);
	if (place->typed && place->field)
		attributes[count++] = attribute_index(writer, "dtprof.field", place->field, 0);
	if (place->typed && !row->span.size)
		attributes[count++] =
			attribute_index(writer, "dtprof.offset", NULL, row->span.offset);
	if (place->access)
		attributes[count++] = attribute_index(writer, "dtprof.access", place->access, 0);
	if (place->how)
		attributes[count++] = attribute_index(writer, "dtprof.how", place->how, 0);
	if (row->data_address) {
		char address[2 + 16 + 1];

		/* those of kernels are no positive int */
		snprintf(address, sizeof(address), "%#" PRIx64, row->data_address);
		attributes[count++] = attribute_index(writer, "dtprof.address", address, 0);
	}
	if (row->comm)
		attributes[count++] = attribute_index(writer, "thread.name", row->comm, 0);
	attributes[count++] = attribute_index(writer, "thread.id", NULL, row->tid);
	attributes[count++] = attribute_index(writer, "process.pid", NULL, row->pid);
	return count;
}

static void otlp_add_row(struct otlp_writer *writer, const struct export_row *row)
{
	int32_t attributes[ATTRIBUTES_MAX], stack = stack_index(writer, row);
	size_t count = list_attributes(writer, row, attributes);
	_cleanup_strbuf_ struct strbuf key = STRBUF_INIT;
	struct otlp_group *group;
	uint32_t number;

	strbuf_add_format(&key, "%" PRIu32 " %" PRId32, row->event, stack);
	for (size_t i = 0; i < count; i++)
		strbuf_add_format(&key, " %" PRId32, attributes[i]);
	group = numbering_new(&writer->groups, sizeof(*group), &number, "%s", key.data);
	if (group)
		*group = (struct otlp_group){ .event = row->event,
					      .stack = stack,
					      .attributes = arena_copy(&writer->arena, attributes,
								       count * sizeof(*attributes)),
					      .attribute_count = count };
	group = writer->groups.items[number];
	group->samples += row->samples;
	group->period += row->period;
	group->latency += row->latency;
	group->loads += row->loads;
	group->stores += row->stores;
}

/* ---- profiles ---- */

/* Returns the value of a group, at `offset` of the struct, for a profile of the event; else 0. */
static int64_t value_for(const struct otlp_group *group, uint32_t event, size_t offset)
{
	return group->event == event ? (int64_t) * (const uint64_t *)((const char *)group + offset)
				     : 0;
}

/* Adds a profile of an event's groups that have the value at `offset`, if any. */
static void add_profile(struct otlp_writer *writer, uint32_t event, const char *type,
			const char *unit, size_t offset)
{
	size_t count = writer->groups.count, used = 0;
	Otlp__Profile *profile;

	for (size_t i = 0; i < count; i++)
		used += value_for(writer->groups.items[i], event, offset) != 0;
	if (!used)
		return;
	profile = message_list_new(&writer->profile_list, &writer->arena, sizeof(*profile));
	otlp__profile__init(profile);
	profile->samples = arena_alloc(&writer->arena, used * sizeof(*profile->samples));
	for (size_t i = 0; i < count; i++) {
		const struct otlp_group *group = writer->groups.items[i];
		int64_t value = value_for(group, event, offset);
		Otlp__Sample *sample;

		if (!value)
			continue;
		sample = arena_alloc(&writer->arena, sizeof(*sample));
		otlp__sample__init(sample);
		sample->stack_index = group->stack;
		sample->attribute_indices = group->attributes;
		sample->n_attribute_indices = group->attribute_count;
		sample->values = arena_copy(&writer->arena, &value, sizeof(value));
		sample->n_values = 1;
		profile->samples[profile->n_samples++] = sample;
	}
	profile->sample_type = arena_alloc(&writer->arena, sizeof(*profile->sample_type));
	otlp__value_type__init(profile->sample_type);
	profile->sample_type->type_strindex = numbering_text(&writer->texts, type);
	profile->sample_type->unit_strindex = numbering_text(&writer->texts, unit);
	profile->duration_nano = writer->profile->duration;
	profile->time_unix_nano = writer->profile->wall;
}

/* Viewers show the first profile by default: the time of the first event. */
static void add_profiles(struct otlp_writer *writer)
{
	static const struct {
		const char *type, *unit;
		size_t offset;
	} values[] = {
		{ "samples", "count", offsetof(struct otlp_group, samples) },
		{ "latency", "cycles", offsetof(struct otlp_group, latency) },
		{ "loads", "count", offsetof(struct otlp_group, loads) },
		{ "stores", "count", offsetof(struct otlp_group, stores) },
	};
	const struct export_profile *profile = writer->profile;

	for (uint32_t event = 0; event < profile->event_count; event++) {
		const char *name = profile->events[event].name;

		add_profile(writer, event, name,
			    profile->events[event].is_time ? "nanoseconds" : "count",
			    offsetof(struct otlp_group, period));
		for (size_t i = 0; i < COUNT_OF(values); i++) {
			_cleanup_free_ char *type =
				profile->event_count > 1 ? xasprintf("%s:%s", values[i].type, name)
							 : xstrdup(values[i].type);

			add_profile(writer, event, type, values[i].unit, values[i].offset);
		}
	}
}

/* ---- the file ---- */

/* Adds the elements of zeroes with which the tables begin, under a name that nothing has. */
static void begin_tables(struct otlp_writer *writer)
{
	uint32_t number;

	numbering_text(&writer->texts, "");
#define BEGIN(table, type, message)                                                                \
	otlp__##message##__init(numbering_new(&writer->table, sizeof(type), &number, "\n"))
	BEGIN(mappings, Otlp__Mapping, mapping);
	BEGIN(locations, Otlp__Location, location);
	BEGIN(functions, Otlp__Function, function);
	BEGIN(attributes, Otlp__KeyValueAndUnit, key_value_and_unit);
	BEGIN(stacks, Otlp__Stack, stack);
#undef BEGIN
}

#define SET_TABLE(message, member, list)                                                           \
	((message).member = (void *)(list).items, (message).n_##member = (list).count)

/* Packs the message, for free(). */
static uint8_t *pack_message(const Otlp__ProfilesData *message, size_t *length)
{
	*length = otlp__profiles_data__get_packed_size(message);

	uint8_t *bytes = xmalloc(*length + 1);

	otlp__profiles_data__pack(message, bytes);
	return bytes;
}

/* Names the profiles by the recording and the message's contents, so that a message that is sent
 * again, because no answer came, has the same names. */
static void name_profiles(struct otlp_writer *writer, const Otlp__ProfilesData *message)
{
	size_t length;
	_cleanup_free_ uint8_t *bytes = pack_message(message, &length);
	uint64_t content = hash_bytes(bytes, length);

	for (size_t i = 0; i < writer->profile_list.count; i++) {
		Otlp__Profile *profile = writer->profile_list.items[i];
		uint64_t name[] = { writer->profile->recording, hash_combine(content, i) };

		profile->profile_id.data = arena_copy(&writer->arena, name, sizeof(name));
		profile->profile_id.len = sizeof(name);
	}
}

/* Adds an attribute of the machine or the program that was recorded, if it is known. */
static void add_resource(struct otlp_writer *writer, Otlp__Resource *resource, const char *key,
			 const char *text)
{
	Otlp__KeyValue *attribute = arena_alloc(&writer->arena, sizeof(*attribute));
	Otlp__AnyValue *value = arena_alloc(&writer->arena, sizeof(*value));

	if (!text)
		return;
	otlp__key_value__init(attribute);
	otlp__any_value__init(value);
	attribute->key = (char *)key;
	attribute->value = value;
	value->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	value->string_value = export_text(&writer->arena, text);
	resource->attributes[resource->n_attributes++] = attribute;
}

static void pack(struct otlp_writer *writer, export_sink *sink, void *data)
{
	static uint8_t zeroes[16];
	Otlp__Link link = OTLP__LINK__INIT, *links[] = { &link };
	Otlp__ProfilesDictionary dictionary = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__InstrumentationScope scope = OTLP__INSTRUMENTATION_SCOPE__INIT;
	Otlp__ScopeProfiles scoped = OTLP__SCOPE_PROFILES__INIT, *scopes[] = { &scoped };
	Otlp__Resource resource = OTLP__RESOURCE__INIT;
	Otlp__KeyValue *attributes[2];
	Otlp__ResourceProfiles one = OTLP__RESOURCE_PROFILES__INIT, *resources[] = { &one };
	Otlp__ProfilesData message = OTLP__PROFILES_DATA__INIT;

	/* identifiers of zeroes in full length, which the schema prefers to none */
	link.trace_id = (ProtobufCBinaryData){ 16, zeroes };
	link.span_id = (ProtobufCBinaryData){ 8, zeroes };
	SET_TABLE(dictionary, mapping_table, writer->mappings);
	SET_TABLE(dictionary, location_table, writer->locations);
	SET_TABLE(dictionary, function_table, writer->functions);
	SET_TABLE(dictionary, string_table, writer->texts);
	SET_TABLE(dictionary, attribute_table, writer->attributes);
	SET_TABLE(dictionary, stack_table, writer->stacks);
	dictionary.link_table = links;
	dictionary.n_link_table = 1;
	scope.name = "dtprof";
	scope.version = DTPROF_VERSION;
	scoped.scope = &scope;
	SET_TABLE(scoped, profiles, writer->profile_list);
	resource.attributes = attributes;
	add_resource(writer, &resource, "process.command_line", writer->profile->command);
	add_resource(writer, &resource, "host.name", writer->profile->hostname);
	one.resource = &resource;
	one.scope_profiles = scopes;
	one.n_scope_profiles = 1;
	message.resource_profiles = resources;
	message.n_resource_profiles = 1;
	message.dictionary = &dictionary;

	size_t length;

	name_profiles(writer, &message);

	_cleanup_free_ uint8_t *bytes = pack_message(&message, &length);

	sink(data, (const char *)bytes, length);
}

static struct error *write_otlp(const struct export_profile *profile, export_sink *sink, void *data)
{
	struct otlp_writer writer = { .profile = profile };
	struct numbering *numberings[] = { &writer.texts,     &writer.mappings,   &writer.locations,
					   &writer.functions, &writer.attributes, &writer.stacks,
					   &writer.groups };

	begin_tables(&writer);
	for (size_t i = 0; i < profile->row_count; i++)
		otlp_add_row(&writer, &profile->rows[i]);
	add_profiles(&writer);
	pack(&writer, sink, data);
	for (size_t i = 0; i < COUNT_OF(numberings); i++)
		numbering_deinit(numberings[i]);
	free(writer.profile_list.items);
	arena_deinit(&writer.arena);
	return NULL;
}

/* ---- what a receiver answers ---- */

struct error *export_otlp_answer(long status, const void *bytes, size_t size, bool *again)
{
	static const long later[] = { 429, 502, 503, 504 }; /* as the protocol lists them */
	struct error *error = NULL;

	*again = any_of(i, 0, COUNT_OF(later), later[i] == status);
	if (status == 200) {
		Otlp__Answer *answer = otlp__answer__unpack(NULL, size, bytes);
		const Otlp__PartialSuccess *partial = answer ? answer->partial_success : NULL;

		if (!answer)
			error = error_create(ERROR_FORMAT, "the answer is no answer of a receiver "
							   "of OpenTelemetry's profiles");
		else if (partial && partial->rejected_profiles)
			error = error_other("%" PRId64 " profiles were refused: %s",
					    partial->rejected_profiles, partial->error_message);
		otlp__answer__free_unpacked(answer, NULL);
		return error;
	}
	Otlp__Status *told = otlp__status__unpack(NULL, size, bytes);

	error = error_other("the answer is %ld%s%s", status, told && *told->message ? ": " : "",
			    told ? told->message : "");
	otlp__status__free_unpacked(told, NULL);
	return error;
}

const struct export_format export_otlp = {
	.name = "otlp",
	.summary = "OpenTelemetry's profiles (v1development, which may change): protobuf",
	.binary = true,
	.dated = true,
	.write = write_otlp,
};
