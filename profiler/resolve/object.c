// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Looking up the places of one object: symbols, source lines, languages and types, and the words
 * that columns show for them.
 *
 * Everything of one object is looked up together, so that its debug information is read once. Only
 * places with samples are asked for their types.
 */
#include <inttypes.h>

#include "annotate/rules/rules.h"
#include "annotate/facts/bulk.h"
#include "annotate/solve/type_resolver.h"
#include "annotate/types/member.h"
#include "disasm/insn.h"
#include "dwarf/debug.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/function.h"
#include "dwarf/types/language.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/ingest/sample.h"
#include "profiler/resolve/operands.h"
#include "profiler/resolve/private.h"

/* ---- answers in words ---- */

static const char *intern_word(struct shown_words *words, struct shown_word *last, const char *text)
{
	if (last->text != text)
		*last = (struct shown_word){ text, string_pool_intern(words->strings, text) };
	return last->interned;
}

static const char *access_text(struct shown_words *words, const struct access *access)
{
	const char *direction = access->read && access->write ? "rmw"
				: access->write               ? "store"
							      : "load";
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (access_is_none(access) || (!access->read && !access->write))
		return string_pool_intern(words->strings, "-");
	const char **known =
		access->size < SHOWN_SIZES
			? &words->accesses[access->read | access->write << 1][access->size]
			: NULL;

	const char *interned = known ? *known : NULL;

	if (interned)
		return interned;
	strbuf_add_string(&text, direction);
	if (access->size) {
		strbuf_add_char(&text, ' ');
		strbuf_add_number(&text, access->size);
	}
	interned = string_pool_intern(words->strings, text.data);
	if (known)
		*known = interned;
	return interned;
}

static const char *how_text(struct shown_words *words, const struct access *access)
{
	char text[96];

	switch (access->kind) {
	case ACCESS_TYPE: return intern_word(words, &words->how, access_how_name(access->how));
	case ACCESS_UNKNOWN:
	case ACCESS_BULK:
	case ACCESS_NO_CODE:
		snprintf(text, sizeof(text), "(%s)", access_reason_name(access->reason));
		return string_pool_intern(words->strings, text);
	default: return intern_word(words, &words->how, access_type_name(access));
	}
}

/* Returns whether a range of bytes that begins in this member ends in another one. */
static bool ends_elsewhere(const struct access *access, const char *path)
{
	_cleanup_strbuf_ struct strbuf end = STRBUF_INIT;
	struct access last = *access;

	if (access->range <= 1)
		return false;
	last.offset += access->range - 1;
	return !access_member_path(&last, &end) || strcspn(path, "[") != strcspn(end.data, "[") ||
	       strncmp(path, end.data, strcspn(path, "[")) != 0;
}

static const char *field_text(struct shown_words *words, const struct access *access)
{
	_cleanup_strbuf_ struct strbuf field = STRBUF_INIT;
	uint64_t number = (uint64_t)(uintptr_t)access->type ^ (uint64_t)access->offset << 32;
	struct shown_field *shown = words->fields ? &words->fields[hash_mix(number) % SHOWN_FIELDS]
						  : &(struct shown_field){ 0 };
	struct access key = *access;

	key.address = key.object_address = key.object_size = 0;
	key.how = key.rule = key.memory = 0;
	key.read = key.write = key.index_alone = false;
	key.index_start = 0;
	key.union_unhinted = key.union_possible = 0;
	/* bytes between the members that differ only have it found again */
	// NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c)
	if (shown->known && memcmp(&shown->access, &key, sizeof(key)) == 0)
		return shown->field;
	shown->known = true;
	shown->access = key;
	shown->field = access_members_path(access, &field) && !ends_elsewhere(access, field.data)
			       ? string_pool_intern(words->strings, field.data)
			       : NULL;
	return shown->field;
}

