#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# flang 23 keeps a descriptor of 40 bytes where a derived type has a pointer to one node, and describes a pointer of 8 bytes.
#
# Guess: `type(node), pointer :: next` takes 8 bytes, as in gfortran, whose node of a key and this pointer has 16; or, if the compiler
#        keeps more (it has to for arrays and polymorphic pointers), debug information describes a member of that size.
# Seen:  the node has 48 bytes. Its member "next" is a DW_TAG_pointer_type of 8 bytes at offset 8, and no other member follows: the other
#        32 bytes of the descriptor (element size, version, rank, kind, and the type's own description, which allocate and
#        assignments use) look like padding at the end, which no alignment explains. A list has one node in a cacheline in place of
#        four, and who takes the rest for padding advises to "pack" what the language fills.
#
# Installs flang-23 of Debian sid in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail
export LC_ALL=C

llvm=1:23.1.4-2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p apt/lists/partial apt/cache/archives/partial
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keys] http://deb.debian.org/debian sid main" >apt/sources.list
sid() {
	apt-get -qq -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" -o Dir::Etc::SourceList="$folder/apt/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root "$@"
}
sid update
sid download "flang-23=$llvm" "libflang-23-dev=$llvm" "libmlir-23=$llvm" "libclang-cpp23=$llvm" "libllvm23=$llvm" libquadmath0 libstdc++6 libgcc-s1 libc6 \
	libffi8 libedit2 libz3-4 zlib1g libzstd1 libxml2-16 libtinfo6 libbsd0 libmd0 binutils-x86-64-linux-gnu libbinutils libsframe3 libjansson4
for package in *.deb; do
	dpkg-deb -x "$package" root
done
usr=$folder/root/usr

cat >list.f90 <<'FORTRAN'
module list
  type node
    integer(8) :: key
    type(node), pointer :: next
  end type
  type(node) :: first
end module
FORTRAN
run() { "$usr/lib64/ld-linux-x86-64.so.2" --library-path "$usr/lib/x86_64-linux-gnu:$usr/lib/llvm-23/lib" "$@"; }
modules=$(dirname "$(find "$usr" -name __fortran_type_info.mod | head -1)")
for form in emit-llvm emit-obj; do
	run "$usr/lib/llvm-23/bin/flang" -fc1 -triple x86_64-pc-linux-gnu -$form -debug-info-kind=standalone -fintrinsic-modules-path "$modules" \
		-x f95 list.f90 -o list.$form
done
echo "in memory:"
grep -o '^%_QMlistTnode = type .*' list.emit-llvm
echo "as described:"
run "$usr/bin/x86_64-linux-gnu-readelf" --debug-dump=info list.emit-obj 2>/dev/null |
	awk '/\(DW_TAG_/ { tag = $NF; shown = /structure_type|member|pointer_type/ } shown && /DW_TAG|DW_AT_(name|byte_size|data_member)/ {
		sub(/^ *<[^ ]*>:? */, ""); sub(/^<[^ ]*> */, ""); print }' | tee described
grep -qF '%_QMlistTnode = type { i64, { ptr, i64, i32, i8, i8, i8, i8, ptr, [1 x i64] } }' list.emit-llvm
has() { grep -qE "$1" described; } # a regular expression
[ "$(grep -c DW_TAG_member described)" = 2 ] && has 'DW_AT_byte_size *: 48' && has 'DW_AT_data_member_location: 8' &&
	[ "$(grep -c DW_AT_byte_size described)" = 1 ]
