// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Without optimization, the address of a variable is kept on the stack: of a class that is passed by its address, and of an array whose size is computed.
// RUN: g++ clang++ -O0

struct Price {
	int id;
	double value;
	~Price();
};

double whole(Price price, Price *other)
{ // MAY: Price* +0
	return price.value + other->id; // EXPECT: Price +8 (value); Price +0 (id)
	// MAY: Price* +0
}

double middle(int n)
{ // MAY: int +0; (stack spill); unsigned long +0
	double squares[n]; // MAY: int +0; double[]* +0; (stack spill); unsigned long +0

	for (int i = 0; i < n; i++) // MAY: int +0
		squares[i] = i; // EXPECT: double[] +0
	// MAY: int +0; double[]* +0
	return squares[n / 2]; // EXPECT: double[] +0
	// MAY: int +0; double[]* +0; (stack spill)
}
