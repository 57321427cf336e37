// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements bpf_map.h. */
#include "profiler/objects/bpf_map.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <linux/bpf.h>
#include <stdio.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "base/text.h"
#include "dwarf/btf/btf.h"
#include "dwarf/types/type.h"

/* The kernel's types of running programs, to which BTF of modules and programs refers. */
#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"
/* Larger BTF than the kernel takes (BTF_MAX_SIZE is 16 MB). */
#define BTF_BYTES_MAX (64U << 20)
/* An error of the kernel that user space has no name for: the map has no such operation. */
#define KERNEL_ENOTSUPP 524

const char *bpf_map_type_name(const struct bpf_map *map)
{
	static char number[24];
	const char *name = libbpf_bpf_map_type_str((enum bpf_map_type)map->type);

	if (name)
		return name;
	snprintf(number, sizeof(number), "type %u", (unsigned int)map->type);
	return number;
}

void bpf_map_close(struct bpf_map *map)
{
	btf_types_destroy(map->types);
	if (map->btf)
		btf_close(map->btf);
	if (map->base)
		btf_close(map->base);
	free(map->btf_bytes);
	if (map->fd > 0)
		close(map->fd);
	*map = (struct bpf_map){ 0 };
}

/* ---- finding ---- */

static struct error *refused(const char *what)
{
	return errno == EPERM ? error_create(ERROR_PERMISSION,
					     "%s: bpf(2) needs CAP_BPF and CAP_SYS_ADMIN, such as "
					     "those of root",
					     what)
			      : error_errno(errno, "%s", what);
}

static bool map_info(int fd, struct bpf_map_info *info)
{
	uint32_t size = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return !bpf_obj_get_info_by_fd(fd, info, &size);
}

static struct error *open_named(const char *name, int *result)
{
	struct bpf_map_info info;
	uint32_t id = 0;

	*result = -1;
	errno = 0;
	while (!bpf_map_get_next_id(id, &id)) {
		int fd = bpf_map_get_fd_by_id(id);

		if (fd < 0)
			continue; /* it ended meanwhile */
		if (!map_info(fd, &info) || strncmp(info.name, name, sizeof(info.name)) != 0) {
			close(fd);
			continue;
		}
		if (*result >= 0) {
			close(fd);
			close(*result);
			return error_other("several maps are called '%s': give the "
					   "id of one (bpftool map list)",
					   name);
		}
		*result = fd;
	}
	if (*result >= 0)
		return NULL;
	if (errno && errno != ENOENT)
		return refused("maps cannot be listed");
	return error_create(ERROR_NOT_FOUND, "there is no map '%s' (bpftool map list)", name);
}

/* Opens what is pinned, which may be a program or a link as well: the kernel would describe those
 * in the place of a map. */
static struct error *open_pinned(const char *path, int *fd)
{
	char link[64], kind[64] = "";
	ssize_t length;

	*fd = bpf_obj_get(path);
	if (*fd < 0 && errno == EACCES)
		return error_other("%s is not below a file system of BPF (or not yours)", path);
	if (*fd < 0)
		return refused(path);
	snprintf(link, sizeof(link), OPEN_FILE_FOLDER "%d", *fd);
	length = readlink(link, kind, sizeof(kind) - 1);
	if (length > 0 && !strcmp(kind, "anon_inode:bpf-map"))
		return NULL;
	closep(fd);
	return error_other("%s is no map, but %s", path, length > 0 ? kind : "unknown (no /proc)");
}

static struct error *open_fd(const char *which, int *fd)
{
	char *end;
	unsigned long id = strtoul(which, &end, 10);

	if (isdigit((unsigned char)which[0]) && !*end && id <= UINT32_MAX) {
		*fd = bpf_map_get_fd_by_id((uint32_t)id);
		if (*fd < 0 && errno == ENOENT)
			return error_create(ERROR_NOT_FOUND,
					    "there is no map with the id %lu (bpftool map list)",
					    id);
		return *fd < 0 ? refused("the map cannot be opened") : NULL;
	}
	return strchr(which, '/') ? open_pinned(which, fd) : open_named(which, fd);
}

