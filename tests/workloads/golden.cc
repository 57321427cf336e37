// SPDX-License-Identifier: GPL-2.0-or-later
/* The same with classes: base classes, empty ones, members of namespaces. */
namespace shop {

struct Tagged {};

struct Item {
	virtual int price();
	int id;
	char kind;
};

class Book : public Item, public Tagged {
public:
	char shelf;
	int &stock;
	union {
		int pages;
		float weight;
	};
	struct Author {
		const char *name;
		int born;
	} author;
	Book(int &in);
};

/* where these are, the classes are described */
int Item::price()
{
	return id;
}

Book::Book(int &in) : stock(in)
{
}

}

extern "C" __attribute__((naked)) int browse(shop::Book *book)
{
	__asm__("movl 8(%rdi), %eax\n\t"
		"addb $1, 13(%rdi)\n\t"
		"movq 16(%rdi), %rcx\n\t"
		"addl 24(%rdi), %eax\n\t"
		"movl %eax, 40(%rdi)\n\t"
		"ret");
}

extern "C" void _start()
{
	browse(0);
}
