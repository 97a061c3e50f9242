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
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/host/pages"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// debugClient returns a client of a plugin that was opened with Debug.
func debugClient(t testing.TB) *Client {
	c := testClient(t)
	c.debug = true
	return c
}

// In debug mode calls have the same results.
func TestDebug(t *testing.T) {
	c := debugClient(t)
	const typ = "tensor<3xf32>"
	for _, way := range ways {
		for _, form := range []contract.Form{contract.Passthrough, contract.Call} {
			t.Run(way.String()+"/"+string(form), func(t *testing.T) {
				name := registerWith(t, callbacks.Options{Dispatch: way}, negate)
				e := compile(t, c, mainFunc("%x: "+typ, typ, "%c = stablehlo.add %x, %x : "+typ+"\n%p = "+
					custom(form, "callback = \""+name+"\"", "%c", typ, typ)+"\nreturn %p : "+typ),
					engine.CompileOptions{})
				for range pages.Kept + 10 {
					out, err := e.Run(t.Context(), view(t, []float32{1, 2, 3}, 3))
					check.NoError(t, err)
					check.Diff(t, "result", []float32{-2, -4, -6}, host[float32](t, out[0]))
				}
			})
		}
	}
}

// Debug mode logs to the logger of the callback's registry.
func TestDebugLogs(t *testing.T) {
	lines := make(logLines, 10)
	registry, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{
		Logger: slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	check.NoError(t, err)
	defer registry.Close()
	check.NoError(t, registry.Register("logged", negate, callbacks.Options{}))
	const typ = "tensor<3xf32>"
	key := fmt.Sprintf("callback = \"logged\", registry = %q", t.Name())
	e := compile(t, debugClient(t), mainFunc("%x: "+typ, typ,
		"%p = "+custom(contract.Call, key, "%x", typ, typ)+"\nreturn %p : "+typ), engine.CompileOptions{})
	out, err := e.Run(t.Context(), view(t, []float32{1, 2, 3}, 3))
	check.NoError(t, err)
	out[0].Close()
	lines.want(t, `msg="bridge: callback" callback=logged device=0`)
}

// A log handler that blocks or panics does not block a run or end the process.
func TestDebugLogsOfHostileHandler(t *testing.T) {
	blocked := make(chan struct{})
	defer close(blocked)
	for _, test := range []struct {
		name  string
		write func()
	}{
		{"block", func() { <-blocked }},
		{"panic", func() { panic("from a log handler") }},
		{"goexit", runtime.Goexit},
	} {
		t.Run(test.name, func(t *testing.T) {
			registry, err := callbacks.NewRegistry(t.Name(), callbacks.RegistryOptions{
				Logger: slog.New(
					slog.NewTextHandler(hostileLog(test.write), &slog.HandlerOptions{Level: slog.LevelDebug})),
			})
			check.NoError(t, err)
			defer registry.Close()
			check.NoError(t, registry.Register("logged", negate, callbacks.Options{}))
			const typ = "tensor<3xf32>"
			key := fmt.Sprintf("callback = \"logged\", registry = %q", t.Name())
			e := compile(t, debugClient(t), mainFunc("%x: "+typ, typ,
				"%p = "+custom(contract.Call, key, "%x", typ, typ)+"\nreturn %p : "+typ), engine.CompileOptions{})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			for range 3 {
				out, err := e.Run(ctx, view(t, []float32{1, 2, 3}, 3))
				check.NoError(t, err)
				check.Diff(t, "result", []float32{-1, -2, -3}, host[float32](t, out[0]))
				out[0].Close()
			}
		})
	}
}

type hostileLog func()

func (write hostileLog) Write(line []byte) (int, error) {
	write()
	return len(line), nil
}

// logLines receives the lines that a log handler writes.
type logLines chan string

func (l logLines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// want waits for the next line, which must have the text.
func (l logLines) want(t testing.TB, text string) {
	t.Helper()
	select {
	case line := <-l:
		if !strings.Contains(line, text) {
			t.Errorf("the log has %q, want a line with %q", line, text)
		}
	case <-time.After(10 * time.Second):
		t.Errorf("no line with %q is logged in 10 s", text)
	}
}

// Using a kept view in a later call is an error of that call, which names the callback of
// the view.
func TestDebugCatchesLateUse(t *testing.T) {
	c := debugClient(t)
	var kept tensor.View
	name := registerWith(t, callbacks.Options{}, func(f *callbacks.Frame) error {
		if kept.Data != nil {
			if kept.Data[0] == 77 {
				return errSentinel
			}
			return nil
		}
		kept = f.Args[0]
		return nil
	})
	e := compile(t, c, passthrough(name, "f32[4]->f32[4]", "tensor<4xf32>"), engine.CompileOptions{})
	in := view(t, make([]float32, 4), 4)
	out, err := e.Run(t.Context(), in)
	check.NoError(t, err)
	out[0].Close()
	_, err = e.Run(t.Context(), in)
	if p := new(callbacks.PanicError); !errors.As(err, &p) || !strings.Contains(err.Error(),
		"a view that callback \""+name+"\" was called with was used after that call: Clone what you keep") {
		t.Errorf("got %v, want a panic with an explanation", err)
	}
}

// A copy that a function keeps becomes inaccessible, too. Without debug mode it would hold
// the data of a later call.
func TestDebugLateUseOfCopies(t *testing.T) {
	c := debugClient(t)
	var kept tensor.View
	name := registerWith(t, callbacks.Options{Dispatch: callbacks.Goroutine}, func(f *callbacks.Frame) error {
		if kept.Data != nil && kept.Data[0] == 0 {
			return errSentinel
		}
		kept = f.Args[0]
		return nil
	})
	e := compile(t, c, passthrough(name, "f32[4]->f32[4]", "tensor<4xf32>"), engine.CompileOptions{})
	in := view(t, make([]float32, 4), 4)
	if _, err := e.Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	_, err := e.Run(t.Context(), in)
	if p := new(callbacks.PanicError); !errors.As(err, &p) ||
		!strings.Contains(err.Error(), "was used after that call: Clone what you keep") {
		t.Errorf("got %v, want a panic with an explanation", err)
	}
}

// Operands may be in a user's buffer. In debug mode they are read-only.
func TestDebugOperandsAreReadOnly(t *testing.T) {
	c := debugClient(t)
	const typ = "tensor<4xf32>"
	for _, form := range []contract.Form{contract.Observe, contract.Call} {
		t.Run(string(form), func(t *testing.T) {
			name := registerWith(t, callbacks.Options{FailRun: true}, func(f *callbacks.Frame) error {
				f.Args[0].Data[0] = 0xff
				return nil
			})
			results := typ
			if form == contract.Observe {
				results = "tensor<1xi8>"
			}
			e := compile(t, c, mainFunc("%x: "+typ, results, "%p = "+
				custom(form, "callback = \""+name+"\"", "%x", typ, results)+"\nreturn %p : "+results),
				engine.CompileOptions{})
			in, err := c.ArrayFromHost(t.Context(), view(t, []float32{1, 2, 3, 4}, 4), 0)
			check.NoError(t, err)
			_, err = e.Run(t.Context(), in)
			if p := new(callbacks.PanicError); !errors.As(err, &p) ||
				!strings.Contains(err.Error(), "the function wrote to its operands") {
				t.Errorf("got %v, want a panic with an explanation", err)
			}
			check.Diff(t, "the buffer", []float32{1, 2, 3, 4}, host[float32](t, in))
		})
	}
}

// Outside of callbacks a late use stops the program.
func TestDebugStopsTheProgram(t *testing.T) {
	if os.Getenv("CALLIOPE_TEST_LATE_USE") != "" {
		lateUse(t)
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestDebugStopsTheProgram$")
	child.Env = append(os.Environ(), "CALLIOPE_TEST_LATE_USE=1", "CALLIOPE_DEBUG=1")
	out, err := child.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "unexpected fault address") ||
		!strings.Contains(string(out), "bridge.lateUse") {
		t.Errorf("got %v, want a fault with the stack:\n%s", err, out)
	}
}

func lateUse(t *testing.T) {
	var kept tensor.View
	name := register(t, "", func(f *callbacks.Frame) error { kept = f.Args[0]; return nil })
	e := compile(t, testClient(t), passthrough(name, "f32[4]->f32[4]", "tensor<4xf32>"), engine.CompileOptions{})
	if _, err := e.Run(context.Background(), view(t, make([]float32, 4), 4)); err != nil {
		t.Fatal(err)
	}
	t.Log(kept.Data[0])
}

// Debug mode reports whether a result is in its operand's memory in XLA.
func TestAliasedAtRunTime(t *testing.T) {
	const signature = "f32[3]->f32[3]"
	const typ = "tensor<3xf32>"
	for _, aliased := range []bool{true, false} {
		var saw []bool
		name := register(t, signature, func(f *callbacks.Frame) error { saw = append(saw, f.Aliased(0)); return nil })
		call := custom(contract.Passthrough, named(name, signature), "%c", typ, typ)
		if !aliased {
			before, _, _ := strings.Cut(call, ", output_operand_aliases")
			call = before + "} : (" + typ + ") -> " + typ
		}
		e := compile(t, testClient(t), mainFunc("%x: "+typ, typ,
			"%c = stablehlo.add %x, %x : "+typ+"\n%p = "+call+"\nreturn %p : "+typ), engine.CompileOptions{})
		for range 3 {
			out, err := e.Run(t.Context(), view(t, []float32{1, 2, 3}, 3))
			check.NoError(t, err)
			check.Diff(t, "result", []float32{2, 4, 6}, host[float32](t, out[0]))
		}
		check.Diff(t, "aliased", []bool{aliased, aliased, aliased}, saw)
		callbacks.Default.Unregister(name)
	}
}

// In debug mode a callback that writes beyond an array fails, with the array and the number of bytes.
func TestDebugCatchesOverruns(t *testing.T) {
	c := debugClient(t)
	const typ = "tensor<9xf32>"
	for _, form := range []contract.Form{contract.Passthrough, contract.Call} {
		array := map[contract.Form]string{contract.Passthrough: "operand 0", contract.Call: "result 0"}[form]
		for _, test := range []struct {
			name string
			at   int // from the beginning of the result
			want string
		}{
			{"the next byte", 36, "wrote 1 bytes beyond the end of " + array + ", f32[9]: stay within the array"},
			{"28 bytes", 36 + 27, "wrote 28 bytes beyond the end of " + array},
			{"the next page", 64, "accessed memory beyond the end of " + array},
			{"the byte before", -1, "wrote 1 bytes before the beginning of " + array},
			{"300 bytes before", -300, "wrote 300 bytes before the beginning of " + array},
		} {
			t.Run(string(form)+"/"+test.name, func(t *testing.T) {
				name := registerWith(t, callbacks.Options{}, func(f *callbacks.Frame) error {
					*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(f.Results[0].Data)), test.at)) ^= 1
					return nil
				})
				e := compile(t, c, mainFunc("%x: "+typ, typ, "%p = "+
					custom(form, "callback = \""+name+"\"", "%x", typ, typ)+"\nreturn %p : "+typ),
					engine.CompileOptions{})
				_, err := e.Run(t.Context(), view(t, make([]float32, 9), 9))
				check.Error(t, err, fmt.Sprintf("callbacks: callback %q ", name), test.want)
			})
		}
	}
}
