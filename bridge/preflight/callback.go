package preflight

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/internal/dispatch"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// checkCallback finds what is wrong with a call of the contract.
func checkCallback(call stablehlo.CustomCall, attributes mlir.Attribute) (Problem, bool) {
	config, err := decode(attributes)
	if err != nil {
		return Problem{Kind: BadAttributes, Err: err}, true
	}
	fail := func(kind Kind, err error) (Problem, bool) {
		p := Problem{Kind: kind, Callback: config.Name(), Registry: config.Registry, Err: err}
		if unknown, ok := errors.AsType[*callbacks.UnknownError](err); ok {
			p.Nearest = unknown.Nearest
		}
		return p, true
	}
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
	signature, known := signatureOf(args, results)
	hash := contract.SignatureHash(signature)
	if known && config.Signature != "" && config.Signature != hash {
		return fail(WrongSignature, fmt.Errorf("callback %q is called with %s, which is not the signature that stands beside its name", config.Name(), signature))
	}
	if known {
		config.Signature = hash // also where the module asks for no check
	}
	slot, err := dispatch.Resolve(config)
	if err != nil {
		if wrong, ok := errors.AsType[*callbacks.SignatureError](err); ok {
			wrong.Want = signature
			return fail(WrongSignature, wrong)
		}
		if _, ok := errors.AsType[*callbacks.UnknownError](err); ok {
			return fail(MissingCallback, err)
		}
		return fail(BadAttributes, err)
	}
	defer slot.Close()
	if in, out, ok := shapesOf(args, results); ok {
		if err := slot.CheckTypes(in, out); err != nil {
			return fail(WrongSignature, err)
		}
	}
	return Problem{}, false
}

// data divides a call as the bridge will: what the function takes and gives.
func data(call stablehlo.CustomCall, config contract.Config) (args, results []mlir.Type, err error) {
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
			return nil, nil, fmt.Errorf("callback %q passes its operands through: it has %d of them and %d results, and needs one result for each", config.Name(), len(call.Operands), len(call.Results))
		}
		for i, v := range call.Operands {
			if !v.Type().Equal(call.Results[i]) {
				return nil, nil, fmt.Errorf("callback %q passes its operands through: operand %d is %s and the result is %s, and they must be of one type", config.Name(), i, v.Type(), call.Results[i])
			}
		}
		return args, call.Results[:n], nil
	}
	if len(call.Results) < tokens {
		return nil, nil, fmt.Errorf("callback %q has %d results, fewer than its %d tokens", config.Name(), len(call.Results), tokens)
	}
	return args, call.Results[:len(call.Results)-tokens], nil
}

// signatureOf is the signature of a call; known is false where a shape has no size yet.
func signatureOf(args, results []mlir.Type) (signature string, known bool) {
	in, out, ok := shapesOf(args, results)
	unsized := func(s tensor.Shape) bool { return s.Check() != nil }
	return contract.Signature(in, out), ok && !slices.ContainsFunc(in, unsized) && !slices.ContainsFunc(out, unsized)
}

// shapesOf are the shapes of operands and results; ok is false where one is no array.
func shapesOf(args, results []mlir.Type) (in, out []tensor.Shape, ok bool) {
	ok = true
	shapes := func(types []mlir.Type) []tensor.Shape {
		list := make([]tensor.Shape, len(types))
		for i, t := range types {
			s, err := stablehlo.ShapeOf(t)
			ok = ok && err == nil
			list[i] = s
		}
		return list
	}
	return shapes(args), shapes(results), ok
}

// decode reads the attributes as XLA will hand them over.
func decode(dictionary mlir.Attribute) (contract.Config, error) {
	var list []contract.Attr
	if !dictionary.IsNil() {
		for key, value := range dictionary.Entries() {
			list = append(list, contract.Attr{Key: key, Value: goValue(value)})
		}
	}
	return contract.Decode(list)
}

// goValue is the Go value of an attribute, as the call frame of the typed FFI has it.
func goValue(a mlir.Attribute) any {
	if v, ok := a.Bool(); ok {
		return v
	}
	if v, ok := a.Text(); ok {
		return v
	}
	if v, ok := a.Int(); ok {
		return sized(v, a)
	}
	if v, ok := a.Float(); ok {
		return v
	}
	if v, ok := a.Int64s(); ok {
		return v
	}
	return unread(a.String())
}

// sized gives an integer the width that the module has it in.
func sized(v int64, a mlir.Attribute) any {
	t, _ := a.Type()
	bits, signedness, _ := t.IntegerWidth()
	unsigned := signedness == mlir.Unsigned
	switch {
	case bits == 64 && unsigned:
		return uint64(v)
	case bits == 64:
		return v
	case bits == 32 && unsigned:
		return uint32(v)
	case bits == 32:
		return int32(v)
	}
	return unread(a.String())
}

// unread is an attribute of a kind that the contract has no use for, as MLIR prints it.
type unread string
