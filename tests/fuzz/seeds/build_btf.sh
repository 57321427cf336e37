#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the seeds in btf/ were made (gcc 12.2, clang 14, pahole 1.24, Debian 12); run in this folder to make them again. They
# are small: each kind of type is in one of them.
set -eu

c='
enum e { A, B = -1 }; enum e8 { C = 1LL << 40 };
struct n { struct n *next; union { int a; double d; } u; unsigned f:3; char b[4][2]; enum e e; int fl[]; };
typedef struct { int p; _Bool b; } pr; pr cache; extern struct n *g; struct dd; struct dd *q; enum e8 e8;
static int (*op)(struct n *restrict, const volatile pr *, ...);
__attribute__((noinline)) int h(struct n *n, int k) { int s = 0; for (; n; n = n->next) s += n->u.a * k; return s + n->u.d; }
int w(struct n *n, struct n l, int k, ...) { q = 0; return h(&l, k) + cache.p + op(n, &cache, k); }'
section=$(mktemp -d)
mkdir -p btf
echo "$c" | gcc -g -O1 -shared -fPIC -nostdlib -Wl,-z,noseparate-code -xc - -o "$section/object"
pahole -J "$section/object"
strip -d "$section/object"
cp "$section/object" btf/pahole
objcopy --dump-section .BTF="$section/raw" "$section/object"
cp "$section/raw" btf/raw
# a module with a digest of its base: here the same types
objcopy --add-section .BTF.base="$section/raw" "$section/object" btf/digest
tags='
struct __attribute__((btf_decl_tag("record"))) t { int __attribute__((btf_type_tag("user"))) *p; float f; int m[3][5]; };
int counter __attribute__((section(".data..percpu"))) = 3; static const struct t table[2] = { { &counter } };
int kf(struct t *t) __attribute__((btf_decl_tag("bpf_kfunc")));
int kf(struct t *t) { return t->m[1][2] + table[t->m[0][0]].m[0][1]; }'
for order in el eb; do
	echo "$tags" | clang -target bpf$order -g -O1 -c -xc - -o "$section/$order.o"
	llvm-objcopy --dump-section .BTF="btf/$order" "$section/$order.o" 2>/dev/null ||
		llvm-objcopy-14 --dump-section .BTF="btf/$order" "$section/$order.o"
done
rm -r "$section"
