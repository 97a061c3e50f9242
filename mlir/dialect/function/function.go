// Package function reads the operations of MLIR's func dialect: functions and their calls,
// and the attributes of arguments and results of a func.func, which it also sets.
package function

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// SetArgAttr sets an attribute of the i-th argument of a func.func. Names that verify
// begin with a dialect's: "llvm.noalias". A library that lacks the function refuses
// with an error that matches mlir.ErrUnsupported.
func SetArgAttr(f mlir.Operation, i int, name string, a mlir.Attribute) error {
	return set(f, "SetArgAttr", "mlirFuncSetArgAttr", capi.MlirFuncSetArgAttr, i, name, a)
}

// SetResultAttr sets an attribute of the i-th result of a func.func.
func SetResultAttr(f mlir.Operation, i int, name string, a mlir.Attribute) error {
	return set(f, "SetResultAttr", "mlirFuncSetResultAttr", capi.MlirFuncSetResultAttr, i, name, a)
}

func set(f mlir.Operation, method, function string, call func(*capi.Table, capi.MlirOperation, int, string, capi.MlirAttribute),
	i int, name string, a mlir.Attribute) error {
	c, h := raw.UnwrapOperation(f, "function."+method)
	value := raw.AttributeIn(a, c, "function."+method)
	if err := raw.Need(c.Library(), function); err != nil {
		return err
	}
	inputs, results, err := signature(f)
	if err != nil {
		return err
	}
	n, what := len(inputs), "arguments"
	if method == "SetResultAttr" {
		n, what = len(results), "results"
	}
	switch {
	case i < 0 || i >= n:
		return fmt.Errorf("function: attribute %d cannot be set: the function has %d %s", i, n, what)
	case name == "":
		return errors.New("function: an attribute needs a name")
	}
	call(raw.Table(c), h, i, name, value)
	return nil
}

// ArgAttr is an attribute of the i-th argument of a func.func.
func ArgAttr(f mlir.Operation, i int, name string) (mlir.Attribute, bool) {
	return get(f, "arg_attrs", i, name)
}

// ResultAttr is an attribute of the i-th result of a func.func.
func ResultAttr(f mlir.Operation, i int, name string) (mlir.Attribute, bool) {
	return get(f, "res_attrs", i, name)
}

func get(f mlir.Operation, list string, i int, name string) (mlir.Attribute, bool) {
	all, _ := f.Attribute(list)
	if all.IsNil() {
		return mlir.Attribute{}, false
	}
	each, ok := all.Elements()
	if !ok || i < 0 || i >= len(each) {
		return mlir.Attribute{}, false
	}
	for key, value := range each[i].Entries() {
		if key == name {
			return value, true
		}
	}
	return mlir.Attribute{}, false
}

func signature(f mlir.Operation) (inputs, results []mlir.Type, err error) {
	if name := f.Name(); name != "func.func" {
		return nil, nil, fmt.Errorf("function: %s is no func.func", name)
	}
	if a, ok := f.Attribute("function_type"); ok {
		if t, ok := a.TypeValue(); ok {
			if inputs, results, ok := t.Signature(); ok {
				return inputs, results, nil
			}
		}
	}
	return nil, nil, errors.New("function: the func.func has no type")
}
