// SPDX-License-Identifier: GPL-2.0-or-later
/* A module of the kernel of the tests: relocatable, with code in several sections, and imports. */
#include "kernel.h"

struct device {
	struct task owner;
	int users;
	int errors;
	unsigned long *registers;
};

static struct device only_device;

__attribute__((section(".init.text"))) int device_init(void)
{
	only_device.users = 1;
	return 0;
}

__attribute__((cold, noinline)) void device_fail(struct device *device)
{
	device->errors++;
}

__attribute__((noinline)) unsigned long device_read(struct device *device, int number)
{
	if (!device->registers)
		device_fail(device);
	return device->registers[number];
}

__attribute__((noinline)) void device_wake(void)
{
	only_device.users++;
	queue_add(&run_queue, &only_device.owner);
	run_queue.length += 2;
}
