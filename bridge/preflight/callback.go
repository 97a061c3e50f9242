package preflight

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// checkCallback checks a call of the contract.
func checkCallback(call stablehlo.CustomCallOp, attributes mlir.Attribute) (Problem, bool) {
	config, err := callop.ReadConfig(attributes)
	if err != nil {
		return Problem{Kind: BadAttributes, Err: err}, true
	}
	fail := failing(config)
	in, out, arrays, err := callop.DataShapes(config, mlir.TypesOf(call.Operands), call.Results)
	if err != nil {
		return fail(BadCall, err)
	}
	if config.Host.Encoding != contract.EncodingDictionary {
		if err := resolveFurther(config); err != nil {
			return fail(MissingCallback, err)
		}
		return Problem{}, false
	}
	// The signature is not known if a shape is dynamic.
	unsized := func(s tensor.Shape) bool { return s.Check() != nil }
	known := arrays && !slices.ContainsFunc(slices.Concat(in, out), unsized)
	signature, err := config.SignatureOf(in, out)
	if arrays && err != nil {
		return fail(BadCall, err)
	}
	hash := contract.SignatureHash(signature)
	if known && config.Signature != "" && config.Signature != hash {
		return fail(WrongSignature, fmt.Errorf(
			"callback %q is called with %s, but the signature in its attributes differs", config.Name(), signature))
	}
	if known {
		config.Signature = hash // also if the module has none
	}
	return probe(config, arrays, in, out)
}

// failing returns a function that makes the problems of a call.
func failing(config contract.Config) func(Kind, error) (Problem, bool) {
	return func(kind Kind, err error) (Problem, bool) {
		p := Problem{Kind: kind, Callback: config.Name(), Registry: config.Registry, Err: err}
		if unknown, ok := errors.AsType[*callbacks.UnknownError](err); ok {
			p.Nearest = unknown.Nearest
		}
		return p, true
	}
}

// probe looks up the callback of a call, and compares its types with in and out, if the operands and
// results are arrays.
func probe(config contract.Config, arrays bool, in, out []tensor.Shape) (Problem, bool) {
	fail := failing(config)
	slot, err := dispatch.Probe(config)
	if err != nil {
		if wrong, ok := errors.AsType[*callbacks.SignatureError](err); ok {
			if arrays {
				wrong.Want = contract.Signature(in, out)
			}
			return fail(WrongSignature, fmt.Errorf("%w%s", wrong, remedy(config)))
		}
		if _, ok := errors.AsType[*callbacks.UnknownError](err); ok {
			return fail(MissingCallback, err)
		}
		return fail(BadAttributes, err)
	}
	if arrays {
		if err := slot.CheckTypes(in, out); err != nil {
			return fail(WrongSignature, fmt.Errorf("callback %q: %w%s", config.Name(), err, remedy(config)))
		}
	}
	return Problem{}, false
}

// remedy says what to do about a call that has other types since a transformation.
func remedy(config contract.Config) string {
	list, _ := contract.DecodeTransforms(config.Transforms)
	has := func(name string) bool {
		return slices.ContainsFunc(list, func(t contract.Transform) bool { return t.Name == name })
	}
	switch {
	case has("jvp") && !has("transpose"):
		return "\n  a forward derivative (JVP) calls it with the values and then their tangents: take both in a " +
			"callbacks.Func, call it with StopGradient of the values, or use reverse mode"
	case has("batch"):
		return "\n  a batch calls it once for all elements: take a further dimension, or set its Batch to " +
			`"sequential"`
	}
	return ""
}

// resolveFurther looks up the id in the attributes, in an encoding of other hosts. The rest
// is known only when the module runs.
func resolveFurther(config contract.Config) error {
	switch config.Host.Encoding {
	case contract.EncodingWords:
		_, err := dispatch.ProbeOpaque(config)
		return err
	case contract.EncodingServer:
		if !dispatch.HasOpaque(config.Host.Opaque) {
			return &callbacks.UnknownError{Callback: config.Name(), Missing: "callback"}
		}
	}
	return nil
}
