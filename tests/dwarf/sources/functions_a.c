// SPDX-License-Identifier: GPL-2.0-or-later
struct node {
	struct node *next;
	long key;
};
struct pair {
	long first, second;
};
extern int variadic(const char *format, ...);
extern void leave(void) __attribute__((noreturn));
extern int unprototyped();
extern void use(void *p);
extern long sum(struct node *list, int by);
static inline __attribute__((always_inline)) long walk(struct node *list, int factor)
{
	static int calls;
	calls++;
	long total = 0;
	for (; list; list = list->next) {
		long k = list->key;
		total += k * factor;
	}
	return total;
}
__attribute__((noinline)) long sum(struct node *list, int by)
{
	return walk(list, by) + variadic("%d", by);
}
__attribute__((noinline)) long split(struct pair pair, unsigned char small)
{
	struct pair copy = pair;
	use(&copy);
	return copy.first + small;
}
__attribute__((noinline)) void aligned(int n)
{
	char wide[64] __attribute__((aligned(64)));
	char vla[n];
	use(wide);
	use(vla);
}
__attribute__((noinline)) int tail(struct node *list)
{
	use(list);
	return (int)sum(list, 3);
}
int (*indirect)(struct node *);
__attribute__((noinline)) int calls(struct node *list)
{
	if (!list)
		leave();
	return indirect(list) + unprototyped(list, 1);
}
__attribute__((noinline)) int scopes(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		int inner = i * n;
		use(&inner);
		s += inner;
	}
	{
		int second = n;
		use(&second);
		s += second;
	}
	return s;
}
int main(int argc, char **argv)
{
	struct node node = { 0, argc };
	struct pair p = { 1, argc };
	use(argv);
	aligned(argc);
	return sum(&node, argc) + split(p, 2) + tail(&node) + calls(&node) + scopes(argc);
}
