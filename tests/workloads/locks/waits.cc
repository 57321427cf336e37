// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What C++20 waits for: semaphores, atomics, latches, barriers and conditions of any lock. Prints
 * the truth: address, size, and the names that are right.
 *
 * Without optimization, a barrier of gcc 16's library waits at what a std::atomic_ref points to that
 * another function has set: nothing in the callers shows it, and it is left out.
 */
#include <semaphore>
#include <latch>
#include <barrier>
#include <condition_variable>
#include <shared_mutex>
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
#if defined __NO_INLINE__ && defined _GLIBCXX_RELEASE && _GLIBCXX_RELEASE >= 16
#define MEETS 0
#else
#define MEETS 1
#endif
struct Gate {
	long id = 0;
	std::counting_semaphore<8> slots{ 2 };
	std::binary_semaphore one{ 1 };
	std::atomic<int> state{ 0 };
	std::once_flag once;
	std::latch start{ 4 };
	std::barrier<> meeting{ 4 };
	std::shared_mutex guard;
	std::condition_variable_any ready;
	int given = 0;
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
struct Fixed {
	long id;
	std::mutex mutex;
	std::condition_variable signal;
	int turn;
} fixed;
/* who is woken waits for the mutex, which std::condition_variable takes for it */
APART void alternate(int n)
{
	std::unique_lock<std::mutex> lock(fixed.mutex);
	while (fixed.turn % 4 != n)
		fixed.signal.wait(lock);
	fixed.turn++;
	fixed.signal.notify_all();
	hold(200);
}
APART void begin(Gate *g, int n)
{
	hold(3000 * n);
	g->start.arrive_and_wait();
}
APART void meet(Gate *g, int n)
{
	hold(100 * n);
	g->meeting.arrive_and_wait();
}
APART void take(Gate *g)
{
	std::unique_lock<std::shared_mutex> lock(g->guard);
	g->ready.wait(lock, [g] { return g->given > 0; });
	g->given--;
}
APART void give(Gate *g)
{
	hold(300);
	std::unique_lock<std::shared_mutex> lock(g->guard);
	g->given++;
	g->ready.notify_one();
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
	truth(g->start, "Gate (start)");
	truth(g->meeting, "Gate (meeting)");
	truth(g->guard, "Gate (guard)");
	truth(g->ready, "Gate (ready)");
	truth(fixed.mutex, "fixed.mutex");
	truth(fixed.signal, "fixed.signal");
	fflush(stdout);
	std::vector<std::thread> threads; /* libc++ 14 has no std::jthread */
	for (int n = 0; n < 4; n++)
		threads.emplace_back([=] {
			init(g);
			begin(g, n);
			for (int i = 0; i < 100; i++) {
				enter(g);
				single(g);
				turn(g, n);
				if (MEETS)
					meet(g, n);
				alternate(n);
				if (n % 2)
					take(g);
				else
					give(g);
			}
		});
	for (std::thread &thread : threads)
		thread.join();
}
