#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the seeds in dwarf/ were made (gcc 12.2, clang 14, Debian 12); run in this folder to make them again.
set -eu

c='
struct n { struct n *next; union { int a; double d; } u; unsigned f:3; char b[4][2]; int fl[]; };
typedef struct { int p; } pr; static pr cache; __thread int t; extern struct n *g; struct dd; struct dd *q;
static inline int h(struct n *n, int k) { static int c; c += k; int s = 0; for (; n; n = n->next) s += n->u.a * k; return s; }
int w(struct n *n, int k, ...) { struct n l = *n; char v[k]; v[0] = k; t = v[k-1]; if (k > 3) return w(&l, k - 1);
  return h(&l, k) + cache.p + h(n, 2); }'
cxx='
namespace a { struct B { virtual ~B(); int x; static int s; }; template <class T> struct C : virtual B { T t; T &r();
  enum class E : char { X } e; }; namespace { struct H { int h; }; } }
int a::B::s; int f(a::C<int> &c, a::H &&h) { return c.t + h.h + a::B::s; }
int k(a::C<int> *c) { try { return f(*c, a::H{3}); } catch (...) { return 1; } } void operator delete(void *, unsigned long) {}'
flags='-O2 -shared -fPIC -nostdlib -Wl,-z,noseparate-code'

mkdir -p dwarf
for version in 2 4 5; do
	echo "$c" | gcc -gdwarf-$version $flags -xc - -o dwarf/gcc$version
	echo "$c" | clang -gdwarf-$version $flags -xc - -o dwarf/clang$version
done
echo "$c" | gcc -g -fdebug-types-section $flags -xc - -o dwarf/types
# a type unit that libdw refuses and dtprof reads: its type is outside of it
cp dwarf/types dwarf/types-refused
printf '\041' | dd of=dwarf/types-refused bs=1 seek=4437 conv=notrunc status=none
echo "$c" | gcc -g -gz $flags -xc - -o dwarf/compressed
echo "$cxx" | g++ -g $flags -xc++ - -o dwarf/cxx
