package main

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
	"github.com/calliope-mlir/calliope/tensor"
)

// run runs the program on the buffers of each device, and returns those of its results. kept are the parameters whose
// buffers are not given away.
func (p *program) run(in [][]*buffer, kept map[int]bool) ([][]*buffer, error) {
	tokens := p.main.Tokens
	var inputs []engine.Input
	var given []*buffer
	arrays := make([][]*engine.Array, len(in)) // by device
	for device, list := range in {
		if len(list) != tokens+len(p.main.Params) {
			return nil, fmt.Errorf("%w: the program takes %d buffers, not %d", errMistaken, tokens+len(p.main.Params),
				len(list))
		}
		for i, b := range list[tokens:] {
			a, err := b.take()
			if err != nil {
				return nil, fmt.Errorf("argument %d: %w", i, err)
			}
			arrays[device] = append(arrays[device], a)
			var input engine.Input = a
			if p.donated[i] && !kept[tokens+i] {
				input, given = engine.Donate(a), append(given, b)
			}
			inputs = append(inputs, input)
		}
	}
	if p.partitions > 1 {
		whole, err := p.join(arrays)
		if err != nil {
			return nil, err
		}
		defer engine.CloseAll(whole)
		inputs = inputs[:0]
		for _, a := range whole {
			inputs = append(inputs, a)
		}
	}
	results, err := p.runner.Run(context.Background(), inputs...)
	if err != nil {
		return nil, err
	}
	for _, b := range given {
		_ = b.delete() // the run has closed what it was given
	}
	return p.buffers(results)
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

// buffers returns the buffers of each device for the results of a run, which it takes over.
func (p *program) buffers(results []*engine.Array) ([][]*buffer, error) {
	out := make([][]*buffer, len(p.devices))
	for device, d := range p.devices {
		for range p.main.Returned {
			out[device] = append(out[device], d.spaces[0].newToken())
		}
	}
	n := len(p.main.Results)
	if p.partitions > 1 {
		defer engine.CloseAll(results)
	}
	for i := range n {
		arrays := make([]*engine.Array, len(p.devices))
		var err error
		if p.partitions > 1 {
			err = divide(arrays, p.sharding(p.results, i), results[i])
		} else {
			for device := range arrays {
				arrays[device] = results[device*n+i]
			}
		}
		if err != nil {
			return nil, fmt.Errorf("result %d: %w", i, err)
		}
		for device, d := range p.devices {
			out[device] = append(out[device], d.spaces[p.to[p.main.Returned+i]].newBuffer(arrays[device]))
		}
	}
	return out, nil
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
