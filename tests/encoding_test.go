package tests

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// A way compiles a module.
type way struct {
	name    string
	compile func(t *testing.T, m *mlir.Module) (callable, error)
}

type callable interface {
	Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error)
}

var engines = []way{
	{"XLA", func(t *testing.T, m *mlir.Module) (callable, error) { return tryCompile(t, m) }},
	{"jit", func(t *testing.T, m *mlir.Module) (callable, error) {
		e, err := jit.Compile(t.Context(), m, jit.Options{})
		if err == nil {
			check.Cleanup(t, e)
		}
		return e, err
	}},
}

// compileBuilt builds @main with the parameters x: f32[3] and server: u8[4], and
// compiles it. main returns its results.
func (on way) compileBuilt(
	t *testing.T, main func(f *builder.Func, x, server builder.Value) []builder.Value,
) (callable, error) {
	t.Helper()
	ctx := library.NewContext(mlir.ContextOptions{})
	check.Cleanup(t, ctx)
	b := builder.New(ctx, builder.Options{})
	f := b.Func("main", tensor.ShapeOf(tensor.F32, 3), tensor.ShapeOf(tensor.U8, 4))
	f.Return(main(f, f.Param(0), f.Param(1))...)
	m, err := b.Module()
	check.NoError(t, err)
	return on.compile(t, m)
}

func runVector(t *testing.T, e callable, server string) ([]float32, error) {
	t.Helper()
	outputs, err := e.Call(t.Context(), tensor.Vector[float32](1, 2, 3), tensor.Vector([]byte(server)...))
	if err != nil {
		return nil, err
	}
	return tensor.Slice[float32](outputs[0])
}

// timesTen is for the forms that return something, addOne for the one that passes.
var timesTen = callbacks.Call(func(_ context.Context, args []tensor.View) ([]tensor.View, error) {
	in, err := tensor.Slice[float32](args[0])
	if err != nil {
		return nil, err
	}
	out := make([]float32, len(in))
	for i, v := range in {
		out[i] = 10 * v
	}
	return []tensor.View{tensor.Vector(out...)}, nil
})

func addOne(c *callbacks.Frame) error {
	if len(c.Args) != 1 || len(c.Results) != 1 ||
		unsafe.SliceData(c.Args[0].Data) != unsafe.SliceData(c.Results[0].Data) {
		return fmt.Errorf("%d operands and %d results, or they are not one memory", len(c.Args), len(c.Results))
	}
	values, err := tensor.Slice[float32](c.Args[0])
	for i := range values {
		values[i]++
	}
	return err
}

// TestForeignEncodings builds, compiles and runs a call in each encoding of another
// host.
func TestForeignEncodings(t *testing.T) {
	for _, on := range engines {
		t.Run(on.name, func(t *testing.T) { testForeignEncodings(t, on) })
	}
}

