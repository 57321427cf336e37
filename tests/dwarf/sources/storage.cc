// SPDX-License-Identifier: GPL-2.0-or-later
struct Item {
	int key;
	long value;
};
struct empty {
};
template <class T> struct room {
	alignas(T) unsigned char bytes[sizeof(T)];
};
template <unsigned long N> struct aligned {
	union type {
		unsigned char data[N];
		struct __attribute__((aligned(8))) {
		} align;
	};
};
template <class T> struct buffer : empty {
	typename aligned<sizeof(T)>::type bytes;
};
template <class T> struct node {
	node *next;
	room<T> element;
	buffer<T> other;
};
template <class T> struct text {
	char bytes[sizeof(T)];
	int length;
};
template <class T> struct half {
	char bytes[sizeof(T) / 2];
};
template <class T, class U> struct both {
	char bytes[sizeof(T)];
};
struct plain {
	char bytes[16];
};
node<Item> a;
text<Item> b;
half<Item> c;
both<Item, int> d;
plain e;
room<char[16]> f;
int main()
{
	return a.next != 0;
}
