//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
)

var client *bridge.Client

func TestMain(m *testing.M) {
	code, err := withClient(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func withClient(f func() int) (code int, err error) {
	found, err := native.Find(native.CUDA)
	if err != nil {
		return 1, err
	}
	plugin, err := bridge.Open(bridge.OpenOptions{Path: found.Path})
	if err != nil {
		return 1, err
	}
	if client, err = plugin.NewClient(bridge.ClientOptions{}); err != nil {
		return 1, err
	}
	info := plugin.Info()
	fmt.Printf("plugin %s, PJRT %s, FFI %s, %d devices\n", info.Path, info.PJRT, info.FFI, client.NumDevices())
	code = f()
	return code, client.Close()
}

var ways = []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred}

// register binds a function to the test's name until the test ends.
func register(t testing.TB, o callbacks.Options, fn callbacks.Func) (name string) {
	t.Helper()
	name = strings.ReplaceAll(t.Name(), "/", ".")
	check.NoError(t, callbacks.Default.Register(name, fn, o))
	t.Cleanup(func() { _ = callbacks.Default.Unregister(name) })
	return name
}

// call returns a custom call of the contract. more is added to its configuration, and
// attributes behind it.
func call(form contract.Form, name, more, operands, types, results, attributes string) string {
	return fmt.Sprintf("stablehlo.custom_call @%s(%s) {api_version = 4 : i32, has_side_effect = %t, backend_config = {v = 1 : i64, form = %q, callback = %q%s}%s} : (%s) -> %s",
		form.Target(), operands, form.HasSideEffect(), form, name, more, attributes, types, results)
}

const aliased = ", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]"

func compile(t testing.TB, params, results, body string) *bridge.Executable {
	t.Helper()
	module := "module {\n func.func @main(" + params + ") -> (" + results + ") {\n" + body + "\n }\n}"
	e, err := client.Compile(t.Context(), bridge.Source(module), engine.CompileOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, module)
	}
	check.Cleanup(t, e)
	return e
}

// run executes and returns the outputs on the host.
func run(t testing.TB, e *bridge.Executable, inputs ...engine.Input) []tensor.View {
	t.Helper()
	out, err := e.Run(context.Background(), inputs...)
	check.NoError(t, err)
	var views []tensor.View
	for _, b := range out {
		v, err := b.ToHost(context.Background())
		check.NoError(t, errors.Join(err, b.Close()))
		views = append(views, v)
	}
	return views
}

func floats(values ...float32) tensor.View {
	return check.Must(tensor.FromSlice(values, len(values)))
}

func elements(v tensor.View) []float32 { return check.Must(tensor.Slice[float32](v)) }

// add writes the sum of the operands to the first result.
func add(f *callbacks.Frame) error {
	sum := elements(f.Results[0])
	clear(sum)
	for _, v := range f.Args {
		for i, x := range elements(v) {
			sum[i] += x
		}
	}
	return nil
}

func negate(f *callbacks.Frame) error {
	to := elements(f.Results[0])
	for i, x := range elements(f.Args[0]) {
		to[i] = -x
	}
	return nil
}

func near(t testing.TB, what string, want, got []float32) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-5, 1e-6)); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// Without callbacks: transfers and a computation.
func TestPlain(t *testing.T) {
	const typ = "tensor<3xf32>"
	e := compile(t, "%x: "+typ, typ, "%y = stablehlo.add %x, %x : "+typ+"\nreturn %y : "+typ)
	near(t, "result", []float32{2, 4, 6}, elements(run(t, e, floats(1, 2, 3))[0]))
}

// The operands are what the GPU has computed by then, and the GPU goes on with the results.
func TestCall(t *testing.T) {
	const typ = "tensor<1000xf32>"
	body := func(name string) string {
		return "%a = stablehlo.add %x, %x : " + typ + "\n%b = stablehlo.multiply %x, %x : " + typ + "\n" +
			"%c = " + call(contract.Call, name, "", "%a, %b, %x", strings.Join([]string{typ, typ, typ}, ", "), typ,
			"") + "\n" +
			"%d = stablehlo.multiply %c, %x : " + typ + "\nreturn %d : " + typ
	}
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			e := compile(t, "%x: "+typ, typ, body(register(t, callbacks.Options{Dispatch: way}, add)))
			for round := range 10 {
				x, want := make([]float32, 1000), make([]float32, 1000)
				for i := range x {
					x[i] = float32(i+round) / 16
					want[i] = (x[i]*3 + x[i]*x[i]) * x[i]
				}
				near(t, "result", want, elements(run(t, e, floats(x...))[0]))
			}
		})
	}
}