void resolved_place_show_access(struct shown_words *words, struct resolved_place *place)
{
	const struct access *access = &place->access;

	place->array = span_of_array(access);
	place->shown.type = intern_word(words, &words->type, access_type_name(access));
	place->shown.bare_type =
		access->kind == ACCESS_TYPE
			? intern_word(words, &words->bare_type, type_name_interned(access->type))
			: place->shown.type;
	place->shown.access = access_text(words, access);
	place->shown.how = how_text(words, access);
	place->shown.rule =
		intern_word(words, &words->rule, access->rule ? rule_name(access->rule) : "-");
	place->shown.no_code = place->unread || access->kind == ACCESS_NO_CODE;
	place->shown.no_memory = access_is_none(access);
	place->shown.blame = intern_word(words, &words->blame, blame_how_name(place->blame));
	place->shown.charged =
		place->late && place->blame != BLAME_AT && place->blame != BLAME_NOTHING;
	place->shown.interrupts_off = access->kind == ACCESS_INTERRUPTS_OFF;
	place->shown.typed = access->kind == ACCESS_TYPE;
	place->shown.field = NULL;
	place->shown.offset = 0;
	place->shown.range = 0;
	place->shown.bulk = access->kind == ACCESS_BULK && place->callee
				    ? string_pool_intern(words->strings, place->callee)
				    : NULL;
	if (!place->shown.typed)
		return;
	place->shown.range = access->range;
	place->shown.offset = access->offset;
	place->shown.field = words->no_field ? NULL : field_text(words, access);
}

/* ---- the places of one object ---- */

static const char *intern(const struct resolved_object *object, const char *text)
{
	return string_pool_intern(&object->resolution->strings, text);
}

static void name_object(const struct resolved_object *object)
{
	const char *name = intern(object, object->dso ? object->dso->short_name : "[unknown]");
	const char *path = object->dso ? intern(object, object->dso->long_name) : NULL;

	for (size_t i = 0; i < object->count; i++) {
		struct result_place *shown = &resolved_object_place(object, i)->shown;

		shown->dso = name;
		shown->dso_path = path;
	}
}

const char *resolve_symbol_name(struct resolution *resolution, const char *symbol)
{
	_cleanup_free_ char *readable = resolution->no_demangle ? NULL : symbol_demangle(symbol);

	return string_pool_intern(&resolution->strings, readable ?: symbol);
}

/* Returns whether a call ends before `end`, of which `before` bytes can be read. */
static bool ends_in_call(struct decoder *decoder, const uint8_t *end, size_t before)
{
	return any_of(length, 1, before + 1, decoder_is_call(decoder, end - length, length));
}

/* True if a frame's address is one that a call returns to. The code tells, if it is here. */
static bool is_return_address(const struct resolved_place *place, const struct elf_image *image,
			      struct decoder *decoder)
{
	uint64_t address = place->shown.address;
	size_t available;

	if (place->stands == FRAME_EXACT || !address)
		return false;
	for (size_t length = decoder ? decoder_arch(decoder)->insn_length_max : 0; length;
	     length--) {
		const uint8_t *code = elf_image_code(image, address - length, &available);

		if (code && available >= length)
			return ends_in_call(decoder, code + length, length);
	}
	return place->stands == FRAME_RETURNS;
}

/* Moves the frames of callers to their calls. What follows a call may be of another line, or of
 * another inlined or, without a return, whole function. */
static void move_to_calls(const struct resolved_object *object)
{
	const struct elf_image *image =
		object->dso ? dso_image(object->dso, &object->options->dso, NULL) : NULL;
	const struct arch *arch = image ? elf_image_arch(image) : NULL;
	struct decoder *decoder = NULL;

	if (arch)
		decoder = decoder_create(arch);
	for (size_t i = 0; i < object->count; i++) {
		struct resolved_place *place = resolved_object_place(object, i);

		place->shown.returned = is_return_address(place, image, decoder);
		place->shown.address -= place->shown.returned;
	}
	decoder_destroy(decoder);
}

/* Gives callers without a symbol their recorded addresses, which name their rows. Call it when
 * nothing is looked up any more: inlined calls are, later, but only where there is a symbol. */
static void show_recorded_addresses(const struct resolved_object *object)
{
	for (size_t i = 0; i < object->count; i++) {
		struct result_place *shown = &resolved_object_place(object, i)->shown;

		if (shown->symbol)
			continue;
		shown->address += shown->returned;
		shown->returned = false;
	}
}

static void find_symbols(struct resolved_object *object)
{
	for (size_t i = 0; i < object->count; i++) {
		struct result_place *shown = &resolved_object_place(object, i)->shown;
		const struct symbol *symbol =
			object->dso
				? dso_symbol_at(object->dso, &object->options->dso, shown->address)
				: NULL;

		shown->no_symbol = !symbol;
		if (symbol) {
			shown->symbol = resolve_symbol_name(object->resolution, symbol->name);
			shown->symbol_address = symbol->address;
			shown->symbol_size = symbol->size;
		}
	}
}

