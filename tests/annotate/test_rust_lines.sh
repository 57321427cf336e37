#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Debug information of Rust that has lines but no types: the reason says so. DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}" "${RUSTC:=rustc}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
levels=(1 line-tables-only)
plan ${#levels[@]}

cat >"$folder/node.rs" <<'END'
pub struct Node {
    pub next: Option<Box<Node>>,
    pub key: u64,
}

#[no_mangle]
pub fn key_of(node: &Node) -> u64 {
    node.key + 1
}
END
for level in "${levels[@]}"; do
	name="-C debuginfo=$level is said to have lines only"
	if ! "$RUSTC" --crate-type cdylib -O -C debuginfo="$level" -o "$folder/node.so" "$folder/node.rs" >"$folder/log" 2>&1; then
		skip "$name" "rustc cannot do it here: $(head -1 "$folder/log")"
		continue
	fi
	found=$("$DTPROF" debug types "$folder/node.so" key_of 2>&1)
	printf '%s\n' "$found" | grep -q "line tables only"
	result $? "$name" "$found"
done
finish
