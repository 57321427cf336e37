/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * Values: what is known of a register or stack slot at one point of a function: an element of
 * the lattice that the data flow works on, and the state that holds such values.
 *
 * The kinds, from "no path yet" up to "nothing known":
 *
 *     BOTTOM    no path has reached this point yet
 *     NUMBER    offset + stride * x. Stride 0 is a constant; otherwise x is the value `origin`, or any
 *               integer if `origin` is 0. If several numbers were added, x is a sum of multiples of
 *               `steps`: p[i].in[j] is 56 * i + 16 * j, with the stride 8 and the steps 7 and 2
 *     ADDRESS   the same, and it is an address in this object (of a global)
 *     FRAME     offset + stride * x bytes from the base `frame` of this call's stack; frame 0 is the CFA,
 *               and some bases are not on the stack
 *     POINTER   the address of byte offset + stride * x of an object of `type`, or of an array of them
 *     UNKNOWN   the value `origin` (0: nothing is known) + offset + stride * x; it may be a pointer.
 *               `type`, if set, is the declared type, which is useless for an access (an integer, void *,
 *               or a union of pointers)
 *
 * `origin` names the instruction, function entry or join that made the value, so that what is
 * learned of one copy later holds for all copies (infer.h). A POINTER keeps its origin as long as
 * its offset counts from there: a later use may show a larger type (a header that is cast down).
 *
 * Invariants: the steps, if any, are different, from the largest to the smallest, and their greatest
 * common divisor is 1; one step alone says that there were too many to keep them apart; a POINTER has a type; only a POINTER has an alternative type, only a FRAME a base, and
 * only an UNKNOWN a conflict; equal values are equal bytes. value_is_sound() checks them.
 */
/* clang-format on */
#pragma once

#include "annotate/types/word.h"
#include "disasm/insn.h"
#include "dwarf/types/type.h"

enum value_kind {
	VALUE_BOTTOM,
	VALUE_NUMBER,
	VALUE_ADDRESS,
	VALUE_FRAME,
	VALUE_POINTER,
	VALUE_UNKNOWN,
};

/* Bases of VALUE_FRAME: the CFA, then realigned frames and memory of alloca(), then three that are
 * not on the stack. */
enum {
	FRAME_CFA = 0,
	FRAME_FIRST_OTHER = 1,
	FRAME_LAST_OTHER = 12,
	/* The distance from a per-cpu variable's address in the object to one processor's copy of
	 * it (the kernel's this_cpu_off, __per_cpu_offset[cpu]). Added to the variable's address,
	 * it gives that copy. */
	FRAME_PER_CPU = 13,
	FRAME_TLS = 14,            /* this object's block of thread-local variables */
	FRAME_THREAD_POINTER = 15, /* the thread pointer (%fs:0 on x86-64) */
};

struct value {
	/* POINTER: the object that is pointed to, canonical. Other kinds: see above; may be NULL.
	 */
	const struct type *type;
	/* POINTER: a second type that the same address was said to have; it is tried where `type`
	 * proves too small. NULL: none */
	const struct type *alternative;
	int64_t offset;
	uint16_t steps[STEPS]; /* multiples of `stride`; see above. 0: no more */
	uint32_t stride;
	uint32_t origin;
	union {
		/* POINTER: `offset` + this is the offset in `alternative` */
		int32_t alternative_delta;
		/* ADDRESS: the bytes that were added since it was the address of something; 0 also
		 * if not known. 0 for all other kinds */
		int32_t displaced;
	};
	uint8_t kind;  /* enum value_kind */
	uint8_t how;   /* POINTER: enum access_how */
	uint8_t frame; /* FRAME */
	bool conflict; /* UNKNOWN: paths that met disagreed on it */
};

/* There is no padding between the members, so equal values are equal bytes. */
_Static_assert(sizeof(struct value) == 48, "padding in struct value");
_Static_assert(offsetof(struct value, steps) == 24, "the steps are word 3");

static inline struct value value_unknown(uint32_t origin)
{
	return (struct value){ .kind = VALUE_UNKNOWN, .origin = origin };
}

/* value_unknown(0), to be copied: gcc would make each anew, byte by byte, and wait for it. */
extern const struct value value_nothing;

static inline struct value value_number(int64_t number)
{
	return (struct value){ .kind = VALUE_NUMBER, .offset = number };
}

static inline struct value value_any_number(void)
{
	return (struct value){ .kind = VALUE_NUMBER, .stride = 1 };
}

