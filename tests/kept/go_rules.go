// SPDX-License-Identifier: GPL-2.0-or-later
// Code of Go for tests/annotate/test_go.sh.
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
