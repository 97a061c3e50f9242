package builder_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// mistake is a mistake on a line that build returns, and the text of its error.
type mistake struct {
	name  string
	build func(b *builder.Builder) (line int)
	want  string
}

func checkMistakes(t *testing.T, file string, all []mistake) {
	checkMistakesWith(t, mlirtest.Library(t), file, all)
}

func checkMistakesWith(t *testing.T, l *mlir.Library, file string, all []mistake) {
	for _, test := range all {
		t.Run(test.name, func(t *testing.T) {
			b := builder.New(mlirtest.ContextOf(t, l), builder.Options{})
			line := test.build(b)
			wantMistake(t, b, file, line, test.want)
		})
	}
}

// wantMistake wants the module's error to be a mistake on that line, and to say want.
func wantMistake(t *testing.T, b *builder.Builder, file string, line int, want string) {
	t.Helper()
	_, err := b.Module()
	var e *builder.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v, want a builder.Error", err)
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("error is %q, want it to say %q", err, want)
	}
	if filepath.Base(e.File) != file || e.Line != line {
		t.Errorf("the mistake is said to be at %s:%d, it is on line %d", e.File, e.Line, line)
	}
}

func TestMistakesWithScopes(t *testing.T) {
	type nested struct {
		X []builder.Value
		M map[string]builder.Value
	}
	start := func(b *builder.Builder) (f *builder.Func, p, n, x builder.Value) {
		f = b.Func("main", flag, count, number)
		return f, f.Param(0), f.Param(1), f.Param(2)
	}
	same := func(v builder.Value) builder.Value { return v }
	checkMistakes(t, "scope_test.go", []mistake{
		{"value of a region that has ended", func(b *builder.Builder) int {
			f, p, _, x := start(b)
			var inner builder.Value
			builder.If(p, func() builder.Value { inner = builder.Sin(x); return inner },
				func() builder.Value { return x })
			f.Return(builder.Cos(inner))
			return here(1)
		}, "cosine(f32[]): operand 0 belongs to the then branch of the if at "},
		{"value of the other branch", func(b *builder.Builder) int {
			_, p, _, x := start(b)
			var inner builder.Value
			builder.If(p, func() builder.Value { inner = builder.Sin(x); return inner },
				func() builder.Value { return builder.Cos(inner) })
			return here(1)
		}, "which has ended: return the value from its Go function and use the operation's result"},
		{"returned from the wrong region", func(b *builder.Builder) int {
			_, p, _, x := start(b)
			var inner builder.Value
			builder.If(p, func() builder.Value { inner = builder.Sin(x); return inner },
				func() builder.Value { return inner })
			return here(2)
		}, "the otherwise branch of the if(f32[]): result 0 belongs to the then branch of the if at "},
		{"argument of a loop afterwards", func(b *builder.Builder) int {
			f, p, _, x := start(b)
			var state builder.Value
			builder.While(x, func(builder.Value) builder.Value { return p },
				func(v builder.Value) builder.Value { state = v; return v }, builder.LoopOptions{})
			f.Return(state)
			return here(1)
		}, "return(f32[]): result 0 belongs to the body of the while at "},
		{"return inside a region", func(b *builder.Builder) int {
			f, p, _, x := start(b)
			builder.If(p, func() builder.Value {
				f.Return(x)
				return x
			}, func() builder.Value { return x })
			return here(3)
		}, "return(f32[]): the then branch of the if is open: it ends when its Go function returns"},
		{"another function in a region", func(b *builder.Builder) int {
			_, p, _, x := start(b)
			builder.If(p, func() builder.Value {
				g := b.Func("g", number)
				g.Return(x)
				return x
			}, func() builder.Value { return x })
			return here(3)
		}, `belongs to the function "main", not to "g"`},
		{"branches differ in type", func(b *builder.Builder) int {
			_, p, n, x := start(b)
			builder.If(p, func() pair { return pair{x, n} }, func() pair { return pair{x, x} })
			return here(1)
		}, "if(pred[]): the branches return different types: .B is s32[] in then and f32[] in otherwise"},
		{"branches differ in structure", func(b *builder.Builder) int {
			_, _, n, x := start(b)
			builder.Case(n, func() nested {
				return nested{X: []builder.Value{x, x}, M: map[string]builder.Value{"a": x}}
			}, func() nested {
				return nested{X: []builder.Value{n}, M: map[string]builder.Value{"b": x}}
			})
			return here(5)
		}, "case(s32[]): the branches return different types: .X[0] is f32[] in branch 0 and s32[] in branch 1; .X[1], f32[], is only in branch 0; .M[\"a\"], f32[], is only in branch 0; .M[\"b\"], f32[], is only in branch 1"},
		{"no tree", func(b *builder.Builder) int {
			_, p, _, _ := start(b)
			builder.If(p, func() int { return 1 }, func() int { return 2 })
			return here(1)
		}, "the argument is a int, which cannot be part of a tree: use builder.Value"},
		{"zero value from a branch", func(b *builder.Builder) int {
			_, p, _, _ := start(b)
			builder.If(p, func() builder.Value { return builder.Value{} }, func() builder.Value { return p })
			return here(1)
		}, "the then branch of the if(nothing): result 0 is the zero Value"},
		{"predicate is no pred", func(b *builder.Builder) int {
			_, _, n, x := start(b)
			builder.If(n, func() builder.Value { return x }, func() builder.Value { return x })
			return here(1)
		}, "if(s32[]): the predicate or index must be pred[]"},
		{"nil branch", func(b *builder.Builder) int {
			f, p, _, x := start(b)
			f.Return(builder.Sin(builder.If(p, nil, func() builder.Value { return x })))
			return here(1)
		}, "if(pred[]): a branch is nil"},
		{"no branch", func(b *builder.Builder) int {
			_, _, n, _ := start(b)
			builder.Case[builder.Value](n)
			return here(1)
		}, "case(s32[]): it needs at least one branch"},
		{"index is no s32", func(b *builder.Builder) int {
			_, _, _, x := start(b)
			builder.Case(x, func() builder.Value { return x })
			return here(1)
		}, "case(f32[]): the predicate or index must be s32[]"},
		{"body returns something else", func(b *builder.Builder) int {
			_, p, n, x := start(b)
			builder.While(pair{x, x}, func(pair) builder.Value { return p }, func(s pair) pair { return pair{s.A, n} },
				builder.LoopOptions{})
			return here(2)
		}, "while(f32[], f32[]): the body must return the types of the initial state: .B is f32[] in the initial state and s32[] in the body's result"},
		{"condition is no pred", func(b *builder.Builder) int {
			_, _, _, x := start(b)
			builder.While(x, same, same, builder.LoopOptions{})
			return here(1)
		}, "while(f32[]): the condition is f32[]: it must be pred[]"},
		{"zero condition", func(b *builder.Builder) int {
			_, _, _, x := start(b)
			builder.While(x, func(builder.Value) builder.Value { return builder.Value{} }, same, builder.LoopOptions{})
			return here(1)
		}, "the condition of the while(nothing): result 0 is the zero Value"},
		{"nil body", func(b *builder.Builder) int {
			_, _, _, x := start(b)
			builder.While(x, same, nil, builder.LoopOptions{})
			return here(1)
		}, "its condition or its body is nil"},
		{"zero value in the state", func(b *builder.Builder) int {
			f, p, _, x := start(b)
			s := builder.While(pair{A: x}, func(pair) builder.Value { return p }, func(s pair) pair { return s },
				builder.LoopOptions{})
			f.Return(builder.Sin(s.B))
			return here(3)
		}, "while(f32[], nothing): operand 1 is the zero Value"},
		{"turns are no integer", func(b *builder.Builder) int {
			_, _, _, x := start(b)
			builder.Loop(x, x, func(_, v builder.Value) builder.Value { return v }, builder.LoopOptions{})
			return here(1)
		}, "loop(f32[]): the number of iterations must be an integer scalar"},
		{"body of a loop returns something else", func(b *builder.Builder) int {
			_, _, n, x := start(b)
			builder.Loop(n, x, func(i, _ builder.Value) builder.Value { return i }, builder.LoopOptions{})
			return here(1)
		}, "the value is f32[] in the initial state and s32[] in the body's result"},
		{"mistake in a nested region", func(b *builder.Builder) int {
			f, p, n, x := start(b)
			f.Return(builder.Loop(n, x, func(i, v builder.Value) builder.Value {
				return builder.If(p, func() builder.Value {
					return builder.Add(v, f.Param(3))
				}, func() builder.Value { return v })
			}, builder.LoopOptions{}))
			return here(3)
		}, `param: function "main" has no parameter 3`},
		{"what the verifier finds in a nested region", func(b *builder.Builder) int {
			f, p, n, x := start(b)
			f.Return(builder.Loop(n, x, func(i, v builder.Value) builder.Value {
				return builder.If(p, func() builder.Value {
					return builder.PopCount(v)
				}, func() builder.Value { return v })
			}, builder.LoopOptions{}))
			return here(3)
		}, "popcnt(f32[]): 'stablehlo.popcnt' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<f32>'"},
		{"closed inside a region", func(b *builder.Builder) int {
			_, p, _, x := start(b)
			builder.If(p, func() builder.Value {
				y := builder.Sin(x)
				b.Close()
				return builder.Cos(y)
			}, func() builder.Value { return x })
			return here(2)
		}, "the builder is finished"},
		{"a parameter after the end", func(b *builder.Builder) int {
			f := b.Func("main", vector)
			b.Close()
			f.Param(0)
			return here(1)
		}, "param: the builder is finished"},
		{"finished inside a region", func(b *builder.Builder) int {
			f := b.Func("main", flag)
			builder.If(f.Param(0), func() builder.Value {
				y := builder.Not(f.Param(0))
				_, _ = b.Module()
				return builder.Not(y)
			}, func() builder.Value { return f.Param(0) })
			return here(6)
		}, `function "main" has no Return`},
	})
}