/* ---- types ---- */

/* Reads the bytes of loaded BTF. Returns NULL if the kernel does not give them. */
static void *read_loaded(uint32_t id, uint32_t *size)
{
	_cleanup_close_ int fd = bpf_btf_get_fd_by_id(id);
	struct bpf_btf_info info = { 0 };
	uint32_t info_size = sizeof(info);
	void *bytes = NULL;

	if (fd < 0)
		return NULL;
	if (!bpf_obj_get_info_by_fd(fd, &info, &info_size) && info.btf_size &&
	    info.btf_size <= BTF_BYTES_MAX) {
		*size = info.btf_size;
		bytes = xcalloc(1, *size);
		info = (struct bpf_btf_info){ .btf = (uintptr_t)bytes, .btf_size = *size };
		info_size = sizeof(info);
		if (bpf_obj_get_info_by_fd(fd, &info, &info_size)) {
			free(bytes);
			bytes = NULL;
		}
	}
	return bytes;
}

/* Returns the type of an id if its objects have the size that the map has. */
static const struct type *type_of_size(struct btf_types *types, uint32_t id, uint32_t size)
{
	const struct type *type = id ? btf_types_get(types, id) : NULL;

	return type && type_size_or(type, 0) == size ? type : NULL;
}

/* Returns the name of the section whose variables a struct has, or NULL: libbpf makes maps of those
 * whose names begin with a dot, and no struct of C has such a name. */
static const char *section_name(const struct type *type)
{
	const char *name = type && type_is_record(type) ? type_name_interned(type) : "";

	if (starts_with(name, "struct "))
		name += strlen("struct ");
	return *name == '.' ? name : NULL;
}

/* Takes the types that the map was created with. */
static struct error *take_own_types(const struct bpf_map_info *info, struct bpf_map *map)
{
	uint32_t size = 0;

	map->btf_bytes = read_loaded(info->btf_id, &size);
	if (!map->btf_bytes)
		return refused("the BTF of the map cannot be read");
	RETURN_ERROR(btf_open_memory(map->btf_bytes, size, NULL, "the map's BTF", &map->btf));
	map->types = btf_types_create(map->btf);
	map->key = type_of_size(map->types, info->btf_key_type_id, map->key_size);
	map->value = type_of_size(map->types, info->btf_value_type_id, map->value_size);
	map->section = section_name(map->value);
	return NULL;
}

/* Takes the value's type from the kernel's own BTF: that of a struct_ops. */
static struct error *take_kernel_types(uint32_t value_id, struct bpf_map *map)
{
	RETURN_ERROR(btf_open(KERNEL_TYPES, NULL, &map->btf));
	map->types = btf_types_create(map->btf);
	map->value = type_of_size(map->types, value_id, map->value_size);
	return NULL;
}

/* Returns the type of a member if its objects have this size. */
static const struct type *member_type(const struct type *record, const char *name, bool is_pointed,
				      uint32_t size)
{
	uint64_t offset = 0;
	const struct member *member = type_member_named(record, name, strlen(name), &offset);
	const struct type *type = member ? member->type : NULL;

	if (type && is_pointed)
		type = type_target(type_strip(type));
	return type && type_size_or(type, 0) == size ? type : NULL;
}

/* Takes the types that an object file gives: of a marker struct, or of the definition of the map, a
 * struct of pointers to the types. */
static struct error *take_types_of_object(const char *object, struct bpf_map *map)
{
	_cleanup_free_ char *name = xasprintf("____btf_map_%s", map->name);

	RETURN_ERROR(btf_open(object, NULL, &map->btf));
	map->types = btf_types_create(map->btf);

	uint32_t marker = btf_struct_id(map->btf, name),
		 id = marker ?: btf_variable_type(map->btf, map->name);

