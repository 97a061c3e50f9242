package bridge

import (
	"context"
	"errors"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A failed run has taken what was donated, and the error of a later use says how to keep it. A Buffer that
// is given itself keeps its array, although the module may write to its parameter.
func TestDonatedToFailedRun(t *testing.T) {
	c := testClient(t)
	failure := errors.New("failure")
	fails := true
	name := register(t, "", func(*callbacks.Frame) error {
		if fails {
			return failure
		}
		return nil
	})
	const typ = "tensor<4xf32>"
	e := compile(t, c, mainFunc("%x: "+typ+" {tf.aliasing_output = 0 : i32}", typ,
		"%y = stablehlo.add %x, %x : "+typ+"\n%p = "+custom("passthrough", named(name, "f32[4]->f32[4]"), "%y", typ,
			typ)+"\nreturn %p : "+typ), engine.CompileOptions{})
	put := func() *engine.Array {
		return check.Must(c.ArrayFromHost(t.Context(), view(t, []float32{1, 2, 3, 4}, 4), 0))
	}

	b := put()
	_, err := e.Run(t.Context(), engine.Donate(b))
	is(t, "error", failure, err)
	_, err = b.ToHost(t.Context())
	check.Error(t, err, "closed or was donated (a run takes what Donate gives it, also if it fails: give the Array itself to keep it)")
	is(t, "error", ErrClosed, err)
	_, err = e.Run(t.Context(), engine.Donate(b))
	check.Error(t, err, "give the Array itself to keep it")

	b = put()
	check.Cleanup(t, b)
	for range 2 {
		_, err = e.Run(t.Context(), b)
		is(t, "error", failure, err)
	}
	kept := func() { check.Diff(t, "kept", "f32[4] [1 2 3 4]", check.Must(b.ToHost(t.Context())).String()) }
	kept()
	fails = false
	out, err := e.Run(t.Context(), b)
	check.NoError(t, err)
	check.Diff(t, "result", []float32{2, 4, 6, 8}, host[float32](t, out[0]))
	kept()
}

// A run that is refused leaves what was donated to the caller.
func TestDonatedToRefusedRun(t *testing.T) {
	c := testClient(t)
	const typ = "tensor<4xf32>"
	e := compile(t, c, mainFunc("%x: "+typ+" {tf.aliasing_output = 0 : i32}, %y: "+typ, typ,
		"%z = stablehlo.add %x, %y : "+typ+"\nreturn %z : "+typ), engine.CompileOptions{})
	put := func() *engine.Array {
		return check.Must(c.ArrayFromHost(t.Context(), view(t, []float32{1, 2, 3, 4}, 4), 0))
	}
	in, closed := put(), put()
	check.NoError(t, closed.Close())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	refused := func(name string, err error) {
		if err == nil {
			t.Errorf("%s: there is no error", name)
		}
		check.Diff(t, name, "f32[4] [1 2 3 4]", check.Must(in.ToHost(t.Context())).String())
	}
	for name, inputs := range map[string][]engine.Input{
		"shape":           {engine.Donate(in), view(t, []float32{1}, 1)},
		"number":          {engine.Donate(in)},
		"type":            {engine.Donate(in), "text"},
		"closed donation": {engine.Donate(in), engine.Donate(closed)},
		"given twice":     {engine.Donate(in), engine.Donate(in)},
	} {
		_, err := e.Run(t.Context(), inputs...)
		refused(name, err)
	}
	_, err := e.Run(ended, engine.Donate(in), in)
	refused("context", err)
	_, _, err = engine.TakeAll(engine.Donate(in), engine.Donate(closed))
	refused("taken with a closed one", err)
	out := check.Must(e.Run(t.Context(), engine.Donate(in), view(t, []float32{1, 1, 1, 1}, 4)))
	check.Cleanup(t, out[0])
	check.Diff(t, "result", []float32{2, 3, 4, 5}, host[float32](t, out[0]))
}
