package nn_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/nativetest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/nn"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.MLIR, native.PJRTPlugin) }

var near = cmpopts.EquateApprox(1e-5, 1e-6)

func run[R any](t *testing.T, fn any, args ...any) R {
	t.Helper()
	f := calliope.Func(fn)
	check.Cleanup(t, f)
	r, err := calliope.CallContext[R](t.Context(), f, args...)
	check.NoError(t, err)
	return r
}

var inf = float32(math.Inf(1))

// TestFunctions compares with values that jax.nn and jax.numpy of JAX 0.10.2 return.
func TestFunctions(t *testing.T) {
	x := []float32{-2, -0.5, 0, 1.5}
	for name, test := range map[string]struct {
		fn   func(builder.Value) builder.Value
		want []float32
	}{
		"relu":     {nn.Relu, []float32{0, 0, 0, 1.5}},
		"silu":     {nn.Silu, []float32{-0.23840584, -0.1887703, 0, 1.2263618}},
		"gelu":     {nn.Gelu, []float32{-0.04550027, -0.15426877, 0, 1.399789}},
		"softplus": {nn.Softplus, []float32{0.126928, 0.47407693, 0.6931472, 1.7014133}},
		"softmax": {func(x builder.Value) builder.Value { return nn.Softmax(x, 0) },
			[]float32{0.021745656, 0.09745727, 0.16067988, 0.7201172}},
		"log softmax": {func(x builder.Value) builder.Value { return nn.LogSoftmax(x, -1) },
			[]float32{-3.8283412, -2.3283412, -1.8283412, -0.32834128}},
	} {
		t.Run(name, func(t *testing.T) { check.Diff(t, name, test.want, run[[]float32](t, test.fn, x), near) })
	}
}

func TestLogSumExp(t *testing.T) {
	x := [][]float32{{1000, 1000}, {-inf, -inf}, {inf, 1}, {-1000, 0}}
	got := run[[]float32](t, func(x builder.Value) builder.Value { return nn.LogSumExp(x, 1) }, x)
	check.Diff(t, "log sum exp", []float32{1000 + math.Ln2, -inf, inf, 0}, got, near)
}

func TestCrossEntropy(t *testing.T) {
	logits, labels := [][]float32{{1, 2, 3}, {0, 0, 0}}, []int32{0, 2}
	got := run[float32](t, nn.CrossEntropy, logits, labels)
	check.Diff(t, "loss", float32((2.4076059+1.0986123)/2), got, near)
	hot := run[[][]int32](t, func(x builder.Value) builder.Value { return nn.OneHot(x, 3, tensor.S32) }, []int32{1, -1, 3, 0})
	check.Diff(t, "one hot", [][]int32{{0, 1, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}}, hot)
}

func TestNorms(t *testing.T) {
	x, scale, shift := [][]float32{{1, 2, 3}, {0, 0, 6}}, []float32{1, 1, 2}, []float32{0, 1, 0}
	layer := run[[][]float32](t, func(x, scale, shift builder.Value) builder.Value { return nn.LayerNorm(x, scale, shift, 0) }, x, scale, shift)
	check.Diff(t, "layer norm", [][]float32{{-1.2247449, 1, 2.4494898}, {-0.7071068, 0.29289323, 2.828427}}, layer, near)
	rms := run[[][]float32](t, func(x, scale builder.Value) builder.Value { return nn.RMSNorm(x, scale, 0) }, x, scale)
	check.Diff(t, "rms norm", [][]float32{{0.46291005, 0.9258201, 2.7774603}, {0, 0, 3.4641016}}, rms, near)
}

// TestInitialValues checks the moments of initial values, and that the next key gives others.
func TestInitialValues(t *testing.T) {
	type moments struct{ Mean, Deviation, Least, Greatest, Next float32 }
	const in, out = 200, 300
	for name, test := range map[string]struct {
		make func(key builder.Value, shape tensor.Shape) (next, x builder.Value)
		want moments
	}{
		"Glorot": {nn.Glorot, moments{0, math.Sqrt2 / 22.36068, -0.109545, 0.109545, 0}},
		"He":     {nn.He, moments{0, 0.1, -0.55, 0.55, 0}},
		"normal": {func(key builder.Value, s tensor.Shape) (next, x builder.Value) { return nn.Normal(key, s, 2) },
			moments{0, 2, -11, 11, 0}},
	} {
		got := run[moments](t, func(one builder.Value) (a, b, c, d, e builder.Value) {
			key, x := test.make(nn.Key(one.Func(), 7), tensor.ShapeOf(tensor.F32, in, out))
			_, y := test.make(key, tensor.ShapeOf(tensor.F32, in, out))
			mean := builder.ReduceMean(x)
			deviation := builder.Sqrt(builder.ReduceMean(builder.Square(builder.Sub(x, mean))))
			return mean, deviation, builder.ReduceMin(x), builder.ReduceMax(x), builder.ReduceMean(builder.Mul(x, y))
		}, float32(1))
		scale := float64(test.want.Deviation)
		check.Diff(t, name+": mean", float32(0), got.Mean, cmpopts.EquateApprox(0, scale/50))
		check.Diff(t, name+": deviation", test.want.Deviation, got.Deviation, cmpopts.EquateApprox(0.02, 0))
		check.Diff(t, name+": correlation with the next", float32(0), got.Next, cmpopts.EquateApprox(0, scale*scale/50))
		if got.Least < test.want.Least || got.Greatest > test.want.Greatest {
			t.Errorf("%s: from %v to %v", name, got.Least, got.Greatest)
		}
	}
}
