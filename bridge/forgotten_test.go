package bridge

import (
	"context"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// What is garbage without having been closed is freed, and debug mode names the line that made it.
func TestForgotten(t *testing.T) {
	const typ = "tensor<4xf32>"
	sum := mainFunc("%x: "+typ, typ+", "+typ, "%s = stablehlo.add %x, %x : "+typ+"\nreturn %s, %x : "+typ+", "+typ)
	one := tensor.Vector[float32](1, 2, 3, 4)
	put := func(t *testing.T, c *Client) *engine.Array {
		b, err := c.ArrayFromHost(t.Context(), one, 0)
		check.NoError(t, err)
		return b
	}
	for _, test := range []struct {
		name string
		lost int // objects
		make func(t *testing.T, c *Client)
	}{
		{"a copy", 1, func(t *testing.T, c *Client) { put(t, c) }},
		{"borrowed", 1, func(t *testing.T, c *Client) {
			_, err := c.BorrowFromHost(t.Context(), view(t, aligned(16), 16), 0)
			check.NoError(t, err)
		}},
		{"shared", 2, func(t *testing.T, c *Client) {
			_, err := put(t, c).Share()
			check.NoError(t, err)
		}},
		{"half shared", 1, func(t *testing.T, c *Client) {
			b := put(t, c)
			_, err := b.Share()
			check.NoError(t, err)
			check.NoError(t, b.Close())
		}},
		{"taken", 1, func(t *testing.T, c *Client) {
			_, err := engine.Donate(put(t, c)).Take()
			check.NoError(t, err)
		}},
		{"copied to a device", 2, func(t *testing.T, c *Client) {
			_, err := put(t, c).CopyToDevice(0)
			check.NoError(t, err)
		}},
		{"a closed view", 1, func(t *testing.T, c *Client) {
			v, err := put(t, c).View(t.Context())
			check.NoError(t, err)
			check.NoError(t, v.Close())
		}},
		{"an executable and its results", 3, func(t *testing.T, c *Client) {
			e, err := c.Compile(t.Context(), Source(sum), engine.CompileOptions{})
			check.NoError(t, err)
			_, err = e.Run(context.Background(), one)
			check.NoError(t, err)
		}},
		{"an executable", 1, func(t *testing.T, c *Client) {
			e, err := c.Compile(t.Context(), Source(sum), engine.CompileOptions{})
			check.NoError(t, err)
			r, err := e.Start(t.Context(), one)
			check.NoError(t, err)
			out, err := r.Wait(t.Context())
			check.NoError(t, err)
			for _, b := range out {
				check.NoError(t, b.Close())
			}
		}},
		{"half of a run's results", 1, func(t *testing.T, c *Client) {
			e, err := c.Compile(t.Context(), Source(sum), engine.CompileOptions{})
			check.NoError(t, err)
			defer e.Close()
			out, err := e.Run(OnCaller(t.Context()), one)
			check.NoError(t, err)
			check.NoError(t, out[0].Close())
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := make(logLines, 10)
			for _, debug := range []bool{false, true} {
				c := testClient(t)
				c.debug, c.options.Logger = debug, slog.New(slog.NewTextHandler(lines, nil))
				test.make(t, c)
				collect(t, func() bool { return c.life.Uses() == 0 })
				check.Diff(t, "held", ClientStats{}, c.Stats())
			}
			for range test.lost {
				lines.want(t, "forgotten_test.go:")
			}
			check.Diff(t, "further lines", 0, len(lines))
		})
	}
}

// A view that is not closed keeps the array, because its tensor.View may be in use.
func TestForgottenView(t *testing.T) {
	lines := make(logLines, 10)
	c := debugClient(t)
	c.options.Logger = slog.New(slog.NewTextHandler(lines, nil))
	shown := func() tensor.View {
		b, err := c.ArrayFromHost(t.Context(), tensor.Vector[float32](1, 2, 3, 4), 0)
		check.NoError(t, err)
		v, err := b.View(t.Context())
		check.NoError(t, err)
		return v.Tensor()
	}()
	collect(t, func() bool { return len(lines) == 2 })
	values, err := tensor.Slice[float32](shown)
	check.NoError(t, err)
	check.Diff(t, "values", []float32{1, 2, 3, 4}, values)
	check.Diff(t, "held", ClientStats{Buffers: 1, Bytes: 16, Views: 1}, c.Stats())
}

// collect collects garbage until done returns true.
func collect(t *testing.T, done func() bool) {
	for end := time.Now().Add(10 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the garbage was not freed in 10 s")
		}
		runtime.GC()
	}
}
