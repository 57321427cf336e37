// SPDX-License-Identifier: GPL-2.0-or-later
/* The type resolver of one object: see the header. Addresses are grouped by function, and threads
 * take functions. Nothing that the threads share depends on their order, so the same file gives the
 * same answers. */
#include "annotate/solve/type_resolver.h"

#include <malloc.h>

#include "annotate/companion/accesses.h"
#include "annotate/facts/abi.h"
#include "annotate/solve/knowing_functions.h"
#include "annotate/solve/solve_function.h"
#include "annotate/types/field.h"
#include "annotate/rule.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "dwarf/companion/companion.h"

struct type_resolver {
	const struct elf_image *image;
	struct debug_object *debug;
	struct type_resolver_options options;
	struct exact *exact;                    /* NULL: the compiler said nothing */
	struct static_branches static_branches; /* empty unless the image is a kernel */
	bool prepared;                          /* `static_branches` are known */
	bool kernel;                            /* the image is a kernel, or a module of one */
	unsigned int threads;
	struct worker *workers;       /* by thread; opened when first used */
	struct distant_facts distant; /* what has been wanted so far */
	uint64_t bit_work;            /* what is left of it, see BIT_WORK_MAX() */
	int64_t keep_left;            /* bytes of functions that may still be kept open */
};

/* The bytes of functions that are kept until it is known which of them have evidence for others:
 * reading a function takes a fifth of the time that it takes to solve it. Hardly more are read
 * again in a large program, and memory that is new takes time, too. */
#define KEEP_MAX (INT64_C(4) << 20)
/* A function with fewer bytes of code may be kept: of those that may know something, the shortest
 * are asked. */
#define KEPT_CODE_MAX 2048

/* The work for the bits of operands in all functions of an object. Real programs need a half for
 * each byte of their code. */
#define BIT_WORK_MAX(bytes) (1000000 + 2 * (uint64_t)(bytes))

/* Samples of one function, as a run of the sorted list. */
struct address_group {
	uint64_t entry;
	uint64_t size; /* of the function's code; only of those with calls */
	size_t first;
	size_t count;
	/* elf_image_code_max() is met before it: the functions overlap, and it is not solved */
	bool refused;
	struct open_function open; /* while it is kept */
};

struct job {
	struct type_resolver *resolver;
	struct sampled *sampled;
	struct address_group *groups; /* by entry */
	size_t group_count;
	size_t *order; /* of the groups */
	size_t *parts; /* by part: its first group in `order`; the last entry is the end */
	struct sampled *returned; /* by address: the functions that returned right before samples */
	size_t returned_count;
	const struct knowing_functions *functions; /* with new facts */
};

/* By sections that only a kernel or a module has
 * (arch/x86/kernel/vmlinux.lds.S, scripts/mod/modpost.c). */
bool type_resolver_is_kernel(const struct elf_image *image)
{
	struct elf_section section;

	return elf_image_section_named(image, ".data..percpu", &section) ||
	       elf_image_section_named(image, ".gnu.linkonce.this_module", &section);
}

struct error *type_resolver_create(const struct elf_image *image, struct debug_object *debug,
				   const struct type_resolver_options *options,
				   struct type_resolver **result)
{
	size_t size;

	if (companion_of(debug) && (options->no_infer || options->trace || rules_are_off()))
		return error_create(ERROR_UNSUPPORTED,
				    "a companion has the answers of all rules, without traces: "
				    "this needs the debug information (--ignore-companion)");
	if (elf_image_arch(image))
		RETURN_ERROR(decoder_check(elf_image_arch(image)));
	struct type_resolver *resolver = xcalloc(1, sizeof(*resolver));

	elf_image_data(image, &size);
	resolver->bit_work = BIT_WORK_MAX(size);
	resolver->image = image;
	resolver->debug = debug;
	resolver->options = *options;
	/* Traces name the DIE of a type that several units declare: the one that was read first, so
	 * the order matters. */
	if (options->trace)
		resolver->threads = 1;
	else
		resolver->threads =
			options->threads ? options->threads : parallel_default_threads();
	if (debug && !companion_of(debug))
		resolver->exact = exact_open(image);
	resolver->workers = xcalloc(resolver->threads, sizeof(*resolver->workers));
	resolver->kernel = type_resolver_is_kernel(image);
	*result = resolver;
	return NULL;
}

void type_resolver_destroy(struct type_resolver *resolver)
{
	if (!resolver)
		return;
	for (unsigned int i = 0; i < resolver->threads; i++)
		worker_close(&resolver->workers[i]);
	free(resolver->workers);
	exact_close(resolver->exact);
	static_branches_deinit(&resolver->static_branches);
	distant_facts_deinit(&resolver->distant);
	free(resolver);
}

/* Returns the worker of a thread, which is opened when it is first asked for. */
static struct worker *worker_of(struct type_resolver *resolver, unsigned int thread)
{
	struct worker *worker = &resolver->workers[thread];

