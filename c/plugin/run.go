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
			if gives := p.donated[i] && !kept[tokens+i]; gives && p.partitions == 1 {
				inputs, given = append(inputs, engine.Donate(a)), append(given, b)
			} else {
				inputs = append(inputs, a)
				if gives {
					given = append(given, b)
				}
			}
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
		if p.partitions > 1 {
			_ = b.delete()
			continue
		}
		b.mu.Lock()
		b.array = nil
		b.mu.Unlock()
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
		views := make([]tensor.View, len(parts))
		for device := range parts {
			v, err := parts[device][i].View(context.Background())
			if err != nil {
				return whole, err
			}
			defer v.Close()
			views[device] = v.Tensor()
		}
		joined, err := of.Join(shape, views)
		if err != nil {
			return whole, fmt.Errorf("%w: argument %d: %w", errMistaken, i, err)
		}
		a, err := engine.HostArray(context.Background(), joined)
		if err != nil {
			return whole, err
		}
		whole = append(whole, a)
	}
	return whole, nil
}

// buffers returns the buffers of each device for the results of a run, which it takes over.
func (p *program) buffers(results []*engine.Array) ([][]*buffer, error) {
	out := make([][]*buffer, len(p.devices))
	n := len(p.main.Results)
	for device, d := range p.devices {
		for range p.main.Returned {
			out[device] = append(out[device], d.spaces[0].newToken())
		}
		for i := range n {
			space := d.spaces[p.to[p.main.Returned+i]]
			if p.partitions == 1 {
				out[device] = append(out[device], space.newBuffer(results[device*n+i]))
				continue
			}
			a, err := part(p.sharding(p.results, i), results[i], device)
			if err != nil {
				return nil, fmt.Errorf("result %d: %w", i, err)
			}
			out[device] = append(out[device], space.newBuffer(a))
		}
	}
	if p.partitions > 1 {
		engine.CloseAll(results)
	}
	return out, nil
}

// part returns the part of a whole array that a device has.
func part(of sharding.Sharding, whole *engine.Array, device int) (*engine.Array, error) {
	if !of.IsKnown() {
		return whole.Share()
	}
	v, err := whole.View(context.Background())
	if err != nil {
		return nil, err
	}
	defer v.Close()
	parts, err := of.Split(v.Tensor())
	if err != nil {
		return nil, err
	}
	return engine.HostArray(context.Background(), parts[device])
}
