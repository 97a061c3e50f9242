package bridge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/pjrt"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

var errSentinel = errors.New("the callback's own error")

// oddError is an error whose text is not available.
type oddError struct{}

func (oddError) Error() string { panic("no text") }

// oddIs is an error that cannot be compared.
type oddIs struct{}

func (oddIs) Error() string { return "odd" }
func (oddIs) Is(error) bool { panic("no comparing") }

// causeOf returns the error of the function whose call failed a run.
func causeOf(t *testing.T, err error) error {
	t.Helper()
	return errors.Unwrap(check.As[*callbacks.CallError](t, err))
}

// The error of the run has a callback's error as the same value, on whichever thread XLA executed
// it; nothing leaks, and the next run works.
func TestCallbackErrors(t *testing.T) { onEngines(t, testCallbackErrors) }

func testCallbackErrors(t *testing.T, on testEngine) {
	modules := map[string]struct {
		module func(name, signature string) string
		input  tensor.View
		sig    string
	}{
		"inline": {
			func(name, sig string) string { return passthrough(name, sig, "tensor<4xf32>") },
			view(t, make([]float32, 4), 4), "f32[4]->f32[4]",
		},
		"asynchronous": {bigPassthrough, view(t, make([]float32, 64*64), 64, 64), "f32[64,64]->f32[64,64]"},
	}
	faults := map[string]struct {
		fn    func() error
		check func(t *testing.T, err error)
	}{
		"sentinel": {func() error { return errSentinel }, func(t *testing.T, err error) {
			if causeOf(t, err) != errSentinel {
				t.Errorf("got %#v, want the value that the callback returned", err)
			}
		}},
		"odd text": {func() error { return fmt.Errorf("a\x00b\xff\n%s: %w", strings.Repeat("x", 1<<20), errSentinel) },
			func(t *testing.T, err error) {
				if !errors.Is(err, errSentinel) {
					t.Errorf("got %#v", err)
				}
			}},
		"no text": {func() error { return oddError{} }, func(t *testing.T, err error) {
			if causeOf(t, err) != (oddError{}) {
				t.Errorf("got %#v", err)
			}
		}},
		"no comparing": {func() error { return oddIs{} }, func(t *testing.T, err error) {
			if causeOf(t, err) != (oddIs{}) {
				t.Errorf("got %#v", err)
			}
		}},
		"panic": {func() error { panic("at the disco") }, func(t *testing.T, err error) {
			if p := new(callbacks.PanicError); !errors.As(err, &p) || !strings.Contains(err.Error(), "at the disco") {
				t.Errorf("got %v, want a PanicError", err)
			}
		}},
		"bounds": {func() error { return []error{}[len(modules)] }, func(t *testing.T, err error) {
			if p := new(callbacks.PanicError); !errors.As(err, &p) {
				t.Errorf("got %v, want a PanicError", err)
			}
		}},
	}
	for kind, m := range modules {
		for what, fault := range faults {
			t.Run(kind+"/"+what, func(t *testing.T) {
				faulty := true
				name := register(t, m.sig, func(*callbacks.Frame) error {
					if faulty {
						return fault.fn()
					}
					return nil
				})
				e := on.compile(t, m.module(name, m.sig))
				before := buffersAlive()
				for range 3 {
					out, err := e.Call(t.Context(), m.input)
					if err == nil {
						t.Fatal("the run did not fail")
					}
					fault.check(t, err)
					check.Diff(t, "outputs", 0, len(out))
					if e, ok := e.(*Executable); ok {
						run, err := e.Start(t.Context(), m.input)
						check.NoError(t, err)
						<-run.Done()
						_, err = run.Wait(t.Context())
						fault.check(t, err)
					}
				}
				check.Diff(t, "buffers alive", before, buffersAlive())
				faulty = false
				if _, err := e.Call(t.Context(), m.input); err != nil {
					t.Fatal("the next run: ", err)
				}
			})
		}
	}
}

// A loop stops at the first error of a callback in it.
func TestErrorStopsLoop(t *testing.T) { onEngines(t, testErrorStopsLoop) }

func testErrorStopsLoop(t *testing.T, on testEngine) {
	const signature = "f32[4]->f32[4]"
	calls := 0
	name := register(t, signature, func(*callbacks.Frame) error {
		if calls++; calls == 5 {
			return errSentinel
		}
		return nil
	})
	e := on.compile(t, loop(contract.TargetIOCallback, named(name, signature)))
	_, err := e.Call(t.Context(), view(t, make([]float32, 4), 4), tensor.Scalar(int32(100)))
	check.Diff(t, "error", true, causeOf(t, err) == errSentinel)
	check.Diff(t, "calls", 5, calls)
}

