// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies of memory (NEED_COPY): the copy that the access of a place is part of, or that the bulk
 * memory function around it makes for its caller.
 *
 * The functions of the places are decoded, and disasm/copies.h finds the copies in them. The type
 * engine then tells the objects at both ends. The copied type is the part of an object that is as
 * large as the copy. It is known if one end has such a part, and the other end does not contradict.
 */
#include "disasm/copies.h"

#include "annotate/facts/abi.h"
#include "annotate/facts/bulk.h"
#include "annotate/solve/type_resolver.h"
#include "annotate/types/field.h"
#include "annotate/types/member.h"
#include "dwarf/debug.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/function.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "profiler/resolve/private.h"
#include "profiler/resolve/record_sources.h"

static const struct result_copy no_copy = { .text = "(no copy)" },
				unknown_copy = { .text = "(unknown)" },
				no_caller = { .text = "(a copy for an unknown caller)" };

/* A place whose copy is looked for. */
struct sampled_copy {
	struct dso *dso;  /* that has the access, or the call */
	uint64_t address; /* in it */
	uint32_t place;
	bool call;
	size_t site; /* index of the copy + 1; 0: none */
};

/* A function of the object, and its copies. */
struct copying_function {
	struct function *function; /* NULL: none */
	struct cfg *code;          /* NULL: not decoded */
	struct code_copies copies;
	size_t sites; /* index of the first copy's site + 1; 0: it has none yet */
};

/* One end of a copy. */
struct copy_end {
	struct access access; /* to its lowest byte, of kind ACCESS_TYPE, if `known` */
	bool known, stack;
};

/* A copy that places are part of. */
struct copy_site {
	size_t function;                  /* index */
	uint32_t insn;                    /* the call, or the copy's first instruction */
	uint32_t copy;                    /* number in the function; of no call */
	bool asked;                       /* places are part of it */
	const struct bulk_function *bulk; /* that is called; NULL: no call */
	uint64_t call;  /* address of the caller's call, which a jump to `bulk` may follow */
	uint64_t bytes; /* 0: not known */
	struct copy_end from, to;
	const struct result_copy *shown;
};

/* An access that is asked for. */
struct copy_question {
	size_t site;
	int64_t delta; /* bytes from the lowest one of the copy */
};

struct copying_object {
	struct resolution *resolution;
	const struct resolve_options *options;
	struct dso *dso;
	const struct elf_image *image;
	struct debug_object *debug;
	struct debug_reader *reader;
	struct decoder *decoder;
	uint64_t code_left; /* bytes of code that may still be decoded */
	uint64_t work;      /* instructions that may still be looked at for single copies */
	struct hash_map by_entry;
	struct copying_function *functions;
	size_t function_count, function_capacity;
	struct copy_site *sites;
	size_t site_count, site_capacity;
	struct copy_question *questions; /* with its address, and whether it stores */
	uint64_t *addresses;
	bool *stores;
	size_t question_count, question_capacity, address_capacity, store_capacity;
};

/* ---- the places */

/* True for functions that copy objects: those of strings copy text. */
static bool is_copier(const struct bulk_function *function)
{
	return function && function->writes != BULK_NO_ARGUMENT &&
	       function->reads != BULK_NO_ARGUMENT && function->other == BULK_NO_ARGUMENT &&
	       function->writes != function->reads && !starts_with(function->name, "st");
}

static const struct bulk_function *copier_named(const char *name, const struct dso *dso)
{
	const struct bulk_function *function =
		name ? bulk_function_named(name, dso && dso_is_kernel(dso)) : NULL;

	return is_copier(function) ? function : NULL;
}

COMPARISON(compare_copied, struct sampled_copy,
	   ASCENDING(dso->id) ASCENDING(address) ASCENDING(place))

/* Lists the places with samples that may be part of a copy. The others show that they are of none,
 * or that it is not known. */
