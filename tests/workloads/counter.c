// SPDX-License-Identifier: GPL-2.0-or-later
/* A shared object with one function, which reads the second field of a record. */
struct counter {
	long hits;
	int misses;
};

int work(struct counter *counter)
{
	return counter->misses;
}
