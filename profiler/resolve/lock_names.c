// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of locks that threads waited for: see lock_names.h. */
#include "profiler/resolve/lock_names.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>

#include "annotate/facts/arguments.h"
#include "annotate/solve/type_resolver.h"
#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"
#include "annotate/types/member.h"
#include "base/memory.h"
#include "base/text.h"
#include "dwarf/debug.h"
#include "profiler/resolve/lock_code.h"
#include "profiler/resolve/lock_shape.h"

/* A lock is passed on by at most so many functions: without optimization, C++ has one of its
 * library for each method around another. */
#define LEVELS_MAX 12

/* Types up to this size are taken for parts of other records if a caller shows which record. So are
 * types of which the lock is at least one in PART_SHARE bytes (wait queues of kernels that check
 * their locks). */
#define PART_MAX   64
#define PART_SHARE 3

/* Records up to this size with a pointer to a lock are taken for its guards: std::unique_lock. Go
 * has no guards. */
#define GUARD_MAX 32

#define LOCK_CALLEES_MAX 20

/* A function gets at most so many locks of one type. */
#define TWINS_MAX 4

/* The lock at one call, as far as it is known, by the caller's frame. */
struct lock_site {
	struct dso *dso;
	uint32_t frame;               /* the call that is asked about */
	uint32_t inner;               /* the frame that it called */
	uint8_t argument;             /* of the call, from 0 */
	const struct lock_call *user; /* a program's; NULL: a kernel's */
	bool active;                  /* it is asked about in this round */
	/* the call of the method that gave the caller the pointer, which is asked about; 0: none */
	uint64_t accessor;
	/* index + 1 of the site that asks about another parameter which the lock may be as well;
	 * 0: none */
	uint32_t twin;
	/* the called function that passes on its argument; NULL: one for locks is called */
	struct dso *passer_dso;
	uint64_t passer;
	struct type_resolver_call call;
	struct type_resolver_callee callees[LOCK_CALLEES_MAX];
	struct lock_shape lock;
	const struct type *type; /* that has the lock; NULL: not known */
	int64_t offset;          /* of the lock in it */
	uint64_t variable;       /* file address of the variable that has it; 0: not known */
	uint64_t variable_size;
	/* of the pointer that gives `type` to a lock in memory that no record has */
	struct pointer_source source;
	bool whole;        /* its type alone is known */
	const char *doubt; /* without a type */
};

_Static_assert(LOCK_CALLEES_MAX > LOCK_CODE_RANGES + COUNT_OF(((struct lock_call *)NULL)->names),
	       "the callees of a kernel and of a program have room");

struct lock_search {
	struct lock_waits *waits;
	struct resolution *resolution;
	const struct sample_counts *counts;
	const struct lock_names_options *options;
	struct lock_codes codes;
	struct lock_site *sites;
	size_t site_count, site_capacity;
	struct hash_map site_of; /* frame -> index in `sites` */
};

static const char *lock_names_intern(struct lock_search *search, const char *text)
{
	return string_pool_intern(&search->resolution->strings, text);
}

/* ---- callers ---- */

static const struct result_place *place_of(const struct lock_search *search, uint32_t frame)
{
	return resolution_frame_place(search->resolution, frame);
}

/* Returns whether the frame is in a function for locks, which is no caller of one. */
static bool is_lock_code(struct lock_search *search, uint32_t frame, bool spins)
{
	const struct counted_frame *counted = &search->counts->frames[frame];

	return counted->dso &&
	       lock_codes_have(&search->codes, counted->dso, &search->options->dso,
			       counted->address, place_of(search, frame)->symbol, spins);
}

/* Returns the frame that wanted the lock, and *inner that it called; 0: not known. */
static uint32_t find_caller(struct lock_search *search, const struct lock_wait *wait,
			    uint32_t *inner)
{
	const struct counted_frame *frames = search->counts->frames;
	bool spins = wait->flags & LOCK_SPIN && !(wait->flags & (LOCK_MUTEX | LOCK_USER));
	uint32_t frame = wait->chain;

	*inner = 0;
	for (unsigned int i = 0; frame && i < search->options->skip; i++) {
		*inner = frame;
		frame = frames[frame].caller;
	}
	while (frame && is_lock_code(search, frame, spins)) {
		*inner = frame;
		frame = frames[frame].caller;
	}
	return frame;
}

const char *lock_names_frame(struct resolution *resolution, uint32_t frame)
{
	const struct result_place *place = resolution_frame_place(resolution, frame);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!place->symbol)
		return NULL;
	/* a frame's place is the last byte of its call */
	strbuf_add_format(&text, "%s+0x%" PRIx64, place->symbol,
			  place->address + place->returned - place->symbol_address);
	return string_pool_intern(&resolution->strings, text.data);
}

static void set_caller(struct lock_search *search, struct lock_wait *wait, uint32_t frame)
{
	wait->frame = frame;
	if (frame)
		wait->caller = lock_names_frame(search->resolution, frame);
}

/* ---- what a call passes ---- */

static uint64_t site_key(const struct lock_wait *wait)
{
	return (uint64_t)wait->call.argument << 32 | wait->frame;
}

