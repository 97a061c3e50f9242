package builder_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

func mainOf(t *testing.T, m *mlir.Module) mlir.Operation {
	t.Helper()
	f, ok := m.SymbolTable().Lookup("main")
	if !ok {
		t.Fatal("there is no main")
	}
	return f
}

// operations returns the operations of a function but the constants, which may stand in another order.
func operations(f mlir.Operation) (list []string) {
	for op := range f.All() {
		if op.Name() == "stablehlo.constant" || op.Name() == "func.func" {
			continue
		}
		text := op.Name()
		for _, v := range op.Operands() {
			text += " " + v.Type().String()
		}
		list = append(list, text)
	}
	return list
}

// TestDerivativesAreThoseOfAutodiff holds that a derivative in a function is what package autodiff makes of the
// function.
func TestDerivativesAreThoseOfAutodiff(t *testing.T) {
	loss := func(x [2]value) value {
		y := builder.Loop(builder.Scalar(x[0].Func(), int32(3)), x[0], func(_, y value) value {
			builder.Tap(y, builder.Callback{Name: "see"})
			return builder.Tanh(builder.Mul(y, x[1]))
		}, builder.LoopOptions{})
		return builder.ReduceSum(builder.Square(y))
	}
	for name, test := range map[string]struct {
		of     func(f mlir.Operation, o autodiff.Options) (mlir.Operation, error)
		build  func(x, dx [2]value) []value
		number int // of tangents
	}{
		"grad": {autodiff.Grad, func(x, _ [2]value) []value {
			g := builder.Grad(loss)(x)
			return g[:]
		}, 0},
		"value_and_grad": {autodiff.ValueAndGrad, func(x, _ [2]value) []value {
			y, g := builder.ValueAndGrad(loss)(x)
			return append([]value{y}, g[:]...)
		}, 0},
		"jvp": {autodiff.JVP, func(x, dx [2]value) []value {
			y, dy := builder.JVP(loss, x, dx)
			return []value{y, dy}
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBuilder(t)
			f := b.Func("main", f32(4), f32(4))
			f.Return(loss([2]value{f.Param(0), f.Param(1)}))
			want, err := test.of(mainOf(t, finish(t, b)), autodiff.Options{})
			check.NoError(t, err)

			b = newBuilder(t)
			f = b.Func("main", []tensor.Shape{f32(4), f32(4), f32(4), f32(4)}[:2+test.number]...)
			x, dx := [2]value{f.Param(0), f.Param(1)}, [2]value{}
			if test.number > 0 {
				dx = [2]value{f.Param(2), f.Param(3)}
			}
			f.Return(test.build(x, dx)...)
			got := mainOf(t, finish(t, b))
			check.Diff(t, "the operations", operations(want), operations(got))
		})
	}
}

// TestModuleAfterDerivatives holds that a module has no functions of its derivatives.
func TestModuleAfterDerivatives(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", f32())
	y, back := builder.VJP(builder.Sin, f.Param(0))
	f.Return(y, back(y), builder.If(builder.Gt(y, 0), func() value { return back(y) }, func() value { return y }))
	functions := 0
	for range finish(t, b).Body().Operations() {
		functions++
	}
	check.Diff(t, "functions", 1, functions)
}

// TestRulesInModule holds that a module keeps the rules of its functions, also as a portable artifact, for derivatives
// that are made later, and loses them where it is compiled.
func TestRulesInModule(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", f32(), f32())
	w := builder.Exp(f.Param(1))
	scaled := builder.CustomJVP(func(x value) value { return builder.Mul(x, w) }, func(x, dx value) (value, value) {
		return builder.Mul(x, w), builder.Mul(dx, 10)
	})
	kept := builder.CustomVJP(builder.Square,
		func(x value) (value, []value) { return builder.Square(x), []value{x, w} },
		func(r []value, dy value) value { return builder.Mul(dy, builder.Mul(r[0], 5)) })
	x := builder.StopGradient(f.Param(0))
	f.Return(builder.Add(x, builder.Add(scaled(f.Param(0)), kept(f.Param(0)))))
	m := finish(t, b)
	artifact, err := stablehlo.PortableArtifact(m, "1.0.0")
	check.NoError(t, err)
	read, err := m.Context().Parse("", artifact)
	check.NoError(t, err)
	check.Cleanup(t, read)
	for _, m := range []*mlir.Module{m, read} {
		grad, err := autodiff.Grad(mainOf(t, m), autodiff.Options{Parameters: []int{0}})
		check.NoError(t, err)
		table := m.SymbolTable()
		check.NoError(t, table.Rename("main", "original"))
		name, _ := grad.Symbol()
		check.NoError(t, table.Rename(name, "main"))
		results, err := stablehlo.Evaluate(m, tensor.Scalar[float32](2), tensor.Scalar[float32](0))
		check.NoError(t, err)
		check.Diff(t, "the gradient", "[f32[] 20]", fmt.Sprint(results))
	}

	n, err := passes.InlineRules(m)
	check.NoError(t, err)
	check.Diff(t, "composites", 3, n)
	functions := 0
	for op := range m.Body().Operations() {
		functions++
		for inner := range op.All() {
			if inner.Name() == "stablehlo.composite" {
				t.Errorf("%s is left", inner)
			}
		}
	}
	check.Diff(t, "functions", 2, functions)
}

