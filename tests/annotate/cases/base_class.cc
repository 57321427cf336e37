// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A member of a base class belongs to the derived class. (clang only declares the base where its virtual table is not.)

struct shape {
	virtual double area() = 0;
	long uses;
};

struct circle : shape {
	double radius;
	double area() override;
};

double circle::area()
{
	uses++; // EXPECT gcc: circle +8 (uses) EXPECT clang: circle +8
	return radius; // EXPECT: circle +16 (radius)
}
