package calliope_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// The gradient of a function is one more function of the program.
func ExampleFunc_gradient() {
	type params[T any] struct{ Slope, Offset T }
	loss := func(p params[builder.Value], x, y builder.Value) builder.Value {
		line := builder.Add(builder.Mul(p.Slope, x), p.Offset)
		return builder.ReduceMean(builder.Square(builder.Sub(line, y)))
	}
	step := calliope.Func(func(p params[builder.Value], x, y builder.Value) params[builder.Value] {
		gradient := builder.Grad(func(p params[builder.Value]) builder.Value { return loss(p, x, y) })(p)
		return builder.MapTrees(func(v ...builder.Value) builder.Value {
			return builder.Sub(v[0], builder.Mul(v[1], 0.1))
		}, p, gradient)
	})
	defer step.Close()
	var p params[float32]
	var err error
	for range 200 {
		p, err = calliope.Call[params[float32]](context.Background(), step, p, []float32{0, 1, 2, 3},
			[]float32{1, 3, 5, 7})
	}
	fmt.Printf("%.2f %v\n", p, err)
	// Output: {2.00 1.00} <nil>
}

// call runs a function once and returns its result.
func call[R any](t *testing.T, f any, args ...any) R {
	t.Helper()
	function := calliope.Func(f)
	check.Cleanup(t, function)
	got, err := calliope.Call[R](t.Context(), function, args...)
	check.NoError(t, err)
	return got
}

var near = cmpopts.EquateApprox(1e-6, 1e-6)

// TestGradients compares gradients, and forward derivatives along a direction, with finite differences.
func TestGradients(t *testing.T) {
	check.NoRaces(t)
	type value = builder.Value
	type tree struct {
		A value
		B []value
	}
	for name, f := range map[string]func(x tree, w value) value{
		"elementwise": func(x tree, w value) value {
			return builder.ReduceSum(builder.Mul(builder.Sin(builder.Mul(x.A, w)), builder.Exp(x.B[0])))
		},
		"trees": func(x tree, w value) value {
			x = builder.MapTrees(func(v ...value) value { return builder.Tanh(builder.Mul(v[0], w)) }, x)
			return builder.ReduceSum(builder.Mul(builder.Mul(x.A, x.B[0]), x.B[1]))
		},
		"a loop that counts": func(x tree, w value) value {
			n := builder.Scalar(w.Func(), int32(4))
			x = builder.Loop(n, x, func(i value, x tree) tree {
				return tree{builder.Mul(x.B[0], builder.Sin(x.A)), []value{builder.Mul(x.A, w), x.B[1]}}
			}, builder.LoopOptions{})
			return builder.ReduceSum(builder.Mul(x.A, builder.Mul(x.B[0], x.B[1])))
		},
		"branches": func(x tree, w value) value {
			choose := func(index int) value {
				return builder.Case(builder.Scalar(w.Func(), int32(index)),
					func() value { return builder.Mul(x.A, w) },
					func() value {
						return builder.If(builder.Gt(builder.ReduceSum(x.A), 0),
							func() value { return builder.Cos(x.B[0]) }, func() value { return x.A })
					})
			}
			return builder.ReduceSum(builder.Add(choose(0), choose(1)))
		},
		"a gradient": func(x tree, w value) value {
			inner := builder.Grad(func(y value) value {
				return builder.ReduceSum(builder.Mul(builder.Sin(y), builder.Mul(x.B[0], w)))
			})
			return builder.ReduceSum(builder.Mul(inner(x.A), x.B[1]))
		},
		"a gradient in a loop": func(x tree, w value) value {
			loss := func(y value) value {
				return builder.ReduceSum(builder.Square(builder.Sub(builder.Square(y), x.B[0])))
			}
			y := builder.Loop(builder.Scalar(w.Func(), int32(3)), x.A, func(_, y value) value {
				return builder.Sub(y, builder.Mul(builder.Grad(loss)(y), builder.Mul(w, 0.1)))
			}, builder.LoopOptions{})
			return builder.ReduceSum(builder.Mul(y, x.B[1]))
		},
	} {
		t.Run(name, func(t *testing.T) {
			type derivatives[T any] struct{ Reverse, Forward, Difference, Value, Same, AsIs T }
			got := call[derivatives[float64]](t, func(x [3]value, w value) derivatives[value] {
				at := func(x [3]value) tree { return tree{x[0], []value{x[1], x[2]}} }
				loss := func(x tree) value { return f(x, w) }
				point := at(x)
				direction := builder.MapTrees(func(v ...value) value { return builder.Cos(builder.Mul(v[0], 7)) },
					point)
				along := func(h float64) value {
					return loss(builder.MapTrees(func(v ...value) value {
						return builder.Add(v[0], builder.Mul(v[1], h))
					}, point, direction))
				}
				var d derivatives[value]
				var gradient tree
				d.Value, gradient = builder.ValueAndGrad(loss)(point)
				d.Same, d.Forward = builder.JVP(loss, point, direction)
				d.AsIs = loss(point)
				products := builder.MapTrees(func(v ...value) value {
					return builder.ReduceSum(builder.Mul(v[0], v[1]))
				}, gradient, direction)
				d.Reverse = builder.Add(products.A, builder.Add(products.B[0], products.B[1]))
				const h = 1e-5
				d.Difference = builder.Div(builder.Sub(along(h), along(-h)), 2*h)
				return d
			}, [3][]float64{{0.5, -1.2, 2}, {1.1, 0.3, -0.4}, {0.7, 0.9, 1.3}}, []float64{0.8, 1.2, -0.6})
			check.Diff(t, "reverse", got.Difference, got.Reverse, near)
			check.Diff(t, "forward", got.Difference, got.Forward, near)
			check.Diff(t, "values", [2]float64{got.AsIs, got.AsIs}, [2]float64{got.Value, got.Same})
		})
	}
}