// TestCheckpoint counts the operations of a gradient, which does not need the last value: the first checkpoint computes
// its exponential again.
func TestCheckpoint(t *testing.T) {
	layer := func(x value) value { return builder.Sin(builder.Exp(x)) }
	count := func(layer func(value) value) (n int) {
		b := newBuilder(t)
		f := b.Func("main", f32())
		f.Return(builder.Grad(func(x value) value { return layer(layer(x)) })(f.Param(0)))
		for op := range mainOf(t, finish(t, b)).All() {
			if op.Name() == "stablehlo.exponential" {
				n++
			}
		}
		return n
	}
	named := func(x value) value { return builder.Sin(builder.RematName(builder.Exp(x), "e")) }
	check.Diff(t, "exponentials", []int{2, 3, 2, 2, 3}, []int{
		count(layer), count(builder.Remat(layer, "")), count(builder.Remat(layer, autodiff.EverythingSaveable)),
		count(builder.Remat(named, autodiff.SaveOnlyTheseNames("e"))),
		count(builder.Remat(named, autodiff.SaveOnlyTheseNames("f"))),
	})
}

// TestRulesOfCallbacks holds that a derivative and a batch call what a callback names for them.
func TestRulesOfCallbacks(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", f32(), f32(4))
	cb := builder.Callback{Name: "f", Derivative: contract.Derivative{VJP: "pull"}, Batch: "expand_dims"}
	host := func(x value) value { return builder.PureCall(x, x, cb) }
	f.Return(builder.Grad(host)(f.Param(0)), builder.Batch(host, builder.BatchOptions{})(f.Param(1)))
	var called []string
	for _, op := range mlirtest.Find(finish(t, b), "stablehlo.custom_call") {
		call, _ := callop.AsCall(op)
		called = append(called, call.Config.Callback+" "+op.Result(0).Type().String())
	}
	check.Diff(t, "calls", []string{"f tensor<f32>", "pull tensor<f32>", "f tensor<4xf32>"}, called)
}

// TestBatchOfReplicas holds that collectives inside of a batch over an axis are operations on the batch.
func TestBatchOfReplicas(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", f32(4, 2))
	f.Return(builder.Batch(func(x value) value {
		sum := builder.AllReduce(x, builder.Add, builder.CollectiveOptions{})
		return builder.Sub(x, sum)
	}, builder.BatchOptions{AxisName: "replicas"})(f.Param(0)))
	var names []string
	for op := range mainOf(t, finish(t, b)).All() {
		names = append(names, op.Name())
	}
	check.Diff(t, "operations", []string{
		"func.func", "stablehlo.constant", "stablehlo.reduce", "stablehlo.add", "stablehlo.return",
		"stablehlo.broadcast_in_dim", "stablehlo.subtract", "func.return",
	}, names)
}

