package stages

import (
	"fmt"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/hostcall"
)

// bindings are the functions of a program.
type bindings struct {
	fixed []hostcall.Binding // by the index in Plan.callbacks; those that are not called between stages have no slot
	late  hostcall.Late[hostcall.Binding]
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
	return r.program.bindings.late.Find(b.Config, v, hostcall.BindLate)
}

func (b *bindings) close() {
	for _, f := range b.fixed {
		if f.Slot != nil {
			f.Slot.Close()
		}
	}
	b.late.Close()
}

// compileWith sets the options of the stages, which serve the calls of other hosts if some stay in their stages.
func (p *Plan) compileWith(o Options) {
	p.options, p.prepare, p.fallback = o.Compile, o.Prepare, o.Fallback
	p.options.Foreign, p.options.JAXCallbacks = nil, nil
	for _, c := range p.callbacks {
		if c.foreign && c.Decision == Inline {
			p.options.Foreign, p.options.JAXCallbacks = o.Compile.Foreign, o.Compile.JAXCallbacks
		}
	}
}

// optionsOf returns how a stage is compiled.
func (p *Plan) optionsOf(s *Stage) engine.CompileOptions {
	o := p.options
	o.Replicas = s.replicas
	return o
}