static struct sampled_copy *list_copied(struct resolution *resolution,
					const struct sample_counts *counts, size_t *count)
{
	struct sampled_copy *list = xcalloc(resolution->place_count + 1, sizeof(*list));
	_cleanup_free_ uint8_t *used = xcalloc(resolution->place_count + 1, 1);

	*count = 0;
	for (size_t i = 0; i < counts->count; i++)
		used[resolution->entries.place_of[i]] = 1;
	array_indexed (struct resolved_place, place, i, resolution->places,
		       resolution->place_count) {
		place->shown.copy = &no_copy;
		if (!used[i] || place->shown.interrupts_off)
			continue;
		if (!place->dso || place->unread)
			place->shown.copy = &unknown_copy;
		else if (place->caller && copier_named(place->callee, place->caller))
			list[(*count)++] = (struct sampled_copy){ place->caller,
								  place->call_address, i, true, 0 };
		else if (copier_named(place->callee, place->dso))
			place->shown.copy = &no_caller;
		else if (!place->callee)
			list[(*count)++] = (struct sampled_copy){ place->dso, place->shown.address,
								  i, false, 0 };
	}
	array_sort(list, *count, compare_copied);
	return list;
}

/* ---- the functions and their copies */

/* Real programs need less than a hundredth. */
#define WORK_MAX (UINT64_C(1) << 26)

/* Returns whether all instructions of a function may be looked at for one copy. */
static bool may_scan(struct copying_object *object, const struct cfg *code)
{
	if (!code || code->insn_count > object->work)
		return false;
	object->work -= code->insn_count;
	return true;
}

static bool read_constant(void *image, uint64_t address, void *buffer, size_t size)
{
	return elf_image_read(image, address, buffer, size, true);
}

struct error *resolve_code(const struct elf_image *image, struct decoder *decoder,
			   const struct function *function, uint64_t *left, struct cfg **result)
{
	size_t most = function->range_count, count = 0;
	uint64_t size = 0;
	_cleanup_free_ struct cfg_range *ranges = xcalloc(most + 1, sizeof(*ranges));

	array_each (const struct address_range, range, function->ranges, most) {
		size_t available = 0;
		const uint8_t *bytes = elf_image_code(image, range->low, &available);

		if (!bytes || range->high <= range->low)
			continue;
		ranges[count].address = range->low;
		ranges[count].size =
			range->high - range->low < available ? range->high - range->low : available;
		size += ranges[count].size;
		ranges[count++].bytes = bytes;
	}
	if (!count || size > *left)
		return NULL;
	*left -= size;
	return cfg_build(decoder,
			 &(struct cfg_request){ .ranges = ranges,
						.range_count = count,
						.read = read_constant,
						.data = (void *)image },
			 result);
}

/* Returns the function around an address, as index + 1; 0: there is none. */
static void copies_find_function(struct copying_object *object, uint64_t address, size_t *number)
{
	uint64_t entry;
	uint32_t *index;
	bool created;

	*number = 0;
	if (!debug_reader_function_entry(object->reader, address, &entry, NULL))
		return;
	index = hash_map_insert(&object->by_entry, entry, &created);
	*number = *index;
	if (!created)
		return;
	array_reserve(object->functions, object->function_count, object->function_capacity);
	struct copying_function *function = &object->functions[object->function_count++];

	*function = (struct copying_function){ 0 };
	*number = *index = (uint32_t)object->function_count;
	function->function = debug_reader_function(object->reader, entry);
	if (function->function)
		/* a function that cannot be decoded shows no copies */
		error_destroy(resolve_code(object->image, object->decoder, function->function,
					   &object->code_left, &function->code));
	if (function->code)
		code_copies_find(&function->copies, function->code);
}

/* Returns the instruction that has the byte at `address`, or -1. */
static int64_t insn_around(const struct cfg *code, uint64_t address)
{
	int64_t found = -1;

	for (uint64_t back = 0; back < code->arch->insn_length_max && found < 0; back++)
		found = cfg_find(code, address - back);
	return found;
}

static size_t add_site(struct copying_object *object, const struct copy_site *site)
{
	array_add(object->sites, object->site_count, object->site_capacity) = *site;
	return object->site_count;
}

/* Returns the site of the copy that an instruction is part of, as index + 1; 0: of none. */
static size_t site_of_insn(struct copying_object *object, size_t number, uint32_t insn)
{
	struct copying_function *function = &object->functions[number - 1];
	uint32_t copy = function->copies.of_insn[insn];

	if (!copy)
		return 0;
	if (!function->sites) {
		function->sites = object->site_count + 1;
		for (uint32_t i = 0; i < function->copies.count; i++)
			add_site(object,
				 &(struct copy_site){ .function = number - 1,
						      .insn = function->copies.items[i].first,
						      .copy = i,
						      .bytes = function->copies.items[i].bytes });
	}
	object->sites[function->sites + copy - 2].asked = true;
	return function->sites + copy - 1;
}