	if (worker->decoder)
		return worker;
	worker->static_branches = &resolver->static_branches;
	worker->kernel = resolver->kernel;
	worker->fused = resolver->options.fused;
	worker->check = resolver->options.check;
	worker->bit_work = &resolver->bit_work;
	worker_open(worker, resolver->image, resolver->debug, resolver->options.no_infer,
		    resolver->options.trace != NULL);
	exact_reader_init(&worker->exact, resolver->exact, worker->reader);
	return worker;
}

/* True if one more function may be decoded, of which `size` bytes are claimed; takes them from what
 * is left. */
static bool may_decode(const struct type_resolver *resolver, uint64_t *left, uint64_t size)
{
	size_t most;

	elf_image_data(resolver->image, &most);
	lower_to(size, most);
	bool may = size <= *left;

	*left -= may ? size : *left;
	return may;
}

static int64_t kept_size(const struct open_function *open)
{
	const struct cfg *code = open->code;

	return (int64_t)(open->function->arena.total + code->insn_count * sizeof(*code->insns) +
			 code->block_count * sizeof(*code->blocks));
}

/* Keeps the group's function open, if there is room for what it takes. With a companion, hardly any
 * function is read again, and large ones are not asked for evidence. */
static void keep_open(struct type_resolver *resolver, struct address_group *group)
{
	const struct open_function *open = &group->open;
	bool kept =
		open->function && open->code && !companion_of(resolver->debug) &&
		knowing_functions_code_size(resolver->image, group->entry) < KEPT_CODE_MAX &&
		__atomic_sub_fetch(&resolver->keep_left, kept_size(open), __ATOMIC_RELAXED) >= 0;

	if (!kept)
		open_function_deinit(&group->open);
}

static void work_at_group(const struct job *job, struct address_group *group, unsigned int thread)
{
	if (group->refused) {
		solve_function_refuse(&job->sampled[group->first], group->count);
		return;
	}
	struct worker *worker = worker_of(job->resolver, thread);

	solve_function_answer(worker, &group->open, &job->sampled[group->first], group->count);
	keep_open(job->resolver, group);
}

/* Returns the group of the function with this entry; NULL: it has no samples. */
static struct address_group *group_at(const struct job *job, uint64_t entry)
{
	size_t index = partition_point(0, job->group_count, i, job->groups[i].entry < entry);

	return index < job->group_count && job->groups[index].entry == entry ? &job->groups[index]
									     : NULL;
}

/* Returns the group's function if it is kept open, or else `own`. */
static struct open_function *kept_open(struct address_group *group, struct open_function *own)
{
	return group && group->open.code ? &group->open : own;
}

static void solve_part(size_t item, unsigned int thread, void *data)
{
	const struct job *job = data;
	size_t first = job->parts[item], end = job->parts[item + 1];

	for (size_t i = first; i < end; i++)
		work_at_group(job, &job->groups[job->order[i]], thread);
	/* with a companion, hardly any function is read again */
	if (companion_of(job->resolver->debug) && first < end)
		elf_image_done_with_code(job->resolver->image, job->groups[job->order[first]].entry,
					 job->groups[job->order[end - 1]].entry);
}

/* Sets job->order: large functions come first, the others by address. Returns the number of large
 * ones. */
static size_t order_groups(const struct job *job)
{
	const struct elf_image *image = job->resolver->image;
	size_t large = 0, next, count = job->group_count;

	/* without threads nobody waits, and traces depend on the order; a companion's blocks are
	 * unpacked once for neighbours, and no function takes long */
	bool by_size = job->resolver->threads > 1 && !companion_of(job->resolver->debug);

	for (size_t i = 0; i < count && by_size; i++) {
		uint64_t entry = job->groups[i].entry;
		const struct symbol *symbol = elf_image_function_at(image, entry);

		if (symbol && symbol->address == entry && symbol->size >= LARGE_FUNCTION)
			job->order[large++] = i;
	}
	next = large;
	for (size_t i = 0, k = 0; i < count; i++) {
		if (k < large && job->order[k] == i)
			k++;
		else
			job->order[next++] = i;
	}
	return large;
}

/* Cuts the ordered groups into parts for the threads; returns their number. A large function is a
 * part of its own. Neighbouring functions are mostly of one unit, and threads that read the same
 * unit wait for each other, so the other parts have many groups each, but fewer towards the end. */
static size_t cut_into_parts(const struct job *job)
{
	unsigned int threads = job->resolver->threads;
	size_t *parts = job->parts, part = 0, large = order_groups(job), count = job->group_count;

	parts[0] = 0;
	while (part < large) {
		parts[part + 1] = part + 1;
		part++;
	}
	/* with a companion each part's code is given back after it, and there is much of it */
	size_t pieces = (companion_of(job->resolver->debug) ? 8 : 2) * (size_t)threads;

	for (size_t start = large; start < count; start = parts[part])
		parts[++part] = start + (count - start + pieces - 1) / pieces;
	return part;
}

/* A requested address, and its function. */
struct asked {
	uint64_t entry;
	uint64_t size; /* of the function's code */
	bool declared; /* the debug information has the function */
	const struct type_resolver_sample *sample;
	size_t index; /* in the caller's array */
};

