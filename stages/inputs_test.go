package stages_test

import (
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

// ways compiles a module inline and in stages.
func ways(t *testing.T, m *mlir.Module, client *bridge.Client, names ...string) (inline, cut engine.Executable) {
	t.Helper()
	var err error
	inline, err = stages.Compile(t.Context(), m, stages.Options{Devices: stages.On(client.Engine())})
	check.NoError(t, err)
	check.Cleanup(t, inline)
	cut, err = stages.Compile(t.Context(), m,
		stages.Options{Devices: stages.On(client.Engine()), Force: cutAll(names...)})
	check.NoError(t, err)
	check.Cleanup(t, cut)
	return inline, cut
}

// donating returns a module with a donated parameter, which a callback between two stages sees.
func donating(t *testing.T, name string) *mlir.Module {
	t.Helper()
	b := builder.New(mlirtest.Context(t), builder.Options{})
	f := b.FuncWith("main", builder.Signature{Params: []builder.Param{{Shape: shape, Donate: true}, {Shape: shape}}})
	x := builder.Add(f.Param(0), float32(1))
	y := builder.RuntimeCall(x, x, builder.Callback{Name: name})
	f.Return(builder.Add(builder.Mul(x, y), f.Param(1)))
	m, err := b.Module()
	check.NoError(t, err)
	check.Cleanup(t, m)
	return m
}

func put(t *testing.T, c *bridge.Client, device int) *engine.Array {
	t.Helper()
	b, err := c.ArrayFromHost(t.Context(), floats(1, 2, 3, -4), device)
	check.NoError(t, err)
	return b
}

// address returns where the elements of a buffer are.
func address(t *testing.T, b *engine.Array) unsafe.Pointer {
	t.Helper()
	v, err := b.View(t.Context())
	check.NoError(t, err)
	defer v.Close()
	return unsafe.Pointer(unsafe.SliceData(v.Tensor().Data))
}

// Inputs that cannot be used have the same errors as inline.
func TestInputs(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	client, other := devices(t, 2), devices(t, 1)
	inline, cut := ways(t, donating(t, "double"), client, "double")
	closed, second, elsewhere, seen := put(t, client, 0), put(t, client, 0), put(t, other, 0), put(t, client, 0)
	check.NoError(t, closed.Close())
	check.Cleanup(t, second)
	check.Cleanup(t, elsewhere)
	check.Cleanup(t, seen)
	view, err := seen.View(t.Context())
	check.NoError(t, err)
	check.Cleanup(t, view)
	lent, err := client.BorrowFromHost(t.Context(), aligned(), 0)
	check.NoError(t, err)
	check.Cleanup(t, lent)
	for _, test := range []struct {
		name string
		in   engine.Input
		same bool // whether the text is the same as inline
	}{
		{"a nil buffer", (*engine.Array)(nil), true},
		{"nil", nil, true},
		{"a closed buffer", closed, true},
		{"another client's buffer", elsewhere, false},
		{"another client's buffer, donated", engine.Donate(put(t, other, 0)), false},
		{"a nil donation", engine.Donate(nil), true},
		{"a closed donation", engine.Donate(closed), true},
		{"a donation in use", engine.Donate(seen), true},
		{"a borrowed donation", engine.Donate(lent), true},
		{"a view without its bytes", tensor.View{Shape: shape, Data: make([]byte, 3)}, false},
		{"a borrowed view without its bytes", engine.Borrow(tensor.View{Shape: shape, Data: make([]byte, 3)}), false},
		{"a text", "text", true},
	} {
		_, want := inline.Run(t.Context(), second, test.in)
		_, got := cut.Run(t.Context(), second, test.in)
		check.Error(t, want, "input 1: ")
		check.Error(t, got, "run: input 1: ")
		if test.same && fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("%s: got %q, inline %q", test.name, got, want)
		}
	}
	for _, e := range []engine.Executable{inline, cut} {
		_, err := e.Run(t.Context(), second, tensor.Vector[int32](1, 2, 3, 4))
		if wrong := new(engine.InputError); !errors.As(err, &wrong) || wrong.Index != 1 ||
			wrong.Got.DType != tensor.S32 {
			t.Errorf("got %v, want an InputError", err)
		}
		_, err = e.Run(t.Context(), second)
		if count := new(engine.InputCountError); !errors.As(err, &count) || count.Got != 1 || count.Want != 2 {
			t.Errorf("got %v, want an InputCountError", err)
		}
		_, err = e.Call(t.Context(), tensor.View{}, floats(1, 2, 3, 4))
		check.Error(t, err, "input")
	}
	_, err = cut.Run(t.Context(), elsewhere, second)
	check.Error(t, err, "belongs to another client or engine: give what its ToHost returns")
	check.Diff(t, "inputs of bridge", "f32[4] [1 2 3 -4]", fmt.Sprint(check.Must(second.ToHost(t.Context()))))
}