static const char *source_line_text(const struct resolved_object *object,
				    struct debug_reader *reader, size_t i)
{
	struct result_place *shown = &resolved_object_place(object, i)->shown;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *file;
	unsigned int line;
	struct bpf_line bpf;
	bool known;

	shown->source_file = intern(object, "");
	known = object->dso && dso_bpf_line(object->dso, shown->address, &bpf);
	if (known) {
		file = bpf.file;
		line = bpf.line;
	}
	if (known || (reader && debug_reader_line(reader, shown->address, &file, &line))) {
		file = resolve_shown_path(object->options, file);
		shown->source_file = intern(object, file);
		strbuf_add_format(&text, "%s:%u", file, line);
	} else if (!object->dso) {
		strbuf_add_string(&text, "??:0");
	} else if (shown->symbol) {
		strbuf_add_format(&text, "%s+%" PRIu64, shown->symbol,
				  shown->address - shown->symbol_address);
	} else {
		strbuf_add_format(&text, "%s[%" PRIx64 "]", shown->dso, shown->address);
	}
	return intern(object, text.data);
}

static void find_language(const struct resolved_object *object, struct debug_reader *reader,
			  size_t i)
{
	struct result_place *shown = &resolved_object_place(object, i)->shown;
	struct function *function = reader ? debug_reader_function(reader, shown->address) : NULL;

	shown->language =
		intern(object, function ? language_name(function->language) : "(unknown)");
	function_destroy(function);
}

/* Sets source lines and languages. */
static void find_source(struct resolved_object *object)
{
	struct debug_object *debug =
		object->dso ? dso_debug(object->dso, &object->options->dso, &object->problem)
			    : NULL;
	struct debug_reader *reader = debug ? debug_reader_open(debug) : NULL;

	for (size_t i = 0; i < object->count; i++) {
		if (object->options->needs & NEED_SOURCE_LINE)
			resolved_object_place(object, i)->shown.source_line =
				source_line_text(object, reader, i);
		if (object->options->needs & NEED_LANGUAGE)
			find_language(object, reader, i);
	}
	debug_reader_close(reader);
}

static void apply_alternatives(void *data, const uint64_t *addresses, size_t count)
{
	dso_apply_alternatives(data, addresses, count);
}

/* Applies the charges of late samples to the places. The first share keeps the place; each further
 * one gets a place of its own, linked by next_part. */
static void apply_charges(struct resolved_object *object,
			  const struct type_resolver_charges *charges)
{
	struct resolution *resolution = object->resolution;
	uint32_t last = 0;

	array_indexed (const struct type_resolver_charge, charge, i, charges->items,
		       charges->count) {
		uint32_t number = object->order[charge->sample];

		if (i && charges->items[i - 1].sample == charge->sample) {
			array_reserve(resolution->places, resolution->place_count,
				      resolution->place_capacity);
			number = (uint32_t)resolution->place_count++;
			resolution->places[number] =
				resolution->places[object->order[charge->sample]];
			resolution->places[number].next_part = 0;
			resolution->places[last].next_part = number;
			array_add(object->added, object->added_count, object->added_capacity) =
				number;
		}
		struct resolved_place *place = &resolution->places[number];

		place->samples = charge->samples;
		place->access = charge->access;
		place->blame = charge->how;
		if (place->late) {
			place->shown.address = charge->access.address;
			place->store = charge->store;
		}
		last = number;
	}
}

/* Returns the file address of the branch that led to a place, if it is known. */
static uint64_t came_from(const struct resolved_place *place)
{
	if (place->came_from == CAME_UNKNOWN)
		return TYPE_RESOLVER_CAME_UNKNOWN;
	return place->came_from == CAME_THROUGH ? TYPE_RESOLVER_CAME_THROUGH
						: place->shown.address + (uint64_t)place->came_from;
}

/* ---- answers that are kept ---- */

/* The charges of the samples of one object. */
struct kept_answer {
	struct type_resolver_sample *samples;
	size_t count;
	struct type_resolver_charges charges;
};

static void kept_answer_deinit(struct kept_answer *answer)
{
	free_all(answer->samples, answer->charges.items);
}

