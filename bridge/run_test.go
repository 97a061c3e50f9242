package bridge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge/internal/xla"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestOpen(t *testing.T) {
	p := testPlugin(t)
	again, err := Open(OpenOptions{Path: p.Info().Path})
	check.NoError(t, err)
	check.Diff(t, "the same plugin", true, p == again)
	info := p.Info()
	check.Diff(t, "PJRT", knownPlugin(t).pjrt, info.PJRT)
	check.Diff(t, "FFI", knownPlugin(t).ffi, info.FFI)

	text := filepath.Join(t.TempDir(), "plugin.so")
	check.NoError(t, os.WriteFile(text, []byte("no library"), 0o600))
	for _, path := range []string{text, filepath.Join(t.TempDir(), "absent.so")} {
		_, err := Open(OpenOptions{Path: path})
		check.Error(t, err, path)
	}
	for _, devices := range []int{-1, maxDevices + 1} {
		if _, err := p.NewClient(ClientOptions{Devices: devices}); err == nil {
			t.Errorf("a client with %d devices", devices)
		}
	}
}

// gopjrt by itself panics on a module without results.
func TestNoResultsNoInputs(t *testing.T) {
	c := testClient(t)
	for _, replicas := range []int{1, 2, 4} {
		for _, inputs := range []int{0, 1} {
			t.Run(fmt.Sprintf("%d replicas, %d inputs", replicas, inputs), func(t *testing.T) {
				params, ins := "", []engine.Input{}
				if inputs == 1 {
					params = "%x: tensor<f32>"
					for range replicas {
						ins = append(ins, tensor.Scalar(float32(1)))
					}
				}
				e := compile(t, c, mainFunc(params, "", "return"), engine.CompileOptions{Replicas: replicas})
				check.Diff(t, "devices", replicas, e.NumDevices())
				before := buffersAlive()
				out, err := e.Run(t.Context(), ins...)
				check.NoError(t, err)
				check.Diff(t, "outputs", 0, len(out))
				check.Diff(t, "buffers alive", before, buffersAlive())
			})
		}
	}
}

func TestWrongInputs(t *testing.T) {
	c := testClient(t)
	other := testClient(t)
	const typ = "tensor<2xf32>"
	e := compile(t, c, mainFunc("%x: "+typ+", %y: "+typ, typ, "%s = stablehlo.add %x, %y : "+typ+"\nreturn %s : "+typ),
		engine.CompileOptions{})
	two := compile(t, c, mainFunc("%x: "+typ, typ, "return %x : "+typ), engine.CompileOptions{Replicas: 2})
	good := view(t, []float32{1, 2}, 2)
	buffer := func(c *Client) *engine.Array {
		b, err := c.ArrayFromHost(t.Context(), good, 0)
		check.NoError(t, err)
		t.Cleanup(func() { b.Close() })
		return b
	}
	closed := buffer(c)
	closed.Close()
	mine := buffer(c)
	before := buffersAlive()
	for _, test := range []struct {
		what   string
		e      *Executable
		inputs []engine.Input
		want   string
	}{
		{"too few", e, []engine.Input{good}, ""},
		{"too many", e, []engine.Input{good, good, good}, ""},
		{"none", e, nil, ""},
		{"shape", e, []engine.Input{good, view(t, []float32{1, 2, 3}, 3)}, ""},
		{"type", e, []engine.Input{good, view(t, []int64{1, 2}, 2)}, ""},
		{"nil", e, []engine.Input{good, nil}, "input 1"},
		{"nil buffer", e, []engine.Input{good, (*engine.Array)(nil)}, "input 1"},
		{"nil donation", e, []engine.Input{good, engine.Donate(nil)}, "input 1"},
		{"a slice", e, []engine.Input{good, []float32{1, 2}}, "[]float32"},
		{"closed", e, []engine.Input{good, closed}, "closed"},
		{"closed donation", e, []engine.Input{good, engine.Donate(closed)}, "closed"},
		{"another client's", e, []engine.Input{good, buffer(other)}, "another client"},
		{"another client's donation", e, []engine.Input{good, engine.Donate(buffer(other))}, "another client"},
		{"a view of too few bytes", e, []engine.Input{good, tensor.View{Shape: good.Shape, Data: good.Data[:7]}},
			"7 bytes"},
		{"a token", e, []engine.Input{good, tensor.View{Shape: tensor.ShapeOf(tensor.Token)}}, "token"},
		{"given twice, donated once", e, []engine.Input{mine, engine.Donate(mine)}, "in use"},
		{"not divisible", two, []engine.Input{good}, "divided"},
	} {
		t.Run(test.what, func(t *testing.T) {
			_, err := test.e.Run(t.Context(), test.inputs...)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want an error with %q", err, test.want)
			}
		})
	}
	if _, err := c.ArrayFromHost(t.Context(), good, 4); err == nil || !strings.Contains(err.Error(), "device 4") {
		t.Errorf("a buffer on device 4 of 4: %v", err)
	}
	check.Diff(t, "buffers alive", before+2, buffersAlive()) // those of the other client
	out, err := e.Run(t.Context(), good, mine)
	if err != nil {
		t.Fatal("after the errors: ", err)
	}
	check.Diff(t, "result", []float32{2, 4}, host[float32](t, out[0]))
}

