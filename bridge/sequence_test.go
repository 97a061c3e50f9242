package bridge

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// withTokens is a Program with runtime tokens.
type withTokens struct {
	Source
	effects []string
}

func (p withTokens) Describe(string, bool) (contract.Module, error) {
	return contract.Module{Artifact: p.Source, Effects: p.effects}, nil
}

// effectful returns a program like big with a passthrough call of an effect.
func effectful(name, effect string) withTokens {
	const typ, token = "tensor<64x64xf32>", "tensor<0xi1>"
	return withTokens{Source(mainFunc("%x: "+typ+", %t: "+token, typ+", "+token,
		"%d = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : ("+typ+", "+typ+") -> "+typ+"\n"+
			"%p = "+custom("passthrough", fmt.Sprintf("callback = %q, effect = %q", name, effect), "%d", typ, typ)+"\n"+
			"return %p, %t : "+typ+", "+token)), []string{effect}}
}

func compileProgram(t testing.TB, c *Client, p engine.Program) *Executable {
	t.Helper()
	e, err := c.Compile(t.Context(), p, engine.CompileOptions{})
	check.NoError(t, err)
	check.Cleanup(t, e)
	return e
}

// Without RuntimeTokens, the tokens are ordinary values.
func TestTokensOfSource(t *testing.T) {
	c := testClient(t)
	name := register(t, "", func(*callbacks.Frame) error { return nil })
	p := effectful(name, "log")
	e := compileProgram(t, c, p.Source)
	check.Diff(t, "inputs", 2, len(e.Inputs()))
	check.Diff(t, "outputs", 2, e.NumOutputs())
	token := tensor.View{Shape: tensor.ShapeOf(tensor.Pred, 0), Data: []byte{}}
	out, err := e.Run(t.Context(), bigInput(t), token)
	check.NoError(t, err)
	check.Diff(t, "outputs", 2, len(out))
	for _, b := range out {
		check.NoError(t, b.Close())
	}
	e = compileProgram(t, c, p)
	if _, err := e.Run(t.Context(), bigInput(t), token); !isInputError(err) {
		t.Errorf("Run with a token returned %v", err)
	}
}

func TestTokensThatAreNone(t *testing.T) {
	c := testClient(t)
	const typ, token = "tensor<4xf32>", "tensor<0xi1>"
	for _, test := range []struct{ params, results, returned, want string }{
		{"", "", "return", "parameters and results"},
		{"%t: " + token + ", %x: " + typ, token, "return %t : " + token, "parameters"},
		{"%t: " + token, token + ", " + typ,
			"%x = stablehlo.constant dense<0.0> : " + typ + "\nreturn %t, %x : " + token + ", " + typ, "results"},
	} {
		e, err := c.Compile(t.Context(),
			withTokens{Source(mainFunc(test.params, test.results, test.returned)), []string{"log"}},
			engine.CompileOptions{})
		if e != nil || err == nil || !strings.Contains(err.Error(), "the last 1 "+test.want+" are not all pred[0]") {
			t.Errorf("%v: got %v", test, err)
		}
	}
	check.Diff(t, "uses of the client", int64(0), c.life.Uses())
}

// A saved program, and one from the cache, have their tokens.
func TestTokensOfSavedProgram(t *testing.T) {
	cache, err := OpenCache(t.TempDir()+"/cache", CacheOptions{})
	check.NoError(t, err)
	c, err := testPlugin(t).NewClient(ClientOptions{Devices: 2, Cache: cache})
	check.NoError(t, err)
	defer c.Close()
	name := register(t, "", func(*callbacks.Frame) error { return nil })
	p := effectful(name, "log")
	first := compileProgram(t, c, p)
	data, err := first.Serialize()
	check.NoError(t, err)
	loaded, err := c.Load(t.Context(), data)
	check.NoError(t, err)
	check.Cleanup(t, loaded)
	cached := compileProgram(t, c, p)
	check.Diff(t, "cached", true, cached.Cached())
	again, err := loaded.Serialize()
	check.NoError(t, err)
	twice, err := c.Load(t.Context(), again)
	check.NoError(t, err)
	check.Cleanup(t, twice)
	plain := compileProgram(t, c, p.Source)
	check.Diff(t, "cached", true, plain.Cached())
	check.Diff(t, "inputs of a Source", 2, len(plain.Inputs()))
	for _, e := range []*Executable{first, loaded, cached, twice} {
		check.Diff(t, "inputs", []tensor.Shape{tensor.ShapeOf(tensor.F32, 64, 64)}, e.Inputs())
		out, err := e.Run(t.Context(), bigInput(t))
		check.NoError(t, err)
		check.Diff(t, "outputs", 1, len(out))
		check.NoError(t, out[0].Close())
	}
}

