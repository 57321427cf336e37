#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Code of Go's own compiler: its calls have a convention of their own (profiler/arch/arch.h, go_call), and a register has the
# running goroutine. DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}" "${GO:=go}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d)
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

cat >"$folder/main.go" <<'END'
package main

type node struct {
	next *node
	key  int
}

type list struct {
	count int
	first *node
}

//go:noinline
func (l *list) find(n int) *node {
	p := l.first
	for ; n > 0; n-- {
		p = p.next
	}
	return p
}

//go:noinline
func keyOf(l *list, n int) int {
	if l == nil {
		return 0
	}
	return l.find(n).key
}

//go:noinline
func second(n int, p *node) int {
	return p.key + n
}

//go:noinline
func after(all []*node, p *node) int {
	return p.key + len(all)
}

var sink *node
var sums []int

//go:noinline
func build(n int) *node {
	p := &node{}
	p.key = n
	sink = p
	return p
}

//go:noinline
func lookup(m map[int]*node, n int) *node {
	return m[n]
}

//go:noinline
func grow(all []node, n int) []node {
	return append(all, node{nil, n})
}

//go:noinline
func columns(grid [][]float64, j int) float64 {
	sum := 0.5
	for i := 0; i < len(grid); i++ {
		sum += grid[i][j]
	}
	return sum
}

//go:noinline
func squares(n int) float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
	}
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			rows[i][j] = float64(i * j)
		}
	}
	return columns(rows, n-1)
}

//go:noinline
func third(names []string) string {
	return names[2]
}

type shape interface {
	area() int
	border() int
}
type square struct{ side int }

func (s square) area() int   { return s.side * s.side }
func (s square) border() int { return s.side * 4 }

//go:noinline
func around(s shape) int {
	return s.border()
}

//go:noinline
func apply(f func(int) int, n int) int {
	return f(n) + 1
}

//go:noinline
func unnamed(p *struct{ a, b int }) int {
	return p.b
}

//go:noinline
func total(m map[string]node) int {
	sum := 0
	for name, n := range m {
		keyOf(nil, 0)
		sum += n.key + len(name)
	}
	return sum
}

//go:noinline
func counter(start, step int) func() int {
	return func() int { start += step; return start }
}

type ordered struct {
	count int
	less  func(a, b int) bool
	after []func() int
}

//go:noinline
func (o *ordered) member() bool {
	return o.less(1, o.count)
}

//go:noinline
func (o *ordered) element(n int) int {
	return o.after[n]()
}

//go:noinline
func kind(v interface{}) int {
	switch x := v.(type) {
	case *node:
		return x.key
	case *list:
		return x.count
	case map[string]int:
		n := 0
		for k, e := range x {
			n += len(k) + e
		}
		return n
	}
	return 1
}

type tall struct {
	width, height int
}

func (t *tall) area() int   { return t.width * t.height }
func (t *tall) border() int { return t.width + t.height }

//go:noinline
func size(v interface{}) int {
	keyOf(nil, 0)
	switch x := v.(type) {
	case *list:
		return x.count + keyOf(nil, 0)
	case tall:
		return x.height + keyOf(nil, 0)
	case *node:
		return x.key
	}
	return 1
}

//go:noinline
func height(s shape) int {
	keyOf(nil, 0)
	if t, ok := s.(*tall); ok {
		return t.height + keyOf(nil, 0)
	}
	return 0
}

type holder struct {
	name string
	what shape
}

//go:noinline
func held(h *holder) int {
	if t, ok := h.what.(*tall); ok && t != nil {
		return t.height
	}
	return 0
}

type triple struct{ a, b, c int }

//go:noinline
func box(n int) interface{} {
	return triple{n, n + 1, n + 2}
}

//go:noinline
func isShape(v interface{}) bool {
	_, ok := v.(shape)
	return ok
}

//go:noinline
func show(all ...interface{}) int {
	return len(all)
}

//go:noinline
func shown(n int, name string) int {
	return show(n, name, n+1)
}

var kept []interface{}

//go:noinline
func keep(n int, name string) {
	show(n, name)
	kept = []interface{}{n, name, n + 1}
}

type base struct{ width, height int }

//go:noinline
func (b *base) area() int   { return b.width * b.height }
func (b *base) border() int { return b.width + b.height }

//go:noinline
func sum(all []node) int {
	return all[1].key
}

//go:noinline
func part(n int) int {
	var all [4]node
	all[n].key = n
	return sum(all[:2])
}

