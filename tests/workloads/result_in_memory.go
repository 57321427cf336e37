// SPDX-License-Identifier: GPL-2.0-or-later

// A result that is returned in memory, and copied in two pieces: a word, and the rest by a function of the runtime.
package main

type large struct {
	name  string
	words [11]int
}

//go:noinline
func makeLarge(i int) (result large) {
	result.words[i] = i
	return
}

//go:noinline
func forward(i int) large {
	if i == 3 {
		panic("3")
	}
	return makeLarge(i)
}

func main() { println(forward(1).name) }