// TestClosedRegion uses constants from outside in the body of a reduce, also in an if in it
// and as its result. The region must contain clones of them.
func TestClosedRegion(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", vector)
	zero, one := f.Constant(tensor.Scalar[float32](0)), f.Constant(tensor.Scalar[float32](1))
	yes := f.Constant(tensor.Scalar(true))
	f.Return(builder.Reduce(f.Param(0), zero, func(x, y builder.Value) builder.Value {
		own := f.Constant(tensor.Scalar[float32](2))
		return builder.If(yes, func() builder.Value {
			return builder.Add(builder.Add(builder.Add(x, one), own), y)
		}, func() builder.Value { return one })
	}))
	want := `module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<f32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %0 = stablehlo.reduce(%arg0 init: %cst) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg1: tensor<f32>, %arg2: tensor<f32>)  {
      %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %c_2 = stablehlo.constant dense<true> : tensor<i1>
      %1 = "stablehlo.if"(%c_2) ({
        %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %2 = stablehlo.add %arg1, %cst_3 : tensor<f32>
        %3 = stablehlo.add %2, %cst_1 : tensor<f32>
        %4 = stablehlo.add %3, %arg2 : tensor<f32>
        stablehlo.return %4 : tensor<f32>
      }, {
        %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        stablehlo.return %cst_3 : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }
    return %0 : tensor<f32>
  }
}
`
	if diff := cmp.Diff(want, finish(t, b).String()); diff != "" {
		t.Errorf("module (-want +got):\n%s", diff)
	}
}