static struct lock_site *site_of(struct lock_search *search, const struct lock_wait *wait,
				 uint32_t inner)
{
	bool created;
	struct lock_site *site = hash_map_item(&search->site_of, site_key(wait), search->sites,
					       search->site_count, search->site_capacity, &created);

	if (created)
		*site = (struct lock_site){ .active = true,
					    .frame = wait->frame,
					    .inner = inner,
					    .argument = wait->call.argument,
					    .user = wait->flags & LOCK_USER ? &wait->call : NULL };
	return site;
}

/* Returns whether the function that waits tells the type, so that no call is asked about. */
static bool is_known(const struct lock_site *site)
{
	return site->user && site->user->member;
}

/* Adds the functions of an object that have a locking function's names; returns how many there
 * are. */
static size_t add_named(struct lock_search *search, struct dso *dso, const struct lock_call *call,
			struct type_resolver_callee *callees, size_t count)
{
	const struct elf_image *image = dso_image(dso, &search->options->dso, NULL);

	for (size_t i = 0; image && i < COUNT_OF(call->names) && call->names[i]; i++) {
		struct type_resolver_callee *callee = &callees[count];

		*callee = (struct type_resolver_callee){ 0 };
		if (strchr(call->names[i], '*')) {
			callee->name = call->names[i];
			count++;
			continue;
		}
		if (!elf_image_symbol_address(image, call->names[i], &callee->low))
			continue;
		callee->high = callee->low + 1;
		count++;
	}
	return count;
}

/* Adds the function at an address, which may be `called`: a shared library calls its own functions
 * by its PLT, where only the name tells. Returns the new count. */
static size_t add_called(uint64_t address, const struct result_place *called,
			 struct type_resolver_callee *callees, size_t count)
{
	callees[count++] = (struct type_resolver_callee){ .low = address, .high = address + 1 };
	if (called && called->symbol && called->symbol_address == address &&
	    count < LOCK_CALLEES_MAX)
		callees[count++] = (struct type_resolver_callee){ .name = called->symbol };
	return count;
}

/* Methods that return a pointer to what their object points to or contains, as symbols of Rust and
 * C++; those of the second line have an index. Optimization inlines them. */
static const char *const accessors[] = { "_ZN*Deref*5deref*", "_ZN*deEv", "_ZN*ptEv",
					 "_ZN*Index*5index*", "_ZN*ixE*" };

#define ACCESSORS_INDEXED 3 /* the first of these with an index */

/* Prepares the question of the object whose method gave the caller the pointer. */
static void prepare_accessor(struct lock_site *site)
{
	for (size_t i = 0; i < COUNT_OF(accessors); i++)
		site->callees[i] = (struct type_resolver_callee){ .name = accessors[i] };
	site->call = (struct type_resolver_call){ .address = site->accessor,
						  .at_call = true,
						  .callee_count = COUNT_OF(accessors) };
}

/* Prepares the question of what the call at site->frame passes on. */
static void prepare_call(struct lock_search *search, struct lock_site *site)
{
	const struct counted_frame *frame = &search->counts->frames[site->frame],
				   *inner = &search->counts->frames[site->inner];
	const struct result_place *called = site->inner ? place_of(search, site->inner) : NULL;
	struct type_resolver_callee *callees = site->callees;
	size_t count = 0;

	site->active = false;
	if (!frame->dso || site->argument == LOCK_NO_ARGUMENT || (!called && !site->passer_dso))
		return;
	site->dso = frame->dso;
	const char *const *nearest = site->user && !site->passer_dso ? site->user->nearest : NULL;

	if (nearest) {
		for (size_t i = 0; count < LOCK_CALLEES_MAX && nearest[i]; i++)
			callees[count++] = (struct type_resolver_callee){ .name = nearest[i] };
		for (size_t i = 0; count < LOCK_CALLEES_MAX && site->user->undo[i]; i++)
			callees[count++] =
				(struct type_resolver_callee){ .name = site->user->undo[i],
							       .undoes = true };
	} else if (site->passer_dso == frame->dso) {
		count = add_called(site->passer, called, callees, count);
	} else if (!site->passer_dso && site->user && frame->dso != inner->dso) {
		for (size_t i = 0; i < COUNT_OF(site->user->names) && site->user->names[i]; i++)
			callees[count++] =
				(struct type_resolver_callee){ .name = site->user->names[i] };
	} else if (!site->passer_dso && frame->dso == inner->dso) {
		const struct lock_code *code =
			lock_codes_of(&search->codes, frame->dso, &search->options->dso);

		count = code->count;
		memcpy(callees, code->ranges, count * sizeof(*callees));
		if (site->user)
			count = add_named(search, frame->dso, site->user, callees, count);
		if (called && called->symbol)
			count = add_called(called->symbol_address, called, callees, count);
	} else if (called && called->symbol) {
		callees[count++] = (struct type_resolver_callee){ .name = called->symbol };
	}
	site->active = count || is_known(site);
	if (!count)
		return;
	/* a walk of the stack gives the last byte of a call */
	site->call = (struct type_resolver_call){
		.address = frame->address + (frame->stands == FRAME_EXACT),
		.nearest = nearest,
		.through = !nearest,
		.indirect = !nearest && !(site->user && site->user->maybe && !site->passer_dso),
		.callee_count = count,
		.argument = site->argument
	};
}

/* Returns whether the site's answer is the lock alone, or a number. */
static bool is_bare(const struct lock_site *site)
{
	return lock_shape_known(&site->lock) ? lock_shape_is(site->type, &site->lock)
					     : !type_is_record(type_strip(site->type));
}

