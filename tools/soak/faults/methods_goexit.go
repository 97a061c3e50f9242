package faults

import "runtime"

// goexitError is an error whose Error method ends its goroutine.
func goexitError() misbehaviour {
	return odd("error whose Error calls Goexit", func(i int) error { return errorGoexits{injected(i)} })
}

type errorGoexits struct{ injected }

func (errorGoexits) Error() string { runtime.Goexit(); return "" }

// goexitString is a panic value whose String method ends its goroutine.
func goexitString() misbehaviour {
	return odd("panic with a value whose String calls Goexit", func(i int) error { panic(stringGoexits(i)) })
}

type stringGoexits int

func (i stringGoexits) injection() int { return int(i) }
func (stringGoexits) String() string   { runtime.Goexit(); return "" }
