// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A kernel allocates private data together with a record, right after it: an access past the record is to the data.
// RULES: after-record
// RUN: gcc -fno-var-tracking
// RUN off: gcc -fno-var-tracking --no-rule=after-record
// LINK: kernel

#include "kernel.h"

struct device {
	long id, state, flags, users;
};

struct nic {
	long queues, room;
};

static inline void *device_private(struct device *d)
{
	return d + 1;
}

long rooms(struct device *d)
{
	struct nic *n = device_private(d);

	return n->room + d->flags;
	// EXPECT: struct nic +8 (room); struct device +16 (flags) EXPECT off: struct device +16 (flags); none (the offset is outside the type)
}

/* Not if another variable in scope would do as well. */
struct disk {
	long sectors, heads;
};

long either(struct device *d, int disk)
{
	struct nic *n = device_private(d);
	struct disk *k = device_private(d);

	return disk ? k->heads + d->id : n->room;
	// EXPECT: none (the offset is outside the type); struct device +0 (id)
}