/* Returns the size of a lock, or 0. */
static uint64_t extent_of(const struct lock_site *site)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;
	const struct type *record = site->type ? type_strip(site->type) : NULL,
			  *lock = record && type_is_record(record)
					  ? lock_shape_find(record, site->offset, &site->lock,
							    &path)
					  : NULL;

	lock = lock ?: site->lock.type;
	return lock ? type_size_or(lock, 0) : 0;
}

/* Returns whether a type may be a part of others that its functions do not know of. So are the
 * objects of the libraries of C++. */
static bool is_part(const struct lock_site *site)
{
	uint64_t size = type_size_or(type_strip(site->type), UINT64_MAX);
	const char *name = type_name_interned(site->type);

	return is_bare(site) || size <= PART_MAX || starts_with(name, "std::") ||
	       starts_with(name, "boost::") ||
	       (extent_of(site) && size / PART_SHARE <= extent_of(site));
}

/* Returns what a parameter's type points to, without typedefs; NULL: not known. */
static const struct type *pointee_of(const struct type *type)
{
	const struct type *pointer = type ? type_strip(type) : NULL;

	return pointer && type_is_pointer(pointer) ? type_strip(type_target(pointer)) : NULL;
}

/* Lists the arguments of the function at `entry`, by the registers that they are passed in, which
 * point to the site's type; or that of one parameter, counted from 1. Returns how many there are;
 * 0: none, or too many. */
static size_t list_arguments(struct lock_search *search, const struct lock_site *site,
			     struct debug_reader *reader, uint64_t entry, uint8_t parameter,
			     uint8_t arguments[TWINS_MAX])
{
	const struct elf_image *image = dso_image(site->dso, &search->options->dso, NULL);
	struct function *function = debug_reader_function(reader, entry);
	struct argument_walk walk;
	struct argument argument;
	size_t found = 0;

	const struct abi *abi = image ? abi_of_function(abi_of_image(image), function) : NULL;
	const struct prototype *prototype = debug_reader_prototype_at(reader, entry, entry);

	walk.index = 0;
	if (abi && prototype && prototype->prototyped)
		arguments_begin(&walk, abi, prototype);
	while (abi && prototype && prototype->prototyped && arguments_next(&walk, &argument)) {
		const struct type *pointee = pointee_of(argument.type);
		uint8_t at = 0;

		if (parameter ? walk.index != parameter
			      : !pointee || !field_same_type(pointee, site->type))
			continue;
		while (at < abi->call->argument_count &&
		       abi->call->arguments[at] != argument.registers[0])
			at++;
		if (at == abi->call->argument_count || found == TWINS_MAX) {
			found = 0;
			break;
		}
		arguments[found++] = at;
	}
	function_destroy(function);
	return found;
}

/* Returns the record that the first parameter of the function at `entry` points to, or NULL. */
static const struct type *first_object(struct debug_reader *reader, uint64_t entry)
{
	const struct prototype *prototype =
		entry ? debug_reader_prototype_at(reader, entry, entry) : NULL;

	return prototype && prototype->parameter_count ? pointee_of(prototype->parameters[0].type)
						       : NULL;
}

/* Makes the site ask what the callers passed to its function, if the function passes on an
 * argument, or has a parameter that points to the type that it passes on. The function has the call
 * of the lock function, or jumps to it as its last step. If several do, such as std::lock()'s, it
 * gets twins, which ask about the others. A method of a guard (std::unique_lock) has the lock that
 * the guard's constructor got, if that calls it, or one of those of std::lock(). */
static void go_outward(struct lock_search *search, size_t index, struct debug_reader *reader)
{
	struct lock_site *site = &search->sites[index];
	uint32_t caller = search->counts->frames[site->frame].caller;
	const struct result_place *place = place_of(search, site->frame);
	uint64_t entry = site->call.called ?: place->symbol ? place->symbol_address : 0;
	uint8_t arguments[TWINS_MAX];
	const struct pointer_source *source = &site->call.source;
	bool known = source->argument && !site->call.called;
	size_t found =
		!entry  ? 0
		: known ? 1
			: list_arguments(search, site, reader, entry,
					 site->call.called ? 0 : source->parameter, arguments);

	if (known)
		arguments[0] = source->argument - 1;
	if (!found && !site->call.called && caller && source->record &&
	    type_size_or(type_strip(source->record), UINT64_MAX) <= GUARD_MAX &&
	    search->counts->frames[caller].dso == site->dso) {
		const struct type *guard = first_object(reader, entry);

		place = place_of(search, caller);
		entry = place->symbol ? place->symbol_address : 0;
		if (guard && field_same_type(guard, type_strip(source->record)) &&
		    (guard == first_object(reader, entry) ||
		     (place->symbol && starts_with(place->symbol, "std::lock<"))))
			found = list_arguments(search, site, reader, entry, 0, arguments);
		site->frame = found ? caller : site->frame;
		caller = search->counts->frames[site->frame].caller;
	}
	if (!found || (found > 1 && site->twin) || (!site->call.called && !caller))
		return;
	site->active = true;
	site->passer_dso = site->dso;
	site->passer = entry;
	if (!site->call.called) {
		site->inner = site->frame;
		site->frame = caller;
	}
	for (size_t i = 0; i < found; i++) {
		if (i) {
			array_reserve(search->sites, search->site_count, search->site_capacity);
			search->sites[search->site_count] = search->sites[index];
			search->sites[index].twin = (uint32_t)++search->site_count;
			index = search->site_count - 1;
		}
		search->sites[index].argument = arguments[i];
	}
}

