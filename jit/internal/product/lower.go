// Package product makes the matrix products of a module calls of functions that it compiles, one for each element type.
package product

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/calliope-mlir/calliope/jit/internal/extern"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Function is the C function of package runtime that a product becomes a call of. Its arguments are the address of a
// kernel, the sizes of elements of the operands and the result and that of the memory, those of the batch, the rows,
// columns and inner dimension, whether the operands are turned, and the addresses of the operands, the result and the
// memory.
const Function = "calliope_jit_product"

// smallest is the number of multiplications from which on a call is faster than loops.
const smallest = 512

// Lower replaces the products of a module, which has operations of StableHLO, that gain from it. Others stay.
func Lower(m *mlir.Module) error {
	for _, step := range []func(*mlir.Module) error{applyAlgorithms, convert, expand, convertConvolutions, exchange} {
		if err := step(m); err != nil {
			return err
		}
	}
	names := map[string]string{} // of functions that make calls, by what they call
	for op := range m.Operation().Index().Named("stablehlo.dot_general") {
		if p, ok := read(op); ok {
			if err := p.replace(m, names); err != nil {
				return err
			}
		}
	}
	return nil
}

// A product is a dot_general: for each index of the batch, a product of a matrix of rows × inner elements and one of
// inner × columns.
type product struct {
	op                          mlir.Operation
	kernel                      kernel
	left, right                 side
	batch, rows, columns, inner int64
}

// exchange exchanges the operands of a product whose result is only transposed, if adjacent elements of the result are
// then so after that, too.
func exchange(m *mlir.Module) error {
	for op := range m.Operation().Index().Named("stablehlo.dot_general") {
		dot, _ := stablehlo.AsDotGeneral(op)
		uses := slices.Collect(op.Result(0).Uses())
		rank, _ := dot.ResultType.Rank()
		n := dot.DotDimensionNumbers
		right, _ := dot.RHS.Type().Rank()
		own := right - len(n.RHSBatchingDimensions) - len(n.RHSContractingDimensions)
		batch := len(n.LHSBatchingDimensions)
		if len(uses) != 1 || dot.Algorithm != nil {
			continue
		}
		t, ok := stablehlo.AsTranspose(uses[0].Owner)
		if !ok || own == 0 || int(t.Permutation[rank-1]) < batch || int(t.Permutation[rank-1]) >= rank-own {
			continue
		}
		b := mlir.NewBuilder(mlir.Before(op), op.Location())
		sizes, _ := dot.ResultType.Dims()
		from := make([]int64, rank) // by dimension of the result, where it is in the exchanged one
		for i := range from {
			switch {
			case i < batch:
				from[i] = int64(i)
			case i < rank-own:
				from[i] = int64(i + own)
			default:
				from[i] = int64(i - (rank - own - batch))
			}
		}
		exchanged := make([]int64, rank)
		for i, to := range from {
			exchanged[to] = sizes[i]
		}
		elem, _ := dot.ResultType.Element()
		result, err := b.Context().TensorType(elem, exchanged...)
		b.Fail(err)
		dot.LHS, dot.RHS, dot.ResultType = dot.RHS, dot.LHS, result
		dot.DotDimensionNumbers = stablehlo.DotDimensionNumbers{
			LHSBatchingDimensions: n.RHSBatchingDimensions, RHSBatchingDimensions: n.LHSBatchingDimensions,
			LHSContractingDimensions: n.RHSContractingDimensions, RHSContractingDimensions: n.LHSContractingDimensions}
		slices.Reverse(dot.PrecisionConfig)
		back := stablehlo.Transpose(b, dot.Create(b).Result(0), from)
		if b.Err() != nil {
			return b.Err()
		}
		op.Result(0).ReplaceAllUses(back)
		if err := op.Erase(); err != nil {
			return err
		}
	}
	return nil
}

// A side is an operand, with its dimensions by their role.
type side struct {
	dims                   []int64
	batch, contracted, own []int64
}

