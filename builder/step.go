package builder

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// step is one call of a function of this package: its Go line, its name and its operands.
// All operations of the call get that line as their location. A mistake is reported with
// that name and those operands, whichever of the operations caused it.
type step struct {
	f        *Func
	at       place
	name     string
	operands []Value
	ok       bool  // false after an earlier mistake, or one in the operands
	batches  []int // of what it traces, if they are others than those of the scope
}

// begin starts a step with these operands.
func begin(name string, operands ...Value) step {
	return mustFuncOf(operands...).begin(name, operands...)
}

func (f *Func) begin(name string, operands ...Value) step {
	if f == nil {
		panic(misuse("the function is nil: use the result of Builder.Func or Value.Func"))
	}
	s := step{f: f, at: f.b.here(), name: name, operands: operands}
	s.ok = f.usable(s.at, name, operands)
	return s
}

// none returns the result of a step that built nothing.
func (s *step) none() Value { return s.f.missing() }

// nones returns n results of a step that built nothing.
func (s *step) nones(n int) []Value {
	out := make([]Value, n)
	for i := range out {
		out[i] = s.none()
	}
	return out
}

// fail ends the step with a mistake.
func (s *step) fail(format string, args ...any) Value {
	if s.ok {
		s.f.b.fail(s.at, s.name, s.operands, fmt.Errorf(format, args...))
	}
	s.ok = false
	return s.none()
}

// one appends an operation with one result.
func (s *step) one(op operation) Value {
	if !s.ok {
		return s.none()
	}
	v := s.f.add(s.at, s.name, s.operands, op)
	s.ok = !v.v.IsNil()
	return s.checkSize(v)
}

// checkSize returns v. If the dimensions of its type are impossible, checkSize records a mistake:
// the library derives some of them from wrong numbers and does not check them.
func (s *step) checkSize(v Value) Value {
	if !s.ok {
		return s.none()
	}
	dims, _ := v.v.Type().Dims()
	total := uint64(1)
	for _, d := range dims {
		if d == mlir.Dynamic {
			continue
		}
		high, low := bits.Mul64(total, uint64(max(d, 1)))
		if total = low; d < 0 || high != 0 || low > maxElements {
			return s.fail("the result would be %s, which is not a valid array type", v.v.Type())
		}
	}
	return v
}

// maxElements is more than the memory of any device holds.
const maxElements = 1 << 50

// many appends an operation and returns its n results.
func (s *step) many(n int, op operation) []Value {
	if s.ok {
		var made mlir.Operation
		if made, s.ok = s.f.append(s.at, s.name, s.operands, op); s.ok {
			results := s.f.results(made)
			for _, v := range results {
				if s.checkSize(v); !s.ok {
					return s.nones(n)
				}
			}
			return results
		}
	}
	return s.nones(n)
}

// The parts of operations that consist of several.

// elementwise is an operation that has operands and nothing else.
type elementwise struct {
	name     string
	operands []mlir.Value
}

func (o elementwise) Create(b *mlir.Builder) mlir.Operation {
	return b.Create(mlir.OperationState{Name: o.name, Operands: o.operands, InferResults: true})
}

func (s *step) unary(op string, x Value) Value {
	return s.one(elementwise{op, []mlir.Value{x.v}})
}

func (s *step) binary(op string, x, y Value) Value {
	return s.one(elementwise{op, []mlir.Value{x.v, y.v}})
}

func (s *step) reshape(x Value, dims ...int) Value {
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.ReshapeOp{Operand: x.v, ResultType: s.typed(x, dims)})
}

func (s *step) convert(x Value, d tensor.DType) Value {
	if !s.ok || dtypeOf(x) == d {
		return x
	}
	return s.one(stablehlo.ConvertOp{Operand: x.v, ResultType: s.tensor(tensor.Shape{DType: d, Dims: dimsOf(x)})})
}

// broadcast stretches x to dims. Its axis i becomes axis axes[i].
func (s *step) broadcast(x Value, dims, axes []int) Value {
	if !s.ok {
		return s.none()
	}
	return s.one(
		stablehlo.BroadcastInDimOp{Operand: x.v, BroadcastDimensions: int64s(axes), ResultType: s.typed(x, dims)})
}