COMPARISON(compare_asked, struct asked,
	   ASCENDING(entry) ASCENDING(sample->address) ASCENDING(sample->store)
		   ASCENDING(sample->late) ASCENDING(sample->argument) ASCENDING(sample->came_from))

/* Returns the start of the function without debug information: that of its symbol, or the address
 * itself. *size becomes that of its code. */
static uint64_t entry_by_symbol(const struct type_resolver *resolver, uint64_t address,
				uint64_t *size)
{
	const struct symbol *symbol = elf_image_function_at(resolver->image, address);
	bool inside = symbol && address < symbol->address + symbol->size;

	*size = inside ? symbol->size : 0;
	return inside ? symbol->address : address;
}

/* Prepares what needs the object's symbols and no debug information. Reading all symbols takes
 * about as long as reading the units that are asked for, so one thread does the former while the
 * others do the latter. */
static void prepare_symbols(struct type_resolver *resolver, const struct asked *asked, size_t count)
{
	if (resolver->options.apply_alternatives && count) {
		_cleanup_free_ uint64_t *addresses = xcalloc(count, sizeof(*addresses));

		for (size_t i = 0; i < count; i++)
			addresses[i] = asked[i].sample->address;
		resolver->options.apply_alternatives(resolver->options.apply_alternatives_data,
						     addresses, count);
	}
	if (resolver->prepared)
		return;
	resolver->prepared = true;
	if (resolver->kernel)
		static_branches_find(&resolver->static_branches, abi_of_image(resolver->image),
				     resolver->image);
}

/* Addresses in one piece of work. Neighbouring addresses are mostly of the same functions and
 * units, so they go to one thread. */
#define ADDRESSES_PER_PIECE 256

struct entry_job {
	struct type_resolver *resolver;
	struct asked *asked;
	size_t count;
};

/* The first items prepare what needs no addresses; the others are pieces of addresses. */
enum { ITEM_SYMBOLS, ITEM_DEBUG, ITEM_PIECES };

static void find_entries(size_t item, unsigned int thread, void *data)
{
	struct entry_job *job = data;

	if (item == ITEM_SYMBOLS) {
		prepare_symbols(job->resolver, job->asked, job->count);
		return;
	}
	if (item == ITEM_DEBUG) {
		if (job->resolver->debug)
			debug_object_prepare(job->resolver->debug);
		return;
	}
	size_t start = (item - ITEM_PIECES) * ADDRESSES_PER_PIECE,
	       end = start + ADDRESSES_PER_PIECE < job->count ? start + ADDRESSES_PER_PIECE
							      : job->count;
	struct worker *worker = worker_of(job->resolver, thread);

	for (size_t i = start; worker->reader && i < end; i++)
		job->asked[i].declared =
			debug_reader_function_entry(worker->reader, job->asked[i].sample->address,
						    &job->asked[i].entry, &job->asked[i].size);
}

ADDRESS_COMPARISON(compare_traces, struct sampled_part, ASCENDING(address))

/* Passes the traces of all parts on, in the order of their addresses. */
static void report_traces(const struct type_resolver *resolver, const struct sampled *sampled,
			  size_t count)
{
	const struct sampled_part **order = NULL;
	size_t order_count = 0, capacity = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sampled[i].part_count; k++) {
			if (!sampled[i].parts[k].trace.length)
				continue;
			array_add(order, order_count, capacity) = &sampled[i].parts[k];
		}
	array_sort(order, order_count, compare_traces);
	for (size_t i = 0; i < order_count; i++)
		resolver->options.trace(resolver->options.trace_data, order[i]->address,
					order[i]->trace.data);
	free(order);
}

/* ---- samples after calls */

/*
 * A function that returned right before some samples is examined only if these are at least one in
 * this many of the object's samples. If each call has only a few samples, examining them all would
 * cost a tenth of the run and change nothing visible.
 */
#define RETURNED_SHARE 2000

static void find_returned(size_t item, unsigned int thread, void *data)
{
	const struct job *job = data;
	struct sampled *returned = &job->returned[item];
	struct address_group *group = group_at(job, returned->sample.address);
	struct worker *worker = worker_of(job->resolver, thread);
	struct open_function own = { 0 };

	solve_function_returned(worker, kept_open(group, &own),
				group ? &job->sampled[group->first] : NULL,
				group ? group->count : 0, returned);
	open_function_deinit(&own);
}

COMPARISON(compare_callees, struct sampled, ASCENDING(sample.address))

/* Lists the functions that returned right before samples of parts, each once. */
static struct sampled *list_callees(const struct type_resolver *resolver,
				    const struct sampled *sampled, size_t count,
				    size_t *callee_count)
{
	struct sampled *callees = NULL;
	size_t listed = 0, capacity = 0, used = 0;
	uint64_t total = 0, left = elf_image_code_max(resolver->image);

	for (size_t i = 0; i < count; i++)
		array_each (const struct sampled_part, part, sampled[i].parts,
			    sampled[i].part_count) {
			total += part->samples;
			if (!part->callee)
				continue;
			array_add(callees, listed, capacity) =
				(struct sampled){ .sample = { .address = part->callee,
							      .samples = part->samples,
							      .late = true } };
		}
	array_sort(callees, listed, compare_callees);
	for (size_t i = 0; i < listed; i++) {
		if (used && callees[used - 1].sample.address == callees[i].sample.address)
			callees[used - 1].sample.samples += callees[i].sample.samples;
		else
			callees[used++] = callees[i];
	}
	listed = used;
	used = 0;
	for (size_t i = 0; i < listed; i++) {
		const struct symbol *symbol =
			elf_image_function_at(resolver->image, callees[i].sample.address);

		if (symbol && symbol->address == callees[i].sample.address &&
		    callees[i].sample.samples > total / RETURNED_SHARE &&
		    may_decode(resolver, &left, symbol->size))
			callees[used++] = callees[i];
	}
	*callee_count = used;
	return callees;
}