/* Finds the type of the lock that a call of a function for locks gets. */
static void find_shape(struct lock_site *site, struct debug_reader *reader)
{
	const char *callee = site->call.callee, *type = site->user ? site->user->type : NULL;

	if (type && strchr(type, '*')) {
		site->lock.pattern = type;
		return;
	}
	const struct prototype *prototype =
		callee && *callee
			? debug_reader_prototype_named(reader, callee, site->call.address - 1)
			: NULL;

	if (prototype && site->argument < prototype->parameter_count)
		site->lock.type = pointee_of(prototype->parameters[site->argument].type);
	/* a number in the lock, such as the semaphore of one of Go */
	if (site->lock.type && type && !type_is_record(site->lock.type))
		site->lock.type = NULL;
	if (!site->lock.type && type &&
	    debug_reader_types_named(reader, type, &site->lock.type, 1) != 1)
		site->lock.type = NULL;
	if (site->lock.type)
		site->lock.type = type_strip(site->lock.type);
}

/* Sets the type of a site whose function waits for objects of one type alone. */
static void take_known(struct lock_search *search, struct lock_site *site,
		       struct debug_reader *reader)
{
	const struct lock_call *call = site->user;
	const char *name = is_known(site) ? call->type : call->otherwise,
		   *member = is_known(site) ? call->member : "";
	const struct type *type = NULL;
	size_t count = 0;

	site->active = false;
	site->doubt = "the type that the function waits for is not known";
	if (reader && debug_reader_types_named(reader, name, &type, 1) != 1)
		return;
	if (!reader && starts_with(name, "struct "))
		type = dso_kernel_struct(site->dso, &search->options->dso,
					 name + strlen("struct "));
	if (!type)
		return;
	const struct member *members = type_members(type, &count);

	for (size_t i = 0; i < count && *member; i++)
		if (members[i].name && !strcmp(members[i].name, member)) {
			site->offset = members[i].offset;
			site->lock.type = type_strip(members[i].type);
		}
	site->whole = !*member;
	if (site->whole || site->lock.type)
		site->type = type;
}

/* Returns whether the object of a type that an argument points to is an element of an array. */
static bool is_element(const struct access *access, const struct type *type)
{
	const struct lock_shape shape = { .type = type_strip(type), .numbered = true };
	const struct type *record = type_strip(access->type);
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	return record->kind == TYPE_ARRAY ||
	       (type_is_record(record) && lock_shape_find(record, access->offset, &shape, &path) &&
		strchr(path.data, '['));
}

/* Asks about the method that gave the caller a pointer to a lock which nothing else tells. */
static void ask_accessor(struct lock_site *site)
{
	if (!site->type || !is_bare(site) || site->accessor || site->twin ||
	    (site->user && site->user->object))
		return;
	site->accessor = site->source.call;
	site->active = site->accessor;
}

/* Takes the answer about such a method: the object that it was called of. */
static void take_accessor(struct lock_site *site)
{
	const struct access *access = &site->call.access;
	const struct type *type = access->type;
	int64_t offset = access->offset;

	site->active = false;
	if (access->kind != ACCESS_TYPE)
		return;
	if (lock_shape_known(&site->lock) && lock_shape_has(type, offset, &site->lock)) {
		site->type = type;
		site->offset = lock_shape_start(type, offset, site->lock.type);
		return;
	}
	if (!lock_shape_follow(&type, &offset, type_strip(site->type)))
		return;
	if (type != access->type) {
		site->type = type;
		site->offset = offset;
		return;
	}
	site->source = (struct pointer_source){
		.record = type,
		.offset = offset,
		.indexed = any_of(i, ACCESSORS_INDEXED, COUNT_OF(accessors),
				  !fnmatch(accessors[i], site->call.callee ?: "", 0))
	};
}

/* Takes the answer about a call. An element of an array is an object of its own, and no part. */
static void take_answer(struct lock_search *search, size_t index, struct debug_reader *reader)
{
	struct lock_site *site = &search->sites[index];
	const struct access *access = &site->call.access;

	if (site->accessor) {
		take_accessor(site);
		return;
	}
	site->active = false;
	if (!site->passer_dso && site->call.callee)
		find_shape(site, reader);
	if (access->kind != ACCESS_TYPE) {
		if (!site->type)
			site->doubt = site->call.callee || access->reason
					      ? access_reason_name(access->reason ?: REASON_CALLER)
					      : "the caller calls another function";
		else if (site->call.callee && is_bare(site))
			site->source = site->call.source; /* a pointer to void, for one */
		/* a function gets it without its type: as void *, or in an interface of Go */
		if (!site->type && site->call.source.argument)
			site->type = site->lock.type;
		if (site->type && site->call.source.argument)
			go_outward(search, index, reader);
		return;
	}
	/* the caller passes what does not have the type that was passed on */
	if (site->passer_dso && !field_same_type(access->type, site->type) &&
	    !field_contains(access->type, access->offset, site->type) &&
	    !lock_shape_has_declared(access->type, access->offset))
		return;
	if (site->passer_dso && !is_bare(site) && is_element(access, site->type))
		return;
	int64_t offset = site->passer_dso ? access->offset + site->offset : access->offset;

	if (!lock_shape_has(access->type, offset, &site->lock) ||
	    (!*site->call.callee && !lock_shape_known(&site->lock))) {
		site->doubt = "the caller passes something else";
		return;
	}
	site->type = access->type;
	site->offset = lock_shape_start(access->type, offset, site->lock.type);
	site->variable = access->memory == ACCESS_MEMORY_STATIC ? access->object_address : 0;
	site->variable_size = access->object_size;
	site->source = site->call.source;
	if (!(site->user && site->user->object) && is_part(site))
		go_outward(search, index, reader);
}