void kept_answers_deinit(struct kept_answers *kept)
{
	for (size_t i = 0; i < kept->count; i++)
		kept_answer_deinit(&kept->items[i]);
	free(kept->items);
	hash_map_deinit(&kept->of_dso);
}

/* Returns the charges of exactly these samples, or NULL. */
static const struct type_resolver_charges *kept_answers_find(
	const struct resolved_object *object, const struct type_resolver_sample *samples)
{
	const struct kept_answers *kept = object->options->kept;
	const uint32_t *number =
		kept && object->dso ? hash_map_find(&kept->of_dso, object->dso->id) : NULL;
	const struct kept_answer *answer = number ? &kept->items[*number] : NULL;

	if (!answer || answer->count != object->count)
		return NULL;
	for (size_t i = 0; i < answer->count; i++) {
		const struct type_resolver_sample *a = &answer->samples[i], *b = &samples[i];

		if (a->address != b->address || a->samples != b->samples || a->store != b->store ||
		    a->late != b->late || a->came_from != b->came_from)
			return NULL;
	}
	return &answer->charges;
}

/* Keeps the charges of these samples in place of those of others. Takes both. */
static void kept_answers_add(const struct resolved_object *object,
			     struct type_resolver_sample *samples,
			     const struct type_resolver_charges *charges)
{
	struct kept_answers *kept = object->options->kept;
	bool created;
	struct kept_answer *answer = hash_map_item(&kept->of_dso, object->dso->id, kept->items,
						   kept->count, kept->capacity, &created);

	if (!created)
		kept_answer_deinit(answer);
	*answer = (struct kept_answer){ samples, object->count, *charges };
}

static void use_charges(struct resolved_object *object, const struct type_resolver_charges *charges)
{
	apply_charges(object, charges);
	object->resolution->skid.next += charges->skid.next;
	object->resolution->skid.further += charges->skid.further;
}

/* ---- types ---- */

/* Finds the types of the object's places, and the accesses that late samples are charged to. */
static struct error *find_accessed_types(struct resolved_object *object,
					 const struct elf_image *image, struct debug_object *debug)
{
	struct type_resolver_options options = { .no_infer = object->options->no_infer,
						 /* a sample at a jump after a comparison with
						  * memory belongs to that access */
						 .fused = true,
						 .threads = object->options->threads,
						 .trace = object->options->trace,
						 .trace_data = object->options->trace_data,
						 .apply_alternatives =
							 object->dso ? apply_alternatives : NULL,
						 .apply_alternatives_data = object->dso };
	struct type_resolver_sample *samples = xcalloc(object->count, sizeof(*samples));
	const struct type_resolver_charges *known;
	struct type_resolver_charges charges = { 0 };
	struct type_resolver *resolver;
	struct error *error;

	for (size_t i = 0; i < object->count; i++) {
		const struct resolved_place *place = resolved_object_place(object, i);

		samples[i] = (struct type_resolver_sample){ .address = place->shown.address,
							    .samples = place->samples,
							    .store = place->store,
							    .late = place->late,
							    .came_from = came_from(place) };
	}
	known = kept_answers_find(object, samples);
	if (known) {
		object->options->kept->uses++;
		use_charges(object, known);
		free(samples);
		return NULL;
	}
	if (object->options->trace_object)
		object->options->trace_object(object->options->trace_data, object->dso);
	error = type_resolver_create(image, debug, &options, &resolver);
	if (!error) {
		type_resolver_charge(resolver, samples, object->count, &charges);
		type_resolver_destroy(resolver);
	}
	for (size_t i = 0; i < charges.count && object->dso && object->dso->kind == DSO_KSYMBOL;
	     i++)
		bpf_access_correct(object->dso, image, &charges.items[i].access);
	if (!error)
		use_charges(object, &charges);
	if (!error && object->options->kept && object->options->keep) {
		kept_answers_add(object, samples, &charges);
		return NULL;
	}
	free_all(charges.items, samples);
	return error;
}

/* Moves each place sampled after its access to the instruction of the access. */
static void find_accesses(const struct resolved_object *object)
{
	for (size_t i = 0; i < object->count; i++) {
		struct resolved_place *place = resolved_object_place(object, i);

		if (place->after)
			place->access_unknown =
				!object->dso || !insn_before(object->dso, &object->options->dso,
							     place->store, &place->shown.address);
	}
}