/* Charges the samples of a part as the samples of its callee are charged, in the same shares. */
static void charge_as_callee(const struct sampled_part *part, const struct sampled *callee,
			     struct type_resolver_charge *charge,
			     struct type_resolver_charges *charges, size_t *capacity)
{
	uint64_t given = 0, passed = 0;

	for (size_t i = 0; callee && i < callee->part_count; i++) {
		passed += callee->parts[i].samples;

		uint64_t until = (uint64_t)((double)part->samples * (double)passed /
						    (double)callee->sample.samples +
					    0.5);

		if (i + 1 == callee->part_count || until > part->samples)
			until = part->samples;
		if (until <= given)
			continue;
		charge->samples = until - given;
		charge->access = callee->parts[i].answer;
		charge->store = callee->parts[i].store;
		charge->how = BLAME_PREDECESSOR;
		given = until;
		array_add(charges->items, charges->count, *capacity) = *charge;
	}
	if (given == part->samples)
		return;
	charge->samples = part->samples - given;
	charge->access = part->answer;
	charge->access.kind = ACCESS_STACK;
	charge->how = BLAME_PREDECESSOR;
	array_add(charges->items, charges->count, *capacity) = *charge;
}

static void collect_charges(const struct sampled *sampled, const struct sampled *callees,
			    size_t callee_count, struct type_resolver_charge charge,
			    struct type_resolver_charges *charges, size_t *capacity)
{
	array_each (const struct sampled_part, part, sampled->parts, sampled->part_count) {
		charge.samples = part->samples;
		charge.access = part->answer;
		charge.store = part->store;
		charge.how = part->how;
		if (part->callee) {
			struct sampled key = { .sample.address = part->callee };
			const struct sampled *callee =
				callee_count ? bsearch(&key, callees, callee_count, sizeof(key),
						       compare_callees)
					     : NULL;

			charge_as_callee(part, callee, &charge, charges, capacity);
			continue;
		}
		array_add(charges->items, charges->count, *capacity) = charge;
	}
}

/* ---- facts of other functions (distant.h) */

struct evidence_job {
	const struct job *job;
	const struct knowing_functions *knowing;
	const struct sort_key *order;        /* of `knowing` */
	struct distant_evidence_list *lists; /* by function */
};

static void find_evidence(size_t item, unsigned int thread, void *data)
{
	const struct evidence_job *job = data;
	struct type_resolver *resolver = job->job->resolver;
	size_t function = job->order[item].index;
	uint64_t entry = job->knowing->items[function];
	struct address_group *group = group_at(job->job, entry);
	struct worker *worker = worker_of(resolver, thread);
	struct open_function own = { 0 };

	solve_function_evidence(worker, kept_open(group, &own), entry, &resolver->distant,
				&job->lists[function]);
	open_function_deinit(&own);
}

static void find_knowing(size_t item, unsigned int thread, void *data)
{
	struct type_resolver *resolver = data;
	struct distant_fact *fact = &resolver->distant.items[item];

	if (knowing_functions_are_of_unit(fact))
		knowing_functions_find(resolver->image, worker_of(resolver, thread)->reader, fact);
}

/* Collects evidence on the places that nobody was asked about yet. False: nobody knows of any. */
static bool find_evidence_on_new(const struct job *job)
{
	struct type_resolver *resolver = job->resolver;

	parallel_for(resolver->distant.count, resolver->threads, find_knowing, resolver);
	struct knowing_functions knowing = knowing_functions_list(&(struct knowing_search){
		resolver->image, resolver->workers[0].reader, &resolver->distant });
	struct distant_evidence_list *lists = xcalloc(knowing.count + 1, sizeof(*lists));
	_cleanup_free_ struct sort_key *first = xcalloc(knowing.count + 1, sizeof(*first));
	_cleanup_free_ struct sort_key *second = xcalloc(knowing.count + 1, sizeof(*second));
	struct evidence_job evidence = { job, &knowing, NULL, lists };

	/* the largest functions first, so that no thread waits for one at the end */
	for (size_t i = 0; i < knowing.count; i++)
		first[i] = (struct sort_key){
			~knowing_functions_code_size(resolver->image, knowing.items[i]), i
		};
	evidence.order = sort_keys(first, second, knowing.count);
	parallel_for(knowing.count, resolver->threads, find_evidence, &evidence);
	for (size_t i = 0; i < knowing.count; i++) {
		distant_facts_merge(&resolver->distant, &lists[i]);
		free(lists[i].items);
	}
	free_all(lists, knowing.items);
	distant_facts_end_round(&resolver->distant);
	return knowing.count;
}