/* Asks about the active sites of one DSO, which are sites[order[0 .. count)]. */
static struct error *ask_object(struct lock_search *search, const size_t *order, size_t count)
{
	struct type_resolver_options options = { .no_infer = search->options->no_infer,
						 .threads = search->options->threads };
	_cleanup_free_ struct type_resolver_call *calls = xcalloc(count, sizeof(*calls));
	struct dso *dso = search->sites[order[0]].dso;
	const struct elf_image *image = dso_image(dso, &search->options->dso, NULL);
	struct debug_object *debug = image ? dso_debug(dso, &search->options->dso, NULL) : NULL;
	struct debug_reader *reader = NULL;
	struct type_resolver *resolver;
	size_t asked = 0;

	if (!image || !debug) {
		for (size_t i = 0; i < count; i++) {
			struct lock_site *site = &search->sites[order[i]];

			site->active = false;
			if (!image && (is_known(site) || (site->user && site->user->otherwise)))
				take_known(search, site, NULL);
			if (!site->type)
				site->doubt = image ? "no debug information" : "no object file";
		}
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		struct lock_site *site = &search->sites[order[i]];

		if (is_known(site))
			continue;
		calls[asked] = site->call;
		calls[asked++].callees = site->callees;
	}
	RETURN_ERROR(type_resolver_create(image, debug, &options, &resolver));
	type_resolver_calls(resolver, calls, asked);
	reader = debug_reader_open(debug);
	asked = 0;
	for (size_t i = 0; i < count; i++) {
		struct lock_site *site = &search->sites[order[i]];

		if (is_known(site)) {
			take_known(search, site, reader);
			continue;
		}
		site->call = calls[asked++];
		take_answer(search, order[i], reader);
		if (!search->sites[order[i]].active)
			ask_accessor(&search->sites[order[i]]);
	}
	debug_reader_close(reader);
	type_resolver_destroy(resolver);
	return NULL;
}

static int compare_sites(const void *left, const void *right, void *data)
{
	const struct lock_site *sites = data, *a = &sites[*(const size_t *)left],
			       *b = &sites[*(const size_t *)right];

	if (a->dso != b->dso)
		return a->dso->id < b->dso->id ? -1 : 1;
	if (a->call.address != b->call.address)
		return a->call.address < b->call.address ? -1 : 1;
	return (a > b) - (a < b);
}

/* Asks about all active sites once. Sets *again if callers further out are to be asked about. */
static struct error *ask_round(struct lock_search *search, bool *again)
{
	_cleanup_free_ size_t *order = xcalloc(search->site_count, sizeof(*order));
	size_t count = 0;

	*again = false;
	array_indexed (struct lock_site, site, i, search->sites, search->site_count) {
		if (!site->active)
			continue;
		if (site->accessor)
			prepare_accessor(site);
		else
			prepare_call(search, site);
		if (site->active)
			order[count++] = i;
		else if (!site->type)
			site->doubt = "not known what the caller passes";
	}
	if (count)
		qsort_r(order, count, sizeof(*order), compare_sites, search->sites);
	for (size_t start = 0, end; start < count; start = end) {
		for (end = start + 1; end < count && search->sites[order[end]].dso ==
							     search->sites[order[start]].dso;
		     end++)
			;
		RETURN_ERROR(ask_object(search, order + start, end - start));
	}
	for (size_t i = 0; i < search->site_count; i++)
		*again |= search->sites[i].active;
	return NULL;
}

/* ---- names ---- */

/* Returns whether what has a lock is always a part of something, so that its name alone tells no
 * lock: a wait queue of the kernel, or a type that a library of C++ keeps to itself. */
static bool is_only_part(const struct lock_search *search, const struct lock_site *site)
{
	const struct type *type = type_strip(site->type);
	const char *name = type_name_interned(type);

	if (search->options->choose || !type->name || !site->dso)
		return false;
	if (!dso_is_kernel(site->dso))
		return starts_with(name, "std::__1::__") ||
		       (starts_with(name, "std::__") && !starts_with(name, "std::__1::"));
	return !strcmp(type->name, "wait_queue_head") || !strcmp(type->name, "swait_queue_head");
}

/* The answer of callers about a lock. */
struct lock_answer {
	const char *name, *type, *field;
	int64_t offset;
};

