package transform

import (
	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/mlir"
)

// Main creates the sequence that mlir.Module.Transform and the pass transform-interpreter
// start with, @__transform_main, in a module. body builds it, and gets the handle of the
// operation that is transformed.
func Main(b *mlir.Builder, body func(root mlir.Value)) mlir.Operation {
	return Named(b, "__transform_main", body)
}

// Named creates a named sequence that takes a handle, which it does not consume.
func Named(b *mlir.Builder, name string, body func(root mlir.Value)) mlir.Operation {
	ods.Needs(b, body != nil)
	c, handle := b.Context(), b.Type("!transform.any_op")
	region := b.Region(func(in []mlir.Value) {
		body(in[0])
		Yield(b)
	}, handle)
	return NamedSequenceOp{SymName: name, FunctionType: b.Context().FunctionType([]mlir.Type{handle}, nil),
		Body: region,
		ArgAttrs: []mlir.Attribute{
			c.DictionaryAttribute(mlir.NamedAttribute{Name: "transform.readonly", Value: c.UnitAttribute()})}}.Create(b)
}

// Match returns a handle of the operations in root that have one of the names.
func Match(b *mlir.Builder, root mlir.Value, names ...string) mlir.Value {
	return MatchOp{Target: root, Ops: names, ResultsType: b.Type("!transform.any_op")}.Create(b).Result(0)
}

// Tile tiles an operation by loops, one for each size that is not 0. It returns the handles
// of the tiled operation and of the loops.
func Tile(b *mlir.Builder, target mlir.Value, sizes ...int64) (tiled mlir.Value, loops []mlir.Value) {
	op := TileUsingForOp{Target: target, StaticSizes: sizes, ScalableSizes: make([]bool, len(sizes)),
		TiledLinalgOpType: b.Type("!transform.any_op")}
	for _, size := range sizes {
		if size != 0 {
			op.LoopsTypes = append(op.LoopsTypes, op.TiledLinalgOpType)
		}
	}
	made := op.Create(b)
	for i := range op.LoopsTypes {
		loops = append(loops, made.Result(i+1))
	}
	return made.Result(0), loops
}
