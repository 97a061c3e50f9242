package bridge

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/bridge/internal/wait"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// An execution inside a callback returns an error on the same client, because XLA would
// hang, and works on the inner one; transfers work on both.
func TestNested(t *testing.T) {
	for _, kind := range []string{"inline", "asynchronous"} {
		t.Run(kind, func(t *testing.T) {
			c := testClient(t)
			small := mainFunc("%x: tensor<1xf32>", "tensor<1xf32>",
				"%y = stablehlo.add %x, %x : tensor<1xf32>\nreturn %y : tensor<1xf32>")
			same := compile(t, c, small, engine.CompileOptions{})
			var once sync.Once
			var inner *Executable
			t.Cleanup(func() {
				if inner != nil {
					inner.Close()
				}
			})
			var refused []error
			body := func(call *callbacks.Frame) error {
				in := view(t, []float32{3}, 1)
				// On the thread of the call, with and without its context, and from
				// another goroutine with its context.
				_, err := same.Run(t.Context(), in)
				refused = append(refused, err)
				_, err = same.Run(call.Context(), in)
				refused = append(refused, err)
				elsewhere := make(chan error)
				go func() { _, err := same.Run(call.Context(), in); elsewhere <- err }()
				refused = append(refused, <-elsewhere)

				b, err := c.ArrayFromHost(t.Context(), in, 0)
				if err != nil {
					return err
				}
				check.Diff(t, "transfer", []float32{3}, host[float32](t, b))

				client, err := InnerClient(call.Context())
				if err != nil {
					return err
				}
				if client == c {
					t.Error("the inner client is the outer one")
				}
				once.Do(func() { inner, err = client.Compile(call.Context(), Source(small), engine.CompileOptions{}) })
				if err != nil {
					return err
				}
				out, err := inner.Run(call.Context(), in)
				if err != nil {
					return err
				}
				check.Diff(t, "inner result", []float32{6}, host[float32](t, out[0]))
				return nil
			}
			var e *Executable
			var in engine.Input
			if kind == "inline" {
				name := register(t, "f32[4]->f32[4]", body)
				e, in = compile(t, c, passthrough(name, "f32[4]->f32[4]", "tensor<4xf32>"), engine.CompileOptions{}),
					view(t, make([]float32, 4), 4)
			} else {
				name := register(t, "f32[64,64]->f32[64,64]", body)
				e, in = compile(t, c, bigPassthrough(name, "f32[64,64]->f32[64,64]"), engine.CompileOptions{}),
					view(t, make([]float32, 64*64), 64, 64)
			}
			for range 10 {
				out, err := e.Run(t.Context(), in)
				check.NoError(t, err)
				out[0].Close()
			}
			check.Diff(t, "refusals", 30, len(refused))
			for _, err := range refused {
				if err == nil || !strings.Contains(err.Error(), "InnerClient") {
					t.Fatalf("got %v, want a refusal that names InnerClient", err)
				}
			}
			// Outside of the callback executions work.
			out, err := same.Run(t.Context(), view(t, []float32{3}, 1))
			check.NoError(t, err)
			out[0].Close()
		})
	}
}

func TestInnerClientOutside(t *testing.T) {
	if _, err := InnerClient(t.Context()); err == nil {
		t.Error("an inner client outside of any callback")
	}
}

// More concurrent callbacks that run modules than runs that a device takes at once.
func TestManyNested(t *testing.T) {
	c := testClient(t)
	small := mainFunc("%x: tensor<1xf32>", "tensor<1xf32>",
		"%y = stablehlo.add %x, %x : tensor<1xf32>\nreturn %y : tensor<1xf32>")
	compiled := sync.OnceValues(func() (*Executable, error) {
		return c.inner.Compile(t.Context(), Source(small), engine.CompileOptions{})
	})
	in := view(t, []float32{3}, 1)
	name := register(t, "", func(call *callbacks.Frame) error {
		if _, err := InnerClient(call.Context()); err != nil {
			return err
		}
		e, err := compiled()
		if err != nil {
			return err
		}
		// With and without the call's context, which can end.
		for _, ctx := range []context.Context{call.Context(), context.Background()} {
			out, err := e.Run(ctx, in)
			if err != nil {
				return err
			}
			out[0].Close()
		}
		return nil
	})
	e := compile(t, c, passthrough(name, "f32[4]->f32[4]", "tensor<4xf32>"), engine.CompileOptions{})
	var wg sync.WaitGroup
	for range 10 * wait.Width {
		wg.Go(func() {
			out, err := e.Run(context.Background(), tensor.Vector[float32](1, 2, 3, 4))
			if err != nil {
				t.Error(err)
				return
			}
			out[0].Close()
		})
	}
	wg.Wait()
	inner, err := compiled()
	check.NoError(t, err)
	inner.Close()
}