func TestStartDoesNotWait(t *testing.T) {
	const signature = "f32[64,64]->f32[64,64]"
	leave := make(chan bool)
	name := register(t, signature, func(*callbacks.Frame) error { <-leave; return nil })
	c := testClient(t)
	e := compile(t, c, bigPassthrough(name, signature), engine.CompileOptions{})
	in, err := c.ArrayFromHost(t.Context(), view(t, make([]float32, 64*64), 64, 64), 0)
	check.NoError(t, err)
	run, err := e.Start(t.Context(), in)
	check.NoError(t, err)
	select {
	case <-run.Done():
		t.Error("the run is over before its callback")
	default:
	}
	// Everything may be closed while the run uses it.
	check.Report(t, in.Close())
	check.Report(t, e.Close())
	leave <- true
	out, err := run.Wait(t.Context())
	check.NoError(t, err)
	again, err := run.Wait(t.Context())
	check.Diff(t, "the same outputs", true, err == nil && again[0] == out[0])
	host[float32](t, out[0])
}

func TestManyRunsInFlight(t *testing.T) {
	const signature = "f32[64,64]->f32[64,64]"
	calls := 0 // runs on one device are serial
	name := register(t, signature, func(*callbacks.Frame) error { calls++; return nil })
	c := testClient(t)
	e := compile(t, c, bigPassthrough(name, signature), engine.CompileOptions{})
	before := buffersAlive()
	var started []*Run
	for range 200 {
		run, err := e.Start(t.Context(), view(t, make([]float32, 64*64), 64, 64))
		check.NoError(t, err)
		started = append(started, run)
	}
	for _, run := range started {
		out, err := run.Wait(t.Context())
		check.NoError(t, err)
		out[0].Close()
	}
	check.Diff(t, "calls", 200, calls)
	check.Diff(t, "buffers alive", before, buffersAlive())
}

func TestDonate(t *testing.T) {
	c := testClient(t)
	const typ = "tensor<1024xf32>"
	e := compile(t, c, mainFunc("%x: "+typ+" {tf.aliasing_output = 0 : i32}", typ,
		"%s = stablehlo.add %x, %x : "+typ+"\nreturn %s : "+typ), engine.CompileOptions{})
	before := buffersAlive()
	in, err := c.ArrayFromHost(t.Context(), view(t, make([]float32, 1024), 1024), 2)
	check.NoError(t, err)
	at, err := memoryOf(in).pjrt.Pointer()
	check.NoError(t, err)
	out, err := e.Run(t.Context(), engine.Donate(in))
	check.NoError(t, err)
	check.Diff(t, "device", 2, out[0].Device())
	got, err := memoryOf(out[0]).pjrt.Pointer()
	check.NoError(t, err)
	check.Diff(t, "the output is where the input was", true, at == got)
	if _, err := in.ToHost(t.Context()); err == nil {
		t.Error("a donated buffer can be read")
	}
	check.Report(t, in.Close())
	out[0].Close()
	check.Diff(t, "buffers alive", before, buffersAlive())
}

func TestUseAfterClose(t *testing.T) {
	p := testPlugin(t)
	c, err := p.NewClient(ClientOptions{})
	check.NoError(t, err)
	in := view(t, []float32{1}, 1)
	e, err := c.Compile(t.Context(),
		Source(mainFunc("%x: tensor<1xf32>", "tensor<1xf32>", "return %x : tensor<1xf32>")), engine.CompileOptions{})
	check.NoError(t, err)
	b, err := c.ArrayFromHost(t.Context(), in, 0)
	check.NoError(t, err)
	kept, err := c.ArrayFromHost(t.Context(), in, 0)
	check.NoError(t, err)
	for range 2 {
		check.Report(t, b.Close())
	}
	check.Report(t, c.Close())
	_, toHost := b.ToHost(t.Context())
	_, start := e.Start(t.Context(), in)
	_, buffer := c.ArrayFromHost(t.Context(), in, 0)
	_, compile := c.Compile(t.Context(), Source("module {}"), engine.CompileOptions{})
	for range 2 {
		check.Report(t, e.Close())
	}
	_, run := e.Run(t.Context(), in)
	for _, test := range []struct {
		want string
		err  error
	}{
		{"Array.ToHost: the array is closed", toHost},
		{"run: the client is closed", start},
		{"ArrayFromHost: the client is closed", buffer},
		{"Compile: the client is closed", compile},
		{"run: the executable is closed", run},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("got %v, want %q", test.err, test.want)
		}
	}
	// Objects that were made before stay valid.
	check.Diff(t, "a buffer after its client's Close", []float32{1}, host[float32](t, kept))
	check.Diff(t, "the client is freed with its last buffer", true, c.xla.Closed())
	check.Report(t, c.Close())
}

