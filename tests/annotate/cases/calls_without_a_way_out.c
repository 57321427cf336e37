// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function whose code neither returns nor jumps out does not come back, though nothing says so.
// RULES: offset-table
// RUN: gcc -O1 -fno-reorder-blocks
// CODE: callq

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};
struct pair {
	struct node *first, *second;
};

__asm__(".text\n"
	".globl give_up\n"
	".type give_up, @function\n"
	"give_up: give_up_here: subq $8, %rsp\n"
	"test %edi, %edi\n"
	"je 1f\n"
	"call abort@PLT\n"
	"1: call *exit@GOTPCREL(%rip)\n"
	".size give_up, .-give_up\n"
	".local give_back\n"
	".type give_back, @function\n"
	"give_back: test %edi, %edi\n"
	"je 1f\n"
	"ret\n"
	"1: call abort@PLT\n"
	".size give_back, .-give_back\n"
	".local give_away\n"
	".type give_away, @function\n"
	"give_away: test %edi, %edi\n"
	"je give_back\n"
	"call abort@PLT\n"
	".size give_away, .-give_away\n");

/* The code after the call has the same registers, but no path from the call. */
#define CALL(how) __asm__ volatile(how : : : "memory")

long directly(struct pair *p)
{
	if (p->first->next->value < 0) {
	// EXPECT: struct pair +0 (first); struct node +0 (next); struct node +16 (value)
		CALL("xor %%edi, %%edi; call give_up_here");
		__builtin_unreachable();
	}
	return p->first->next->key; // EXPECT: struct node +8 (key)
}

long through_a_slot(struct pair *p)
{
	if (p->first->next->value < 0) {
	// EXPECT: struct pair +0 (first); struct node +0 (next); struct node +16 (value)
		CALL("xor %%edi, %%edi; call *give_up@GOTPCREL(%%rip)"); // EXPECT: void* +0
		__builtin_unreachable();
	}
	return p->first->next->key; // EXPECT: struct node +8 (key)
}

long that_returns(struct pair *p)
{
	if (p->first->next->value < 0) {
	// EXPECT: struct pair +0 (first); struct node +0 (next); struct node +16 (value)
		CALL("xor %%edi, %%edi; call give_back");
		__builtin_unreachable();
	}
	return p->first->next->key; // EXPECT: none (nothing known of the base register)
}

long that_jumps_out(struct pair *p)
{
	if (p->first->next->value < 0) {
	// EXPECT: struct pair +0 (first); struct node +0 (next); struct node +16 (value)
		CALL("xor %%edi, %%edi; call give_away");
		__builtin_unreachable();
	}
	return p->first->next->key; // EXPECT: none (nothing known of the base register)
}
