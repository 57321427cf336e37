// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Locks that come to the locking function on ways of their own: by guards, closures, pointers to
 * functions, and members of records without a name. Prints the truth: address, size, and the names
 * that are right.
 */
#include "truth.h"
#include <condition_variable>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#define APART __attribute__((noinline))

template <class T> static void truth(const T &lock, const char *names)
{
	printf("%p %zu %s\n", (const void *)&lock, sizeof(lock), names);
}

/* a type with an argument that is a lock */
template <class Mutex, class T> struct Guarded {
	T value{};
	Mutex mutex;
	APART void use()
	{
		std::scoped_lock guard(mutex);
		value++;
		hold(200);
	}
};

struct Operations {
	void (*take)(void *);
	void (*give)(void *);
};

struct Device {
	const Operations *operations;
	long value;
	pthread_mutex_t bus;
};

struct Counter {
	long value;
	std::shared_mutex gate;
	std::condition_variable_any turned;
	std::unique_ptr<std::mutex[]> ways;
};

static struct {
	int value;
	struct {
		pthread_mutex_t lock;
	} parts[2];
} state;

static std::mutex *other;

static void take(void *lock)
{
	pthread_mutex_lock((pthread_mutex_t *)lock);
}

static void give(void *lock)
{
	pthread_mutex_unlock((pthread_mutex_t *)lock);
}

APART static void use_device(Device &device)
{
	device.operations->take(&device.bus);
	device.value++;
	hold(200);
	device.operations->give(&device.bus);
}

APART static void use_counter(Counter &counter, int turn)
{
	if (turn % 2) {
		std::unique_lock lock(counter.gate);
		counter.value++;
		hold(200);
		counter.turned.notify_all();
	} else {
		std::shared_lock lock(counter.gate);
		counter.turned.wait_for(lock, std::chrono::microseconds(500));
	}
}

APART static void use_ways(Counter &counter, int turn)
{
	std::lock_guard guard(counter.ways[turn % 2]);
	hold(200);
}

APART static void use_parts(int turn)
{
	pthread_mutex_lock(&state.parts[turn % 2].lock);
	hold(200);
	pthread_mutex_unlock(&state.parts[turn % 2].lock);
}

APART static void use_other()
{
	std::lock_guard guard(*other);
	hold(200);
}

APART static void use_inside()
{
	static std::mutex inside;
	static bool told = (truth(inside, "inside"), true);

	(void)told;
	std::lock_guard guard(inside);
	hold(200);
}

int main()
{
	static const Operations operations = { take, give };
	auto *guarded = new Guarded<std::shared_mutex, long>;
	auto *device = new Device{ &operations, 0, PTHREAD_MUTEX_INITIALIZER };
	auto *counter = new Counter;
	std::mutex local;
	std::vector<std::thread> threads;

	setvbuf(stdout, nullptr, _IOLBF, 0);
	counter->ways = std::make_unique<std::mutex[]>(2);
	other = new std::mutex;
	truth(guarded->mutex, "Guarded (mutex)");
	truth(device->bus, "Device (bus)");
	truth(counter->gate, "Counter (gate)");
	truth(counter->turned, "Counter (turned)");
	for (int i = 0; i < 2; i++) {
		truth(counter->ways[i], "Counter (*ways)|Counter (ways)");
		truth(state.parts[i].lock, i ? "state.parts[1].lock" : "state.parts[0].lock");
	}
	truth(*other, "*other");
	truth(local, "local");
	auto start = [&](auto use) {
		for (int i = 0; i < 3; i++)
			threads.emplace_back([use] {
				for (int turn = 0; turn < 100; turn++, hold(50))
					use(turn);
			});
	};
	start([=](int) { guarded->use(); });
	start([=](int) { use_device(*device); });
	start([=](int turn) { use_counter(*counter, turn); });
	start([=](int turn) { use_ways(*counter, turn); });
	start([](int turn) { use_parts(turn); });
	start([](int) { use_other(); });
	start([](int) { use_inside(); });
	start([&](int) {
		std::lock_guard guard(local);
		hold(200);
	});
	for (std::thread &thread : threads)
		thread.join();
}
