// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A member's class is only declared: its parts begin where the addresses of their virtual tables are stored.
// RUN: g++

#include <sstream>

void print(const char *text);

class message
{
    public:
	message(const char *file, int line) : file_(file), line_(line) {}
	// EXPECT: std::basic_ios<char, std::char_traits<char> > +0
	// MAY: message...; std::...; void*...; none
	~message() { print(out_.str().c_str()); }
	// MAY: message...; std::...; void*...; none
	std::ostringstream &out() { return out_; }

    private:
	const char *file_;
	int line_;
	std::ostringstream out_;
};

void number(int n)
{ // MAY: void*...
	message m("file", 1);

	m.out() << n; // MAY: int +0
}
