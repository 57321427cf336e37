// SPDX-License-Identifier: GPL-2.0-or-later
/* A function that only the full symbol table names, and one that the dynamic one has, too. */
static __attribute__((noinline)) int work(int *counter)
{
	return ++*counter;
}

int shown(int *counter)
{
	return work(counter) + work(counter + 1);
}
