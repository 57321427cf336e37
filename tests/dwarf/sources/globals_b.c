// SPDX-License-Identifier: GPL-2.0-or-later
int elsewhere[8] = { 1, 2 };
static long hidden;
struct late {
	int a;
} late;
static double twice;
long far(void)
{
	hidden += late.a;
	twice *= 2;
	return hidden + (long)twice;
}