	if (!id)
		return error_create(ERROR_NOT_FOUND,
				    "%s has no map %s, and no struct %s, which say the types of "
				    "keys and values",
				    object, map->name, name);

	const struct type *record = btf_types_get(map->types, id);

	map->key = member_type(record, "key", !marker, map->key_size);
	map->value = member_type(record, "value", !marker, map->value_size);
	return NULL;
}

static struct error *open_types(const struct bpf_map_info *info, const char *object,
				struct bpf_map *map)
{
	if (object)
		return take_types_of_object(object, map);
	if (info->btf_vmlinux_value_type_id)
		return take_kernel_types(info->btf_vmlinux_value_type_id, map);
	return info->btf_id ? take_own_types(info, map) : NULL;
}

struct error *bpf_map_open(const char *which, const char *object, struct bpf_map *map)
{
	struct bpf_map_info info;
	int processors;

	*map = (struct bpf_map){ 0 };
	libbpf_set_print(NULL);
	RETURN_ERROR(open_fd(which, &map->fd));
	if (!map_info(map->fd, &info))
		return refused("what the map has cannot be read");
	map->id = info.id;
	map->type = info.type;
	map->key_size = info.key_size;
	if (!map->key_size && map->type != BPF_MAP_TYPE_QUEUE && map->type != BPF_MAP_TYPE_STACK)
		return error_create(ERROR_UNSUPPORTED,
				    "map %u (%s) has no elements that the kernel lists",
				    (unsigned int)map->id, bpf_map_type_name(map));
	map->value_size = info.value_size;
	map->entries = info.max_entries;
	memcpy(map->name, info.name, sizeof(map->name) - 1);
	map->value_step = round_up(map->value_size, 8);
	map->lookup_size = map->value_size;
	if (map->type == BPF_MAP_TYPE_PERCPU_HASH || map->type == BPF_MAP_TYPE_PERCPU_ARRAY ||
	    map->type == BPF_MAP_TYPE_LRU_PERCPU_HASH ||
	    map->type == BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE) {
		processors = libbpf_num_possible_cpus();
		if (processors <= 0)
			return error_other("the number of processors is not known");
		map->processors = (unsigned int)processors;
		map->lookup_size = map->value_step * map->processors;
	}
	return open_types(&info, object, map);
}

/* ---- contents ---- */

bool bpf_map_next(const struct bpf_map *map, const void *key, void *next, struct error **error)
{
	*error = NULL;
	if (!map->key_size)
		return !key;
	if (!bpf_map_get_next_key(map->fd, key, next))
		return true;
	if (errno == KERNEL_ENOTSUPP)
		*error = error_create(ERROR_UNSUPPORTED,
				      "the kernel does not list the keys of map %u (%s)",
				      (unsigned int)map->id, bpf_map_type_name(map));
	else if (errno != ENOENT)
		*error = error_errno(errno, "the keys of map %u (%s) cannot be listed",
				     (unsigned int)map->id, bpf_map_type_name(map));
	return false;
}

int bpf_map_get(const struct bpf_map *map, const void *key, void *value)
{
	return bpf_map_lookup_elem(map->fd, map->key_size ? key : NULL, value) ? errno : 0;
}

bool bpf_map_has_maps(const struct bpf_map *map)
{
	return (map->type == BPF_MAP_TYPE_ARRAY_OF_MAPS ||
		map->type == BPF_MAP_TYPE_HASH_OF_MAPS) &&
	       map->value_size == 4;
}

bool bpf_map_inner_name(const void *value, char name[17])
{
	_cleanup_close_ int fd = -1;
	struct bpf_map_info info;
	uint32_t id;

	memcpy(&id, value, sizeof(id));
	fd = bpf_map_get_fd_by_id(id);
	if (fd < 0 || !map_info(fd, &info))
		return false;
	memcpy(name, info.name, 16);
	name[16] = '\0';
	return true;
}
