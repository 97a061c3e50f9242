package load

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
	"github.com/calliope-mlir/calliope/tensor"
)

// A divided is a compiled module that devices share. Its inputs and results are whole arrays, in the host's memory: a
// run divides the inputs over the devices, and joins the results.
type divided struct {
	engine.Executable // of parts
	devices           int
	params, results   []sharding.Sharding
	global            stablehlo.Main
}

// A partitioned is an Executable whose compiler reports how it has divided the arrays: see bridge.Executable.
type partitioned interface {
	Shardings() (params, results []string)
}

// Divide returns e for whole arrays, which are the parameters and results of s. declared is what the module itself
// says, without tokens. It only matters if the compiler does not report the shardings: it chooses those that the module
// leaves open, and changes some that cannot be divided evenly.
func Divide(e engine.Executable, s stablehlo.Main, declared sharding.Module) (_ engine.Executable, err error) {
	d := &divided{Executable: e, devices: e.NumDevices(), global: s}
	var params, results []string
	if p, ok := e.(partitioned); ok {
		params, results = p.Shardings()
	}
	if d.params,
		err = shardings("parameter", params, declared.Params, s.Params, e.Inputs(), d.devices); err != nil {
		return nil, err
	}
	if d.results,
		err = shardings("result", results, declared.Results, s.Results, e.Outputs(), d.devices); err != nil {
		return nil, err
	}
	return d, nil
}

// Undivided returns the Executable of parts that Divide, or Compile, has made e of, or e itself.
func Undivided(e engine.Executable) engine.Executable {
	if d, ok := e.(*divided); ok {
		return d.Executable
	}
	return e
}

// shardings returns those of the compiled module. local has the shapes on each device, or nothing if the plugin does
// not report them.
func shardings(
	what string, texts []string, declared []sharding.Sharding, global, local []tensor.Shape, devices int,
) ([]sharding.Sharding, error) {
	list := make([]sharding.Sharding, len(global))
	for i, shape := range global {
		text := "{unknown}"
		if i < len(texts) {
			text = texts[i]
		}
		var err error
		if list[i], err = sharding.Parse(text, devices); err != nil {
			return nil, fmt.Errorf("%s %d of @main: %w", what, i, err)
		}
		switch {
		case list[i].IsKnown():
		case i < len(local) && local[i].Equal(shape):
			list[i] = sharding.Replicated(devices)
		case i < len(declared) && declared[i].IsKnown():
			list[i] = declared[i]
		default:
			return nil, fmt.Errorf("%s %d of @main: neither the module nor the plugin tells how it is divided over the devices", what, i)
		}
		part, err := list[i].PartShape(shape)
		if err != nil {
			return nil, fmt.Errorf("%s %d of @main: %w", what, i, err)
		}
		if i < len(local) && !part.Equal(local[i]) {
			return nil, fmt.Errorf("%s %d of @main: %s with the sharding %s is %s on each device, but the compiled module has %s",
				what, i, shape, list[i], part, local[i])
		}
	}
	return list, nil
}

// NumDevices implements engine.Executable: a run has one set of inputs.
func (d *divided) NumDevices() int { return 1 }

// Inputs implements engine.Executable.
func (d *divided) Inputs() []tensor.Shape { return engine.Cloned(d.global.Params) }

// Outputs implements engine.Executable.
func (d *divided) Outputs() []tensor.Shape { return engine.Cloned(d.global.Results) }

// Call implements engine.Executable.
func (d *divided) Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error) {
	return d.run(ctx, engine.Views(inputs))
}

// Run implements engine.Executable. The results are in the host's memory.
func (d *divided) Run(ctx context.Context, inputs ...engine.Input) ([]*engine.Array, error) {
	views, err := d.run(ctx, inputs)
	if err != nil {
		return nil, err
	}
	arrays := make([]*engine.Array, len(views))
	for i, v := range views {
		if arrays[i], err = engine.OwnHostArray(v); err != nil {
			engine.CloseAll(arrays[:i])
			return nil, err
		}
	}
	return arrays, nil
}

func (d *divided) run(ctx context.Context, inputs []engine.Input) ([]tensor.View, error) {
	in, err := engine.TakeOnHost(inputs, d.global.Params)
	if err != nil {
		return nil, err
	}
	parts, err := d.split(in.Views)
	if err != nil {
		in.Release()
		return nil, err
	}
	arrays, err := d.Executable.Run(ctx, parts...)
	in.Release()
	if err != nil {
		return nil, err
	}
	outputs := make([]tensor.View, len(arrays))
	for i, a := range arrays {
		if d.needs(i) && err == nil {
			outputs[i], err = a.ToHost(ctx)
		}
		err = errors.Join(err, a.Close())
	}
	if err != nil {
		return nil, err
	}
	return d.join(outputs)
}

// split returns the inputs of the devices: first all of the first device.
func (d *divided) split(arrays []tensor.View) ([]engine.Input, error) {
	all := make([]engine.Input, len(arrays)*d.devices)
	for i, v := range arrays {
		parts, err := d.params[i].Split(v)
		if err != nil {
			return nil, &engine.InputError{Index: i, Err: err}
		}
		for device, part := range parts {
			all[device*len(arrays)+i] = part
		}
	}
	return all, nil
}

// needs reports whether an output, with those of all devices counted, is part of a result. The other ones are copies on
// further devices.
func (d *divided) needs(i int) bool {
	n := len(d.results)
	return d.results[i%n].IsFirst(i / n)
}

// join returns the results. Those outputs that it does not need may be zero.
func (d *divided) join(outputs []tensor.View) ([]tensor.View, error) {
	n := len(d.results)
	results := make([]tensor.View, n)
	for i, s := range d.results {
		parts := make([]tensor.View, s.NumDevices())
		for device := range parts {
			parts[device] = outputs[device*n+i]
		}
		var err error
		if results[i], err = s.Join(d.global.Results[i], parts); err != nil {
			return nil, fmt.Errorf("result %d: %w", i, err)
		}
	}
	return results, nil
}
