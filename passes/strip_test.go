package passes_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/tensor"
)

var (
	vector = tensor.ShapeOf(tensor.F32, 4)
	s32    = tensor.ShapeOf(tensor.S32)
	pred   = tensor.ShapeOf(tensor.Pred)
)

// A tapper taps values, or does nothing.
type tapper bool

func (t tapper) tap(name, effect string, v builder.Value) {
	if t {
		builder.Tap(v, builder.Callback{Name: name, Effect: effect})
	}
}

// programs have taps in every place that can have one.
var programs = []struct {
	name  string
	build func(b *builder.Builder, t tapper)
}{
	{"straight", func(b *builder.Builder, t tapper) {
		f := b.Func("main", vector)
		x := f.Param(0)
		t.tap("a", "", x)
		y := builder.Cos(x)
		t.tap("b", "", y)
		t.tap("c", "other", y)
		f.Return(builder.Sin(y))
	}},
	{"loop", func(b *builder.Builder, t tapper) {
		f := b.Func("main", vector)
		t.tap("before", "", f.Param(0))
		x := builder.Loop(f.Constant(tensor.Scalar[int32](3)), f.Param(0), func(i, x builder.Value) builder.Value {
			t.tap("index", "", i)
			t.tap("other", "other", x)
			x = builder.Cos(x)
			t.tap("value", "", x)
			return x
		}, builder.LoopOptions{})
		t.tap("after", "", x)
		f.Return(x)
	}},
	{"loop that only has taps", func(b *builder.Builder, t tapper) {
		f := b.Func("main", vector)
		x := builder.Loop(f.Constant(tensor.Scalar[int32](3)), f.Param(0), func(i, x builder.Value) builder.Value {
			t.tap("value", "", x)
			return x
		}, builder.LoopOptions{})
		f.Return(x)
	}},
	{"branches", func(b *builder.Builder, t tapper) {
		f := b.Func("main", vector, pred, s32)
		x := builder.If(f.Param(1), func() builder.Value {
			y := builder.Cos(f.Param(0))
			t.tap("then", "", y)
			return y
		}, func() builder.Value { return builder.Sin(f.Param(0)) })
		t.tap("between", "", x)
		x = builder.Case(f.Param(2), func() builder.Value {
			t.tap("one", "", x)
			return builder.Neg(x)
		}, func() builder.Value {
			t.tap("two", "other", x)
			t.tap("two", "", x)
			return builder.Exp(x)
		})
		f.Return(x)
	}},
	{"nested", func(b *builder.Builder, t tapper) {
		f := b.Func("main", vector, pred)
		x := builder.Loop(f.Constant(tensor.Scalar[int32](3)), f.Param(0), func(i, x builder.Value) builder.Value {
			t.tap("outer", "", i)
			x = builder.If(f.Param(1), func() builder.Value {
				return builder.Loop(f.Constant(tensor.Scalar[int32](2)), x, func(j, x builder.Value) builder.Value {
					t.tap("inner", "", x)
					return builder.Neg(x)
				}, builder.LoopOptions{})
			}, func() builder.Value { return builder.Abs(x) })
			return x
		}, builder.LoopOptions{})
		t.tap("after", "", x)
		f.Return(x, x)
	}},
	{"calls", func(b *builder.Builder, t tapper) {
		g := b.Func("inner", vector)
		t.tap("in inner", "", g.Param(0))
		g.Return(builder.Cos(g.Param(0)))
		h := b.Func("middle", vector)
		t.tap("in middle", "other", h.Param(0))
		h.Return(g.Call(g.Call(h.Param(0))...)...)
		f := b.Func("main", vector)
		x := builder.Loop(f.Constant(tensor.Scalar[int32](3)), f.Param(0),
			func(i, x builder.Value) builder.Value { return h.Call(x)[0] }, builder.LoopOptions{})
		t.tap("after", "", x)
		f.Return(x, g.Call(x)[0])
	}},
	{"the rest stays", func(b *builder.Builder, t tapper) {
		f := b.Func("main", vector, tensor.ShapeOf(tensor.S8, 1))
		t.tap("a", "", f.Param(0))
		x := builder.Passthrough(f.Param(0), builder.Callback{Name: "io"})
		// A byte that is not a token, in the places of tokens.
		builder.Loop(f.Constant(tensor.Scalar[int32](3)), f.Param(1),
			func(_, v builder.Value) builder.Value { t.tap("b", "", x); return v }, builder.LoopOptions{})
		f.Return(x)
	}},
}

func build(t *testing.T, program func(b *builder.Builder, t tapper), tap tapper) *mlir.Module {
	t.Helper()
	b := builder.New(mlirtest.Context(t), builder.Options{})
	program(b, tap)
	m, err := b.Module()
	check.NoError(t, err)
	return m
}

// TestStripTaps checks that a module without its taps is the same as the module that was built
// without taps.
func TestStripTaps(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			want, got := build(t, p.build, false), build(t, p.build, true)
			if want.String() == got.String() {
				t.Fatal("there are no taps to strip")
			}
			n, err := passes.StripTaps(got, nil)
			check.NoError(t, err)
			if n == 0 {
				t.Error("nothing was removed")
			}
			check.Report(t, got.Verify())
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Errorf("module (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStripSomeTaps strips the taps of one effect after another, and one tap after another.
func TestStripSomeTaps(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			want, got := build(t, p.build, false), build(t, p.build, true)
			of := func(effect string) func(callop.Call) bool {
				return func(c callop.Call) bool { return c.Config.Effect == effect }
			}
			for _, effect := range []string{"other", ""} {
				if _, err := passes.StripTaps(got, of(effect)); err != nil {
					t.Fatal(err)
				}
				check.Report(t, got.Verify())
				for call := range callop.Calls(got) {
					if call.Config.Form == contract.Observe && call.Config.Effect == effect {
						t.Errorf("%s is still in the module", call.Config.Name())
					}
				}
			}
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Errorf("effect by effect (-want +got):\n%s", diff)
			}
			got = build(t, p.build, true)
			for {
				first := true
				n, err := passes.StripTaps(got, func(callop.Call) bool { was := first; first = false; return was })
				check.NoError(t, err)
				check.NoError(t, got.Verify())
				if n == 0 {
					break
				}
			}
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Errorf("one by one (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStripHostile checks that taps with wrong tokens are an error.
func TestStripHostile(t *testing.T) {
	const config = `backend_config = {v = 1 : i64, form = "observe", callback = "f", n_tokens = 1 : i64}`
	for _, call := range []string{
		`%t = stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, ` + config +
			`} : (tensor<4xf32>) -> tensor<1xi8>`,
		`%t = stablehlo.custom_call @calliope_io_callback() {api_version = 4 : i32, ` + config +
			`} : () -> tensor<1xi8>`,
		`stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, has_side_effect = true, ` + config + `} : (tensor<4xf32>) -> ()`,
	} {
		m := parse(t, inMain(call))
		if n, err := passes.StripTaps(m, nil); n != 0 || err == nil ||
			!strings.Contains(err.Error(), "states that it takes and returns a token, but does not") {
			t.Errorf("%d taps and the error %v of %s", n, err, call)
		}
	}
}
