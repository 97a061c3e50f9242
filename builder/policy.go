package builder

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/contract"
)

// checkPolicy checks the device policy of a callback in the innermost scope, and completes it.
func (cb *Callback) checkPolicy(f *Func, form contract.Form) error {
	if cb.Policy == "" {
		return nil
	}
	p, err := cb.Policy.Placement()
	if err != nil {
		return fmt.Errorf("there is no device policy %q: use contract.PerDevice, contract.Once or contract.Gather, "+
			"the last two also with On", cb.Policy)
	}
	inManual := f.inManual()
	devices := f.b.devices()
	switch {
	case form == contract.Pure:
		return errors.New("a pure call has no device policy: each device makes it, unless the compiler drops it: leave Callback.Policy out, or use RuntimeCall")
	case cb.Host.Encoding != contract.EncodingDictionary:
		return errors.New("the encoding of another host has no place for a device policy: leave Callback.Policy out")
	case devices > 1 && p.Device >= devices:
		return fmt.Errorf("the device of the Policy is %d, but there are %d devices, from 0", p.Device, devices)
	case p.Kind == contract.Gather && (cb.Optional || cb.Every > 1):
		return errors.New("a callback with the Policy Gather cannot be Optional, nor have an Every: use Once")
	case p.Kind == contract.Gather && devices == 1:
		return errors.New("the Policy Gather needs a mesh, whose devices share arrays: make it with Builder.Mesh first; for replicas use PerDevice or Once")
	case p.Kind == contract.Gather && inManual:
		return errors.New("the Policy Gather needs whole arrays, and in the body of a Manual there are parts: call after it")
	case p.Kind == contract.PerDevice && devices > 1 && !inManual && f.name == entry:
		return errors.New("the Policy PerDevice needs the body of a Manual, where each device has its parts of the arrays")
	}
	cb.Policy, f.b.policies = p.Kind.On(p.Device), true
	return nil
}

// devices returns the number of devices of the largest mesh, or 1.
func (b *Builder) devices() int {
	most := 1
	for _, axes := range b.meshes {
		n := 1
		for _, a := range axes {
			n *= a.Size
		}
		most = max(most, n)
	}
	return most
}

// inManual reports whether the innermost scope is in the body of a Manual.
func (f *Func) inManual() bool {
	for s := f.scope; s != nil; s = s.outer {
		if s.manual {
			return true
		}
	}
	return false
}