// A site is released when its executable is destroyed.
func TestExecutablesLeakNothing(t *testing.T) {
	const signature = "f32[4]->f32[4]"
	name := register(t, signature, func(*callbacks.Frame) error { return nil })
	c := testClient(t)
	before := xla.ExecutablesAlive()
	for range 20 {
		e, err := c.Compile(t.Context(), Source(passthrough(name, signature, "tensor<4xf32>")), engine.CompileOptions{})
		check.NoError(t, err)
		out, err := e.Run(t.Context(), view(t, make([]float32, 4), 4))
		check.NoError(t, err)
		out[0].Close()
		e.Close()
	}
	check.Diff(t, "executables alive", before, xla.ExecutablesAlive())
}

// Runs that fail or succeed do not leak memory. A result has 1 MiB, so that a leak of
// results would be visible.
func TestMemoryDoesNotGrow(t *testing.T) {
	const signature = "f32[512,512]->f32[512,512]"
	const typ = "tensor<512x512xf32>"
	fail := false
	name := register(t, signature, func(*callbacks.Frame) error {
		if fail {
			return errSentinel
		}
		return nil
	})
	c := testClient(t)
	e := compile(t, c, mainFunc("%x: "+typ, typ, "%y = stablehlo.add %x, %x : "+typ+"\n%p = "+
		custom(contract.Passthrough, named(name, signature), "%y", typ, typ)+"\nreturn %p : "+typ),
		engine.CompileOptions{})
	in, err := c.ArrayFromHost(t.Context(), view(t, make([]float32, 512*512), 512, 512), 0)
	check.NoError(t, err)
	defer in.Close()
	for _, fail = range []bool{false, true} {
		run := func() {
			out, err := e.Run(context.Background(), in)
			if fail != (err != nil) || fail && causeOf(t, err) != errSentinel {
				t.Fatal(err)
			}
			for _, b := range out {
				b.Close()
			}
		}
		for range 20 {
			run()
		}
		before := residentBytes(t)
		for range 100 {
			run()
		}
		runtime.GC()
		if grown := residentBytes(t) - before; grown > 30<<20 {
			t.Errorf("fail=%t: 100 runs left %d MiB", fail, grown>>20)
		}
	}
}

// residentBytes returns the memory of the process that is in RAM (proc(5), statm).
func residentBytes(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile("/proc/self/statm")
	check.NoError(t, err)
	var total, resident int
	if _, err := fmt.Sscan(string(data), &total, &resident); err != nil {
		t.Fatal(err)
	}
	return resident * os.Getpagesize()
}

// A run is reused if no other code can have kept it, and not if a callback may have kept its
// context.
func TestRunsAreUsedAgain(t *testing.T) {
	c := testClient(t)
	const typ = "tensor<4xf32>"
	var kept []context.Context
	name := register(t, "", func(f *callbacks.Frame) error { kept = append(kept, f.Context()); return nil })
	calls := compile(t, c, mainFunc("%x: "+typ, typ, "%p = "+
		custom(contract.Passthrough, "callback = \""+name+"\"", "%x", typ, typ)+"\nreturn %p : "+typ),
		engine.CompileOptions{})
	plain := compile(t, c, mainFunc("%x: "+typ, typ, "return %x : "+typ), engine.CompileOptions{})
	in := tensor.Vector[float32](1, 2, 3, 4)
	for range 100 {
		for _, e := range []*Executable{calls, plain} {
			out, err := e.Run(context.Background(), in)
			check.NoError(t, err)
			out[0].Close()
		}
		c.Stats() // reads runs
	}
	seen := map[*dispatch.Run]bool{}
	for _, ctx := range kept {
		is(t, "a context that was kept", context.Canceled, ctx.Err())
		seen[dispatch.RunOf(ctx)] = true
	}
	check.Diff(t, "runs", len(kept), len(seen))
}
