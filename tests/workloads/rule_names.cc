// SPDX-License-Identifier: GPL-2.0-or-later
/* Types whose names are more than a word, with functions that access them, for rules on layouts
 * (tests/whole/test_whole_rule_names.c). */
#include <cstddef>

struct Shape {
	int kind, order;
};
struct Circle : Shape {
	long order; /* hides Shape::order */
	double radius;
};
template <class T> struct Slot {
	char state;
	T value;
};
template <class A, class B> struct Both {
	A first;
	B second;
};
namespace store
{
struct Item {
	long id, price;
	char pad[80];
	long last;
};
template <class T> struct Cell {
	T value;
};
}
namespace
{
struct Hidden {
	long count;
	char pad[72];
};
}
struct Drawn {
	virtual ~Drawn() {}
	int level;
};
struct Options {
	unsigned bold : 3, dark : 5, wide : 8;
	int size;
};

Options options;
Drawn drawn;
Circle circle;
Slot<long> slot;
Both<Slot<int>, char *> both;
Both<int, Slot<Slot<int>>> deep;
store::Item item;
store::Cell<const char *> text_cell;
store::Cell<Slot<long>> slot_cell;
Hidden hidden;

extern "C" {
__attribute__((noinline, noclone)) long use_circle(Circle *c)
{
	return c->kind + c->order;
}
__attribute__((noinline, noclone)) long use_slot(Slot<long> *s)
{
	return s->state + s->value;
}
__attribute__((noinline, noclone)) long use_item(store::Item *i)
{
	return i->id + i->last;
}
__attribute__((noinline, noclone)) long use_hidden(Hidden *h)
{
	return h->count;
}
__attribute__((noinline, noclone)) int use_options(Options *o)
{
	return o->dark;
}
}

int main()
{
	long sum = 0;

	for (int i = 0; i < 100; i++)
		sum += use_circle(&circle) + use_slot(&slot) + use_item(&item) +
		       use_hidden(&hidden) + use_options(&options) + (both.second != nullptr);
	return sum != 0;
}
