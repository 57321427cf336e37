// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Members of virtual bases, std::variant, captures of lambdas, std::function, and functions with equal code.
// RULES: named-class
// RUN: g++ -std=c++17
// RUN folded: g++ -std=c++17 -fvisibility=hidden
#include <functional>
#include <variant>
#include <vector>

struct base { virtual ~base(); long uses; };
struct left : virtual base { long l; };
struct right : virtual base { long r; };
struct both : left, right { long own; };

// Where the virtual base is, the virtual table says: a member of it has no answer, never that of another class.
extern "C" long bases(both *b)
{
	long sum = b->l + b->r + b->own; // EXPECT: both +8; both +24; both +32
	return sum + b->uses; // EXPECT: both +0; none
}

struct circle { double radius; long name; };
struct square { long pad[2]; double side; };
using shape = std::variant<circle, square>;

extern "C" double area(const shape *s)
{
	if (auto c = std::get_if<circle>(s)) // EXPECT: std::variant<circle, square> +24 (_M_index)
		return c->radius * c->radius; // EXPECT: std::variant<circle, square> +0...
	if (auto q = std::get_if<square>(s))
		return q->side * q->side; // EXPECT: std::variant<circle, square> +16...
	return 0;
}

struct account { long id, balance; };

extern "C" long total(std::vector<account> *all, account *bonus, long (*each)(std::function<long(account *)> *))
{
	long sum = 0; // MAY: long int +0
	std::function<long(account *)> f = [&sum, bonus](account *a) { // MAY: struct {__sum, __bonus} +0 (__sum)
		sum += a->balance; // EXPECT: account +8 (balance); long int +0; account* +0
		// MAY: struct {__sum, __bonus} +0 (__sum)
		return bonus->id + sum; // EXPECT: struct {__sum, __bonus} +8 (__bonus); account +0 (id)
	}; // MAY: std::function<long int(account*)> +...; (constant)
	for (auto &a : *all) // EXPECT: std::vector<account, std::allocator<account> > +0...; std::vector<account, std::allocator<account> > +8...
		sum += f(&a); // EXPECT: std::function<long int(account*)> +24 (_M_invoker); long int +0
		// MAY: std::function<long int(account*)> +16 (_M_manager)
	return sum + each(&f); // EXPECT: long int +0
} // MAY: std::function<long int(account*)> +16 (_M_manager)

template <typename T> struct holder {
	T *item;
	long count;
	__attribute__((noinline)) T *next()
	{
		count++; // EXPECT: holder<account> +8 (count); holder<circle> +8 (count)
		// EXPECT folded: holder<account> +8 (count) MAY: holder<circle> +8 (count)
		return item; // EXPECT: holder<account> +0 (item); holder<circle> +0 (item)
		// EXPECT folded: holder<account> +0 (item) MAY: holder<circle> +0 (item)
	}
};
template struct holder<account>;
template struct holder<circle>;
