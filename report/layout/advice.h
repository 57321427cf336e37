/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts about a record's use, and what is advised about its layout: the data that the files of
 * report/layout/ work on.
 *
 * profiler/resolve/layout_facts.h fills in the facts: plain numbers and texts, so that everything
 * in this folder can be tested without a program. The steps, in this order:
 *
 *   advice.c        which fields are used together, and other layouts with the same members
 *   replay.c        what each of them costs, and so whether it is advised
 *   advice_print.c  the answer as text; advice_json.c as JSON, emit.c as source and rules
 *
 * All texts and arrays belong to the arena of the struct advice.
 */
#pragma once

#include "base/files.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "report/json.h"
#include "report/layout/memory_costs.h"
#include "report/result.h"

enum { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_MEMORY, LEVEL_COUNT };

struct advice_machine {
	uint64_t cacheline;          /* bytes */
	uint64_t sizes[LEVEL_COUNT]; /* bytes of L1d, L2 and L3, of one instance; 0 for memory */
	uint64_t ways[LEVEL_COUNT];  /* lines of a set; 0: not known */
	uint32_t processors;         /* that it could have; 0: not known */
	const char *source; /* where the sizes come from: "the recording", "this machine" ... */
	struct memory_costs costs; /* measured; if they are not known, a table stands for them */
	const char *costs_source;
};

enum advice_member_flag {
	MEMBER_FIRST = 1,     /* must stay first, for the reason in `pinned` */
	MEMBER_LAST = 2,      /* must stay last: a flexible array */
	MEMBER_BITFIELDS = 4, /* a run of bitfields, which moves as one */
	MEMBER_ALIGNED = 8,   /* its declaration asks for the alignment */
};

/* Returns the integer type of C of that many bytes, without its sign; NULL: there is none. */
static inline const char *advice_integer(uint64_t size)
{
	static const char *const names[] = {
		[1] = "char", [2] = "short", [4] = "int", [8] = "long"
	};

	return size < COUNT_OF(names) ? names[size] : NULL;
}

/* One member of the record, at depth 1. A run of bitfields is one member. */
struct advice_member {
	const char *name; /* "dist"; of a run of bitfields "a, b, c"; of an anonymous union "u.x" */
	const char *declaration; /* C source of the member without its indent: "char entry[49];" */
	const char *native;      /* its type in Rust or Go; NULL: not known, or another language */
	const char *pinned;      /* why it may not move; NULL: it may */
	uint64_t offset, size;   /* bytes */
	uint64_t align;          /* bytes, at least 1 */
	uint64_t unit;           /* of bitfields: the alignment of the record, if `align` is less */
	uint32_t flags;          /* enum advice_member_flag */
	uint64_t samples;        /* charged to it */
	uint64_t loads, stores;  /* samples that read the member, and that write it */
	/* threads of the first process with samples that read it, or write it */
	uint32_t readers, writers;
	uint32_t reader_cpus, writer_cpus; /* processors of these threads */
};

/* A member as the source declares it: those of a run of bitfields one by one. */
struct advice_declared {
	const char *name; /* NULL: it has none */
	const char *text; /* its declaration; NULL: it spells out a record or enum without a name */
	uint32_t member;  /* index in members */
};

/* How the object changes from one iteration of a loop to the next. */
enum advice_walk {
	WALK_SAME,      /* it stays the same: its lines are in L1 */
	WALK_STREAM,    /* the elements of an array, in order: the processor fetches ahead */
	WALK_CHASE,     /* the next one is found through a pointer in this one */
	WALK_SCATTERED, /* any other, or not known */
};