/* Collects evidence on all places that are wanted, and on those that their values come from: others
 * may want these, too, and a fact is the same whether they do or not. */
static void find_facts(const struct job *job)
{
	struct distant_facts *distant = &job->resolver->distant;

	while (find_evidence_on_new(job))
		continue;
	distant_facts_conclude(distant);
	array_each (struct distant_fact, fact, distant->items, distant->count) {
		size_t count;

		if (distant_fact_is_read_only(fact)) {
			const struct type *const *types = debug_reader_unit_list(
				job->resolver->workers[0].reader, UNIT_CAST_TYPES,
				fact->place.address, &count);

			distant_fact_choose(fact, types, count);
		}
	}
}

static void solve_again(size_t item, unsigned int thread, void *data)
{
	const struct job *job = data;
	struct address_group *group =
		item < job->group_count ? &job->groups[job->order[item]] : NULL;
	struct sampled *sampled =
		group ? &job->sampled[group->first] : &job->returned[item - job->group_count];

	if ((group && group->refused) ||
	    !knowing_functions_has(job->functions, group ? group->entry : sampled->sample.address))
		return;
	struct worker *worker = worker_of(job->resolver, thread);
	struct open_function own = { 0 };

	solve_function_again(worker, kept_open(group, &own), sampled, group ? group->count : 1,
			     &job->resolver->distant);
	open_function_deinit(&own);
}

/* True if one of the accesses that want the fact may tell which of its types is there. */
static bool accesses_may_choose(const struct distant_fact *fact,
				const struct distant_wanted *wanted)
{
	if (wanted->access_count > DISTANT_WANTED_MAX)
		return distant_fact_has_types(fact);
	return any_of(i, 0, wanted->access_count,
		      distant_fact_may_choose(fact, &wanted->accesses[i]));
}

/* True if one of the accesses that want the fact goes to a field of its type. */
static bool accesses_may_fit(const struct distant_fact *fact, const struct distant_wanted *wanted)
{
	struct field_ref field;

	if (wanted->access_count > DISTANT_WANTED_MAX)
		return true;
	return any_of(i, 0, wanted->access_count,
		      field_find(fact->value.type, fact->value.offset + wanted->accesses[i].offset,
				 0, wanted->accesses[i].size, &field) == REASON_NONE);
}

COMPARISON(compare_unions, struct wanted_union, ASCENDING(address) ASCENDING(store))

/* Tells the members of the worker's unions by their tags. */
static void learn_unions(struct worker *worker, const struct distant_facts *facts,
			 struct sampled *sampled, size_t count)
{
	array_sort(worker->unions, worker->union_count, compare_unions);
	for (size_t i = 0; i < count && worker->union_count; i++)
		array_each (struct sampled_part, part, sampled[i].parts, sampled[i].part_count) {
			/* most answers have no candidates that a tag could leave out */
			if (!part->answer.union_unhinted)
				continue;
			const struct wanted_union key = { .address = part->address,
							  .store = part->store };
			size_t first =
				partition_point(0, worker->union_count, at,
						compare_unions(&worker->unions[at], &key) < 0);

			for (size_t at = first; at < worker->union_count && !part->callee &&
						!compare_unions(&worker->unions[at], &key);
			     at++)
				tag_union_learn(&worker->unions[at], facts, &part->answer);
		}
}

/* Finds out what other functions say of the values without which accesses had no answer, and
 * answers again. */
static void answer_from_distant_facts(struct job *job, size_t sampled_count)
{
	struct type_resolver *resolver = job->resolver;
	struct distant_facts *distant = &resolver->distant;
	struct knowing_functions functions = { 0 };
	size_t wanted = 0;

	array_each (struct worker, worker, resolver->workers, resolver->threads)
		for (size_t k = 0; k < worker->wanted_count; k++, wanted++)
			distant_facts_add(distant, &worker->wanted[k].place);
	array_each (struct worker, worker, resolver->workers, resolver->threads)
		for (size_t k = 0; k < worker->union_count; k++, wanted++)
			distant_facts_add(distant, &worker->unions[k].place);
	if (!wanted)
		return;
	worker_of(resolver, 0);
	find_facts(job);
	array_each (struct worker, worker, resolver->workers, resolver->threads) {
		for (size_t k = 0; k < worker->wanted_count; k++) {
			const struct distant_fact *fact =
				distant_facts_find(distant, &worker->wanted[k].place);

			if ((distant_fact_is_known(fact) &&
			     accesses_may_fit(fact, &worker->wanted[k])) ||
			    accesses_may_choose(fact, &worker->wanted[k]))
				knowing_functions_add(&functions, worker->wanted[k].function);
		}
		worker->wanted_count = 0;
	}
	knowing_functions_sort(&functions);
	job->functions = &functions;
	parallel_for(job->group_count + job->returned_count, resolver->threads, solve_again, job);
	/* some of the answers are new by now */
	array_each (struct worker, worker, resolver->workers, resolver->threads) {
		learn_unions(worker, distant, job->sampled, sampled_count);
		learn_unions(worker, distant, job->returned, job->returned_count);
		worker->union_count = 0;
	}
	free(functions.items);
}

