package callbacks_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

type pair struct {
	X tensor.Array[float32]
	N int32
}

func typedFuncs(t *testing.T) map[string]callbacks.Func {
	t.Helper()
	printer, err := callbacks.Print(callbacks.PrintOptions{To: &strings.Builder{}})
	check.NoError(t, err)
	return map[string]callbacks.Func{
		"call": callbacks.Call(func(_ context.Context, p pair) (tensor.Array[float32], error) { return p.X, nil }),
		"views": callbacks.Call(func(_ context.Context, v []tensor.View) ([]tensor.View, error) {
			return v, nil
		}),
		"pairs": callbacks.Tap(func(context.Context, []pair) error { return nil }),
		"map": callbacks.Tap(func(context.Context, map[string]float64) error { return nil },
			map[string]float64{"b": 0, "a": 0}),
		"same":  callbacks.Call(func(_ context.Context, p pair) (pair, error) { return p, nil }),
		"none":  callbacks.Call(func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }),
		"print": printer,
		"plain": func(*callbacks.Frame) error { return nil },
	}
}

// CheckTypes returns the error that the call itself would return.
func TestCheckTypes(t *testing.T) {
	vector, matrix, number, double := "f32[3]", "f32[2,3]", "s32[]", "f64[]"
	for _, c := range []struct {
		fn   string
		form contract.Form
		call string // its signature
		want string // in the error, "" for no error
	}{
		{"call", contract.Call, vector + "," + number + "->" + vector, ""},
		{"call", contract.Call, "s32[3]," + number + "->s32[3]", "takes other arguments than the module gives:\n  .X: takes any f32 array, given s32[3]  <- differs\n  .N: takes s32[], given s32[]"},
		{"call", contract.Call, vector + ",s32[1]->" + vector, ".N: takes s32[], given s32[1]  <- differs"},
		{"call", contract.Call, vector + "->" + vector, "takes 2 arguments, the module gives 1"},
		{"call", contract.Call, vector + "," + number + "->f64[3]", "returns other results than the module expects:\n  result 0: expected f64[3], returns any f32 array  <- differs"},
		{"call", contract.Call, vector + "," + number + "->", "returns 1 result, the module expects 0"},
		{"views", contract.Call, vector + "," + number + "->" + vector + "," + number, ""},
		{"pairs", contract.Observe, vector + "," + number + "," + matrix + "," + number + "->", ""},
		{"pairs", contract.Observe, "->", ""},
		{"pairs", contract.Observe, vector + "," + number + "," + matrix + "->",
			"takes 4 arguments, the module gives 3"},
		{"pairs", contract.Observe, vector + "," + number + "," + number + "," + number + "->",
			"[1].X: takes any f32 array, given s32[]"},
		{"pairs", contract.Passthrough, vector + "," + number + "->" + vector + "," + number, ""},
		{"pairs", contract.Call, vector + "," + number + "->" + number, "returns 0 results, the module expects 1"},
		{"map", contract.Observe, double + "," + double + "->", ""},
		{"map", contract.Observe, double + "," + number + "->", `["b"]: takes f64[], given s32[]  <- differs`},
		{"same", contract.Passthrough, vector + "," + number + "->" + vector + "," + number, ""},
		{"same", contract.Observe, vector + "," + number + "->", "returns 2 results, the module expects 0"},
		{"none", contract.Call, "->", ""},
		{"none", contract.Call, number + "->", "takes 0 arguments, the module gives 1"},
		{"print", contract.Observe, vector + "," + number + "->", ""},
		{"print", contract.Call, vector + "->" + number, "returns 0 results"},
		{"plain", contract.Call, vector + "->" + number, ""},
	} {
		for _, static := range []bool{false, true} {
			t.Run(fmt.Sprint(c.fn, " ", c.form, " ", c.call, " ", static), func(t *testing.T) {
				var r callbacks.Registry
				o := callbacks.Options{}
				if static {
					o.Static = []any{1}
				}
				check.NoError(t, r.Register("f", typedFuncs(t)[c.fn], o))
				slot, err := dispatch.ResolveIn(&r, contract.Config{Form: c.form, Callback: "f"})
				check.NoError(t, err)
				defer slot.Close()
				args, results, err := contract.ParseSignature(c.call)
				check.NoError(t, err)
				err = slot.CheckTypes(args, results)
				var wrong *callbacks.TemplateError
				if c.want == "" {
					check.NoError(t, err)
				} else if !errors.As(err, &wrong) || !wrong.Declared || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
				// The call itself.
				frame := &callbacks.Frame{Name: "f", Config: contract.Config{Form: c.form, Callback: "f"},
					Args: room(zeros(args)), Results: room(zeros(results))}
				err = typedFuncs(t)[c.fn](frame)
				if failed := errors.As(err, &wrong); failed != (c.want != "") || err != nil && !failed {
					t.Errorf("the call itself returned %v", err)
				}
			})
		}
	}
}

func zeros(shapes []tensor.Shape) []tensor.View {
	out := make([]tensor.View, len(shapes))
	for i, s := range shapes {
		out[i] = tensor.View{Shape: s, Data: make([]byte, s.NumBytes())}
	}
	return out
}

// Before a module is refined its dimensions are not known; element types and the number
// of dimensions are.
func TestCheckTypesUnknownDimensions(t *testing.T) {
	var r callbacks.Registry
	check.NoError(t, r.Register("f", typedFuncs(t)["call"], callbacks.Options{}))
	slot, err := dispatch.ResolveIn(&r, contract.Config{Form: contract.Call, Callback: "f"})
	check.NoError(t, err)
	defer slot.Close()
	unknown, number := tensor.ShapeOf(tensor.F32, -1), tensor.ShapeOf(tensor.S32)
	check.NoError(t, slot.CheckTypes([]tensor.Shape{unknown, number}, []tensor.Shape{unknown}))
	if err := slot.CheckTypes([]tensor.Shape{unknown, tensor.ShapeOf(tensor.S32, -1)}, []tensor.Shape{unknown}); err ==
		nil {
		t.Error("a scalar may have a dimension")
	}
	optional, err := dispatch.ResolveIn(&r, contract.Config{Form: contract.Call, Callback: "absent", Optional: true})
	check.NoError(t, err)
	check.NoError(t, optional.CheckTypes(nil, nil))
}

// The types of a function are removed together with it.
func TestTypesAreForgotten(t *testing.T) {
	runtime.GC()
	before := callbacks.Described()
	for range 1000 {
		callbacks.Tap(func(context.Context, pair) error { return nil })
	}
	for range 100 {
		runtime.GC()
		if callbacks.Described() <= before+10 {
			return
		}
		time.Sleep(10 * time.Millisecond) // cleanups run on a goroutine of their own
	}
	t.Errorf("%d functions were described before, and %d after", before, callbacks.Described())
}