/* One object that an iteration uses (one base pointer), and the bytes of it. */
struct advice_use {
	uint32_t base; /* number of the base within the region: equal for one object */
	uint8_t walk;  /* enum advice_walk */
	uint8_t outer; /* the walk in the loops around this one, if it stays the same in this one */
	bool write;
	bool atomic;    /* with the line for itself: a locked instruction */
	bool leads;     /* WALK_CHASE: it loads what leads to the next object, or may */
	bool anew;      /* WALK_STREAM: its first element is another one each time */
	bool aside;     /* WALK_CHASE: of other objects, each of which has a pointer to this one */
	bool before;    /* a loop that ended at the object has touched these bytes: in L1 */
	bool sometimes; /* visits may leave it out */
	bool not_last;  /* WALK_CHASE: the visit that ends the walk may leave it out */
	bool inner;     /* a loop within makes it, in whose region it is another time, */
	bool within;    /* as this one is in the region of a loop around */
	uint32_t block; /* of the function's code, for the files that fill in */
	double most;    /* in this share of the iterations at most, by samples; 0: not known */
	/* the object is found by an index, or another sum, from a pointer: an array's element */
	bool indexed;
	int64_t step;    /* WALK_STREAM: bytes from one iteration to the next; 0: not known */
	uint64_t offset; /* bytes of the record */
	uint64_t size;
	uint64_t reach;   /* it uses any `size` of this many bytes; 0: those at `offset` */
	uint64_t element; /* it goes through them by elements, perhaps not to the end; 0: no */
	uint64_t samples; /* that are charged to it */
	const char *next; /* WALK_CHASE: the field that leads to the next object */
};

/* Returns whether hardly an iteration makes the use: the lines that it touches do not count, and
 * what it needs may lie apart. */
static inline bool advice_use_is_rare(const struct advice_use *use)
{
	return use->most > 0 && use->most < 0.05;
}

#define ADVICE_ISSUE_WIDTH 5 /* instructions in a cycle: 4 (Skylake) to 6 (Zen 4, Golden Cove) */

/* A loop, or the code of a function that is in no loop. */
struct advice_region {
	const char *function;
	const char *line; /* "nn.c:21"; NULL: not known */
	uint32_t number;  /* among all regions, for the files that fill in */
	bool loop;
	bool inner;       /* a loop inside of another one */
	bool searches;    /* it ends at what it looks for, or where there is no more */
	bool calls;       /* it calls functions, whose time is not its own */
	double cycles;    /* least cycles of an iteration, with its data in L1; 0: not known */
	double issue;     /* of these, in which instructions issue; the others wait for results */
	double choices;   /* jumps of an iteration that depend on data, such as those of an `if` */
	uint64_t samples; /* samples in the region, whatever they waited for */
	uint64_t charged; /* of these, charged to accesses of the type */
	uint64_t others;  /* of these, charged to other accesses */
	uint64_t after_jumps; /* samples at the first two instructions after these jumps */
	double pace;  /* ns between elements, by times and addresses of samples; 0: not known */
	bool ordered; /* objects that no stream leads to lie in the order of their visits, too */
	struct advice_use *uses;
	size_t use_count;
};

/* Returns whether the last argument, an expression with the variables `region` and `use`, is true
 * for any use in the regions of a type. */
#define advice_any_use(type, ...)                                                                  \
	any_of(region_, 0, (type)->region_count, ({                                                \
		       const struct advice_region *region = &(type)->regions[region_];             \
		       any_of(use_, 0, region->use_count, ({                                       \
				      const struct advice_use *use = &region->uses[use_];          \
				      __VA_ARGS__;                                                 \
			      }));                                                                 \
	       }))

enum advice_risk {
	RISK_NONE,  /* the proposals respect the constraint */
	RISK_DOUBT, /* it may be none: the reader must check it */
	RISK_BREAK, /* code depends on what a change of the layout is likely to break */
};

struct advice_constraint {
	const char *text;
	enum advice_risk risk;
};

/* A place in the source that changes if members leave the record. */
struct advice_place {
	const char *file;
	unsigned int line;
	uint32_t at;      /* byte of the file: of the member's name, of sizeof, of a callee */
	uint8_t kind;     /* enum source_use_kind */
	const char *what; /* "access", "allocation" */
	uint32_t member;  /* index in members; PLACE_WHOLE: the record as a whole */
	const char *name; /* of the member, the variable or the function; "": none */
	bool doubtful;    /* it may be of another record */
};