/* Makes "struct mm_struct +112 (mmap_lock)" of an answer; of an object itself, its type. */
static struct lock_answer answer_of(struct lock_search *search, const struct lock_site *site)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	const struct type *type = site->type;
	int64_t offset = site->offset;

	if (!is_bare(site) && !site->whole)
		lock_shape_own_object(&type, &offset, &site->lock);
	const struct type *record = type_strip(type);
	struct lock_answer answer = { .type = type_name_interned(type), .offset = offset };
	bool found = type_is_record(record) && lock_shape_find(record, offset, &site->lock, &path);

	if (is_bare(site) || site->whole) {
		answer.name = answer.type;
		return answer;
	}
	if (!found)
		found = member_path(type, offset, 0, &path);
	if (found && path.length)
		answer.field = lock_names_intern(search, path.data);
	strbuf_add_format(&text, "%s +%" PRId64, answer.type, answer.offset);
	if (answer.field)
		strbuf_add_format(&text, " (%s)", answer.field);
	answer.name = lock_names_intern(search, text.data);
	return answer;
}

/* Appends a variable's name without what nobody writes: the tags of an ABI ("names[abi:cxx11]"),
 * and the number that gcc gives to a static variable of a function ("lock.1"). */
static void add_variable(struct strbuf *text, const char *name)
{
	const char *tag, *end;

	for (; (tag = strstr(name, "[abi:")) && (end = strchr(tag, ']')); name = end + 1)
		strbuf_add_format(text, "%.*s", (int)(tag - name), name);
	end = strrchr(name, '.');
	strbuf_add_format(text, "%.*s",
			  end && end != name && end[1] && !end[1 + strspn(end + 1, "0123456789")]
				  ? (int)(end - name)
				  : (int)strlen(name),
			  name);
}

/* Returns the struct of a variable's own name and size, which it is if BTF has no variables and a
 * lock of the struct is at this place: `static struct rcu_state rcu_state`; else NULL. */
static const struct type *struct_of_name(struct debug_reader *reader, const struct symbol *symbol,
					 int64_t offset, const struct lock_shape *lock)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT, path = STRBUF_INIT;
	const struct type *type;

	strbuf_add_format(&name, "struct %s", symbol->name);
	if (debug_reader_types_named(reader, name.data, &type, 1) != 1 ||
	    type_size_or(type_strip(type), 0) != symbol->size || !lock_shape_known(lock))
		return NULL;
	return lock_shape_find(type_strip(type), offset, lock, &path) ? type : NULL;
}

/* Returns whether a variable has words of libstdc++ at which threads wait for objects that are no
 * int, such as a barrier: several objects share a word, which so tells nothing of them. */
static bool is_waiter_pool(const struct symbol *symbol)
{
	return strstr(symbol->name, "__waiter_pool");
}

/* Returns the name of the variable at a file address, and of the lock that it has there, or NULL:
 * "lru_locks[3]". Without `lock`, not which one. */
static const char *variable_at(struct lock_search *search, struct dso *dso, uint64_t address,
			       const struct lock_shape *lock)
{
	const struct dso_options *options = &search->options->dso;
	const struct symbol *symbol = dso_data_symbol_at(dso, options, address);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct debug_object *debug = symbol ? dso_debug(dso, options, NULL) : NULL;
	struct debug_reader *reader;
	struct global global;

	if (!symbol || !symbol_is_data(symbol) || address < symbol->address ||
	    address >= symbol->address + (symbol->size ?: 1) || is_waiter_pool(symbol))
		return NULL;
	add_variable(&text, resolve_symbol_name(search->resolution, symbol->name));
	reader = debug && lock ? debug_reader_open(debug) : NULL;
	int64_t offset = (int64_t)(address - symbol->address);
	const struct type *type = !reader ? NULL
				  : debug_reader_global_at(reader, address, 0, &global) &&
						  global.type && global.address == symbol->address
					  ? global.type
					  : struct_of_name(reader, symbol, offset, lock);

	if (type)
		lock_shape_add(&text, type, offset, lock);
	else if (!lock)
		strbuf_add_string(&text, "[]");
	else if (offset)
		strbuf_add_format(&text, "+0x%" PRIx64, offset);
	debug_reader_close(reader);
	return lock_names_intern(search, text.data);
}

/*
 * Returns the name of the variable that has the lock, by the lock's address or by what the caller
 * passes; NULL: none is known. The addresses of an object's data moved as far as those of its code
 * did. The bytes of a lock that a program waits for may be anywhere in it.
 */
static const char *variable_of(struct lock_search *search, const struct lock_wait *wait,
			       const struct lock_site *site)
{
	struct lock_shape shape = site ? site->lock : (struct lock_shape){ 0 };
	const uint32_t frames[] = { wait->frame, wait->call.inner }; /* a library has own locks */
	const char *name = NULL;

	shape.numbered = true;
	/* what the caller passes is not known, but the function that waits */
	if (!lock_shape_known(&shape))
		shape.pattern = wait->call.type;
	for (size_t i = 0; !name && wait->lock && i < COUNT_OF(frames); i++) {
		const struct counted_frame *frame = &search->counts->frames[frames[i]];

		if (frames[i] && frame->dso)
			name = variable_at(search, frame->dso,
					   wait->lock - (frame->ip - frame->address), &shape);
	}
	if (name || !site || !site->variable)
		return name;
	return site->variable_size == type_size_or(type_strip(site->type), 0)
		       ? variable_at(search, site->dso, site->variable + (uint64_t)site->offset,
				     &site->lock)
		       : variable_at(search, site->dso, site->variable, NULL);
}

