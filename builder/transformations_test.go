package builder_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

type (
	input[T any]  struct{ A, B T }
	output[T any] struct{ P, Q T }
)

func flat[T any](list ...input[T]) (values []T) {
	for _, x := range list {
		values = append(values, x.A, x.B)
	}
	return values
}

// values are those of testdata/transformations.py.
type values struct {
	f               *builder.Func
	a, b, w, xs, ys value
}

func (v values) pair(p input[value]) output[value] {
	return output[value]{
		builder.Mul(builder.Dot(v.w, builder.Sin(p.A)), p.B), builder.Mul(builder.ReduceSum(builder.Square(p.A)), p.B),
	}
}

func (v values) loss(p input[value]) value {
	return builder.Mul(builder.ReduceSum(builder.Square(builder.Tanh(builder.Dot(v.w, p.A)))), builder.Exp(p.B))
}

func (v values) vector(x value) value {
	return builder.Mul(builder.Sin(builder.Dot(v.w, x)), builder.Reshape(builder.SliceAxis(x, 0, 0, 1)))
}

func (v values) repeat(n int, x value, step func(x value) value) value {
	return builder.Loop(builder.Scalar(v.f, int32(n)), x, func(_, x value) value { return step(x) },
		builder.LoopOptions{})
}

func (v values) looped(x value) value {
	return v.repeat(3, x, func(x value) value { return builder.Mul(builder.Sin(x), v.a) })
}

// counted is a loop whose number of steps is not known.
func (v values) counted(x value) value {
	return builder.While(x, func(c value) value { return builder.Lt(builder.ReduceSum(c), 20) },
		func(c value) value { return builder.Add(builder.Square(c), 1) }, builder.LoopOptions{})
}

func (v values) scaled(p input[value]) output[value] {
	first := builder.Reshape(builder.SliceAxis(v.w, 1, 0, 1), 2)
	return output[value]{
		builder.Add(builder.Mul(builder.Dot(v.w, p.A), 2), builder.Mul(first, p.B)), builder.Mul(p.B, 3),
	}
}

func (v values) transposed(c value) input[value] {
	like := input[value]{builder.Like(tensor.ShapeOf(tensor.F64, 3)), builder.Like(tensor.ShapeOf(tensor.F64))}
	return builder.LinearTranspose(v.scaled, like)(output[value]{c, builder.Reshape(builder.SliceAxis(c, 0, 0, 1))})
}

// product has another function for batches, to see that it is called.
func (v values) product(x, y value) value {
	return builder.CustomBatch(func(p [2]value) value { return builder.Mul(builder.Sin(p[0]), p[1]) },
		func(size int, p [2]value) value {
			x := builder.Mul(builder.Cos(p[0]), builder.Reshape(p[1], size, 1))
			return builder.Mul(builder.Mul(x, builder.SliceAxis(v.w, 0, 0, 1)), size)
		})([2]value{x, y})
}

func element(x value, i ...int) value {
	limits := make([]int, len(i))
	for axis, at := range i {
		limits[axis] = at + 1
	}
	return builder.Reshape(builder.Slice(x, i, limits))
}

func (v values) outer(x value) value {
	return builder.CustomBatch(func(x value) value { return builder.ReduceSum(v.product(x, element(x, 0))) },
		func(size int, x value) value {
			first := builder.Reshape(builder.SliceAxis(x, 0, 0, 1), 3)
			places := builder.Iota(v.f, tensor.ShapeOf(tensor.F64, size), 0)
			return builder.Add(builder.ReduceSum(v.product(first, element(x, 0, 1))),
				builder.Mul(places, builder.ReduceSum(x, 1)))
		})(x)
}

func (v values) both(x value) value {
	f := func(x value) value { return v.product(x, v.b) }
	return builder.ReduceSum(builder.CustomVJP(f, func(x value) (y, r value) { return f(x), f(x) },
		func(r, g value) value { return builder.Mul(r, g) })(x))
}

func (v values) along(x value) (y, dy value) {
	return builder.JVP(func(x value) value { return v.product(x, v.b) }, x, builder.Mul(x, v.a))
}

func first[A, B any](f func(A) (B, B)) func(A) B {
	return func(x A) B {
		y, _ := f(x)
		return y
	}
}

func second[A, B any](f func(A) (B, B)) func(A) B {
	return func(x A) B {
		_, y := f(x)
		return y
	}
}

