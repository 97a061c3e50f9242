package conformance

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	. "github.com/calliope-mlir/calliope/stablehlo"
)

// folds are samples of an operation that takes an array, an initial value and a region.
func folds(op string, make func(b *body, body mlir.Region) []mlir.Value) (list []sample) {
	for _, f := range []struct {
		op    string
		array string
		init  string
	}{
		{"add", "f32[3,4] 0 1 2 3 4 5 6 7 8 9 10 11", "f32[] 0"},
		{"maximum", "f32[3,4] 0 1 2 3 4 5 -6 7 8 inf 10 -inf", "f32[] -inf"},
		{"multiply", "f64[3,4] 1 1 2 3 4 5 6 7 8 9 10 11", "f64[] 1"}, {"add", numbers, "s32[] 0"},
		{"minimum", "u8[3,4] 255 1 2 3 4 5 6 7 8 9 10 11", "u8[] 255"},
		{"and", "pred[3,4] 1 1 1 1 0 1 1 1 1 1 0 1", "pred[] 1"},
		{"or", "pred[3,4] 1 1 1 1 0 0 0 0 0 0 0 1", "pred[] 0"},
		{"add", "c64[3,4] 1,2 0,1 2,0 1,1 1,2 0,1 2,0 1,1 1,2 0,1 2,0 1,1", "c64[] 0,0"},
		{"add", "bf16[3,4] 0 1 2 3 4 5 6 7 8 9 10 11", "bf16[] 0"},
	} {
		list = append(list, sample{op: op, about: f.op + " " + typeOf(f.array), in: in(f.array, f.init),
			build: func(b *body) []mlir.Value {
				return make(b, b.fold(f.op, scalarOf(b.In[1])))
			}})
	}
	return list
}

// argmax is a region that keeps the larger of two values, and its index.
func argmax(b *body) mlir.Region {
	return b.region([]string{"tensor<f32>", "tensor<i32>", "tensor<f32>", "tensor<i32>"},
		func(block mlir.Block, in []mlir.Value) []mlir.Value {
			keep := b.at(block, CompareOp{LHS: in[0], RHS: in[2], ComparisonDirection: CompareGE})[0]
			return slices.Concat(
				b.at(block, SelectOp{Pred: keep, OnTrue: in[0], OnFalse: in[2]}),
				b.at(block, SelectOp{Pred: keep, OnTrue: in[1], OnFalse: in[3]}))
		})
}

