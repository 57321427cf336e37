// Structs as values of maps and of slices in range loops.
package main

import (
	"os"
	"strconv"
)

type Quote struct {
	Price, Size [3]int64
	Time        int64
}
type Account struct {
	Owner  string
	Quote  Quote
	Limits [4]int64
}

// COPY: struct main.Account DUFF
//go:noinline
func lookUp(accounts map[int]Account, key int, to *Account) { *to = accounts[key] }

// COPY: struct main.Account
//go:noinline
func insert(accounts map[int]Account, key int, from *Account) { accounts[key] = *from }

// COPY: struct main.Quote
//go:noinline
func part(accounts map[int]Account, key int, to *Quote) { *to = accounts[key].Quote }

// COPY: struct main.Quote
//go:noinline
func all(quotes map[string]Quote, to *[16]Quote) {
	n := 0
	for _, quote := range quotes {
		to[n&15] = quote
		n++
	}
}

// COPY: struct main.Account
//go:noinline
func large(accounts []Account, to []Account) {
	for i, account := range accounts {
		if account.Limits[1] >= 0 {
			to[i] = account
		}
	}
}

// COPY: struct main.Account
//go:noinline
func sizes(accounts []Account) int64 {
	sum := int64(0)
	for _, account := range accounts {
		sum += account.Quote.Size[1] ^ account.Limits[2]
	}
	return sum
}

//go:noinline
func work(rounds int) int64 {
	accounts, quotes := map[int]Account{}, map[string]Quote{}
	list, other := make([]Account, 64), make([]Account, 64)
	for i := 0; i < 16; i++ {
		accounts[i] = Account{Owner: "owner"}
		quotes[strconv.Itoa(i)] = Quote{}
	}
	to := new([16]Quote)
	account, quote := new(Account), new(Quote)
	sum := int64(0)
	for i := 0; i < rounds; i++ {
		lookUp(accounts, i&15, account)
		insert(accounts, i*3&15, account)
		part(accounts, i*5&15, quote)
		if i&15 == 0 {
			all(quotes, to)
			large(list, other)
			sum += sizes(other)
		}
		sum += account.Limits[i&3] + quote.Time + to[i&15].Time
	}
	return sum
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
