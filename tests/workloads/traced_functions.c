// SPDX-License-Identifier: GPL-2.0-or-later
/* A function with a cold part that compilers put apart, and one that reaches a global by its plain
 * address. */
struct item {
	long key;
	struct item *next;
	int faults;
};

long table[1024];

__attribute__((noinline, cold)) void report_fault(int n)
{
	volatile int k = n;
	(void)k;
}

__attribute__((noinline)) long walk(struct item *item)
{
	long sum = 0;
	for (; item; item = item->next) {
		if (__builtin_expect(item->key < 0, 0)) {
			report_fault(item->faults);
			item->faults++;
		}
		sum += item->key;
	}
	return sum;
}

__attribute__((noinline)) long sweep(long key)
{
	long sum = 0;
	for (int i = 0; i < 1024; i++)
		sum += table[i]++ ^ key;
	return sum;
}

int main(void)
{
	struct item one = { 1, 0, 0 };
	return walk(&one) + sweep(1) == 7;
}
