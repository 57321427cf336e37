// Structs that are sent through channels: into and out of the buffer, and from the received value on.
package main

import (
	"os"
	"strconv"
)

type Event struct {
	Kind, Time int64
	Data       [10]int64
}
type Log struct {
	Count  int64
	Events [32]Event
}

// COPY: struct main.Event
//go:noinline
func receive(queue chan Event, log *Log) {
	log.Events[log.Count&31] = <-queue
	log.Count++
}

// COPY: struct main.Event
//go:noinline
func try(queue chan Event, log *Log) {
	select {
	case event, ok := <-queue:
		if ok {
			log.Events[3] = event
		}
	default:
		log.Count++
	}
}

// COPY: struct main.Event CALL
//go:noinline
func send(queue chan Event, event *Event) { queue <- *event }

// COPY: struct main.Event
//go:noinline
func keep(log *Log, event Event) { log.Events[7] = event }

//go:noinline
func work(rounds int) int64 {
	queue, log, event := make(chan Event, 8), new(Log), new(Event)
	for i := 0; i < rounds; i++ {
		send(queue, event)
		receive(queue, log)
		send(queue, event)
		try(queue, log)
		keep(log, log.Events[i&31])
		event.Time++
	}
	return log.Count + log.Events[7].Data[3]
}

func main() {
	rounds := 12000000
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	if work(rounds/2) == 1 {
		os.Exit(1)
	}
}
