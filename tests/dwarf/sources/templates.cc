// SPDX-License-Identifier: GPL-2.0-or-later
namespace ns
{
template <class T, int N> struct box {
	T a[N];
	struct inner {
		T x;
	} in;
};
template <class... A> struct pack {
	void *v;
};
template <template <class, int> class X> struct outer {
	X<int, 2> x;
};
enum class color { red, green };
enum plain { one, two };
template <color C, bool B, char K, unsigned long U, plain P, short S> struct values {
	int v;
};
template <class D> struct base {
	int b;
};
struct derived : base<derived> {
	int d;
};
template <class T> struct declared;
template <int *P> struct address {
	int v;
};
} // namespace ns
int global;
struct all {
	ns::box<int, 3> a;
	ns::box<long, 3> b;
	ns::box<const char *, 4> c;
	ns::box<int, 3>::inner d;
	ns::pack<int, volatile long &, ns::box<char *const *, 1>> e;
	ns::pack<> f;
	ns::outer<ns::box> g;
	ns::values<ns::color::green, true, 'x', 7, ns::two, -1> h;
	ns::derived i;
	ns::base<ns::derived> j;
	ns::declared<int> *k;
	ns::pack<int (*)(char, void *), long(int, ...)> m;
	ns::address<&global> l;
};
all here;
int main()
{
	return here.a.a[1] + here.d.x;
}