// TestNestedGradients takes derivatives of x⁴·sin(w·x) three deep, in all orders of the modes.
func TestNestedGradients(t *testing.T) {
	type value = builder.Value
	type function = func(value) value
	reverse := func(f function) function { return builder.Grad(f) }
	back := func(f function) function {
		return func(x value) value {
			y, back := builder.VJP(f, x)
			return back(builder.OnesLike(y))
		}
	}
	forward := func(f function) function {
		return func(x value) value {
			_, dy := builder.JVP(f, x, builder.OnesLike(x))
			return dy
		}
	}
	x, w := 0.7, 1.3
	s, c := math.Sin(w*x), math.Cos(w*x)
	want := 24*x*s + 36*x*x*w*c - 12*x*x*x*w*w*s - x*x*x*x*w*w*w*c
	for name, modes := range map[string][3]func(function) function{
		"reverse over reverse": {reverse, reverse, reverse},
		"forward over reverse": {reverse, reverse, forward},
		"reverse over forward": {forward, reverse, back},
		"forward over forward": {forward, forward, forward},
		"VJP":                  {back, forward, reverse},
	} {
		t.Run(name, func(t *testing.T) {
			got := call[float64](t, func(x, w value) value {
				f := func(x value) value { return builder.Mul(builder.Pow(x, 4), builder.Sin(builder.Mul(w, x))) }
				for _, mode := range modes {
					f = mode(f)
				}
				return f(x)
			}, x, w)
			check.Diff(t, "the third derivative", want, got, near)
		})
	}
}

