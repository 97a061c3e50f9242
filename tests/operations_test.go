package tests

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestBuilderNumbers runs what builder makes of other operations, or whose operands it
// orders, on XLA, and compares with what JAX and NumPy compute: testdata/operations.py.
func TestBuilderNumbers(t *testing.T) {
	check.NoRaces(t)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	type values = []builder.Value
	one := func(v builder.Value) values { return values{v} }
	two := func(a, b builder.Value) values { return values{a, b} }
	row := tensor.Vector[float32](3, -1, 4, -1, 5, -9)
	odd := tensor.Vector(2, nan, -inf, 0, inf, float32(math.Copysign(0, -1)), -2, -nan)
	grid := ramp(3, 4)
	cube := ramp(2, 3, 4)
	index := ints(2, 2)(2, 0, 1, 2)
	tests := []struct {
		name   string
		inputs []tensor.View
		build  func(x values) values
	}{
		{"scalars", views(row), func(x values) values {
			return values{builder.Sub(1, builder.Mul(x[0], 0.5)), builder.Max(x[0], 0), builder.Pow(2, x[0])}
		}},
		{"stretch", views(ramp(3, 1), ramp(1, 4)), func(x values) values { return one(builder.Add(x[0], x[1])) }},
		{"clamp", views(row), func(x values) values { return one(builder.Clamp(-1, x[0], 3)) }},
		{"select", views(row),
			func(x values) values { return one(builder.Select(builder.Gt(x[0], 0), x[0], math.Inf(-1))) }},
		{"round", views(tensor.Vector[float32](-2.5, -0.5, 0.5, 1.5)), func(x values) values {
			return values{builder.Round(x[0]), builder.RoundAway(x[0])}
		}},
		{"special", views(tensor.Vector[float32](0.1, 0.5, 0.9)), func(x values) values {
			return values{builder.Erf(x[0]), builder.ErfInv(x[0]), builder.Lgamma(x[0]), builder.Asin(x[0]),
				builder.Acosh(builder.Add(x[0], 1)),
				builder.Zeta(builder.Add(x[0], 1.5), x[0]), builder.NextAfter(x[0], 1)}
		}},
		{"infinite", views(odd), func(x values) values {
			return values{builder.IsFinite(x[0]), builder.IsInf(x[0]), builder.IsPosInf(x[0]), builder.IsNegInf(x[0])}
		}},
		{"bits", views(tensor.Vector[int32](12, -5, 1)), func(x values) values {
			return values{builder.PopCount(x[0]), builder.CountLeadingZeros(x[0]), builder.ShiftRight(x[0], 1),
				builder.ShiftRightLogical(x[0], 28), builder.ShiftLeft(x[0], 2)}
		}},
		{"bitcast", views(tensor.Vector[uint8](0, 0, 128, 63, 0, 0, 0, 64), ramp(2)), func(x values) values {
			return values{builder.Bitcast(builder.Reshape(x[0], 2, 4), tensor.F32), builder.Bitcast(x[1], tensor.U16)}
		}},
		{"iota and eye", views(row), func(x values) values {
			f := x[0].Func()
			return values{builder.Iota(f, tensor.ShapeOf(tensor.S32, 2, 3), 0), builder.Eye(f, tensor.F32, 3)}
		}},
		{"shapes", views(cube), func(x values) values {
			return values{builder.Transpose(x[0], 2, 0, 1), builder.SliceAxis(x[0], -1, 1, -1),
				builder.Split(x[0], 2, 0)[1],
				builder.Stack(1, builder.ReduceSum(x[0], 0), builder.ReduceSum(x[0], 0)), builder.Reverse(x[0], 0, -1)}
		}},
		{"pad", views(grid), func(x values) values {
			return one(builder.Pad(x[0], -1, builder.Padding{Low: 1, High: -1}, builder.Padding{Interior: 1, High: 1}))
		}},
		{"dynamic", views(grid, tensor.Scalar[int32](2), ramp(3)), func(x values) values {
			return values{builder.DynamicIndex(x[0], x[1], 1), builder.DynamicUpdateIndex(x[0], x[2], x[1], 1)}
		}},
		{"dot", views(cube, ramp(2, 4, 2), ramp(4, 2), ramp(4)), func(x values) values {
			return values{builder.Dot(x[0], x[1]), builder.Dot(x[0], x[2]), builder.Dot(x[0], x[3]),
				builder.Dot(x[3], x[3]), builder.Dot(x[3], x[2])}
		}},
		{"einsum", views(cube, ramp(2, 5, 4)), func(x values) values {
			return values{builder.Einsum("bqd,bkd->bkq", x[0], x[1]), builder.Einsum("abc->ca", x[0]),
				builder.Einsum("abc,ade->be", x[0], x[1])}
		}},
		{"conv", views(ramp(1, 5, 6, 4), ramp(3, 2, 2, 4)), func(x values) values {
			return one(builder.Conv(x[0], x[1],
				builder.ConvOptions{Strides: []int{2, 1}, Same: true, Groups: 2, KernelDilation: []int{1, 2}}))
		}},
		{"conv layout", views(ramp(1, 2, 7), ramp(3, 2, 2)), func(x values) values {
			return one(builder.Conv(x[0], x[1], builder.ConvOptions{Input: "NCW", Kernel: "OIW", Output: "NWC",
				Padding: [][2]int{{2, 1}}, InputDilation: []int{2}}))
		}},
		{"take", views(cube, index), func(x values) values {
			return values{builder.Take(x[0], x[1], 1),
				builder.Gather(builder.SliceAxis(x[0], 1, 0, 3), builder.Clamp(0, x[1], 1), builder.GatherOptions{})}
		}},
		{"index select", views(cube, index),
			func(x values) values { return one(builder.TorchIndexSelect(x[0], x[1], 1, 1)) }},
		{"scatter", views(grid, ints(3)(2, 0, 2), ramp(3, 4)), func(x values) values {
			return values{builder.ScatterAdd(x[0], x[1], x[2], builder.ScatterOptions{}),
				builder.Scatter(x[0], x[1], x[2], builder.Max, builder.ScatterOptions{})}
		}},
		{"reduce", views(grid), func(x values) values {
			b := builder.Gt(x[0], 3)
			return values{builder.ReduceSum(x[0]), builder.ReduceProd(builder.Add(x[0], 1), 0),
				builder.ReduceMax(x[0], 1), builder.ReduceMin(x[0], -1),
				builder.ReduceMean(x[0], 0), builder.ReduceAll(b, 1), builder.ReduceAny(b, 1),
				builder.ReduceMean(builder.Convert(x[0], tensor.BF16))}
		}},
		{"arg", views(tensor.Vector[float32](3, 5, 5, 1, 1), odd), func(x values) values {
			i := builder.Convert(x[0], tensor.S32)
			return values{builder.ArgMax(x[0], 0), builder.ArgMin(x[0], 0), builder.ArgMax(x[1], 0),
				builder.ArgMin(x[1], 0), builder.ArgMax(i, 0), builder.ArgMin(i, 0)}
		}},
		{"map", views(row), func(x values) values {
			return one(builder.Map(func(e []builder.Value) builder.Value {
				return builder.Add(builder.Mul(e[0], e[1]), 1)
			}, x[0], x[0]))
		}},
		{"pool", views(ramp(1, 4, 5, 1)), func(x values) values {
			o := builder.WindowOptions{Dims: []int{1, 2, 2, 1}, Strides: []int{1, 2, 2, 1}, Same: true}
			return values{builder.MaxPool(x[0], o), builder.AvgPool(x[0], o)}
		}},
		{"cumsum", views(grid),
			func(x values) values { return values{builder.Cumsum(x[0], 0), builder.Cumsum(x[0], 1)} }},
		{"select and scatter", views(row, ramp(3)), func(x values) values {
			return one(
				builder.SelectAndScatter(x[0], x[1], builder.Scalar(x[0].Func(), float32(0)), builder.Ge, builder.Add,
					builder.WindowOptions{Dims: []int{2}, Strides: []int{2}}))
		}},
		{"sort", views(odd, tensor.Vector[int32](3, 1, 2, 1)), func(x values) values {
			return values{builder.SortAscending(x[0], 0), builder.SortDescending(x[0], 0), builder.ArgSort(x[0], 0),
				builder.SortDescending(x[1], 0), builder.ArgSort(x[1], 0)}
		}},
		{"top k", views(grid), func(x values) values { return two(builder.TopK(x[0], 2)) }},
		{"uniform", views(tensor.Vector[uint64](1, 2)), func(x values) values {
			next, f64 := builder.Uniform01(x[0], tensor.ShapeOf(tensor.F64, 3))
			_, f16 := builder.Uniform01(next, tensor.ShapeOf(tensor.F16, 3))
			return values{next, f64, f16}
		}},
		{"complex", views(row), func(x values) values {
			c := builder.Complex(x[0], 2)
			return values{builder.Real(builder.Mul(c, 1i)), builder.Imag(builder.Conj(c)), builder.Abs(c)}
		}},
		{"fft", views(ramp(8)), func(x values) values {
			c := builder.RFFT(x[0], 8)
			d := builder.IFFT(builder.FFT(builder.Complex(x[0], 0), 8), 8)
			return values{builder.Imag(c), builder.IRFFT(c, 8), builder.Real(d)}
		}},
		{"solve", views(array32([]float32{4, 0, 2, 3}, 2, 2), ramp(2, 2)), func(x values) values {
			l := builder.Cholesky(builder.Dot(x[0], builder.Transpose(x[0])), true)
			return values{builder.ReduceSum(builder.Mul(l, builder.Eye(x[0].Func(), tensor.F32, 2)), 0),
				builder.TriangularSolve(x[0], x[1], builder.TriangularOptions{})}
		}},
		{"batch norm", views(ramp(4, 2), tensor.Vector[float32](1, 2), tensor.Vector[float32](0, 1)),
			func(x values) values {
				y, mean, variance := builder.BatchNormTraining(x[0], x[1], x[2], 0.001, -1)
				return values{y, mean, variance, builder.BatchNormInference(x[0], x[1], x[2], mean, variance, 0.001, 1)}
			}},
		{"barrier", views(row),
			func(x values) values { return builder.OptimizationBarrier(values{builder.Neg(x[0])}) }},
	}

	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()
	b := builder.New(ctx, builder.Options{})
	var params []tensor.Shape
	var inputs []engine.Input
	for _, test := range tests {
		for _, in := range test.inputs {
			params, inputs = append(params, in.Shape), append(inputs, in)
		}
	}
	f := b.Func("main", params...)
	next := 0
	var all values
	var names []string
	for _, test := range tests {
		var x values
		for range test.inputs {
			x = append(x, f.Param(next))
			next++
		}
		for i, v := range test.build(x) {
			names = append(names, fmt.Sprintf("%s %d", test.name, i))
			all = append(all, v)
		}
	}
	f.Return(all...)
	m, err := b.Module()
	check.NoError(t, err)
	defer m.Close()
	results := runOn(t, m, engine.CompileOptions{}, inputs...)
	var got strings.Builder
	for i, r := range results {
		fmt.Fprintf(&got, "%s: %s\n", names[i], numbers(r))
	}
	want, err := os.ReadFile(filepath.Join("testdata", "operations.txt"))
	check.NoError(t, err)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("numbers (-operations.txt +XLA):\n%s", diff)
	}
}

