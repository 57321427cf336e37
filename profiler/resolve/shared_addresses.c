// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements shared_addresses.h. */
#include "profiler/resolve/shared_addresses.h"

#include <sys/mman.h>

#include "base/memory.h"
#include "base/text.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/session_private.h"

/*
 * A place in memory that processes share: the same bytes, at whatever addresses processes map them.
 *
 * Such memory is known by what is mapped, and not by who maps it: by the device, the inode and the
 * offset, which the kernel also gives to memory without a file (MAP_SHARED | MAP_ANONYMOUS,
 * shmget(), memfd_create()). All other memory of a process is its own, though other processes have
 * memory at the same addresses.
 */
struct shared_place {
	uint64_t device, inode, generation, offset;
};

/* Returns whether an inode and an offset are one memory. Those of devices are not: what a driver
 * maps depends on the open file, and the files of epoll, perf_event_open() and the like have one
 * inode for all of them. /dev/zero stands for memory without a file, and /dev/shm and
 * /dev/hugepages are file systems. */
static bool inode_is_memory(const char *name)
{
	return !starts_with(name, "anon_inode:") &&
	       (!starts_with(name, "/dev/") || starts_with(name, "/dev/zero") ||
		starts_with(name, "/dev/shm/") || starts_with(name, "/dev/hugepages/"));
}

/* Sets *place to that of an address at a time. False: the process's own, or not known. */
static bool find_shared_place(struct placer *placer, uint64_t task, uint64_t time, uint64_t address,
			      struct shared_place *place)
{
	/* the records of a sample's time are those before it */
	struct moment moment = { .time = time, .position = UINT64_MAX };
	uint32_t space = placer_task(placer, task, moment)->space;
	uint32_t number = placer_map(placer, space, address, moment)->map;
	const struct map *map = number == MAP_NONE ? NULL : &placer->timeline->maps[number];

	if (!map || !(map->flags & MAP_SHARED) || !map->inode || !map->dso ||
	    !inode_is_memory(map->dso->long_name))
		return false;
	*place = (struct shared_place){ .device = map->device,
					.inode = map->inode,
					.generation = map->generation,
					.offset = map->file_offset + (address - map->start) };
	return true;
}

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
	*shared = (struct shared_addresses){ .placer = xcalloc(1, sizeof(*shared->placer)) };
	placer_init(shared->placer, &session->timeline);
}

void shared_addresses_deinit(struct shared_addresses *shared)
{
	free_all(shared->placer, shared->objects);
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
	    !find_shared_place(shared->placer, task, result->time, address, &place) ||
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
