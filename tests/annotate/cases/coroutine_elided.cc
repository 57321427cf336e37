// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A frame that clang keeps on the stack of the coroutine's caller outlives the inlined call that makes it.
// RUN: clang++ -std=c++20
// BEFORE: clang++ 21
#include <coroutine>
#include <string>

struct row {
	long key, flags;
};

struct rows {
	struct promise_type {
		row *current;
		rows get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void unhandled_exception() {}
		void return_void() {}
		std::suspend_always yield_value(row *r)
		{
			current = r; // MAY: ...
			return {};
		}
	};
	std::coroutine_handle<promise_type> handle;
	~rows() { handle.destroy(); } // MAY: ...
	bool next()
	{
		handle.resume();
		return !handle.done(); // EXPECT: __coro_frame_ty +0 (__resume_fn)
	}
};

extern void use(const std::string &text);
extern void log(long seen);

static rows scan(row *first, long count) // MAY: ...
{
	long seen = 0;

	for (long i = 0; i < count; i++) { // MAY: ...
		if (!(first[i].flags & 1)) // MAY: ...
			continue;
		seen++; // MAY: ...
		co_yield &first[i]; // MAY: ...
	}
	log(seen); // MAY: ...
} // MAY: ...

extern "C" long sum(row *first, long count, int rounds)
{
	long total = 0;

	for (int round = 0; round < rounds; round++) {
		rows all = scan(first, count); // MAY: ...
		while (all.next())
			total += all.handle.promise().current->key;
		// EXPECT: __coro_frame_ty +16 (__promise.current); row +0 (key)
	}
	use(std::string("x")); // MAY: ...
	return total;
}