// TestGradientsInRegions makes gradients in a while, in its condition, in a branch, in the body of a reduce, and of a
// function that is called.
func TestGradientsInRegions(t *testing.T) {
	type value = builder.Value
	cube := func(x value) value { return builder.Mul(x, builder.Square(x)) }
	got := call[[4]float64](t, func(x value) [4]value {
		slope := builder.Grad(cube)
		newton := builder.While(x, func(y value) value { return builder.Gt(slope(y), 1e-3) }, func(y value) value {
			return builder.Sub(y, builder.Div(cube(y), slope(y)))
		}, builder.LoopOptions{})
		branch := builder.If(builder.Gt(x, 0), func() value { return slope(x) }, func() value { return x })
		list := builder.Concat(0, builder.Reshape(x, 1), builder.Reshape(x, 1))
		reduced := builder.Reduce(list, builder.Scalar(x.Func(), 0.), func(a, b value) value {
			return builder.Grad(func(y value) value { return builder.Mul(y, builder.Add(a, b)) })(b)
		}, 0)
		function := x.Func().Builder().Func("cube", x.Shape())
		function.Return(cube(function.Param(0)))
		called := builder.Grad(func(x value) value { return builder.Call[value](function, x) })(x)
		return [4]value{newton, branch, reduced, called}
	}, 2.0)
	if got[0] < 0 || got[0] > 0.02 {
		t.Errorf("Newton's method ends at %g", got[0])
	}
	check.Diff(t, "gradients", []float64{12, 4, 12}, got[1:])
}

// TestWithoutTangents holds what stands for the derivatives of integers.
func TestWithoutTangents(t *testing.T) {
	type value = builder.Value
	type pair struct {
		X value
		N value
	}
	type host struct {
		X float64
		N int32
	}
	f := func(p pair) pair {
		return pair{builder.Mul(builder.Square(p.X), builder.Convert(p.N, tensor.F64)), builder.Add(p.N, int32(1))}
	}
	got := call[[4]host](t, func(x, n value) [4]pair {
		p := pair{x, n}
		y, dy := builder.JVP(f, p, pair{X: builder.OnesLike(x)})
		z, back := builder.VJP(f, p)
		return [4]pair{y, dy, z, back(pair{X: builder.OnesLike(x)})}
	}, 3.0, int32(5))
	check.Diff(t, "results and derivatives", [4]host{{45, 6}, {30, 0}, {45, 6}, {30, 0}}, got)
}

// TestAux returns further results, of any type and structure, also such from outside.
func TestAux(t *testing.T) {
	type value = builder.Value
	type aux[T, N any] struct {
		Twice, Outside T
		Count          []N
	}
	type results[T, N any] struct {
		Value, Gradient, Other T
		A, B                   aux[T, N]
	}
	got := call[results[float64, int32]](t, func(x, w value) (r results[value, value]) {
		f := func(x value) (value, aux[value, value]) {
			return builder.Mul(w, builder.Square(x)),
				aux[value, value]{builder.Mul(x, 2), w, []value{builder.Scalar(x.Func(), int32(7))}}
		}
		r.Value, r.A, r.Gradient = builder.ValueAndGradAux(f)(x)
		r.Other, r.B = builder.GradAux(f)(x)
		return r
	}, 3.0, 5.0)
	further := aux[float64, int32]{6, 5, []int32{7}}
	check.Diff(t, "results", results[float64, int32]{45, 30, 30, further, further}, got)
}

// TestGradientCallsOnce holds that a tap is called once, with the values of the function, in its order with the calls
// around it, and that a passthrough has the derivative of its operand, and sees the adjoints too.
func TestGradientCallsOnce(t *testing.T) {
	type value = builder.Value
	var seen []string
	var passed []float64
	see := func(name string, x value) {
		calliope.Tap(x, func(_ context.Context, v float64) error {
			seen = append(seen,
				fmt.Sprint(name, " ", v))
			return nil
		})
	}
	got := call[[3]float64](t, func(x value) [3]value {
		see("before", x)
		loss := func(x value) value {
			see("loss", x)
			y := builder.Loop(builder.Scalar(x.Func(), int32(2)), x, func(_, y value) value {
				see("step", y)
				return calliope.Passthrough(builder.Square(y),
					func(_ context.Context, v float64) error { passed = append(passed, v); return nil })
			}, builder.LoopOptions{})
			builder.If(builder.Gt(y, 100), func() struct{} { see("greater", y); return struct{}{} },
				func() struct{} { return struct{}{} })
			return y
		}
		y, dy := builder.ValueAndGrad(loss)(x)
		see("between", dy)
		_, back := builder.VJP(loss, x)
		see("after", back(builder.Scalar(x.Func(), 10.)))
		return [3]value{y, dy, builder.Grad(loss)(builder.Scalar(x.Func(), 4.))}
	}, 2.0)
	check.Diff(t, "x⁴ and its derivatives", [3]float64{16, 32, 256}, got)
	check.Diff(t, "taps", []string{
		"before 2", "loss 2", "step 2", "step 4", "between 32", "loss 2", "step 2", "step 4", "after 320",
		"loss 4", "step 4", "step 16", "greater 256",
	}, seen)
	slices.Sort(passed) // they have no order
	check.Diff(t, "passed", []float64{1, 1, 4, 4, 8, 10, 16, 16, 16, 32, 80, 256}, passed)
}