//go:noinline
func (l *list) each() func(p *node) int {
	return func(p *node) int { return p.key + l.count }
}

type large struct {
	key  [4]int64
	name string
	next *large
}

type outer struct {
	id    int
	inner large
	tail  int
}

//go:noinline
func use(n int, l large) int {
	return n + int(l.key[1]) + len(l.name)
}

//go:noinline
func passes(p *large) int {
	return use(1, *p)
}

type user interface{ useIt(l large) int }

//go:noinline
func (n *node) useIt(l large) int { return use(n.key, l) }

//go:noinline
func passesOn(u user, p *large) int { return u.useIt(*p) }

//go:noinline
func passesInner(a *outer) int {
	return use(2, a.inner)
}

//go:noinline
func makeLarge(n int) large {
	return large{name: "a", key: [4]int64{int64(n)}}
}

//go:noinline
func takesTwo(n int, a node, o outer) int { return n + a.key + o.id }

//go:noinline
func chain(n int) int {
	return use(n, makeLarge(n)) + takesTwo(n, node{nil, n}, outer{id: n})
}

//go:noinline
func each(n int, f func(i int)) {
	for i := 0; i < n; i++ {
		f(i)
	}
}

//go:noinline
func local(n, step int) int {
	total := 0
	each(n, func(i int) { total += i * step })
	return total
}

//go:noinline
func deferred(n int) (total int) {
	defer func() { total += n }()
	if n > 3 {
		defer func() { total *= n }()
	}
	each(n, func(i int) { total += i })
	return keyOf(nil, n)
}

//go:noinline
func distinct(all []int) int {
	seen := map[int]int16{}
	for _, n := range all {
		seen[n]++
	}
	return len(seen)
}

var rows []outer

//go:noinline
func keeps(n int) int {
	rows = append(rows, outer{id: n, tail: keyOf(nil, n)})
	return len(rows)
}

//go:noinline
func first(l *list) int { return l.first.key + l.count }

//go:noinline
func linked(n int) int {
	l := list{n, &node{nil, n}}
	return first(&l)
}

//go:noinline
func spilled(p *node, name string, n int) int {
	n += keyOf(nil, n)
	return n + p.key + len(name)
}

//go:noinline
func sumRoom(room *[512]node) int { return room[1].key }

//go:noinline
func grows(n int) int {
	var room [512]node
	room[n&511].key = n
	return sumRoom(&room) + n
}

type small struct {
	a, b int32
	on   bool
}

//go:noinline
func afterSmall(s small, p *node) int { return p.key + int(s.b) }

//go:noinline
func makesSmall(n int) (small, *node) { return small{int32(n), 2, true}, &node{nil, n} }

//go:noinline
func pass(n int) int { return afterSmall(makesSmall(n)) }

type framed struct {
	count int
	*base
}

func main() {
	done := make(chan int)
	go func() { done <- grows(3) }()
	rows = make([]outer, 4)
	println(<-done, chain(1), local(1, 2), deferred(4), distinct([]int{1, 2}), keeps(1), linked(1), spilled(&node{}, "a", 1), pass(2), passesOn(&node{}, &large{}))
	println(passes(&large{}), passesInner(&outer{}), part(1), (&list{}).each()(sink), shown(1, "a"), around(&framed{1, &base{1, 2}}))
	keep(1, "a")
	println(size(tall{1, 2}), height(&tall{1, 2}), held(&holder{"a", &tall{1, 2}}), box(1) != nil, isShape(sink))
	o := &ordered{less: func(a, b int) bool { return a < b }, after: []func() int{counter(1, 2)}}
	println(o.member(), o.element(0), kind(o), kind(sink), kind(map[string]int{"a": 1}), kind(&list{}))
	println(total(map[string]node{"a": node{nil, 1}}))
	println(third([]string{"a", "b", "c"}), around(square{2}), apply(func(n int) int { return n + len(sums) }, 3))
	build(1)
	println(unnamed(&struct{ a, b int }{1, 2}))
	println(lookup(map[int]*node{1: sink}, 1).key, len(grow(nil, 2)), squares(3))
	l := &list{}
	for i := 0; i < 10; i++ {
		l.first = &node{l.first, i}
		l.count++
	}
	println(keyOf(l, 3), second(2, l.first), after(nil, l.first))
}
END
if ! command -v "$GO" >/dev/null || ! (cd "$folder" && HOME=$folder GOPATH=$folder/go GOCACHE=$folder/cache GO111MODULE=off \
	GOFLAGS= timeout 300 "$GO" build -o program main.go) >"$folder/log" 2>&1; then
	for name in "${names[@]}"; do
		skip "$name" "no Go program can be built here: $(head -1 "$folder/log" 2>/dev/null || echo no go)"
	done
	finish
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
check main.lookup "\(%rax\).*= .*'struct main.node\*' .*offset=0" type-word
check main.grow "8\(%r.*= .*'struct main.node' .*offset=8"
# the loads of a row, and of its element
found=$(answers main.squares)
printf '%s\n' "$found" | grep -q "= .*'struct \[\]float64' .*offset=8" &&
	! printf '%s\n' "$found" | grep -q "nothing known of the base register"