func gradOfSum(f func(value) value) func(value) value {
	return builder.Grad(func(x value) value { return builder.ReduceSum(f(x)) })
}

func eachPair(f func(x, y value) value, o builder.BatchOptions) func(x, y value) value {
	g := builder.Batch(func(p [2]value) value { return f(p[0], p[1]) }, o)
	return func(x, y value) value { return g([2]value{x, y}) }
}

const shared = builder.NotBatched

var transformations = map[string]func(v values) []value{
	"jacfwd of a tree": func(v values) []value {
		j := builder.JacFwd[output[input[value]]](v.pair)(input[value]{v.a, v.b})
		return flat(j.P, j.Q)
	},
	"jacrev of a tree": func(v values) []value {
		j := builder.JacRev[output[input[value]]](v.pair)(input[value]{v.a, v.b})
		return flat(j.P, j.Q)
	},
	"hessian of a tree": func(v values) []value {
		h := builder.Hessian[input[input[value]]](v.loss)(input[value]{v.a, v.b})
		return flat(h.A, h.B)
	},
	"hessian of a vector": func(v values) []value { return []value{builder.Hessian[value](v.vector)(v.a)} },
	"jacfwd of jacrev": func(v values) []value {
		return []value{builder.JacFwd[value](builder.JacRev[value](v.vector))(v.a)}
	},
	"jacrev of jacfwd": func(v values) []value {
		return []value{builder.JacRev[value](builder.JacFwd[value](v.vector))(v.a)}
	},
	"jacobians of a loop": func(v values) []value {
		return []value{builder.JacFwd[value](v.looped)(v.a), builder.JacRev[value](v.looped)(v.a)}
	},
	"jacfwd of a loop of unknown length": func(v values) []value {
		return []value{builder.JacFwd[value](v.counted)(v.a)}
	},
	"jacobians in a batch": func(v values) []value {
		return []value{
			builder.Batch(builder.JacFwd[value](v.vector), builder.BatchOptions{})(v.xs),
			builder.Batch(builder.JacRev[value](v.vector), builder.BatchOptions{})(v.xs),
		}
	},
	"gradient of a jacobian": func(v values) []value {
		squares := func(x value) value { return builder.Square(builder.JacFwd[value](v.vector)(x)) }
		return []value{gradOfSum(squares)(v.a)}
	},
	"a jacobian in a loop": func(v values) []value {
		return []value{v.repeat(2, v.a, func(x value) value {
			j := builder.JacRev[value](v.vector)(x)
			return builder.Add(builder.Reshape(builder.SliceAxis(j, 0, 1, 2), 3), x)
		})}
	},
	"linearize": func(v values) []value {
		y, linear := builder.Linearize(v.vector, v.a)
		return []value{
			y, linear(v.a), linear(v.a), builder.Batch(linear, builder.BatchOptions{})(v.xs),
			builder.JacFwd[value](linear)(v.a),
			v.repeat(2, v.a, func(d value) value { return builder.Add(d, element(linear(d), 0)) }),
		}
	},
	"linear_transpose": func(v values) []value {
		return flat(v.transposed(v.ys), builder.JacRev[input[value]](v.transposed)(v.ys))
	},
	"custom_vmap without a batch": func(v values) []value {
		y, dy := v.along(v.a)
		return []value{v.product(v.a, v.b), y, dy, v.outer(v.a)}
	},
	"custom_vmap": func(v values) []value { return []value{eachPair(v.product, builder.BatchOptions{})(v.xs, v.ys)} },
	"custom_vmap of one argument": func(v values) []value {
		return []value{
			eachPair(v.product, builder.BatchOptions{In: []int{0, shared}})(v.xs, v.b),
			eachPair(v.product, builder.BatchOptions{In: []int{shared, 0}})(v.a, v.ys),
		}
	},
	"custom_vmap in two batches": func(v values) []value {
		three := builder.Const(v.f, []float64{0.5, 1, 2})
		return []value{
			builder.Batch(func(x value) value {
				return builder.Batch(func(y value) value { return v.product(x, y) }, builder.BatchOptions{})(v.ys)
			}, builder.BatchOptions{})(v.xs),
			builder.Batch(func(y value) value {
				return builder.Batch(func(x value) value { return v.product(x, y) }, builder.BatchOptions{})(v.xs)
			}, builder.BatchOptions{})(three),
			builder.Batch(func(y value) value {
				return builder.Batch(func(x value) value { return builder.Add(v.product(v.a, y), x) },
					builder.BatchOptions{})(v.xs)
			}, builder.BatchOptions{})(three),
		}
	},
	"a batch of a derivative of custom_vmap": func(v values) []value {
		return []value{builder.Batch(first(v.along), builder.BatchOptions{})(v.xs),
			builder.Batch(second(v.along), builder.BatchOptions{})(v.xs)}
	},
	"a derivative of a batch of custom_vmap": func(v values) []value {
		ofX := func(x value) value { return eachPair(v.product, builder.BatchOptions{})(x, v.ys) }
		y, dy := builder.JVP(ofX, v.xs, v.xs)
		return []value{y, dy, gradOfSum(ofX)(v.xs),
			gradOfSum(func(y value) value { return eachPair(v.product, builder.BatchOptions{})(v.xs, y) })(v.ys)}
	},
	"second derivatives of custom_vmap": func(v values) []value {
		along := func(x value) [2]value {
			y, dy := v.along(x)
			return [2]value{y, dy}
		}
		d := builder.Batch(func(x value) [2]value {
			_, d := builder.JVP(along, x, x)
			return d
		}, builder.BatchOptions{})(v.xs)
		return d[:]
	},
	"custom_vmap in custom_vmap": func(v values) []value {
		y, dy := builder.JVP(builder.Batch(v.outer, builder.BatchOptions{}), v.xs, v.xs)
		stacked := builder.Stack(0, v.xs, builder.Mul(v.xs, 2), builder.Neg(v.xs))
		return []value{builder.Batch(v.outer, builder.BatchOptions{})(v.xs), y, dy,
			builder.Batch(builder.Batch(v.outer, builder.BatchOptions{}), builder.BatchOptions{})(stacked)}
	},
	"custom_vmap in custom_vjp": func(v values) []value {
		return []value{builder.Grad(v.both)(v.a), builder.Batch(builder.Grad(v.both), builder.BatchOptions{})(v.xs)}
	},
	"custom_vmap in a loop": func(v values) []value {
		return []value{eachPair(func(x, y value) value {
			return v.repeat(2, x, func(x value) value { return v.product(x, y) })
		}, builder.BatchOptions{})(v.xs, v.ys)}
	},
	"scan": func(v values) []value {
		last, ys := v.scanned(v.a, builder.ScanOptions{})
		first, sy := v.scanned(v.a, builder.ScanOptions{Reverse: true})
		end, all := builder.Scan(v.a, struct{}{}, func(c value, _ struct{}) (value, value) {
			return builder.Mul(c, v.a), element(c, 0)
		}, builder.ScanOptions{Length: 3})
		return []value{last, ys.P, ys.Q, first, sy.P, sy.Q, end, all}
	},
	"derivatives of scan": func(v values) []value {
		grad := func(x value) value {
			return builder.Grad(func(x value) value { return builder.ReduceSum(v.scannedSum(x)) })(x)
		}
		return []value{
			builder.JacFwd[value](v.scannedSum)(v.a), builder.JacRev[value](v.scannedSum)(v.a),
			builder.JacFwd[value](builder.JacRev[value](v.scannedSum))(v.a),
			builder.Batch(v.scannedSum, builder.BatchOptions{})(v.xs),
			builder.Batch(grad, builder.BatchOptions{})(v.xs),
		}
	},
	"linear_solve": func(v values) []value { return v.allDerivatives(v.solved) },
	"root":         func(v values) []value { return v.allDerivatives(v.root) },
}

