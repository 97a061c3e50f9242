package main

import (
	"fmt"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
	"github.com/calliope-mlir/calliope/tensor"
)

// forModule returns the options with the numbers of replicas and partitions that the module
// asks for.
func (o options) forModule(m *module) (options, error) {
	fail := func(format string, args ...any) (options, error) {
		return o, fmt.Errorf("%s: %s", m.name, fmt.Sprintf(format, args...))
	}
	d := m.declared
	if d.Replicas > 1 {
		if o.replicasGiven && o.replicas != d.Replicas {
			return fail("--replicas %d: the module is for %d replicas: leave the flag out", o.replicas, d.Replicas)
		}
		o.replicas = d.Replicas
	}
	o.partitions = d.Partitions
	devices := max(o.replicas, o.partitions)
	switch {
	case o.replicas > 1 && o.partitions > 1:
		return fail("it is partitioned over %d devices, and cannot also run as %d replicas: only one of both is possible", o.partitions, o.replicas)
	case devices > maxDevices:
		return fail("it needs %d devices: only up to %d are possible", devices, maxDevices)
	case o.devices > 0 && o.devices < devices:
		return fail("--devices %d: the module is for %d devices: use that number, a larger one, or leave the flag out", o.devices, devices)
	case o.feeds != "" && devices > 1:
		return fail("--feeds cannot serve a module for %d devices: feeds of several devices have no order", devices)
	}
	return o, nil
}

// numDevices returns the number of devices of the client.
func (o options) numDevices() int { return max(o.devices, o.replicas, o.partitions) }

// A side is the parameters or the results of a partitioned module.
type side struct {
	what     string // "parameter" or "result"
	texts    []string
	declared []sharding.Sharding
	global   []tensor.Shape
	local    []tensor.Shape // on each device; nil if the plugin does not report them
}

// shardings returns the shardings that the compiled module has. XLA chooses those that the
// module leaves open, and changes some that cannot be divided evenly. So the module's own ones
// only matter if the plugin does not report them.
func (s side) shardings(devices int) ([]sharding.Sharding, error) {
	list := make([]sharding.Sharding, len(s.global))
	for i, shape := range s.global {
		text := "{unknown}"
		if i < len(s.texts) {
			text = s.texts[i]
		}
		var err error
		if list[i], err = sharding.Parse(text, devices); err != nil {
			return nil, fmt.Errorf("%s %d of @main: %w", s.what, i, err)
		}
		switch {
		case list[i].IsKnown():
		case i < len(s.local) && s.local[i].Equal(shape):
			list[i] = sharding.Replicated(devices)
		case i < len(s.declared) && s.declared[i].IsKnown():
			list[i] = s.declared[i]
		default:
			return nil, fmt.Errorf("%s %d of @main: neither the module nor the plugin tells how it is divided over the devices", s.what, i)
		}
		part, err := list[i].PartShape(shape)
		if err != nil {
			return nil, fmt.Errorf("%s %d of @main: %w", s.what, i, err)
		}
		if i < len(s.local) && !part.Equal(s.local[i]) {
			return nil, fmt.Errorf("%s %d of @main: %s with the sharding %s is %s on each device, but the compiled module has %s", s.what, i, shape, list[i], part, s.local[i])
		}
	}
	return list, nil
}

// split returns the inputs of a run: first all of the first device.
func (m *module) split(e *bridge.Executable, o options, inputs []tensor.View) ([]tensor.View, error) {
	s := side{"parameter", e.InputShardings(), m.declared.Params, m.params, e.Inputs()}
	list, err := s.shardings(o.partitions)
	if err != nil {
		return nil, err
	}
	all := make([]tensor.View, len(inputs)*o.partitions)
	for i, v := range inputs {
		parts, err := list[i].Split(v)
		if err != nil {
			return nil, fmt.Errorf("in%d: %w", i, err)
		}
		for device, part := range parts {
			all[device*len(inputs)+i] = part
		}
	}
	return all, nil
}

// A joiner makes the global results of a partitioned module.
type joiner struct {
	shardings []sharding.Sharding
	shapes    []tensor.Shape // global
}

func (m *module) joiner(e *bridge.Executable, o options) (joiner, error) {
	s := side{"result", e.OutputShardings(), m.declared.Results, m.results, e.Outputs()}
	list, err := s.shardings(o.partitions)
	return joiner{list, m.results}, err
}

// needs reports whether an output of a run, with those of all devices counted, is part of a
// global result. The other ones are copies on further devices.
func (j joiner) needs(i int) bool {
	n := len(j.shapes)
	return j.shardings[i%n].IsFirst(i / n)
}

// join returns the global results. Those outputs that it does not need may be zero.
func (j joiner) join(outputs []tensor.View) ([]tensor.View, error) {
	n := len(j.shapes)
	results := make([]tensor.View, n)
	for i, s := range j.shardings {
		parts := make([]tensor.View, s.NumDevices())
		for device := range parts {
			parts[device] = outputs[device*n+i]
		}
		var err error
		if results[i], err = s.Join(j.shapes[i], parts); err != nil {
			return nil, fmt.Errorf("out%d: %w", i, err)
		}
	}
	return results, nil
}
