package bridge

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/bridge/internal/wait"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// stallClient returns a client with this StallAfter.
func stallClient(t testing.TB, after time.Duration) *Client {
	t.Helper()
	c, err := testPlugin(t).NewClient(ClientOptions{Devices: 2, StallAfter: after})
	check.NoError(t, err)
	check.Cleanup(t, c)
	return c
}

const stallAfter = 200 * time.Millisecond

// wantStall checks that the error is that of a run behind a callback of the name.
func wantStall(t testing.TB, err error, callback string) {
	t.Helper()
	var s *StallError
	if !errors.As(err, &s) {
		t.Errorf("got %v, want a StallError", err)
		return
	}
	check.Diff(t, "error", StallError{Callback: callback, RunID: s.RunID, After: stallAfter}, *s)
	if s.RunID == 0 || !strings.Contains(err.Error(), "InnerClient") {
		t.Errorf("the error is %v", err)
	}
}

// A callback that waits for another goroutine's run on its own client would wait forever.
// That run fails, and the callback can return its error, with every Dispatch.
func TestCallbackWaitsForRun(t *testing.T) {
	for _, way := range ways {
		for _, ends := range []bool{false, true} {
			ctx := context.Background()
			if ends {
				ctx = t.Context()
			}
			t.Run(way.String()+map[bool]string{false: "", true: "/ends"}[ends], func(t *testing.T) {
				c := stallClient(t, stallAfter)
				const typ = "tensor<64x64xf32>"
				other := compile(t, c,
					mainFunc("%x: "+typ, typ, "%d = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : ("+typ+
						", "+typ+") -> "+typ+"\nreturn %d : "+typ), engine.CompileOptions{})
				in := bigInput(t)
				inners := make(chan error, 1) // the run may be over before its callback
				name := registerWith(t, callbacks.Options{Dispatch: way}, func(*callbacks.Frame) error {
					elsewhere := make(chan error)
					go func() { _, err := other.Run(ctx, in); elsewhere <- err }()
					err := <-elsewhere
					inners <- err
					return err
				})
				e := compile(t, c, big(contract.Passthrough, "callback = \""+name+"\""), engine.CompileOptions{})
				// XLA may have a free thread for the inner run. On a busy machine that run may also begin so late
				// that the callback is at fault: then the outer run fails, and the inner one does not.
				var inner error
				for end := time.Now().Add(30 * time.Second); inner == nil && time.Now().Before(end); {
					out, err := e.Run(ctx, in)
					inner = <-inners
					switch {
					case inner != nil:
						check.Diff(t, "the callback's error", true, errors.Is(err, inner))
					case err != nil:
						wantStall(t, err, name)
					default:
						out[0].Close()
					}
				}
				wantStall(t, inner, name)
				out, err := other.Run(ctx, in)
				if err != nil {
					t.Fatal("the next run: ", err)
				}
				out[0].Close()
			})
		}
	}
}

// A callback that waits for its own run is abandoned, with its device.
func TestCallbackWaitsForItself(t *testing.T) {
	c := stallClient(t, stallAfter)
	leave := make(chan bool)
	name := register(t, "", func(*callbacks.Frame) error { <-leave; return nil })
	e := compile(t, c, big(contract.Passthrough, "callback = \""+name+"\""), engine.CompileOptions{})
	for _, ctx := range []context.Context{context.Background(), t.Context()} {
		_, err := e.Run(ctx, bigInput(t))
		wantStall(t, err, name)
		leave <- true
	}
}

// If the waiting goroutine is inside XLA, the callback's context ends with this cause.
func TestStallInsideXLA(t *testing.T) {
	c := stallClient(t, stallAfter)
	var cause error
	name := register(t, "", func(f *callbacks.Frame) error {
		<-f.Context().Done()
		cause = context.Cause(f.Context())
		return f.Context().Err()
	})
	const typ = "tensor<3xf32>"
	e := compile(t, c, mainFunc("%x: "+typ, typ, "%p = "+
		custom(contract.Passthrough, "callback = \""+name+"\"", "%x", typ, typ)+"\nreturn %p : "+typ),
		engine.CompileOptions{})
	_, err := e.Run(context.Background(), view(t, []float32{1, 2, 3}, 3))
	wantStall(t, err, name)
	wantStall(t, cause, name)
}

// Runs that wait for their device, because its runs do not end, are rejected.
func TestStallBeforeXLA(t *testing.T) {
	c := stallClient(t, stallAfter)
	leave := make(chan bool)
	name := register(t, "", func(*callbacks.Frame) error { <-leave; return nil })
	e := compile(t, c, big(contract.Passthrough, "callback = \""+name+"\""), engine.CompileOptions{})
	in, err := c.ArrayFromHost(t.Context(), bigInput(t), 0)
	check.NoError(t, err)
	defer in.Close()
	var started []*Run
	for range wait.Width {
		r, err := e.Start(context.Background(), in)
		check.NoError(t, err)
		started = append(started, r)
	}
	_, err = e.Start(context.Background(), in)
	wantStall(t, err, name)
	soon, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	_, err = e.Start(soon, in)
	is(t, "a context that ends first", context.DeadlineExceeded, err)
	close(leave)
	for _, r := range started {
		<-r.Done()
	}
}

// A run is not ended if each of its callbacks takes less time, or if the limit is negative.
func TestSlowCallbacks(t *testing.T) {
	for what, after := range map[string]time.Duration{"limit": stallAfter, "none": -1} {
		t.Run(what, func(t *testing.T) {
			c := stallClient(t, after)
			pause := stallAfter / 2
			if after < 0 {
				pause = stallAfter
			}
			name := register(t, "", func(*callbacks.Frame) error { time.Sleep(pause); return nil })
			e := compile(t, c, loop(contract.TargetIOCallback, "callback = \""+name+"\""), engine.CompileOptions{})
			var wg sync.WaitGroup
			for _, ctx := range []context.Context{context.Background(), t.Context()} {
				wg.Go(func() {
					out, err := e.Run(ctx, tensor.Vector[float32](1, 2, 3, 4), tensor.Scalar(int32(6)))
					if err != nil {
						t.Error(err)
						return
					}
					out[0].Close()
				})
			}
			wg.Wait()
		})
	}
}