// runOn compiles and runs a module once and copies its results to the host.
func runOn(t *testing.T, m *mlir.Module, o engine.CompileOptions, inputs ...engine.Input) []tensor.View {
	t.Helper()
	plugin, err := bridge.Open(bridge.OpenOptions{})
	check.NoError(t, err)
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: 4})
	check.NoError(t, err)
	defer client.Close()
	e, err := client.Compile(t.Context(), passes.Program(m, passes.PrepareOptions{}), o)
	check.NoError(t, err)
	defer e.Close()
	outputs, err := e.Run(t.Context(), inputs...)
	check.NoError(t, err)
	return toHost(t, outputs)
}

// numbers prints an array as operations.py does.
func numbers(v tensor.View) string {
	var b strings.Builder
	for i := range v.Shape.NumElements() {
		switch e := v.At(i).(type) {
		case float32:
			b.WriteString(" " + number(float64(e)))
		case float64:
			b.WriteString(" " + number(e))
		default:
			fmt.Fprintf(&b, " %v", e)
		}
	}
	return v.Shape.String() + b.String()
}

func number(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.ToLower(strings.TrimPrefix(fmt.Sprint(f), "+"))
	}
	return strings.Replace(fmt.Sprintf("%.4f", f), "-0.0000", "0.0000", 1)
}

