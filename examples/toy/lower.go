package main

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/mlir/dialect/memref"
	"github.com/calliope-mlir/calliope/mlir/dialect/scf"
)

// A lowering adds the operations that compute an operation of toy. out is the memory of its result, if it has one.
type lowering func(b *mlir.Builder, op mlir.Operation, in []mlir.Value, out mlir.Value)

var lowerings = map[string]lowering{
	"toy.constant": func(b *mlir.Builder, op mlir.Operation, _ []mlir.Value, out mlir.Value) {
		value, _ := op.Attribute("value")
		elements, err := mlir.DenseOf[float64](value)
		b.Fail(err)
		index := make([]int64, len(dims(out)))
		for i := range elements.Len() {
			var at []mlir.Value
			for _, k := range index {
				at = append(at, arith.ConstantIndex(b, k))
			}
			memref.Store(b, arith.ConstantFloat(b, b.Type("f64"), elements.At(i)), out, at...)
			for d := len(index) - 1; d >= 0; d-- { // the next element
				if index[d]++; index[d] < dims(out)[d] {
					break
				}
				index[d] = 0
			}
		}
	},
	"toy.add": elementwise(func(b *mlir.Builder, x, y mlir.Value) mlir.Value { return arith.AddF(b, x, y) }),
	"toy.mul": elementwise(func(b *mlir.Builder, x, y mlir.Value) mlir.Value { return arith.MulF(b, x, y) }),
	"toy.transpose": func(b *mlir.Builder, _ mlir.Operation, in []mlir.Value, out mlir.Value) {
		scf.Nest(b, dims(out), func(i []mlir.Value) {
			from := slices.Clone(i)
			slices.Reverse(from)
			memref.Store(b, memref.Load(b, in[0], from...), out, i...)
		})
	},
	"toy.print": func(b *mlir.Builder, _ mlir.Operation, in []mlir.Value, _ mlir.Value) { printLoops(b, in[0], nil) },
}

func elementwise(f func(b *mlir.Builder, x, y mlir.Value) mlir.Value) lowering {
	return func(b *mlir.Builder, _ mlir.Operation, in []mlir.Value, out mlir.Value) {
		scf.Nest(b, dims(out), func(i []mlir.Value) {
			memref.Store(b, f(b, memref.Load(b, in[0], i...), memref.Load(b, in[1], i...)), out, i...)
		})
	}
}

// printLoops calls the Go function element for each element in the rows at an index, and newline after each row.
func printLoops(b *mlir.Builder, x mlir.Value, at []mlir.Value) {
	left := dims(x)[len(at):]
	if len(left) == 0 {
		function.Call(b, nil, "element", memref.Load(b, x, at...))
		return
	}
	scf.Nest(b, left[:1], func(i []mlir.Value) { printLoops(b, x, append(slices.Clone(at), i...)) })
	if len(left) == 1 {
		function.Call(b, nil, "newline")
	}
}

func dims(v mlir.Value) []int64 {
	list, _ := v.Type().Dims()
	return list
}

// memory converts arrays to memory that holds them.
var memory = &mlir.TypeConverter{Convert: func(t mlir.Type) ([]mlir.Type, bool) {
	if !t.IsRankedTensor() {
		return []mlir.Type{t}, true
	}
	list, _ := t.Dims()
	element, _ := t.Element()
	converted, err := t.Context().MemRefType(element, mlir.MemRefOptions{}, list...)
	return []mlir.Type{converted}, err == nil
}}

// lower converts all operations of toy to loops on memory, which main allocates and frees.
func lower(m *mlir.Module) error {
	c := m.Context()
	b := mlir.NewBuilder(mlir.AtStart(m.Body()), mlir.Location{})
	function.Declare(b, "element", []mlir.Type{b.Type("f64")}, nil)
	function.Declare(b, "newline", nil, nil)
	if b.Err() != nil {
		return b.Err()
	}
	var list []mlir.ConversionPattern
	for name, lowering := range lowerings {
		list = append(list, mlir.ConversionPattern{Name: "lower " + name, Op: name, Types: memory,
			Convert: func(op mlir.Operation, in []mlir.Value, r *mlir.ConversionRewriter) (bool, error) {
				b := mlir.NewBuilder(r, op.Location())
				if op.NumResults() == 0 {
					lowering(b, op, in, mlir.Value{})
					r.Erase(op)
					return true, b.Err()
				}
				types, _ := r.Types(op.Result(0).Type())
				out := memref.Alloc(b, types[0], nil)
				lowering(b, op, in, out)
				r.SetInsertionPoint(mlir.Before(op.Block().Terminator()))
				memref.Dealloc(b, out)
				r.Replace(op, out)
				return true, b.Err()
			}})
	}
	conversion, err := c.NewConversion(mlir.ConversionTarget{
		Legal: []string{"builtin", "func", "arith", "scf", "memref"}, Illegal: []string{"toy"}}, list...)
	if err != nil {
		return err
	}
	defer conversion.Close()
	return conversion.Apply(m, mlir.ConversionOptions{Full: true})
}