func TestMistakesInClosedRegions(t *testing.T) {
	reduce := func(b *builder.Builder, body func(f *builder.Func, x builder.Value) builder.Value) {
		f := b.Func("main", vector, number)
		f.Return(builder.Reduce(f.Param(0), f.Param(1), func(x, y builder.Value) builder.Value {
			return body(f, x)
		}))
	}
	checkMistakes(t, "scope_test.go", []mistake{
		{"value from outside", func(b *builder.Builder) int {
			reduce(b, func(f *builder.Func, x builder.Value) builder.Value {
				return builder.Add(x, f.Param(1))
			})
			return here(2)
		}, "operand 1 comes from outside of the body of the reduce, which can use only its own arguments and constants: use the value before or after it"},
		{"value from outside in a region in it", func(b *builder.Builder) int {
			reduce(b, func(f *builder.Func, x builder.Value) builder.Value {
				return builder.Loop(f.Constant(tensor.Scalar[int32](3)), x, func(_, x builder.Value) builder.Value {
					return builder.Add(x, f.Param(1))
				}, builder.LoopOptions{})
			})
			return here(3)
		}, "operand 1 comes from outside of the body of the reduce"},
		{"tap", func(b *builder.Builder) int {
			reduce(b, func(f *builder.Func, x builder.Value) builder.Value {
				builder.Tap(x, builder.Callback{Name: "x"})
				return x
			})
			return here(3)
		}, "XLA cannot call in the body of the reduce: call before or after it, on whole arrays"},
		{"pure call", func(b *builder.Builder) int {
			reduce(b, func(f *builder.Func, x builder.Value) builder.Value {
				return builder.PureCall(x, x, builder.Callback{Name: "x"})
			})
			return here(2)
		}, "XLA cannot call in the body of the reduce: call before or after it, on whole arrays"},
		{"call in a loop in the body", func(b *builder.Builder) int {
			reduce(b, func(f *builder.Func, x builder.Value) builder.Value {
				return builder.Loop(f.Constant(tensor.Scalar[int32](3)), x, func(_, x builder.Value) builder.Value {
					return builder.PureCall(x, x, builder.Callback{Name: "x"})
				}, builder.LoopOptions{})
			})
			return here(3)
		}, "XLA cannot call in the body of the reduce"},
	})
}

