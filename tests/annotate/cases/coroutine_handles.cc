// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A coroutine's handle points to the frame, in which the promise lies: accesses to the promise have its type.
// RULES: coroutine-handle
// RUN: g++ -std=c++20
// RUN without: g++ -std=c++20 --no-rule=coroutine-handle
#include <coroutine>

struct promise {
	long value, uses;
	std::coroutine_handle<promise> outer;
};

struct task {
	std::coroutine_handle<promise> top;
	std::coroutine_handle<> any;
};

extern "C" long value(task *t)
{
	return t->top.promise().value; // EXPECT: task +0 (top._M_fr_ptr); promise +0 (value)
	// EXPECT without: task +0 (top._M_fr_ptr); none
}

extern "C" long around(task *t)
{
	t->top.promise().outer.promise().uses++;
	// EXPECT: task +0 (top._M_fr_ptr); promise +16 (outer._M_fr_ptr); promise +8 (uses)
	// EXPECT without: task +0 (top._M_fr_ptr); none
	return 0;
}

// The address of the function that resumes it is before the promise.
extern "C" bool done(task *t)
{
	return t->top.done(); // EXPECT: task +0 (top._M_fr_ptr); none
}

// A handle of any coroutine does not tell which.
extern "C" bool is_done(task *t)
{
	return t->any.done(); // EXPECT: task +8 (any._M_fr_ptr); none
}
