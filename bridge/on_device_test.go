package bridge

import (
	"context"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestOnDevice(t *testing.T) {
	c := testClient(t)
	const typ = "tensor<2xf32>"
	negate := compile(t, c, mainFunc("%x: "+typ, typ, "%y = stablehlo.negate %x : "+typ+"\n return %y : "+typ),
		engine.CompileOptions{})
	nothing := compile(t, c, mainFunc("", typ, "%y = stablehlo.iota dim = 0 : "+typ+"\n return %y : "+typ),
		engine.CompileOptions{})
	for device := range 4 {
		ctx := engine.OnDevice(t.Context(), device)
		for _, e := range []*Executable{negate, nothing} {
			var in []engine.Input
			if e == negate {
				in = append(in, view(t, []float32{1, 2}, 2))
			}
			out, err := e.Run(ctx, in...)
			check.NoError(t, err)
			check.Diff(t, "device", device, out[0].Device())
			check.NoError(t, out[0].Close())
		}
	}
	for _, device := range []int{-1, 4} {
		_, err := nothing.Run(engine.OnDevice(t.Context(), device))
		check.Error(t, err, "there is no device", "the client has 4")
	}
	b := check.Must(c.ArrayFromHost(t.Context(), view(t, []float32{1, 2}, 2), 1))
	check.Cleanup(t, b)
	out, err := negate.Run(engine.OnDevice(t.Context(), 2), b)
	check.NoError(t, err)
	check.Diff(t, "device of the buffer", 1, out[0].Device())
	check.NoError(t, out[0].Close())
}

func TestCopyToDevice(t *testing.T) {
	c := testClient(t)
	before := c.Stats()
	for _, from := range []tensor.View{view(t, []float32{1, 2, 3}, 3), {Shape: tensor.ShapeOf(tensor.S4, 3),
		Data: []byte{1, 2, 3}}, {Shape: tensor.ShapeOf(tensor.F32, 0), Data: []byte{}}} {
		b := check.Must(c.ArrayFromHost(t.Context(), from, 1))
		copied, err := b.CopyToDevice(3)
		check.NoError(t, err)
		check.NoError(t, b.Close())
		check.Diff(t, "device", 3, copied.Device())
		check.Diff(t, "array", from, check.Must(copied.ToHost(t.Context())))
		_, err = copied.CopyToDevice(4)
		check.Error(t, err, "there is no device 4; the client has 4")
		check.NoError(t, copied.Close())
		_, err = copied.CopyToDevice(0)
		check.Error(t, err, "the array is closed")
	}
	check.Diff(t, "what the client holds", before, c.Stats())
}

// A buffer whose array was taken is closed, and the array can be used and donated.
func TestTake(t *testing.T) {
	c := testClient(t)
	before := c.Stats()
	b := check.Must(c.ArrayFromHost(t.Context(), view(t, []float32{1, 2, 3}, 3), 1))
	seen := check.Must(b.View(t.Context()))
	_, err := engine.Donate(b).Take()
	check.Error(t, err, "in use by a run or a view")
	check.NoError(t, seen.Close())
	taken, err := engine.Donate(b).Take()
	check.NoError(t, err)
	_, err = b.ToHost(t.Context())
	check.Error(t, err, "the array is closed or was donated")
	_, err = engine.Donate(b).Take()
	check.Error(t, err, "the donated array is closed")
	_, err = engine.Donate(nil).Take()
	check.Error(t, err, "the donated array is nil")
	check.NoError(t, b.Close())
	check.Diff(t, "device", 1, taken.Device())
	check.Diff(t, "array", view(t, []float32{1, 2, 3}, 3), check.Must(taken.ToHost(t.Context())))
	const typ = "tensor<3xf32>"
	e := compile(t, c, mainFunc("%x: "+typ+" {jax.buffer_donor = true}", typ,
		"%y = stablehlo.negate %x : "+typ+"\n return %y : "+typ), engine.CompileOptions{})
	out, err := e.Run(t.Context(), engine.Donate(taken))
	check.NoError(t, err)
	check.Diff(t, "result", []float32{-1, -2, -3}, host[float32](t, out[0]))
	check.Diff(t, "what the client holds", before, c.Stats())
	lent := check.Must(c.BorrowFromHost(t.Context(), view(t, aligned(3), 3), 0))
	_, err = engine.Donate(lent).Take()
	check.Error(t, err, "a borrowed host array")
	check.NoError(t, lent.Close())
}

// An array that two buffers share lives until both are closed.
func TestShare(t *testing.T) {
	c := testClient(t)
	before := c.Stats()
	type put = func(context.Context, tensor.View, int) (*engine.Array, error)
	for _, put := range []put{c.ArrayFromHost, c.BorrowFromHost} {
		first := check.Must(put(t.Context(), view(t, aligned(3), 3), 1))
		want := check.Must(first.ToHost(t.Context()))
		second, err := first.Share()
		check.NoError(t, err)
		held := c.Stats()
		check.NoError(t, first.Close())
		_, err = first.Share()
		check.Error(t, err, "the array is closed or was donated")
		_, err = engine.Donate(second).Take()
		check.Error(t, err, "shares its memory with another one")
		check.Diff(t, "held", held, c.Stats())
		check.Diff(t, "device", 1, second.Device())
		check.Diff(t, "array", want, check.Must(second.ToHost(t.Context())))
		seen := check.Must(second.View(t.Context()))
		check.NoError(t, second.Close())
		check.Diff(t, "view", want, seen.Tensor())
		check.NoError(t, seen.Close())
		check.Diff(t, "what the client holds", before, c.Stats())
	}
	first := check.Must(c.ArrayFromHost(t.Context(), view(t, []float32{1, 2, 3}, 3), 1))
	second := check.Must(first.Share())
	_, err := engine.Donate(first).Take()
	check.Error(t, err, "in use")
	check.NoError(t, second.Close())
	taken, err := engine.Donate(first).Take()
	check.NoError(t, err)
	check.NoError(t, taken.Close())
	check.Diff(t, "what the client holds", before, c.Stats())
}

// An input on another device than that of the run is refused with what to do.
func TestInputOnAnotherDevice(t *testing.T) {
	const typ = "tensor<2xf32>"
	c := testClient(t)
	put := func(device int) *engine.Array {
		b := check.Must(c.ArrayFromHost(t.Context(), view(t, []float32{1, 2}, 2), device))
		check.Cleanup(t, b)
		return b
	}
	add := compile(t, c, mainFunc("%x: "+typ+", %y: "+typ, typ,
		"%s = stablehlo.add %x, %y : "+typ+"\nreturn %s : "+typ), engine.CompileOptions{})
	_, err := add.Run(t.Context(), put(1), put(2))
	check.Text(t, err, "run: input 1: the array is on device 2, but this run takes it on device 1: copy it with Array.CopyToDevice(1)")

	replicas := compile(t, c, mainFunc("%x: "+typ, typ, "return %x : "+typ), engine.CompileOptions{Replicas: 2})
	_, err = replicas.Run(t.Context(), put(0), put(0))
	check.Error(t, err, "input 1: the array is on device 0, but this run takes it on device 1")
}
