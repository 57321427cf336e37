/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A BPF map of this kernel: its keys and values as bytes, and their types by the BTF that it was
 * created with, or by the BTF of its object file: its definition in the section ".maps", or a
 * marker struct ____btf_map_NAME { KEY key; VALUE value; }, as BPF_ANNOTATE_KV_PAIR() wrote it
 * before maps had BTF of their own.
 *
 * Needs CAP_BPF and CAP_SYS_ADMIN, as bpf(2) says.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct type;

struct bpf_map {
	int fd;
	uint32_t id, type; /* enum bpf_map_type */
	char name[17];
	uint32_t key_size, value_size;  /* bytes; of one processor's value */
	uint32_t entries;               /* at most */
	unsigned int processors;        /* with a value each; 0: there is one value */
	size_t value_step;              /* bytes from one processor's value to the next */
	size_t lookup_size;             /* bytes that bpf_map_get() writes */
	const struct type *key, *value; /* NULL: not known, or of another size */
	const char *section;            /* of variables: the value is a struct of them; else NULL */
	struct btf *btf, *base;
	struct btf_types *types;
	void *btf_bytes;
};

/* Opens a map by id, name, or pinned path. Only the next element of a queue or stack can be read
 * without taking it out, and it has no key: key_size is 0. `object` has the marker struct, or is
 * NULL. */
struct error *bpf_map_open(const char *which, const char *object, struct bpf_map *map);
void bpf_map_close(struct bpf_map *map);
/* Returns the type's name as bpftool has it, or "type N". The text is valid until the next call. */
const char *bpf_map_type_name(const struct bpf_map *map);

/* Finds the key after `key` (NULL: the first). False: no more; *error: not listed. A map without
 * keys has one element. */
bool bpf_map_next(const struct bpf_map *map, const void *key, void *next, struct error **error);
/* Copies the value of a key, or the values of all processors, each at a multiple of 8 bytes.
 * Returns 0, or an error number: ENOENT if the key is gone or has no value. */
int bpf_map_get(const struct bpf_map *map, const void *key, void *value);

/* True for a map of maps: its values are 4 bytes, the id of a map. */
bool bpf_map_has_maps(const struct bpf_map *map);
/* Copies the name of the map that such a value stands for. False: it cannot be opened. */
bool bpf_map_inner_name(const void *value, char name[17]);