/* Moves from a call of the object's own function to the one jump to a bulk memory function that
 * ends it. */
static void follow_jump(struct copying_object *object, size_t *number, int64_t *insn)
{
	const struct copying_function *function = &object->functions[*number - 1];
	bool kernel = type_resolver_is_kernel(object->image);
	uint64_t target;
	int64_t found = -1;

	if (type_resolver_bulk(object->image, &function->code->insns[*insn], kernel) ||
	    !insn_direct_target(&function->code->insns[*insn], &target))
		return;
	copies_find_function(object, target, number);
	*insn = -1;
	function = *number ? &object->functions[*number - 1] : NULL;
	if (!function || !may_scan(object, function->code))
		return;
	for (size_t i = 0; i < function->code->insn_count; i++) {
		if (function->code->insns[i].operation != OP_JUMP ||
		    !type_resolver_bulk(object->image, &function->code->insns[i], kernel))
			continue;
		if (found >= 0)
			return;
		found = (int64_t)i;
	}
	*insn = found;
}

/* Sets the bytes that Go's duffcopy copies if it is entered by this call. */
static void count_device_bytes(struct copying_object *object, const struct insn *call,
			       uint64_t *bytes)
{
	const struct cfg *code;
	uint64_t target;
	size_t number;

	if (!insn_direct_target(call, &target))
		return;
	copies_find_function(object, target, &number);
	code = number ? object->functions[number - 1].code : NULL;
	bool scan = may_scan(object, code);

	for (size_t i = 0; scan && i < code->insn_count; i++)
		if (code->insns[i].address >= target && code->insns[i].operation == OP_MOVE &&
		    code->insns[i].operands[0].kind == OPERAND_MEMORY)
			*bytes += code->insns[i].operands[0].size;
}

/* Sets the site of a place whose samples are of a called function. Each call has one site. */
static void site_of_call(struct copying_object *object, struct hash_map *by_call,
			 struct sampled_copy *item)
{
	const struct resolved_place *place = &object->resolution->places[item->place];
	struct copy_site site = { .asked = true,
				  .bulk = copier_named(place->callee, place->caller) };
	size_t number;
	int64_t insn = -1, bytes = 0;
	bool created;
	uint32_t *known = hash_map_insert(by_call, item->address, &created);

	item->site = *known;
	if (!created)
		return;
	copies_find_function(object, item->address, &number);
	if (number && object->functions[number - 1].code)
		insn = insn_around(object->functions[number - 1].code, item->address);
	if (insn >= 0) {
		site.call = object->functions[number - 1].code->insns[insn].address;
		follow_jump(object, &number, &insn);
	}
	if (insn < 0)
		return;
	const struct copying_function *function = &object->functions[number - 1];
	const struct convention *call =
		abi_of_function(abi_of_image(object->image), function->function)->call;
	const struct cfg *code = function->code;

	if (starts_with(site.bulk->name, GO_DEVICE))
		count_device_bytes(object, &code->insns[insn], &site.bytes);
	else if (site.bulk->length < call->argument_count &&
		 code_constant(code, (uint32_t)insn, call->arguments[site.bulk->length], &bytes) &&
		 bytes > 0)
		site.bytes = (uint64_t)bytes;
	site.function = number - 1;
	site.insn = (uint32_t)insn;
	item->site = add_site(object, &site);
	*hash_map_insert(by_call, item->address, &created) = (uint32_t)item->site;
}

/* Finds the sites of the object's places. */
static void find_sites(struct copying_object *object, struct sampled_copy *items, size_t count)
{
	_cleanup_map_ struct hash_map by_call = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct result_place *shown = &object->resolution->places[items[i].place].shown;
		size_t number;
		int64_t insn;

		if (items[i].call) {
			site_of_call(object, &by_call, &items[i]);
			continue;
		}
		copies_find_function(object, items[i].address, &number);
		if (!number || !object->functions[number - 1].code) {
			shown->copy = &unknown_copy;
			continue;
		}
		insn = cfg_find(object->functions[number - 1].code, items[i].address);
		if (insn >= 0)
			items[i].site = site_of_insn(object, number, (uint32_t)insn);
	}
}

