package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// addResult returns a module that returns the callback's result for x.
func addResult(name, typ string) string {
	return mainFunc("%x: "+typ, typ, "%c = stablehlo.cosine %x : "+typ+"\n%p = "+
		custom(contract.Call, fmt.Sprintf("callback = %q", name), "%c", typ, typ)+"\nreturn %p : "+typ)
}

// A function that appends to its operands does not write to a result.
func TestAppendToArgs(t *testing.T) {
	mine := tensor.Vector[float32](7, 7, 7)
	name := registerWith(t, callbacks.Options{}, func(f *callbacks.Frame) error {
		_ = append(f.Args, mine)
		_ = append(f.IDs, mine)
		_ = append(f.Results, mine)
		copy(f.Results[0].Data, tensor.Vector[float32](1, 2, 3).Data)
		return nil
	})
	e := compile(t, testClient(t), addResult(name, "tensor<3xf32>"), engine.CompileOptions{})
	for range 3 {
		out, err := e.Run(t.Context(), view(t, []float32{0, 0, 0}, 3))
		check.NoError(t, err)
		check.Diff(t, "result", []float32{1, 2, 3}, host[float32](t, out[0]))
	}
	check.Diff(t, "what was appended", "f32[3] [7 7 7]", mine.String())
}

// A result that is replaced and not filled would be lost.
func TestReplacedResult(t *testing.T) {
	for _, way := range []callbacks.Dispatch{callbacks.Inline, callbacks.Goroutine, callbacks.Deferred} {
		for _, size := range []int{3, 4000} {
			t.Run(fmt.Sprint(way, size), func(t *testing.T) {
				name := registerWith(t, callbacks.Options{Dispatch: way}, func(f *callbacks.Frame) error {
					f.Results[0] = f.Args[0].Clone()
					return nil
				})
				for _, c := range []*Client{testClient(t), debugClient(t)} {
					e := compile(t, c, addResult(name, fmt.Sprintf("tensor<%dxf32>", size)), engine.CompileOptions{})
					_, err := e.Run(t.Context(), view(t, make([]float32, size), size))
					if replaced := new(callbacks.ReplacedError); !errors.As(err, &replaced) ||
						!strings.Contains(err.Error(), "Frame.Results[0]: copy the values into Results[0].Data") {
						t.Errorf("got %v, want a *ReplacedError", err)
					}
				}
			})
		}
	}
}

// hostileError is an error whose methods panic, block or do not end.
type hostileError struct{ do func() }

func (e *hostileError) Error() string        { e.do(); return "text" }
func (e *hostileError) Unwrap() error        { e.do(); return e }
func (e *hostileError) Is(target error) bool { e.do(); return false }
func (e *hostileError) As(target any) bool   { e.do(); return false }
func (e *hostileError) String() string       { e.do(); return "text" }

// hostileHandler is a log handler that does the same.
type hostileHandler struct {
	slog.Handler
	do func()
}

