// Bodies of several sizes: by moves, by duffcopy (until Go 1.25), by loops or rep movs.
package main

import (
	"os"
	"strconv"
)

type Small struct{ X, Y, Z float64 }
type Body struct {
	Place, Speed Small
	Mass         float64
	Marks        [9]int64
}
type Large struct {
	Bodies [4]Body
	Step   int64
}

// COPY: struct main.Small
//go:noinline
func takeSmall(to *Body, from *Small) { to.Place = *from }

// COPY: struct main.Body DUFF
//go:noinline
func takeBody(to, from *Body) { *to = *from }

//go:noinline
func work(bodies []Body, rounds int) float64 {
	sum := 0.0
	for i := 0; i < rounds; i++ {
		takeBody(&bodies[i&127], &bodies[i*5&127])
		takeSmall(&bodies[i&127], &bodies[i*3&127].Speed)
		for k := 0; k < 20; k++ {
			sum += bodies[(i+k)&127].Mass
		}
	}
	return sum
}

func main() {
	rounds := 12000000
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	if work(make([]Body, 128), rounds) == 1 {
		os.Exit(1)
	}
}