func TestCompileErrors(t *testing.T) {
	const signature = "f32[2]->f32[2]"
	const typ = "tensor<2xf32>"
	name := register(t, signature, func(*callbacks.Frame) error { return nil })
	module := func(config string) string {
		return mainFunc("%x: "+typ, typ,
			"%p = "+custom(contract.Passthrough, config, "%x", typ, typ)+"\nreturn %p : "+typ)
	}
	c := testClient(t)
	for _, test := range []struct {
		what, module string
		options      engine.CompileOptions
		want         string
		as           any
	}{
		{"unknown name", module(named("nobody_is_called_so", signature)), engine.CompileOptions{},
			"nobody_is_called_so",
			new(*callbacks.UnknownError)},
		{"unknown id", module("callback_id = 987654321 : i64"), engine.CompileOptions{}, "987654321",
			new(*callbacks.UnknownError)},
		{"signature", module(named(name, "f32[3]->f32[3]")), engine.CompileOptions{}, name,
			new(*callbacks.SignatureError)},
		{"unknown key", module(named(name, signature) + `, colour = "red"`), engine.CompileOptions{}, "colour",
			new(*PluginError)},
		{"no module", "", engine.CompileOptions{}, "is empty", nil},
		{"no MLIR", "once upon a time", engine.CompileOptions{}, "compile", new(*PluginError)},
		{"unknown target", strings.Replace(module(named(name, signature)), "calliope_io_callback", "who_knows", 1),
			engine.CompileOptions{}, "who_knows", new(*PluginError)},
		{"too many devices", module(named(name, signature)), engine.CompileOptions{Replicas: 5},
			"ClientOptions.Devices", nil},
		{"both", module(named(name, signature)), engine.CompileOptions{Replicas: 2, Partitions: 2}, "choose one", nil},
		{"negative", module(named(name, signature)), engine.CompileOptions{Replicas: -2}, "negative", nil},
	} {
		t.Run(test.what, func(t *testing.T) {
			e, err := c.Compile(t.Context(), Source(test.module), test.options)
			if err == nil {
				e.Close()
				t.Fatal("it compiled")
			}
			if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "[calliope error") {
				t.Errorf("got the message %q", err)
			}
			if test.as != nil && !errors.As(err, test.as) {
				t.Errorf("got %#v, want a %T", err, test.as)
			}
		})
	}
}

// A module whose calls differ from their signature fails at each call.
func TestForgedSignature(t *testing.T) {
	name := register(t, "", func(*callbacks.Frame) error { t.Error("the function was called"); return nil })
	const typ = "tensor<2xf32>"
	e := compile(t, testClient(t), mainFunc("%x: "+typ, typ,
		"%p = "+custom(contract.Passthrough, named(name, "f64[2]->f64[2]"), "%x", typ, typ)+"\nreturn %p : "+typ),
		engine.CompileOptions{})
	for range 3 {
		_, err := e.Run(t.Context(), view(t, []float32{1, 2}, 2))
		check.Error(t, err, "f32[2]->f32[2]")
	}
}

func TestPluginErrorText(t *testing.T) {
	err := pluginError("compile", fmt.Errorf("failed: %w", &pjrt.Error{Code: 5, Message: "no such thing"}))
	check.Diff(t, "text", "bridge: compile: no such thing (NOT_FOUND)", err.Error())
	check.Diff(t, "unknown code", "bridge: run: x (99)", (&PluginError{Code: 99, Op: "run", Message: "x"}).Error())
	check.Diff(t, "another error", "bridge: run: plain", pluginError("run", errors.New("plain")).Error())
}

func TestContexts(t *testing.T) {
	const signature = "f32[64,64]->f32[64,64]"
	c := testClient(t)
	in := view(t, make([]float32, 64*64), 64, 64)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()

	t.Run("cancelled before", func(t *testing.T) {
		name := register(t, signature, func(*callbacks.Frame) error { t.Error("called"); return nil })
		e := compile(t, c, bigPassthrough(name, signature), engine.CompileOptions{})
		_, err := e.Run(cancelled, in)
		check.Diff(t, "run", true, err == context.Canceled)
		_, err = e.Start(cancelled, in)
		check.Diff(t, "start", true, err == context.Canceled)
		_, err = c.Compile(cancelled, Source(bigPassthrough(name, signature)), engine.CompileOptions{})
		check.Diff(t, "compile", true, err == context.Canceled)
	})
	t.Run("cancelled in the callback", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		name := register(t, signature, func(call *callbacks.Frame) error {
			cancel()
			<-call.Context().Done()
			return call.Context().Err()
		})
		e := compile(t, c, bigPassthrough(name, signature), engine.CompileOptions{})
		_, err := e.Run(ctx, in)
		check.Diff(t, "error", true, errors.Is(err, context.Canceled))
	})
	t.Run("waiting is cancelled, the callback hangs", func(t *testing.T) {
		entered, leave := make(chan bool), make(chan bool)
		name := register(t, signature, func(*callbacks.Frame) error {
			entered <- true
			<-leave
			return nil
		})
		e := compile(t, c, bigPassthrough(name, signature), engine.CompileOptions{})
		before := buffersAlive()
		run, err := e.Start(t.Context(), in)
		check.NoError(t, err)
		<-entered
		_, err = run.Wait(cancelled)
		check.Diff(t, "error", true, err == context.Canceled)
		select {
		case <-run.Done():
			t.Error("the run is over while its callback hangs")
		default:
		}
		leave <- true
		<-run.Done()
		_, err = run.Wait(t.Context())
		check.Diff(t, "error again", true, err == context.Canceled)
		check.Diff(t, "buffers alive", before, buffersAlive())
	})
	t.Run("waiting is cancelled after the end", func(t *testing.T) {
		name := register(t, signature, func(*callbacks.Frame) error { return nil })
		e := compile(t, c, bigPassthrough(name, signature), engine.CompileOptions{})
		run, err := e.Start(t.Context(), in)
		check.NoError(t, err)
		<-run.Done()
		out, err := run.Wait(cancelled)
		check.NoError(t, err)
		out[0].Close()
	})
}
