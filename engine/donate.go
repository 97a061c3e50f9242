package engine

import (
	"errors"
	"fmt"
)

// A Donation is an array that a run may overwrite.
type Donation struct{ array *Array }

// Donate gives an array to a run, which can then write an output to its memory if the module allows it
// (tf.aliasing_output or jax.buffer_donor on the parameter). The run closes the array, even if it fails: then the
// elements are lost. One that is refused before it starts, for its inputs for example, leaves the array as it is. To
// keep the elements, give the Array itself: where the module writes to the parameter, the engine then writes to a copy.
// In a run on several devices, the same parameters must be donated on each device.
func Donate(a *Array) Donation { return Donation{a} }

// Array returns the donated array.
func (d Donation) Array() *Array { return d.array }

// Use closes the array and begins its last use, which [Use.Undo] takes back. It is an error if the array has another
// use, or cannot be given away.
func (d Donation) Use() (Use, error) {
	a := d.array
	if a == nil {
		return Use{}, errors.New("the donated array is nil")
	}
	a.given("Use")
	switch {
	case a.of != nil:
		return Use{}, errors.New("the donated array shares its memory with another one, see Array.Share: donate that one")
	case a.memory.Borrowed():
		return Use{}, errors.New("the donated array is a borrowed host array, which must not be written to: make it from a copy (ArrayFromHost)")
	case a.life.Claim():
		return Use{a, true}, nil
	case a.life.Closed():
		return Use{}, fmt.Errorf("the donated array is %w or was donated before%s", ErrClosed, keepHint)
	}
	return Use{}, errors.New("the donated array is in use by a run or a view")
}

// Take takes the memory out of the donated array, which is closed, and returns it in a new Array, which the caller must
// close. It is for code that is given an [Input] and executes several modules with it.
func (d Donation) Take() (*Array, error) {
	taken, _, err := TakeAll(d)
	if err != nil {
		return nil, err
	}
	return taken[0], nil
}

// TakeAll is Take for several donations. With an error, which is that of donations[refused], all of the arrays are as
// before.
func TakeAll(donations ...Donation) (taken []*Array, refused int, err error) {
	uses := make([]Use, len(donations))
	for i, d := range donations {
		if uses[i], err = d.Use(); err != nil {
			for _, earlier := range uses[:i] {
				_ = earlier.Undo() // never an error
			}
			return nil, i, err
		}
	}
	for _, u := range uses {
		unclosedArrays.Drop(&u.array.guard)
		made := u.array.handle()
		made.watch()
		taken = append(taken, made)
	}
	return taken, 0, nil
}
