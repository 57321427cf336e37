#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# g++ 12 with -O2 -g says that a parameter without a name is in its register in the whole function, also where the register has
# got something else.
#
# Guess: with -O2, gcc follows variables: a parameter that nothing uses has a location list, which ends where its register is
#        written, or no location. A single DW_OP_regN says that the register has the parameter in the whole function.
# Seen:  that is so if the parameter has a name. Without one, it has the single location, although the function's first
#        instruction loads another value into that register. Whoever believes it takes any later value for the parameter.
#
# Installs Debian 12's g++-12 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "g++-12=$version" "gcc-12=$version" "cpp-12=$version" libisl23 libmpc3 libmpfr6 libgmp10 binutils \
	binutils-x86-64-linux-gnu libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu PATH=$folder/root/usr/bin:$PATH

cat >passed.cc <<'C'
struct data { long size, count; };
struct holder { void *any; long count; };

void use(holder *h, void *any);

void pass(holder *h, const data *NAME)
{
	use(h, h->any);
}
C
location() { # NAME: how the second parameter's location is written
	g++-12 -O2 -g -DNAME="$1" -c passed.cc -o passed.o
	readelf --debug-dump=info passed.o | awk '/DW_TAG_/ { parameter = /DW_TAG_formal_parameter/; number += parameter }
		/DW_TAG_subprogram/ { number = 0; own = 0 } /DW_AT_low_pc/ { own = 1 }
		own && parameter && number == 2 && /DW_AT_location/ { print (/location list/ ? "list" : /DW_OP_reg4/ ? "rsi" : "other") }'
}
g++-12 --version | head -1
named=$(location unused) unnamed=$(location '')
written=$(objdump -d --no-show-raw-insn passed.o | grep -c 'mov .*,%rsi')
echo "the parameter's location: $named with a name, $unnamed without one; the function writes rsi $written time(s)"
[ "$named" = list ] && [ "$unnamed" = rsi ] && [ "$written" -gt 0 ]
