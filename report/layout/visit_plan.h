/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Visit plans: what a program does with the objects of a type, as data for a small interpreter that
 * does the same with memory of its own (profiler/machine/run_visits.c), in today's layout and in a
 * proposed one. No code of the program is run.
 *
 * A plan has the number of objects, the place of each part of each object in both layouts, and for
 * each region of code the order in which objects are visited, and the bytes that a visit touches.
 * It follows from the same facts as the prediction (lines.h), but assumes nothing about a machine:
 * times are measured.
 */
#pragma once

#include "report/layout/advice.h"

#define VISIT_TOUCHES 24 /* bytes of one visit that are touched; further ones are left out */
#define VISIT_BASES                                                                                \
	4               /* objects of one iteration that are not alike; those with fewer samples   \
			 * are left out */
#define VISIT_PARTS   8 /* of a proposal that can be run */
#define VISIT_REGIONS 4 /* that are run; the others have few samples */

/* The memory of one part of all objects. */
struct visit_part {
	uint64_t size;
	uint64_t begin;    /* offset in the buffer of the part of the first object */
	uint64_t distance; /* to the part of the next object */
	/* a pointer at this offset of the part before finds it; else the object's number */
	bool through;
	uint64_t pointer;
};

struct visit_layout {
	struct visit_part parts[VISIT_PARTS];
	uint32_t part_count;
	uint64_t bytes; /* of the buffer */
};

/* A byte that a visit touches. */
struct visit_touch {
	uint32_t part;
	uint64_t offset; /* in the part */
	/* it is in any one of `places` places that are `stride` bytes apart; 1: at `offset` */
	uint64_t places, stride;
	bool write;
	bool sometimes; /* visits may leave it out */
};

/* Whether a chase follows lists that end soon, each begun at another object. */
enum visit_lists { LISTS_NONE, LISTS_PERHAPS, LISTS_SEARCHED };

/* One object that an iteration goes to. */
struct visit_base {
	enum advice_walk walk; /* STREAM, CHASE or SCATTERED */
	bool ordered;          /* CHASE, SCATTERED: objects lie in the order of visits */
	bool dependent;        /* SCATTERED: the next visit waits for this one */
	enum visit_lists lists;
	uint32_t repeat;       /* SCATTERED: an iteration goes to so many objects alike */
	uint64_t step;         /* STREAM: objects from one visit to the next */
	struct visit_touch touches[VISIT_TOUCHES];
	uint32_t touch_count, always_count; /* those that visits may leave out are the last ones */
	uint32_t next_part;                 /* CHASE: the place of what leads to the next object */
	uint64_t next_offset;
	bool next_pointer; /* a pointer; else an index of 4 bytes */
	/* CHASE: of a tree. What each visit touches decides whether that leads to the next object,
	 * or what lies at other_offset; what visits may leave out is that. */
	bool tree, by_jump;
	uint32_t other_part;
	uint64_t other_offset;
};

/* One region of code. `iterations` of it are one visit, if it stays at an object for several. */
struct visit_program {
	uint32_t region;     /* index in type->regions */
	double cycles;       /* least cycles of computation in one visit; 0: not known */
	double instructions; /* of one visit */
	double choices;      /* jumps of one visit that depend on data */
	double waits;        /* share of the region's time in which it waits for the type */
	double others;       /* share that waits for other accesses */
	double after_jumps;  /* share right after jumps that depend on data */
	double waits_error;  /* of `waits`, by the number of samples */
	struct visit_base bases[2][VISIT_BASES]; /* [0]: today's layout, [1]: the proposed one */
	uint32_t base_count;
};

struct visit_plan {
	const char *refusal; /* why there is no plan: one clause without a full stop; else NULL */
	uint64_t objects;    /* that are visited; 0: no plan */
	bool near;           /* the lines in use stay in L2 now */
	struct visit_layout layouts[2];
	struct visit_program programs[VISIT_REGIONS];
	size_t program_count;
};

/* Sets the plan for a proposal, with `count` objects if their memory takes at most `most` bytes in
 * either layout, else with as many as it has room for. */
void visit_plan_make(const struct advice_type *type, const struct advice_machine *machine,
		     const struct advice_proposal *proposal, double count, uint64_t most,
		     struct visit_plan *plan);

/* Returns the offset in the buffer of a part of an object. */
static inline uint64_t visit_place(const struct visit_layout *layout, uint32_t part,
				   uint64_t object)
{
	return layout->parts[part].begin + object * layout->parts[part].distance;
}

/* Returns how many cachelines a visit of this program touches on average, in layout 0 or 1. */
double visit_lines(const struct visit_plan *plan, const struct visit_program *program, int layout,
		   uint64_t cacheline);

/* ---- what was measured ---- */

/* Widens the range of a visit by the range of another run of it under another assumption. */
void replayed_visit_add(struct replayed_visit *visit, const struct replayed_visit *other);

/* Sets the gains of the whole program from those of the regions that were run, and judges the
 * proposal by them: a gain, no gain, or "cannot tell" if the replay and the formula do not agree.
 * `visits` has one for each program of the plan. Those of other regions are the formula's. Reasons
 * that no replay removes, such as too few samples, remain. */
void visit_judge(const struct advice_type *type, const struct visit_plan *plan,
		 const struct replayed_visit *visits, struct advice_proposal *proposal,
		 struct arena *arena);
