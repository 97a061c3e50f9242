package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// EvaluateError says what in a module the reference interpreter does not take.
type EvaluateError struct {
	Operation string        // name of the operation
	Position  mlir.Position // where it stands
	Reason    string
}

func (e *EvaluateError) Error() string {
	return fmt.Sprintf("stablehlo: evaluating %s at %s: %s", e.Operation, e.Position, e.Reason)
}

// Evaluate runs the function main of a module in StableHLO's reference interpreter,
// which is slow and exact, and returns its results, with memory of their own. The
// function and the arguments have static shapes.
//
// The interpreter ends the process over what it does not know. So everything in the
// module is looked at first, and what it is not known to take is an *EvaluateError; the
// passes stablehlo-legalize-deprecated-ops and chlo-legalize-to-stablehlo make more
// modules fit. It may still end the process on what only shows as it
// runs, and a loop may never end: modules of strangers belong in a child process.
func Evaluate(m *mlir.Module, arguments ...tensor.View) ([]tensor.View, error) {
	const name = "stablehloEvalModule"
	c := m.Context()
	l := c.Library()
	if !l.Has(name) {
		return nil, &mlir.UnsupportedError{Library: l.Path(), Function: name}
	}
	if err := m.Verify(); err != nil { // on others the interpreter crashes
		return nil, err
	}
	inputs, err := evaluable(m)
	if err != nil {
		return nil, err
	}
	if len(arguments) != len(inputs) {
		return nil, fmt.Errorf("stablehlo: main takes %d arguments, %d given", len(inputs), len(arguments))
	}
	handles := make([]capi.MlirAttribute, len(arguments))
	for i, a := range arguments {
		if err := a.Check(); err != nil {
			return nil, fmt.Errorf("stablehlo: argument %d: %w", i, err)
		}
		if want, err := ShapeOf(inputs[i]); err != nil || !want.Equal(a.Shape) {
			return nil, fmt.Errorf("stablehlo: argument %d of main is %s, and the one given is %s", i, inputs[i], a.Shape)
		}
		v, err := denseAttribute(c, inputs[i], a)
		if err != nil {
			return nil, fmt.Errorf("stablehlo: argument %d: %w", i, err)
		}
		handles[i] = raw.Attribute(v)
	}
	var failed int32
	result := capi.StablehloEvalModule(raw.LibraryTable(l), raw.Module(m), int32(len(handles)), raw.First(handles), &failed)
	if failed != 0 || result.Ptr == nil {
		return nil, raw.Failure(c, "evaluating the module")
	}
	elements, _ := raw.WrapAttribute(c, result).Elements()
	views := make([]tensor.View, len(elements))
	for i, e := range elements {
		if views[i], err = viewOf(e); err != nil {
			return nil, fmt.Errorf("stablehlo: result %d: %w", i, err)
		}
	}
	return views, nil
}

// viewOf is a copy of a constant's elements.
func viewOf(a mlir.Attribute) (tensor.View, error) {
	t, _ := a.Type()
	shape, err := ShapeOf(t)
	if err != nil {
		return tensor.View{}, err
	}
	data, err := a.DenseBytes()
	if err != nil {
		return tensor.View{}, err
	}
	if d := shape.DType; d == tensor.S2 || d == tensor.S4 {
		for i, b := range data { // the bits above an element are zero in MLIR
			data[i] = byte(int8(b<<(8-d.Bits())) >> (8 - d.Bits()))
		}
	}
	return tensor.View{Shape: shape, Data: data}, nil
}

