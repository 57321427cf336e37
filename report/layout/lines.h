/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cachelines that code touches with a layout, and how many all objects take: for replay.c. */
#pragma once

#include "report/layout/advice.h"

#define BYTES_MAX 512 /* ranges of bytes that one base touches */

/* The bytes of one part that a base touches in an iteration. */
struct part_bytes {
	struct replay_bytes items[BYTES_MAX];
	size_t count;
	bool written;
	/* The share, 0 to 1, of all lines in use that are used as often as those of this part, or
	 * more often: the room that they need to stay in a cache. 0: not known, so all. */
	double room;
};

struct base_visit {
	enum advice_walk walk; /* in the region, or if it stays the same there, around it */
	bool chased;           /* each object leads to the next one */
	bool ordered;          /* chased or in no order, but objects lie in the order of visits */
	uint64_t step;         /* WALK_STREAM: bytes between elements */
	double often;          /* in this share of the iterations it goes to another object */
};

/* The state of one prediction. */
struct replay {
	const struct advice_type *type;
	const struct advice_machine *machine;
	const struct advice_proposal *proposal;
	struct part_bytes *parts; /* room for those of the proposal */
	bool rare;                /* without the uses that visits may leave out */
	bool whole; /* uses of loops within count for the loop that visits the object */
};

/* The bytes of a cache that the lines in use take. */
struct line_set {
	double l1;
	double beyond; /* in L2, L3 */
	double pages;  /* bytes of the memory that the lines are spread over, at least `l1` */
	/* how many times as much room in L1 and L2 for lines in a part of the sets; 1 at least */
	double crowding;
	double most; /* times as many lines, at most */
};

/* Lines of one part of an object that an iteration touches through one base. */
struct touch {
	enum advice_walk walk;
	bool first;     /* the base touches this part first: code waits for its first line */
	double lines;   /* on average, */
	double groups;  /* and groups of neighbouring ones */
	double often;   /* in this share of the iterations */
	double density; /* WALK_STREAM: the share of the lines between elements that it uses */
	double room;    /* as in part_bytes */
	bool chased;    /* each element leads to the next one, which lies beside it */
	bool written;
};

struct touches {
	struct touch *items;
	size_t count;
	double lines;  /* of all bases that move, */
	double visits; /* and how many objects these visit: one base each, or a share of one */
};

/* Returns the number of bases in a region. */
uint32_t lines_base_count(const struct advice_region *region);
/* Returns the objects that a base goes to, and sets the bytes it touches in each part. */
struct base_visit lines_of_base(struct replay *replay, const struct advice_region *region,
				uint32_t base);
/* Returns how far objects of this part are likely apart. They are elements of an array; or they
 * came from malloc(), each followed by the parts that it points to. malloc() puts a word of its own
 * before each. */
uint64_t lines_distance(const struct replay *replay, const struct advice_part *part);

/* Returns whether nearly all objects begin equally far behind a multiple of `unit` bytes (at most
 * 64), and sets how far. */
bool lines_begin_alike(const struct advice_objects *objects, uint64_t unit, uint64_t *begin);
/* Returns where in its line the first element of an array of this part likely begins: a proposed
 * array is allocated as today's is. */
uint64_t lines_array_begin(const struct advice_type *type, const struct advice_part *part,
			   uint64_t cacheline);

/* Returns whether objects of this part begin at lines, as far as is known. */
bool lines_begin_at_lines(const struct advice_type *type, const struct advice_part *part,
			  uint64_t cacheline);

/* Sets what an iteration of the region touches. The caller frees it with touches_deinit(). */
void touches_init(struct touches *touches, struct replay *replay,
		  const struct advice_region *region);
void touches_deinit(struct touches *touches);

/* Returns the share of the samples at uses that are at those with this walk; NaN: there are none.
 */
double lines_walk_share(const struct advice_type *type, enum advice_walk walk);
/* Returns whether most samples wait for objects that are visited in no order. */
static inline bool lines_are_visited(const struct advice_type *type)
{
	return lines_walk_share(type, WALK_STREAM) < 0.5;
}

/* Returns whether visits may leave out elements of an array: they go to them in no order, and too
 * few samples tell which. Others go through all. */
static inline bool lines_are_some(const struct advice_type *type)
{
	return type->objects.array && lines_are_visited(type) &&
	       (double)type->objects.seen < 0.9 * type->objects.estimate;
}

#define REGION_SHARE 0.05 /* of the type's samples, to count for the lines in use */
/* Returns how many blocks of `block` bytes of one object are touched, on average, by the regions
 * that have at least this share of the samples in code that uses the type. */
double lines_of_object(struct replay *replay, uint64_t block, double least);
/* Returns which share of the lines in use any object has in use, at least, 0 to 1: those that one
 * region touches in each visit. Other regions may use other objects, and what a visit may leave
 * out, some objects never need. */
double lines_sure(struct replay *replay);
/* Returns the bytes of all lines in use of `count` objects, and sets the room of each part. */
struct line_set lines_in_use(struct replay *replay, double count);
