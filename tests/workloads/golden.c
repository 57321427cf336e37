// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accesses that are the same with every compiler: functions without prologue, whose parameters are where the
 * ABI puts them, in instructions of our own. For tests/whole/test_whole_golden.c; nobody runs it.
 */
struct place {
	short x, y;
};

struct counter {
	long hits;
	int limit;
	unsigned int mode : 3, level : 5;
	char tag;
	union {
		float ratio;
		int raw;
	};
	struct place where;
	void (*notify)(struct counter *, const char *message);
	char name[20];
	struct counter *next;
	struct place trail[4];
	long errors;
};

__attribute__((naked)) void writer(struct counter *counter)
{
	__asm__("incq (%rdi)\n\t"
		"movl $5, 20(%rdi)\n\t"
		"orb $8, 12(%rdi)\n\t"
		"movq %rsi, 80(%rdi)\n\t"
		"jmp 1f\n\t"
		"nop\n"
		"1:\tret");
}

__attribute__((naked)) int reader(struct counter *counter)
{
	__asm__("1:\tmovl 8(%rdi), %eax\n\t"
		"movzbl 12(%rdi), %ecx\n\t"
		"andl $7, %ecx\n\t"
		"movswl 72(%rdi), %edx\n\t"
		"movq 56(%rdi), %rdi\n\t"
		"testq %rdi, %rdi\n\t"
		"jne 1b\n\t"
		"ret");
}

void _start(void)
{
	static struct counter first;

	writer(&first);
	reader(&first);
}
