// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The samples by the addresses of code where they were taken, and of the accesses that they belong
 * to. The time of a bulk memory function is its caller's: it is the access of one of its arguments.
 */

#include "annotate/facts/bulk.h"
#include "base/memory.h"
#include "profiler/resolve/layout_private.h"

COMPARISON(compare_addresses, struct sampled_address, ASCENDING(dso->id) ASCENDING(address))

static void add_address(struct facts_collector *collector, const struct sampled_address *address)
{
	collector->addresses[collector->address_count++] = *address;
}

COMPARISON(compare_calls, struct sampled_call,
	   ASCENDING(dso->id) ASCENDING(address) ASCENDING(argument) ASCENDING(access.offset))

/* Adds the call whose argument the samples of a place are charged to. */
static void add_call(struct facts_collector *collector, const struct resolved_place *place,
		     uint64_t samples)
{
	const struct bulk_function *function =
		place->access.kind == ACCESS_TYPE && place->callee
			? bulk_function_named(place->callee, dso_is_kernel(place->caller))
			: NULL;

	if (!function)
		return;
	array_add(collector->calls, collector->call_count, collector->call_capacity) =
		(struct sampled_call){ .dso = place->caller,
				       .address = place->call_address,
				       .argument = bulk_argument(function, &place->access),
				       .length = function->length,
				       .access = place->access,
				       .samples = samples };
}

/* Sorts the calls, and makes one of those for one argument. */
static void merge_calls(struct facts_collector *collector)
{
	struct sampled_call *calls = collector->calls;
	size_t used = 0;

	if (!collector->call_count)
		return;
	array_sort(calls, collector->call_count, compare_calls);
	for (size_t i = 1; i < collector->call_count; i++) {
		if (compare_calls(&calls[used], &calls[i]) ||
		    calls[used].access.type != calls[i].access.type)
			calls[++used] = calls[i];
		else
			calls[used].samples += calls[i].samples;
	}
	collector->call_count = used + 1;
}

void layout_find_addresses(struct facts_collector *collector)
{
	const struct resolution *resolution = collector->resolution;
	_cleanup_free_ uint64_t *samples = xcalloc(resolution->place_count + 1, sizeof(*samples));

	for (size_t i = 0; i < collector->counts->count; i++)
		samples[resolution->entries.place_of[i]] += collector->counts->entries[i].samples;
	collector->addresses =
		xcalloc(2 * resolution->place_count + 1, sizeof(*collector->addresses));
	array_indexed (const struct resolved_place, place, i, resolution->places,
		       resolution->place_count) {
		uint64_t taken = place->late ? place->sampled : place->shown.address;

		if (!place->dso || !samples[i])
			continue;
		add_address(collector, &(struct sampled_address){ .dso = place->dso,
								  .address = taken,
								  .taken = samples[i] });
		add_address(collector, &(struct sampled_address){
					       .dso = place->caller ?: place->dso,
					       .address = place->caller ? place->call_address
									: place->shown.address,
					       .own = samples[i] });
		if (place->caller)
			add_call(collector, place, samples[i]);
	}
	merge_calls(collector);
	array_sort(collector->addresses, collector->address_count, compare_addresses);
}

struct sampled_address layout_samples_between(const struct facts_collector *collector,
					      const struct dso *dso, uint64_t low, uint64_t high)
{
	const struct sampled_address *all = collector->addresses;
	const size_t count = collector->address_count;
	struct sampled_address sum = { 0 };

	for (size_t i = partition_point(0, count, k,
					all[k].dso->id < dso->id ||
						(all[k].dso == dso && all[k].address < low));
	     i < count && all[i].dso == dso && all[i].address < high; i++) {
		sum.taken += all[i].taken;
		sum.own += all[i].own;
	}
	return sum;
}
