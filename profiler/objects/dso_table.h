/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All dsos of a session: by name and build id, numbered as they first appear in time. */
#ifndef DTPROF_OBJECTS_DSO_TABLE_H
#define DTPROF_OBJECTS_DSO_TABLE_H

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/objects/dso.h"

/* Zero-initialized is empty. */
struct dso_table {
	struct dso **dsos;
	uint32_t *next; /* the next dso of the same hash, or UINT32_MAX */
	size_t count;
	size_t capacity;
	size_t next_capacity;
	uint32_t *next_of_name; /* the next dso of the same name's hash, or UINT32_MAX */
	size_t next_of_name_capacity;
	struct hash_map by_name;      /* -> the last dso of the name's hash */
	struct hash_map by_hash;      /* -> the first dso of the hash */
	struct known_build_id *known; /* the file's table of build ids */
	size_t known_count;
	size_t known_capacity;
	struct hash_map known_by_hash; /* -> the first known of the hash */
	const struct dso *kernel;      /* the first that is one */
	const char *release;           /* see struct dso; set before the first dso_table_get() */
	struct btf_bases *bases;       /* of kernels' modules; NULL: there are none */
	struct arena arena;
};

/*
 * The dso of a map record: `name` as the record has it, `build_id` NULL where it has none, `kernel` for maps
 * of the kernel, `pid` of the process for code that belongs to no file ("[JIT] tid PID").
 */
struct dso_origin {
	const char *name;
	const struct build_id *build_id;
	bool kernel;
	bool guest;
	bool ksymbol;
	bool anonymous_code; /* executable memory without a file */
	int32_t pid;
};

struct dso *dso_table_get(struct dso_table *table, const struct dso_origin *origin);
/* The dso of that name that has a build id, if there is one and one alone and `dso` has none; else `dso`. */
struct dso *dso_table_whole(const struct dso_table *table, struct dso *dso);
/*
 * What the map record of a kernel or module says of where it runs: a kernel's name ends in a symbol
 * ("[kernel.kallsyms]_text"), its offset is that symbol's address. The first record that says it holds.
 */
struct kernel_map {
	const char *name;
	uint64_t start;
	uint64_t length;
	uint64_t offset;
};
void dso_table_place_kernel(struct dso_table *table, struct dso *dso, const struct kernel_map *map);
/*
 * Dsos of that name whose maps have no build id have this one (the file's table of build ids). Call before
 * their first dso_table_get(). Of several for one name the first holds.
 */
void dso_table_add_build_id(struct dso_table *table, const char *name, bool kernel,
			    const struct build_id *build_id);
void dso_table_deinit(struct dso_table *table);

/* Memory that has no file behind it: //anon, [heap], [stack], /SYSV..., /dev/zero, /anon_hugepage. */
bool dso_name_is_anonymous(const char *name);

/* dso.c */
void dso_files_destroy(struct dso_files *files);

#endif
