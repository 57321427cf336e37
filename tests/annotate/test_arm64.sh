#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Types of accesses in a program for arm64: from the cross compiler where there is one, and else from a kept program.
# DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}" "${ARM64_CC:=aarch64-linux-gnu-gcc}" "${GO:=go}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
program=$folder/program
options='-O2 -g -fno-pie -no-pie -nostdlib -mno-outline-atomics -Wl,-e,of_thread -Wl,--unresolved-symbols=ignore-all'

# function, what is shown: an access, and its type
cases=(
	"pair_of|ldp|struct node +0 (next); variable"
	"pair_of||struct node +8 (before); variable"
	"sum_of|ldr|struct node +16 (key); variable"
	"by_address|ldr|struct large +16 (counts); variable"
	"by_address|ldr|struct node +16 (key); tracked"
	"by_address|ldr|struct node +28 (weight); variable"
	"after_vector|ldr|struct node +28 (weight); variable"
	"result_in_memory|ldr|struct large +24 (counts); variable"
	"result_in_memory|ldr|struct node +16 (key); tracked"
	"of_table|ldr|struct node +16 (key); global, indexed"
	"of_thread|ldr|struct node +28 (weight); "
	"of_thread|ldr|long int +0; "
	"set_height|ldr|struct place +0 (height); variable"
	"by_kind|str|struct node +24 (kind); "
	"through_links|ldr|struct node +16 (key); tracked"
	"take_by|ldr|struct hooks +16 (opaque); "
	"add_weight|ldxr|struct node +28 (weight); "
	"code_members|ldr|struct meta +8 (matches); variable"
	"number_of|ldr +d|struct value +0 (whole); "
	"number_of|ldr +d|struct value +0 (part); "
	"result_part|ldr +d|struct value +0 (part); "
	"copy_whole|ldr +d|struct value +0 (whole); "
	"open_window|ldxr|struct window +0 (count); "
	"open_window|ldr|struct connection +1224 (private_data.when); "
	"parent_number|ldr|struct task_struct +16 (parent); tracked"
	"parent_number|ldr|struct task_struct +12 (tgid); tracked"
	"clock_here|ldr|struct run_queue +8 (clock); global"
	"by_feature|ldr|struct node +28 (weight); tracked"
	"number_and_first|stp +x[0-9]+, x[0-9]+, .sp, #|struct large +0 (first); variable"
	"entry_at|ldrh|struct entry +0 (low); variable"
	"last_step|ldr|struct step +8 (to); variable, indexed"
	"last_step|ldr|struct step +20 (limit); variable, indexed"
	"after_leave|ldr|struct node[] +188 (weight); global"
	"many|ldp +x29, x30, .sp., |(stack spill)"
)
# the same for code of Rust, in which LLVM moves the start of a loop's pointer
rust_cases=(
	"measure|ldr +d|enums::Link +8 (limit.One.least); "
	"measure|ldr|enums::Link +16 (limit.Many.__0.len); "
	"measure|ldr|enums::Link +16 (limit.Named.__0.length); "
	"widths|ldr|enums::Item +16 (shape.Some.__0.Text.__0.length); "
	"widths||enums::Item +16 (shape.Some.__0.Named.__0); "
	"widths|ldr|u64 +0; "
	"widths|ldr +d|enums::Item +8 (shape.Some.__0.Circle.radius); "
)
# the same for code of C++, which takes the address of a tree's end before it loads from there
cxx_cases=("balance_of|ldr +x2, .x5|std::_Rb_tree_node<account> +32 (value.id); tracked")
# the same for code of Go, whose calls preserve few registers
go_cases=(
	"main.keyOf|ldr|struct runtime.g +16 (stackguard0); tracked"
	"main.lookup|ldr|struct main.node* +0; tracked"
	"main.grow|str|struct main.node +8 (key); tracked"
)
command -v "$GO" >/dev/null || go_cases=("code of Go||")
plan $((${#cases[@]} + ${#rust_cases[@]} + ${#cxx_cases[@]} + ${#go_cases[@]} + 3))

# shellcheck disable=SC2086
"$ARM64_CC" $options tests/kept/arm64.c -o "$program" 2>/dev/null || gzip -dc tests/kept/arm64.gz >"$program"
check_cases() { # PROGRAM CASE...
	for case in "${@:2}"; do
		IFS='|' read -r function access type <<<"$case"
		found=$("$DTPROF" debug types "$1" "$function" 2>&1)
		printf '%s\n' "$found" | grep -F -- "$type" | grep -qE "^ *[0-9a-f]+: +$access"
		result $? "$function: $type" "$found"
	done
}
check_cases "$program" "${cases[@]}"
gzip -dc tests/kept/arm64_enums.gz >"$folder/enums"
check_cases "$folder/enums" "${rust_cases[@]}"
gzip -dc tests/kept/arm64_trees.gz >"$folder/trees"
check_cases "$folder/trees" "${cxx_cases[@]}"
if (cp tests/kept/go_rules.go "$folder/" && cd "$folder" && HOME=$folder GOPATH=$folder/go GOCACHE=$folder/cache \
	GO111MODULE=off GOFLAGS= GOARCH=arm64 timeout 300 "$GO" build -o go_program go_rules.go) >"$folder/log" 2>&1; then
	check_cases "$folder/go_program" "${go_cases[@]}"
else
	for case in "${go_cases[@]}"; do
		skip "${case%%|*} of arm64" "no Go here that builds a program: $(head -1 "$folder/log")"
	done
fi
found=$("$DTPROF" debug cfg "$program" by_kind 2>&1)
printf '%s\n' "$found" | grep -qE '^block .* to( [0-9]+){10,}' && ! grep -q 'unknown successors' <<<"$found"
result $? "a switch has the successors of its table" "$found"
# A library's thread-local variables have descriptors, unless the compiler is asked for something else.
"$ARM64_CC" -O2 -g -fPIC -shared -nostdlib tests/annotate/cases/thread_locals_by_call.c -o "$folder/library" 2>/dev/null ||
	gzip -dc tests/kept/arm64_library.gz >"$folder/library"
found=$("$DTPROF" debug types "$folder/library" keep 2>&1)
grep -qF 'struct node +8 (key); thread-local' <<<"$found"
result $? "the descriptor of a variable of this library" "$found"
found=$("$DTPROF" debug types "$folder/library" walk 2>&1)
grep -qF 'struct node* +0' <<<"$found"
result $? "the descriptor of a variable of another library" "$found"
finish
