// Structs with slices, strings and interfaces, by value.
package main

import (
	"os"
	"strconv"
)

type Source interface{ Next() int64 }
type Counter struct{ At int64 }

func (c *Counter) Next() int64 { c.At++; return c.At }

type Range struct{ Low, High, Step int64 }
type Frame struct {
	Lines  []int64
	Name   string
	From   Source
	Ranges [6]Range
}

// COPY: struct main.Frame DUFF
//go:noinline
func takeFrame(to, from *Frame) { *to = *from }

// COPY: struct main.Range[] CALL
//go:noinline
func takeRanges(to, from *Frame) { to.Ranges = from.Ranges }

//go:noinline
func work(frames []Frame, rounds int) int64 {
	sum := int64(0)
	for i := 0; i < rounds; i++ {
		takeFrame(&frames[i&63], &frames[i*5&63])
		takeRanges(&frames[i&63], &frames[i*3&63])
		sum += frames[i&63].Ranges[2].High
	}
	return sum
}

func main() {
	rounds := 12000000
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	frames := make([]Frame, 64)
	for i := range frames {
		frames[i] = Frame{Lines: make([]int64, 4), Name: "frame", From: &Counter{}}
	}
	if work(frames, rounds) == 1 {
		os.Exit(1)
	}
}
