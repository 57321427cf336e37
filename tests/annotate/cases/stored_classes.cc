// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Memory where the address of a virtual table is stored has an object of the table's class.
// RULES: stored-class
// RUN: g++ -fvisibility=hidden -fno-var-tracking -fno-tree-slp-vectorize
// RUN without: g++ -fvisibility=hidden -fno-var-tracking -fno-tree-slp-vectorize --no-rule=stored-class

extern "C" void *get_memory(unsigned long size);
extern "C" void keep(void *object);

struct failure {
	virtual ~failure();
	virtual const char *what() const;
};
struct named {
	virtual ~named();
	virtual const char *name() const;
	long length;
};
struct out_of_memory : failure {
	// EXPECT: out_of_memory +0
	// EXPECT without: none (a pointer to void or to an undefined type)
	~out_of_memory() override;
	long wanted;
};
struct both : failure, named {
	// EXPECT: both +0; both +8
	// EXPECT without: none (a pointer to void or to an undefined type)
	~both() override;
	long tries;
};

inline void *operator new(unsigned long, void *place)
{
	return place;
}

out_of_memory::~out_of_memory() // EXPECT: out_of_memory +0
{
}
both::~both() // EXPECT: both +0; both +8
{
}

/* The memory is nothing but a void *, and the constructor is inlined. Its store is at the line of
 * the class. */
void make(long n)
{
	void *memory = get_memory(sizeof(out_of_memory));

	keep(new (memory) out_of_memory);
	*(long *)((char *)memory + 8) = n;
	// EXPECT: out_of_memory +8 (wanted) [inferred]
	// EXPECT without: none (a pointer to void or to an undefined type)
}

/* The table's second part is for the second base class. */
void make_second(long n)
{
	void *memory = get_memory(sizeof(both));

	keep(new (memory) both);
	*(long *)((char *)memory + 24) = n;
	// EXPECT: both +24 (tries) [inferred]
	// EXPECT without: none (a pointer to void or to an undefined type)
}