static inline struct value value_address(int64_t address)
{
	return (struct value){ .kind = VALUE_ADDRESS, .offset = address };
}

static inline struct value value_frame(uint8_t frame, int64_t offset)
{
	return (struct value){ .kind = VALUE_FRAME, .frame = frame, .offset = offset };
}

static inline struct value value_pointer(const struct type *object, int64_t offset, uint8_t how)
{
	return (struct value){
		.kind = VALUE_POINTER, .type = object, .offset = offset, .how = how
	};
}

static inline bool value_is_constant(const struct value *value)
{
	return value->kind == VALUE_NUMBER && !value->stride;
}

/* Numbers this near to 0 are no addresses: NULL, or error codes as pointers (at most MAX_ERRNO,
 * 4095, in the kernel's include/linux/err.h). */
#define NULL_DISTANCE_MAX 4096

/* True for constants that a pointer can only hold as NULL or as an error code. */
static inline bool value_is_null(const struct value *value)
{
	return value_is_constant(value) && value->offset >= -NULL_DISTANCE_MAX &&
	       value->offset <= NULL_DISTANCE_MAX;
}

/* Returns eight of the value's bytes. They are copied word by word because the compiler would put a
 * copy of the whole value on the stack. */
static inline uint64_t value_word(const struct value *value, size_t index)
{
	uint64_t word;

	memcpy(&word, (const char *)value + index * sizeof(word), sizeof(word));
	return word;
}

static inline bool value_equal(const struct value *a, const struct value *b)
{
	return !((value_word(a, 0) ^ value_word(b, 0)) | (value_word(a, 1) ^ value_word(b, 1)) |
		 (value_word(a, 2) ^ value_word(b, 2)) | (value_word(a, 3) ^ value_word(b, 3)) |
		 (value_word(a, 4) ^ value_word(b, 4)) | (value_word(a, 5) ^ value_word(b, 5)));
}

/* Gives *value the stride and the steps of another value. */
static inline void value_take_strides(struct value *value, const struct value *from)
{
	value->stride = from->stride;
	memcpy(value->steps, from->steps, sizeof(value->steps));
}

/* Makes `stride` the only one. */
static inline void value_set_stride(struct value *value, uint32_t stride)
{
	value->stride = stride;
	memset(value->steps, 0, sizeof(value->steps));
}

/* Lists the strides of a value: its steps times its stride, or the stride alone. Returns their
 * number. */
static inline size_t value_strides(const struct value *value, uint64_t *strides)
{
	size_t count = 0;

	while (count < STEPS && value->steps[count]) {
		strides[count] = (uint64_t)value->steps[count] * value->stride;
		count++;
	}
	if (!count && value->stride)
		strides[count++] = value->stride;
	return count;
}

/* True if the value keeps the invariants above; for assert(). */
bool value_is_sound(const struct value *value);

struct value value_add(struct value a, struct value b);
/* value_add() of a constant, in place and without the cases that a constant cannot meet. */
static inline void value_move(struct value *a, int64_t bytes)
{
	if (a->kind != VALUE_POINTER && a->kind != VALUE_FRAME && a->kind != VALUE_UNKNOWN)
		*a = value_add(*a, value_number(bytes));
	else
		a->offset = (int64_t)((uint64_t)a->offset + (uint64_t)bytes);
}
static inline struct value value_displace(struct value a, int64_t bytes)
{
	value_move(&a, bytes);
	return a;
}
struct value value_subtract(struct value a, struct value b);
struct value value_multiply(struct value a, struct value b);
struct value value_scale(struct value a, uint32_t scale);
/* Returns a & b. Alignment keeps pointers; masks bound numbers. */
struct value value_and(struct value a, struct value b);
struct value value_or(struct value a, struct value b);
/* Returns the low `size` bytes, zero- or sign-extended. Fewer than 8 bytes hold no pointer. */
struct value value_truncate(struct value a, unsigned int size);

/* Returns the value where two paths meet. `phi` is the origin of this join, for the case that the
 * two have nothing in common. Repeated joins only go up: strides shrink to divisors and origins
 * move to joins, so a fixed point exists. */
struct value value_join(const struct value *a, const struct value *b, uint32_t phi);
/* Joins two constant addresses in one object at the start of a loop, around which the first has
 * become the second: it moves over the object. False if they are no such addresses. */
bool value_join_moved(const struct value *a, const struct value *b, struct value *joined);

