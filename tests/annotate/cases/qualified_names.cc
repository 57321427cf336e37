// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Classes have their qualified names, and templates their arguments; references are pointers.

namespace shop
{
struct item {
	long price;
	int count;

	__attribute__((noinline)) long worth() const
	{
		return price * count;
	}
};
} // namespace shop

extern "C" long worth(shop::item *what)
{
	return what->price * what->count; // EXPECT: shop::item +8 (count); shop::item +0 (price)
}

struct point {
	double x, y;
};

extern "C" double dot(const point &a, point &&b)
{
	return a.x * b.x + a.y * b.y; // EXPECT: point +0 (x); point +8 (y)
}

template <typename T> struct stack {
	T *data;
	unsigned long count;
};

struct item {
	int a, b;
};

extern "C" int top(stack<item> *s)
{
	return s->data[s->count - 1].b;
	// EXPECT: stack<item> +8 (count); stack<item> +0 (data); item +4 (b)
}

struct order {
	long number, weight;
};

/* The difference of two pointers is a number of whole elements. */
extern "C" void move(order *to, const order *from, const order *at)
{
	to[at - from].weight = 1; // EXPECT: order +8 (weight)
}
