// SPDX-License-Identifier: GPL-2.0-or-later

// The locks of Go's package sync, for which goroutines wait. Prints the truth: address, size, and
// the names that are right; and at the end how long goroutines waited for each by their own clocks.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

type account struct {
	id      int
	balance sync.Mutex
	total   int64
}

type journal struct {
	name string
	sync.RWMutex
	rows [4]int64
}

type bank struct {
	accounts map[string]*account
	shards   [4]sync.Mutex
	book     journal
	shared   *sync.Mutex
	slots    []account
}

type keyed struct {
	*sync.Mutex
	uses int
}

type stack[T any] struct {
	items []T
	lock  sync.Mutex
}

var registry sync.Mutex
var first sync.Once
var table [2]struct {
	hits  int
	guard sync.RWMutex
}

var waited = map[unsafe.Pointer]*int64{}
var sink int64

func truth(lock unsafe.Pointer, size uintptr, names string) {
	fmt.Printf("%p %d %s\n", lock, size, names)
	waited[lock] = new(int64)
}

func mutex(lock *sync.Mutex, names string) {
	truth(unsafe.Pointer(lock), unsafe.Sizeof(*lock), names)
}

func waitedSince(lock unsafe.Pointer, begin time.Time) {
	atomic.AddInt64(waited[lock], int64(time.Since(begin)))
}

func hold(us int) {
	end := time.Now().Add(time.Duration(us) * time.Microsecond)
	for time.Now().Before(end) {
		sink++
	}
}

//go:noinline
func (b *bank) pay(i int) {
	a := b.accounts["a"]
	begin := time.Now()
	a.balance.Lock()
	waitedSince(unsafe.Pointer(&a.balance), begin)
	hold(100)
	a.total++
	a.balance.Unlock()

	begin = time.Now()
	b.shards[i&1].Lock()
	waitedSince(unsafe.Pointer(&b.shards[i&1]), begin)
	hold(100)
	b.shards[i&1].Unlock()

	begin = time.Now()
	b.shared.Lock()
	waitedSince(unsafe.Pointer(b.shared), begin)
	hold(50)
	b.shared.Unlock()

	s := &b.slots[i%3]
	begin = time.Now()
	s.balance.Lock()
	waitedSince(unsafe.Pointer(&s.balance), begin)
	hold(100)
	s.balance.Unlock()
}

//go:noinline
func (j *journal) note(i int) {
	begin := time.Now()
	j.Lock()
	waitedSince(unsafe.Pointer(&j.RWMutex), begin)
	hold(50)
	j.rows[i&3]++
	j.Unlock()
}

//go:noinline
func (j *journal) read(i int) int64 {
	begin := time.Now()
	j.RLock()
	waitedSince(unsafe.Pointer(&j.RWMutex), begin)
	hold(50)
	defer j.RUnlock()
	return j.rows[i&3]
}

// The lock is in an interface.
//
//go:noinline
func through(lock sync.Locker, at *sync.Mutex) {
	begin := time.Now()
	lock.Lock()
	waitedSince(unsafe.Pointer(at), begin)
	hold(100)
	lock.Unlock()
}

//go:noinline
func (k *keyed) use() {
	begin := time.Now()
	k.Lock()
	waitedSince(unsafe.Pointer(k.Mutex), begin)
	hold(60)
	k.uses++
	k.Unlock()
}

//go:noinline
func (s *stack[T]) push(item T) {
	begin := time.Now()
	s.lock.Lock()
	waitedSince(unsafe.Pointer(&s.lock), begin)
	hold(60)
	s.items = append(s.items[:len(s.items)%10], item)
	s.lock.Unlock()
}

func main() {
	b := &bank{accounts: map[string]*account{"a": {id: 1}}, shared: new(sync.Mutex), slots: make([]account, 3)}
	s := &stack[int]{}
	k := &keyed{Mutex: &sync.Mutex{}}
	var local sync.Mutex
	var group sync.WaitGroup

	mutex(&b.accounts["a"].balance, "struct main.account (balance)")
	for i := range b.shards {
		mutex(&b.shards[i], "struct main.bank (shards)")
	}
	for i := range b.slots {
		mutex(&b.slots[i].balance, "struct main.account (balance)")
	}
	mutex(b.shared, "struct main.bank (*shared)")
	mutex(&s.lock, "struct main.stack[go.shape.int_0] (lock)|struct main.stack[go.shape.int] (lock)")
	mutex(k.Mutex, "struct main.keyed (*Mutex)")
	mutex(&local, "main.main.local")
	passed := &account{}
	mutex(&passed.balance, "struct main.account (balance)")
	mutex(&registry, "main.registry")
	truth(unsafe.Pointer(&b.book.RWMutex), unsafe.Sizeof(b.book.RWMutex), "struct main.journal (RWMutex)|struct main.bank (book.RWMutex)")
	for i := range table {
		truth(unsafe.Pointer(&table[i].guard), unsafe.Sizeof(table[i].guard), fmt.Sprintf("main.table[%d].guard", i))
	}
	truth(unsafe.Pointer(&first), unsafe.Sizeof(first), "main.first.m")
	truth(unsafe.Pointer(&group), unsafe.Sizeof(group), "main.main.group")
	for g := 0; g < 6; g++ {
		group.Add(1)
		go func(g int) {
			defer group.Done()
			begin := time.Now()
			first.Do(func() { begin = time.Now(); time.Sleep(20 * time.Millisecond); begin = time.Now() })
			waitedSince(unsafe.Pointer(&first), begin)
			for i := 0; i < 60; i++ {
				b.pay(i)
				if g == 0 {
					b.book.note(i)
				} else {
					b.book.read(i)
				}
				s.push(i)
				k.use()
				through(&passed.balance, &passed.balance)
				begin = time.Now()
				local.Lock()
				waitedSince(unsafe.Pointer(&local), begin)
				hold(60)
				local.Unlock()
				begin = time.Now()
				registry.Lock()
				waitedSince(unsafe.Pointer(&registry), begin)
				hold(60)
				registry.Unlock()
				begin = time.Now()
				table[i&1].guard.Lock()
				waitedSince(unsafe.Pointer(&table[i&1].guard), begin)
				hold(60)
				table[i&1].guard.Unlock()
			}
		}(g)
	}
	begin := time.Now()
	group.Wait()
	waitedSince(unsafe.Pointer(&group), begin)
	for lock, time := range waited {
		fmt.Printf("waited %p %d\n", lock, *time)
	}
}
