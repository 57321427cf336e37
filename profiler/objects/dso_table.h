/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All DSOs of a session, by name and build id, numbered in the order in which they appear. */
#ifndef DTPROF_OBJECTS_DSO_TABLE_H
#define DTPROF_OBJECTS_DSO_TABLE_H

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/objects/dso.h"

/*
 * The table owns its DSOs. A zero-initialized one is empty. The hash of a DSO covers its name, kind
 * and build id; DSOs with equal hashes are linked.
 */
struct dso_table {
	struct dso **dsos; /* by id */
	uint32_t *next;    /* of each DSO, the next one with the same hash, or UINT32_MAX */
	size_t count;
	size_t capacity;
	size_t next_capacity;
	uint32_t *next_of_name; /* the next one whose name has the same hash, or UINT32_MAX */
	size_t next_of_name_capacity;
	struct hash_map by_name;      /* hash of the name -> the last DSO with it */
	struct hash_map by_hash;      /* hash -> the last DSO with it */
	struct known_build_id *known; /* the file's table of build ids */
	size_t known_count;
	size_t known_capacity;
	struct hash_map known_by_hash; /* hash -> the first one in `known` */
	const struct dso *kernel;      /* the first kernel */
	const char *release;           /* see struct dso; set before the first dso_table_get() */
	struct btf_bases *bases;       /* BTF of kernels that have modules; NULL: none */
	struct arena arena;            /* the DSOs and their names */
};

/* A DSO, as the record of a map describes it. */
struct dso_origin {
	const char *name;                /* as in the record */
	const struct build_id *build_id; /* NULL: not recorded */
	bool kernel;                     /* a map of the kernel */
	bool guest;
	bool ksymbol;
	bool anonymous_code; /* executable, without a file: its name becomes /tmp/perf-PID.map */
	int32_t pid;         /* for anonymous_code */
};

/* Returns the DSO of a map. Adds it if it is new. */
struct dso *dso_table_get(struct dso_table *table, const struct dso_origin *origin);
/*
 * Returns the DSO with the same name that has a build id, if `dso` has none and there is exactly
 * one. Otherwise returns `dso`.
 */
struct dso *dso_table_with_build_id(const struct dso_table *table, struct dso *dso);
/*
 * The map of a kernel or module. The name of a kernel ends in a symbol ("[kernel.kallsyms]_text"),
 * and `offset` is that symbol's address.
 */
struct kernel_map {
	const char *name;
	uint64_t start;
	uint64_t length;
	uint64_t offset;
};
/* Stores where a kernel, module or ksymbol was. Only the first call for a DSO has an effect. */
void dso_table_set_kernel_map(struct dso_table *table, struct dso *dso,
			      const struct kernel_map *map);
/*
 * Sets the build id of DSOs with this name whose maps have none (the file's table of build ids).
 * Call it before their first dso_table_get(). If a name is given twice, the first build id counts.
 */
void dso_table_add_build_id(struct dso_table *table, const char *name, bool kernel,
			    const struct build_id *build_id);
/* Frees the DSOs and closes their files. */
void dso_table_deinit(struct dso_table *table);

/*
 * Returns whether the name stands for memory without a file: //anon, [heap], [stack], /SYSV...,
 * /dev/zero, /anon_hugepage.
 */
bool dso_name_is_anonymous(const char *name);

/* Closes the files of a DSO. Defined in dso.c; `files` may be NULL. */
void dso_files_destroy(struct dso_files *files);

#endif
