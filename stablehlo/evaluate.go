package stablehlo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// An EvaluateError reports that the reference interpreter does not support an operation
// of a module.
type EvaluateError struct {
	Operation string        // name of the operation
	Position  mlir.Position // source position of the operation
	Reason    string
}

func (e *EvaluateError) Error() string {
	return fmt.Sprintf("stablehlo: evaluating %s at %s: %s", e.Operation, e.Position, e.Reason)
}

// Evaluate runs the function main of a module in StableHLO's reference interpreter,
// which is slow and exact. It returns the results, which do not share memory with the
// arguments. The function and the arguments must have static shapes.
//
// The interpreter aborts the process if it does not support an operation. Evaluate
// therefore checks the whole module first, and returns an *EvaluateError for anything
// that the interpreter is not known to support. The passes
// stablehlo-legalize-deprecated-ops and chlo-legalize-to-stablehlo replace some of these
// operations. The interpreter may still abort the process for errors that appear only at
// run time, and a loop may not terminate. Run untrusted modules in a child process.
//
// A convolution whose result has another element type than its operands is computed in the
// wider one of the two types, a comparison by totalOrder as one of integers, and a
// select_and_scatter that adds as one from zero, to which its initial value is added.
// Unsigned indices are made signed ones of 64 bits. The quotient of an integer by zero has
// all bits set, the remainder is the integer, and the least integer divided by -1 is itself. Numbers of f8E3M4 are
// rounded to integers in f32, and the precision of numbers of 8 bits and fewer is reduced
// there, as their logistic is computed there.
func Evaluate(m *mlir.Module, arguments ...tensor.View) ([]tensor.View, error) {
	c := m.Context()
	l := c.Library()
	inputs, err := checkEvaluate(m)
	if err != nil {
		return nil, err
	}
	if len(arguments) != len(inputs) {
		return nil, fmt.Errorf("stablehlo: main takes %d arguments, but %d are given", len(inputs), len(arguments))
	}
	handles := make([]capi.MlirAttribute, len(arguments))
	for i, a := range arguments {
		if err := a.Check(); err != nil {
			return nil, fmt.Errorf("stablehlo: argument %d: %w", i, err)
		}
		if want, err := ShapeOf(inputs[i]); err != nil || !want.Equal(a.Shape) {
			return nil, fmt.Errorf("stablehlo: argument %d of main is %s, but %s is given", i, inputs[i], a.Shape)
		}
		v, err := denseAttribute(c, inputs[i], a)
		if err != nil {
			return nil, fmt.Errorf("stablehlo: argument %d: %w", i, err)
		}
		handles[i] = raw.Attribute(v)
	}
	m, copied, err := corrected(m)
	if err != nil {
		return nil, err
	}
	if copied {
		defer m.Close()
	}
	var failed int32
	result := capi.StablehloEvalModule(raw.LibraryTable(l), raw.Module(m), int32(len(handles)), raw.First(handles),
		&failed)
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

// CheckEvaluate returns the error that Evaluate would return for the module before it runs anything.
func CheckEvaluate(m *mlir.Module) error {
	_, err := checkEvaluate(m)
	return err
}

// checkEvaluate returns the types of main's arguments.
func checkEvaluate(m *mlir.Module) (inputs []mlir.Type, err error) {
	const name = "stablehloEvalModule"
	if l := m.Context().Library(); !l.Has(name) {
		return nil, &mlir.UnsupportedError{Library: l.Path(), Function: name}
	}
	if err := m.Verify(); err != nil { // the interpreter crashes on invalid modules
		return nil, err
	}
	return evaluable(m)
}

// A correction is for operations that the interpreter computes wrongly.
type correction struct {
	wrong   func(mlir.Operation) bool
	correct func(mlir.Operation) error
}

// corrections are in the order in which an operation needs them.
var corrections = []correction{
	{inResource, InlineResource},
	{mixed, makeUniform}, {reordered, reorder}, {totalOrder, compareIntegers}, {repeats, addInitial},
	{unsignedIndices, signIndices}, {divides, divideSafely}, {roundsSmall, roundWide},
}

// corrected returns a module in which no operation is one that the interpreter computes
// wrongly, and whether it is a copy, which the caller must close.
func corrected(m *mlir.Module) (_ *mlir.Module, copied bool, err error) {
	wrong := func(op mlir.Operation) bool {
		return slices.ContainsFunc(corrections, func(c correction) bool { return c.wrong(op) })
	}
	if m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if wrong(op) {
			return mlir.WalkStop
		}
		return mlir.WalkContinue
	}) {
		return m, false, nil
	}
	m = m.Clone()
	var list []mlir.Operation
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if wrong(op) {
			list = append(list, op)
		}
		return mlir.WalkContinue
	})
	for _, op := range list {
		for _, c := range corrections {
			if !c.wrong(op) {
				continue
			}
			if err := c.correct(op); err != nil {
				m.Close()
				return nil, false, err
			}
		}
	}
	return m, true, nil
}