func aligned() tensor.View {
	memory := make([]float32, 32)
	for uintptr(unsafe.Pointer(&memory[0]))%64 != 0 {
		memory = memory[1:]
	}
	return tensor.Vector(memory[:4]...)
}

// A run that is refused leaves what was donated to the caller.
func TestRefusedDonation(t *testing.T) {
	register(t, "double", double, callbacks.Options{})
	client := devices(t, 1)
	inline, cut := ways(t, donating(t, "double"), client, "double")
	alone := check.Must(stages.Compile(t.Context(), donating(t, "double"), stages.Options{}))
	check.Cleanup(t, alone)
	for name, e := range map[string]engine.Executable{"inline": inline, "cut": cut, "jit": alone} {
		t.Run(name, func(t *testing.T) {
			make := func() *engine.Array { return put(t, client, 0) }
			if name == "jit" {
				make = func() *engine.Array { return check.Must(engine.HostArray(t.Context(), floats(1, 2, 3, -4))) }
			}
			in, closed := make(), make()
			check.NoError(t, closed.Close())
			for _, other := range []engine.Input{tensor.Vector[int32](1, 2, 3, 4), "text", nil, closed,
				engine.Donate(closed), engine.Donate(in)} {
				if _, err := e.Run(t.Context(), engine.Donate(in), other); err == nil {
					t.Errorf("%v: there is no error", other)
				}
				check.Diff(t, "kept", floats(1, 2, 3, -4), check.Must(in.ToHost(t.Context())))
			}
			out := check.Must(e.Run(t.Context(), engine.Donate(in), floats(1, 1, 1, 1)))
			check.Cleanup(t, out[0])
			check.Diff(t, "result", floats(9, 19, 33, 19), check.Must(out[0].ToHost(t.Context())))
		})
	}
}

// Donated inputs are used up, whether or not the run fails, and the stages write to the memory of what is donated.
func TestDonations(t *testing.T) {
	fails := false
	var at unsafe.Pointer
	register(t, "double", func(f *callbacks.Frame) error {
		if fails {
			return errCallback
		}
		at = unsafe.Pointer(unsafe.SliceData(f.Args[0].Data))
		return double(f)
	}, callbacks.Options{})
	client := devices(t, 2)
	inline, cut := ways(t, donating(t, "double"), client, "double")
	second := put(t, client, 0)
	check.Cleanup(t, second)
	before := held(client)
	for _, e := range []engine.Executable{inline, cut} {
		for _, fails = range []bool{false, true} {
			x := put(t, client, 0)
			memory := address(t, x)
			out, err := e.Run(t.Context(), engine.Donate(x), second)
			check.Diff(t, "error", fails, errors.Is(err, errCallback))
			_, err = x.ToHost(t.Context())
			check.Error(t, err, "engine: Array.ToHost: the array is closed or was donated")
			_, err = e.Run(t.Context(), x, second)
			check.Error(t, err, "run: input 0: the array is closed or was donated")
			_, err = e.Run(t.Context(), engine.Donate(x), second)
			check.Error(t, err, "run: input 0: the donated array is closed or was donated before")
			for _, b := range out {
				check.Diff(t, "result", "f32[4] [9 20 35 14]", fmt.Sprint(check.Must(b.ToHost(t.Context()))))
				if e == cut && (at != memory || address(t, b) != memory) {
					t.Errorf("the callback sees %p, the result is at %p, and the donated array was at %p", at,
						address(t, b), memory)
				}
				check.NoError(t, b.Close())
			}
			checkHeld(t, before, client)
		}
	}

	// An input that is not donated keeps its value, and may be closed during the run.
	fails = false
	x, y := put(t, client, 0), put(t, client, 1)
	register(t, "closes", func(f *callbacks.Frame) error {
		check.NoError(t, x.Close())
		check.NoError(t, y.Close())
		return double(f)
	}, callbacks.Options{})
	_, cut = ways(t, donating(t, "closes"), client, "closes")
	out, err := cut.Run(t.Context(), x, y) // y is on another device
	check.NoError(t, err)
	check.Diff(t, "result", "f32[4] [9 20 35 14]", fmt.Sprint(check.Must(out[0].ToHost(t.Context()))))
	check.NoError(t, out[0].Close())
	checkHeld(t, before, client)
}