/* Returns the length of the name of the function of Go that a function is written in: main.main of
 * main.main.func2.1. */
static size_t length_outermost(const char *function)
{
	const char *inner = strstr(function, ".func");

	while (inner && !isdigit((unsigned char)inner[5]))
		inner = strstr(inner + 1, ".func");
	return inner ? (size_t)(inner - function) : strlen(function);
}

static bool is_go_lock(const struct lock_site *site)
{
	return site->user && site->user->type && starts_with(site->user->type, "sync.");
}

/*
 * Returns the name of a lock in memory that no record has, by the pointer to it or to an array with
 * it: "item_locks[]", "*lock" or "struct cache +8 (locks[])"; NULL: that is not known.
 */
static const char *pointer_of(struct lock_search *search, const struct lock_site *site)
{
	const struct lock_shape pointer = { .pattern = "*[*]", .numbered = true };
	const struct pointer_source *source = &site->source;
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	bool indexed = source->indexed;
	const char *name;

	/* its private data are behind pointers to void, and BTF does not tell what has the lock */
	if (dso_is_kernel(site->dso))
		return NULL;
	/* the type of a method's parameter took the place of what the pointer was computed from */
	const struct member *array =
		source->base ? lock_shape_array(type_strip(source->base), &site->lock) : NULL;

	if (array) {
		strbuf_add_format(&text, "%s +%" PRId64 " (%s)", type_name_interned(source->base),
				  (int64_t)array->offset, array->name);
		return lock_names_intern(search, text.data);
	}
	if (source->variable) {
		const char *function = place_of(search, site->frame)->symbol;

		/* main.main.func2 is a function in main.main */
		strbuf_add_format(&text, "%.*s.%s", function ? (int)length_outermost(function) : 0,
				  function ?: "", source->variable);
		return lock_names_intern(search, text.data);
	}
	if (source->record) {
		name = indexed ? NULL
			       : lock_captured_variable(type_strip(source->record), source->offset);
		if (name)
			return name;
		if (!indexed && !is_go_lock(site) &&
		    type_size_or(type_strip(source->record), 0) <= GUARD_MAX)
			return NULL;
		if (!member_path(source->record, source->offset, 0, &path))
			return NULL;
		strbuf_add_format(&text, "%s +%" PRId64 " (%s%s%s)",
				  type_name_interned(source->record), source->offset,
				  indexed ? "" : "*", path.data, indexed ? "[]" : "");
		return lock_names_intern(search, text.data);
	}
	name = source->offset ? variable_at(search, site->dso, (uint64_t)source->offset, &pointer)
			      : NULL;
	if (!name)
		return NULL;
	strbuf_add_format(&text, indexed ? "%s[]" : "*%s", name);
	return lock_names_intern(search, text.data);
}

/* Returns whether one of two answers about a lock has the other one in it. */
static bool lock_sites_agree(const struct lock_site *a, const struct lock_site *b)
{
	if (field_same_type(a->type, b->type))
		return a->offset == b->offset;
	return field_contains(a->type, a->offset - b->offset, b->type) ||
	       field_contains(b->type, b->offset - a->offset, a->type);
}

/* Returns whether `a` says more than `b`: the smallest type by itself, else the largest. */
static bool says_more(const struct lock_site *a, const struct lock_site *b)
{
	uint64_t left = type_size_or(type_strip(a->type), 0),
		 right = type_size_or(type_strip(b->type), 0);

	if (is_part(a) != is_part(b))
		return is_part(b);
	return is_part(a) ? left > right : left < right;
}

/* Returns the site of a wait, or NULL. If it has twins, their answers are known and agree. */
static struct lock_site *site_of_wait(const struct lock_search *search,
				      const struct lock_wait *wait)
{
	const uint32_t *index =
		wait->frame ? hash_map_find(&search->site_of, site_key(wait)) : NULL;
	struct lock_site *first = index ? &search->sites[*index] : NULL;

	for (const struct lock_site *site = first; first && first->twin;
	     site = &search->sites[site->twin - 1]) {
		if (is_bare(site) || !lock_sites_agree(site, first))
			return NULL;
		if (!site->twin)
			break;
	}
	return first;
}

/* Names the waits for one lock, waits[0 .. count), by what all of its callers say: a variable
 * before a type and field. */