/* ---- all of it */

static void without_instructions(const struct type_resolver_sample *samples, size_t count,
				 struct type_resolver_charges *charges)
{
	charges->items = xcalloc(count, sizeof(*charges->items));
	charges->count = count;
	for (size_t i = 0; i < count; i++)
		charges->items[i] =
			(struct type_resolver_charge){ .sample = i,
						       .samples = samples[i].samples,
						       .store = samples[i].store,
						       .access = { .address = samples[i].address,
								   .kind = ACCESS_NO_CODE,
								   .reason = REASON_NO_CODE } };
}

/* The samples of one call of type_resolver_charge(), by function and address. */
struct sample_groups {
	struct asked *asked; /* each sample that was asked for */
	size_t count;
	struct sampled *sampled; /* each distinct one */
	size_t sampled_count;
	size_t *sampled_of;           /* by index in the caller's array: index in `sampled` */
	struct address_group *groups; /* by function */
	size_t group_count;
};

/* Sorts the samples by function. Nearly all of them are in order of their addresses before, and
 * stay so. */
static void sort_asked(struct asked *asked, size_t count)
{
	size_t bytes = count * sizeof(*asked);
	_cleanup_free_ struct asked *before = memcpy(xmalloc(bytes), asked, bytes);
	_cleanup_free_ struct sort_key *first = xrealloc_array(NULL, count, sizeof(*first));
	_cleanup_free_ struct sort_key *second = xrealloc_array(NULL, count, sizeof(*second));

	for (size_t i = 0; i < count; i++)
		first[i] = (struct sort_key){ asked[i].entry, i };
	const struct sort_key *keys = sort_keys(first, second, count);

	for (size_t i = 0; i < count; i++)
		asked[i] = before[keys[i].index];
	sort_unless_sorted(asked, count, sizeof(*asked), compare_asked);
}

/* Sorts the samples, whose functions are known, and keeps equal ones once. */
static void group_samples(const struct type_resolver *resolver, struct sample_groups *all)
{
	const struct asked *asked = all->asked;
	uint64_t left = elf_image_code_max(resolver->image);

	sort_asked(all->asked, all->count);
	for (size_t i = 0; i < all->count; i++)
		all->group_count += !i || asked[i - 1].entry != asked[i].entry;
	all->groups = xcalloc(all->group_count, sizeof(*all->groups));
	all->group_count = 0;
	for (size_t i = 0; i < all->count; i++) {
		if (!i || compare_asked(&asked[i - 1], &asked[i]) != 0) {
			if (!i || asked[i - 1].entry != asked[i].entry)
				all->groups[all->group_count++] = (struct address_group){
					.entry = asked[i].entry,
					.first = all->sampled_count,
					.refused = !may_decode(resolver, &left, asked[i].size)
				};
			all->groups[all->group_count - 1].count++;
			struct sampled *sampled = &all->sampled[all->sampled_count++];

			sampled->sample = *asked[i].sample;
			sampled->part_count = 0;
			sampled->parts = NULL;
		}
		all->sampled_of[asked[i].index] = all->sampled_count - 1;
	}
}

static void type_resolver_find_functions(struct type_resolver *resolver, struct asked *asked,
					 size_t count)
{
	struct entry_job job = { resolver, asked, count };

	parallel_for(ITEM_PIECES + (count + ADDRESSES_PER_PIECE - 1) / ADDRESSES_PER_PIECE,
		     resolver->threads, find_entries, &job);
	for (size_t i = 0; i < count; i++)
		if (!asked[i].declared)
			asked[i].entry =
				entry_by_symbol(resolver, asked[i].sample->address, &asked[i].size);
}

static void sampled_destroy(struct sampled *sampled, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sampled_deinit(&sampled[i]);
	free(sampled);
}

static bool any_late_sample(const struct type_resolver_sample *samples, size_t count)
{
	return any_of(i, 0, count, samples[i].late);
}

/* Takes the answers for samples that are not late from the companion, without their functions. */
static void take_all_answers(const struct type_resolver *resolver,
			     const struct type_resolver_sample *samples, size_t count,
			     struct type_resolver_charges *charges)
{
	struct companion_answers answers;

	/* data addresses were found with code all over the object, which nothing asks for now */
	elf_image_done_with_code(resolver->image, 0, UINT64_MAX);
	elf_image_done_with_names(resolver->image);
	companion_answers_open(&answers, companion_of(resolver->debug));
	charges->items = xcalloc(count, sizeof(*charges->items));
	charges->count = count;
	for (size_t i = 0; i < count; i++)
		charges->items[i] = (struct type_resolver_charge){
			.sample = i,
			.samples = samples[i].samples,
			.store = samples[i].store,
			.access = companion_access(&answers, samples[i].address, samples[i].store,
						   resolver->options.fused)
		};
	companion_answers_close(&answers);
}

