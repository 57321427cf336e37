// SPDX-License-Identifier: GPL-2.0-or-later
/* Classes whose members C cannot declare, for layouts printed as C. */
namespace shop {

template <class T> struct Set {
	T *first;
	long count;
};

}

struct Item {
	int number;
};

/* C has no name for the type, nor for the template's instantiation that it stands for. */
typedef shop::Set<Item *> ItemSet;

/* A base class without members takes no bytes of the classes that are derived from it. */
struct Comparable {
};

struct Basket : Comparable {
	char state;
	ItemSet items;
	bool full;
	ItemSet *others;
};

namespace shop {

/* A member of a class's type that comes first is no base class. */
struct Offer {
	ItemSet sellers;
	float price;
	ItemSet buyers;
	int stock;
};

}

using shop::Offer;

Basket basket;
Offer offer;

extern "C" __attribute__((noinline)) long count_items(const Basket *of)
{
	return of->full ? of->items.count : of->state;
}

extern "C" __attribute__((noinline)) float value_of_all(const Offer *offers, long count)
{
	float sum = 0;

	for (long i = 0; i < count; i++)
		sum += offers[i].price * (float)offers[i].stock;
	return sum;
}

int main()
{
	return (int)count_items(&basket) + (int)value_of_all(&offer, 1);
}