// TestNoGradient holds that a derivative through a call of the host is an error of the build, with the lines of the
// call and of the gradient.
func TestNoGradient(t *testing.T) {
	f := calliope.Func(func(x builder.Value) builder.Value {
		return builder.Grad(func(x builder.Value) builder.Value {
			return calliope.PureCall(x, x, func(_ context.Context, v float64) (float64, error) { return v, nil })
		})(x)
	})
	check.Cleanup(t, f)
	_, err := calliope.Call[float64](t.Context(), f, 1.0)
	check.Error(t, err, "gradient_test.go:", "grad(f64[]): custom_call at ", "the host computes the results")
}

// TestJacobianCallsOnce holds that a tap in a function is called once for its Jacobian, with the values of the
// function, and in its order, and that a pure function is called for each element of a derivative.
func TestJacobianCallsOnce(t *testing.T) {
	type value = builder.Value
	var seen []string
	pure := 0
	half := func(_ context.Context, x []float64) ([]float64, error) {
		pure++
		return []float64{x[0] / 2, x[1] / 2}, nil
	}
	got := call[[4][]float64](t, func(x value) [4]value {
		f := func(name string) func(x value) value {
			return func(x value) value {
				calliope.Tap(x, func(_ context.Context, v []float64) error {
					seen = append(seen,
						fmt.Sprint(name, v))
					return nil
				})
				return builder.CustomJVP(builder.Square, func(x, dx value) (y, dy value) {
					return builder.Square(x), builder.Mul(calliope.PureCall(x, builder.Mul(x, dx), half), 4)
				})(x)
			}
		}
		forward := builder.JacFwd[value](f("forward"))(x)
		y, linear := builder.Linearize(func(x value) value {
			calliope.Tap(x, func(_ context.Context, v []float64) error {
				seen = append(seen,
					fmt.Sprint("linear", v))
				return nil
			})
			return builder.Square(x)
		}, x)
		return [4]value{builder.Flatten(forward), y, linear(x), linear(y)}
	}, []float64{1, 3})
	check.Diff(t, "results", [4][]float64{{2, 0, 0, 6}, {1, 9}, {2, 18}, {2, 54}}, got)
	check.Diff(t, "taps", []string{"forward[1 3]", "linear[1 3]"}, seen)
	check.Diff(t, "calls of the derivative", 2, pure)
}

// TestPassthroughOfForwardMode holds that a closure for values, which forward mode calls with tangents too, is an error
// of the compile with its line and what to do.
func TestPassthroughOfForwardMode(t *testing.T) {
	type value = builder.Value
	dx := func(f func(x value) value) (float64, error) {
		g := calliope.Func(func(x value) value {
			_, dy := builder.JVP(f, x, x)
			return dy
		})
		check.Cleanup(t, g)
		return calliope.Call[float64](t.Context(), g, 3.0)
	}
	_, err := dx(func(x value) value {
		return calliope.Passthrough(builder.Square(x), func(context.Context, float64) error { return nil })
	})
	check.Error(t, err, "gradient_test.go:", `callback "id `, "takes f64[]", "the values and then their tangents",
		"callbacks.Func", "StopGradient")
	got, err := dx(func(x value) value {
		y := builder.Square(x)
		calliope.Passthrough(builder.StopGradient(y), func(context.Context, float64) error { return nil })
		return y
	})
	check.NoError(t, err)
	check.Diff(t, "the derivative", 18.0, got)
}