/* ---- the objects at both ends */

static void ask(struct copying_object *object, size_t site, const struct insn *insn, bool store,
		int64_t delta)
{
	size_t count = object->question_count;

	array_reserve(object->addresses, count, object->address_capacity);
	array_reserve(object->stores, count, object->store_capacity);
	object->addresses[count] = insn->address;
	object->stores[count] = store;
	array_add(object->questions, object->question_count, object->question_capacity) =
		(struct copy_question){ site, delta };
}

/* Asks for the accesses of a copy that instructions of the function make. */
static void ask_copy(struct copying_object *object, size_t number)
{
	const struct copy_site *site = &object->sites[number];
	const struct copying_function *function = &object->functions[site->function];
	const struct cfg *code = function->code;
	const struct code_copy *copy = &function->copies.items[site->copy];
	const struct insn *load = &code->insns[copy->load], *store = &code->insns[copy->store];

	ask(object, number, load, false, copy->before);
	ask(object, number, store, true, copy->before);
	if (load == store)
		return;
	for (uint32_t i = copy->first; i <= copy->last; i++) {
		const struct insn *insn = &code->insns[i];
		bool writes = insn->operands[0].kind == OPERAND_MEMORY;

		if (function->copies.of_insn[i] == site->copy + 1 && insn != load &&
		    insn != store && insn->operation != OP_MOVE_STRING)
			ask(object, number, insn, writes, function->copies.within[i]);
	}
}

/* Takes an answer for an end of the copy, if none of its other accesses has told it. */
static void take_end(struct copy_end *end, const struct access *answer, int64_t delta)
{
	end->stack |= answer->memory == ACCESS_MEMORY_STACK || answer->kind == ACCESS_SPILL;
	if (end->known || answer->kind != ACCESS_TYPE || answer->offset < delta)
		return;
	end->known = true;
	end->access = *answer;
	end->access.offset -= delta;
}

static void answer_copies(struct copying_object *object, struct type_resolver *resolver)
{
	_cleanup_free_ struct access *answers = NULL;

	for (size_t i = 0; i < object->site_count; i++)
		if (object->sites[i].asked && !object->sites[i].bulk)
			ask_copy(object, i);
	answers = xcalloc(object->question_count + 1, sizeof(*answers));
	type_resolver_resolve(resolver, object->addresses, object->stores, object->question_count,
			      answers);
	for (size_t i = 0; i < object->question_count; i++) {
		struct copy_site *site = &object->sites[object->questions[i].site];

		take_end(object->stores[i] ? &site->to : &site->from, &answers[i],
			 object->questions[i].delta);
	}
}

static void answer_calls(struct copying_object *object, struct type_resolver *resolver)
{
	_cleanup_free_ struct type_resolver_call *calls =
		xcalloc(2 * object->site_count + 1, sizeof(*calls));
	size_t count = 0;

	array_each (const struct copy_site, site, object->sites, object->site_count) {
		if (!site->bulk)
			continue;
		for (int write = 0; write < 2; write++)
			calls[count++] = (struct type_resolver_call){
				.address = site->call,
				.at_call = true,
				.through = true,
				.object = true,
				.access = { .read = !write, .write = write },
			};
	}
	type_resolver_calls(resolver, calls, count);
	count = 0;
	for (size_t i = 0; i < object->site_count; i++) {
		if (!object->sites[i].bulk)
			continue;
		take_end(&object->sites[i].from, &calls[count++].access, 0);
		take_end(&object->sites[i].to, &calls[count++].access, 0);
	}
}

/* ---- in words */

/* Sets the part of an object that one end of the copy is, and its text: a field, a variable with
 * the field, or "(stack)". False: its type is not known. */
static bool end_part(struct copying_object *object, const struct copy_end *end, uint64_t bytes,
		     struct member_part *part, const char **text)
{
	const struct access *access = &end->access;
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT, name = STRBUF_INIT;
	const struct symbol *variable = NULL;
	bool found = end->known && bytes &&
		     member_part_find(access->type, access->offset, bytes, part, &path);

