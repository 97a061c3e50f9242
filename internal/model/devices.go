package model

import (
	"fmt"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Divided is a compiled module that devices share. It divides the parameters of its runs over the devices, and joins
// their results.
type Divided struct {
	devices         int
	params, results []sharding.Sharding
	global          Signature
}

// Divide returns how the devices of e share the arrays of a module. declared is what the module itself says, without
// tokens. It only matters if the plugin does not report the shardings of the compiled module: XLA chooses those that
// the module leaves open, and changes some that cannot be divided evenly.
func Divide(e *bridge.Executable, s Signature, declared sharding.Module) (d Divided, err error) {
	d = Divided{devices: e.NumDevices(), global: s}
	inputs, outputs := e.Shardings()
	if d.params,
		err = shardings("parameter", inputs, declared.Params, s.Params, e.Inputs(), d.devices); err != nil {
		return d, err
	}
	d.results, err = shardings("result", outputs, declared.Results, s.Results, e.Outputs(), d.devices)
	return d, err
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

// Split returns the inputs of a run for global arrays: first all of the first device.
func (d Divided) Split(arrays []tensor.View) ([]tensor.View, error) {
	all := make([]tensor.View, len(arrays)*d.devices)
	for i, v := range arrays {
		parts, err := d.params[i].Split(v)
		if err != nil {
			return nil, fmt.Errorf("in%d: %w", i, err)
		}
		for device, part := range parts {
			all[device*len(arrays)+i] = part
		}
	}
	return all, nil
}

// Needs reports whether an output of a run, with those of all devices counted, is part of a global result. The other
// ones are copies on further devices.
func (d Divided) Needs(i int) bool {
	n := len(d.results)
	return d.results[i%n].IsFirst(i / n)
}

// Join returns the global results. Those outputs that it does not need may be zero.
func (d Divided) Join(outputs []tensor.View) ([]tensor.View, error) {
	n := len(d.results)
	results := make([]tensor.View, n)
	for i, s := range d.results {
		parts := make([]tensor.View, s.NumDevices())
		for device := range parts {
			parts[device] = outputs[device*n+i]
		}
		var err error
		if results[i], err = s.Join(d.global.Results[i], parts); err != nil {
			return nil, fmt.Errorf("out%d: %w", i, err)
		}
	}
	return results, nil
}
