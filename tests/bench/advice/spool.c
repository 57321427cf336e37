// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A spooler asks its jobs again and again how much is left to print.
 *
 * case: job split 300000 600
 * case: job split 2200 300000
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef NEW
struct job {
	int state;
	int pages;
};
struct job_rest {
	char user[32], file[48];
	long submitted;
	int copies, printer;
};
static struct job_rest *rests;
#define REST(i) rests[i]
#else
struct job {
	char user[32], file[48];
	int state;
	long submitted;
	int pages, copies, printer;
};
#define REST(i) jobs[i]
#endif
static struct job *jobs;
__attribute__((noinline)) static long left(int n)
{
	long sum = 0;
	for (int i = 0; i < n; i++)
		sum += jobs[i].state == 2 ? jobs[i].pages : 0;
	return sum;
}
int main(int c, char **v)
{
	int n = atoi(v[1]), rounds = atoi(v[2]);
	long sum = 0;
	jobs = calloc(n, sizeof(*jobs));
#ifdef NEW
	rests = calloc(n, sizeof(*rests));
#endif
	for (int i = 0; i < n; i++) {
		jobs[i].state = i % 16 < 14 ? 2 : 1;
		jobs[i].pages = i % 30;
		REST(i).copies = 1;
		strcpy(REST(i).user, "me");
		snprintf(REST(i).file, 48, "file %d", i);
	}
	for (int k = 0; k < rounds; k++) {
		jobs[k % n].state ^= 1;
		sum += left(n);
	}
	for (int i = 0; i < n; i++)
		sum += REST(i).copies + REST(i).file[5];
	printf("%ld\n", sum);
	return c < 0;
}