	if (end->known && !bytes && type_is_record(type_strip(access->type))) {
		*part = (struct member_part){ access->type, 1, access->offset, false };
		found = true;
	}
	if (found && part->count > 1 && field_is_piece(part->type))
		found = false;
	*text = end->stack ? "(stack)" : NULL;
	if (end->stack || !end->known)
		return found;
	if (access->memory == ACCESS_MEMORY_STATIC && access->object_address)
		variable = dso_data_symbol_at(object->dso, &object->options->dso,
					      access->object_address);
	strbuf_add_string(&name, variable ? resolve_symbol_name(object->resolution, variable->name)
					  : access_type_name(access));
	if (path.length)
		strbuf_add_format(&name, ".%s", path.data);
	*text = string_pool_intern(&object->resolution->strings, name.data);
	return found;
}

/* Chooses the part that tells the copied type. NULL: neither end is known, or they disagree. */
static const struct member_part *choose_part(const struct member_part *from,
					     const struct member_part *to)
{
	if (!from->type || !to->type)
		return from->type ? from : to->type ? to : NULL;
	if (field_same_type(from->type, to->type) && from->whole == to->whole)
		return from;
	if (from->whole != to->whole) {
		const struct member_part *whole = from->whole ? from : to;

		/* several numbers may be members that are moved together */
		return whole->count == 1 || type_is_record(type_strip(whole->type)) ? whole : NULL;
	}
	/* one of them is all that the other has, or begins with it */
	if (field_contains(from->type, from->offset, to->type))
		return to;
	if (field_contains(to->type, to->offset, from->type))
		return from;
	return NULL;
}

/* Returns "FILE:LINE" of the first instruction of a copy that has a line, or NULL. */
static const char *copy_line(struct copying_object *object, const struct copy_site *site)
{
	const struct copying_function *function = &object->functions[site->function];
	uint32_t last = site->bulk ? site->insn : function->copies.items[site->copy].last;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *file = NULL;
	unsigned int line = 0;
	uint64_t address = 0;

	for (uint32_t i = site->insn; i <= last && !line; i++) {
		address = function->code->insns[i].address;
		if (!debug_reader_line(object->reader, address, &file, &line))
			line = 0;
	}
	if (!line)
		return NULL;
	if (source_is_of_system(file))
		(void)source_call_line(object->reader, address, &file, &line);
	strbuf_add_format(&text, "%s:%u", resolve_shown_path(object->options, file), line);
	return string_pool_intern(&object->resolution->strings, text.data);
}

/* Returns the advice on a copy into the function's own frame, or NULL. */
static const char *copy_hint(struct copying_object *object, const struct copy_site *site,
			     const struct result_copy *shown)
{
	const struct copying_function *function = &object->functions[site->function];
	_cleanup_free_ char *text = NULL;

	if (site->bulk || !site->to.stack || !may_scan(object, function->code))
		return NULL;
	struct copy_use use = code_copy_use(function->code, &function->copies.items[site->copy],
					    site->to.known ? site->to.access.offset : 0);

	if (use.passed)
		return "an argument that is passed by value: pass a pointer to it";
	if (!use.unread)
		return NULL;
	text = xasprintf("%llu of %llu bytes are never read afterwards: use a pointer, or copy "
			 "what is used",
			 (unsigned long long)use.unread, (unsigned long long)shown->bytes);
	return string_pool_intern(&object->resolution->strings, text);
}

/* `count`: the elements that are copied. */
static const char *copy_text(struct copying_object *object, const struct result_copy *copy,
			     uint64_t count)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_add_string(&text, copy->type ?: "(unknown)");
	if (count > 1)
		strbuf_add_format(&text, "[%llu]", (unsigned long long)count);
	if (copy->bytes && copy->size > copy->bytes)
		strbuf_add_format(&text, ", %llu of %llu bytes", (unsigned long long)copy->bytes,
				  (unsigned long long)copy->size);
	else if (copy->bytes)
		strbuf_add_format(&text, ", %llu bytes", (unsigned long long)copy->bytes);
	strbuf_add_format(&text, ", %s -> %s", copy->from ?: "(unknown)", copy->to ?: "(unknown)");
	if (copy->line)
		strbuf_add_format(&text, ", %s", copy->line);
	return string_pool_intern(&object->resolution->strings, text.data);
}

