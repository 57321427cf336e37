#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Debug information of Rust that has lines but no types: the reason says so. DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}" "${RUSTC:=rustc}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
levels=(1 line-tables-only)
plan ${#levels[@]}

for level in "${levels[@]}"; do
	name="-C debuginfo=$level is said to have lines only"
	"$RUSTC" --crate-type cdylib -O -C debuginfo="$level" -o "$folder/node.so" tests/kept/rust_lines.rs 2>/dev/null ||
		gzip -dc "tests/kept/rust_lines_$level.gz" >"$folder/node.so"
	found=$("$DTPROF" debug types "$folder/node.so" key_of 2>&1)
	printf '%s\n' "$found" | grep -q "line tables only"
	result $? "$name" "$found"
done
finish
