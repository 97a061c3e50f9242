package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
	"github.com/calliope-mlir/calliope/tensor"
)

// An execution is a run, with what its caller says of it.
type execution struct {
	*program
	launch  int64
	on      []*device
	context *executeContext // may be nil
	in, out [][]*buffer     // by device; in are taken
	given   []bool          // by parameter, with tokens: its buffers are given away
	over    *wait           // if the caller does not wait for it
}

type executionKey struct{}

// start runs the program. If it takes its time and calls handlers, it goes on when start returns: a caller may wait
// for what these do. Runs that call handlers are in order on each device.
func (p *program) start(x *execution) error {
	x.program = p
	shapes, err := p.outputs()
	if err != nil {
		return err
	}
	if err := x.takeAll(); err != nil {
		return err
	}
	if p.apart {
		x.over = newWait()
	}
	x.makeOutputs(shapes)
	var earlier []*wait
	if len(p.sites) > 0 {
		for _, d := range x.on {
			earlier = append(earlier, d.follow(x.over))
		}
	}
	run := func() error {
		for _, w := range earlier {
			_ = w.until() // its error is its own
		}
		defer x.giveBack()
		return protect(x.run)
	}
	if p.apart {
		go func() { x.over.end(run()) }()
		return nil
	}
	if err = run(); err != nil {
		for _, b := range slices.Concat(x.out...) {
			b.free()
		}
	}
	return err
}

// takeAll takes the arguments, and deletes those that are given away.
func (x *execution) takeAll() error {
	tokens := x.main.Tokens
	for device, list := range x.in {
		err := error(nil)
		if len(list) != tokens+len(x.main.Params) {
			err = fmt.Errorf("%w: the program takes %d buffers, not %d", errMistaken, tokens+len(x.main.Params),
				len(list))
		}
		for i := 0; err == nil && i < len(list); i++ {
			if err = list[i].take(); err != nil {
				err = fmt.Errorf("argument %d: %w", i-tokens, err)
				list = list[:i]
			}
		}
		if err != nil {
			x.in = append(x.in[:device:device], list)
			x.giveBack()
			return err
		}
	}
	for _, list := range x.in {
		for i, b := range list {
			if x.given[i] {
				b.delete()
			}
		}
	}
	return nil
}

func (x *execution) giveBack() {
	for _, list := range x.in {
		for _, b := range list {
			b.giveBack()
		}
	}
}

// run runs the program, and sets the results.
func (x *execution) run() error {
	tokens := x.main.Tokens
	var inputs []engine.Input
	arrays := make([][]*engine.Array, len(x.in)) // by device
	for device, list := range x.in {
		for i, b := range list {
			a, err := b.computed()
			if err != nil {
				return err // of the run that computes it
			}
			if i < tokens {
				continue
			}
			arrays[device] = append(arrays[device], a)
			if x.given[i] && b.canGive() {
				inputs = append(inputs, engine.Donate(a))
			} else {
				inputs = append(inputs, a)
			}
		}
	}
	if x.partitions > 1 {
		whole, err := x.join(arrays)
		if err != nil {
			return err
		}
		defer engine.CloseAll(whole)
		inputs = inputs[:0]
		for _, a := range whole {
			inputs = append(inputs, a)
		}
	}
	ctx := context.Background()
	if len(x.sites) > 0 {
		ctx = context.WithValue(ctx, executionKey{}, x)
	}
	results, err := x.runner.Run(ctx, inputs...)
	if err != nil {
		return err
	}
	return x.setOutputs(results)
}

// join returns whole arrays of the parts of devices.
func (p *program) join(parts [][]*engine.Array) (whole []*engine.Array, err error) {
	defer func() {
		if err != nil {
			engine.CloseAll(whole)
			whole = nil
		}
	}()
	for i, shape := range p.main.Params {
		of := p.sharding(p.params, i)
		if !of.IsKnown() {
			a, err := parts[0][i].Share()
			if err != nil {
				return whole, err
			}
			whole = append(whole, a)
			continue
		}
		a, err := joined(of, shape, parts, i)
		if err != nil {
			return whole, err
		}
		whole = append(whole, a)
	}
	return whole, nil
}

// joined returns argument i as a whole.
func joined(of sharding.Sharding, shape tensor.Shape, parts [][]*engine.Array, i int) (*engine.Array, error) {
	views := make([]tensor.View, len(parts))
	for device := range parts {
		v, err := parts[device][i].View(context.Background())
		if err != nil {
			return nil, err
		}
		defer v.Close()
		views[device] = v.Tensor()
	}
	whole, err := of.Join(shape, views)
	if err != nil {
		return nil, fmt.Errorf("%w: argument %d: %w", errMistaken, i, err)
	}
	return engine.HostArray(context.Background(), whole) // which may be one of the parts
}

// makeOutputs makes the buffers of the results.
func (x *execution) makeOutputs(shapes []tensor.Shape) {
	x.out = make([][]*buffer, len(x.on))
	for device, d := range x.on {
		for i, s := range shapes {
			b := d.spaces[x.to[i]].newBuffer(s)
			b.ready = x.over
			x.out[device] = append(x.out[device], b)
		}
	}
}

// setOutputs gives the buffers the results of a run, which it takes over.
func (x *execution) setOutputs(results []*engine.Array) error {
	n := len(x.main.Results)
	if x.partitions > 1 {
		defer engine.CloseAll(results)
	}
	for i := range n {
		arrays := make([]*engine.Array, len(x.on))
		if x.partitions > 1 {
			if err := divide(arrays, x.sharding(x.results, i), results[i]); err != nil {
				return fmt.Errorf("result %d: %w", i, err)
			}
		} else {
			for device := range arrays {
				arrays[device] = results[device*n+i]
			}
		}
		for device, list := range x.out {
			list[x.main.Returned+i].set(arrays[device])
		}
	}
	return nil
}

// divide sets parts to those that devices have of a whole array.
func divide(parts []*engine.Array, of sharding.Sharding, whole *engine.Array) error {
	if !of.IsKnown() {
		for i := range parts {
			var err error
			if parts[i], err = whole.Share(); err != nil {
				return err
			}
		}
		return nil
	}
	v, err := whole.View(context.Background())
	if err != nil {
		return err
	}
	defer v.Close()
	views, err := of.Split(v.Tensor())
	if err != nil {
		return err
	}
	for i := range parts {
		if parts[i], err = engine.HostArray(context.Background(), views[i]); err != nil {
			return err
		}
	}
	return nil
}