static void show_site(struct copying_object *object, struct copy_site *site)
{
	const struct copying_function *function = &object->functions[site->function];
	struct member_part from = { 0 }, to = { 0 };
	struct result_copy *shown =
		arena_alloc(&object->resolution->inlined_places, sizeof(*shown));
	uint64_t span = site->bulk ? site->bytes : function->copies.items[site->copy].span;
	const struct member_part *part;

	*shown = (struct result_copy){
		.bytes = site->bytes,
		.function = site->bulk ? site->bulk->name : NULL,
		.line = copy_line(object, site),
	};
	if (!end_part(object, &site->from, span, &from, &shown->from))
		from.type = NULL;
	if (!end_part(object, &site->to, span, &to, &shown->to))
		to.type = NULL;
	part = choose_part(&from, &to);
	/* a loop goes over more of the object than one of its rounds copies */
	if (part && !part->whole && !site->bulk && function->copies.items[site->copy].loops)
		shown->bytes = 0;
	if (part) {
		shown->type = string_pool_intern(&object->resolution->strings,
						 type_label_interned(part->type));
		shown->size = type_size_or(part->type, 0) * part->count;
		shown->type_id = part->type;
	}
	shown->hint = copy_hint(object, site, shown);
	shown->text = copy_text(object, shown, part ? part->count : 1);
	site->shown = shown;
}

/* ---- */

static struct error *copies_of_object(struct copying_object *object, struct sampled_copy *items,
				      size_t count)
{
	struct type_resolver_options options = { .no_infer = object->options->no_infer,
						 .threads = object->options->threads };
	struct type_resolver *resolver;

	object->reader = debug_reader_open(object->debug);
	RETURN_ERROR(decoder_check(abi_of_image(object->image)->arch));
	object->decoder = decoder_create(abi_of_image(object->image)->arch);
	object->code_left = elf_image_code_max(object->image);
	object->work = WORK_MAX;
	find_sites(object, items, count);
	if (!object->site_count)
		return NULL;
	RETURN_ERROR(type_resolver_create(object->image, object->debug, &options, &resolver));
	answer_copies(object, resolver);
	answer_calls(object, resolver);
	for (size_t i = 0; i < object->site_count; i++)
		if (object->sites[i].asked)
			show_site(object, &object->sites[i]);
	type_resolver_destroy(resolver);
	for (size_t i = 0; i < count; i++) {
		struct result_place *shown = &object->resolution->places[items[i].place].shown;

		if (items[i].site)
			shown->copy = object->sites[items[i].site - 1].shown;
		else if (items[i].call)
			shown->copy = &no_caller;
	}
	return NULL;
}

static void copying_object_deinit(struct copying_object *object)
{
	for (size_t i = 0; i < object->function_count; i++) {
		function_destroy(object->functions[i].function);
		cfg_destroy(object->functions[i].code);
		code_copies_deinit(&object->functions[i].copies);
	}
	debug_reader_close(object->reader);
	decoder_destroy(object->decoder);
	hash_map_deinit(&object->by_entry);
	free_all(object->functions, object->sites, object->questions, object->addresses,
		 object->stores);
}

struct error *resolve_copies(struct resolution *resolution, const struct sample_counts *counts,
			     const struct resolve_options *options)
{
	size_t count;
	_cleanup_free_ struct sampled_copy *items = list_copied(resolution, counts, &count);

	for (size_t first = 0, end; first < count; first = end) {
		struct copying_object object = { .resolution = resolution,
						 .options = options,
						 .dso = items[first].dso };
		struct error *error = NULL;

		for (end = first + 1; end < count && items[end].dso == items[first].dso; end++)
			;
		object.image = dso_image(object.dso, &options->dso, NULL);
		object.debug = object.image ? dso_debug(object.dso, &options->dso, NULL) : NULL;
		if (object.debug && elf_image_arch(object.image))
			error = copies_of_object(&object, items + first, end - first);
		for (size_t i = first; i < end && !object.reader; i++)
			resolution->places[items[i].place].shown.copy = &unknown_copy;
		copying_object_deinit(&object);
		if (error)
			return error_prefix(error, "%s", items[first].dso->long_name);
	}
	return NULL;
}
