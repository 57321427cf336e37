// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A coroutine that returns an object by address: the part after its first suspension is called with the frame instead.
// RUN: clang++ -std=c++20
// EXPECT-IN _Z7numbersl: _...

#include <coroutine>

struct Fat {
	struct promise_type {
		long value;
		int count;
		Fat get_return_object()
		{
			return Fat(std::coroutine_handle<promise_type>::from_promise(*this));
		}
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(long v)
		{
			value = v; // MAY: Fat::promise_type...
			count++; // MAY: Fat::promise_type...
			return {};
		}
		void return_void() {}
		void unhandled_exception() {}
	};
	Fat(std::coroutine_handle<promise_type> h) : handle(h) {} // MAY: Fat +0...
	~Fat() {}
	std::coroutine_handle<promise_type> handle;
	long payload[40];
};

/* After the first suspension, all accesses are to the frame, whose type begins with an underscore. */
Fat numbers(long k) // MAY: Fat::promise_type...
{
	for (long i = k;; i += 3)
		co_yield i;
}
