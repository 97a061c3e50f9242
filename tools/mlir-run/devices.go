package main

import "fmt"

// forModule returns the options with the numbers of replicas and partitions that the module
// asks for.
func (o options) forModule(m *module) (options, error) {
	fail := func(format string, args ...any) (options, error) {
		return o, fmt.Errorf("%s: %s", m.name, fmt.Sprintf(format, args...))
	}
	d := m.ir.Declared
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
