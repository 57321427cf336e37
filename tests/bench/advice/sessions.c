// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sessions whose idle ones are looked for, and a few of them used meanwhile.
 *
 * case: session split 2000 300000
 * case: session split 200000 450
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct session {
	long last_seen;
	int open;
};
#else
struct session {
	long id;
	char user[24];
	long last_seen;
	char address[46];
	int open;
	long received, sent;
};
#endif
static struct session *sessions;
__attribute__((noinline)) static long expire(long n, long now)
{
	long closed = 0;
	for (long i = 0; i < n; i++)
		if (sessions[i].open && sessions[i].last_seen + 1000 < now) {
			sessions[i].open = 0;
			closed++;
		}
	return closed;
}
__attribute__((noinline)) static void use(long i, long now)
{
	sessions[i].last_seen = now;
	sessions[i].open = 1;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long x = 1;
	sessions = calloc(n, sizeof(*sessions));
	for (long i = 0; i < n; i++)
		use(i, 0);
	for (long now = 0; now < atol(argv[2]); now++) {
		for (int k = 0; k < 20; k++) {
			x = x * 6364136223846793005UL + 1442695040888963407UL;
			use((long)((x >> 33) % n), now);
		}
		sum += expire(n, now);
	}
	printf("%ld\n", sum);
}