// typed returns a tensor type with x's element type and other dimensions.
func (s *step) typed(x Value, dims []int) mlir.Type {
	element, ok := x.v.Type().Element()
	if !ok {
		s.fail("%s is not a tensor", x.v.Type())
		return mlir.Type{}
	}
	s.f.b.open = s.f.b.open || !isStatic(dims)
	t, err := s.f.b.ctx.TensorType(element, mlirDims(dims)...)
	if err != nil {
		s.fail("%w", err)
	}
	return t
}

func (s *step) tensor(shape tensor.Shape) mlir.Type {
	s.f.b.open = s.f.b.open || !isStatic(shape.Dims)
	t, err := stablehlo.TensorType(s.f.b.ctx, shape)
	if err != nil {
		s.fail("%w", err)
	}
	return t
}

// axis returns an axis of an array of the given rank. A negative one counts from the end:
// -1 is the last one.
func (s *step) axis(axis, rank int) int {
	if axis < -rank || axis >= rank {
		if rank == 0 {
			s.fail("a scalar has no axis %d", axis)
		} else {
			s.fail("there is no axis %d: use 0 to %d, or -1 to %d to count from the end", axis, rank-1, -rank)
		}
		return 0
	}
	return (axis + rank) % rank
}

// axes returns different axes of an array of the given rank.
func (s *step) axes(axes []int, rank int) []int {
	out, seen := make([]int, len(axes)), make([]bool, rank)
	for i, a := range axes {
		out[i] = s.axis(a, rank)
		if !s.ok {
			return nil
		}
		if seen[out[i]] {
			s.fail("axis %d is named twice", out[i])
			return nil
		}
		seen[out[i]] = true
	}
	return out
}

// checkRange ends the step if a number is greater than any window, stride or padding can be.
// Calculations with it could overflow.
func (s *step) checkRange(lists ...[]int) {
	const limit = 1 << 31
	for _, list := range lists {
		for _, n := range list {
			if n < -limit || n > limit {
				s.fail("%d is out of range for a window, a stride or a padding", n)
			}
		}
	}
}

// rest returns the axes of an array of the given rank that are not in axes.
func rest(axes []int, rank int) []int {
	out := make([]int, 0, rank)
	seen := make([]bool, rank)
	for _, a := range axes {
		seen[a] = true
	}
	for a := range rank {
		if !seen[a] {
			out = append(out, a)
		}
	}
	return out
}

// upTo returns the numbers from 0 to n-1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// dimsOf returns the dimensions of a value that was built. -1 is an unknown one.
func dimsOf(v Value) []int {
	dims, _ := v.v.Type().Dims()
	out := make([]int, len(dims))
	for i, d := range dims {
		out[i] = int(d)
		if d == mlir.Dynamic {
			out[i] = -1
		}
	}
	return out
}

// isOpen reports whether a type has a dimension that is not known.
func isOpen(t mlir.Type) bool {
	dims, _ := t.Dims()
	return slices.Contains(dims, mlir.Dynamic)
}

func rankOf(v Value) int {
	rank, _ := v.v.Type().Rank()
	return rank
}

// dtypeOf returns the element type of a value that was built. It returns Invalid for a type
// that arrays on the host cannot have, such as a quantized one.
func dtypeOf(v Value) tensor.DType { return v.Shape().DType }

func isStatic(dims []int) bool {
	for _, d := range dims {
		if d < 0 {
			return false
		}
	}
	return true
}

func int64s(list []int) []int64 {
	out := make([]int64, len(list))
	for i, v := range list {
		out[i] = int64(v)
	}
	return out
}

func mlirDims(dims []int) []int64 {
	out := int64s(dims)
	for i, d := range out {
		if d < 0 {
			out[i] = mlir.Dynamic
		}
	}
	return out
}

func mlirs(list []Value) []mlir.Value {
	out := make([]mlir.Value, len(list))
	for i, v := range list {
		out[i] = v.v
	}
	return out
}
