/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * Inference: what unknown values must have been, judged by their later use.
 *
 * Each point of a function that makes a value of which nothing is known (a load, a call's result, a
 * join) is an origin. The value keeps its origin through copies, spills and additions of constants.
 * When a copy is used as a `struct foo *` (passed as one, stored as one, named by a variable), the
 * origin is known to have been one.
 *
 *     void *p = allocate(24);     the call's result is an origin
 *     p[1] = key;                 nothing is known of p yet
 *     node_insert(p);             takes a struct node *: so the store above was to struct node +8
 *
 * One pass over the solved function gathers uses (gather_edge(), gather_operands()).
 * gather_conclude() infers each origin whose uses agree, and the function is solved again with
 * that. What follows from it is marked HOW_INFERRED.
 */
/* clang-format on */
#ifndef DTPROF_ANNOTATE_INFER_H
#define DTPROF_ANNOTATE_INFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/field.h"
#include "annotate/value.h"
#include "disasm/insn.h"
#include "dwarf/types/type.h"
#include "base/hash.h"

struct solver;
struct state;

struct origin {
	uint64_t key;
	struct value inferred; /* POINTER once it is inferred; BOTTOM before */
	struct value use;      /* gathered: what the value is used as; BOTTOM: no use so far */
	bool refused;          /* uses disagree */
	/* The same for the sum of the value and a number that is known only at run time: what was
	 * inferred, the use that was gathered, and whether uses disagree (rule unknown-offset). */
	struct value far, far_use;
	bool far_refused;
	bool virtual_base; /* the address of a virtual base of C++ */
	/* For links (below). Gathered: the link is accessed beyond its end; it flows into a value
	 * that is. Concluded: the link is accessed beyond its end. */
	bool reached_beyond, leads_beyond, reaches_beyond;
	uint8_t rule; /* enum rule_id that found the use; RULE_NONE: the code itself shows it */
	bool all;     /* only while conclusions about links are drawn */
	/* of a pointer that was loaded: the type and offset that it was loaded from; NULL: it was
	 * not */
	const struct type *object;
	int64_t offset;
	/* the same, of a loaded value about which the type there says nothing (distant.h) */
	const struct type *holder;
	int64_t holder_offset;
	/* the pointee of the variable in the memory from which the value was loaded; NULL: no
	 * variable is there */
	const struct type *named;
};

/* The value `input` reaches the join `phi`. */
struct origin_flow {
	uint32_t phi;
	struct value input;
};

/* `size` bytes are read `offset` bytes after what the origin points to. */
struct origin_read {
	uint32_t origin;
	uint32_t size;
	int64_t offset;
};

struct origins {
	struct hash_map index; /* key -> id, of keys that the tables below do not have */
	uint32_t *insns;       /* by instruction: the first id that it was given, or 0 */
	uint32_t *joins;       /* by block and general register, or 0 */
	uint32_t entry[REG_GENERAL_COUNT]; /* by general register, or 0 */
	size_t insn_capacity;
	size_t join_capacity;
	uint32_t block_count;
	struct origin *items; /* by id; id 0 is not used */
	uint32_t count;
	uint32_t capacity;
	struct origin_flow *flows; /* of the last pass that gathered uses */
	uint32_t flow_count;
	uint32_t flow_capacity;
	struct origin_read *reads;
	uint32_t read_count;
	uint32_t read_capacity;
};

/* Keys of origins: the value with this index in a state, as an instruction, a block's entry or the
 * function's entry gives it; or a slot at a block's entry. */
static inline uint64_t origin_key_insn(uint32_t insn, unsigned int value)
{
	return UINT64_C(1) << 62 | (uint64_t)insn << 8 | value;
}

/* True if an instruction gives the origin: the one whose index *insn becomes. */
static inline bool origin_insn(const struct origin *origin, uint32_t *insn)
{
	*insn = (uint32_t)(origin->key >> 8);
	return origin->key >> 61 == 2;
}

static inline uint64_t origin_key_join(uint32_t block, unsigned int value)
{
	return UINT64_C(2) << 62 | (uint64_t)block << 8 | value;
}

static inline uint64_t origin_key_slot(uint32_t block, uint8_t frame, int64_t offset)
{
	return UINT64_C(3) << 62 | (uint64_t)(block & 0xffffff) << 36 |
	       (uint64_t)(frame & 0xf) << 32 | (uint32_t)offset;
}

static inline uint64_t origin_key_entry(unsigned int value)
{
	return value + 1;
}

/* The key for pointers of one type that met in the join of this key. The join's own origin stands
 * for the value itself; this one stands for the pointer less its `offset`. */
static inline uint64_t origin_key_joined(uint64_t join)
{
	return join | UINT64_C(1) << 61;
}

/* True for a record or an array. A use as one says more than a use as a scalar at its start. */
static inline bool origin_is_whole(const struct type *type)
{
	type = type_strip(type);
	return type_is_record(type) || type->kind == TYPE_ARRAY;
}

