package bridge

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/bridge/internal/hlo"
	"github.com/calliope-mlir/calliope/bridge/internal/xla"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/ffi/serve"
)

// serveJAX registers the targets of JAX's callbacks.
func (p *Plugin) serveJAX() error {
	for _, target := range contract.JAXTargets() {
		if t, ok := p.foreignTo(target); ok {
			if !t.JAX {
				return fmt.Errorf("bridge: JAXCallbacks: custom call target %q: the callback %q serves it already: leave it out of OpenOptions.Foreign", target, t.Callback)
			}
			continue
		}
		t := serve.Foreign{ForeignTarget: callbacks.ForeignTarget{Target: target}, JAX: true}
		if err := p.registerForeign(t); err != nil {
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
	o.Within, end = serve.BindJAX(names)
	return end, nil
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
	index, err := dispatch.JAXIndex(dispatch.Attributes(attrs))
	if err == nil {
		s.Config.Callback, _ = dispatch.JAXCallback(names, index)
	}
	s.Name = s.Config.Callback
	return index
}
