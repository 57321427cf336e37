#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Code of Go's own compiler: its calls have a convention of their own (base/arch/arch.h, go_call), and a register has the
# running goroutine. DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}" "${GO:=go}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
names=("the goroutine's register has runtime.g" "a result has its type" "the second parameter is in Go's second register"
	"a slice takes three registers" "memory of newobject has the type of its type word"
	"an element of a map has its type" "a slice that grew has its elements" "an index that is too large does not come back"
	"a constant has the type that its symbol says" "an element of a slice follows the first one"
	"the second method of an interface is in its table" "a function value is called through its closure"
	"a struct without a name is called struct once" "the iterator of a map leads to its elements"
	"the iterator of a map leads to its keys" "a captured variable is in the closure"
	"a member that is a function is a pointer" "an element of a slice of functions is a pointer"
	"a variable of one case is none of another" "a unit without types of its own has more than lines"
	"a write barrier gives out room in the processor's buffer" "a case has the type that was tested"
	"a case of one table has the type of the data" "a value that is no pointer is where the data points to"
	"an interface in memory has the type that was tested" "the type of one case is none of another"
	"a value that is boxed has its type" "an assertion's cache has its type"
	"an array that only the runtime describes has its elements" "a closure has its fields"
	"arguments of a variable number are in an array on the stack" "a declared array stays what it is"
	"a place on the stack keeps its type during a call" "a method of an embedded type has its receiver"
	"a closure of a method has no receiver" "an argument in memory has the type of what is copied"
	"a member that is copied is not the record around it" "a result in memory has its type"
	"an argument in memory has its type" "the memory of arguments has one type for each call"
	"a closure on the stack begins with its code" "a closure on the stack has its variables"
	"what follows a closure is not a part of it" "a small map on the stack has its header"
	"a small map on the stack has its buckets" "a copy that is kept has the type of its source"
	"an object whose address is stored has the type that is declared there"
	"an argument that is spilled keeps its name" "each word of a spilled argument has its place"
	"a variable on a goroutine's own stack has its type" "the check of a large frame reads the goroutine"
	"a record of small members has a register for each" "a copy in the runtime is to its caller's type")