result $? "${names[$tap_number]}" "$found"
check main.columns "\(%rip\).*= .*'float64'"
check main.third "0x20\(%rax\).*= .*'struct string' .*offset=0" slice-element
check main.around "0x20\(%rax\).*= .*'struct (runtime.itab|internal/abi.ITab)' .*offset=24" method-table
check main.apply "\(%rax\).*= .*'struct runtime.funcval' .*offset=0" called-closure
check main.unnamed "8\(%rax\).*= .*'struct \{ [^']*b int \}' .*offset=8"
check main.total "8\(%r[a-z0-9]+\).*= .*'struct main.node' .*offset=8" map-iterator
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
check main.height "8\(%r[a-z0-9]+\).*= .*'struct main.tall' .*offset=8" tested-type
check main.size "8\(%r[a-z0-9]+\).*= .*'struct main.tall' .*offset=8"
check main.held "8\(%r[a-z0-9]+\).*= .*'struct main.tall' .*offset=8"
# the only access through a pointer to a node is that of its own case
found=$(answers main.size | grep -c "= .*'struct main.node'")
result $((found != 1)) "${names[$tap_number]}" "$(answers main.size)"
check main.box "\(%rsp\).*= .*'struct main.triple' .*offset=8"
if nm "$folder/program" | grep -q "main\.\.typeAssert"; then
	check main.isShape "= .*'struct internal/abi.TypeAssertCache'"
else
	skip "${names[$tap_number]}" "assertions of this version of Go remember nothing"
fi
check main.keep "(0x20|0x28)\(%r[a-z0-9]+\).*= .*'(struct runtime.eface|interface \{\})' .*offset=(0|8)"
check main.counter "(8|0x10)\(%rax\).*= .*'struct \{ \.?F uintptr; [^']* \}' .*offset=(8|16)"
check main.shown "\(%rsp\).*= .*'(struct runtime.eface|interface \{\})\[\]' .*offset=16" array-of-slice
check main.part "found by variable: type='struct main.node\[\]'"
# the array of keep() is in a place on the stack, above that of show()'s arguments
found=$(answers main.keep)
! printf '%s\n' "$found" | grep -q "nothing known of the base register"
result $? "${names[$tap_number]}" "$found"
check "main.(*framed).border" "8\(%rax\).*= .*'struct main.framed' .*offset=8" made-method
check "main.(*list).each.func1" "8\(%rax\).*= .*'struct main.node' .*offset=8"
check main.passesOn "%xmm[0-9]+, .*= .*rule copied-object.*'struct main.large'" copied-object
check main.passesInner "%xmm[0-9]+, .*\(%r.*= .*inferred.*'struct main.large' .*offset=(8|16)"
check main.chain "\), %.*= .*rule object-at-call.*'struct main.large' .*offset=(16|24)"
check main.chain "= .*rule object-at-call.*'struct main.outer' .*offset="
# an argument of use() and one of takesTwo() have the same words
found=$(answers main.chain)
! printf '%s\n' "$found" | grep "(%rsp)" | grep -q "= .*found by inferred: type='struct main.outer'"
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
cat >"$folder/copies.go" <<'END'
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
(cd "$folder" && HOME=$folder GOPATH=$folder/go GOCACHE=$folder/cache GO111MODULE=off GOFLAGS= timeout 300 "$GO" build \
	-o copies copies.go && timeout 60 "$DTPROF" record -q -o copies.data ./copies) >"$folder/log" 2>&1
found=$("$DTPROF" report -i "$folder/copies.data" --stdio -s type,sym 2>/dev/null)
if printf '%s\n' "$found" | grep -q "runtime.memmove"; then
	printf '%s\n' "$found" | grep -q "main.flat.*runtime.memmove"
	result $? "${names[$tap_number]}" "$found"
else
	skip "${names[$tap_number]}" "nothing can be recorded here: $(head -1 "$folder/log")"
fi
finish
