// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Unnamed objects that share a place on the stack are told apart by the calls around them.
// RULES: object-at-call
// RUN: g++ -std=c++17
// RUN without: g++ -std=c++17 --no-rule=object-at-call

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
	// EXPECT without: long int +0; (stack spill)
	*total += s->numbers().sorted; // EXPECT: long int +0; list +16 (sorted)
	// EXPECT without: long int +0; (stack spill)
	*total += s->name().kind; // EXPECT: long int +0; text +16 (kind)
	// EXPECT without: long int +0; (stack spill)
	return 0;
}