// A function that changes what passes through it.
func TestPassthrough(t *testing.T) {
	const typ = "tensor<4xf32>"
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			name := register(t, callbacks.Options{Dispatch: way}, func(f *callbacks.Frame) error {
				check.Diff(t, "operand", []float32{2, 4, 6, 8}, elements(f.Args[0]))
				elements(f.Results[0])[1] = 7
				return nil
			})
			e := compile(t, "%x: "+typ, typ, "%a = stablehlo.add %x, %x : "+typ+"\n%p = "+
				call(contract.Passthrough, name, "", "%a", typ, typ, aliased)+"\n%y = stablehlo.add %p, %p : "+typ+
				"\nreturn %y : "+typ)
			near(t, "result", []float32{4, 14, 12, 16}, elements(run(t, e, floats(1, 2, 3, 4))[0]))
		})
	}
}

// A function that only looks, with every Dispatch that may be.
func TestObserve(t *testing.T) {
	const typ = "tensor<2xf32>"
	for _, way := range append(slices.Clone(ways), callbacks.Async) {
		t.Run(way.String(), func(t *testing.T) {
			var mu sync.Mutex
			var seen [][]float32
			name := register(t, callbacks.Options{Dispatch: way}, func(f *callbacks.Frame) error {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, slices.Clone(elements(f.Args[0])))
				return nil
			})
			e := compile(t, "%x: "+typ, typ, "%a = stablehlo.add %x, %x : "+typ+"\n"+
				call(contract.Observe, name, "", "%a", typ, "()", "")+"\n%b = stablehlo.add %a, %x : "+typ+
				"\nreturn %b : "+typ)
			for i := range 3 {
				near(t, "result", []float32{3 * float32(i), 3}, elements(run(t, e, floats(float32(i), 1))[0]))
			}
			check.NoError(t, client.Barrier(t.Context(), "TestObserve"))
			check.Diff(t, "what it saw", [][]float32{{0, 2}, {2, 2}, {4, 2}}, seen)
		})
	}
}

// A loop on the GPU that calls a function in each iteration.
func TestLoop(t *testing.T) {
	const typ = "tensor<2xf32>"
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			name := register(t, callbacks.Options{Dispatch: way}, func(f *callbacks.Frame) error {
				to := elements(f.Results[0])
				for i, x := range elements(f.Args[0]) {
					to[i] = x + 1
				}
				return nil
			})
			e := compile(t, "%x: "+typ, typ, `%zero = stablehlo.constant dense<0> : tensor<i32>
%one = stablehlo.constant dense<1> : tensor<i32>
%n = stablehlo.constant dense<50> : tensor<i32>
%r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, `+typ+`
 cond {
  %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
 } do {
  %w = `+call(contract.Call, name, "", "%v", typ, typ, "")+`
  %j = stablehlo.add %i, %one : tensor<i32>
  stablehlo.return %j, %w : tensor<i32>, `+typ+`
 }
return %r#1 : `+typ)
			near(t, "result", []float32{51, 52}, elements(run(t, e, floats(1, 2))[0]))
		})
	}
}

// Element types, shapes without elements and elements of less than a byte.
func TestTypes(t *testing.T) {
	for _, test := range []struct {
		typ string
		in  tensor.View
	}{
		{"tensor<0x3xf32>", tensor.View{Shape: tensor.ShapeOf(tensor.F32, 0, 3), Data: []byte{}}},
		{"tensor<f64>", check.Must(tensor.FromSlice([]float64{1.5}))},
		{"tensor<2x2xi8>", check.Must(tensor.FromSlice([]int8{1, -2, 3, -4}, 2, 2))},
		{"tensor<3xi1>", tensor.View{Shape: tensor.ShapeOf(tensor.Pred, 3), Data: []byte{1, 0, 1}}},
		{"tensor<2xbf16>", tensor.View{Shape: tensor.ShapeOf(tensor.BF16, 2), Data: []byte{0x80, 0x3f, 0, 0x40}}},
		{"tensor<2xcomplex<f32>>", check.Must(tensor.FromSlice([]complex64{1 + 2i, -3i}, 2))},
		{"tensor<3xi4>", tensor.View{Shape: tensor.ShapeOf(tensor.S4, 3), Data: []byte{1, 0xff, 7}}},
	} {
		t.Run(test.typ, func(t *testing.T) {
			name := register(t, callbacks.Options{}, func(f *callbacks.Frame) error {
				check.Diff(t, "operand", string(test.in.Data), string(f.Args[0].Data))
				copy(f.Results[0].Data, f.Args[0].Data)
				return nil
			})
			e := compile(t, "%x: "+test.typ, test.typ,
				"%y = "+call(contract.Call, name, "", "%x", test.typ, test.typ, "")+"\nreturn %y : "+test.typ)
			check.Diff(t, "result", string(test.in.Data), string(run(t, e, test.in)[0].Data))
		})
	}
}