func (v values) scanned(x value, o builder.ScanOptions) (last value, ys output[value]) {
	return builder.Scan(x, input[value]{v.xs, v.ys}, func(c value, p input[value]) (value, output[value]) {
		next := builder.Add(builder.Mul(builder.Sin(c), p.A), x)
		return next, output[value]{builder.Mul(c, p.B), builder.ReduceSum(c)}
	}, o)
}

func (v values) scannedSum(x value) value {
	last, ys := v.scanned(x, builder.ScanOptions{})
	return builder.Add(builder.Mul(last, builder.ReduceSum(builder.Square(ys.P))), builder.ReduceSum(ys.Q))
}

// iterate repeats a step until x changes no more.
func iterate(x value, step func(x value) value) value {
	type state struct{ X, Before value }
	return builder.While(state{x, builder.Sub(x, 1)}, func(s state) value {
		return builder.Gt(builder.ReduceMax(builder.Abs(builder.Sub(s.X, s.Before))), 1e-15)
	}, func(s state) state { return state{step(s.X), s.X} }, builder.LoopOptions{}).X
}

// richardson solves systems with a matrix that is not far from a number times one.
func richardson(product func(x value) value, b value) value {
	return iterate(builder.ZerosLike(b), func(x value) value {
		return builder.Add(x, builder.Div(builder.Sub(b, product(x)), 12))
	})
}