void type_resolver_charge(struct type_resolver *resolver,
			  const struct type_resolver_sample *samples, size_t count,
			  struct type_resolver_charges *charges)
{
	*charges = (struct type_resolver_charges){ 0 };
	if (!count)
		return;
	if (!elf_image_arch(resolver->image)) {
		/* code of this architecture cannot be decoded */
		without_instructions(samples, count, charges);
		return;
	}
	if (companion_of(resolver->debug) && !any_late_sample(samples, count)) {
		take_all_answers(resolver, samples, count, charges);
		return;
	}
	_cleanup_free_ struct asked *asked = xrealloc_array(NULL, count, sizeof(*asked));
	_cleanup_free_ size_t *sampled_of = xrealloc_array(NULL, count, sizeof(*sampled_of));
	struct sample_groups all = { .asked = asked, .count = count, .sampled_of = sampled_of };
	size_t capacity = 0;

	resolver->keep_left = KEEP_MAX;

	for (size_t i = 0; i < count; i++)
		asked[i] = (struct asked){ .sample = &samples[i], .index = i };
	type_resolver_find_functions(resolver, asked, count);
	struct sampled *sampled = all.sampled = xrealloc_array(NULL, count, sizeof(*sampled));

	parallel_get_pages(sampled, count * sizeof(*sampled), resolver->threads);
	group_samples(resolver, &all);
	_cleanup_free_ struct address_group *groups = all.groups;
	_cleanup_free_ size_t *parts = xcalloc(all.group_count + 1, sizeof(*parts));
	_cleanup_free_ size_t *order = xcalloc(all.group_count, sizeof(*order));
	struct job job = { .resolver = resolver,
			   .sampled = sampled,
			   .groups = groups,
			   .group_count = all.group_count,
			   .order = order,
			   .parts = parts };

	parallel_for(cut_into_parts(&job), resolver->threads, solve_part, &job);
	struct sampled *callees = job.returned =
		list_callees(resolver, sampled, all.sampled_count, &job.returned_count);

	parallel_for(job.returned_count, resolver->threads, find_returned, &job);
	if (companion_of(resolver->debug)) { /* without one, further facts need the code */
		elf_image_done_with_code(resolver->image, 0, UINT64_MAX);
		elf_image_done_with_names(resolver->image);
	}
	answer_from_distant_facts(&job, all.sampled_count);
	for (size_t i = 0; i < all.group_count; i++)
		open_function_deinit(&groups[i].open);
	for (size_t i = 0; i < count; i++)
		capacity += sampled[sampled_of[i]].part_count;
	charges->items = xrealloc_array(NULL, capacity, sizeof(*charges->items));
	parallel_get_pages(charges->items, capacity * sizeof(*charges->items), resolver->threads);
	for (size_t i = 0; i < count; i++)
		collect_charges(&sampled[sampled_of[i]], callees, job.returned_count,
				(struct type_resolver_charge){ .sample = i }, charges, &capacity);
	for (unsigned int i = 0; i < resolver->threads; i++) {
		charges->skid.next += resolver->workers[i].skid.next;
		charges->skid.further += resolver->workers[i].skid.further;
	}
	if (resolver->options.trace) {
		report_traces(resolver, sampled, all.sampled_count);
		report_traces(resolver, callees, job.returned_count);
	}
	sampled_destroy(sampled, all.sampled_count);
	sampled_destroy(callees, job.returned_count);
#ifdef __GLIBC__
	/* the memory that threads have freed is not used by others */
	if (companion_of(resolver->debug))
		malloc_trim(0);
#endif
}

void type_resolver_resolve(struct type_resolver *resolver, const uint64_t *addresses,
			   const bool *stores, size_t count, struct access *results)
{
	_cleanup_free_ struct type_resolver_sample *samples = xcalloc(count, sizeof(*samples));
	struct type_resolver_charges charges;

	for (size_t i = 0; i < count; i++)
		samples[i] = (struct type_resolver_sample){ .address = addresses[i],
							    .samples = 1,
							    .store = stores && stores[i] };
	type_resolver_charge(resolver, samples, count, &charges);
	for (size_t i = 0; i < charges.count; i++)
		results[charges.items[i].sample] = charges.items[i].access;
	free(charges.items);
}

/* ---- calls of bulk memory functions */

/* A call, and the function that it is in. */
struct asked_call {
	uint64_t entry;
	uint64_t size; /* of the function's code */
	size_t index;  /* in the caller's array */
	struct type_resolver_call call;
};

struct call_job {
	struct type_resolver *resolver;
	struct type_resolver_call *calls; /* sorted by function and address */
	const struct address_group *groups;
	bool jumps; /* as in solve_function_calls() */
};

COMPARISON(type_resolver_compare_calls, struct asked_call,
	   ASCENDING(entry) ASCENDING(call.address) ASCENDING(index))

COMPARISON(largest_first, struct address_group, DESCENDING(size) ASCENDING(entry))

static void solve_calls(size_t item, unsigned int thread, void *data)
{
	const struct call_job *job = data;
	const struct address_group *group = &job->groups[item];

	if (!group->refused)
		solve_function_calls(worker_of(job->resolver, thread), &job->calls[group->first],
				     group->count, job->jumps);
}

