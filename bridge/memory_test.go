package bridge

import (
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// A client with a limit returns errors for what would exceed it, and can be used further.
func TestMemoryLimit(t *testing.T) {
	check.NoRaces(t)
	const limit = 10_000
	if _, err := testPlugin(t).NewClient(ClientOptions{MemoryLimit: -1}); err == nil {
		t.Error("a negative limit")
	}
	c, err := testPlugin(t).NewClient(ClientOptions{Devices: 2, MemoryLimit: limit})
	check.NoError(t, err)
	defer c.Close()
	const typ = "tensor<1000xf32>"
	add := compile(t, c, mainFunc("%x: "+typ+" {tf.aliasing_output = 0 : i32}", typ,
		"%s = stablehlo.add %x, %x : "+typ+"\nreturn %s : "+typ), engine.CompileOptions{})
	v := view(t, make([]float32, 1000), 1000)
	buffer := func() *engine.Array {
		b, err := c.ArrayFromHost(t.Context(), v, 0)
		check.NoError(t, err)
		return b
	}
	refused := func(what string, err error, want MemoryError) {
		t.Helper()
		var e *MemoryError
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v, want a MemoryError", what, err)
			return
		}
		check.Diff(t, what, want, *e)
	}
	one, two := buffer(), buffer()
	_, err = c.ArrayFromHost(t.Context(), v, 1)
	refused("buffer", err, MemoryError{Op: "transfer to device", Bytes: 4000, Held: 8000, Limit: limit})
	_, err = add.Run(t.Context(), one)
	refused("run", err, MemoryError{Op: "execute", Bytes: 4000, Held: 8000, Limit: limit})
	check.Diff(t, "held", ClientStats{Buffers: 2, Bytes: 8000}, c.Stats())
	out, err := add.Run(t.Context(), engine.Donate(one)) // needs no more memory
	check.NoError(t, err)
	check.Diff(t, "held after a donation", ClientStats{Buffers: 2, Bytes: 8000}, c.Stats())
	small, err := c.ArrayFromHost(t.Context(), tensor.View{Shape: tensor.ShapeOf(tensor.S4, 9), Data: make([]byte, 9)},
		0)
	check.NoError(t, err)
	check.Diff(t, "packed elements", int64(8005), c.Stats().Bytes)
	for _, b := range []*engine.Array{one, two, out[0], small} {
		check.Report(t, b.Close())
	}
	check.Diff(t, "held at the end", ClientStats{}, c.Stats())
}

// TestMemoryOfProgram holds what a program needs: two parameters, one of which a result takes over, and values within.
func TestMemoryOfProgram(t *testing.T) {
	c, err := testPlugin(t).NewClient(ClientOptions{})
	check.NoError(t, err)
	defer c.Close()
	const typ = "tensor<100x100xf32>"
	e := compile(t, c, mainFunc("%x: "+typ+" {tf.aliasing_output = 0 : i32}, %y: "+typ, typ+", tensor<f32>",
		"%c = stablehlo.constant dense<1.0> : tensor<f32>\n%s = stablehlo.dot %x, %y : ("+typ+", "+typ+") -> "+typ+
			"\n%t = stablehlo.dot %s, %s : ("+typ+", "+typ+") -> "+typ+"\nreturn %t, %c : "+typ+", tensor<f32>"),
		engine.CompileOptions{})
	device, host, err := e.Memory()
	check.NoError(t, err)
	if device.Temporaries < 40_000 {
		t.Errorf("a product of 40,000 bytes is in %d bytes of temporaries", device.Temporaries)
	}
	device.Temporaries, device.Code = 0, 0
	device.Outputs -= device.Outputs % 1000 // and a table of addresses
	check.Diff(t, "device", MemoryUse{Arguments: 80_000, Outputs: 40_000, Aliases: 40_000}, device)
	check.Diff(t, "host", MemoryUse{}, host)
	check.NoError(t, e.Close())
	if _, _, err := e.Memory(); !errors.Is(err, ErrClosed) {
		t.Errorf("of a closed executable: %v", err)
	}
}
