// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Variants, shared pointers, references, exceptions and pointers to members have types, as both compilers write them.
// RUN: g++ clang++ -std=c++17
#include <memory>
#include <variant>

struct circle {
	long radius, color;
};

struct square {
	long side, border, color;
};

// Both alternatives have a word there: the variable says which one is alive.
extern "C" long area(std::variant<circle, square> &shape)
{
	if (auto *c = std::get_if<circle>(&shape)) // EXPECT: std::variant<circle, square> +24 (_M_index)
		return c->radius;
	// EXPECT gcc: std::variant<circle, square> +0 (_M_u._M_first._M_storage.radius)
	// EXPECT clang: nothing MAY: std::variant<circle, square> +0 (_M_u); std::variant<circle, square> +0 (_M_u._M_first._M_storage.radius)
	return 0;
}

// Only one has a word here.
extern "C" long color(std::variant<circle, square> &shape)
{
	auto *q = std::get_if<square>(&shape); // MAY: std::variant<circle, square> +24 (_M_index)

	return q ? q->color : 0;
	// EXPECT gcc: std::variant<circle, square> +16 (_M_u._M_rest._M_first._M_storage.color)
	// EXPECT clang: nothing MAY: std::variant<circle, square> +24 (_M_index)
}

extern "C" long users(const std::shared_ptr<square> &s)
{
	return s.use_count() + s->border;
	// EXPECT: std::shared_ptr<square> +8 (_M_refcount._M_pi); std::shared_ptr<square> +0 (_M_ptr); square +8 (border)
	// MAY: std::_Sp_counted_base<(__gnu_cxx::_Lock_policy)2> +8 (_M_use_count); std::_Sp_counted_base<__gnu_cxx::_S_atomic> +8
	// MAY: std::_Sp_counted_base<(__gnu_cxx::_Lock_policy)2> +8
}

extern "C" long through(square &s, const circle &c)
{
	long &side = s.side;

	side += c.color; // EXPECT: circle +8 (color); square +0 (side)
	return side;
}

// The offset is known only at run time.
extern "C" long member(square *s, long square::*m)
{
	return s->*m; // EXPECT: none (the offset is outside the type)
}

extern "C" long caught(void (*f)())
{
	try {
		f();
	} catch (const square &s) {
		return s.color; // EXPECT: square +16 (color)
	}
	return 0;
}