func (h hostileHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (h hostileHandler) Handle(context.Context, slog.Record) error { h.do(); return nil }

// The methods of an error, or of a panic's value, and a log handler are never called on
// XLA's threads, where they could stop the device or the process.
func TestHostileMethods(t *testing.T) {
	release := make(chan bool)
	defer close(release)
	for what, do := range map[string]func(){
		"panics":  func() { panic("in a method") },
		"exits":   runtime.Goexit,
		"blocks":  func() { <-release },
		"returns": func() {}, // and Unwrap never returns nil
	} {
		for _, way := range ways {
			for _, size := range []int{3, 4000} {
				t.Run(fmt.Sprint(what, "/", way, "/", size), func(t *testing.T) {
					hostile := &hostileError{do}
					registry, err := callbacks.NewRegistry(t.Name(),
						callbacks.RegistryOptions{Logger: slog.New(hostileHandler{do: do})})
					check.NoError(t, err)
					defer registry.Close()
					calls := 0
					fn := func(*callbacks.Frame) error {
						if calls++; calls%2 == 0 {
							panic(hostile)
						}
						return hostile
					}
					check.NoError(t, registry.Register("f", fn, callbacks.Options{Dispatch: way}))
					client := testClient(t)
					typ := fmt.Sprintf("tensor<%dxf32>", size)
					config := fmt.Sprintf("callback = \"f\", registry = %q", registry.Name())
					in := view(t, make([]float32, size), size)
					tap := compile(t, client,
						mainFunc("%x: "+typ, "tensor<1xi8>",
							"%c = stablehlo.cosine %x : "+typ+"\n%p = "+custom(contract.Observe, config, "%c", typ,
								"tensor<1xi8>")+"\nreturn %p : tensor<1xi8>"), engine.CompileOptions{})
					for range 2 {
						out, err := tap.Run(t.Context(), in)
						if err != nil {
							t.Fatalf("a tap failed its run: %T", err)
						}
						out[0].Close()
					}
					ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
					defer cancel()
					failed, ok := client.Barrier(ctx, "here").(*callbacks.TapErrors)
					if !ok || failed.Count != 2 || failed.Errors[0].Err != error(hostile) {
						t.Errorf("the barrier has not the taps' errors: %T", err)
					}
					if way == callbacks.Async {
						return
					}
					run := compile(t, client, strings.ReplaceAll(addResult("f", typ), `callback = "f"`, config),
						engine.CompileOptions{})
					if _, err := run.Run(t.Context(), in); causeOf(t, err) != error(hostile) {
						t.Errorf("the error of the run is a %T", causeOf(t, err))
					}
					_, err = run.Run(t.Context(), in)
					if p, ok := causeOf(t, err).(*callbacks.PanicError); !ok || p.Value != any(hostile) {
						t.Errorf("the error of the run is a %T", causeOf(t, err))
					}
				})
			}
		}
	}
}

// runtime.Goexit in an inline callback ends the process with a line that names the
// callback: it would leave XLA's functions on the stack forever.
func TestGoexitInline(t *testing.T) {
	if size := os.Getenv("CALLIOPE_TEST_GOEXIT"); size != "" {
		name := register(t, "", func(*callbacks.Frame) error { runtime.Goexit(); return nil })
		n := len(size)
		slog.SetDefault(slog.New(slog.DiscardHandler))
		e := compile(t, testClient(t), addResult(name, fmt.Sprintf("tensor<%dxf32>", n)), engine.CompileOptions{})
		_, err := e.Run(context.Background(), view(t, make([]float32, n), n))
		t.Fatalf("Run came back: %v", err)
	}
	for _, n := range []int{3, 4000} {
		child := exec.Command(os.Args[0], "-test.run=^TestGoexitInline$")
		child.Env = append(os.Environ(), "CALLIOPE_TEST_GOEXIT="+strings.Repeat("x", n))
		out, _ := child.CombinedOutput()
		want := `calliope: callback "TestGoexitInline" called runtime.Goexit`
		if code := child.ProcessState.ExitCode(); code != 2 || strings.Count(string(out), "\n") != 1 ||
			!strings.HasPrefix(string(out), want) {
			t.Errorf("with %d elements: exit status %d, want 2 and one line:\n%s", n, code, out)
		}
	}
}

// If a function unlocks its goroutine from the thread, no thread stays marked as inside a
// callback.
func TestUnlockOSThread(t *testing.T) {
	client := testClient(t)
	for _, way := range ways {
		if way == callbacks.Async {
			continue // not possible in a module with a result
		}
		t.Run(way.String(), func(t *testing.T) {
			name := registerWith(t, callbacks.Options{Dispatch: way}, func(f *callbacks.Frame) error {
				runtime.UnlockOSThread()
				for range 100 { // to move to another thread, if possible
					runtime.Gosched()
				}
				time.Sleep(time.Millisecond)
				return negate(f)
			})
			e := compile(t, client, addResult(name, "tensor<3xf32>"), engine.CompileOptions{})
			for range 50 {
				errs := make(chan error, 8)
				for range cap(errs) {
					go func() {
						out, err := e.Run(context.Background(), tensor.Vector[float32](1, 2, 3))
						if err == nil {
							err = out[0].Close()
						}
						errs <- err
					}()
				}
				for range cap(errs) {
					check.NoError(t, <-errs)
				}
			}
		})
	}
}

// Async in the passthrough form: the device continues with the values, and the function
// gets copies of them.
func TestAsyncPassthrough(t *testing.T) {
	leave := make(chan bool)
	saw := make(chan string, 3)
	name := registerWith(t, callbacks.Options{Dispatch: callbacks.Async}, func(f *callbacks.Frame) error {
		<-leave
		saw <- f.Args[0].String()
		clear(f.Results[0].Data) // has no effect
		return nil
	})
	client := testClient(t)
	e := compile(t, client, passthrough(name, "f32[2]->f32[2]", "tensor<2xf32>"), engine.CompileOptions{})
	for range 3 {
		out, err := e.Run(t.Context(), view(t, []float32{0, 0}, 2))
		check.NoError(t, err)
		check.Diff(t, "result", []float32{2, 2}, host[float32](t, out[0]))
	}
	close(leave)
	is(t, "barrier", nil, client.Barrier(t.Context(), "end"))
	for range 3 {
		check.Diff(t, "what the function saw", "f32[2] [1 1]", <-saw)
	}
}
