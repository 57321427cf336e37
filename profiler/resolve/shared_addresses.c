// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements shared_addresses.h. */
#include "profiler/resolve/shared_addresses.h"

#include "base/memory.h"

/* A memory that several processes may share, and the process whose addresses are shown. */
struct shared_object {
	struct shared_place place; /* `offset` is that of the first address */
	int32_t owner;
	uint64_t address; /* of place.offset, in the owner */
};

/* The replaced addresses: this bit, the number of the object and the offset. Addresses of user
 * space have at most 57 bits, and those of the kernel have bit 63. */
#define SHARED_BIT  (UINT64_C(1) << 62)
#define OFFSET_BITS 40
#define OFFSET_MASK ((UINT64_C(1) << OFFSET_BITS) - 1)
/* More are taken for memory of the processes' own. */
#define OBJECTS_MAX 4096

void shared_addresses_init(struct shared_addresses *shared, const struct session *session)
{
	*shared = (struct shared_addresses){ .finder = shared_memory_finder_create(session) };
}

void shared_addresses_deinit(struct shared_addresses *shared)
{
	shared_memory_finder_destroy(shared->finder);
	free(shared->objects);
	*shared = (struct shared_addresses){ 0 };
}

/* Returns the number of the place's object, added if new; OBJECTS_MAX: one too many. */
static size_t object_number(struct shared_addresses *shared, const struct shared_place *place,
			    int32_t owner, uint64_t address)
{
	for (size_t i = 0; i < shared->count; i++)
		if (shared->objects[i].place.device == place->device &&
		    shared->objects[i].place.inode == place->inode &&
		    shared->objects[i].place.generation == place->generation)
			return i;
	if (shared->count == OBJECTS_MAX)
		return OBJECTS_MAX;
	array_add(shared->objects, shared->count, shared->capacity) =
		(struct shared_object){ .place = *place, .owner = owner, .address = address };
	return shared->count - 1;
}

static uint64_t replaced(struct shared_addresses *shared, const struct result *result,
			 uint64_t address)
{
	uint64_t task = (uint64_t)(uint32_t)result->tid << 32 | (uint32_t)result->pid;
	struct shared_place place;
	size_t number;

	if (!address || address >= SHARED_BIT ||
	    !shared_memory_find(shared->finder, task, result->time, address, &place) ||
	    place.offset > OFFSET_MASK)
		return address;
	number = object_number(shared, &place, result->pid, address);
	return number < OBJECTS_MAX ? SHARED_BIT | (uint64_t)number << OFFSET_BITS | place.offset
				    : address;
}

void shared_addresses_replace(struct shared_addresses *shared, struct result *result)
{
	result->data_address = replaced(shared, result, result->data_address);
	result->data_begin = replaced(shared, result, result->data_begin);
	result->data_end = replaced(shared, result, result->data_end);
	result->data_last = replaced(shared, result, result->data_last);
	for (size_t i = 0; result->data_kept && i < DATA_KEPT_MAX; i++)
		shared->kept[i] = replaced(shared, result, result->data_kept[i]);
	if (result->data_kept)
		result->data_kept = shared->kept;
}

static const struct shared_object *object_of(const struct shared_addresses *shared,
					     uint64_t address)
{
	size_t number = (address & ~SHARED_BIT) >> OFFSET_BITS;

	return (address >> 62 == 1) && number < shared->count ? &shared->objects[number] : NULL;
}

void shared_addresses_place(const struct shared_addresses *shared, const struct result *result,
			    struct sharing_use *use)
{
	const struct shared_object *object = object_of(shared, use->address);

	use->pid = use->address >> 63 ? 0 : result->pid;
	if (object) {
		use->pid = -1 - (int32_t)(object - shared->objects);
		use->owner = object->owner;
		use->process = result->pid;
	}
}

/* Returns the difference between the owner's address and the one that stands for it. */
static uint64_t owner_shift(const struct shared_object *object, uint64_t address)
{
	return object->address - object->place.offset - (address & ~OFFSET_MASK);
}

void shared_addresses_own(struct shared_addresses *shared, struct result *result)
{
	uint64_t address = replaced(shared, result, result->data_address);
	const struct shared_object *object = object_of(shared, address);

	if (!object)
		return;
	result->pid = object->owner;
	result->data_address = address + owner_shift(object, address);
}

void shared_addresses_restore(const struct shared_addresses *shared, struct sharing_use *uses,
			      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct shared_object *object = object_of(shared, uses[i].address);
		uint64_t shift;

		if (!object)
			continue;
		shift = owner_shift(object, uses[i].address);
		uses[i].address += shift;
		if (uses[i].base != SHARING_NO_BASE)
			uses[i].base += shift;
	}
}
