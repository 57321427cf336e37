// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Unnamed objects that share a place on the stack are told apart by the calls around them.
// RUN: g++ -std=c++17

struct text {
	text(const text &other);
	~text();
	const char *first;
	unsigned long length;
	long kind;
};
struct list {
	list(const list &other);
	~list();
	long *from;
	long *to;
	int sorted;
};
struct source {
	text name() const;
	list numbers() const;
	long id;
};

/* Both temporaries are where the other one is at another time. */
long both(const source *s, long *total)
{
	*total += s->name().length; // EXPECT: long int +0; text +8 (length)
	*total += s->numbers().sorted; // EXPECT: long int +0; list +16 (sorted)
	*total += s->name().kind; // EXPECT: long int +0; text +16 (kind)
	return 0;
}
