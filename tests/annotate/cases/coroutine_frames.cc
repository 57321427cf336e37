// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The variables of a coroutine are members of its frame.
// RUN: g++ -std=c++20 -fcoroutines

#include <coroutine>

struct node {
	node *next;
	long key;
};

struct task {
	struct promise_type {
		long result;
		task get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void unhandled_exception() {}
		void return_void() {}
		std::suspend_always yield_value(long v)
		{
			result = v; // EXPECT: _Z4sumsP4node.Frame +16 (_Coro_promise.result)
			return {};
		}
	};
	std::coroutine_handle<promise_type> handle;
};

task sums(node *first) // EXPECT: _Z4sumsP4node.Frame...
{
	long total = 0; // EXPECT: _Z4sumsP4node.Frame...

	for (node *n = first; n; n = n->next) { // EXPECT: _Z4sumsP4node.Frame...; node +0 (next)
		total += n->key; // EXPECT: _Z4sumsP4node.Frame...; node +8 (key)
		co_yield total; // MAY: _Z4sumsP4node.Frame...
	}
} // MAY: _Z4sumsP4node.Frame...
