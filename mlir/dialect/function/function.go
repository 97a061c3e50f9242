// Package function builds and reads the operations of MLIR's dialect func: functions, their calls and returns. Func
// makes a function whose body a Go function builds, and FuncOptions has its visibility. Inline, Callees and the
// functions on attributes of arguments and results work on modules that exist.
package function

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// SetArgAttr sets an attribute of the i-th argument of a func.func. The verifier requires
// names that begin with a dialect, such as "llvm.noalias". If the library lacks the C
// function, the error matches mlir.ErrUnsupported.
func SetArgAttr(f mlir.Operation, i int, name string, a mlir.Attribute) error {
	return set(f, false, i, name, a)
}

// SetResultAttr sets an attribute of the i-th result of a func.func, like SetArgAttr.
func SetResultAttr(f mlir.Operation, i int, name string, a mlir.Attribute) error {
	return set(f, true, i, name, a)
}

func set(f mlir.Operation, ofResult bool, i int, name string, a mlir.Attribute) error {
	method, function, call := "function.SetArgAttr", "mlirFuncSetArgAttr", capi.MlirFuncSetArgAttr
	if ofResult {
		method, function, call = "function.SetResultAttr", "mlirFuncSetResultAttr", capi.MlirFuncSetResultAttr
	}
	c, h := raw.UnwrapOperation(f, method)
	value := raw.AttributeIn(a, c, method)
	if err := raw.Need(c.Library(), function); err != nil {
		return err
	}
	inputs, results, err := signature(f)
	if err != nil {
		return err
	}
	n, what := len(inputs), "arguments"
	if ofResult {
		n, what = len(results), "results"
	}
	switch {
	case i < 0 || i >= n:
		return fmt.Errorf("function: cannot set attribute %d: the function has %d %s", i, n, what)
	case name == "":
		return errors.New("function: an attribute needs a name")
	}
	call(raw.Table(c), h, i, name, value)
	return nil
}

// ArgAttr returns an attribute of the i-th argument of a func.func. It returns false if the
// argument does not have it.
func ArgAttr(f mlir.Operation, i int, name string) (mlir.Attribute, bool) {
	return get(f, "arg_attrs", i, name)
}

// ResultAttr returns an attribute of the i-th result of a func.func. It returns false if
// the result does not have it.
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
		return nil, nil, fmt.Errorf("function: %s is not a func.func", name)
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