func TestMistakesWithDerivatives(t *testing.T) {
	type mixed struct{ X, N value }
	square := func(x value) value { return builder.Square(x) }
	start := func(b *builder.Builder) (f *builder.Func, x, v, n value) {
		f = b.Func("main", f32(), f32(4), s32())
		return f, f.Param(0), f.Param(1), f.Param(2)
	}
	checkMistakes(t, "gradient_test.go", []mistake{
		{"a vector", func(b *builder.Builder) int {
			_, _, v, _ := start(b)
			builder.Grad(square)(v)
			return here(1)
		}, "grad(f32[4]): its Go function at builder/gradient_test.go:"},
		{"an integer in the argument", func(b *builder.Builder) int {
			_, x, _, n := start(b)
			builder.Grad(func(p mixed) value { return p.X })(mixed{x, n})
			return here(1)
		}, "grad(f32[], s32[]): .N is s32[], which has no derivative: let the function take it from outside"},
		{"no function", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			builder.ValueAndGrad[value](nil)(x)
			return here(1)
		}, "value_and_grad(f32[]): its Go function is nil"},
		{"a call of the host", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			builder.Grad(func(x value) value { return builder.PureCall(x, x, builder.Callback{Name: "f"}) })(x)
			return here(1)
		}, "grad(f32[]): custom_call at "},
		{"a mistake in the function", func(b *builder.Builder) int {
			_, x, v, n := start(b)
			builder.Grad(func(x value) value {
				return builder.Add(x, n)
			})(x)
			builder.Grad(square)(v)
			return here(3)
		}, "add(f32[], s32[]): the element types f32 and s32 differ"},
		{"a value that ends with the function", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			var inside value
			builder.Grad(func(x value) value { inside = builder.Sin(x); return inside })(x)
			builder.Cos(inside)
			return here(1)
		}, "belongs to the function of the grad at "},
		{"a tangent of another type", func(b *builder.Builder) int {
			_, x, v, _ := start(b)
			builder.JVP(square, x, v)
			return here(1)
		}, "jvp(f32[]): the value is f32[], and its tangent is f32[4]"},
		{"a tangent of another structure", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			builder.JVP(func(x []value) value { return x[0] }, []value{x}, []value{x, x})
			return here(1)
		}, "jvp(f32[]): the argument has 1 values, and its tangent has 2"},
		{"a scan over a number", func(b *builder.Builder) int {
			_, x, v, _ := start(b)
			builder.Scan(x, []value{v, x}, func(s value, x []value) (value, value) { return s, s },
				builder.ScanOptions{})
			return here(2)
		}, "scan(f32[], f32[4], f32[]): [1] of xs is f32[]: it needs a first dimension"},
		{"a scan over nothing", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			builder.Scan(x, struct{}{}, func(s value, _ struct{}) (value, value) { return s, s }, builder.ScanOptions{})
			return here(1)
		}, "scan(f32[]): ScanOptions.Length is 0: it is the number of steps, where xs has no values"},
		{"a scan with another state", func(b *builder.Builder) int {
			_, x, v, _ := start(b)
			builder.Scan(x, v, func(s, x value) (value, value) { return v, s }, builder.ScanOptions{})
			return here(1)
		}, "scan(f32[], f32[4]): the body must return the types of the initial state"},
		{"a scan of fewer steps", func(b *builder.Builder) int {
			_, x, v, _ := start(b)
			builder.Scan(x, v, func(s, x value) (value, value) { return s, s }, builder.ScanOptions{Length: 3})
			return here(1)
		}, "scan(f32[], f32[4]): the value of xs has 4 elements, and there are 3 steps"},
		{"a root of another type", func(b *builder.Builder) int {
			_, x, v, _ := start(b)
			builder.Root(func(p, x value) value { return builder.Sub(x, p) },
				func(f func(value) value, x value) value { return v },
				func(product func(value) value, b value) value { return b })(x, x)
			return here(1)
		}, "the value is f32[] in the guess and f32[4] in the root"},
		{"a system without a solver", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			builder.LinearSolve[value, value](func(p, x value) value { return x }, nil)(x, x)
			return here(1)
		}, "linear_solve(f32[], f32[]): its Go function is nil"},
		{"a rule of another type", func(b *builder.Builder) int {
			_, x, v, _ := start(b)
			builder.CustomJVP(square, func(x, dx value) (value, value) { return x, v })(x)
			return here(1)
		}, "custom_jvp(f32[]): the tangent of the result differs: the value is f32[] in the function and f32[4] in its rule"},
		{"a cotangent of another type", func(b *builder.Builder) int {
			_, x, v, _ := start(b)
			builder.CustomVJP(square, func(x value) (value, value) { return x, v },
				func(r, dy value) value { return r })(x)
			return here(1)
		}, "custom_vjp(f32[]): the cotangent of the argument differs: the value is f32[] in the function and f32[4] in its rule"},
		{"a rule with a callback", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			builder.CustomJVP(square, func(x, dx value) (value, value) {
				builder.Tap(x, builder.Callback{Name: "t"})
				return x, dx
			})(x)
			return here(1)
		}, "custom_jvp(f32[]): its Go functions have a callback with side effects, at "},
		{"a derivative by what a rule does not know", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			builder.Grad(func(w value) value {
				return builder.CustomJVP(func(x value) value { return builder.Mul(x, w) },
					func(x, dx value) (value, value) { return x, dx })(x)
			})(x)
			return here(1)
		}, "the derivative is with respect to a value that the function takes from outside"},
		{"forward mode through a rule for reverse mode", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			builder.JVP(builder.CustomVJP(square, func(x value) (value, value) { return x, x },
				func(r, dy value) value { return dy }), x, x)
			return here(2)
		}, "the function has a rule for reverse mode only"},
		{"a batch of two sizes", func(b *builder.Builder) int {
			_, _, v, _ := start(b)
			builder.Batch(func(x [2]value) value { return x[0] },
				builder.BatchOptions{})([2]value{v, builder.Concat(0, v, v)})
			return here(1)
		}, "batch(f32[4], f32[8]): the batch has 4 elements, and value 1 of the argument has 8"},
		{"a batch of scalars", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			builder.Batch(square, builder.BatchOptions{})(x)
			return here(1)
		}, "batch(f32[]): a scalar has no axis 0"},
		{"nothing batched", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			builder.Batch(square, builder.BatchOptions{In: []int{builder.NotBatched}})(x)
			return here(1)
		}, "batch(f32[]): the batch has no elements: set BatchOptions.Size"},
		{"axes of other results", func(b *builder.Builder) int {
			_, _, v, _ := start(b)
			builder.Batch(square, builder.BatchOptions{Out: []int{0, 0}})(v)
			return here(1)
		}, "batch(f32[4]): BatchOptions.Out has 2 axes, and the result has 1 values"},
		{"a result that depends on the batch", func(b *builder.Builder) int {
			_, _, v, _ := start(b)
			builder.Batch(square, builder.BatchOptions{Out: []int{builder.NotBatched}})(v)
			return here(1)
		}, "result 0 depends on a batched parameter"},
		{"a call of the host in a batch", func(b *builder.Builder) int {
			_, _, v, _ := start(b)
			builder.Batch(func(x value) value { return builder.PureCall(x, x, builder.Callback{Name: "f"}) },
				builder.BatchOptions{})(v)
			return here(1)
		}, "batch(f32[4]): custom_call at "},
		{"a loop of unknown length", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			builder.Grad(func(x value) value {
				return builder.While(x, func(x value) value { return builder.Lt(x, 9) }, square, builder.LoopOptions{})
			})(x)
			return here(1)
		}, "grad(f32[]): while at "},
		{"another type than that of the Jacobian", func(b *builder.Builder) int {
			_, _, v, _ := start(b)
			builder.JacRev[[]value](square)(v)
			return here(1)
		}, "jacrev(f32[4]): its type argument is []builder.Value: it must be a tree like builder.Value, with a " +
			"builder.Value in place of each Value"},
		{"a Jacobian of integers", func(b *builder.Builder) int {
			_, _, _, n := start(b)
			builder.JacFwd[value](square)(n)
			return here(1)
		}, "jacfwd(s32[]): the value of the argument is s32[]: a Jacobian is of real floating-point numbers"},
		{"a Jacobian whose result has integers", func(b *builder.Builder) int {
			_, x, _, n := start(b)
			builder.JacFwd[mixed](func(x value) mixed { return mixed{x, n} })(x)
			return here(1)
		}, "jacfwd(f32[]): .N of the result is s32[]"},
		{"a transpose of what is not linear", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			builder.LinearTranspose(square, x)(x)
			return here(1)
		}, "it is not linear"},
		{"a batch rule of another type", func(b *builder.Builder) int {
			_, _, v, _ := start(b)
			builder.Batch(builder.CustomBatch(square, func(_ int, x value) value { return builder.ReduceSum(x) }),
				builder.BatchOptions{})(v)
			return here(1)
		}, "custom_batch(f32[]): its rule returns [tensor<f32>] for a batch of 4, and must return [tensor<4xf32>]"},
		{"a batch rule with a value that differs in the batch", func(b *builder.Builder) int {
			_, _, v, _ := start(b)
			builder.Batch(func(x value) value {
				return builder.CustomBatch(square, func(_ int, y value) value { return builder.Mul(y, x) })(x)
			}, builder.BatchOptions{})(v)
			return here(1)
		}, "its rule takes a value from outside that differs in the batch"},
		{"a batch that is not around the call", func(b *builder.Builder) int {
			g := b.Func("g", f32())
			g.Return(builder.CustomBatch(square, func(_ int, x value) value { return x })(g.Param(0)))
			_, _, v, _ := start(b)
			builder.Batch(func(x value) value { return builder.Call[value](g, x) }, builder.BatchOptions{})(v)
			return here(1)
		}, "it has no rule for a batch of 4 elements"},
		{"reverse mode through a batch rule", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			builder.Grad(builder.CustomBatch(square, func(_ int, x value) value { return x }))(x)
			return here(1)
		}, "no derivative in reverse mode but in the batch: use CustomVJP"},
		{"no cotangent", func(b *builder.Builder) int {
			_, x, _, _ := start(b)
			_, back := builder.VJP(square, x)
			back(value{})
			return here(1)
		}, "vjp: its cotangent of the value is the zero Value"},
	})
}

