// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A linker has made one function of several of different classes: its accesses have no answer, unless the classes have the same part there.
// RUN: g++ clang++ -fPIC

struct cat {
	long paws, age;
};

struct kitten : cat {
	long toys;
};

struct pet {
	long owner, since;
};

struct canary : pet {
	long songs;
};

struct hamster : pet {
	long wheels;
};

struct dog {
	long legs, years;
};

static int total; // of all animals

__attribute__((noinline)) long age(cat *c)
{
	total++; // EXPECT: int +0
	return c->age + 1; // EXPECT: none
}

// It is folded with another function of the same class.
__attribute__((noinline)) long paws(cat *c)
{
	return c->paws * 3; // EXPECT: cat +0 (paws)
}

// It is folded with a function of a class that begins with this one.
__attribute__((noinline)) long feet(cat *c)
{
	return c->paws * 5; // EXPECT: cat +0 (paws)
}

// It is folded with a function of another class, which has the same base: a part of the base is known.
__attribute__((noinline)) long owner(canary *c, const dog *d)
{
	return c->owner + c->songs * d->years;
	// EXPECT: pet +0 (owner); none; dog +8 (years)
}

// The linker leaves the symbol of a function that it has folded.
#define FOLDED(gone, left) \
	asm(".globl " gone "\n.type " gone ", @function\n.set " gone ", " left "\n")

long years(dog *);
long more_paws(const cat *);
long small_feet(kitten *);
long owner(hamster *, const dog *);

extern "C" long all(cat *c, kitten *k, dog *d, canary *y, hamster *h)
{
	h->wheels += owner(y, d) + owner(h, d);
	k->toys += total;
	return age(c) + years(d) + paws(c) + more_paws(c) + feet(c) + small_feet(k);
}

FOLDED("_Z5yearsP3dog", "_Z3ageP3cat");
FOLDED("_Z9more_pawsPK3cat", "_Z4pawsP3cat");
FOLDED("_Z5ownerP7hamsterPK3dog", "_Z5ownerP6canaryPK3dog");
FOLDED("_Z10small_feetP6kitten", "_Z4feetP3cat");