// read returns the product that an operation is, and false if it is one that stays.
func read(op mlir.Operation) (p product, ok bool) {
	dot, _ := stablehlo.AsDotGeneral(op)
	var shapes [3]tensor.Shape
	for i, t := range []mlir.Type{dot.LHS.Type(), dot.RHS.Type(), dot.ResultType} {
		var err error
		if shapes[i], err = stablehlo.ShapeOf(t); err != nil {
			return p, false
		}
	}
	operand, result := shapes[0].DType, shapes[2].DType
	kernel, ok := newKernel(operand, result)
	if !ok || shapes[1].DType != operand {
		return p, false
	}
	n := dot.DotDimensionNumbers
	// The order in which the elements are summed is free.
	order := make([]int, len(n.LHSContractingDimensions))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(n.LHSContractingDimensions[a], n.LHSContractingDimensions[b])
	})
	p = product{op: op, kernel: kernel,
		left:  newSide(shapes[0], n.LHSBatchingDimensions, n.LHSContractingDimensions, order),
		right: newSide(shapes[1], n.RHSBatchingDimensions, n.RHSContractingDimensions, order)}
	p.batch, p.inner = p.left.size(p.left.batch), p.left.size(p.left.contracted)
	p.rows, p.columns = p.left.size(p.left.own), p.right.size(p.right.own)
	for _, size := range []int64{p.rows, p.columns, p.inner} {
		if size > math.MaxInt32 {
			return p, false
		}
	}
	return p, p.batch > 0 && p.rows*p.columns*p.inner >= smallest && p.gains()
}

// gains reports whether the kernel is faster than loops. It copies the right matrix, which takes longer if it is
// transposed, and must have enough rows for it.
func (p product) gains() bool {
	least := int64(4)
	if slices.Contains(p.right.contracted, int64(len(p.right.dims))-1) {
		least = 12
	}
	return p.columns > 1 && p.rows >= least
}

func newSide(shape tensor.Shape, batch, contracted []int64, order []int) side {
	s := side{batch: batch}
	for i, d := range shape.Dims {
		s.dims = append(s.dims, int64(d))
		if at := int64(i); !slices.Contains(batch, at) && !slices.Contains(contracted, at) {
			s.own = append(s.own, at)
		}
	}
	for _, i := range order {
		s.contracted = append(s.contracted, contracted[i])
	}
	return s
}

func (s side) size(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= s.dims[d]
	}
	return n
}

// arranged returns an operand as matrices of first × second elements, and 1 if it holds the transposed ones. It leaves
// the last dimension where it is, for adjacent elements are copied faster than others.
func (s side) arranged(b *mlir.Builder, v mlir.Value, first, second []int64) (_ mlir.Value, turned int64) {
	order := slices.Concat(s.batch, first, second)
	if slices.Contains(first, int64(len(s.dims))-1) && len(second) > 0 {
		order, turned = slices.Concat(s.batch, second, first), 1
	}
	if !slices.IsSorted(order) {
		v = stablehlo.Transpose(b, v, order)
	}
	return v, turned
}

// replace puts a call in the place of the operation.
func (p product) replace(m *mlir.Module, names map[string]string) error {
	b := mlir.NewBuilder(mlir.Before(p.op), p.op.Location())
	left, turnedLeft := p.left.arranged(b, p.op.Operand(0), p.left.own, p.left.contracted)
	right, turnedRight := p.right.arranged(b, p.op.Operand(1), p.right.contracted, p.right.own)
	result := p.op.Result(0)
	plain := func(v mlir.Value) mlir.Value { return extern.Cast(b, v, extern.Signless(b, v.Type())) }
	size := func(d tensor.DType) int64 { return int64(d.Size()) }
	memory := p.kernel.memory(p.columns, p.inner)
	call := extern.Call{
		Function: Function, Pointer: p.kernel.name(),
		Numbers: []int64{size(p.kernel.operand), size(p.kernel.result), memory,
			p.batch, p.rows, p.columns, p.inner, turnedLeft, turnedRight},
		Arrays: []extern.Array{{Value: plain(left), Access: extern.Read}, {Value: plain(right), Access: extern.Read},
			{Value: extern.Empty(b, result.Type()), Access: extern.Write},
			{Value: extern.Empty(b, b.Type(fmt.Sprintf("tensor<%dxi8>", memory))), Access: extern.Write}},
	}
	if b.Err() != nil {
		return b.Err()
	}
	key := fmt.Sprint(call.Pointer, call.Numbers)
	for _, a := range call.Arrays {
		key += a.Value.Type().String()
	}
	name, ok := names[key]
	if !ok {
		name = fmt.Sprintf("calliope.product%d", len(names))
		names[key] = name
	}
	after := call.Create(b, m, name)
	if b.Err() != nil {
		return b.Err()
	}
	result.ReplaceAllUses(extern.Cast(b, after[2], result.Type()))
	return p.op.Erase()
}
