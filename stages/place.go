package stages

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// place sets the devices of the stages.
func (p *Plan) place(choose func(*Stage) int) error {
	for _, s := range p.stages {
		if choose != nil {
			s.Device = choose(s)
		}
		if s.Device < 0 || s.Device >= len(p.devices) {
			return fmt.Errorf("stages: Options.Place returned %d for %s: Options.Devices has %d devices, numbered from 0", s.Device, s.Name, len(p.devices))
		}
		if err := p.joinReplicas(s); err != nil {
			return err
		}
		d := p.devices[s.Device]
		for call := range callop.Calls(s.module) {
			if !d.callsBack() {
				return cutError(call.Op, "the callback %q is inline in %s, which Options.Place puts on %s, which cannot call back: place it elsewhere, or cut it",
					call.Config.Name(), s.Name, d)
			}
		}
		if !d.onHost() {
			s.markDonors()
		}
	}
	if len(p.devices) > 1 {
		p.main.fetches()
	}
	return nil
}

// markDonors lets the compiler overwrite the inputs that are donated.
func (s *Stage) markDonors() {
	if !slices.Contains(s.donate, true) {
		return
	}
	c := s.module.Context()
	donor := c.DictionaryAttribute(mlir.NamedAttribute{Name: "jax.buffer_donor", Value: c.BoolAttribute(true)})
	attributes := make([]mlir.Attribute, len(s.donate))
	for i, donate := range s.donate {
		attributes[i] = c.DictionaryAttribute()
		if donate {
			attributes[i] = donor
		}
	}
	_, functions := function.Defined(s.module)
	functions["main"].SetAttribute("arg_attrs", c.ArrayAttribute(attributes...))
}

// fetches finds the devices to which values of a body, and of those in it, have to move. It is called when the stages
// have their devices, if there are several.
func (b *body) fetches() {
	b.fetch = make([][]int, len(b.shapes))
	for _, s := range b.steps {
		switch s := s.(type) {
		case *stageStep:
			for _, v := range s.in {
				if d := s.stage.Device; !slices.Contains(b.fetch[v], d) {
					b.fetch[v] = append(b.fetch[v], d)
				}
			}
		case *branchStep:
			for _, inner := range s.bodies {
				inner.fetches()
			}
		case *loopStep:
			s.cond.fetches()
			s.body.fetches()
		}
	}
}
