package bridge

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/bridge/internal/hlo"
	"github.com/calliope-mlir/calliope/bridge/internal/xla"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/internal/ffi"
)

// jaxCompiles has the CompileOptions.JAXCallbacks of the compiles and loads in progress, by
// number.
var jaxCompiles sync.Map

var lastJAXCompile atomic.Uint64

// serveJAX registers the targets of JAX's callbacks.
func (p *Plugin) serveJAX() error {
	for _, target := range contract.JAXTargets() {
		if t, ok := p.foreignTo(target); ok {
			if t.callbackOf == nil {
				return fmt.Errorf("bridge: JAXCallbacks: custom call target %q: the callback %q serves it already: leave it out of OpenOptions.Foreign", target, t.Callback)
			}
			continue
		}
		if err := p.registerForeign(foreignTarget{callbacks.ForeignTarget{Target: target}, jaxCallbackOf}); err != nil {
			return err
		}
	}
	return nil
}

// bindJAX sets the callbacks of JAX's calls for what XLA makes with these options. The caller
// must call end.
func (c *Client) bindJAX(names []string, o *xla.CompileOptions) (end func(), err error) {
	if len(names) == 0 {
		return func() {}, nil
	}
	if err := c.plugin.serveJAX(); err != nil {
		return nil, err
	}
	number := lastJAXCompile.Add(1)
	jaxCompiles.Store(number, names)
	o.Within = func(f func()) { ffi.Within(number, f) }
	return func() { jaxCompiles.Delete(number) }, nil
}

// jaxCallbackOf returns the callback of a call of JAX in the module that this thread compiles or
// loads.
func jaxCallbackOf(a callbacks.Attributes) (string, error) {
	index, err := jaxIndex(a)
	if err != nil {
		return "", err
	}
	names, _ := jaxCompiles.Load(ffi.Binding())
	list, _ := names.([]string)
	return dispatch.JAXCallback(list, index)
}

func jaxIndex(a callbacks.Attributes) (uint64, error) {
	v, ok := a.Get("index")
	if !ok {
		return 0, &callbacks.AttributeError{Name: "index", Want: "a uint64"}
	}
	index, ok := v.(uint64)
	if !ok {
		return 0, &callbacks.AttributeError{Name: "index", Want: "a uint64", Got: fmt.Sprintf("a %T", v)}
	}
	return index, nil
}

// checkJAXCallbacks returns an error for names that no callback can have.
func checkJAXCallbacks(names []string) error {
	for i, name := range names {
		if name == "" {
			continue
		}
		if err := dispatch.ForeignConfig(callbacks.ForeignTarget{Callback: name}).Validate(); err != nil {
			return fmt.Errorf("JAXCallbacks[%d]: %w", i, err)
		}
	}
	return nil
}

// checkIndices returns an error for names that serve no call of a module.
func checkIndices(m contract.Module, names []string) error {
	if m.Calls == nil || len(names) == 0 {
		return nil
	}
	return dispatch.CheckJAXCallbacks(names, contract.JAXIndices(m.Calls()))
}

// checkJAXTypes compares the arrays of JAX's calls in XLA's program with the types of the functions that
// have any.
func checkJAXTypes(program []byte, names []string) error {
	if len(names) == 0 {
		return nil
	}
	targets := map[string]bool{}
	for _, target := range contract.JAXTargets() {
		targets[target] = true
	}
	for _, call := range hlo.Calls(program, targets) {
		s := callSite(call)
		index := s.nameJAX(names, call.Attrs)
		if s.Name == "" {
			continue
		}
		if err := checkTypes(s); err != nil {
			at := ""
			if call.Place != "" {
				at = " at " + call.Place
			}
			return fmt.Errorf("bridge: Compile: CompileOptions.JAXCallbacks[%d] is %q, and the call%s is %s: %w",
				index, s.Name, at, s.Signature, err)
		}
	}
	return nil
}

// checkTypes compares the arrays of a call with the types of its function.
func checkTypes(s CallSite) error {
	args, results, err := contract.ParseSignature(s.Signature)
	if err != nil {
		return nil // there are no such arrays, and the call will say so
	}
	slot, err := dispatch.Probe(
		contract.Config{Form: contract.Call, Callback: s.Name, Signature: contract.SignatureHash(s.Signature)})
	if wrong, ok := errors.AsType[*callbacks.SignatureError](err); ok {
		wrong.Want = s.Signature
		return wrong
	}
	if err != nil {
		return nil // XLA bound the call to a function that has no results
	}
	return slot.CheckTypes(args, results)
}

// nameJAX sets the name of a call site of JAX, and returns its index.
func (s *CallSite) nameJAX(names []string, attrs []contract.Attr) (index uint64) {
	for _, a := range attrs {
		if v, ok := a.Value.(uint64); ok && a.Key == "index" {
			index = v
			s.Config.Callback, _ = dispatch.JAXCallback(names, index)
		}
	}
	s.Name = s.Config.Callback
	return index
}
