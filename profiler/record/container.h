/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Containers of control groups, and the images that they were made of. */
#ifndef DTPROF_RECORD_CONTAINER_H
#define DTPROF_RECORD_CONTAINER_H

#include <stdbool.h>

#include "base/hash.h"

/* Containers that were read of the files of runtimes. Zeroed, it is empty. */
struct container_images {
	struct string_pool strings;
	struct container_image {
		const char *id, *image;
	} * items; /* of podman and CRI-O, which keep all containers in one file */
	size_t count, capacity;
	bool stored; /* they were read */
};
void container_images_deinit(struct container_images *images);

/* Returns the name of the image of the container that a control group belongs to, as docker,
 * podman, CRI-O and containerd keep it in their files below `root`; NULL: it is of no container, or
 * they cannot be read. A container's identifier is the last 64 hexadecimal digits together in the
 * group's path, such as "/machine.slice/libpod-4f0c....scope". */
const char *container_image(struct container_images *images, const char *root, const char *group);

#endif
