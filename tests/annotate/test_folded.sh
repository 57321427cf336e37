#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions that lld folds into one, without the symbol of the other: the code has no single type. A function that lld
# leaves out, and that is as large as another one, is none of these. DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
plan 3
cat >"$folder/a.c" <<'C'
struct cat { long legs, lives; char *name; };
struct dog { long paws, age; char *call; };
struct hen { long eggs, days; };
struct cow { long milk, days; };
#define KEEP __attribute__((noinline)) static
KEEP long cat_sum(struct cat *c, int n) { long s = 0; for (int i = 0; i < n; i++) s += c[i].legs * 3 + c[i].lives; return s; }
KEEP long dog_sum(struct dog *d, int n) { long s = 0; for (int i = 0; i < n; i++) s += d[i].paws * 3 + d[i].age; return s; }
KEEP long hen_sum(struct hen *h) { return h->eggs * 5 + h->days; }
__attribute__((visibility("hidden"))) long cow_sum(struct cow *c) { return c->milk * 9 + c->days; }
long (*volatile of_cats)(struct cat *, int) = cat_sum;
long (*volatile of_dogs)(struct dog *, int) = dog_sum;
long (*volatile of_hens)(struct hen *) = hen_sum;
int main(void) { return (int)(of_cats(0, 0) + of_dogs(0, 0) + (of_hens == 0)); }
C
if ! clang -O1 -g -ffunction-sections -fuse-ld=lld -Wl,--icf=all -Wl,--gc-sections -o "$folder/all" "$folder/a.c" 2>"$folder/errors"; then
	for _ in 1 2 3; do skip "folded functions" "no clang with lld: $(head -1 "$folder/errors")"; done
	finish
fi
strip --strip-symbol=dog_sum -o "$folder/one" "$folder/all"
types() { # FILE FUNCTION
	"$DTPROF" debug types "$folder/$1" "$2" 2>&1
}
has() { # NAME TEXT PATTERN
	grep -q "$3" <<<"$2"
	result $? "$1" "$2"
}
has "with both symbols, the code has no single type" "$(types all cat_sum)" "functions of several types share the code"
has "without the symbol of one it has none either" "$(types one cat_sum)" "functions of several types share the code"
has "a function of the size of one that is left out has its type" "$(types one hen_sum)" "struct hen +8 (days)"
finish
