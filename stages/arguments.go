package stages

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// arguments are the inputs of a run, as values with one use. A donated one is nil until claim.
type arguments struct {
	values    []*value
	donations []engine.Donation
	at        []int // the inputs that are donated
}

// take checks the inputs of a run on devices, for parameters of some shapes, and returns them. The caller must release
// them, also after an error.
func take(inputs []engine.Input, params []tensor.Shape, replicas int, devices []Device) (a arguments, err error) {
	if len(inputs) != len(params)*replicas {
		return a, &engine.InputCountError{Want: len(params), Got: len(inputs), Devices: replicas}
	}
	for i, in := range inputs {
		shape, err := a.add(in, devices)
		if err != nil {
			return a, &engine.InputError{Index: i, Err: err}
		}
		if want := params[i%len(params)]; !shape.Equal(want) {
			return a, &engine.InputError{Index: i, Want: want.Clone(), Got: shape.Clone()}
		}
	}
	return a, nil
}

func (a *arguments) add(in engine.Input, devices []Device) (tensor.Shape, error) {
	if d, ok := in.(engine.Donation); ok {
		if d.Array() == nil {
			return tensor.Shape{}, errors.New("the donated array is nil")
		}
		a.donations, a.at, a.values = append(a.donations, d), append(a.at, len(a.values)), append(a.values, nil)
		return d.Array().Shape(), ours(d.Array(), devices)
	}
	v, err := input(in, devices)
	if err != nil {
		return tensor.Shape{}, err
	}
	a.values = append(a.values, v)
	return v.shape(), nil
}

// claim takes what is donated: all of it, or nothing if there is an error. A run that is refused before leaves the
// caller's buffers as they are.
func (a *arguments) claim() error {
	taken, refused, err := engine.TakeAll(a.donations...)
	for i, b := range taken {
		a.values[a.at[i]] = onDevice(b)
	}
	if err != nil {
		return &engine.InputError{Index: a.at[refused], Err: err}
	}
	return nil
}

func (a *arguments) release() {
	for _, v := range a.values {
		if v != nil {
			v.drop(1)
		}
	}
}

func input(in engine.Input, devices []Device) (*value, error) {
	switch in := in.(type) {
	case *engine.Array:
		if in == nil {
			return nil, errors.New("the array is nil")
		}
		if err := ours(in, devices); err != nil {
			return nil, err
		}
		held, err := in.Share() // the caller may close it during the run
		if err != nil {
			return nil, fmt.Errorf("the array is %w or was donated (a run takes what Donate gives it, also if it fails: give the Array itself to keep it)", ErrClosed)
		}
		v := onDevice(held)
		v.shared = held
		return v, nil
	case engine.Borrowed:
		array := in.Tensor()
		return onHost(array), array.Check()
	case tensor.View:
		v := onHost(in)
		v.lent = true
		return v, in.Check()
	}
	return nil, engine.ErrInput(in)
}

// ours returns an error if none of the devices is of the buffer's client.
func ours(b *engine.Array, devices []Device) error {
	for _, d := range devices {
		if d.Engine.Owns(b) {
			return nil
		}
	}
	return engine.ErrOther
}