/* True for a pointer to an element of a table of records that arithmetic alone has reached, from a
 * pointer to a record before it: the table may be cast, so that this record is only its header. */
static inline bool value_is_cast_element(const struct value *value)
{
	uint64_t size = value->kind == VALUE_POINTER && value->stride
				? type_size_or(type_strip(value->type), 0)
				: 0;

	return size && value->stride % size == 0 &&
	       (value->offset < 0 || (uint64_t)value->offset >= size) &&
	       type_is_record(type_strip(value->type));
}

/* Returns the value of a variable or member of this declared type: a POINTER if the type is a
 * pointer to something with a size. */
struct value value_of_type(const struct type *type, uint8_t how, uint32_t origin);

/*
 * ---- states: the values of all registers and stack slots
 *
 * The low and the high eight bytes of a vector register are values of their own, because compilers
 * carry pairs of pointers in them. Slots are exact pieces of stack memory that were stored to. They
 * are sorted and do not overlap; state_is_sound() checks it.
 */

/* Index of a value in a state: a register (its low eight bytes), or the high half of a vector
 * register. */
#define STATE_HIGH(reg) (REG_COUNT + (reg)-REG_VECTOR)
#define STATE_VALUES    (REG_COUNT + REG_VECTOR_COUNT)

struct slot {
	int64_t offset; /* from the base `frame` */
	uint32_t size;  /* bytes */
	uint8_t frame;
	uint8_t unused[3]; /* 0 */
	struct value value;
};

/* There is no padding, so equal slots are equal bytes. */
_Static_assert(sizeof(struct slot) == 16 + sizeof(struct value), "padding in struct slot");

static inline bool slot_is_same(const struct slot *a, const struct slot *b)
{
	return a->frame == b->frame && a->offset == b->offset && a->size == b->size;
}

/* The order of a state's slots. */
static inline bool slot_is_before(const struct slot *a, const struct slot *b)
{
	return a->frame != b->frame ? a->frame < b->frame : a->offset < b->offset;
}

struct state {
	bool reached;
	/* a bit for each vector register whose values are set; nothing is known of the others */
	uint32_t vectors;
	struct value values[REG_GENERAL_COUNT];
	uint8_t general_count; /* how many of them the architecture has */
	/* low halves of the vector registers, then high ones; NULL until one is known */
	struct value *lanes;
	struct slot *slots;
	uint32_t slot_count;
	uint32_t slot_capacity;
};

/* Returns where the value of this index is kept. A vector register's is valid only if its bit is
 * set. */
static inline struct value *state_cell(struct state *state, unsigned int index)
{
	return index < REG_VECTOR ? &state->values[index] : &state->lanes[index - REG_VECTOR];
}

/* Returns what is known of a register, or of a vector register's high half, by its index. */
static inline struct value state_value(const struct state *state, unsigned int index)
{
	unsigned int lane = index >= REG_COUNT ? index - REG_COUNT : index - REG_VECTOR;

	if (index < REG_VECTOR)
		return state->values[index];
	if (!(state->vectors & UINT32_C(1) << lane))
		return value_unknown(0);
	return state->lanes[index - REG_VECTOR];
}

/* The same; nothing is known for REG_NONE. */
static inline struct value state_register(const struct state *state, uint8_t reg)
{
	return reg < REG_COUNT ? state_value(state, reg) : value_unknown(0);
}

/* Sets both halves of a vector register. */
void state_set_vector(struct state *state, uint8_t reg, const struct value *low,
		      const struct value *high);

/* Copies the contents. `to` keeps its own slot memory. */
void state_copy(struct state *to, const struct state *from);
void state_deinit(struct state *state);
/* True if all values are sound and the slots are in order; for assert(). */
bool state_is_sound(const struct state *state);

/* Returns the slot that is exactly these bytes, or NULL. */
const struct slot *state_slot(const struct state *state, uint8_t frame, int64_t offset,
			      uint32_t size);
/* Forgets all slots that overlap [offset, offset + size) of `frame`. */
void state_kill(struct state *state, uint8_t frame, int64_t offset, uint64_t size);
/* Forgets all slots that overlap the range, except those that hold a POINTER. */
void state_kill_scalars(struct state *state, uint8_t frame, int64_t offset, uint64_t size);
/* Records a store: it replaces all slots that it overlaps. */
void state_store(struct state *state, uint8_t frame, int64_t offset, uint32_t size,
		 struct value value);