/* Starts with a function of this many instructions and blocks. Zero-initialized origins are ready
 * for this. */
void origins_start(struct origins *origins, size_t insn_count, size_t block_count);
void origins_deinit(struct origins *origins);

/* Returns the pointer that an origin gives, as its uses or a variable say; its kind is BOTTOM if
 * neither says anything. */
struct value origins_said(const struct origins *origins, uint32_t id);
/* Returns the id of a key; the same key has the same id. */
uint32_t origins_id(struct origins *origins, uint64_t key);
/* True if this value is exactly what the key's origin gives. (This is cheaper than asking for the
 * id.) */
static inline bool origins_is(const struct origins *origins, const struct value *value,
			      uint64_t key)
{
	return value->kind == VALUE_UNKNOWN && value->origin &&
	       origins->items[value->origin].key == key;
}
/* Returns the value that a key's origin gives: what was inferred, or UNKNOWN. */
struct value origins_value(struct origins *origins, uint64_t key);

/* Rule unknown-offset: returns the pointer to a record that `address`, the sum of an origin's value
 * and an unknown number, is, if uses of such sums show the record and it has a scalar of `size`
 * bytes there. Returns `address` unchanged otherwise. */
struct value origins_far(const struct origins *origins, struct value address, uint64_t size);

/* Notes that `value`, of any kind, is used as a pointer to byte `offset` of an `object`. That may
 * give a POINTER a larger type. True if it says something new about the origin. */
bool origins_use(struct origins *origins, const struct value *value, const struct type *object,
		 int64_t offset);
void origins_flow(struct origins *origins, uint32_t phi, const struct value *input);

/*
 * ---- pointers with several pointees
 *
 * A union may declare pointers of several types at one place (page->mapping, skb->dev). If a
 * pointer is loaded from there, the accesses through it show its type if all of them go to whole
 * members of just one pointee and cannot go anywhere in the others. For a member that is a pointer
 * to void, the pointees are those of initialized variables or those that other functions name; if
 * there are none, the other pointers from the same member may show its type (rule member-kin).
 */

/* A pointer has at most this many pointees. A union with more kinds of pointers is not tried. Sets
 * of pointees are 32 bits; the last one stands for no pointee. */
#define ALTERNATIVES_MAX 31
#define ALTERNATIVE_NONE (UINT32_C(1) << ALTERNATIVES_MAX)
/* At most this many different accesses are kept for a pointer whose pointees are not known. */
#define KIN_ACCESSES_MAX 8

/* An access, as an offset from where the pointer points. */
struct kin_access {
	int64_t offset;
	uint64_t size;
};

/* An origin that gives such a pointer. */
struct alternatives {
	uint32_t origin;
	uint32_t count;
	const struct type *pointees[ALTERNATIVES_MAX];
	uint32_t possible; /* a bit for each pointee: all accesses may go into it */
	uint32_t whole;    /* a bit for each pointee: all accesses go to whole members of it */
	uint32_t added;    /* a bit for each pointee that no member declares: a cast type */
	uint32_t named;    /* a bit for each of these that an unlocated variable has */
	uint32_t chosen;   /* the bit of the one that is left; only while conclusions are drawn */
	bool accessed;     /* since conclusions were drawn last */
	/* the member that has the pointer; NULL: it may be a variable. The pointees of a pointer to
	 * void are looked up when it
	 * is first accessed; until then `pending` is set. */
	const struct type *record;
	int64_t offset;
	bool pending;
	bool word;        /* a record of one word: unions of the unit may show its pointees */
	bool initialized; /* initialized variables of the DSO may show them */
	bool distant;     /* distant facts gave them (distant.h) */
	uint32_t only;    /* if not 0, the bit of the only pointee that may be chosen */
	/* of a pointer to void without alternatives: the accesses through it (rule member-kin) */
	struct kin_access accesses[KIN_ACCESSES_MAX];
	uint8_t access_count;
	uint32_t object; /* the origin of the pointer to the record */
	bool incomplete; /* `accesses` lacks some: one has an index, or there are too many */
};

/* The stores to at most this many members are kept for a function. Those to further
 * members give no evidence. */
#define KIN_STORES_MAX 32

/* The pointers that the function stores in a member that is a pointer to void or a union. */
struct kin_store {
	const struct type *record; /* that has the member, at `offset` */
	int64_t offset;
	uint32_t object;         /* the origin of the pointer to the record */
	const struct type *type; /* the record to which all of them point; NULL: there is none */
};

/* The solver owns it. Zero-initialized is empty. */
struct alternative_list {
	struct alternatives *items;
	uint32_t count, capacity;
	struct hash_map index; /* origin -> index in `items`, plus 1 */
	struct kin_store stores[KIN_STORES_MAX];
	uint32_t store_count;
};

/* Notes that the origin gives the pointer at this field. `object` is the origin of the pointer to
 * the record. Does nothing if the pointer can have only one type. */
