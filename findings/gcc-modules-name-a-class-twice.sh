#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gcc's debug information gives a class of a C++ module another name outside of the module than inside: "node@lib.shelf" and "node".
#
# Guess: DW_AT_name is the class's name in the source, "node", in each unit; a tool that merges types by name, or is asked for
#        "node", finds the definitions of all units.
# Seen:  in the unit of the module it is "node". In every unit that imports it, it is "node@lib.shelf", in template arguments as
#        well ("list@lib.shelf<store::node@lib.shelf>"), with gcc 12 (-fmodules-ts) as with gcc 16 (-fmodules). In a program of both, one
#        class is two types by name; `pahole -C node` of an object that imports the module finds none. C++ has no '@' in names.
#
# Installs Debian 12's g++-12, and g++-16 and pahole of Debian sid, in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail
export LC_ALL=C

gcc12=12.2.0-14+deb12u1 gcc16=16.2.0-4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p apt/lists/partial apt/cache/archives/partial old
(cd old && apt-get -qq -o APT::Sandbox::User=root download "g++-12=$gcc12" "gcc-12=$gcc12" "cpp-12=$gcc12" libisl23 libmpc3 libmpfr6 libgmp10 binutils binutils-x86-64-linux-gnu \
	libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0)
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keys] http://deb.debian.org/debian sid main" >apt/sources.list
sid() {
	apt-get -qq -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" -o Dir::Etc::SourceList="$folder/apt/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root "$@"
}
sid update
sid download "g++-16-x86-64-linux-gnu=$gcc16" libisl23 libmpc3 libmpfr6 libgmp10 zlib1g libzstd1 libc6 libstdc++6 libgcc-s1 \
	binutils-x86-64-linux-gnu libbinutils libsframe3 libjansson4 pahole libdwarves1 libdw1t64 libelf1t64 libbpf1 liblzma5 libbz2-1.0
for package in old/*.deb; do
	dpkg-deb -x "$package" root12
done
for package in *.deb; do
	dpkg-deb -x "$package" root16
done
usr=$folder/root16/usr
run() { "$usr/lib64/ld-linux-x86-64.so.2" --library-path "$usr/lib/x86_64-linux-gnu" "$@"; }

cat >shelf.cc <<'CXX'
export module lib.shelf;
export namespace store {
	struct node { node *next; long key; };
	template <typename T> struct list { T *first; };
}
long inside(store::list<store::node> *list) { return list->first->key; }
CXX
cat >use.cc <<'CXX'
import lib.shelf;
long outside(store::list<store::node> *list) { return list->first->key; }
CXX
names() { # OBJECT: of its types
	run "$usr/bin/x86_64-linux-gnu-readelf" --debug-dump=info "$1" 2>/dev/null | awk '/\(DW_TAG_/ { type = /DW_TAG_structure_type/ }
		type && /DW_AT_name/ { sub(/.*: /, ""); print; type = 0 }' | sort | paste -sd ' '
}
compile() { # VERSION UNIT
	case $1 in
	12) LD_LIBRARY_PATH=$folder/root12/usr/lib/x86_64-linux-gnu PATH=$folder/root12/usr/bin:$PATH g++-12 -std=c++20 -fmodules-ts -g -c "$2.cc" -o "$2.o" ;;
	16) run "$usr/libexec/gcc/x86_64-linux-gnu/16/cc1plus" -quiet -std=c++20 -fmodules -g "$2.cc" -o "$2.s"
		run "$usr/bin/x86_64-linux-gnu-as" "$2.s" -o "$2.o" ;;
	esac
}
for version in 12 16; do
	rm -rf gcm.cache
	compile $version shelf
	compile $version use
	echo "gcc $version, the module: $(names shelf.o)"
	echo "gcc $version, outside:    $(names use.o)"
	[ "$(names shelf.o)" = "list<store::node> node" ]
	[ "$(names use.o)" = "list@lib.shelf<store::node@lib.shelf> node@lib.shelf" ]
done
run "$usr/bin/pahole" -C node use.o 2>&1 | grep -m1 'not found'
