// Rows of a table in an array, which are appended, exchanged, and copied as a whole.
package main

import (
	"os"
	"strconv"
)

type Key struct {
	Name [3]int64
	Part int64
}
type Row struct {
	Key    Key
	Values [4]int64
	Next   *Row
}
type Page struct {
	Rows  [24]Row
	Count int64
}

// COPY: struct main.Row
//go:noinline
func takeRow(to, from *Row) { *to = *from }

// COPY: struct main.Key
//go:noinline
func exchange(a, b *Key) { *a, *b = *b, *a }

// COPY: struct main.Page
//go:noinline
func takePage(to, from *Page) { *to = *from }

//go:noinline
func work(rows []Row, keys []Key, rounds int) int64 {
	a, b := new(Page), new(Page)
	sum := int64(0)
	for i := 0; i < rounds; i++ {
		takeRow(&rows[i&127], &rows[i*5&127])
		exchange(&keys[i&127], &keys[i*3&127])
		if i&7 == 0 {
			takePage(a, b)
		}
		for k := 0; k < 20; k++ {
			sum += rows[(i+k)&127].Key.Part
		}
	}
	return sum + a.Count
}

func main() {
	rounds := 12000000
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	if work(make([]Row, 128), make([]Key, 128), rounds) == 1 {
		os.Exit(1)
	}
}