#define PLACE_WHOLE UINT32_MAX

/* The place of a member in a proposal. */
struct advice_placed {
	uint32_t member; /* index */
	uint32_t part;   /* 0: the record that keeps the name */
	uint64_t offset; /* in its part */
};

enum advice_kind {
	PROPOSAL_KEEP, /* the layout as it is */
	PROPOSAL_REORDER,
	PROPOSAL_SHRINK, /* members in another order, so that the record gets smaller */
	PROPOSAL_SPLIT,
	PROPOSAL_PEEL,
	PROPOSAL_PAD,
	PROPOSAL_KINDS,
};

struct advice_part {
	const char *name; /* "neighbor", "neighbor_cold" */
	uint64_t size, align;
	bool pointer; /* it has a pointer to the next part (split, not of an array) */
	uint64_t pointer_offset;
	const char *pointer_name; /* NULL: "cold" */
};

/* A likely range: a tenth of the possible cases lie below it, and a tenth above. */
struct advice_range {
	double low, high; /* times faster; 1: the same */
};

/* The verdict on a proposal. */
enum advice_verdict {
	VERDICT_GAIN,
	VERDICT_NO_GAIN,
	VERDICT_CANNOT_TELL,
};

/* One region of code in both layouts, as a replay (visit_plan.h) has measured it. */
struct replayed_visit {
	bool known;
	uint32_t region;             /* index */
	double old, new;             /* ns of a visit, */
	double still;                /* and with today's layout if all its lines are in L1 */
	double old_lines, new_lines; /* that a visit touches */
	double middle;               /* times faster; other accesses take as long as now */
	double noise; /* by this share do times of one layout differ that should be equal */
	struct advice_range range;
};

/* The gain of the whole program, as far as it was measured by a replay. */
struct advice_replay {
	bool tried;
	const char *refusal; /* why there is no figure, as a clause; NULL: there is one */
	double middle;       /* of the whole program */
	struct advice_range whole, own;
	uint64_t objects; /* that were visited, */
	double share;     /* of the samples in code that uses the type: in what was run */
	double noise;     /* the largest of the visits */
	struct replayed_visit *visits; /* of the regions that were run */
	size_t visit_count;
};

/* Lines that L1 need not fetch with a layout that promises no time. */
struct advice_spared {
	bool object;     /* lines of one object that all code with samples uses; else of a visit */
	double old, new; /* 0: none are spared, or nothing is known */
	double share;    /* of the samples: in code that uses the type */
};

struct advice_prediction {
	enum advice_verdict verdict;
	const char *reason; /* one sentence without a full stop; never NULL */
	const char *width;  /* what a wide range depends on most, as a clause; NULL: it is narrow */
	struct advice_range whole;    /* of all samples */
	struct advice_range own;      /* of those of user space (of the kernel, for its types) */
	struct advice_range *regions; /* one for each region */
	double old_lines, new_lines; /* cachelines that a visit of an object touches, on average, */
	double old_few, new_few;     /* and without those that visits may leave out */
	uint64_t old_set, new_set;    /* bytes of the lines in use; 0: not known */
	uint64_t least_set;           /* of today's layout, at least */
	bool unknown;                 /* the verdict is for a reason that no measurement removes */
	struct advice_spared spared;
	struct advice_replay replay;
};

struct advice_proposal {
	enum advice_kind kind;
	struct advice_part *parts;
	size_t part_count;
	struct advice_placed *placed; /* one for each member, in the order of parts and offsets */
	struct advice_prediction prediction;
};

#define ADVICE_ADDRESSES 20 /* fewer show only how many objects there are at least */