var reduceSamples = slices.Concat(
	folds("reduce", func(b *body, f mlir.Region) []mlir.Value {
		return b.op(ReduceOp{Inputs: b.In[:1], InitValues: b.In[1:], Dimensions: []int64{1}, Body: f})
	}),
	[]sample{
		{op: "reduce", about: "over everything", in: in(numbers, "s32[] 0"), build: func(b *body) []mlir.Value {
			return b.op(ReduceOp{Inputs: b.In[:1], InitValues: b.In[1:], Dimensions: []int64{0, 1},
				Body: b.fold("add", "tensor<i32>")})
		}},
		{op: "reduce", about: "over nothing", in: in("f32[3,0]", "f32[] 7"), build: func(b *body) []mlir.Value {
			return b.op(ReduceOp{Inputs: b.In[:1], InitValues: b.In[1:], Dimensions: []int64{1},
				Body: b.fold("add", "tensor<f32>")})
		}},
		{op: "reduce", about: "of two arrays", in: in("f32[2,3] 1 5 2 7 -1 7", "s32[2,3] 0 1 2 0 1 2", "f32[] -inf",
			"s32[] -1"), build: func(b *body) []mlir.Value {
			return b.op(ReduceOp{Inputs: b.In[:2], InitValues: b.In[2:], Dimensions: []int64{1}, Body: argmax(b)})
		}},
	},
	folds("reduce_window", func(b *body, f mlir.Region) []mlir.Value {
		return b.op(ReduceWindowOp{Inputs: b.In[:1], InitValues: b.In[1:], WindowDimensions: []int64{2, 2},
			WindowStrides: []int64{1, 2}, Padding: [][2]int64{{0, 0}, {1, 1}}, Body: f})
	}),
	[]sample{
		{op: "reduce_window", about: "with dilations", in: in("f32[3,4] 0 1 2 3 4 5 6 7 8 9 10 11", "f32[] 0"),
			build: func(b *body) []mlir.Value {
				return b.op(ReduceWindowOp{
					Inputs: b.In[:1], InitValues: b.In[1:], WindowDimensions: []int64{2, 2},
					BaseDilations: []int64{1, 2}, WindowDilations: []int64{2, 3},
					Padding: [][2]int64{{1, 0}, {2, 1}}, Body: b.fold("add", "tensor<f32>"),
				})
			}},
		{op: "reduce_window", about: "of two arrays",
			in: in("f32[4] 1 5 2 7", "s32[4] 0 1 2 3", "f32[] -inf", "s32[] -1"), build: func(b *body) []mlir.Value {
				return b.op(ReduceWindowOp{Inputs: b.In[:2], InitValues: b.In[2:], WindowDimensions: []int64{2},
					Body: argmax(b)})
			}},
	},
	of("select_and_scatter", func(b *body) []mlir.Value {
		scalar := scalarOf(b.In[0])
		return b.op(SelectAndScatterOp{
			Operand: b.In[0], Source: b.In[1], InitValue: b.In[2], WindowDimensions: []int64{3, 1},
			WindowStrides: []int64{2, 1}, Padding: [][2]int64{{0, 1}, {0, 0}},
			Select: b.compare(CompareGE, scalar, scalar), Scatter: b.fold("add", scalar),
		})
	}, in("s32[4,2] 1 5 2 5 3 6 4 4", "s32[2,2] 5 6 7 8", "s32[] 0"),
		in("f32[4,2] 1 5 2 5 3 6 4 4", "f32[2,2] 5 6 7 8", "f32[] 0")),
	of("map", func(b *body) []mlir.Value {
		scalar := scalarOf(b.In[0])
		return b.op(MapOp{Inputs: b.In, Dimensions: []int64{0, 1},
			Computation: b.region([]string{scalar, scalar}, func(block mlir.Block, in []mlir.Value) []mlir.Value {
				product := b.at(block, MultiplyOp{LHS: in[0], RHS: in[1]})[0]
				return b.at(block, SubtractOp{LHS: product, RHS: in[1]})
			})})
	}, in(matrix, "f32[2,3] 2 2 2 2 2 2"), in(matrix8, matrix8), in(numbers, numbers)),
	of("sort", func(b *body) []mlir.Value {
		scalar := scalarOf(b.In[0])
		return slices.Concat(
			b.op(SortOp{Inputs: b.In[:1], Dimension: new(int64(0)), Comparator: b.compare(CompareLT, scalar, scalar)}),
			b.op(SortOp{Inputs: b.In[:1], IsStable: true, Comparator: b.compare(CompareGT, scalar, scalar)}))
	}, in("f32[2,3] 3 1 2 -inf inf 2.5"), in("u8[2,3] 3 255 2 128 1 0"), in("s32[2,3] 3 -1 2 0 5 -7"),
		in("bf16[2,3] 3 1 2 -inf inf 2.5")),
	[]sample{{op: "sort", about: "of two arrays, stable", in: in("s32[6] 2 1 2 1 2 1", "f32[6] 0 1 2 3 4 5"),
		build: func(b *body) []mlir.Value {
			return b.op(SortOp{Inputs: b.In, Dimension: new(int64(0)), IsStable: true,
				Comparator: b.compare(CompareLT, "tensor<i32>", "tensor<i32>", "tensor<f32>", "tensor<f32>")})
		}}},

	of("case", func(b *body) []mlir.Value {
		return b.op(
			CaseOp{Index: b.In[0], Branches: []mlir.Region{b.gives(b.In[1], b.In[2]), b.gives(b.In[2], b.In[1])}})
	}, in("s32[] 0", "f32[2] 1 2", "f32[2] 3 4"), in("s32[] 1", "f32[2] 1 2", "f32[2] 3 4"),
		in("s32[] -1", "f32[2] 1 2", "f32[2] 3 4"), in("s32[] 9", "f32[2] 1 2", "f32[2] 3 4")),
	of("if", func(b *body) []mlir.Value {
		return b.op(IfOp{Pred: b.In[0], TrueBranch: b.gives(b.In[1], b.In[2]), FalseBranch: b.gives(b.In[2], b.In[1])})
	}, in("pred[] 1", "f32[2] 1 2", "f32[2] 3 4"), in("pred[] 0", "u8[2] 1 2", "u8[2] 3 4")),
	of("while", func(b *body) []mlir.Value { return b.op(powers(b)) },
		in("s32[] 0", "s32[] 5", "f32[] 1"), in("s32[] 5", "s32[] 5", "f32[] 1"),
		in("u8[] 250", "u8[] 255", "bf16[] 1.5")),
	[]sample{
		{op: "return", in: in("f32[2] 1 2"), build: func(b *body) []mlir.Value {
			block := b.C.NewBlock(mlir.Location{})
			twice := b.at(block, AddOp{LHS: b.In[0], RHS: b.In[0]})
			b.at(block, ReturnOp{Results: twice})
			region := b.C.NewRegion()
			region.Append(block)
			return b.op(CaseOp{Index: b.constant("s32[] 0"), Branches: []mlir.Region{region}})
		}},
		{op: "optimization_barrier", in: in(matrix, "s32[] 7"),
			build: func(b *body) []mlir.Value { return b.op(OptimizationBarrierOp{Operand: b.In}) }},
		{op: "composite", in: in("f32[2] 1 2"), want: in("f32[2] 2 4"),
			around: "func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> { %b = stablehlo.add %a, %a : tensor<2xf32> return %b : tensor<2xf32> }",
			build: func(b *body) []mlir.Value {
				return b.op(CompositeOp{
					Inputs: b.In, Name: "my.twice", CompositeAttributes: b.Attribute("{n = 2 : i32}"),
					Decomposition: "twice", Version: new(int32(1)),
					ResultTypes: []mlir.Type{b.In[0].Type()},
				})
			}},
		{op: "after_all", in: in("f32[] 7"), build: func(b *body) []mlir.Value {
			none := b.one(AfterAllOp{})
			barrier := b.op(OptimizationBarrierOp{
				Operand: []mlir.Value{b.In[0], b.one(AfterAllOp{Inputs: []mlir.Value{none, none}})}})
			return barrier[:1]
		}},
		{op: "create_token", in: in("f32[] 7"), want: in("f32[] 7"), notInterpreted: refused,
			build: func(b *body) []mlir.Value {
				return b.op(OptimizationBarrierOp{Operand: []mlir.Value{b.In[0], b.one(CreateTokenOp{})}})[:1]
			}},
	},
)

// refused is why the interpreter does not run what it has no code for.
const refused = "the interpreter does not support it"

// powers counts In[0] up to In[1] and doubles In[2] each time.
func powers(b *body) WhileOp {
	var types []string
	for _, v := range b.In {
		types = append(types, v.Type().String())
	}
	one := check.Must(ShapeOf(b.In[0].Type())).String() + " 1"
	return WhileOp{
		Operand: b.In, Cond: b.compare(CompareLT, types...),
		Body: b.region(types, func(block mlir.Block, in []mlir.Value) []mlir.Value {
			step := b.at(block, ConstantOp{Value: check.Must(array(one))})[0]
			return slices.Concat(b.at(block, AddOp{LHS: in[0], RHS: step}), in[1:2],
				b.at(block, AddOp{LHS: in[2], RHS: in[2]}))
		}),
	}
}
