package tests

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// powers raises integers to powers that XLA computes wrongly.
func powers(x, k builder.Value) (power, constant, one, quotient builder.Value) {
	return builder.Pow(x, k), builder.Pow(x, int32(100)), builder.Pow(x, int32(1)),
		builder.Div(int32(1000), builder.Pow(x, int32(5)))
}

// TestPrepared runs a module whose results XLA gets wrong in each way of compiling one.
func TestPrepared(t *testing.T) {
	x, k := tensor.Vector[int32](3, 3, 3, -3, 2, -1), tensor.Vector[int32](63, 64, 4095, 65, 70, -3)
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.Func("main", x.Shape, x.Shape)
	f.Return(powers(f.Param(0), f.Param(1)))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	parsed, err := m.Context().Parse("", []byte(m.String()))
	check.NoError(t, err)
	check.Cleanup(t, parsed)
	client := newClient(t, 1)

	run := func(e engine.Executable, err error) ([]tensor.View, error) {
		if err != nil {
			return nil, err
		}
		defer e.Close()
		return e.Call(t.Context(), x, k)
	}
	compile := func(p engine.Program) ([]tensor.View, error) {
		e, err := client.Compile(t.Context(), p, engine.CompileOptions{})
		return run(e, err)
	}
	call := func(f *calliope.Function, err error) ([]tensor.View, error) {
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return calliope.Call[[]tensor.View](t.Context(), f, x, k)
	}
	staged := func(m *mlir.Module, o stages.Options) ([]tensor.View, error) {
		return run(stages.Compile(t.Context(), m, o))
	}

	const want = "[s32[6] [2111105451 2038349057 2094688939 -1820079875 0 -1] s32[6] [-818408495 -818408495 -818408495 -818408495 0 1] s32[6] [3 3 3 -3 2 -1] s32[6] [4 4 4 -4 31 -1000]]"
	for way, run := range map[string]func() ([]tensor.View, error){
		"a built module": func() ([]tensor.View, error) { return compile(passes.Program(m, passes.PrepareOptions{})) },
		"a parsed module": func() ([]tensor.View, error) {
			return compile(passes.Program(parsed, passes.PrepareOptions{}))
		},
		"stages": func() ([]tensor.View, error) {
			return staged(parsed, stages.Options{Devices: stages.On(client.Engine())})
		},
		"the interpreter": func() ([]tensor.View, error) { return staged(parsed, stages.Options{}) },
		"calliope, a function": func() ([]tensor.View, error) {
			return call(calliope.Func(func(x, k builder.Value) []builder.Value {
				power, constant, one, quotient := powers(x, k)
				return []builder.Value{power, constant, one, quotient}
			}), nil)
		},
		"calliope, a text": func() ([]tensor.View, error) {
			return call(calliope.LoadBytes(t.Context(), []byte(m.String()), calliope.FuncOptions{}))
		},
	} {
		got, err := run()
		check.NoError(t, err)
		check.Diff(t, way, want, fmt.Sprint(got))
	}
	// Otherwise the module would say nothing.
	for way, p := range map[string]engine.Program{"unprepared": stablehlo.Unprepared(m),
		"bytes": bridge.Source(m.String())} {
		got, err := compile(p)
		check.NoError(t, err)
		if fmt.Sprint(got) == want {
			t.Errorf("%s: XLA gets the powers right", way)
		}
	}
}