/* The number of objects of the type, estimated from the data addresses of samples. */
struct advice_objects {
	uint64_t addressed; /* samples with the address of an object */
	uint64_t seen;      /* distinct objects among them */
	double estimate;    /* objects in use, at least; 0: not known */
	double least;       /* as chance may have it with so many samples; 0: `estimate` */
	bool at_most;       /* `estimate` is only a limit: as many as fit, like `most` */
	double most;        /* at most: as many as fit between the addresses that were seen */
	/* elements that visits go to, at least, if samples meet the same ones again; 0: all */
	double often;
	double room;             /* bytes of the lines that they lie in, at most; 0: not known */
	bool array;              /* they lie side by side at a distance of the type's size */
	uint64_t alignments[64]; /* of the addressed samples: by the object's offset in its line */
};

/*
 * Returns how many times the `bytes` of lines that the least number of objects uses may be in use:
 * for as many objects as there are at most, in the lines that lie between their addresses.
 */
double advice_most_factor(const struct advice_objects *objects, double bytes);

/* A process whose samples use the type. Each has objects of its own. */
struct advice_process {
	int32_t pid;
	uint32_t sharers; /* other processes that use its objects, in memory that they share */
	bool placed;      /* a sample has the address of an object */
	const char *name; /* NULL: not known */
	uint64_t samples; /* charged to the type */
	struct advice_objects objects;
};

struct advice_affinity {
	uint32_t first, second; /* members, first < second */
	double weight; /* share of regions, by samples, that use both through one base; 0 to 1 */
	double most;   /* the same of the visits that do, at most, */
	double always; /* and of those of regions that use both in each visit */
};

/* Two members of one object with samples of one thread within ADVICE_NEAR_NS of each other. */
struct advice_near {
	uint32_t first, second; /* members, first < second */
	uint64_t samples;       /* samples of one of the two after a sample of the other one */
};

#define ADVICE_NEAR_NS 2000000

/* A member that is the only reason why code touches one of an object's cachelines, in addition to
 * other lines of the object. Beside that code's other fields it would cost nothing. */
struct advice_lone {
	uint32_t member;
	uint64_t line; /* by its offset in the record */
	double weight; /* share of the samples of the type's regions, 0 to 1, at least; */
	double most;   /* and if other fields are left out wherever they may be */
};

/* A copy of objects of the type, or of a part of them. */
struct advice_copy {
	const struct result_copy *copy; /* of the resolution, which outlives the advice */
	uint64_t samples;
};

struct advice_sharing {
	const char *text; /* one line */
	uint32_t member;  /* the one that is written */
};

/* The cost of false sharing, by the samples of the lines where it is. */
struct advice_shared {
	bool objects; /* objects side by side share lines, so that the type is to be aligned */
	double waits; /* share of the time of all samples that accesses of the type take there */
	double saved; /* share of the time that is expected to be saved without it */
};

/* The largest record that advice is computed for: its lines are counted one by one. */
#define ADVICE_SIZE_MAX ((uint64_t)1 << 20)

/* A lock in the type that threads waited for. */
struct advice_lock {
	const char *field; /* "mmap_lock"; "+112" if it has no name */
	const char *kind;  /* lock_kind_name() */
	uint64_t offset;
	uint64_t waits, time; /* ns */
};