/* Returns whether a sample was held back until interrupts were enabled. Without the kernel's code,
 * only the names of functions tell. */
static bool was_held_back(const struct resolved_object *object, const struct resolved_place *place)
{
	const struct symbol *symbol =
		place->late && place->dso && place->dso->kind == DSO_KERNEL
			? dso_symbol_at(place->dso, &object->options->dso, place->shown.address)
			: NULL;

	return symbol && blame_enables_interrupts(symbol->name, true);
}

/* Marks a place whose code this machine does not have. */
static void mark_without_code(const struct resolved_object *object, struct resolved_place *place)
{
	place->access = (struct access){ .address = place->shown.address,
					 .kind = ACCESS_NO_CODE,
					 .reason = REASON_NO_OBJECT };
	place->unread = true;
	place->blame = place->late ? BLAME_NOTHING : BLAME_AT;
	if (was_held_back(object, place))
		place->access.kind = ACCESS_INTERRUPTS_OFF;
}

/* Returns the symbol's name of bulk memory code, from a companion if there is one. */
static const char *bulk_symbol_at(const struct resolved_object *object, struct debug_object *debug,
				  uint64_t address)
{
	const struct symbol *symbol;
	const char *name;

	if (debug && debug_object_bulk_symbol(debug, address, &name))
		return name;
	symbol = dso_symbol_at(object->dso, &object->options->dso, address);
	return symbol ? symbol->name : NULL;
}

/* Sets the name of the bulk memory function that a place without a type is in. For copies, the
 * function counts whatever the instruction does. */
static void name_bulk(const struct resolved_object *object, struct debug_object *debug,
		      struct resolved_place *place)
{
	bool wanted = place->access.kind == ACCESS_BULK || object->options->needs & NEED_COPY;
	const char *symbol =
		wanted && object->dso ? bulk_symbol_at(object, debug, place->shown.address) : NULL;
	const struct bulk_function *function =
		symbol ? bulk_function_named(symbol, dso_is_kernel(object->dso)) : NULL;

	place->callee = function ? function->name : NULL;
}

static struct error *find_sampled_types(struct resolved_object *object)
{
	_cleanup_free_ struct shown_field *fields = xcalloc(SHOWN_FIELDS, sizeof(*fields));
	struct shown_words words = shown_words_of(object->resolution);
	const char *problem = NULL;
	const struct elf_image *image =
		object->dso ? dso_image(object->dso, &object->options->dso, &problem) : NULL;
	struct debug_object *debug =
		image ? dso_debug(object->dso, &object->options->dso, &problem) : NULL;

	words.fields = fields;
	if (image)
		RETURN_ERROR(find_accessed_types(object, image, debug));
	for (size_t i = 0; i < object->count + object->added_count; i++) {
		uint32_t number =
			i < object->count ? object->order[i] : object->added[i - object->count];
		struct resolved_place *place = &object->resolution->places[number];

		if (!image)
			mark_without_code(object, place);
		if (place->access_unknown)
			access_fail(&place->access, REASON_TRAP_UNKNOWN);
		name_bulk(object, debug, place);
		resolved_place_show_access(&words, place);
	}
	object->problem = problem;
	return NULL;
}

/* Finds the types of the places with samples, and of accesses that samples are witnesses of. Other
 * places without samples are callers, which make no access. May add places to the object's. */
static struct error *object_find_types(struct resolved_object *object)
{
	_cleanup_free_ uint32_t *order = xcalloc(object->count, sizeof(*order));
	struct resolved_object sampled = *object;
	struct error *error;

	sampled.order = order;
	sampled.count = 0;
	for (size_t i = 0; i < object->count; i++)
		if (resolved_object_place(object, i)->samples ||
		    resolved_object_place(object, i)->witnessed)
			order[sampled.count++] = object->order[i];
	error = sampled.count ? find_sampled_types(&sampled) : NULL;
	object->problem = sampled.problem;
	object->added = sampled.added;
	object->added_count = sampled.added_count;
	return error;
}

/* The page of vsyscalls, at a fixed address on x86-64 (arch/x86/include/uapi/asm/vsyscall.h). */
#define PAGE_BITS     12
#define VSYSCALL_PAGE UINT64_C(0xffffffffff600)

