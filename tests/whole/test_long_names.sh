#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Types and functions whose names are as long as those of C++'s templates may be are shown by them.
set -u

dtprof=$(realpath "${DTPROF:-build/dtprof}")
if ! command -v g++ >/dev/null; then
	echo "1..1"
	echo "ok 1 - long names # SKIP g++ is not installed"
	exit
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
echo "1..2"
long=$(head -c 30000 /dev/zero | tr '\0' a)
cat >program.cc <<END
template <class T> struct box { int x; };
struct $long { box<int> first; int second; };
int f_$long(struct $long *p) { return p->second; }
int main() { return 0; }
END
g++ -g -O1 -o program program.cc || exit 1

# The name of a type of 30 KB is one, also in a program that has few strings.
echo "sizeof($long) == 8" >rules
if "$dtprof" check rules program >output 2>&1 && grep -q ': ok: ' output; then
	echo "ok 1 - a type whose name has 30,000 bytes"
else
	head -c 300 output | sed 's/^/# /'
	echo "not ok 1 - a type whose name has 30,000 bytes"
fi
symbol=$(nm program | grep -o "_Z.*f_$long.*")
if "$dtprof" debug types program "$symbol" 2>&1 | grep -q " $long +4 (second)"; then
	echo "ok 2 - an access to it, in a function whose name is longer"
else
	echo "not ok 2 - an access to it, in a function whose name is longer"
fi