// TestRules differentiates functions with derivatives of their own, which differ from those that they have. The
// numbers are those of JAX.
func TestRules(t *testing.T) {
	type value = builder.Value
	clip := builder.CustomJVP(func(x value) value { return x }, func(x, dx value) (value, value) {
		return x, builder.Mul(dx, 0.5)
	})
	sine := builder.CustomJVP(builder.Sin, func(x, dx value) (value, value) { // to any order
		return builder.Sin(x), builder.Mul(builder.Mul(2, dx), builder.Cos(x))
	})
	type pair struct{ X, N value }
	power := builder.CustomVJP(func(p pair) value { return builder.Pow(p.X, builder.Convert(p.N, tensor.F64)) },
		func(p pair) (value, pair) { return builder.Pow(p.X, builder.Convert(p.N, tensor.F64)), p },
		func(p pair, dy value) pair {
			return pair{builder.Mul(builder.Mul(dy, 10), p.X), builder.ZerosLike(p.N)}
		})
	cube := func(x value) value { return power(pair{x, builder.Scalar(x.Func(), int32(3))}) }
	host := builder.CustomVJP(func(x value) value {
		return calliope.PureCall(x, x, func(_ context.Context, v float64) (float64, error) { return v * v, nil })
	}, func(x value) (value, value) { return builder.Square(x), x },
		func(x, dy value) value { return builder.Mul(builder.Mul(2, x), dy) })
	for name, test := range map[string]struct {
		f    func(value) value
		want [3]float64 // its value and the first two derivatives at 3
	}{
		"stop_gradient": {func(x value) value { return builder.Mul(builder.StopGradient(builder.Square(x)), x) },
			[3]float64{27, 9, 0}},
		"of an operand": {func(x value) value { return builder.Mul(clip(x), x) }, [3]float64{9, 4.5, 1.5}},
		"to any order":  {sine, [3]float64{math.Sin(3), 2 * math.Cos(3), -2 * math.Sin(3)}},
		"reverse":       {cube, [3]float64{27, 30, 10}},
		"in a loop": {func(x value) value {
			return builder.Loop(builder.Scalar(x.Func(), int32(2)), x, func(_, y value) value {
				return builder.Mul(clip(cube(y)), builder.StopGradient(x))
			}, builder.LoopOptions{})
		}, [3]float64{1594323, 54675, 72900}},
		"in a branch": {func(x value) value {
			return builder.If(builder.Gt(x, 0), func() value { return cube(x) }, func() value { return sine(x) })
		}, [3]float64{27, 30, 10}},
		"of a call of the host": {host, [3]float64{9, 6, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			got := call[[3]float64](t, func(x value) [3]value {
				return [3]value{test.f(x), builder.Grad(test.f)(x), builder.Grad(builder.Grad(test.f))(x)}
			}, 3.0)
			check.Diff(t, "values and derivatives", test.want, got, near)
		})
	}
}