func views(v ...tensor.View) []tensor.View { return v }

// ramp is 0, 0.5, 1 … in an array of the given dimensions.
func ramp(dims ...int) tensor.View {
	data := make([]float32, tensor.Shape{Dims: dims}.NumElements())
	for i := range data {
		data[i] = float32(i) / 2
	}
	return array32(data, dims...)
}

func array32(data []float32, dims ...int) tensor.View {
	v := tensor.Vector(data...)
	v.Shape.Dims = dims
	return v
}

func ints(dims ...int) func(...int32) tensor.View {
	return func(data ...int32) tensor.View {
		v := tensor.Vector(data...)
		v.Shape.Dims = dims
		return v
	}
}

// TestCollectives runs each collective operation on four replicas.
func TestCollectives(t *testing.T) {
	pairs := builder.CollectiveOptions{Groups: [][]int{{0, 1}, {2, 3}}}
	tests := []struct {
		name  string
		build func(x builder.Value) builder.Value
		want  [4]string
	}{
		{"all reduce", func(x builder.Value) builder.Value {
			return builder.AllReduce(x, builder.Add, builder.CollectiveOptions{})
		},
			[4]string{"f32[2] 60.0000 64.0000", "f32[2] 60.0000 64.0000", "f32[2] 60.0000 64.0000",
				"f32[2] 60.0000 64.0000"}},
		{"all reduce of pairs", func(x builder.Value) builder.Value { return builder.AllReduce(x, builder.Max, pairs) },
			[4]string{"f32[2] 10.0000 11.0000", "f32[2] 10.0000 11.0000", "f32[2] 30.0000 31.0000",
				"f32[2] 30.0000 31.0000"}},
		{"all gather", func(x builder.Value) builder.Value { return builder.AllGather(x, 0, pairs) },
			[4]string{"f32[4] 0.0000 1.0000 10.0000 11.0000", "f32[4] 0.0000 1.0000 10.0000 11.0000",
				"f32[4] 20.0000 21.0000 30.0000 31.0000", "f32[4] 20.0000 21.0000 30.0000 31.0000"}},
		{"reduce scatter",
			func(x builder.Value) builder.Value { return builder.ReduceScatter(x, 0, builder.Add, pairs) },
			[4]string{"f32[1] 10.0000", "f32[1] 12.0000", "f32[1] 50.0000", "f32[1] 52.0000"}},
		{"all to all", func(x builder.Value) builder.Value { return builder.AllToAll(x, 0, 0, 2, pairs) },
			[4]string{"f32[2] 0.0000 10.0000", "f32[2] 1.0000 11.0000", "f32[2] 20.0000 30.0000",
				"f32[2] 21.0000 31.0000"}},
		{"permute", func(x builder.Value) builder.Value {
			return builder.CollectivePermute(x, [][2]int{{0, 1}, {1, 2}, {2, 3}}, builder.CollectiveOptions{})
		}, [4]string{"f32[2] 0.0000 0.0000", "f32[2] 0.0000 1.0000", "f32[2] 10.0000 11.0000",
			"f32[2] 20.0000 21.0000"}},
		{"replica id", func(x builder.Value) builder.Value { return builder.ReplicaID(x.Func()) },
			[4]string{"u32[] 0", "u32[] 1", "u32[] 2", "u32[] 3"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx := library.NewContext(mlir.ContextOptions{})
			defer ctx.Close()
			b := builder.New(ctx, builder.Options{})
			f := b.Func("main", tensor.ShapeOf(tensor.F32, 2))
			f.Return(test.build(f.Param(0)))
			m, err := b.Module()
			check.NoError(t, err)
			defer m.Close()
			var inputs []engine.Input
			for i := range 4 {
				inputs = append(inputs, tensor.Vector(float32(10*i), float32(10*i+1)))
			}
			var got [4]string
			for i, r := range runOn(t, m, engine.CompileOptions{Replicas: 4}, inputs...) {
				got[i] = numbers(r)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("results by device (-want +got):\n%s", diff)
			}
		})
	}
}
