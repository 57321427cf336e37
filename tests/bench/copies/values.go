// Struct values in range loops, arrays, interfaces' results and method receivers.
package main

import (
	"os"
	"strconv"
)

type Place struct {
	X, Y, Z float64
}
type Entry struct {
	Name  [4]int64
	Place Place
	Count int64
}

func (e Entry) total() int64 { return e.Count + e.Name[2] }

// COPY: struct main.Entry
//go:noinline
func sumRange(entries *[64]Entry, out *[64]Entry) {
	for i, e := range entries {
		out[63-i] = e
	}
}

// COPY: struct main.Place
//go:noinline
func places(entries []Entry, out []Place) {
	for i := range entries {
		out[i] = entries[i].Place
	}
}

// COPY: struct main.Entry[]
//go:noinline
func whole(to, from *[64]Entry) { *to = *from }

//go:noinline
func work(rounds int) int64 {
	a, b, c := new([64]Entry), new([64]Entry), new([64]Entry)
	out := make([]Place, 64)
	sum := int64(0)
	for i := 0; i < rounds/40; i++ {
		sumRange(a, b)
		places(b[:], out)
		whole(c, b)
		sum += c[i&63].total()
	}
	return sum
}

func main() {
	rounds := 12000000
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	if work(rounds) == 1 {
		os.Exit(1)
	}
}