// TestRuleOfIdentity has a rule for reverse mode that returns its argument as it is: the clipping of gradients in JAX's
// documentation. Its derivatives of second order are those of JAX.
func TestRuleOfIdentity(t *testing.T) {
	type value = builder.Value
	clip := builder.CustomVJP(
		func(x value) value { return x },
		func(x value) (value, struct{}) { return x, struct{}{} },
		func(_ struct{}, g value) value { return builder.Clamp(-1, g, 1) },
	)
	loss := func(x value) value { return builder.ReduceSum(builder.Square(clip(builder.Square(x)))) }
	sum := func(f func(value) value) func(value) value {
		return func(x value) value { return builder.ReduceSum(f(x)) }
	}
	near := cmpopts.EquateApprox(1e-12, 0)
	for name, tt := range map[string]struct {
		f    func(value) value
		want []float64
	}{
		"gradient":             {builder.Grad(loss), []float64{0.108, 4}},
		"reverse over reverse": {builder.Grad(sum(builder.Grad(loss))), []float64{1.08, 2}},
		"forward over reverse": {func(x value) value {
			_, d := builder.JVP(builder.Grad(loss), x, builder.OnesLike(x))
			return d
		}, []float64{1.08, 2}},
		"third": {builder.Grad(sum(builder.Grad(sum(builder.Grad(loss))))), []float64{7.2, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			f := calliope.Func(tt.f)
			defer f.Close()
			check.Diff(t, "derivative", tt.want,
				check.Must(calliope.Call[[]float64](t.Context(), f, []float64{0.3, 2})), near)
		})
	}
}

// TestLoopOptions differentiates loops whose number of steps depends on a value, and loops that store few steps.
func TestLoopOptions(t *testing.T) {
	type value = builder.Value
	double := func(o builder.LoopOptions) func(value) value {
		return func(x value) value { // 2^k·x, the first one of at least 10
			return builder.While(x, func(x value) value { return builder.Lt(x, 10) },
				func(x value) value { return builder.Mul(x, 2) }, o)
		}
	}
	for name, tt := range map[string]struct {
		f    func(value) value
		want float64
	}{
		"enough steps":  {double(builder.LoopOptions{MaxSteps: 4}), 16},
		"too few steps": {double(builder.LoopOptions{MaxSteps: 3}), math.NaN()},
		"few stored": {func(x value) value {
			return builder.Loop(builder.Scalar(x.Func(), int32(10)), x,
				func(_, y value) value { return builder.Sin(y) }, builder.LoopOptions{SqrtSteps: true})
		}, 0.20525219333760952},
	} {
		t.Run(name, func(t *testing.T) {
			f := calliope.Func(builder.Grad(tt.f))
			defer f.Close()
			got := check.Must(calliope.Call[float64](t.Context(), f, 0.7))
			check.Diff(t, "derivative", tt.want, got, cmpopts.EquateApprox(1e-6, 0), cmpopts.EquateNaNs())
		})
	}
	for o, want := range map[builder.LoopOptions]string{
		{}:             "LoopOptions of builder",
		{MaxSteps: -1}: "LoopOptions.MaxSteps is -1",
	} {
		f := calliope.Func(builder.Grad(double(o)))
		_, err := calliope.Call[float64](t.Context(), f, 0.7)
		check.Error(t, err, want)
		check.NoError(t, f.Close())
	}
}

// TestBatch computes a function for each element of a batch, beside derivatives and what is taken from outside.
func TestBatch(t *testing.T) {
	type value = builder.Value
	var seen []string
	got := call[[5][]float64](t, func(x, w value) [5]value {
		weighted := func(x value) value {
			calliope.Tap(x, func(_ context.Context, v [][]float64) error {
				seen = append(seen,
					fmt.Sprint(v))
				return nil
			}) // once, with the batch
			return builder.Mul(builder.Square(builder.ReduceSum(x)), w)
		}
		stopped := func(x value) value { return builder.ReduceSum(builder.Mul(builder.StopGradient(x), x)) }
		ruled := builder.CustomVJP(func(x value) value { return builder.ReduceSum(builder.Mul(x, w)) },
			func(x value) (value, value) { return builder.ReduceSum(builder.Mul(x, w)), x },
			func(x, dy value) value { return builder.Mul(builder.Mul(dy, 10), x) })
		ofColumns := builder.Batch(func(x value) value { return builder.ReduceSum(x) },
			builder.BatchOptions{In: []int{-1}})
		sum := func(f func(value) value) func(value) value {
			return func(x value) value { return builder.ReduceSum(builder.Batch(f, builder.BatchOptions{})(x)) }
		}
		return [5]value{
			builder.Batch(weighted, builder.BatchOptions{})(x), ofColumns(x),
			builder.Flatten(builder.Batch(builder.Grad(stopped), builder.BatchOptions{})(x)),
			builder.Flatten(builder.Grad(sum(stopped))(x)),
			builder.Flatten(builder.Grad(sum(ruled))(x)),
		}
	}, [][]float64{{1, 2}, {3, 4}, {5, 6}}, 2.0)
	flat := []float64{1, 2, 3, 4, 5, 6}
	check.Diff(t, "results", [5][]float64{{18, 98, 242}, {9, 12}, flat, flat, {10, 20, 30, 40, 50, 60}}, got)
	check.Diff(t, "the tap sees", []string{"[[1 2] [3 4] [5 6]]"}, seen)
}

