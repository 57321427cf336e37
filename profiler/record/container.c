// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements container.h. No runtime is asked, and no program started: files that they keep are
 * read, of which only those of root (or the user) are believed.
 *
 * Sources: docker's container/container.go (config.v2.json), containers.go of containers/storage
 * and podman's and CRI-O's metadata in it, containerd's pkg/cri/annotations.
 */
#include "profiler/record/container.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json_read.h"
#include "base/memory.h"

#define ID_DIGITS 64
#define FILE_MAX  (16 << 20) /* bytes */

void container_images_deinit(struct container_images *images)
{
	string_pool_deinit(&images->strings);
	free(images->items);
}

/* Sets id[ID_DIGITS + 1] to the identifier in a group's path. Returns false if there is none. */
static bool find_id(const char *group, char *id)
{
	size_t digits = 0;

	for (size_t at = strlen(group); at-- > 0;) {
		digits = isxdigit((unsigned char)group[at]) ? digits + 1 : 0;
		if (digits != ID_DIGITS || (at && isxdigit((unsigned char)group[at - 1])))
			continue;
		memcpy(id, group + at, ID_DIGITS);
		id[ID_DIGITS] = '\0';
		return true;
	}
	return false;
}

/* Reads an object. Returns the text of a member, or NULL. */
static const char *member_text(struct json_reader *reader, const char *wanted)
{
	const char *name, *text = NULL;

	json_read_object(reader);
	while ((name = json_read_member(reader)))
		if (!strcmp(name, wanted))
			text = json_read_string(reader);
		else
			json_read_other(reader);
	return text;
}

/* Reads a file. Returns the text of a member of a member of its object, or NULL. */
static const char *file_text(struct container_images *images, const char *path, const char *outer,
			     const char *inner)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_close_ int fd = -1;
	_cleanup_error_ struct error *error = believed_file_open(path, &fd);
	const char *name, *text = NULL;

	if (error || !file_read_all(fd, FILE_MAX, &bytes) || !bytes.length)
		return NULL;
	struct json_reader reader = json_reader_of(bytes.data, bytes.length, &images->strings);

	json_read_object(&reader);
	while ((name = json_read_member(&reader)))
		if (!strcmp(name, outer))
			text = member_text(&reader, inner);
		else
			json_read_other(&reader);
	return reader.problem ? NULL : text;
}

/* Reads one container: { "id": ..., "metadata": "{\"image-name\": ...}" }. */
static void take_stored(struct container_images *images, struct json_reader *reader)
{
	struct container_image item = { 0 };
	const char *name, *metadata = NULL;

	json_read_object(reader);
	while ((name = json_read_member(reader)))
		if (!strcmp(name, "id"))
			item.id = json_read_string(reader);
		else if (!strcmp(name, "metadata"))
			metadata = json_read_string(reader);
		else
			json_read_other(reader);
	if (reader->problem || !item.id || !metadata)
		return;
	struct json_reader inner = json_reader_of(metadata, strlen(metadata), &images->strings);

	item.image = member_text(&inner, "image-name");
	if (item.image && !inner.problem)
		array_add(images->items, images->count, images->capacity) = item;
}

/* Reads the file in which podman and CRI-O have all their containers. */
static void read_stored(struct container_images *images, const char *root, const char *driver)
{
	_cleanup_free_ char *path = xasprintf(
		"%s/var/lib/containers/storage/%s-containers/containers.json", root, driver);
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_close_ int fd = -1;
	_cleanup_error_ struct error *error = believed_file_open(path, &fd);

	if (error || !file_read_all(fd, FILE_MAX, &bytes) || !bytes.length)
		return;
	struct json_reader reader = json_reader_of(bytes.data, bytes.length, &images->strings);

	json_read_array(&reader);
	while (json_read_element(&reader))
		take_stored(images, &reader);
}

const char *container_image(struct container_images *images, const char *root, const char *group)
{
	char id[ID_DIGITS + 1];

	if (!find_id(group, id))
		return NULL;
	if (!images->stored) {
		read_stored(images, root, "overlay");
		read_stored(images, root, "vfs");
		images->stored = true;
	}
	array_each (const struct container_image, item, images->items, images->count)
		if (!strcmp(item->id, id))
			return item->image;
	_cleanup_free_ char *docker =
		xasprintf("%s/var/lib/docker/containers/%s/config.v2.json", root, id);
	_cleanup_free_ char *containerd = xasprintf(
		"%s/run/containerd/io.containerd.runtime.v2.task/k8s.io/%s/config.json", root, id);

	return file_text(images, docker, "Config", "Image")
		       ?: file_text(images, containerd, "annotations",
				    "io.kubernetes.cri.image-name");
}
