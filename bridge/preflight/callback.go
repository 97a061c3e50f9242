package preflight

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/internal/dispatch"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
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
	if config.Encoding != contract.EncodingDictionary {
		if err := checkOperand(call, config.Encoding); err != nil {
			return fail(BadCall, err)
		}
		if err := resolveFurther(config); err != nil {
			return fail(MissingCallback, err)
		}
		return Problem{}, false
	}
	args, results, err := data(call, config)
	if err != nil {
		return fail(BadCall, err)
	}
	in, errIn := callop.Shapes(args)
	out, errOut := callop.Shapes(results)
	arrays := errIn == nil && errOut == nil
	// The signature is not known if a shape is dynamic.
	unsized := func(s tensor.Shape) bool { return s.Check() != nil }
	known := arrays && !slices.ContainsFunc(slices.Concat(in, out), unsized)
	signature := contract.Signature(in, out)
	hash := contract.SignatureHash(signature)
	if known && config.Signature != "" && config.Signature != hash {
		return fail(WrongSignature, fmt.Errorf("callback %q is called with %s, but the signature in its attributes differs", config.Name(), signature))
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
			return fail(WrongSignature, wrong)
		}
		if _, ok := errors.AsType[*callbacks.UnknownError](err); ok {
			return fail(MissingCallback, err)
		}
		return fail(BadAttributes, err)
	}
	if arrays {
		if err := slot.CheckTypes(in, out); err != nil {
			return fail(WrongSignature, fmt.Errorf("callback %q: %w", config.Name(), err))
		}
	}
	return Problem{}, false
}

// data returns the types of the arrays that the function gets and returns. It splits the
// call like package bridge.
func data(call stablehlo.CustomCallOp, config contract.Config) (args, results []mlir.Type, err error) {
	n, _, tokens, err := config.Split(len(call.Operands))
	if err != nil {
		return nil, nil, err
	}
	for _, v := range call.Operands[:n] {
		args = append(args, v.Type())
	}
	switch config.Form {
	case contract.Observe:
		return args, nil, nil
	case contract.Passthrough:
		if len(call.Results) != len(call.Operands) {
			return nil, nil, fmt.Errorf("callback %q passes its operands through, but it has %d operands and %d results: it needs one result for each operand", config.Name(), len(call.Operands), len(call.Results))
		}
		for i, v := range call.Operands {
			if !v.Type().Equal(call.Results[i]) {
				return nil, nil, fmt.Errorf("callback %q passes its operands through, but operand %d is %s and its result is %s: they must have the same type", config.Name(), i, v.Type(), call.Results[i])
			}
		}
		return args, call.Results[:n], nil
	}
	if len(call.Results) < tokens {
		return nil, nil, fmt.Errorf("callback %q has %d results, fewer than its %d tokens", config.Name(), len(call.Results), tokens)
	}
	return args, call.Results[:len(call.Results)-tokens], nil
}
