// SPDX-License-Identifier: GPL-2.0-or-later
/* Types with long names: those of templates within templates, as containers have them. */
namespace market {

template <class T> struct Traits {
	T first;
};

template <class T> struct Allocator {
	T *base;
};

template <class T, class Character = Traits<T>, class Memory = Allocator<T>> struct Text {
	T *begin;
	unsigned long length;
};

template <class Key, class Value> struct Pair {
	Key key;
	Value value;
};

template <class Key, class Value, class Memory = Allocator<Pair<const Key, Value>>> struct Ledger {
	struct Node {
		Node *left;
		Node *right;
		Pair<const Key, Value> entry_of_this_node;
	};
	Node *root;
};

struct Order {
	unsigned int price;
	unsigned int amount;
};

}

typedef market::Ledger<int, market::Text<char>> Names;
typedef market::Ledger<double, market::Order *> Prices;

/* where there are objects, the classes are described in full */
Names::Node name_node = {};
Prices::Node price_node = {};
market::Order order;

extern "C" __attribute__((naked)) int find_name(Names::Node *)
{
	__asm__("movq 8(%rdi), %rax\n\t"
		"movl 16(%rdi), %ecx\n\t"
		"movq 24(%rdi), %rcx\n\t"
		"nop\n\t"
		"ret");
}

extern "C" __attribute__((naked)) int find_price(Prices::Node *, market::Order *)
{
	/* A line of source that is longer than a terminal, and so has to be broken in two. */
	__asm__("movq (%rdi), %rax\n\t"
		"movl 4(%rsi), %ecx\n\t"
		"ret");
}

extern "C" void _start()
{
	find_name(&name_node);
	find_price(&price_node, &order);
}
