package stages

import (
	"errors"
	"fmt"
	"sync"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/tensor"
)

// A binding is a callback of a program with its function.
type binding struct {
	slot   *dispatch.Slot
	config contract.Config
}

// bindings are the functions of a program.
type bindings struct {
	fixed []binding // by the index in Plan.callbacks; those that are not called between stages have no slot

	// Ids and servers that are operands are known when the call is made.
	mu    sync.RWMutex
	later map[contract.Config]binding
}

// bind finds the functions of the callbacks that are called between stages, and compares their signatures.
func bind(list []*Callback) (*bindings, error) {
	b := &bindings{fixed: make([]binding, len(list)), later: map[contract.Config]binding{}}
	for i, cb := range list {
		if cb.Decision != Boundary {
			continue
		}
		var err error
		if b.fixed[i], err = cb.bind(); err != nil {
			b.close()
			return nil, err
		}
	}
	return b, nil
}

func (c *Callback) bind() (b binding, err error) {
	b.config = c.Config
	if want := b.config.Signature; want != "" {
		got, err := b.config.SignatureOf(c.Args, c.Results)
		if err != nil {
			return b, fmt.Errorf("stages: %w", err)
		}
		if contract.SignatureHash(got) != want {
			return b, fmt.Errorf("stages: callback %q: the module calls it with %s, which is not the signature that it was compiled for", c.Name, got)
		}
	}
	switch b.config.Encoding {
	case contract.EncodingOperand:
		return b, nil
	case contract.EncodingServer:
		if !dispatch.HasOpaque(b.config.Opaque) {
			return b, &callbacks.UnknownError{Callback: c.Name, Missing: "callback"}
		}
		return b, nil
	case contract.EncodingWords:
		b.slot, err = dispatch.ResolveOpaque(b.config)
		return b, err
	}
	b.slot, err = dispatch.Resolve(b.config)
	if unknown := new(callbacks.UnknownError); err != nil && c.foreign && len(c.Results) == 0 &&
		!errors.As(err, &unknown) {
		// A function that does not wait can serve a call without results.
		observing := b.config
		observing.Form = contract.Observe
		if slot, failed := dispatch.Resolve(observing); failed == nil {
			return binding{slot, observing}, nil
		}
	}
	return b, err
}

// bound returns the function of a call.
func (r *run) bound(s *callStep, in []*value) (binding, error) {
	b := r.program.bindings.fixed[s.index]
	if s.callback.Config.Encoding.BindsEarly() {
		return b, nil
	}
	at := 0
	if b.config.Encoding == contract.EncodingOperand {
		at = len(in) - 1
	}
	v, err := in[at].host(r.ctx)
	if err != nil {
		return b, err
	}
	return r.program.bindings.find(b.config, v)
}

// find returns the function of a call whose id or server is an operand.
func (b *bindings) find(config contract.Config, operand tensor.View) (binding, error) {
	resolve := dispatch.Resolve
	if config.Encoding == contract.EncodingOperand {
		config.ID, _ = operand.At(0).(int64)
	} else {
		config.Server = string(operand.Data)
		resolve = dispatch.ResolveOpaque
	}
	b.mu.RLock()
	found, ok := b.later[config]
	b.mu.RUnlock()
	if ok {
		return found, nil
	}
	slot, err := resolve(config)
	if err != nil {
		return binding{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if found, ok := b.later[config]; ok { // another call added it first
		slot.Close()
		return found, nil
	}
	b.later[config] = binding{slot, config}
	return b.later[config], nil
}

func (b *bindings) close() {
	for _, f := range b.fixed {
		if f.slot != nil {
			f.slot.Close()
		}
	}
	for _, f := range b.later {
		f.slot.Close()
	}
}

// keepForeign has the calls of other hosts served that stay in their stages.
func (p *Plan) keepForeign(o Options) {
	for _, c := range p.callbacks {
		if c.foreign && c.Decision == Inline {
			p.foreign = o.Foreign
			for _, s := range p.stages {
				s.jax = o.JAXCallbacks
			}
		}
	}
}

// registerForeign makes clients that call back serve targets of other hosts.
func registerForeign(targets []bridge.ForeignTarget, devices []Device) error {
	for _, d := range devices {
		for _, t := range targets {
			if !d.callsBack() {
				break
			}
			if err := d.place().client.Plugin().RegisterForeign(t); err != nil {
				return err
			}
		}
	}
	return nil
}