struct advice_type {
	const void *id;      /* of the type in the debug information, for the files that fill in */
	const char *name;    /* "struct neighbor" */
	const char *keyword; /* "struct"; NULL: not a record that C can declare */
	const char *tag;     /* "neighbor"; an anonymous record has its typedef's name */
	bool is_typedef;     /* `tag` is a typedef's name */
	const char *object;  /* the program or library, */
	bool is_foreign;     /* one of the system's, which nobody changes for one program */
	const char *prelude; /* C declarations of the names that the members use */
	const char *refusal; /* why no layout is proposed at all; NULL: one may be */
	struct {
		const char *file; /* the file that declares the record; NULL: not known */
		unsigned int line;
		const char *folder;          /* the compiler's working directory; NULL: not known */
		struct source_rights rights; /* of who reads the source */
		size_t read, missing;        /* sources of the object: read; not found */
	} source;
	bool is_unsized; /* its size depends on the object, and is not known */
	bool is_cxx, is_rust, is_go, is_kernel;
	const char *other_language; /* one whose sources are not read; NULL: there is none */
	bool keeps_order; /* holes show that the compiler does not order the members: repr(C) */
	uint64_t size, align;
	uint64_t samples;        /* charged to the type */
	uint64_t within;         /* those of objects within other records */
	uint64_t total;          /* of the recording */
	uint64_t own_total;      /* of user space; for the kernel's types, of the kernel */
	uint64_t unknown;        /* in the type's program, charged to accesses without a type */
	uint64_t explicit_align; /* what the declaration asks for; 0: nothing */
	struct advice_member *members;
	size_t member_count;
	struct advice_declared *declared; /* in the order of the declaration */
	size_t declared_count;
	uint64_t *line_samples;        /* charged to each cacheline of the type */
	uint64_t somewhere;            /* samples whose line is not known: somewhere in an array */
	size_t line_count;             /* 0 for types without a size */
	struct advice_region *regions; /* those with the most samples first */
	size_t region_count;
	struct advice_constraint *constraints;
	size_t constraint_count;
	struct advice_place *places; /* by file and line */
	size_t place_count;
	struct advice_sharing *sharings;
	size_t sharing_count;
	struct advice_shared shared;
	struct advice_copy *copies; /* those with the most samples first */
	size_t copy_count;
	/* Those with the most samples first; none for the kernel's types, which processes share. */
	struct advice_process *processes;
	size_t process_count;
	struct advice_objects objects; /* of the first process */
	struct advice_lock *locks;     /* the longest wait first */
	size_t lock_count;
	struct advice_near *nears; /* the most samples first */
	size_t near_count;
	uint64_t near_samples; /* that follow any sample of the same object as closely */

	/* the answer */
	struct advice_affinity *affinities; /* the strongest first */
	size_t affinity_count;
	struct advice_lone *lone; /* the largest weight first */
	size_t lone_count;
	struct advice_proposal current;    /* PROPOSAL_KEEP, with the prediction's old figures */
	struct advice_proposal *proposals; /* all that were tried, the best first */
	size_t proposal_count;
};

struct advice {
	struct arena arena;
	struct advice_machine machine;
	/* those with the most samples first; after advice_make() those with the best advice */
	struct advice_type *types;
	size_t type_count;
};

struct lock_waits;

/* Sets the locks of all types, by waits whose locks have names (lock_names.h). */
void advice_take_locks(struct advice *advice, const struct lock_waits *waits);
/* Appends "mmap_lock +112 (rwsem): 2.23 m in 21534 waits", and what lies on its line. */
void advice_lock_text(const struct advice_type *type, const struct advice_lock *lock,
		      uint64_t cacheline, struct strbuf *text);
void advice_locks_json(const struct advice_type *type, uint64_t cacheline, struct json *json);

/* Returns the language of the type whose sources are not read, or NULL. */
static inline const char *advice_unread_language(const struct advice_type *type)
{
	return type->is_rust ? "Rust" : type->is_go ? "Go" : type->other_language;
}
/* Returns whether proposals are printed in that language, not in C. */
static inline bool advice_has_native(const struct advice_type *type)
{
	return type->is_rust || type->is_go;
}

/* Names for people and for JSON: "reorder"; "gain", "no gain", "cannot tell"; "stream". */
extern const char *const advice_kind_names[]; /* NULL-terminated */
extern const char *const advice_verdict_names[], *const advice_walk_names[];

/* Returns the name of the use's walk: objects that others of a chase point to are in no order, and
 * streams that begin elsewhere each time are "runs". */
static inline const char *advice_walk_name(const struct advice_use *use)
{
	if (use->walk == WALK_STREAM && use->anew)
		return "runs";
	return advice_walk_names[use->aside ? WALK_SCATTERED : use->walk];
}