// Cancelled, failed and ordinary runs leave no arrays and no tokens.
func TestSequenceLeaksNothing(t *testing.T) {
	before := buffersAlive()
	c, err := testPlugin(t).NewClient(ClientOptions{Devices: 2})
	check.NoError(t, err)
	var calls atomic.Int64
	name := register(t, "", func(f *callbacks.Frame) error {
		switch calls.Add(1) % 5 {
		case 0:
			return errSentinel
		case 1:
			<-time.After(time.Millisecond)
		}
		return nil
	})
	e, err := c.Compile(t.Context(), effectful(name, "log"), engine.CompileOptions{})
	check.NoError(t, err)
	inputs := []*engine.Array{}
	for device := range 2 {
		b, err := c.ArrayFromHost(t.Context(), bigInput(t), device)
		check.NoError(t, err)
		inputs = append(inputs, b)
	}
	var wg sync.WaitGroup
	for g := range 3 {
		wg.Go(func() {
			for i := range 40 {
				ctx, cancel := context.WithCancel(t.Context())
				r, err := e.Start(ctx, inputs[(i+g)%2])
				if i%4 == 0 {
					cancel()
				}
				if err == nil {
					out, _ := r.Wait(ctx)
					for _, b := range out {
						check.NoError(t, b.Close())
					}
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if err := c.Barrier(t.Context(), "failed"); err == nil {
		t.Error("the barrier returned no error")
	}
	effects, starting := c.sequence.order.State()
	check.Diff(t, "effects", 0, effects)
	check.Diff(t, "the turn is taken", false, starting)
	for _, b := range inputs {
		check.NoError(t, b.Close())
	}
	check.NoError(t, e.Close())
	check.NoError(t, c.Close())
	check.Diff(t, "arrays", before, buffersAlive())
}

// A Start that waits for its turn ends with its context, with Close, and if the callback that
// it waits behind does not return.
func TestStartWaitsForTurn(t *testing.T) {
	for _, how := range []string{"context", "close", "stall"} {
		t.Run(how, func(t *testing.T) {
			o := ClientOptions{Devices: 2, DrainTimeout: -1}
			if how == "stall" {
				o.StallAfter = 50 * time.Millisecond
			}
			c, err := testPlugin(t).NewClient(o)
			check.NoError(t, err)
			entered, leave := make(chan struct{}), make(chan struct{})
			name := register(t, "", func(*callbacks.Frame) error { close(entered); <-leave; return nil })
			const typ, token = "tensor<4xf32>", "tensor<0xi1>" // XLA executes it inside of Start
			e, err := c.Compile(t.Context(), withTokens{Source(mainFunc("%x: "+typ+", %t: "+token, typ+", "+token,
				"%p = "+custom("passthrough", fmt.Sprintf("callback = %q", name), "%x", typ, typ)+"\nreturn %p, %t : "+
					typ+", "+token)), []string{"log"}}, engine.CompileOptions{})
			check.NoError(t, err)
			in := tensor.Vector[float32](1, 2, 3, 4)
			first := make(chan struct{})
			go func() {
				defer close(first)
				out, _ := e.Run(context.Background(), in)
				for _, b := range out {
					_ = b.Close()
				}
			}()
			<-entered
			ctx, cancel := context.WithCancel(t.Context())
			second := make(chan error)
			go func() {
				_, err := e.Start(ctx, in)
				second <- err
			}()
			for c.behind.Waiting() == 0 {
				runtime.Gosched()
			}
			switch how {
			case "context":
				cancel()
				is(t, "Start", context.Canceled, <-second)
			case "close":
				check.NoError(t, c.Close())
				is(t, "Start", ErrClosed, <-second)
			case "stall":
				check.As[*StallError](t, <-second)
			}
			cancel()
			check.Diff(t, "waiters", 0, c.behind.Waiting())
			close(leave)
			<-first
			check.NoError(t, e.Close())
			check.NoError(t, c.Close())
		})
	}
}

// Close with runs in flight that wait for each other's tokens ends, and frees everything when
// they are over.
func TestCloseDuringSequence(t *testing.T) {
	before := buffersAlive()
	c, err := testPlugin(t).NewClient(ClientOptions{Devices: 2, DrainTimeout: 20 * time.Millisecond})
	check.NoError(t, err)
	leave := make(chan struct{})
	name := register(t, "", func(*callbacks.Frame) error { <-leave; return nil })
	e, err := c.Compile(t.Context(), effectful(name, "log"), engine.CompileOptions{})
	check.NoError(t, err)
	var list []*Run
	for i := range 6 {
		in, err := c.ArrayFromHost(t.Context(), bigInput(t), i%2)
		check.NoError(t, err)
		r, err := e.Start(t.Context(), in)
		check.NoError(t, err)
		check.NoError(t, in.Close())
		list = append(list, r)
	}
	if err := c.Close(); err == nil {
		t.Error("Close waited for runs that cannot end")
	}
	_, err = e.Start(t.Context(), bigInput(t))
	is(t, "Start", ErrClosed, err)
	check.NoError(t, e.Close())
	close(leave)
	check.NoError(t, WaitAll(t.Context(), list...))
	for _, r := range list {
		r.discard()
	}
	for range 100 {
		if buffersAlive() == before {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	check.Diff(t, "arrays", before, buffersAlive())
}