func TestMistakesWithCalls(t *testing.T) {
	double := func(b *builder.Builder) *builder.Func {
		f := b.Func("double", number)
		f.Return(builder.Add(f.Param(0), f.Param(0)))
		return f
	}
	other := newBuilder(t)
	checkMistakes(t, "scope_test.go", []mistake{
		{"recursion", func(b *builder.Builder) int {
			f := b.Func("main", number)
			f.Return(builder.Call[builder.Value](f, f.Param(0)))
			return here(1)
		}, `call(f32[]): the function "main" calls itself`},
		{"recursion without arguments", func(b *builder.Builder) int {
			f := b.Func("main")
			f.Call()
			return here(1)
		}, `call: the function "main" calls itself`},
		{"unfinished", func(b *builder.Builder) int {
			f, g := b.Func("main", number), b.Func("g", number)
			f.Return(builder.Sin(builder.Call[builder.Value](g, f.Param(0))))
			return here(1)
		}, `call(f32[]): the function "g" has no Return yet: finish it before it is called`},
		{"arity", func(b *builder.Builder) int {
			g, f := double(b), b.Func("main", number)
			f.Return(g.Call(f.Param(0), f.Param(0))[0])
			return here(1)
		}, `call(f32[], f32[]): the function "double" takes 1 arguments, and the call has 2`},
		{"type", func(b *builder.Builder) int {
			g, f := double(b), b.Func("main", vector)
			f.Return(g.Call(f.Param(0))...)
			return here(1)
		}, `call(f32[4]): argument 0 of "double" is f32[4]: it must be f32[]`},
		{"results", func(b *builder.Builder) int {
			g, f := double(b), b.Func("main", number)
			p := builder.Call[pair](g, f.Param(0))
			f.Return(p.A, builder.Sin(p.B))
			return here(2)
		}, `call(f32[]): the function "double" has 1 results, and builder_test.pair holds 2`},
		{"nil", func(b *builder.Builder) int {
			f := b.Func("main", number)
			f.Return(builder.Call[builder.Value](nil, f.Param(0)))
			return here(1)
		}, `call(f32[]): the function is nil`},
		{"nobody calls", func(b *builder.Builder) int {
			g := b.Func("g")
			g.Return()
			g.Call()
			return here(1)
		}, `the call of "g" has no arguments, so its calling function is unknown: 0 functions have no Return yet, there must be one`},
		{"two may call", func(b *builder.Builder) int {
			g, f, h := b.Func("g"), b.Func("main"), b.Func("h")
			g.Return()
			g.CallFrom(f)
			h.Return()
			f.Return()
			h.CallFrom(f)
			return here(1)
		}, `call: function "main" has returned already`},
		{"another builder", func(b *builder.Builder) int {
			g, f := double(other), b.Func("main", number)
			f.Return(builder.Call[builder.Value](g, f.Param(0)))
			return here(1)
		}, `the function "double" belongs to another Builder`},
		{"main with taps", func(b *builder.Builder) int {
			f, g := b.Func("main", number), b.Func("g", number)
			tap("f", f.Param(0))
			f.Return()
			f.Call(g.Param(0))
			return here(1)
		}, `the function "main" has ordered callbacks and cannot be called`},
	})
}

func TestMistakesWithAddedParameters(t *testing.T) {
	checkMistakes(t, "scope_test.go", []mistake{
		{"returned", func(b *builder.Builder) int {
			f := b.Func("main")
			f.Return()
			f.AddParam(builder.Param{Shape: number})
			return here(1)
		}, `param: function "main" has returned already`},
		{"shape", func(b *builder.Builder) int {
			f := b.Func("main", number)
			f.Return(f.AddParam(builder.Param{Shape: tensor.ShapeOf(tensor.F32, -2)}))
			return here(1)
		}, `param: parameter 1 of "main": `},
	})
}