/* Returns the member of the byte at `offset`, or -1; a flexible array has all after it. */
int advice_member_at(const struct advice_type *type, uint64_t offset);
/* Returns whether the use touches bytes of the member. */
bool advice_uses_member(const struct advice_type *type, const struct advice_use *use,
			uint32_t member);
uint64_t advice_region_samples(const struct advice_type *type);

/* Adds and returns a proposal that moves members (moved[i]) to a record of their own, to which the
 * type has a pointer. The new record has part->name as the end of its name, and part->align (0: the
 * alignment that its members need); the pointer has part->pointer_name. Returns NULL if a member
 * may not be moved, or none may follow the last one. */
const struct advice_proposal *proposal_move_out(struct advice_type *type, const bool *moved,
						const struct advice_part *part,
						struct arena *arena);

/* Returns a split with a pointer from each object to its second part, with its own prediction. */
struct advice_proposal proposal_by_pointer(const struct advice_type *type,
					   const struct advice_machine *machine,
					   const struct advice_proposal *proposal,
					   struct arena *arena);

/* Adds a constraint, unless it is there. */
void advice_add_constraint(struct advice_type *type, struct arena *arena, enum advice_risk risk,
			   const char *text);

/* Sets type->current and type->proposals, without predictions. See advice.c. */
void proposal_make(struct advice_type *type, const struct advice_machine *machine,
		   struct arena *arena);

/* Fills in each type's affinities, proposals and predictions, and sorts the types: types that gain
 * time first, then types that spare lines of L1, then the others in their old order. */
void advice_make(struct advice *advice);
/* Sorts the proposals of a type anew, the best first. */
void advice_sort_proposals(struct advice_type *type);

/* ---- affinity ---- */

/* Two members are used together by a region (a loop, or a function's code outside of loops) that
 * accesses both through one base pointer. The region counts with its samples, whichever access they
 * are charged to: only the first access to a line waits, whichever field it is to. */

void affinity_make(struct advice_type *type, struct arena *arena);

/* Returns the share of the samples of the type's regions, 0 to 1, in regions that use the member of
 * different objects in different iterations of their loop or of one around it. */
double affinity_use(const struct advice_type *type, uint32_t member);

void lone_make(struct advice_type *type, const struct advice_machine *machine, struct arena *arena);

/* Appends the graph in the language of Graphviz. */
void affinity_print_dot(const struct advice_type *type, struct strbuf *buffer);

/* ---- prediction ---- */

/*
 * The prediction: what the regions of a type would cost with another layout.
 *
 * The uses of each region are replayed over the old and the new layout. An iteration costs the
 * larger of its computation and of the lines that are fetched ahead (streams), plus the lines that
 * nothing can fetch ahead. A line costs as much as the smallest cache level that holds all lines in
 * use. Neither the costs nor the computation are known exactly, nor how much of L3 is the program's
 * own. The prediction is made for each combination of their possible values, and the answer is the
 * range without the lowest and the highest tenth of the combinations.
 *
 * Samples limit what is believed: a region cannot gain more than the share of its samples that
 * waited for the type.
 */

/* Returns the gain of a program of `total` samples whose regions have these gains. */
double replay_whole_gain(const struct advice_type *type, const double *gains, uint64_t total);

/* Sets proposal->prediction, whose texts and arrays belong to the arena. */
void replay_predict(const struct advice_type *type, const struct advice_machine *machine,
		    struct advice_proposal *proposal, struct arena *arena);

/* A range of bytes in an element of an array. */
struct replay_bytes {
	uint64_t offset, size;
	uint64_t reach; /* `size` bytes anywhere in this many from `offset` on; 0: those at `offset`
			 */
	bool write, sometimes; /* as in struct advice_use */
};

/* Writes "5300 bytes", "35 KB" or "23 MB" to the text, and returns it. */
const char *advice_size_text(double bytes, char text[32]);

