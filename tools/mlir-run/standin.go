package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/bridge/preflight"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/legacy"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// targets are the targets of calls that call Go. Targets of other hosts are served like
// every custom call without a handler.
var targets = []string{contract.TargetIOCallback, contract.TargetRuntimeCall}

// standIns are callbacks in place of missing handlers: checks, taps, stubs or, with --replay,
// recorded results.
type standIns struct {
	options    options
	checks     *checks
	module     *module
	observers  *observers
	mu         sync.Mutex // for out: XLA calls from several threads
	out        io.Writer
	registries map[string]*callbacks.Registry
	names      map[string]int  // how often each name was used
	tapped     map[string]bool // callbacks of the contract
	jax        []string        // engine.CompileOptions.JAXCallbacks
	missing    []missing
}

func newStandIns(m *module, o options, x *observers, c *checks, out io.Writer) (*standIns, error) {
	s := &standIns{options: o, checks: c, module: m, observers: x, out: out,
		registries: map[string]*callbacks.Registry{"": callbacks.Default, legacy.Registry.Name(): legacy.Registry},
		names:      map[string]int{}, tapped: map[string]bool{}}
	for _, r := range s.registries {
		if err := x.attach(r); err != nil {
			return nil, err
		}
	}
	if err := m.registerLegacy(x.callbackOptions()); err != nil {
		return nil, err
	}
	for _, name := range x.registries() {
		if _, err := s.registry(name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// registry returns the registry with a name, and creates it if needed.
func (s *standIns) registry(name string) (*callbacks.Registry, error) {
	r := s.registries[name]
	if r != nil {
		return r, nil
	}
	r, err := callbacks.NewRegistry(name, callbacks.RegistryOptions{})
	if err != nil {
		return nil, err
	}
	s.registries[name] = r
	return r, s.observers.attach(r)
}

// serveChecks provides a callback for each check of the module, also for those whose result is not used.
func (s *standIns) serveChecks() error {
	var found []mlir.Operation
	for op := range s.module.ir.Module.Operation().All() {
		if call, ok := stablehlo.AsCustomCall(op); ok && contract.IsCheckTarget(call.Target) {
			found = append(found, op)
		}
	}
	for _, op := range found {
		call, _ := stablehlo.AsCustomCall(op)
		if err := s.checks.replace(op, s.nameOf(op, call.Target), s.module.place(op), call,
			s.observers.callbackOptions()); err != nil {
			return err
		}
	}
	return nil
}

// serve provides a stand-in for the missing handler of a problem, or records why that is
// impossible.
func (s *standIns) serve(p preflight.Problem) error {
	place := s.module.place(p.Operation)
	switch p.Kind {
	case preflight.MissingTarget, preflight.WrongVersion:
		if slices.Contains(targets, p.Target) {
			break
		}
		if strings.HasPrefix(p.Target, shardyTarget) {
			return errManual
		}
		return s.replace(p.Operation, place, p.Target)
	case preflight.MissingCallback:
		return s.tapCallback(p, place)
	}
	s.missing = append(s.missing, missing{place: place, name: p.Target, unfit: p.Err.Error()})
	return nil
}

// tapCallback binds a callback of the contract that is not registered.
func (s *standIns) tapCallback(p preflight.Problem, place string) error {
	m := missing{place: place, name: fmt.Sprintf("callback %q", p.Callback)}
	call, _ := callop.AsCall(p.Operation)
	m.legacy = call.Config.Legacy.Version > 0
	switch {
	case !call.Config.ByName():
		m.unfit = "it is bound by an id, which is valid only in the process that made the module"
	case s.observers.replaying():
		m.unfit = "the recording has no call of it"
	}
	s.missing = append(s.missing, m)
	if m.unfit != "" {
		return nil
	}
	registry, err := s.registry(p.Registry)
	if err != nil {
		return err
	}
	key := p.Registry + "\x00" + p.Callback
	if s.tapped[key] {
		return nil // bound by an earlier call of the module
	}
	s.tapped[key] = true
	return registry.Register(p.Callback, func(c *callbacks.Frame) error {
		if s.options.stub != "" {
			return stub(c)
		}
		s.print(p.Callback, nil, c)
		if c.Config.Form == contract.Passthrough || c.Config.Form == contract.Observe {
			return nil
		}
		return repeat(p.Callback, c)
	}, s.observers.callbackOptions())
}

// replace replaces a custom call by a callback.
func (s *standIns) replace(op mlir.Operation, place, target string) error {
	call, _ := stablehlo.AsCustomCall(op)
	m := missing{place: place, name: target}
	_, m.legacy = passes.AsLegacyCall(op)
	j, isJAX := asJAX(op, call)
	if isJAX {
		call = j.CustomCallOp
	}
	order, unfit := rewrite.PassthroughOrder(call)
	if s.options.stub != "" {
		order, unfit = nil, nil
		if !onlyArrays(call) {
			unfit = errors.New("its operands and results are not all arrays")
		}
	}
	name := s.nameOf(op, target)
	recorded := s.observers.recorded(name)
	switch {
	case s.observers.replaying() && !recorded:
		m.unfit = fmt.Sprintf("the recording has no call with its name %q", name)
	case unfit != nil && !(recorded && onlyArrays(call)):
		m.unfit = unfit.Error()
	}
	s.missing = append(s.missing, m)
	if m.unfit != "" {
		return nil
	}
	var fn callbacks.Func
	if !recorded {
		fn = func(c *callbacks.Frame) error {
			if s.options.stub != "" {
				return stub(c)
			}
			s.print(m.place+": "+target, order, c)
			if isJAX {
				for i, result := range c.Results {
					copy(result.Data, c.Args[i].Data)
				}
			}
			return nil
		}
	}
	if isJAX {
		return s.bindJAX(j.index, name, fn)
	}
	if fn != nil {
		if err := callbacks.Default.Register(name, fn, s.observers.callbackOptions()); err != nil {
			return err
		}
	}
	return passes.ReplaceCall(op, order, contract.Config{Callback: name})
}

// onlyArrays reports whether all operands and results of a call are arrays.
func onlyArrays(call stablehlo.CustomCallOp) bool {
	for _, v := range call.Operands {
		if !v.Type().IsRankedTensor() {
			return false
		}
	}
	return !slices.ContainsFunc(call.Results, func(t mlir.Type) bool { return !t.IsRankedTensor() })
}

// nameOf returns the name of the callback that replaces a call. It is the same for the same
// text, wherever the file is.
func (s *standIns) nameOf(op mlir.Operation, target string) string {
	p := op.Location().Position()
	name := fmt.Sprintf("%s@%d:%d", strings.ReplaceAll(target, "\x00", ""), p.Line, p.Column)
	s.names[name]++
	if n := s.names[name]; n > 1 {
		name = fmt.Sprintf("%s#%d", name, n)
	}
	return name
}
