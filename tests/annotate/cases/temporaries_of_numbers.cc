// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A number to which a reference is bound is a temporary on the stack, and no spill: it has the type of what is stored there.
// RUN: g++

long next(int at);
void find(const long &number);

// EXPECT-IN find_next: long int +0
extern "C" void find_next(void)
{
	find(next(2));
}
