// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record in the bytes, or in a union, of another one is known by the variable that points to it.
// RUN: gcc clang -fno-strict-aliasing

long use(const void *, long);

struct packet {
	struct packet *next;
	long time;
	_Alignas(8) char control[48];
	unsigned long private[6];
	int length;
};

struct state {
	unsigned int least, most;
	unsigned long sum;
	unsigned char first : 1;
	unsigned char last : 1;

	union {
		long number;
		double real;
	};
};

/* The object's own variable is as good as that of the record in it. */
void set_state(struct packet *p, unsigned int now)
{
	struct state *state = (struct state *)p->private;

	/* clang 21 does not say where `state` is at some of these */
	state->sum += now; // EXPECT gcc: struct packet +72 (private.sum)
	// MAY: struct packet +72 (private...; struct state +8 (sum)
	if (now > state->most) // EXPECT gcc: struct packet +68 (private.most)
		// MAY: struct packet +68 (private.most); struct state +4 (most)
		state->most = now; // EXPECT gcc: struct packet +68 (private.most)
		// MAY: struct packet +68 (private.most); struct state +4 (most)
	state->last = 1; // EXPECT gcc: struct packet +80 (private.last)
	// MAY: struct packet +80 (private...
	state->number *= 3; // EXPECT gcc: struct packet +88 (private.number)
	// MAY: struct packet +88 (private...
	use(state, p->length); // EXPECT: struct packet +112 (length)
}

/* Without a cast the bytes are bytes. */
int first(struct packet *p)
{
	return p->control[3] + p->length; // EXPECT: struct packet +19 (control); struct packet +112 (length)
}

struct list {
	struct list *next, *previous;
};

struct page {
	unsigned long flags;

	union {
		struct {
			unsigned long magic;
			void *pool;
			long order;
		};

		struct list lru;
		struct list buddies;
	};
};

static inline void list_remove(struct list *entry)
{
	entry->next->previous = entry->previous;
	entry->previous->next = entry->next;
	entry->next = entry->previous = 0;
}

/* A variable that points to a record of the union shows the members that are such records. */
void take(struct page *p)
{
	use(p, p->flags);     // EXPECT: struct page +0 (flags)
	list_remove(&p->lru); // MAY: struct page +8 (next); struct page +16 (previous); struct list +0 (next); struct list +8 (previous)
}
// EXPECT-IN take: struct page +8 (next); struct page +16 (previous); struct list +0 (next)
// EXPECT-IN take: struct list +8 (previous)

struct pair {
	long low, high;
};

struct node {
	int kind;

	union {
		struct pair pair;

		struct {
			long count;
			const char *name;
		} named;

		double real[4];
	} u;
};

long of_pair(struct node *n)
{
	struct pair *pair = &n->u.pair;

	if (!pair->high) // EXPECT: struct node +16 (u.pair.high)
		return n->kind; // EXPECT: struct node +0 (kind)
	return use(pair, 0);
}

/* A record that is described a second time, and an array of it. */
struct part {
	unsigned long flags;
	unsigned char dtor, order;
	unsigned int number;
};

struct whole {
	union {
		struct {
			unsigned long flags;
			long count;
		};

		struct part part;
	};

	unsigned long more_flags;
	unsigned char whole_dtor, whole_order;
	unsigned int whole_number;
};

long order_of(struct part *part, struct whole *whole)
{
	use(whole, whole->count); // EXPECT: struct whole +8 (count)
	return part[1].order * part->number;
	// EXPECT gcc: struct whole +25 (order); struct part +12 (number)
	// EXPECT clang: struct whole +25...; struct part +12 (number)
}

long whole_order_of(struct whole *whole)
{
	return whole->whole_order; // EXPECT: struct whole +25 (whole_order)
}

/* A variable that points to a record in one of the members, of which the others repeat a part. */
struct tail {
	unsigned char end, gap;
};

struct tree {
	union {
		struct {
			struct tree *parent;
			void *slot[7];
		};

		struct {
			struct tree *parent;
			unsigned long pivot[3];

			union {
				void *slot[4];

				struct {
					void *rest[3];
					struct tail tail;
				};
			};
		} range;
	};
};

unsigned int end_of(struct tree *t)
{
	struct tail *tail = &t->range.tail;

	use(t, tail->end); // EXPECT: struct tree +56 (range.tail.end)
	return 3;
}