// TestDerivativesAfterMistakes holds that results keep their structure after a mistake.
func TestDerivativesAfterMistakes(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", f32(), f32(4))
	x := []value{f.Param(0), builder.Add(f.Param(0), builder.Dot(f.Param(1), f.Param(0)))}
	loss := func(x []value) (value, []value) { return builder.Mul(x[0], x[1]), []value{x[0], x[0], x[1]} }
	y, aux, gradient := builder.ValueAndGradAux(loss)(x)
	z, dz := builder.JVP(func(x []value) []value { return x[:1] }, x, x)
	w, back := builder.VJP(func(x []value) []value { return x[:1] }, x)
	check.Diff(t, "numbers of values", []int{3, 2, 1, 1, 1, 2},
		[]int{len(aux), len(gradient), len(z), len(dz), len(w), len(back(w))})
	f.Return(y)
	_, err := b.Module()
	check.Error(t, err, "dot")
}

// TestDynamicTransformations holds that dynamic dimensions, of arguments and of what a function computes, are refused
// with what to do about them.
func TestDynamicTransformations(t *testing.T) {
	reshaped := func(x value) value { return builder.DynamicReshape(x, builder.Const(x.Func(), []int32{4}), -1) }
	for name, transform := range map[string]func(f func(value) value, x value) value{
		"grad": func(f func(value) value, x value) value {
			return builder.Grad(func(x value) value { return builder.ReduceSum(f(x)) })(x)
		},
		"jvp":              func(f func(value) value, x value) value { _, dy := builder.JVP(f, x, x); return dy },
		"vjp":              func(f func(value) value, x value) value { y, _ := builder.VJP(f, x); return y },
		"linearize":        func(f func(value) value, x value) value { y, _ := builder.Linearize(f, x); return y },
		"linear_transpose": func(f func(value) value, x value) value { return builder.LinearTranspose(f, x)(x) },
		"batch": func(f func(value) value, x value) value {
			return builder.Batch(f,
				builder.BatchOptions{})(x)
		},
		"jacfwd":  func(f func(value) value, x value) value { return builder.JacFwd[value](f)(x) },
		"jacrev":  func(f func(value) value, x value) value { return builder.JacRev[value](f)(x) },
		"hessian": func(f func(value) value, x value) value { return builder.Hessian[value](f)(x) },
	} {
		for shape, f := range map[string]func(value) value{"f32[?]": builder.Neg, "f32[4]": reshaped} {
			t.Run(name+" "+shape, func(t *testing.T) {
				b := newBuilder(t)
				dims := map[string]int{"f32[?]": -1, "f32[4]": 4}
				main := b.Func("main", f32(dims[shape]))
				main.Return(builder.ReduceSum(transform(f, main.Param(0))))
				_, err := b.Module()
				check.Error(t, err, "gradient_test.go:", "stablehlo.Refine")
			})
		}
	}
}