/* Returns whether code at the address is the kernel's. The page of vsyscalls is user space. */
static bool is_kernel_address(uint64_t address)
{
	return address_is_kernel(address) && address >> PAGE_BITS != VSYSCALL_PAGE;
}

static bool has_kernel(const struct session *session)
{
	size_t count;
	struct dso *const *dsos = session_dsos(session, &count);

	return any_of(i, 0, count, dsos[i]->kind == DSO_KERNEL);
}

/* Returns whether there are samples of a kernel that the recording has no map of. */
static bool lacks_kernel(const struct resolved_object *object)
{
	if (object->dso || has_kernel(object->resolution->session))
		return false;
	for (size_t i = 0; i < object->count; i++) {
		const struct resolved_place *place = resolved_object_place(object, i);

		if (place->samples && is_kernel_address(place->shown.address))
			return true;
	}
	return false;
}

char *resolution_decoder(void)
{
	return decoder_library();
}

static enum resolve_problem_kind problem_kind(const struct dso *dso, bool of_symbols)
{
	if (!dso)
		return PROBLEM_KERNEL_HIDDEN;
	if (!of_symbols && dso_companion_problem(dso))
		return PROBLEM_COMPANION;
	if (dso_is_kernel(dso))
		return of_symbols ? PROBLEM_KERNEL_SYMBOLS : PROBLEM_KERNEL_TYPES;
	if (dso->kind == DSO_ANONYMOUS && of_symbols)
		return PROBLEM_SYMBOL_MAP;
	switch (dso_lack(dso)) {
	case DSO_LACKS_FILE: return dso->kind == DSO_KSYMBOL ? PROBLEM_NO_BPF : PROBLEM_NO_FILE;
	case DSO_LACKS_DEBUG_INFO: return PROBLEM_NO_DEBUG_INFO;
	case DSO_LACKS_DEBUG_FILE: return PROBLEM_NO_DEBUG_FILE;
	default: return PROBLEM_OTHER;
	}
}

static void add_problem(struct resolved_object *object)
{
	struct resolution *resolution = object->resolution;
	uint64_t samples = 0;

	const char *message = object->dso ? dso_symbol_problem(object->dso) : NULL;
	bool of_symbols = message;

	if (resolution->needs & (NEED_SYMBOL | NEED_TYPE) && lacks_kernel(object))
		message = "the recording has no map of the kernel, so its samples have neither "
			  "symbols nor types: its addresses were hidden from whoever recorded it "
			  "(kernel.kptr_restrict, kernel.perf_event_paranoid)";

	/* DSOs of the other kinds never have a file with debug information. */
	if (!message && object->dso && object->dso->kind != DSO_ANONYMOUS &&
	    object->dso->kind != DSO_VDSO && object->dso->kind != DSO_UNKNOWN)
		message = object->problem;
	if (!of_symbols && object->dso && dso_companion_problem(object->dso))
		message = dso_companion_problem(object->dso);
	if (!message)
		return;
	for (size_t i = 0; i < object->count; i++)
		samples += resolved_object_place(object, i)->samples;
	/* frames of call chains have no samples */
	if (!samples && !(object->dso && dso_unread_symbols(object->dso)))
		return;
	array_add(resolution->problems, resolution->problem_count, resolution->problem_capacity) =
		(struct resolve_problem){ .kind = problem_kind(object->dso, of_symbols),
					  .dso = object->dso,
					  .message = message,
					  .samples = samples };
}

struct error *resolve_object(struct resolved_object *object)
{
	uint64_t needs = object->options->needs;
	_cleanup_free_ uint32_t *all = NULL;

	name_object(object);
	find_accesses(object);
	if (needs & NEED_TYPE)
		RETURN_ERROR(object_find_types(object));
	if (object->added_count) {
		all = xcalloc(object->count + object->added_count, sizeof(*all));
		memcpy(all, object->order, object->count * sizeof(*all));
		memcpy(all + object->count, object->added, object->added_count * sizeof(*all));
		object->order = all;
		object->count += object->added_count;
	}
	free(object->added);
	if (needs & NEED_CHAIN)
		move_to_calls(object);
	if (needs & (NEED_SYMBOL | NEED_SOURCE_LINE | NEED_CHAIN))
		find_symbols(object);
	if (needs & (NEED_SOURCE_LINE | NEED_LANGUAGE))
		find_source(object);
	show_recorded_addresses(object);
	add_problem(object);
	return NULL;
}
