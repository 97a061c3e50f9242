package engine

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/text/errtext"
)

// A Use is the use of an array by a run, or by whatever else reads or overwrites the memory. Engines have them.
type Use struct {
	array *Array
	gives bool
}

// Use begins a use of the array, which ends by [Use.End].
func (a *Array) Use() (Use, error) {
	if a == nil {
		return Use{}, errors.New("the array is nil")
	}
	a.given("Use")
	if !a.life.Use() {
		return Use{}, errArray
	}
	return Use{array: a}, nil
}

// use is Use for a method, whose name is in the error.
func (a *Array) use(method string) (Use, error) {
	u, err := a.Use()
	if err != nil {
		err = fmt.Errorf("engine: Array.%s: %w", method, err)
	}
	return u, err
}

// Array returns the array.
func (u Use) Array() *Array { return u.array }

// Donated reports whether the use is that of a [Donation]: it may overwrite the memory.
func (u Use) Donated() bool { return u.gives }

// Again begins a further use, whether or not the array is closed.
func (u Use) Again() Use {
	u.given("Again")
	u.array.life.AddUse()
	return Use{array: u.array}
}

// End ends the use. If the array is closed, and this was the last use, it frees the memory.
func (u Use) End() error {
	u.given("End")
	if u.array.life.Done() {
		return u.array.free()
	}
	return nil
}

// Undo ends the use of a run that was refused: what was donated is open again.
func (u Use) Undo() error {
	u.given("Undo")
	if u.gives {
		u.array.life.Unclaim()
		return nil
	}
	return u.End()
}

// given panics because a method was called on a zero value.
func (u Use) given(method string) {
	if u.array == nil {
		panic(errtext.Receiver("engine: Use."+method, false, "Array.Use"))
	}
}

// Only closes a new array and begins its last use: nothing else has it. It is for engines that copy an input.
func (a *Array) Only() Use {
	a.given("Only")
	a.life.Claim()
	return Use{array: a}
}