// TestCheckpointedGradient holds that a checkpoint changes neither a function nor its gradient, and makes no call
// twice.
func TestCheckpointedGradient(t *testing.T) {
	type value = builder.Value
	seen := 0
	got := call[[2][2][]float64](t, func(x, w value) [2][2]value {
		layer := func(x value) value {
			calliope.Tap(x, func(context.Context, []float64) error { seen++; return nil })
			return builder.Sin(builder.Mul(builder.Exp(builder.Mul(x, w)), x))
		}
		both := func(layer func(value) value) [2]value {
			y, gradient := builder.ValueAndGrad(func(x value) value { return builder.ReduceSum(layer(layer(x))) })(x)
			return [2]value{builder.Reshape(y, 1), gradient}
		}
		return [2][2]value{both(layer), both(builder.Remat(layer, autodiff.DotsSaveable))}
	}, []float64{0.1, 0.4, -0.7}, []float64{1, 2, 0.5})
	check.Diff(t, "with checkpoints", got[0], got[1], near)
	check.Diff(t, "calls", 4, seen)
}

// TestBatchOfClosures calls closures for each element of a batch, and for all of it.
func TestBatchOfClosures(t *testing.T) {
	var one []float32
	var all [][]float32
	each := calliope.CallOptions{Batch: contract.Sequential}
	f := calliope.Func(func(x builder.Value) builder.Value {
		return builder.Batch(func(x builder.Value) builder.Value {
			calliope.Tap(x, func(_ context.Context, v float32) error { one = append(one, v); return nil }, each)
			return calliope.RuntimeCall(x, x, func(_ context.Context, v float32) (float32, error) { return 2 * v, nil },
				each)
		}, builder.BatchOptions{})(x)
	})
	check.Cleanup(t, f)
	got, err := calliope.Call[[]float32](t.Context(), f, []float32{1, 2, 3})
	check.NoError(t, err)
	check.Diff(t, "results", []float32{2, 4, 6}, got)
	check.Diff(t, "calls", []float32{1, 2, 3}, one)

	var view tensor.View
	for want, tap := range map[string]func(x builder.Value){
		`take a further dimension, or set its Batch to "sequential"`: func(x builder.Value) {
			calliope.Tap(x, func(_ context.Context, v float32) error { t.Error(v); return nil })
		},
		"": func(x builder.Value) {
			calliope.Tap(x, func(_ context.Context, v []float32) error {
				all = append(all,
					slices.Clone(v))
				return nil
			})
			calliope.Tap(x, func(_ context.Context, v tensor.View) error { view = v.Clone(); return nil })
		},
	} {
		g := calliope.Func(func(x builder.Value) builder.Value {
			return builder.Batch(func(x builder.Value) builder.Value { tap(x); return x }, builder.BatchOptions{})(x)
		})
		check.Cleanup(t, g)
		_, err = calliope.Call[[]float32](t.Context(), g, []float32{1, 2, 3})
		if want == "" {
			check.NoError(t, err)
		} else {
			check.Error(t, err, want)
		}
	}
	check.Diff(t, "all at once", [][]float32{{1, 2, 3}}, all)
	check.Diff(t, "all at once, as an array", "f32[3] [1 2 3]", view.String())
}