func TestMistakesInSignatures(t *testing.T) {
	with := func(p ...builder.Param) builder.Signature { return builder.Signature{Params: p} }
	checkMistakesWith(t, mlirtest.Jaxlib(t), "scope_test.go", []mistake{
		{"no name", func(b *builder.Builder) int {
			b.Func("", number)
			return here(1)
		}, "func: it needs a name"},
		{"alias out of range", func(b *builder.Builder) int {
			f := b.FuncWith("main", with(builder.Param{Shape: number, AliasOutput: new(1)}))
			f.Return(f.Param(0))
			return here(1)
		}, `parameter 0 of "main" is aliased to result 1, but there are 1 results`},
		{"alias of another type", func(b *builder.Builder) int {
			f := b.FuncWith("main",
				with(builder.Param{Shape: number, AliasOutput: new(0)}, builder.Param{Shape: vector}))
			f.Return(f.Param(1))
			return here(1)
		}, `parameter 0 of "main", f32[], is aliased to result 0, which is f32[4]: they must have the same type`},
		{"alias twice", func(b *builder.Builder) int {
			f := b.FuncWith("main", with(builder.Param{Shape: number, AliasOutput: new(0)},
				builder.Param{Shape: number, AliasOutput: new(0)}))
			f.Return(f.Param(1))
			return here(1)
		}, `parameters 0 and 1 of "main" are both aliased to result 0`},
		{"results", func(b *builder.Builder) int {
			f := b.FuncWith("main", builder.Signature{Results: []builder.Result{{Name: "x"}}})
			f.Return()
			return here(1)
		}, `the signature of "main" has 1 results, and Return has 0`},
		{"no mesh", func(b *builder.Builder) int {
			b.FuncWith("main", with(builder.Param{Shape: number, Sharding: builder.Sharding{Mesh: "m"}}))
			return here(1)
		}, `parameter 0 of "main": there is no mesh "m": make it with Builder.Mesh first`},
		{"name of a mesh", func(b *builder.Builder) int {
			b.Mesh("m", builder.Axis{Name: "x", Size: 2})
			b.Func("m")
			return here(1)
		}, `the name "m" is taken already, at `},
		{"axis twice", func(b *builder.Builder) int {
			b.Mesh("m", builder.Axis{Name: "x", Size: 2}, builder.Axis{Name: "x", Size: 2})
			return here(1)
		}, `the mesh "m" has the axis "x" twice`},
		{"axis without size", func(b *builder.Builder) int {
			b.Mesh("m", builder.Axis{Name: "x"})
			return here(1)
		}, `the axis "x" of the mesh "m" has the size 0`},
		{"sharding of result", func(b *builder.Builder) int {
			b.Mesh("m", builder.Axis{Name: "x", Size: 2})
			f := b.FuncWith("main", builder.Signature{
				Params:  []builder.Param{{Shape: number}},
				Results: []builder.Result{{Sharding: builder.Sharding{Mesh: "m", Dims: [][]string{{"x"}}}}},
			})
			f.Return(f.Param(0))
			return here(1)
		}, `result 0 of "main": the sharding has 1 dimensions, but f32[] has 0`},
		{"unequal parts", func(b *builder.Builder) int {
			b.Mesh("m", builder.Axis{Name: "x", Size: 3})
			f := b.Func("main", vector)
			builder.Constrain(f.Param(0), builder.Sharding{Mesh: "m", Dims: [][]string{{"x"}}})
			return here(1)
		}, `constrain(f32[4]): dimension 0 of f32[4] cannot be split into 3 equal parts`},
		{"unknown axis", func(b *builder.Builder) int {
			b.Mesh("m", builder.Axis{Name: "x", Size: 2})
			f := b.Func("main", vector)
			builder.Constrain(f.Param(0), builder.Sharding{Mesh: "m", Dims: [][]string{{"y"}}})
			return here(1)
		}, `the mesh "m" has no axis "y"`},
		{"both forms", func(b *builder.Builder) int {
			b.Mesh("m", builder.Axis{Name: "x", Size: 2})
			f := b.Func("main", vector)
			builder.Constrain(f.Param(0), builder.Sharding{Mesh: "m", HLO: "{replicated}"})
			return here(1)
		}, `the sharding has both forms`},
		{"no sharding", func(b *builder.Builder) int {
			f := b.Func("main", vector)
			builder.Constrain(f.Param(0), builder.Sharding{})
			return here(1)
		}, `the sharding is empty: set Mesh and Dims, or HLO`},
		{"type of another context", func(b *builder.Builder) int {
			foreign := newBuilder(t).Func("f", number).Param(0).MLIR().Type()
			b.FuncWith("main", with(builder.Param{Type: foreign}))
			return here(1)
		}, `the type tensor<f32> belongs to another context`},
	})
}
