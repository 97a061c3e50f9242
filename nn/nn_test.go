package nn_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
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
	r, err := calliope.Call[R](t.Context(), f, args...)
	check.NoError(t, err)
	return r
}

// TestFunctions compares with what JAX returns, which testdata/make.py has written.
func TestFunctions(t *testing.T) {
	one := func(f func(builder.Value, int) builder.Value, axis int) func(builder.Value) builder.Value {
		return func(x builder.Value) builder.Value { return f(x, axis) }
	}
	functions := map[string]any{
		"Relu": nn.Relu, "Silu": nn.Silu, "Gelu": nn.Gelu, "Softplus": nn.Softplus, "CrossEntropy": nn.CrossEntropy,
		"Softmax": one(nn.Softmax, 0), "LogSoftmax": one(nn.LogSoftmax, -1), "LogSumExp": one(nn.LogSumExp, 1),
		"OneHot":    func(i builder.Value) builder.Value { return nn.OneHot(i, 3, tensor.F32) },
		"LayerNorm": func(x, scale, shift builder.Value) builder.Value { return nn.LayerNorm(x, scale, shift, 1e-5) },
		"RMSNorm":   func(x, scale builder.Value) builder.Value { return nn.RMSNorm(x, scale, 1e-5) },
	}
	var cases []struct {
		Name   string
		Args   []array
		Result array
	}
	check.NoError(t, json.Unmarshal(check.Must(os.ReadFile("testdata/jax.json")), &cases))
	for i, c := range cases {
		t.Run(fmt.Sprint(c.Name, " ", i), func(t *testing.T) {
			var args []any
			for _, a := range c.Args {
				args = append(args, a.View)
			}
			got := run[tensor.View](t, functions[c.Name], args...)
			check.Diff(t, "shape", c.Result.Shape, got.Shape)
			check.Diff(t, "values", check.Must(tensor.Slice[float32](c.Result.View)),
				check.Must(tensor.Slice[float32](got)), near)
		})
	}
}

// An array is an array of f32, or of s32 if its text has neither points nor infinities.
type array struct{ tensor.View }

func (a *array) UnmarshalJSON(text []byte) error {
	var dims []int
	for inner := text; inner[0] == '['; inner = inner[1:] {
		var list []json.RawMessage
		if err := json.Unmarshal(inner, &list); err != nil {
			return err
		}
		dims, inner = append(dims, len(list)), append([]byte{0}, list[0]...)
	}
	var floats []float32
	var integers []int32
	for number := range strings.FieldsFuncSeq(string(text),
		func(r rune) bool { return strings.ContainsRune(`[], "`, r) }) {
		f, err := strconv.ParseFloat(number, 32)
		if err != nil {
			return err
		}
		floats, integers = append(floats, float32(f)), append(integers, int32(f))
	}
	var err error
	if strings.ContainsAny(string(text), ".i") {
		a.View, err = tensor.FromSlice(floats, dims...)
	} else {
		a.View, err = tensor.FromSlice(integers, dims...)
	}
	return err
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

// TestOneHotOfNarrow holds that indices of a type that does not count to n are not the same as others.
func TestOneHotOfNarrow(t *testing.T) {
	oneHot := func(n int) func(builder.Value) builder.Value {
		return func(i builder.Value) builder.Value { return nn.OneHot(i, n, tensor.S32) }
	}
	places := func(v tensor.View) (list []int) {
		for i, x := range check.Must(tensor.Slice[int32](v)) {
			if x != 0 {
				list = append(list, i)
			}
		}
		return list
	}
	check.Diff(t, "of uint8", []int{3, 300 + 255}, places(run[tensor.View](t, oneHot(300), []uint8{3, 255})))
	check.Diff(t, "of int8", []int{127}, places(run[tensor.View](t, oneHot(200), []int8{127, -100})))
}
