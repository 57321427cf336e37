// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Floating-point constants and slots of the global offset table are memory that the compiler or the linker made.
// RULES: float-constant
// RUN: gcc clang -fno-plt -fPIC
// RUN without: gcc -fno-plt -fPIC --no-rule=float-constant,offset-table

extern void elsewhere(void);

__attribute__((noinline)) double third(double x)
{
	return x * 0.3; // EXPECT: double +0 [rule float-constant]
	// EXPECT without: (constant)
}

__attribute__((noinline)) float both(float x, double y)
{
	return x * 0.7f + (float)(y * 0.9); // EXPECT: float +0 [rule float-constant]; double +0 [rule float-constant]
	// EXPECT without: (constant); (constant)
}

// No variable says which type a constant of this size has.
__attribute__((noinline)) long none(long x)
{
	return (long)((double)x * 1.7); // EXPECT: (constant)
}

struct circle {
	char name[16];
	double radius;
};

/* A text that the compiler copies is a constant; the program's own variable has a type. */
__attribute__((noinline)) double named(struct circle *c)
{
	static const double pi = 3.14159;

	__builtin_memcpy(c->name, "a circle of 3 m", 16); // EXPECT: struct circle +0 (name) EXPECT gcc: (constant) MAY: (constant); char[] +0
	return *(volatile const double *)&pi; // EXPECT: double +0 [global]
}

__attribute__((noinline)) int calls(int x)
{
	elsewhere(); // EXPECT: void* +0 [rule offset-table]
	// EXPECT without: none
	return x + 1;
}