func testForeignEncodings(t *testing.T, on way) {
	const id = "\x83m\x00\x00\x00\x05scale"
	byNumber, err := callbacks.Default.RegisterFunc(timesTen, callbacks.Options{})
	check.NoError(t, err)
	defer callbacks.Default.UnregisterID(byNumber)
	tests := []struct {
		name   string
		bind   callbacks.OpaqueID
		fn     callbacks.Func
		cb     builder.Callback
		passes bool
		want   []float32
	}{
		{"words", callbacks.OpaqueID{ID: id, Server: "pid9"}, timesTen,
			builder.Callback{Host: contract.Host{Encoding: contract.EncodingWords, Opaque: id, Server: "pid9"}}, false,
			[]float32{-10, -20, -30}},
		{"words, passing through", callbacks.OpaqueID{ID: id, Server: "pid9"}, addOne,
			builder.Callback{Host: contract.Host{Encoding: contract.EncodingWords, Opaque: id, Server: "pid9"}}, true,
			[]float32{0, -1, -2}},
		{"operand", callbacks.OpaqueID{}, nil,
			builder.Callback{ID: byNumber, Host: contract.Host{Encoding: contract.EncodingOperand}}, false,
			[]float32{-10, -20, -30}},
		{"server", callbacks.OpaqueID{ID: id, Server: "pid1"}, timesTen,
			builder.Callback{Host: contract.Host{Encoding: contract.EncodingServer, Opaque: id}}, false,
			[]float32{-10, -20, -30}},
		{"server, passing through", callbacks.OpaqueID{ID: id}, addOne,
			builder.Callback{Host: contract.Host{Encoding: contract.EncodingServer, Opaque: id}}, true,
			[]float32{0, -1, -2}},
		{"another target", callbacks.OpaqueID{ID: id}, timesTen,
			builder.Callback{Target: "test_target", Host: contract.Host{Encoding: contract.EncodingWords, Opaque: id}},
			false, []float32{-10, -20, -30}},
	}
	for range 2 { // the second time, it is registered
		check.Must(bridge.Open(bridge.OpenOptions{Targets: []string{"test_target"}}))
	}
	for _, test := range tests {
		if test.cb.Target != "" && on.name != "XLA" {
			continue // only a plugin registers targets
		}
		t.Run(test.name, func(t *testing.T) {
			if test.fn != nil {
				check.NoError(t, callbacks.RegisterOpaque(test.bind, test.fn, callbacks.Options{}))
				defer callbacks.UnregisterOpaque(test.bind)
			}
			e, err := on.compileBuilt(t, func(_ *builder.Func, x, server builder.Value) []builder.Value {
				cb, y := test.cb, builder.Neg(x)
				if cb.Host.Encoding == contract.EncodingServer {
					cb.Server = server
				}
				if test.passes {
					return []builder.Value{builder.Passthrough(y, cb)}
				}
				return []builder.Value{builder.RuntimeCall(y, y, cb)}
			})
			check.NoError(t, err)
			for range 2 {
				got, err := runVector(t, e, "pid1")
				check.NoError(t, err)
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("result (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestForeignDispatch has a call that another host wrote served in each way in which a
// call with results can be.
func TestForeignDispatch(t *testing.T) {
	for _, on := range engines {
		t.Run(on.name, func(t *testing.T) { testForeignDispatch(t, on) })
	}
}

func testForeignDispatch(t *testing.T, on way) {
	bound := callbacks.OpaqueID{ID: "scale"}
	for _, dispatch := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred} {
		for _, encoding := range []contract.Encoding{contract.EncodingWords, contract.EncodingOperand,
			contract.EncodingServer} {
			t.Run(fmt.Sprint(encoding, dispatch), func(t *testing.T) {
				cb := builder.Callback{Host: contract.Host{Encoding: encoding, Opaque: bound.ID}}
				var err error
				if encoding == contract.EncodingOperand {
					cb.Host.Opaque = ""
					cb.ID, err = callbacks.Default.RegisterFunc(timesTen, callbacks.Options{Dispatch: dispatch})
					defer func() { _ = callbacks.Default.UnregisterID(cb.ID) }()
				} else {
					err = callbacks.RegisterOpaque(bound, timesTen, callbacks.Options{Dispatch: dispatch})
					defer func() { _ = callbacks.UnregisterOpaque(bound) }()
				}
				check.NoError(t, err)
				e, err := on.compileBuilt(t, func(_ *builder.Func, x, _ builder.Value) []builder.Value {
					y := builder.Neg(x)
					return []builder.Value{builder.RuntimeCall(y, y, cb)}
				})
				check.NoError(t, err)
				for range 3 {
					got, err := runVector(t, e, "pid1")
					check.NoError(t, err)
					if diff := cmp.Diff([]float32{-10, -20, -30}, got); diff != "" {
						t.Errorf("result (-want +got):\n%s", diff)
					}
				}
			})
		}
	}
}

// TestForeignMistakes holds when and how a foreign id that nobody has bound is said.
func TestForeignMistakes(t *testing.T) {
	for _, on := range engines {
		t.Run(on.name, func(t *testing.T) { testForeignMistakes(t, on) })
	}
}

func testForeignMistakes(t *testing.T, on way) {
	const id = "\x83known"
	bound := callbacks.OpaqueID{ID: id, Server: "pid1"}
	check.NoError(t, callbacks.RegisterOpaque(bound, timesTen, callbacks.Options{}))
	defer callbacks.UnregisterOpaque(bound)
	for _, test := range []struct {
		name    string
		cb      builder.Callback
		server  string
		unknown string // the callback that the UnknownError names
		late    bool   // said by the run, and not when it is compiled
	}{
		{name: "unknown words", cb: builder.Callback{
			Host: contract.Host{Encoding: contract.EncodingWords, Opaque: "x"}}, unknown: "opaque id 78"},
		{name: "unknown id of a server", cb: builder.Callback{
			Host: contract.Host{Encoding: contract.EncodingServer, Opaque: "x"}}, unknown: "opaque id 78"},
		{name: "another server",
			cb: builder.Callback{Host: contract.Host{Encoding: contract.EncodingServer, Opaque: id}}, server: "pid2",
			unknown: "opaque id 836b6e6f776e of server 70696432", late: true},
		{name: "unknown number", cb: builder.Callback{ID: 1 << 40,
			Host: contract.Host{Encoding: contract.EncodingOperand}}, unknown: "id 1099511627776", late: true},
		{name: "number that is none", cb: builder.Callback{Target: contract.TargetEXLAElixirCallback, Name: "f"},
			unknown: "f"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := on.compileBuilt(t, func(_ *builder.Func, x, server builder.Value) []builder.Value {
				cb := test.cb
				if cb.Host.Encoding == contract.EncodingServer {
					cb.Server = server
				}
				return []builder.Value{builder.RuntimeCall(x, x, cb)}
			})
			if test.late {
				check.NoError(t, err)
				_, err = runVector(t, e, test.server+strings.Repeat("\x00", 4-len(test.server)))
			}
			var unknown *callbacks.UnknownError
			if !errors.As(err, &unknown) || unknown.Callback != test.unknown {
				t.Errorf("error is %v, want one of the unknown callback %q", err, test.unknown)
			}
		})
	}
	t.Run("no id at all", func(t *testing.T) {
		e, err := newClient(t, 0).Compile(t.Context(),
			bridge.Source(`func.func @main(%x: tensor<3xf32>, %y: tensor<4xui8>) -> tensor<3xf32> {
  %r = stablehlo.custom_call @exla_elixir_callback(%x) {api_version = 4 : i32, has_side_effect = true} : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}`), engine.CompileOptions{})
		check.NoError(t, err)
		defer e.Close()
		if _, err = runVector(t, e, "pid1"); err == nil ||
			!strings.Contains(err.Error(), "must be its callback's id, a tensor<i64>: it is f32[3]") {
			t.Errorf("error is %v", err)
		}
	})
}

// TestModuleOfEXLA runs a module as EXLA lowers one, whose callbacks' results nobody
// uses, with Go functions bound to its ids.
func TestModuleOfEXLA(t *testing.T) {
	data, err := os.ReadFile("testdata/modules/exla_host_callback_hooks.mlir")
	check.NoError(t, err)
	var called []string
	for call := range callop.Calls(parse(t, newContext(t), "exla", data)) {
		if call.Err != nil || call.Config.Host.Encoding != contract.EncodingServer {
			t.Fatalf("%+v", call)
		}
		o := callbacks.OpaqueID{ID: call.Config.Host.Opaque, Server: "\x01\x02\x03\x04\x05\x06\x07\x08"}
		err := callbacks.RegisterOpaque(o, func(c *callbacks.Frame) error {
			called = append(called, fmt.Sprint(c.Args))
			return nil
		}, callbacks.Options{})
		check.NoError(t, err)
		defer callbacks.UnregisterOpaque(o)
	}
	e, err := newClient(t, 0).Compile(t.Context(), bridge.Source(data), engine.CompileOptions{})
	check.NoError(t, err)
	defer e.Close()
	outputs, err := e.Run(t.Context(), tensor.Vector[uint8](1, 2, 3, 4, 5, 6, 7, 8), tensor.Vector[float32](1, 1, 1, 1))
	check.NoError(t, err)
	for _, b := range outputs {
		check.Report(t, b.Close())
	}
	slices.Sort(called) // nothing in the module orders them
	if diff := cmp.Diff([]string{"[f32[4] [1 1 1 1] f32[] 2]", "[f32[4] [1 1 1 1]]"}, called); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
