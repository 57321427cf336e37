// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: One processor's copy of allocated per-cpu memory: the pointer is made an integer first (RELOC_HIDE()).
// LINK: kernel

struct counter {
	long hits, misses;
};

void use(struct counter *);

struct cache {
	unsigned long counters;
};

unsigned long __per_cpu_offset[64] = { 1 };
__attribute__((section(".data..percpu"))) long fixed[6] = { 1 };
int other = 1;

long get(struct cache *c, int cpu)
{
	struct counter *mine = (void *)(c->counters + __per_cpu_offset[cpu]);
	// EXPECT: struct cache +0 (counters) MAY: long unsigned int[] +0; unsigned long[] +0
	long hits = mine->misses; // EXPECT: struct counter +8 (misses)

	use(mine);
	return hits;
}

__attribute__((weak)) void use(struct counter *c)
{
	c->hits++; // EXPECT: struct counter +0 (hits)
}
