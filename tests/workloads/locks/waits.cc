// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What C++20 waits for: semaphores and atomics. Prints the
 * truth: address, size, and the names that are right.
 */
#include <semaphore>
#include <latch>
#include <barrier>
#include <atomic>
#include <thread>
#include <vector>
#include <chrono>
#include <cstdio>
#include <mutex>
static void hold(int us)
{
	std::this_thread::sleep_for(std::chrono::microseconds(us));
}
template <class T> void truth(const T &lock, const char *names)
{
	printf("%p %zu %s\n", (const void *)&lock, sizeof(lock), names);
}
#define APART __attribute__((noinline, noclone))
struct Gate {
	long id = 0;
	std::counting_semaphore<8> slots{ 2 };
	std::binary_semaphore one{ 1 };
	std::atomic<int> state{ 0 };
	std::once_flag once;
};
APART void enter(Gate *g)
{
	g->slots.acquire();
	hold(100);
	g->slots.release();
}
APART void single(Gate *g)
{
	g->one.acquire();
	hold(100);
	g->one.release();
}
APART void turn(Gate *g, int n)
{
	for (int s; (s = g->state.load()) % 4 != n;)
		g->state.wait(s);
	g->state++;
	g->state.notify_all();
}
APART void init(Gate *g)
{
	std::call_once(g->once, [] { hold(20000); });
}
int main()
{
	auto *g = new Gate;
	truth(g->slots, "Gate (slots)");
	truth(g->one, "Gate (one)");
	truth(g->state, "Gate (state)");
	truth(g->once, "Gate (once)");
	fflush(stdout);
	std::vector<std::thread> threads;
	for (int n = 0; n < 4; n++)
		threads.emplace_back([=] {
			init(g);
			for (int i = 0; i < 150; i++) {
				enter(g);
				single(g);
				turn(g, n);
			}
		});
	for (auto &t : threads)
		t.join();
}