/* Answers for calls, which are sorted here by their functions. */
static void type_resolver_ask_calls(struct type_resolver *resolver, struct asked_call *asked,
				    size_t count, bool jumps)
{
	_cleanup_free_ struct type_resolver_call *sorted = xcalloc(count, sizeof(*sorted));
	_cleanup_free_ struct address_group *groups = xcalloc(count, sizeof(*groups));
	size_t group_count = 0;
	uint64_t left = elf_image_code_max(resolver->image);

	if (!count)
		return;
	qsort(asked, count, sizeof(*asked), type_resolver_compare_calls);
	for (size_t i = 0; i < count; i++) {
		sorted[i] = asked[i].call;
		if (!i || asked[i - 1].entry != asked[i].entry)
			groups[group_count++] =
				(struct address_group){ .entry = asked[i].entry,
							.size = asked[i].size,
							.first = i,
							.refused = !may_decode(resolver, &left,
									       asked[i].size) };
		groups[group_count - 1].count++;
	}
	struct call_job job = { resolver, sorted, groups, jumps };

	/* the functions that take longest first, so that the threads end together */
	array_sort(groups, group_count, largest_first);
	parallel_for(group_count, resolver->threads, solve_calls, &job);
	for (size_t i = 0; i < count; i++)
		asked[i].call = sorted[i];
}

/* Returns a call to ask about, with the function that has it. */
static struct asked_call group_of_call(struct type_resolver *resolver, struct debug_reader *reader,
				       const struct type_resolver_call *call, size_t index)
{
	struct asked_call asked = { .index = index, .call = *call };
	uint64_t inside = call->address - !call->at_call;

	if (!reader || !debug_reader_function_entry(reader, inside, &asked.entry, &asked.size))
		asked.entry = entry_by_symbol(resolver, inside, &asked.size);
	return asked;
}

struct call_preparation {
	struct type_resolver *resolver;
	const struct type_resolver_call *calls;
	size_t count;
	struct asked_call *asked;
};

/* Calls in one piece of work: neighbouring ones are mostly of the same units, but these are few. */
#define CALLS_PER_PIECE 4

/* The first item finds what all functions need, the others the functions of a piece of calls. */
static void prepare_calls(size_t item, unsigned int thread, void *data)
{
	const struct call_preparation *work = data;
	struct worker *worker = worker_of(work->resolver, thread);
	size_t end = item * CALLS_PER_PIECE < work->count ? item * CALLS_PER_PIECE : work->count;

	if (!item)
		prepare_symbols(work->resolver, NULL, 0);
	for (size_t i = (item - 1) * CALLS_PER_PIECE; item && i < end; i++)
		work->asked[i] = group_of_call(work->resolver, worker->reader, &work->calls[i], i);
}

void type_resolver_calls(struct type_resolver *resolver, struct type_resolver_call *calls,
			 size_t count)
{
	if (!count || !elf_image_arch(resolver->image))
		return;
	_cleanup_free_ struct asked_call *asked = xcalloc(count, sizeof(*asked));
	size_t through = 0;

	worker_of(resolver, 0);
	parallel_for(1 + (count + CALLS_PER_PIECE - 1) / CALLS_PER_PIECE, resolver->threads,
		     prepare_calls, &(struct call_preparation){ resolver, calls, count, asked });
	type_resolver_ask_calls(resolver, asked, count, false);
	/* functions that were called instead, and jump to a bulk memory function at their end */
	for (size_t i = 0; i < count; i++) {
		calls[asked[i].index] = asked[i].call;
		if (asked[i].call.callee || !asked[i].call.called)
			continue;
		asked[through] = asked[i];
		entry_by_symbol(resolver, asked[i].call.called, &asked[through].size);
		asked[through].entry = asked[i].call.called;
		asked[through++].call.address = asked[i].call.called;
	}
	type_resolver_ask_calls(resolver, asked, through, true);

	_cleanup_free_ struct type_resolver_callee *callees = xcalloc(through, sizeof(*callees));
	size_t forwarding = 0;

	/* of a function that only jumps, the call itself is asked about */
	for (size_t i = 0; i < through; i++) {
		struct type_resolver_call *call = &calls[asked[i].index];
		uint64_t called = call->called;

		if (!asked[i].call.forwards) {
			*call = asked[i].call;
			continue;
		}
		call->callee = asked[i].call.callee;
		callees[forwarding] =
			(struct type_resolver_callee){ .low = called, .high = called + 1 };
		asked[forwarding] =
			group_of_call(resolver, resolver->workers[0].reader, call, asked[i].index);
		asked[forwarding].call.callee = NULL;
		asked[forwarding].call.callees = &callees[forwarding];
		asked[forwarding++].call.callee_count = 1;
	}
	type_resolver_ask_calls(resolver, asked, forwarding, false);
	for (size_t i = 0; i < forwarding; i++) {
		struct type_resolver_call *call = &calls[asked[i].index];
		const char *callee = asked[i].call.callee ? call->callee : NULL;

		*call = asked[i].call;
		call->callee = callee;
	}
}