void alternatives_note(struct solver *solver, uint32_t origin, uint32_t object,
		       const struct field_ref *field);
/* Notes that the origin gives the pointer at this field, if its type is a pointer to void. The
 * initialized variables of the DSO may show what it points to. */
void alternatives_note_initialized(struct solver *solver, uint32_t origin, const struct type *type,
				   const struct field_ref *field);

/* Notes that the origin gives the pointer at this field, and that other functions of the unit may
 * name several types for it (distant.h). They are looked up at the first access. */
void alternatives_note_distant(struct solver *solver, uint32_t origin,
			       const struct field_ref *field);

/* Notes the types to which the variables point that the compiler may have put in the register of an
 * unknown value: the value has at most one of them. */
void alternatives_note_variables(struct solver *solver, uint32_t origin,
				 const struct type *const *pointees, size_t count);
/* Notes that the origin gives a record of one word (field_is_word_record()): a number, or a pointer
 * whose pointees are looked up at the first access. */
void alternatives_note_word(struct solver *solver, uint32_t origin, const struct type *record);
/* Notes an access of `size` bytes to an address that is known only by its origin. */
void alternatives_access(struct solver *solver, const struct value *address, uint64_t size);
/* Notes a use for each origin for which just one pointee is left: its own accesses and uses, or
 * those of other pointers from the same member, exclude all others. Forgets the accesses. */
void alternatives_use(struct alternative_list *list, struct origins *origins);
/* Notes that a pointer, `value`, is stored at this field. `object` is the origin of the pointer to
 * the record. */
void alternatives_note_store(struct alternative_list *list, uint32_t object,
			     const struct field_ref *field, const struct value *value);

/*
 * ---- objects that nothing declares
 *
 * BTF has no local variables and few global ones, and DWARF does not have objects that the compiler
 * made or took apart. If code passes the address of one as a `struct foo *`, stores it as one, or
 * has a struct foo returned there, the object is a struct foo.
 */

struct object_use {
	bool on_stack;  /* on the stack; otherwise at a fixed address */
	int64_t offset; /* from the CFA, or the address */
	uint64_t size;
	const struct type *type;
	bool refused; /* it overlaps another object, and neither is a part of the other */
};

struct object_uses {
	struct object_use *items;
	uint32_t count;
	uint32_t capacity;
	bool changed; /* since the last object_uses_infer() */
};

/* Notes that the value is used as a pointer to `object`. */
void object_uses_note(struct solver *solver, const struct value *value, const struct type *object);
/* The same for an object of `size` bytes that begins with an `object`. */
void object_uses_note_sized(struct solver *solver, const struct value *value,
			    const struct type *object, uint64_t size);
/* Adds the objects on the stack to the solver's facts. True if any of them is new. */
bool object_uses_infer(struct solver *solver);
/* Returns the object at a fixed address; NULL if none is known. */
const struct object_use *object_uses_find(const struct solver *solver, int64_t address);

/*
 * ---- records that are read in words
 *
 * A hash or a checksum reads a record word by word, and so reads both halves of its long integers.
 * Such accesses say nothing about the fields.
 */

/* The most such records that are kept for a function. */
#define WORDS_MAX 16

struct word_records {
	const struct type *items[WORDS_MAX]; /* canonical */
	uint32_t count;
};

/* Notes what an access shows about the other accesses of the function. Called in the pass that
 * gathers uses. */
void cast_gather(struct solver *solver, const struct field_ref *field, uint64_t size);

/*
 * ---- links: nodes of lists and trees
 *
 * Records that exist to be members of others (struct list_head, hlist_node, rb_node) and hold
 * little but pointers to their own kind. Code that follows one works on the record around it.
 * Without variables (BTF) only uses show that record: the pointer is passed on as a pointer to it,
 * or is accessed beyond the link's end.
 */

/* True for a record of pointers, at least one of which points to such a record, with at most one
 * more word (a tree's colour). */
bool link_is(const struct type *type);
/* True for an address in a link, or near one, in code without variables. */
bool link_is_followed(const struct solver *solver, const struct value *address);
/* Finds the field of the record around the link that such an access goes to. REASON_NONE: it is
 * *field. REASON_OUTSIDE: there is a record around the link, but it is not known. REASON_NO_VALUE:
 * the access may be to the link itself. */
enum access_reason link_field(const struct solver *solver, const struct value *address,
			      uint64_t size, struct field_ref *field);

/* ---- gathering */

/* Notes the inputs of joins whose result is unknown, for the edge from state `from` to block `to`
 * and the general registers `wanted` there. */
void gather_edge(struct solver *solver, const struct state *from, uint32_t to, uint64_t wanted);
/* Notes what the addresses of an instruction's memory operands show, from the state before it. A
 * flow_visitor. */
bool gather_operands(struct solver *solver, const struct state *state, uint32_t insn, void *unused);
/* Draws the conclusions and forgets what was gathered. True if anything new is known. */
bool gather_conclude(struct solver *solver);

#endif