func (v values) solved(p input[value]) value {
	m := builder.Const(v.f, []float64{4, 1, 0.5, -0.3, 5, 0.2, 0.1, 0.7, 6}, 3, 3)
	solve := builder.LinearSolve(func(p input[value], x value) value {
		return builder.Add(builder.Mul(builder.Dot(m, x), p.B), builder.Mul(builder.Sin(p.A), x))
	}, richardson)
	return solve(p, p.A)
}

func (v values) root(p input[value]) value {
	root := builder.Root(func(p input[value], x value) value {
		y := builder.Add(builder.Mul(builder.Square(x), x), builder.Mul(x, 3))
		y = builder.Add(y, builder.Mul(builder.Mul(builder.ReduceSum(x), 0.1), p.A))
		return builder.Sub(y, builder.Mul(p.B, p.A))
	}, func(f func(x value) value, guess value) value {
		return iterate(guess, func(x value) value { return builder.Sub(x, builder.Div(f(x), 5)) })
	}, richardson)
	return root(p, builder.ZerosLike(p.A))
}

// allDerivatives returns derivatives of a function in all modes, to the third order.
func (v values) allDerivatives(f func(p input[value]) value) []value {
	along := func(x value) value { return f(input[value]{x, builder.Add(v.b, element(x, 0))}) }
	p := input[value]{v.a, v.b}
	forward, reverse := builder.JacFwd[input[value]](f)(p), builder.JacRev[input[value]](f)(p)
	_, linear := builder.Linearize(along, v.a)
	fwd, rev := builder.JacFwd[value, value, value], builder.JacRev[value, value, value]
	return []value{
		f(p), forward.A, forward.B, reverse.A, reverse.B, fwd(rev(along))(v.a), rev(fwd(along))(v.a),
		rev(rev(along))(v.a), builder.Batch(along, builder.BatchOptions{})(v.xs),
		builder.Batch(rev(along), builder.BatchOptions{})(v.xs), linear(v.a),
		fwd(fwd(rev(along)))(v.a),
	}
}

// TestAgainstJAX holds transformations of Go functions, nested and in loops, to what JAX computes.
func TestAgainstJAX(t *testing.T) {
	var cases map[string][][]float64
	check.NoError(t, json.Unmarshal(check.Must(os.ReadFile("testdata/transformations.json")), &cases))
	check.Diff(t, "cases", len(cases), len(transformations))
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBuilder(t)
			f := b.Func("main")
			f.Return(transformations[name](values{
				f: f, a: builder.Const(f, []float64{0.3, -1.2, 0.7}), b: builder.Scalar(f, 1.5),
				w:  builder.Const(f, []float64{0.2, -0.5, 1.1, 0.9, 0.4, -0.3}, 2, 3),
				xs: builder.Const(f, []float64{0.1, 0.6, -0.4, 1.2, -0.8, 0.5}, 2, 3),
				ys: builder.Const(f, []float64{0.7, -1.1}),
			})...)
			results, err := stablehlo.Evaluate(finish(t, b))
			check.NoError(t, err)
			var got [][]float64
			for _, v := range results {
				got = append(got, check.Must(tensor.Slice[float64](v)))
			}
			check.Diff(t, "results", want, got, cmpopts.EquateApprox(1e-12, 1e-12))
		})
	}
}

// TestJacobianOfCustomBatch holds that JacFwd, which is a batch, uses the derivative of a rule. JAX refuses it.
func TestJacobianOfCustomBatch(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main")
	square := builder.CustomBatch(builder.Square, func(size int, x value) value {
		return builder.Mul(builder.Square(x), size)
	})
	f.Return(builder.JacFwd[value](square)(builder.Const(f, []float64{1, 2})))
	results, err := stablehlo.Evaluate(finish(t, b))
	check.NoError(t, err)
	check.Diff(t, "the Jacobian", "f64[2,2] [4 0 0 8]", results[0].String())
}
