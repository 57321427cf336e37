// SPDX-License-Identifier: GPL-2.0-or-later
/* Records whose members have an alignment that their size does not tell, one that is packed, and
 * some whose first bytes have no description. */
typedef float quad __attribute__((vector_size(16), aligned(4)));

struct of_complex {
	char tag;
	_Complex double value;
	long last;
};

struct of_small_complex {
	char tag;
	_Complex float value;
	long last;
};

struct of_vector {
	int tag;
	quad value;
	long last;
};

struct tight {
	char tag;
	double value[2];
	long last;
} __attribute__((packed));

struct headed {
	long : 64;
	int tag;
	long last;
};

/* The objects of Crystal begin so. */
struct numbered {
	int : 32;
	int tag;
	long last;
};

/* An array of no elements marks a place between members: it is no flexible array. */
struct marked {
	struct {
		long first;
		int copied_until[0];
		int last;
	} head;
	long last;
	char tag;
};

/* Code may allocate more parts than one. */
struct parted {
	int kind;
	char tag;
	long place, last;
	struct parted *parts[1];
};

__attribute__((noinline)) long sum(const struct of_complex *a, const struct of_small_complex *b,
				   const struct of_vector *c, const struct tight *d,
				   const struct headed *e, const struct marked *f,
				   const struct parted *g, const struct numbered *h)
{
	return a->last + b->last + c->last + d->last + e->last + a->tag + b->tag + c->tag + d->tag +
	       e->tag + f->head.last + f->last + f->tag + (g->parts[0] != g) + g->tag + g->last +
	       h->tag + h->last;
}

int main(void)
{
	static struct of_complex a;
	static struct of_small_complex b;
	static struct of_vector c;
	static struct tight d;
	static struct headed e;
	static struct marked f;
	static struct parted g;
	static struct numbered h;

	return (int)sum(&a, &b, &c, &d, &e, &f, &g, &h);
}