static void name_lock(struct lock_search *search, struct lock_wait *const *waits, size_t count)
{
	const struct lock_site *best = NULL;
	const char *variable = NULL;
	bool disagree = false;
	struct lock_answer answer = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct lock_site *site = site_of_wait(search, waits[i]);

		if (!variable)
			variable = variable_of(search, waits[i], site);
		if (!site || !site->type)
			continue;
		disagree |= best && !lock_sites_agree(site, best);
		if (!best || says_more(site, best))
			best = site;
	}
	for (size_t i = 0; best && is_bare(best) && !variable && i < count; i++) {
		const struct lock_site *site = site_of_wait(search, waits[i]);

		if (site && site->type && !search->options->choose)
			variable = pointer_of(search, site);
	}
	/* a struct without a name says less than its variable */
	if (best && !disagree && !is_only_part(search, best) &&
	    (!is_bare(best) || (best->user && best->user->object)) &&
	    !(variable && !best->type->name))
		answer = answer_of(search, best);
	/* the lock is an object, too, for who asks about objects */
	if (best && !disagree && !variable && !answer.name && search->options->choose)
		answer = (struct lock_answer){ .type = type_name_interned(best->type),
					       .offset = best->offset };
	for (size_t i = 0; i < count; i++) {
		const struct lock_site *site = site_of_wait(search, waits[i]);

		if (waits[i]->flags & LOCK_USER && site)
			waits[i]->extent = extent_of(site);
		waits[i]->name = variable ?: answer.name;
		waits[i]->type = answer.type;
		waits[i]->offset = answer.offset;
		waits[i]->field = answer.field;
		if (!waits[i]->name)
			waits[i]->doubt = !waits[i]->chain   ? "no call chain"
					  : !waits[i]->frame ? "no caller outside of lock functions"
					  : !site            ? "the caller has several such locks"
					  : disagree         ? "the callers disagree"
					  : best             ? "no caller shows what the lock is in"
					  : site->doubt ?: "not known what the caller passes";
	}
}

/* Returns whether two waits are for one lock, as far as addresses tell: those of programs are of
 * their processes, and without an address a lock is known by the caller alone. */
static bool is_same_lock(const struct lock_wait *a, const struct lock_wait *b)
{
	bool user = (a->flags | b->flags) & LOCK_USER;

	return a->lock == b->lock && (!user || a->pid == b->pid) &&
	       (a->lock || site_key(a) == site_key(b));
}

ADDRESS_COMPARISON(by_lock, struct lock_wait,
		   ASCENDING(lock) ASCENDING(pid) COMPARE(site_key(a), site_key(b));
		   COMPARE(a, b);)

/* Makes the address of a wait that of its lock, several words of which are waited at: members of
 * the lock, or of the mutex in it. */
static void move_to_lock(struct lock_search *search, struct lock_wait *wait)
{
	const char *word = wait->call.word;
	const struct lock_site *site = word ? site_of_wait(search, wait) : NULL;
	const struct type *type = site ? site->lock.type : NULL;
	uint64_t offset = 0;

	for (unsigned int i = 0; type && !type_member_named(type, word, strlen(word), &offset);
	     i++) {
		const struct member *mutex = type_member_named(type, "w", 1, &offset)
						     ?: type_member_named(type, "mu", 2, &offset);

		type = mutex && i < TYPE_DEPTH_MAX ? type_strip(mutex->type) : NULL;
	}
	if (wait->lock && type)
		wait->lock -= offset;
}

static void name_locks(struct lock_search *search)
{
	size_t count = 0;

	array_each (struct lock_wait, wait, search->waits->items, search->waits->count)
		move_to_lock(search, wait);
	_cleanup_free_ struct lock_wait **sorted =
		xcalloc(search->waits->count, sizeof(struct lock_wait *));

	for (size_t i = 0; i < search->waits->count; i++)
		if (!search->waits->items[i].name)
			sorted[count++] = &search->waits->items[i];
	array_sort(sorted, count, by_lock);
	for (size_t start = 0, end; start < count; start = end) {
		for (end = start + 1; end < count && is_same_lock(sorted[start], sorted[end]);
		     end++)
			;
		name_lock(search, sorted + start, end - start);
	}
}

/* Returns whether a program waits at such a word. */
static bool is_shared_word(struct lock_search *search, const struct lock_wait *wait, uint32_t frame)
{
	const struct counted_frame *counted = &search->counts->frames[frame];

	if (!(wait->flags & LOCK_USER) || !wait->lock || !counted->dso)
		return false;
	const struct symbol *symbol = dso_data_symbol_at(
		counted->dso, &search->options->dso, wait->lock - (counted->ip - counted->address));

	return symbol && is_waiter_pool(symbol);
}

/* Sets the callers of waits, and adds the calls that they ask about. */
static void add_sites(struct lock_search *search, struct lock_waits *waits)
{
	const struct lock_names_options *options = search->options;

	array_each (struct lock_wait, wait, waits->items, waits->count) {
		bool chooses = options->choose && !wait->call.inner;
		uint32_t inner = wait->call.inner;
		uint32_t frame = wait->flags & LOCK_USER && !chooses
					 ? wait->call.frame
					 : find_caller(search, wait, &inner);

		if (chooses) {
			options->choose(options->choose_data, wait, frame, inner);
			frame = wait->call.frame;
			inner = wait->call.inner;
		}
		set_caller(search, wait, frame);
		if (is_shared_word(search, wait, frame))
			wait->lock = 0;
		if (wait->flags & LOCK_USER)
			wait->name = wait->call.other;
		if (frame && !wait->name)
			site_of(search, wait, inner);
	}
}

struct error *lock_names_find(struct lock_waits *waits, struct resolution *resolution,
			      const struct sample_counts *counts,
			      const struct lock_names_options *options)
{
	struct lock_search search = {
		.waits = waits, .resolution = resolution, .counts = counts, .options = options
	};
	struct error *error = NULL;
	bool again = true;

	add_sites(&search, waits);
	for (unsigned int i = 0; i < LEVELS_MAX && again && !error && !options->callers_only; i++)
		error = ask_round(&search, &again);
	if (!error && !options->callers_only)
		name_locks(&search);
	free_all(search.codes.items, search.sites);
	hash_map_deinit(&search.site_of);
	return error;
}
