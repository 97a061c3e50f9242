package tests

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// A counting engine is somebody else's: it counts what it compiles, and has another one do the work. It runs no
// callbacks, so stages cut at them.
type counting struct {
	engine.Engine
	compiled, arrays *atomic.Int32
}

func (c counting) String() string { return "the counting engine" }

func (c counting) Can() engine.Abilities { return engine.Abilities{OnHost: true} }

func (c counting) Compile(
	ctx context.Context, p engine.Program, o engine.CompileOptions,
) (engine.Executable, error) {
	c.compiled.Add(1)
	return c.Engine.Compile(ctx, p, o)
}

func (c counting) BorrowFromHost(ctx context.Context, v tensor.View, device int) (*engine.Array, error) {
	c.arrays.Add(1)
	return c.Engine.BorrowFromHost(ctx, v, device)
}

// TestEngineOfATest runs a module in stages over an engine that this module does not have.
func TestEngineOfATest(t *testing.T) {
	name := t.Name()
	check.NoError(t, callbacks.Default.Register(name, func(f *callbacks.Frame) error {
		copy(f.Results[0].Data, f.Args[0].Data)
		return nil
	}, callbacks.Options{}))
	t.Cleanup(func() { check.NoError(t, callbacks.Default.Unregister(name)) })
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 2))
	x := builder.RuntimeCall(f.Param(0), builder.Add(f.Param(0), float32(1)), builder.Callback{Name: name})
	f.Return(builder.Mul(x, float32(2)))
	m, err := b.Module()
	check.NoError(t, err)
	e := counting{jit.Engine(), new(atomic.Int32), new(atomic.Int32)}
	p := check.Must(stages.Compile(t.Context(), m, stages.Options{Devices: stages.On(e)}))
	check.Cleanup(t, p)
	check.Diff(t, "stages that it compiled", int32(2), e.compiled.Load())
	got := check.Must(p.Call(t.Context(), tensor.Vector[float32](1, 2)))
	check.Diff(t, "results", []tensor.View{tensor.Vector[float32](4, 6)}, got)
	if e.arrays.Load() == 0 {
		t.Error("no array was made on it")
	}
}

// TestFrontDoorOnEngine runs a function with a closure on an engine that this module does not have.
func TestFrontDoorOnEngine(t *testing.T) {
	e := counting{jit.Engine(), new(atomic.Int32), new(atomic.Int32)}
	s := check.Must(calliope.Open(t.Context(), calliope.Options{Engine: e}))
	check.Cleanup(t, s)
	var seen []float32
	f := calliope.FuncWith(func(x builder.Value) builder.Value {
		calliope.Tap(builder.Add(x, 1),
			func(_ context.Context, v []float32) error { seen = append(seen, v...); return nil })
		return builder.Mul(x, 2)
	}, calliope.FuncOptions{Session: s})
	check.Cleanup(t, f)
	y, err := calliope.Call[[]float32](t.Context(), f, []float32{1, 2})
	check.NoError(t, err)
	check.Diff(t, "y", []float32{2, 4}, y)
	check.Diff(t, "what the tap saw", []float32{2, 3}, seen)
	if e.compiled.Load() == 0 {
		t.Error("it compiled nothing")
	}
}

// TestLinked holds what programs link that use a part of this module only.
func TestLinked(t *testing.T) {
	for _, test := range []struct {
		imports string
		without []string
	}{
		{"./jit ./stages ./engine", []string{"/bridge", "/internal/run/pjrt", "gopjrt", "protobuf", "klog"}},
		{"./engine/load ./interpreter", []string{"/internal/run/pjrt", "/internal/run/ffi", "gopjrt", "protobuf", "klog"}},
		{"./bridge", []string{"/jit", "/stages", "calliope/mlir"}},
		{"./lint ./lint/rules ./lint/fix ./builder ./passes ./stablehlo ./mlir",
			[]string{"/bridge", "/jit", "/stages", "/engine", "gopjrt", "protobuf"}},
	} {
		arguments := append([]string{"list", "-deps"}, strings.Fields(test.imports)...)
		list := exec.CommandContext(t.Context(), "go", arguments...)
		list.Dir = ".."
		out, err := list.Output()
		check.NoError(t, err)
		for path := range strings.Lines(string(out)) {
			path = strings.TrimSpace(path)
			if strings.HasPrefix(path, "vendor/") || !strings.Contains(path, ".") {
				continue // of Go
			}
			if slices.ContainsFunc(test.without, func(part string) bool { return strings.Contains(path, part) }) {
				t.Errorf("%s links %s", test.imports, path)
			}
		}
	}
}
