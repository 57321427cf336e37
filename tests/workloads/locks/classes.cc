// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The locks of C++ in classes and containers. Prints the
 * truth: address, size, and the names that are right.
 */
#include <mutex>
#include <shared_mutex>
#include <condition_variable>
#include <thread>
#include <vector>
#include <map>
#include <unordered_map>
#include <list>
#include <memory>
#include <chrono>
#include <cstdio>
#include <array>
#include <future>
static void hold(int us)
{
	std::this_thread::sleep_for(std::chrono::microseconds(us));
}
template <class T> void truth(const T &lock, const char *names)
{
	printf("%p %zu %s\n", (const void *)&lock, sizeof(lock), names);
}
#define APART __attribute__((noinline, noclone))
namespace bank
{
struct Account {
	long balance = 0;
	std::mutex mutex;
	Account *peer = nullptr;
};
class Ledger
{
      public:
	std::recursive_mutex guard;
	std::timed_mutex timed;
	std::map<int, long> rows;
	APART void post(int k)
	{
		std::lock_guard<std::recursive_mutex> g(guard);
		rows[k]++;
		if (k & 1)
			nested(k);
		hold(60);
	}
	void nested(int k)
	{
		std::lock_guard<std::recursive_mutex> g(guard);
		rows[k]--;
	}
	APART bool timed_post()
	{
		std::unique_lock<std::timed_mutex> l(timed, std::chrono::seconds(3));
		hold(60);
		return l.owns_lock();
	}
};
struct Shard {
	std::shared_mutex rw;
	std::shared_timed_mutex trw;
	std::unordered_map<int, int> map;
};
class Pool
{
	std::mutex m_;
	std::condition_variable cv_;
	std::condition_variable_any any_;
	std::vector<int> jobs_;

      public:
	Pool()
	{
		truth(m_, "bank::Pool (m_)");
		truth(cv_, "bank::Pool (cv_)");
	}
	APART void put(int v)
	{
		{
			std::scoped_lock g(m_);
			jobs_.push_back(v);
			hold(20);
		}
		cv_.notify_one();
	}
	APART int take()
	{
		std::unique_lock g(m_);
		while (jobs_.empty())
			cv_.wait(g);
		int v = jobs_.back();
		jobs_.pop_back();
		return v;
	}
};
} // namespace bank
APART void transfer(bank::Account &a, bank::Account &b)
{
	std::scoped_lock both(a.mutex, b.mutex);
	a.balance--;
	b.balance++;
	hold(100);
}
APART void deposit(bank::Account *a)
{
	std::lock_guard<std::mutex> g(a->mutex);
	a->balance++;
	hold(100);
}
APART void read_shard(bank::Shard &s)
{
	std::shared_lock g(s.rw);
	hold(50);
}
APART void write_shard(bank::Shard &s)
{
	std::unique_lock g(s.rw);
	s.map[1]++;
	hold(150);
}
APART void timed_shard(bank::Shard &s, bool w)
{
	if (w) {
		std::unique_lock g(s.trw);
		hold(100);
	} else {
		std::shared_lock g(s.trw);
		hold(50);
	}
}
static std::array<std::mutex, 4> stripes;
static std::mutex registry;
static std::list<bank::Account> nodes;
static std::map<int, bank::Account> by_id;
static std::vector<std::unique_ptr<bank::Account>> owned;
int main()
{
	auto shared = std::make_shared<bank::Account>();
	auto *shard = new bank::Shard;
	auto *ledger = new bank::Ledger;
	auto *pool = new bank::Pool;
	bank::Account *two = new bank::Account[2];
	for (int i = 0; i < 2; i++) {
		nodes.emplace_back();
		by_id[i].balance = i;
		owned.push_back(std::make_unique<bank::Account>());
		truth(nodes.back().mutex, "bank::Account (mutex)");
		truth(by_id[i].mutex, "bank::Account (mutex)");
		truth(owned[i]->mutex, "bank::Account (mutex)");
		truth(two[i].mutex, "bank::Account (mutex)");
	}
	truth(shared->mutex, "bank::Account (mutex)");
	truth(shard->rw, "bank::Shard (rw)");
	truth(shard->trw, "bank::Shard (trw)");
	truth(ledger->guard, "bank::Ledger (guard)");
	truth(ledger->timed, "bank::Ledger (timed)");
	truth(registry, "registry");
	for (int i = 0; i < 4; i++) {
		char b[64];
		sprintf(b, "stripes[%d]|stripes._M_elems[%d]", i, i);
		truth(stripes[i], b);
	}
	fflush(stdout);
	std::vector<std::thread> threads;
	for (int n = 0; n < 4; n++)
		threads.emplace_back([=] {
			for (int i = 0; i < 100; i++) {
				deposit(shared.get());
				transfer(two[i & 1], two[!(i & 1)]);
				deposit(&by_id[i & 1]);
				for (auto &a : nodes)
					deposit(&a);
				deposit(owned[(i ^ n) & 1].get());
				read_shard(*shard);
				if (i % 4 == 0)
					write_shard(*shard);
				timed_shard(*shard, i % 4 == 0);
				ledger->post(i);
				ledger->timed_post();
				if (n & 1)
					pool->put(i);
				else
					pool->take();
				{
					std::lock_guard g(stripes[(n & 1) + 1]);
					hold(50);
				}
				{
					std::lock_guard g(registry);
					hold(50);
				}
			}
		});
	for (auto &t : threads)
		t.join();
}
