/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resolving: from counted samples to results.
 *
 * The unit of work is the place: one address of one object, with whether it loads or stores. Each
 * distinct place is looked up once, for its symbol, source line and type, however many samples it
 * has. A struct resolution owns everything that its results point to, except for what belongs to
 * the session.
 */
#pragma once

#include <regex.h>

#include "annotate/access.h"
#include "annotate/solve/type_resolver.h"
#include "base/error.h"
#include "base/hash.h"
#include "profiler/objects/dso.h"
#include "profiler/ingest/session.h"
#include "report/result.h"

/* --blame: the samples that are charged to the access that they waited for. */
enum blame_mode {
	BLAME_AUTO,    /* samples of late events */
	BLAME_RETIRED, /* all samples that are not known to be exact */
	BLAME_SAMPLED, /* no samples */
};

struct operands;

/* The type engine's answers for the samples of each object, for commands that resolve the same
 * samples several times: solving the functions takes most of the time. A zero-initialized one is
 * empty. The answers point to types of the session's objects. */
struct kept_answers {
	struct kept_answer *items;
	size_t count, capacity;
	struct hash_map of_dso; /* the DSO's id -> index in `items` */
	size_t uses;            /* how often an answer was used */
};

void kept_answers_deinit(struct kept_answers *kept);

struct resolve_options {
	uint64_t needs; /* set of enum result_need */
	struct dso_options dso;
	bool no_infer;
	bool no_demangle; /* symbols as the object has them */
	bool no_inline;   /* frames of inlined functions are left out */
	bool full_source_path;
	enum blame_mode blame;     /* with NEED_TYPE */
	struct operands *operands; /* computed the samples' data addresses */
	/* Answers of earlier resolutions of the session, by the same rules, or NULL. */
	struct kept_answers *kept;
	bool keep;            /* the answers are added to `kept` */
	bool slices;          /* resolve_slices() follows */
	unsigned int threads; /* 0: as many as there are processors */
	/* Called with the step that begins, and its object or NULL. May be NULL itself. */
	void (*progress)(const char *what, const char *which);
	/*
	 * --debug type-profile: `trace` is as in struct type_resolver_options, `trace_object` names
	 * the object of the traces that follow.
	 */
	void (*trace_object)(void *data, const struct dso *dso);
	void (*trace)(void *data, uint64_t address, const char *text);
	void *trace_data;
};

struct resolved_place {
	struct result_place shown;
	struct dso *dso; /* NULL: the address is in no object */
	bool store;
	bool counted_store; /* `store` of its entries, not of the access that they are charged to */
	bool after;         /* the samples were taken after the access */
	bool late; /* the samples were taken after the access that was waited for: charged to it */
	bool access_unknown; /* with `after`: the instruction of the access is not known */
	bool witnessed;      /* samples elsewhere are witnesses of this access: it has a type */
	bool unread;         /* this machine does not have its code */
	uint8_t stands;      /* enum frame_address: for frames of call chains */
	uint8_t blame;       /* enum blame_how; with NEED_TYPE */
	/* late: the place with the next share of the samples; 0: this is the last one */
	uint32_t next_part;
	int64_t came_from;    /* late: as in struct counted */
	uint64_t sampled;     /* the file address that the samples were taken at */
	struct access access; /* with NEED_TYPE */
	/* the array of the type that an index moves in; its size is 0 if there is none */
	struct access_span array;
	/* the DSO that has the type, if it is not `dso`: the DSO of a bulk memory function's
	 * caller, or the DSO that defines a class which `dso` only declares; else NULL */
	struct dso *type_dso;
	const char *callee; /* the bulk memory function that the caller called; NULL: not known */
	/* with a type that the caller tells: the caller's DSO, and a file address in its call */
	struct dso *caller;
	uint64_t call_address;
	uint64_t samples; /* 0: only a caller; its type is not needed */
};

/* Returns the DSO whose debug information has the type of a place; NULL: the address is in none. */
static inline struct dso *resolved_place_type_dso(const struct resolved_place *place)
{
	return place->type_dso ?: place->dso;
}

/* True for an access to a class of C++ that is only declared. gcc describes a class with virtual
 * functions only in the unit that defines these; clang describes some classes only where they are
 * constructed. */
static inline bool resolved_place_is_declared(const struct resolved_place *place)
{
	return place->access.kind == ACCESS_TYPE && place->dso &&
	       (type_strip(place->access.type)->flags & (TYPE_DECLARATION | TYPE_SCOPED)) ==
		       (TYPE_DECLARATION | TYPE_SCOPED);
}

/* A class of C++ that code only declares, and the DSO that has its virtual table. */
struct declared_class {
	const char *name;
	struct dso *dso;         /* NULL: no DSO has the table */
	const struct type *type; /* its definition in that DSO's debug information; NULL: none */
	bool has_debug_info;     /* the DSO has debug information */
	/* the symbol's name of a function that the DSO defines and the table has; NULL: none */
	const char *function;
	uint64_t address; /* of the function, a file address */
	const char *file; /* the function's source; NULL: not known */
};

/* A sample's data address, compared with the variable or the stack that its type was found
 * by. */
enum address_verdict {
	VERDICT_NONE, /* no address, or nothing to compare it with */
	VERDICT_AGREES,
	VERDICT_CONTRADICTS, /* the place loses its type, for REASON_ADDRESS */
};

