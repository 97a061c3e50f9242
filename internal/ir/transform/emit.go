package transform

import (
	"fmt"
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/rewrite"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// An Emitter creates operations before one that exists. An error ends the transformation.
type Emitter struct {
	Context   *mlir.Context
	Before    mlir.Operation
	Loc       mlir.Location           // of what is created
	Entry     mlir.Block              // of the function, which gets the constants
	constants map[constant]mlir.Value // in Entry
	keys      map[mlir.Value]constant // of constants
}

type constant struct {
	t     mlir.Type
	value string
}

// NewEmitter returns an emitter for the block of an operation, which gets the constants.
func NewEmitter(before mlir.Operation, loc mlir.Location) *Emitter {
	return &Emitter{
		Context: before.Context(), Before: before, Loc: loc, Entry: before.Block(),
		constants: map[constant]mlir.Value{}, keys: map[mlir.Value]constant{},
	}
}

// creator is an operation of package stablehlo.
type creator interface {
	Create(*mlir.Builder) mlir.Operation
}

// Within returns an emitter that creates operations elsewhere in the same function.
func (e *Emitter) Within(before mlir.Operation) *Emitter {
	within := *e
	within.Before = before
	return &within
}

// Op creates an operation.
func (e *Emitter) Op(o creator) mlir.Operation { return Build(e, o.Create) }

// Build creates what f creates, before Emitter.Before.
func Build[T any](e *Emitter, f func(*mlir.Builder) T) T {
	b := mlir.NewBuilder(mlir.Before(e.Before), e.Loc)
	made := f(b)
	Check(b.Cause()) // without the line of this package
	return made
}

// Do creates an operation of one result.
func (e *Emitter) Do(o creator) mlir.Value { return e.Op(o).Result(0) }

// Clone creates a copy of an operation with other operands.
func (e *Emitter) Clone(op mlir.Operation, operands ...mlir.Value) mlir.Operation {
	copied := op.Clone()
	copied.SetOperands(operands...)
	return e.Before.Block().InsertBefore(e.Before, copied)
}

// Remake creates a copy of an operation with other operands and results before it. The regions move to
// the copy. The caller replaces the results of the old one, and erases it.
func (e *Emitter) Remake(op mlir.Operation, operands []mlir.Value, results []mlir.Type) mlir.Operation {
	return Must(rewrite.Copy(op, operands, results))
}

// At sets where operations are created, and calls f.
func (e *Emitter) At(before mlir.Operation, f func()) {
	old := e.Before
	defer func() { e.Before = old }()
	e.Before = before
	f()
}

// Region returns a new detached region with one block, which ends with a return of nothing.
func (e *Emitter) Region(arguments ...mlir.Type) (mlir.Region, mlir.Block) {
	r, b := e.Context.NewRegion(), e.Context.NewBlock(e.Loc, arguments...)
	r.Append(b)
	Must(mlir.Create(b, mlir.OperationState{Name: "stablehlo.return", Location: e.Loc}))
	return r, b
}

// Constant returns a tensor of type t whose elements are all the same, written as in MLIR. A function has
// each constant once.
func (e *Emitter) Constant(t mlir.Type, value string) mlir.Value {
	return e.shared(constant{t, value}, func() mlir.Attribute {
		return Must(e.Context.ParseAttribute(fmt.Sprintf("dense<%s> : %s", value, t)))
	})
}

func (e *Emitter) shared(key constant, value func() mlir.Attribute) mlir.Value {
	if v, ok := e.constants[key]; ok {
		return v
	}
	op := Must(mlir.Create(mlir.AtStart(e.Entry), mlir.OperationState{
		Name: "stablehlo.constant", Location: e.Loc, InferResults: true,
		Attributes: []mlir.NamedAttribute{{Name: "value", Value: value()}},
	}))
	e.constants[key], e.keys[op.Result(0)] = op.Result(0), key
	return op.Result(0)
}

// Number returns a tensor of type t whose elements are all x.
func (e *Emitter) Number(t mlir.Type, x float64) mlir.Value {
	text := fmt.Sprintf("%.17e", x)
	switch {
	case math.IsInf(x, 0), math.IsNaN(x):
		return e.shared(constant{t, text}, func() mlir.Attribute {
			return Must(e.Context.DenseFromAttributes(t, e.Context.FloatAttribute(Element(t), x)))
		})
	case IsComplex(t):
		text = fmt.Sprintf("(%s, 0.0)", text)
	case Element(t) == e.Context.IntegerType(1, mlir.Signless):
		text = fmt.Sprintf("%t", x != 0)
	case !IsFloat(t):
		text = fmt.Sprintf("%d", int64(x))
	}
	return e.Constant(t, text)
}

// Zero returns zeros of type t.
func (e *Emitter) Zero(t mlir.Type) mlir.Value { return e.Number(t, 0) }

// Unary creates an operation of one operand.
func (e *Emitter) Unary(op func(b *mlir.Builder, x mlir.Value) mlir.Value, x mlir.Value) mlir.Value {
	return Build(e, func(b *mlir.Builder) mlir.Value { return op(b, x) })
}

// Binary creates an operation of two operands.
func (e *Emitter) Binary(op func(b *mlir.Builder, x, y mlir.Value) mlir.Value, x, y mlir.Value) mlir.Value {
	return Build(e, func(b *mlir.Builder) mlir.Value { return op(b, x, y) })
}

// Elementwise creates an operation whose result has the type of its operands.
func (e *Emitter) Elementwise(name string, operands ...mlir.Value) mlir.Value {
	return Must(mlir.Create(mlir.Before(e.Before), mlir.OperationState{
		Name: name, Location: e.Loc, Operands: operands, Results: []mlir.Type{operands[0].Type()},
	})).Result(0)
}

// Compare compares elements.
func (e *Emitter) Compare(d stablehlo.ComparisonDirection, x, y mlir.Value) mlir.Value {
	return e.Do(stablehlo.CompareOp{LHS: x, RHS: y, ComparisonDirection: d})
}

// Select returns x where pred is true, and y elsewhere.
func (e *Emitter) Select(pred, x, y mlir.Value) mlir.Value {
	return e.Do(stablehlo.SelectOp{Pred: pred, OnTrue: x, OnFalse: y})
}

// Reshape returns x with other dimensions.
func (e *Emitter) Reshape(x mlir.Value, to ...int64) mlir.Value {
	if slices.Equal(Dims(x), to) {
		return x
	}
	return e.Do(stablehlo.ReshapeOp{Operand: x, ResultType: Must(e.Context.TensorType(Element(x.Type()), to...))})
}

// Transpose returns x with permuted dimensions.
func (e *Emitter) Transpose(x mlir.Value, permutation []int64) mlir.Value {
	if slices.IsSorted(permutation) {
		return x
	}
	return e.Do(stablehlo.TransposeOp{Operand: x, Permutation: permutation})
}

// Broadcast returns x with dimension i as dimension to[i] of a tensor of these dimensions.
func (e *Emitter) Broadcast(x mlir.Value, to []int64, shape ...int64) mlir.Value {
	if slices.Equal(Dims(x), shape) && slices.IsSorted(to) {
		return x
	}
	return e.Do(stablehlo.BroadcastInDimOp{
		Operand: x, BroadcastDimensions: to, ResultType: Must(e.Context.TensorType(Element(x.Type()), shape...)),
	})
}

// Slice returns the elements from start to limit, by strides.
func (e *Emitter) Slice(x mlir.Value, start, limit, strides []int64) mlir.Value {
	n := len(start)
	if slices.Equal(start, make([]int64, n)) && slices.Equal(limit, Dims(x)) && slices.Equal(strides, Ones(n)) {
		return x
	}
	return e.Do(stablehlo.SliceOp{Operand: x, StartIndices: start, LimitIndices: limit, Strides: strides})
}

// Iota returns the positions along a dimension.
func (e *Emitter) Iota(element mlir.Type, dimension int64, shape ...int64) mlir.Value {
	return e.Do(stablehlo.IotaOp{IotaDimension: dimension, ResultType: Must(e.Context.TensorType(element, shape...))})
}

// Widened returns integers in 32 bits at least. Smaller ones need not count to the size of a dimension.
func (e *Emitter) Widened(x mlir.Value) mlir.Value {
	if bits, _, _ := Element(x.Type()).IntegerWidth(); bits >= 32 {
		return x
	}
	i32 := e.Context.IntegerType(32, mlir.Signless)
	return e.Do(stablehlo.ConvertOp{Operand: x, ResultType: Must(e.Context.TensorType(i32, Dims(x)...))})
}