plan ${#names[@]}

# Compiled here, or else the program that is kept: that one has no debug information of the runtime.
kept=
build() { # SOURCE PROGRAM
	(cp "$1" "$folder/$2.go" && cd "$folder" && HOME=$folder GOPATH=$folder/go GOCACHE=$folder/cache GO111MODULE=off GOFLAGS= \
		timeout 300 "$GO" build -o "$2" "$2.go") >"$folder/log" 2>&1
}
if ! build tests/kept/go_rules.go program; then
	kept="no Go here that builds a program: $(head -1 "$folder/log")"
	gzip -dc tests/kept/go_rules.gz >"$folder/program"
fi

answers() { # FUNCTION [OPTION]: its accesses, each with the type and the offset
	"$DTPROF" debug facts "${@:2}" "$folder/program" "$1" 2>/dev/null |
		awk '/^  [0-9a-f]+:/ { insn = $0 } /found by|no type:/ { print insn " =" $0 }'
}
check() { # FUNCTION PATTERN [RULE]: some access has the answer; without the rule, none has
	local found status=0
	found=$(answers "$1")
	printf '%s\n' "$found" | grep -qE "$2" || status=1
	# the rule is not needed where a newer version of Go declares the variable
	if [ -n "${3:-}" ] && ! printf '%s\n' "$found" | grep -E "$2" | grep -q "found by variable" &&
		answers "$1" "--no-rule=$3" | grep -qE "$2"; then
		status=1 found="the rule $3 is not needed: $found"
	fi
	result $status "${names[$tap_number]}" "$1: $found"
}
check main.keyOf "\(%r14\).*= .*'struct runtime.g' .*offset=16"
check main.keyOf "8\(%rax\).*= .*'struct main.node' .*offset=8"
check main.second "8\(%rbx\).*= .*'struct main.node' .*offset=8"
check main.after "8\(%rdi\).*= .*'struct main.node' .*offset=8"
check main.build "8\(%r..\).*= .*'struct main.node' .*offset=8"
check main.lookup "\(%rax\).*= .*'struct main.node\*' .*offset=0"
check main.grow "8\(%r.*= .*'struct main.node' .*offset=8"
# the loads of a row, and of its element
found=$(answers main.squares)
printf '%s\n' "$found" | grep -q "= .*'struct \[\]float64' .*offset=8" &&
	! printf '%s\n' "$found" | grep -q "nothing known of the base register"
result $? "${names[$tap_number]}" "$found"
check main.columns "\(%rip\).*= .*'float64'"
check main.third "0x20\(%rax\).*= .*'struct string' .*offset=0" slice-element
check main.around "0x20\(%rax\).*= .*'struct (runtime.itab|internal/abi.ITab)' .*offset=24" one-element
check main.apply "\(%rax\).*= .*'struct runtime.funcval' .*offset=0"
check main.unnamed "8\(%rax\).*= .*'struct \{ [^']*b int \}' .*offset=8"
check main.total "8\(%r[a-z0-9]+\).*= .*'struct main.node' .*offset=8"
check main.total "8\(%r[a-z0-9]+\).*= .*'struct string' .*offset=8"
check main.counter.func1 "\(%rdx\).*= .*'struct runtime.funcval' .*offset=(8|16)" captured-variable
check "main.(*ordered).member" "8\(%rax\).*= .*'struct main.ordered' .*offset=8"
check "main.(*ordered).element" "8\), %rdx.*= .*'func\(\) int' .*offset=0"
# no case's variable is a map, but that of the last
found=$(answers main.kind | head -n 8)
! printf '%s\n' "$found" | grep -q "hash<\|'struct map"
result $? "${names[$tap_number]}" "$found"
found=$("$DTPROF" debug types "$folder/program" main.kind 2>&1)
! printf '%s\n' "$found" | grep -q "line tables only"
result $? "${names[$tap_number]}" "$found"
# the functions of Go 1.21 and later
if nm "$folder/program" | grep -q " runtime.gcWriteBarrier1$"; then
	check main.build "\(%r11\).*= .*'struct runtime.wbBuf' .*offset=16" write-barrier
else
	skip "${names[$tap_number]}" "write barriers of this version of Go return nothing"
fi
check main.size "\(%r[a-z0-9]+\).*= .*'struct main.list' .*offset=0"
check main.height "8\(%r[a-z0-9]+\).*= .*'struct main.tall' .*offset=8"
check main.size "8\(%r[a-z0-9]+\).*= .*'struct main.tall' .*offset=8"
check main.held "8\(%r[a-z0-9]+\).*= .*'struct main.tall' .*offset=8"
# the only access through a pointer to a node is that of its own case
found=$(answers main.size | grep -c "= .*'struct main.node'")
result $((found != 1)) "${names[$tap_number]}" "$(answers main.size)"
check main.box "\(%rsp\).*= .*'struct main.triple' .*offset=8"
if [ -n "$kept" ]; then
	skip "${names[$tap_number]}" "$kept"
elif nm "$folder/program" | grep -q "main\.\.typeAssert"; then
	check main.isShape "= .*'struct internal/abi.TypeAssertCache'"
else
	skip "${names[$tap_number]}" "assertions of this version of Go remember nothing"
fi
check main.keep "(0x20|0x28)\(%r[a-z0-9]+\).*= .*'(struct runtime.eface|interface \{\})' .*offset=(0|8)"
check main.counter "(8|0x10)\(%rax\).*= .*'struct \{ \.?F uintptr; [^']* \}' .*offset=(8|16)"
check main.shown "\(%rsp\).*= .*'(struct runtime.eface|interface \{\})\[\]' .*offset=16"
check main.part "found by variable: type='struct main.node\[\]'"
# the array of keep() is in a place on the stack, above that of show()'s arguments
found=$(answers main.keep)
! printf '%s\n' "$found" | grep -q "nothing known of the base register"
result $? "${names[$tap_number]}" "$found"
check "main.(*framed).border" "8\(%rax\).*= .*'struct main.framed' .*offset=8"
check "main.(*list).each.func1" "8\(%rax\).*= .*'struct main.node' .*offset=8"
check main.passesOn "%xmm[0-9]+, .*= .*'struct main.large'"
check main.passesInner "%xmm[0-9]+, .*\(%r.*= .*inferred.*'struct main.large' .*offset=(8|16)"
check main.chain "\), %.*= .*'struct main.large' .*offset=(16|24)"
check main.chain "= .*'struct main.outer' .*offset="
# an argument of use() and one of takesTwo() have the same words; the code loads only the results of calls from there
found=$(answers main.chain)
! printf '%s\n' "$found" | grep "(%rsp), %" | grep -q "= .*found by inferred: type='struct main.outer'"
result $? "${names[$tap_number]}" "$found"
check main.local "0x[0-9a-f]+\(%rsp\).*= .*'struct runtime.funcval' .*offset=0"
check main.local "0x[0-9a-f]+\(%rsp\).*= .*'struct runtime.funcval' .*offset=16"
found=$(answers main.deferred)
! printf '%s\n' "$found" | grep -q "runtime.funcval' .*offset=24"
result $? "${names[$tap_number]}" "$found"
check main.distinct "= .*'struct (runtime.hmap|internal/runtime/maps.Map)' .*offset=16"
# the only bucket is cleared, by a call in older versions
if nm "$folder/program" | grep -q " internal/runtime/maps\."; then
	check main.distinct "= .*'struct [^']*slots[^']*' .*offset=16|= .*'struct noalg.map.group[^']*' .*offset=16"
else
	skip "${names[$tap_number]}" "this version of Go clears buckets by a call"
fi
check main.keeps "%xmm15, .*= .*found by inferred: type='struct main.outer' .*offset=16|%xmm15, .*= .*found by inferred: type='struct main.outer' .*offset=24"
check main.linked "0x[0-9a-f]+\(%rsp\).*= .*inferred: type='struct main.node' .*offset=8"
check main.spilled "movq +%rax, .*\(%rsp\) =.*found by variable: type='struct main.node\*'"
check main.spilled "movq +%rcx, .*\(%rsp\) =.*found by variable: type='struct string' .*offset=8"
check main.grows "= .*found by variable: type='struct main.node' .*offset=8"
check main.grows "0x10\(%r14\).*= .*'struct runtime.g' .*offset=16"
check main.afterSmall "8\(%rdi\).*= .*'struct main.node' .*offset=8"

# a recording, in which the caller of runtime.memmove is known
cat >"$folder/copies_of_records.go" <<'END'
package main

type flat struct {
	key   [8]int64
	count int64
}

//go:noinline
func copyAll(to, from []flat) int { return copy(to, from) }

func main() {
	a, b, n := make([]flat, 5000), make([]flat, 5000), 0
	for i := 0; i < 10000; i++ {
		n += copyAll(b, a)
	}
	println(n)
}
END
build "$folder/copies_of_records.go" copies && (cd "$folder" && timeout 60 "$DTPROF" record -q -o copies.data ./copies) \
	>"$folder/log" 2>&1
found=$("$DTPROF" report -i "$folder/copies.data" --stdio -s type,sym 2>/dev/null)
if printf '%s\n' "$found" | grep -q "runtime.memmove"; then
	printf '%s\n' "$found" | grep -q "main.flat.*runtime.memmove"
	result $? "${names[$tap_number]}" "$found"
else
	skip "${names[$tap_number]}" "${kept:-nothing can be recorded here: $(head -1 "$folder/log")}"
fi
finish
