// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The virtual base of a standard stream is known where only the stream's name is.
// RUN: g++ -std=c++17

#include <sstream>

void print(const char *text);

void number(int n)
{ // MAY: void*...
	std::ostringstream out; // EXPECT: std::...; void*... MAY: none

	out << n; // MAY: int +0
	print("done");
} // EXPECT: std::basic_ios<char, std::char_traits<char> > +0; std::...; void*... MAY: none
