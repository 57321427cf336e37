// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A virtual call has the types of the arguments and the result of the function in this slot of the class's table.
// RUN: g++ clang++

struct item {
	long key, value;
};

struct status {
	char *state;
	~status() { if (state) release(); }
	void release();
};

struct node {
	virtual ~node();
	virtual item *find(long);
	virtual status check();
	virtual long size();
	long uses;
};

struct leaf : node {
	long own;
	virtual item **all();
};

struct other {
	virtual long *counts();
	long number;
};

struct both : other, node {
	long last;
};

item *table[3];

// The units that define the first virtual function of a class, or construct it, describe it.
node::~node() {}
__attribute__((noinline)) item **leaf::all() { return table; }
__attribute__((noinline)) long *other::counts() { return &number; }
both *made() { return new both; }

extern "C" long direct(node *n)
{
	return n->find(3)->value;
	// EXPECT: vtable for node +32 (node::find); item +8 (value) MAY: node +0...
}

// The slot is that of a base class, or the class's own.
extern "C" long derived(leaf *l)
{
	return l->find(1)->key;
	// EXPECT: vtable for leaf +32 (node::find); item +0 (key) MAY: leaf +0...
}

extern "C" long own(leaf *l)
{
	return l->all()[2]->value;
	// EXPECT: vtable for leaf +56 (leaf::all); item* +0; item +8 (value) MAY: leaf +0...
}

// The table of the second base class is another one, with slots of its own.
extern "C" long second(both *b)
{
	return b->find(2)->value;
	// EXPECT: vtable for node +32 (node::find); item +8 (value) MAY: both +16...
}

extern "C" long first(both *b)
{
	return *b->counts();
	// EXPECT gcc: vtable for both +16 (other::counts); long int +0 MAY: both +0...
	// EXPECT clang: vtable for both +16 (other::counts); long +0 MAY: both +0...
}

// The result in memory has no name.
extern "C" bool temporary(node *n)
{
	return n->check().state;
	// EXPECT: vtable for node +40 (node::check); status +0 (state) MAY: node +0...
}

// A pointer to a member function does not tell which one is called.
extern "C" long by_pointer(node *n, item *(node::*find)(long))
{
	return (n->*find)(3)->value;
	// EXPECT: none
}
