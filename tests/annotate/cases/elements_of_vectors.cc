// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The last element of a container lies before its end, others lie after its first one.
// RULES: element-of-vector
// RUN: g++ -std=c++17
// RUN without: g++ -std=c++17 --no-rule=element-of-vector

#include <deque>
#include <memory>
#include <vector>

struct group {
	long count;
	int kind;
	bool open;
};

struct state {
	long depth;
	std::vector<group> groups;
	std::vector<std::unique_ptr<group>> owned;
	std::deque<group *> waiting;
	const group *first, *last;
};

long last_of_records(state *s)
{
	return s->groups.back().count;
	// EXPECT: state +16 (groups._M_impl._M_finish); group +0 (count) [rule element-of-vector]
	// EXPECT without: state +16 (groups._M_impl._M_finish); none (the offset is outside the type)
}

long last_of_pointers(state *s)
{
	return s->owned.back()->count;
	// EXPECT: state +40 (owned._M_impl._M_finish); std::unique_ptr<group, std::default_delete<group> > +0...; group +0 (count)
	// EXPECT without: state +40 (owned._M_impl._M_finish); none
}

/* Nothing says that there is a group before this one. */
long in_front(state *s)
{
	return ((const long *)s->last)[-3]; // EXPECT: state +144 (last); none
}

/* The record in scope has a group, and members where further groups of the vector have theirs. */
struct summary {
	long year;
	group best;
	long day;
	double mean;
};
long third_of_records(state *s, summary *all)
{
	return s->groups[2].kind + all->day;
	// EXPECT: state +8 (groups._M_impl._M_start); group +8 (kind); summary +24 (day)
	// EXPECT without: state +8 (groups._M_impl._M_start); none (the offset is outside the type); summary +24 (day)
}
long second_of_records(state *s, summary *all)
{
	return s->groups[1].count + all->year;
	// EXPECT: state +8 (groups._M_impl._M_start); group +0 (count); summary +0 (year)
	// EXPECT without: state +8 (groups._M_impl._M_start); summary +24 (day); summary +0 (year)
}
