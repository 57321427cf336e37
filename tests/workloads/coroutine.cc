// SPDX-License-Identifier: GPL-2.0-or-later
/* A coroutine with variables of several sizes. */
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
			result = v;
			return {};
		}
	};
	std::coroutine_handle<promise_type> handle;
};

task sums(node *first, char factor)
{
	long total = 0;
	short count = 0;

	for (node *n = first; n; n = n->next) {
		total += n->key * factor + ++count;
		co_yield total;
	}
}

int main()
{
	node last = { nullptr, 1 }, first = { &last, 2 };
	task all = sums(&first, 3);
	long result = 0;

	for (all.handle(); !all.handle.done(); all.handle())
		result += all.handle.promise().result;
	all.handle.destroy();
	return result != 17;
}