// Arrays in each memory of the GPU.
func TestMemorySpaces(t *testing.T) {
	kinds := check.Must(client.MemorySpaces(0))
	t.Log("memory spaces: ", kinds)
	for _, kind := range kinds {
		b := check.Must(client.ArrayInSpace(t.Context(), floats(1, 2), 0, kind))
		check.Diff(t, "memory space", kind, check.Must(bridge.MemorySpace(b)))
		near(t, "values", []float32{1, 2}, elements(check.Must(b.ToHost(t.Context()))))
		check.NoError(t, b.Close())
	}
}

// 64 MB in each direction.
func TestLarge(t *testing.T) {
	const n = 16 << 20
	typ := fmt.Sprintf("tensor<%dxf32>", n)
	e := compile(t, "%x: "+typ, typ, "%y = "+
		call(contract.Call, register(t, callbacks.Options{}, negate), "", "%x", typ, typ, "")+"\nreturn %y : "+typ)
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i)
	}
	for i, y := range elements(run(t, e, floats(x...))[0]) {
		if y != -x[i] {
			t.Fatalf("element %d is %v, want %v", i, y, -x[i])
		}
	}
}

// An error of a function is the run's error, and the client goes on.
func TestErrors(t *testing.T) {
	const typ = "tensor<2xf32>"
	sentinel := errors.New("no")
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			fail := true
			name := register(t, callbacks.Options{Dispatch: way}, func(f *callbacks.Frame) error {
				if fail {
					return sentinel
				}
				return negate(f)
			})
			e := compile(t, "%x: "+typ, typ,
				"%y = "+call(contract.Call, name, "", "%x", typ, typ, "")+"\nreturn %y : "+typ)
			if _, err := e.Run(t.Context(), floats(1, 2)); !errors.Is(err, sentinel) {
				t.Errorf("got %v", err)
			}
			fail = false
			near(t, "result", []float32{-1, -2}, elements(run(t, e, floats(1, 2))[0]))
		})
	}
}

// Runs at once, each with its own values.
func TestConcurrent(t *testing.T) {
	const typ = "tensor<256xf32>"
	for _, way := range ways {
		t.Run(way.String(), func(t *testing.T) {
			e := compile(t, "%x: "+typ, typ, "%a = stablehlo.add %x, %x : "+typ+"\n%y = "+
				call(contract.Call, register(t, callbacks.Options{Dispatch: way}, negate), "", "%a", typ, typ, "")+
				"\nreturn %y : "+typ)
			var all sync.WaitGroup
			for k := range 8 {
				x, want := make([]float32, 256), make([]float32, 256)
				for i := range x {
					x[i], want[i] = float32(k*i), -2*float32(k*i)
				}
				all.Go(func() {
					for range 25 {
						out, err := e.Run(context.Background(), floats(x...))
						if err != nil {
							t.Error(err)
							return
						}
						v, err := out[0].ToHost(context.Background())
						if err = errors.Join(err, out[0].Close()); err != nil {
							t.Error(err)
							return
						}
						if got := elements(v); !slices.Equal(want, got) {
							t.Errorf("run %d got %v", k, got[:4])
						}
					}
				})
			}
			all.Wait()
		})
	}
}

// The cost of a call in a run, by the size of its operand and result.
func BenchmarkCall(b *testing.B) {
	for _, n := range []int{1, 1 << 10, 1 << 20} {
		for _, way := range ways {
			b.Run(fmt.Sprintf("%s/%dB", way, 4*n), func(b *testing.B) {
				typ := fmt.Sprintf("tensor<%dxf32>", n)
				e := compile(b, "%x: "+typ, typ, "%y = "+call(contract.Call,
					register(b, callbacks.Options{Dispatch: way}, negate), "", "%x", typ, typ, "")+"\nreturn %y : "+typ)
				in, err := client.ArrayFromHost(b.Context(), floats(make([]float32, n)...), 0)
				check.NoError(b, err)
				defer in.Close()
				for b.Loop() {
					out, err := e.Run(b.Context(), in)
					if err != nil {
						b.Fatal(err)
					}
					if err := out[0].Close(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
