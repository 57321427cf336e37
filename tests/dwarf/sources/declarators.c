// SPDX-License-Identifier: GPL-2.0-or-later
struct list {
	int x;
};
typedef unsigned long word;
struct all {
	int plain;
	const char *text;
	char *const fixed;
	struct list **ends;
	word number;
	char name[16];
	struct list *slots[4];
	int (*row)[3];
	short grid[2][3][5];
	int open[][7];
};
struct calls {
	int (*compare)(const void *, const void *);
	void (*print)(const char *, ...);
	int (*table[2])(void);
	void (*(*pick)(int))(long);
};
struct vectors {
	__attribute__((vector_size(16))) float one, few[3], *at;
};
struct vectors vectors;
struct all *all;
struct calls calls;
int main(void)
{
	return all->plain;
}
