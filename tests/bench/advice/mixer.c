// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Voices of a synthesizer: each sample takes a sine and a filter of each voice.
 *
 * case: voice split 64 400000
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct voice {
	double phase, step, low, cut;
};
struct about {
	char preset[64];
	int channel;
	double started;
};
static struct about *abouts;
#define ABOUT(i) abouts[i]
#else
struct voice {
	char preset[64];
	double phase;
	int channel;
	double step, started, low, cut;
};
#define ABOUT(i) voices[i]
#endif
static struct voice *voices;
__attribute__((noinline)) static double mix(int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++) {
		struct voice *v = &voices[i];
		v->phase += v->step;
		if (v->phase > 6.28318)
			v->phase -= 6.28318;
		v->low += v->cut * (sin(v->phase) - v->low);
		sum += v->low;
	}
	return sum;
}
int main(int c, char **a)
{
	int n = atoi(a[1]), m = atoi(a[2]);
	double sum = 0;
	voices = calloc(n, sizeof(*voices));
#ifdef NEW
	abouts = calloc(n, sizeof(*abouts));
#endif
	for (int i = 0; i < n; i++)
		voices[i].step = .01 * (i % 40 + 1), voices[i].cut = .1, ABOUT(i).channel = i % 16,
		ABOUT(i).preset[0] = 1;
	for (int k = 0; k < m; k++)
		sum += mix(n);
	for (int i = 0; i < n; i++)
		sum += ABOUT(i).channel;
	printf("%g\n", sum);
	return c < 0;
}