// viewOf returns a copy of a constant's elements.
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

// evaluated holds the operations that the interpreter supports, besides the elementwise
// operations. It supports all of those.
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

// Evaluates reports whether the reference interpreter supports operations of this name
// with static shapes.
func Evaluates(name string) bool { return evaluated[name] || elementwise[name] }

// evaluable checks everything in the module and returns the types of main's arguments.
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
			refuse(op, "the interpreter supports only functions in a module")
			continue
		}
		a, _ := op.Attribute("function_type")
		t, _ := a.TypeValue()
		takes, returns, _ := t.Signature()
		symbol, _ := op.Symbol()
		switch {
		case op.Region(0).NumBlocks() != 1:
			refuse(op, "the interpreter supports only functions with one block")
		case symbol == "main":
			hasMain, inputs = true, takes
			for _, t := range append(append([]mlir.Type(nil), takes...), returns...) {
				if _, shapeErr := ShapeOf(t); shapeErr != nil {
					refuse(op, "main must take and return tensors of numbers, not %s", t)
				}
			}
		}
	}
	if !hasMain {
		refuse(module, "the module has no function main")
	}
	if err != nil {
		return nil, err
	}
	module.Walk(func(op mlir.Operation) mlir.WalkAction {
		if !Evaluates(op.Name()) {
			refuse(op, "the interpreter does not support this operation")
		}
		if contractsNothing(op) {
			refuse(op, "the interpreter does not support a contracting dimension of size 0")
		}
		for _, v := range op.Results() {
			if !isStatic(v.Type()) {
				refuse(op, "the interpreter does not support its result type %s", v.Type())
			}
			if _, isTuple := v.Type().Elements(); isTuple && !strings.Contains(op.Name(), "tuple") {
				refuse(op, "the interpreter does not support a result that is a tuple: return its elements")
			}
		}
		if s, ok := AsSelectAndScatter(op); ok && repeats(op) && combination(s.Scatter) != "add" {
			refuse(op, "the interpreter repeats its initial value: let it add, or compute an extreme")
		}
		if c, ok := AsCompare(op); ok && c.ComparisonDirection != CompareEQ && c.ComparisonDirection != CompareNE {
			if from, _ := elementsOf(op); kindOf(from) == 'c' {
				refuse(op, "the interpreter does not order complex numbers")
			}
		}
		if mixed(op) {
			if from, to := elementsOf(op); !convertible(from, to) {
				refuse(op, "the interpreter does not support a result of %s for operands of %s", to, from)
			}
		}
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				for _, v := range b.Arguments() {
					if !isStatic(v.Type()) {
						refuse(op, "the interpreter does not support its argument type %s", v.Type())
					}
					if _, isTuple := v.Type().Elements(); isTuple {
						refuse(op, "the interpreter does not support an argument that is a tuple: pass its elements")
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

// contractsNothing reports whether an operation is a product over a dimension of size 0.
func contractsNothing(op mlir.Operation) bool {
	var operand mlir.Value
	var over []int64
	if o, ok := AsDotGeneral(op); ok {
		operand, over = o.LHS, o.DotDimensionNumbers.LHSContractingDimensions
	} else if o, ok := AsConvolution(op); ok {
		n := o.DimensionNumbers
		operand = o.RHS
		over = append(slices.Clone(n.KernelSpatialDimensions), n.KernelInputFeatureDimension)
	} else {
		return false
	}
	s, err := ShapeOf(operand.Type())
	return err == nil && slices.ContainsFunc(over, func(d int64) bool { return s.Dims[d] == 0 })
}

// isStatic reports whether the interpreter supports values of the type: tensors of
// numbers with static shapes, tokens, and tuples of these.
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
