package preflight

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// isJAX reports whether a target is one of JAX's callbacks, and served by Options.JAXCallbacks or
// by nothing.
func (o Options) isJAX(target string) bool {
	return contract.IsJAXTarget(target) && !slices.Contains(o.Handlers, target) && !slices.Contains(o.targets(), target)
}

// checkSurplus looks for names that serve no call.
func (o Options) checkSurplus(m *mlir.Module) (Problem, bool) {
	if len(o.JAXCallbacks) == 0 {
		return Problem{}, false
	}
	err := dispatch.CheckJAXCallbacks(o.JAXCallbacks, contract.JAXIndices(stablehlo.CustomCalls(m)))
	op := m.Operation()
	return Problem{Kind: MissingCall, Err: err, Operation: op, Position: op.Location().Position()}, err != nil
}

// checkJAX checks a call of a callback of JAX.
func (o Options) checkJAX(call stablehlo.CustomCallOp, attributes mlir.Attribute) (Problem, bool) {
	var entry mlir.Attribute
	has := false
	if !attributes.IsNil() {
		entry, has = attributes.Entry("index")
	}
	if !has {
		return Problem{Kind: BadAttributes,
			Err: fmt.Errorf("the call of @%s has no attribute index, a ui64, which JAX writes", call.Target)}, true
	}
	t, _ := entry.Type()
	index, ok := entry.Uint()
	if !ok || t.String() != "ui64" {
		return Problem{Kind: BadAttributes,
			Err: fmt.Errorf("the call of @%s has index = %s: it must be a ui64", call.Target, entry)}, true
	}
	name, err := dispatch.JAXCallback(o.JAXCallbacks, index)
	if err != nil {
		return Problem{Kind: MissingCallback, Err: err}, true
	}
	types := mlir.TypesOf(call.Operands)
	in, errIn := callop.Shapes(types[stablehlo.Tokens(types):])
	out, errOut := callop.Shapes(call.Results[stablehlo.Tokens(call.Results):])
	arrays := errIn == nil && errOut == nil
	config := contract.Config{Form: contract.Call, Callback: name}
	if arrays && !slices.ContainsFunc(slices.Concat(in, out), func(s tensor.Shape) bool { return s.Check() != nil }) {
		config.Signature = contract.SignatureHash(contract.Signature(in, out))
	}
	p, found := probe(config, arrays, in, out)
	if found && p.Kind == WrongSignature {
		p.Err = fmt.Errorf("the call has the index %d: %w", index, p.Err)
	}
	if found && p.Kind == BadAttributes && errOut == nil && len(out) == 0 { // registered for calls without results
		config.Form = contract.Observe
		return probe(config, arrays, in, out)
	}
	return p, found
}
