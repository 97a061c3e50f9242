package bridge

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// transfers are the functions that wait for an array.
var transfers = map[string]func(ctx context.Context, b *engine.Array) error{
	"ToHost": func(ctx context.Context, b *engine.Array) error { _, err := b.ToHost(ctx); return err },
	"CopyTo": func(ctx context.Context, b *engine.Array) error {
		return b.CopyTo(ctx, tensor.View{Shape: b.Shape(), Data: make([]byte, b.Shape().NumBytes())})
	},
	"View": func(ctx context.Context, b *engine.Array) error {
		v, err := b.View(ctx)
		if err == nil {
			err = v.Close()
		}
		return err
	},
}

func TestEndedContext(t *testing.T) {
	c := testClient(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v := view(t, []float32{1, 2}, 2)
	for name, from := range map[string]func(context.Context, tensor.View, int) (*engine.Array, error){
		"ArrayFromHost": c.ArrayFromHost, "BorrowFromHost": c.BorrowFromHost,
	} {
		if b, err := from(ctx, v, 0); b != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s returned %v and %v, want context.Canceled", name, b, err)
		}
	}
	for _, dtype := range []tensor.DType{tensor.F32, tensor.S4} {
		b, err := c.ArrayFromHost(t.Context(), sample(tensor.ShapeOf(dtype, 5)), 0)
		check.NoError(t, err)
		for name, transfer := range transfers {
			if err := transfer(ctx, b); !errors.Is(err, context.Canceled) {
				t.Errorf("%s of %s returned %v, want context.Canceled", name, dtype, err)
			}
			check.NoError(t, transfer(t.Context(), b))
		}
		check.NoError(t, b.Close())
	}
	check.Diff(t, "held", ClientStats{}, c.Stats())
}

// busyOutput returns the output of a run that is in a callback, before it is computed. The
// buffer must not be closed: the array belongs to the run.
func busyOutput(t *testing.T, c *Client) (b *engine.Array, finish func()) {
	t.Helper()
	const signature = "f32[64,64]->f32[64,64]"
	leave, called := make(chan bool), make(chan bool)
	name := register(t, signature, func(*callbacks.Frame) error { close(called); <-leave; return nil })
	e := compile(t, c, bigPassthrough(name, signature), engine.CompileOptions{})
	run, err := e.Start(t.Context(), view(t, make([]float32, 64*64), 64, 64))
	check.NoError(t, err)
	<-called
	m := &deviceArray{client: c, pjrt: run.pjrt.Output(0), shape: tensor.ShapeOf(tensor.F32, 64, 64)}
	b = engine.NewArray(m)
	check.Must(b.Use()) // it is never freed
	return b, func() {
		close(leave)
		out, err := run.Wait(context.Background())
		check.NoError(t, err)
		t.Cleanup(func() { // not yet: b has the array too
			for _, b := range out {
				check.NoError(t, b.Close())
			}
		})
	}
}

// A context that ends during the wait ends it. The buffer stays in use until the array is
// computed.
func TestContextEndsWhileWaiting(t *testing.T) {
	for name, transfer := range transfers {
		t.Run(name, func(t *testing.T) {
			c := testClient(t)
			b, finish := busyOutput(t, c)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- transfer(ctx, b) }()
			for memoryOf(b).Uses() < 2 { // until it has begun
				time.Sleep(time.Millisecond)
			}
			select {
			case err := <-ended:
				t.Errorf("it did not wait: %v", err)
			case <-time.After(20 * time.Millisecond):
			}
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
			check.Diff(t, "uses after the end of the context", int64(2), memoryOf(b).Uses())
			finish()
			for memoryOf(b).Uses() > 1 {
				time.Sleep(time.Millisecond)
			}
			check.Diff(t, "views", int64(0), c.Stats().Views)
			check.Diff(t, "ready", false, memoryOf(b).ready.Load())
		})
	}
}

// Without an end of the context the wait ends when the array is computed.
func TestWaitForArray(t *testing.T) {
	c := testClient(t)
	b, finish := busyOutput(t, c)
	waited := make(chan error)
	for _, ctx := range []context.Context{t.Context(), context.Background()} {
		go func() { waited <- memoryOf(b).wait(ctx, engine.Use{}, "test") }()
	}
	select {
	case err := <-waited:
		t.Errorf("it did not wait: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	finish()
	check.NoError(t, <-waited)
	check.NoError(t, <-waited)
	check.Diff(t, "ready", true, memoryOf(b).ready.Load())
	check.Diff(t, "uses", int64(1), memoryOf(b).Uses())
}

// XLA copies elements of less than a byte on its own threads, to memory that stays until
// it is done, also if the context has ended.
func TestContextEndsDuringCopy(t *testing.T) {
	c := testClient(t)
	want := sample(tensor.ShapeOf(tensor.S4, 1<<18))
	b, err := c.ArrayFromHost(t.Context(), want, 0)
	check.NoError(t, err)
	for i := range 100 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*10*time.Microsecond)
		got, err := b.ToHost(ctx)
		cancel()
		switch {
		case err == nil:
			check.Diff(t, "data", true, bytes.Equal(want.Data, got.Data))
		case !errors.Is(err, context.DeadlineExceeded):
			t.Fatal(err)
		}
	}
	for memoryOf(b).Uses() > 0 {
		time.Sleep(time.Millisecond)
	}
	check.NoError(t, b.Close())
	check.Diff(t, "held", ClientStats{}, c.Stats())
}
