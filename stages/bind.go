package stages

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/hostcall"
)

// bindings are the functions of a program.
type bindings struct {
	fixed []hostcall.Binding // by the index in Plan.callbacks; those that are not called between stages have no slot
	late  hostcall.Late
}

// bind finds the functions of the callbacks that are called between stages, and compares their signatures.
func bind(list []*Callback) (*bindings, error) {
	b := &bindings{fixed: make([]hostcall.Binding, len(list))}
	for i, cb := range list {
		if cb.Decision != Boundary {
			continue
		}
		var err error
		if b.fixed[i], err = hostcall.Bind(cb.Config, cb.foreign, cb.Args, cb.Results); err != nil {
			b.close()
			return nil, fmt.Errorf("stages: %w", err)
		}
	}
	return b, nil
}

// bound returns the function of a call.
func (r *run) bound(s *callStep, in []*value) (hostcall.Binding, error) {
	b := r.program.bindings.fixed[s.index]
	if s.callback.Config.Host.Encoding.BindsEarly() {
		return b, nil
	}
	v, err := in[hostcall.NamedBy(b.Config, len(in))].host(r.ctx)
	if err != nil {
		return b, err
	}
	return r.program.bindings.late.Find(b.Config, v)
}

func (b *bindings) close() {
	for _, f := range b.fixed {
		if f.Slot != nil {
			f.Slot.Close()
		}
	}
	b.late.Close()
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