/* Writes the lines that a visit touches with today's or the new layout, and returns the text. */
const char *advice_visit_text(const struct advice_prediction *prediction, bool new, int digits,
			      char text[32]);

/* Returns how many cachelines one element of an array touches on average, if elements lie `size`
 * bytes apart, the first one begins `begin` bytes behind a line's start, and code accesses the
 * `count` ranges `used` of each. A line that the element before has touched does not count. */
double replay_stream_lines(const struct replay_bytes *used, size_t count, uint64_t size,
			   uint64_t begin, uint64_t cacheline);

/* ---- text and JSON ---- */

/* Appends the page of one type for a terminal of 80 columns. */
void advice_print(const struct advice_type *type, const struct advice_machine *machine,
		  struct strbuf *buffer);

/* Instantiations of one template have names that differ only between < and >. The page of the first
 * one, which has the most samples, is followed by a line for each of the others. */

/* Returns whether an instantiation of the same template, of the same program, comes before it. */
bool advice_is_later_instance(const struct advice *advice, size_t number);
/* Appends the lines of the other instantiations; nothing if there are none. */
void advice_print_instances(const struct advice *advice, size_t first, struct strbuf *buffer);

/* Appends, once for each program, which of its sources were searched for code that depends on the
 * order of members, and which were not. */
void advice_print_sources(const struct advice *advice, struct strbuf *buffer);

/* Appends the layouts of a type in two recordings side by side, with the samples of each member.
 * Members are matched by name. A mark says which of them moved (>), are new (+) or are gone (-). */
void advice_print_layouts(const struct advice_type *old, const struct advice_type *new,
			  const struct advice_machine *machine, struct strbuf *buffer);

/* Adds the type as an element of the open array; Documentation/json.md describes it. */
void advice_print_json(const struct advice_type *type, const struct advice_machine *machine,
		       struct json *json);

/* ---- places ---- */

uint32_t proposal_part_of(const struct advice_type *type, const struct advice_proposal *proposal,
			  uint32_t member);
/* Returns whether the proposal makes a change at this place necessary. */
bool place_changes(const struct advice_type *type, const struct advice_proposal *proposal,
		   const struct advice_place *place);
/* Appends "Places to change: 12 accesses ... in 3 files ...", or nothing for one part. */
void places_add_summary(const struct advice_type *type, const struct advice_proposal *proposal,
			struct strbuf *text);
/* Appends "FILE:LINE: WHAT" for each place. False: a comment says why there are none. */
bool places_print(const struct advice_type *type, const struct advice_proposal *proposal,
		  struct strbuf *text);
/* Adds the places as a member of the open object. */
void places_print_json(const struct advice_type *type, const struct advice_proposal *proposal,
		       struct json *json);

/* ---- C source and rules ---- */

/*
 * Appends a proposal (or type->current) as C11 that compiles by itself: stand-ins for the names
 * that the members use, the records, and assertions of their sizes, offsets and lines. For a type
 * that C cannot declare, or whose layout is not to be changed, it appends only a comment that says
 * why. `number`: not 0: all is within a function of this number, so that it compiles beside other
 * types, which may have the same name, or use the same names for stand-ins of another size.
 */
void emit_c(const struct advice_type *type, const struct advice_proposal *proposal,
	    const struct advice_machine *machine, size_t number, struct strbuf *buffer);
/* Appends a proposal (or type->current) in the type's own language: Rust, Go, or as emit_c() does.
 * Debug information has no lifetimes, attributes or visibility; the text says so. */
void emit_source(const struct advice_type *type, const struct advice_proposal *proposal,
		 const struct advice_machine *machine, size_t number, struct strbuf *buffer);
/* Returns why emit_c() appends only a comment, or NULL. */
const char *emit_c_refusal(const struct advice_type *type);

/* Appends rules for dtprof check that this profile keeps: size, and hot members' lines. */
void emit_rules(const struct advice_type *type, const struct advice_machine *machine,
		struct strbuf *buffer);
