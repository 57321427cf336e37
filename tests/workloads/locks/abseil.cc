// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Abseil's mutexes and conditions: in objects, arrays and variables, waited for by all of their
 * functions. Prints the truth: address, size, and the names that are right.
 */
#include "truth.h"
#include <absl/synchronization/mutex.h>
#include <absl/time/time.h>
#include <thread>
#include <vector>
#include <memory>
#include <deque>
struct Account {
	char name[40];
	long id;
	absl::Mutex mu;
	long balance;
};
class Cache
{
      public:
	long hits[12];
	mutable absl::Mutex lock_;
	absl::CondVar changed_;
	std::deque<int> items;
	void put(int v);
	int get();
	long peek() const;
	bool ready() const
	{
		return !items.empty();
	}
};
struct Shards {
	long n;
	Account rows[4];
	absl::Mutex stripes[3];
};
struct Owner {
	long x[5];
	std::unique_ptr<Account> own;
	std::vector<Account *> many;
};
static absl::Mutex global_mu(absl::kConstInit);
absl::Mutex table_mu[4];
struct {
	char pad[24];
	absl::Mutex mu;
} only;
__attribute__((noinline)) void deposit(Account *a)
{
	absl::MutexLock l(&a->mu);
	a->balance++;
	hold(100);
}
__attribute__((noinline)) void scan(Account &a)
{
	absl::ReaderMutexLock l(&a.mu);
	hold(60);
}
void Cache::put(int v)
{
	absl::MutexLock l(&lock_);
	items.push_back(v);
	if (items.size() > 40)
		items.clear();
	hold(20);
	changed_.SignalAll();
}
int Cache::get()
{
	absl::MutexLock l(&lock_);
	if (items.empty())
		changed_.WaitWithTimeout(&lock_, absl::Milliseconds(1));
	if (items.empty())
		return 0;
	int v = items.front();
	items.pop_front();
	return v;
}
long Cache::peek() const
{
	absl::ReaderMutexLock l(&lock_);
	hold(30);
	return items.size();
}
__attribute__((noinline)) void await(Cache *c)
{
	absl::MutexLock l(&c->lock_);
	c->lock_.AwaitWithTimeout(absl::Condition(c, &Cache::ready), absl::Milliseconds(1));
}
__attribute__((noinline)) void row(Shards *s, int i)
{
	absl::MutexLock l(&s->rows[i].mu);
	hold(50);
}
__attribute__((noinline)) void stripe(Shards *s, int i)
{
	s->stripes[i].Lock();
	hold(50);
	s->stripes[i].Unlock();
}
__attribute__((noinline)) void owned(Owner *o)
{
	absl::MutexLock l(&o->own->mu);
	hold(50);
}
__attribute__((noinline)) void pick(Owner *o, int i)
{
	absl::MutexLock l(&o->many[i]->mu);
	hold(50);
}
__attribute__((noinline)) void both(Account *a, Account *b)
{
	absl::MutexLock l(&a->mu);
	absl::MutexLock m(&b->mu);
	hold(20);
}
__attribute__((noinline)) void global()
{
	absl::MutexLock l(&global_mu);
	hold(40);
}
__attribute__((noinline)) void table(int i)
{
	absl::MutexLock l(&table_mu[i]);
	hold(40);
}
__attribute__((noinline)) void unnamed()
{
	absl::MutexLock l(&only.mu);
	hold(40);
}
int main()
{
	auto *a = new Account, *b = new Account;
	auto *c = new Cache;
	auto *s = new Shards;
	auto *o = new Owner;
	o->own.reset(new Account);
	for (int i = 0; i < 2; i++)
		o->many.push_back(new Account);
	TRUTH(a->mu, "Account (mu)");
	TRUTH(b->mu, "Account (mu)");
	TRUTH(c->lock_, "Cache (lock_)");
	TRUTH(c->changed_, "Cache (changed_)");
	for (auto &r : s->rows)
		TRUTH(r.mu, "Account (mu)|Shards (mu)");
	TRUTH(s->stripes, "Shards (stripes)");
	TRUTH(o->own->mu, "Account (mu)");
	for (auto *m : o->many)
		TRUTH(m->mu, "Account (mu)");
	TRUTH(global_mu, "global_mu");
	TRUTH(table_mu, "table_mu[1]|table_mu[0]|table_mu[]|table_mu");
	TRUTH(only, "only.mu|only");
	std::vector<std::thread> t;
	for (int n = 0; n < 4; n++)
		t.emplace_back([=] {
			for (int i = 0; i < 80; i++) {
				deposit(a);
				scan(*b);
				c->put(i);
				c->get();
				c->peek();
				await(c);
				row(s, i & 1);
				stripe(s, 1 + (i & 1));
				owned(o);
				pick(o, i & 1);
				both(a, b);
				global();
				table(i & 1);
				unnamed();
			}
		});
	for (auto &x : t)
		x.join();
}
