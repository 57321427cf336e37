// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects on the heap whose fields lie in cachelines of their own. Each access finds its object
 * through the value of the one before, so that it waits. A pass uses five fields 16, 8, 4, 2 and 1
 * times. -DORDERS and -DCELLS make other records of it.
 *
 *     field_heat OBJECTS PASSES
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef ORDERS
struct order {
	long price;
	char symbol[88];
	int side;
	char account[60];
	double filled;
	char venue[96];
	short state;
	char note[70];
	long time;
};
#define RECORD struct order
#define MOST   price
#define SECOND time
#define THIRD  side
#define FOURTH state
#define LEAST  filled
#elif defined(CELLS)
struct cell {
	char name[64];
	int kind;
	char label[64];
	float heat;
	char history[100];
	long stamp;
	char place[64];
	short age;
	char rest[72];
	void *owner;
};
#define RECORD struct cell
#define MOST   heat
#define SECOND owner
#define THIRD  age
#define FOURTH kind
#define LEAST  stamp
#else
struct task {
	long id;
	char name[120];
	unsigned int ticks;
	char folder[64];
	long wake;
	char user[64];
	int cpu;
	char command[128];
	int load;
};
#define RECORD struct task
#define MOST   wake
#define SECOND load
#define THIRD  id
#define FOURTH cpu
#define LEAST  ticks
#endif

static RECORD **all;

#define NEXT(field)                                                                                \
	(x = x * 6364136223846793005UL + 1442695040888963407UL +                                   \
	     (unsigned long)all[(x >> 33) % count]->field)

__attribute__((noinline)) static unsigned long pass(unsigned long x, unsigned long count)
{
	for (int i = 0; i < 16; i++) {
		NEXT(MOST);
		if (!(i & 1))
			NEXT(SECOND);
		if (!(i & 3))
			NEXT(THIRD);
		if (!(i & 7))
			NEXT(FOURTH);
		if (!i)
			NEXT(LEAST);
	}
	return x;
}

int main(int argc, char **argv)
{
	unsigned long x = 1, count = argc > 1 ? strtoul(argv[1], NULL, 10) : 300,
		      passes = argc > 2 ? strtoul(argv[2], NULL, 10) : 4000;

	all = calloc(count, sizeof(*all));
	for (unsigned long i = 0; i < count; i++)
		all[i] = calloc(1, sizeof(RECORD));
	for (unsigned long i = 0; i < passes; i++)
		x = pass(x, count);
	printf("%lu\n", x);
	return 0;
}