// evaluated are the operations that the interpreter takes, besides the elementwise
// ones, all of which it does.
var evaluated = map[string]bool{
	"builtin.module": true, "func.func": true, "func.call": true, "func.return": true,

	"stablehlo.after_all": true, "stablehlo.bitcast_convert": true, "stablehlo.broadcast_in_dim": true,
	"stablehlo.case": true, "stablehlo.clamp": true, "stablehlo.compare": true, "stablehlo.complex": true,
	"stablehlo.composite": true, "stablehlo.concatenate": true, "stablehlo.constant": true, "stablehlo.convert": true,
	"stablehlo.convolution": true, "stablehlo.count_leading_zeros": true, "stablehlo.dot_general": true,
	"stablehlo.dynamic_broadcast_in_dim": true, "stablehlo.dynamic_conv": true, "stablehlo.dynamic_gather": true,
	"stablehlo.dynamic_iota": true, "stablehlo.dynamic_pad": true, "stablehlo.dynamic_reshape": true,
	"stablehlo.dynamic_slice": true, "stablehlo.dynamic_update_slice": true, "stablehlo.gather": true,
	"stablehlo.get_dimension_size": true, "stablehlo.get_tuple_element": true, "stablehlo.if": true,
	"stablehlo.imag": true, "stablehlo.iota": true, "stablehlo.is_finite": true, "stablehlo.map": true,
	"stablehlo.optimization_barrier": true, "stablehlo.pad": true, "stablehlo.popcnt": true, "stablehlo.real": true,
	"stablehlo.reduce": true, "stablehlo.reduce_precision": true,
	"stablehlo.reduce_window": true, "stablehlo.reshape": true, "stablehlo.return": true, "stablehlo.reverse": true,
	"stablehlo.scatter": true, "stablehlo.select": true, "stablehlo.select_and_scatter": true, "stablehlo.slice": true,
	"stablehlo.sort": true, "stablehlo.transpose": true, "stablehlo.tuple": true, "stablehlo.while": true,
}

// Evaluates reports whether the reference interpreter takes an operation of this name,
// where its shapes are static.
func Evaluates(name string) bool { return evaluated[name] || elementwise[name] }

// evaluable looks at everything in the module, and returns the types of main's
// arguments.
func evaluable(m *mlir.Module) (inputs []mlir.Type, err error) {
	module := m.Operation()
	refuse := func(op mlir.Operation, reason string, args ...any) {
		if err == nil {
			err = &EvaluateError{op.Name(), op.Location().Position(), fmt.Sprintf(reason, args...)}
		}
	}
	hasMain := false
	for op := range m.Body().Operations() {
		if op.Name() != "func.func" {
			refuse(op, "the interpreter takes modules of functions only")
			continue
		}
		a, _ := op.Attribute("function_type")
		t, _ := a.TypeValue()
		takes, returns, _ := t.Signature()
		symbol, _ := op.Symbol()
		switch {
		case op.Region(0).NumBlocks() != 1:
			refuse(op, "the interpreter needs functions with one block")
		case symbol == "main":
			hasMain, inputs = true, takes
			for _, t := range append(append([]mlir.Type(nil), takes...), returns...) {
				if _, shapeErr := ShapeOf(t); shapeErr != nil {
					refuse(op, "main takes and returns tensors of numbers, not %s", t)
				}
			}
		}
	}
	if !hasMain {
		refuse(module, "it has no function main")
	}
	if err != nil {
		return nil, err
	}
	module.Walk(func(op mlir.Operation) mlir.WalkAction {
		if !Evaluates(op.Name()) {
			refuse(op, "the interpreter does not take this operation")
		}
		if dot, ok := AsDotGeneral(op); ok && contractsNothing(dot) {
			refuse(op, "the interpreter does not take a contracting dimension of size 0")
		}
		for _, v := range op.Results() {
			if !isStatic(v.Type()) {
				refuse(op, "the interpreter does not take its result type %s", v.Type())
			}
		}
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				for _, v := range b.Arguments() {
					if !isStatic(v.Type()) {
						refuse(op, "the interpreter does not take its argument type %s", v.Type())
					}
				}
			}
		}
		if err != nil {
			return mlir.WalkStop
		}
		return mlir.WalkContinue
	})
	return inputs, err
}

// contractsNothing reports whether each element of a product is a sum of no numbers.
func contractsNothing(o DotGeneral) bool {
	lhs, err := ShapeOf(o.LHS.Type())
	if err != nil {
		return false
	}
	for _, d := range o.DotDimensionNumbers.LHSContractingDimensions {
		if lhs.Dims[d] == 0 {
			return true
		}
	}
	return false
}

// isStatic reports whether the interpreter knows values of the type: tensors of
// numbers with all sizes known, tokens, and tuples of these.
func isStatic(t mlir.Type) bool {
	if elements, isTuple := t.Elements(); isTuple {
		for _, e := range elements {
			if !isStatic(e) {
				return false
			}
		}
		return true
	}
	if s, err := ShapeOf(t); err == nil {
		for _, d := range s.Dims {
			if d < 0 {
				return false
			}
		}
		return true
	}
	return IsToken(t)
}
