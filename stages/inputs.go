package stages

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/tensor"
)

// take takes the inputs of a run. After an error, args are those that were taken.
func (p *Program) take(inputs []bridge.Input) (args []*value, err error) {
	if len(inputs) != len(p.inputs)*p.replicas {
		return nil, &bridge.InputCountError{Want: len(p.inputs), Got: len(inputs), Devices: p.replicas}
	}
	for i, in := range inputs {
		v, err := p.input(in)
		if err != nil {
			return args, fmt.Errorf("stages: run: input %d: %w", i, err)
		}
		args = append(args, v)
		if want, got := p.inputs[i%len(p.inputs)], v.shape(); !got.Equal(want) {
			return args, &bridge.InputError{Index: i, Want: want.Clone(), Got: got.Clone()}
		}
	}
	return args, nil
}

func (p *Program) input(in bridge.Input) (*value, error) {
	switch in := in.(type) {
	case *bridge.Buffer:
		if in == nil {
			return nil, errors.New("the buffer is nil")
		}
		if err := p.ours(in); err != nil {
			return nil, err
		}
		held, err := in.Share() // the caller may close it during the run
		if err != nil {
			return nil, fmt.Errorf("the buffer is %w or was donated (a run takes what Donate gives it, also if it fails: give the Buffer itself to keep it)", ErrClosed)
		}
		v := onDevice(held)
		v.shared = held
		return v, nil
	case bridge.Donation:
		taken, err := in.Take()
		if err != nil {
			return nil, err
		}
		v := onDevice(taken)
		if err := p.ours(taken); err != nil {
			release(v)
			return nil, err
		}
		return v, nil
	case bridge.Borrowed:
		array := in.Tensor()
		return onHost(array), array.Check()
	case tensor.View:
		v := onHost(in)
		v.foreign = true
		return v, in.Check()
	}
	return nil, fmt.Errorf("a %T is not an Input: give a *bridge.Buffer, bridge.Donate(b), a tensor.View or bridge.Borrow(v)", in)
}

// ours returns an error if none of the program's devices is of the buffer's client.
func (p *Program) ours(b *bridge.Buffer) error {
	for _, d := range p.devices {
		if d.place().client == b.Client() {
			return nil
		}
	}
	return errors.New("the buffer belongs to another client than the program's devices: copy it through the host")
}