/* Returns the name and version of the library that decodes instructions, to be freed. */
char *resolution_decoder(void);

enum resolve_problem_kind {
	PROBLEM_KERNEL_HIDDEN,  /* the recording has no map of the kernel */
	PROBLEM_KERNEL_SYMBOLS, /* a kernel or module without symbols */
	PROBLEM_KERNEL_TYPES,   /* a kernel or module without types */
	PROBLEM_NO_BPF,         /* code that the kernel made, without its bytes in the file */
	PROBLEM_NO_FILE,        /* the object's file is gone, or another one */
	PROBLEM_SYMBOL_MAP,     /* the map of a just-in-time compiler's code is not used */
	PROBLEM_NO_DEBUG_INFO,  /* the file is there, its debug information is not */
	PROBLEM_NO_DEBUG_FILE,  /* its debug information continues in a file that is not there */
	PROBLEM_COMPANION,      /* its companion is not used */
	PROBLEM_OTHER,
	PROBLEM_KINDS
};

/* The reason that the types or symbols of an object are missing. */
struct resolve_problem {
	enum resolve_problem_kind kind;
	const struct dso *dso;
	const char *message; /* owned by the dso or by the resolution */
	uint64_t samples;
};

/* The part of a resolution that is about single counted entries. Slices of samples have others. */
struct resolution_entries {
	const char **comms;       /* by comm id */
	uint32_t *place_of;       /* for each counted entry */
	uint8_t *verdicts;        /* enum address_verdict for each counted entry; with NEED_TYPE */
	struct result_data *data; /* distinct data addresses; with NEED_DATA_ADDRESS */
	uint32_t *data_of;        /* index in `data` of each counted entry, or NULL */
};

struct resolve_memory;

struct resolution {
	struct resolution_entries entries;
	struct resolve_memory *memory; /* for slices; see private.h */
	struct resolved_place *places;
	size_t place_count, place_capacity;
	/* The place of each of operands.witnesses.accesses; with NEED_TYPE and NEED_DATA_RANGE */
	uint32_t *witnessed_of;
	struct result_frame *frames; /* of call chains, by number */
	size_t frame_count, frame_capacity;
	/* The number in `frames` of each counted frame. Inlined ones have frames of their own. */
	uint32_t *frame_of;
	struct arena inlined_places; /* the places of inlined frames */
	/* The object that threads wait for, in place of the type: by the counted frame that is the
	 * innermost one of a chain, index in `waits` + 1; 0: none. NULL: none blocks. */
	uint32_t *wait_of;
	struct result_place *waits;
	const struct session *session;
	uint64_t needs; /* as in the options */
	bool no_demangle;
	struct blame_skid skid;          /* sums over all late samples */
	struct declared_class *declared; /* with NEED_TYPE: accessed classes, sorted by name */
	size_t declared_count, declared_capacity;
	struct resolve_problem *problems; /* those with the most samples first */
	size_t problem_count, problem_capacity;
	struct string_pool strings;
};

static inline struct resolved_place *entry_place(const struct resolution *resolution, size_t entry)
{
	return &resolution->places[resolution->entries.place_of[entry]];
}

/* Returns the place of a counted frame, as of the function that was compiled, not of those that
 * were inlined there; the resolution has frames. */
static inline const struct result_place *resolution_frame_place(const struct resolution *resolution,
								uint32_t frame)
{
	uint32_t number = resolution->frame_of[frame];

	while (resolution->frames[number].place->inlined && resolution->frames[number].caller)
		number = resolution->frames[number].caller;
	return resolution->frames[number].place;
}

/* Returns the name of a symbol as columns show it, demangled if wanted, and kept. */
const char *resolve_symbol_name(struct resolution *resolution, const char *symbol);

/* Returns the set of enum count_field that samples must be counted by for these needs. */
uint64_t resolve_count_fields(uint64_t needs);

/* Looks up all places of `counts`. Entries whose samples are charged to several accesses are split,
 * so *counts may have more entries afterwards. The caller frees *result with resolution_destroy();
 * `session` and `counts` must outlive it. */
struct error *resolve(struct session *session, struct sample_counts *counts,
		      const struct resolve_options *options, struct resolution **result);

struct slices;

/* Calls `visit` with the counts of each slice of the samples that `outline` is the outline of
 * (profiler/ingest/slices.h), until it returns an error. During the call, the resolution is that of
 * the slice; `options` are those of resolve(). */
struct error *resolve_slices(struct resolution *resolution, const struct sample_counts *outline,
			     struct slices *slices, const struct resolve_options *options,
			     struct error *(*visit)(struct sample_counts *counts, void *data),
			     void *data);
/* `resolution` may be NULL. */
void resolution_destroy(struct resolution *resolution);

/* Returns the class of this name that places access and their DSOs only declare; NULL: none. */
struct declared_class *resolution_declared_class(const struct resolution *resolution,
						 const char *name);

/* Returns one counted entry in the form that report/ takes. Valid as long as the resolution. */
struct result resolution_result(const struct resolution *resolution,
				const struct sample_counts *counts, size_t entry);

/* ---- bpf_access.c: answers in BPF programs, in the terms of the program ---- */

/* Corrects the answer for an access, if the object is of a BPF program. An access to a context is
 * to the member that its line of source names, if that is one; the kernel's own code has no answer.
 */
void bpf_access_correct(const struct dso *dso, const struct elf_image *image,
			struct access *access);
