package bridge

import (
	"context"
	"log"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// A borrowed array is read in place if that is possible.
func TestBorrowFromHost(t *testing.T) {
	c := testClient(t)
	data := aligned(1024)
	for i := range data {
		data[i] = float32(i)
	}
	for what, test := range map[string]struct {
		v    tensor.View
		want bool
	}{
		"aligned":  {view(t, data, 1024), true},
		"askew":    {view(t, data[1:], 1023), false},
		"empty":    {view(t, data[:0], 0), false},
		"sub-byte": {tensor.View{Shape: tensor.ShapeOf(tensor.S4, 4), Data: make([]byte, 64)[:4:4]}, false},
	} {
		t.Run(what, func(t *testing.T) {
			b, err := c.BorrowFromHost(t.Context(), test.v, 1)
			check.NoError(t, err)
			check.Diff(t, "borrowed", test.want, b.Borrowed())
			got, err := b.ToHost(t.Context())
			check.NoError(t, err)
			check.Diff(t, "values", test.v.Data, got.Data)
			if test.want {
				at, err := memoryOf(b).pjrt.Pointer()
				check.Diff(t, "no copy", true, err == nil && at == unsafe.Pointer(&data[0]))
				check.Diff(t, "held", ClientStats{Buffers: 1, Borrowed: 4096}, c.Stats())
				if _, err := c.take(t.Context(), engine.Donate(b), 1); err == nil ||
					!strings.Contains(err.Error(), "borrowed") {
					t.Errorf("donating it: got %v, want a refusal", err)
				}
			}
			check.Report(t, b.Close())
			check.Diff(t, "held after Close", ClientStats{}, c.Stats())
		})
	}
	if _, err := c.BorrowFromHost(t.Context(), tensor.View{Shape: tensor.ShapeOf(tensor.F32, 4), Data: make([]byte, 3)},
		0); err == nil || !strings.Contains(err.Error(), "3 bytes") {
		t.Errorf("a view of too few bytes: %v", err)
	}
}

// Inputs are borrowed for small and large runs, and for a run whose Wait has returned.
func TestBorrow(t *testing.T) {
	c := testClient(t)
	const typ = "tensor<64x64xf32>"
	large := compile(t, c,
		mainFunc("%x: "+typ, typ, "%d = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : ("+typ+", "+typ+
			") -> "+typ+"\nreturn %d : "+typ), engine.CompileOptions{})
	same := compile(t, c, mainFunc("%x: "+typ, typ, "return %x : "+typ), engine.CompileOptions{})
	for range 20 {
		data := aligned(64 * 64)
		for i := range data {
			data[i] = 1
		}
		in := engine.Borrow(view(t, data, 64, 64))
		started, err := large.Start(context.Background(), in)
		check.NoError(t, err)
		runtime.GC() // would free memory without references
		out, err := started.Wait(t.Context())
		check.NoError(t, err)
		check.Diff(t, "large", float32(64), host[float32](t, out[0])[17])
		if out, err = same.Run(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		data[0] = 2 // the run is over
		check.Diff(t, "same", float32(1), host[float32](t, out[0])[0])
	}
	check.Diff(t, "held", ClientStats{}, c.Stats())
}

// In debug mode, the end of the use of a borrowed array reports an error if it was written
// to.
func TestDebugBorrow(t *testing.T) {
	c := debugClient(t)
	data := aligned(16)
	b, err := c.BorrowFromHost(t.Context(), view(t, data, 16), 0)
	check.NoError(t, err)
	data[3] = 1
	if err := b.Close(); err == nil || !strings.Contains(err.Error(), "f32[16]") ||
		!strings.Contains(err.Error(), "borrow_test.go") {
		t.Errorf("got %v, want an error with the shape and the line", err)
	}

	lines := make(logLines, 10)
	defer log.SetOutput(log.Writer()) // which SetDefault changes, too
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(lines, nil)))
	c.options.Logger = slog.Default()
	const typ = "tensor<16xf32>"
	name := register(t, "", negate)
	e := compile(t, c, mainFunc("%x: "+typ, typ,
		"%p = "+custom("call", "callback = \""+name+"\"", "%x", typ, typ)+"\nreturn %p : "+typ),
		engine.CompileOptions{})
	lines.want(t, "a Source with callbacks is compiled as it is")
	for _, write := range []bool{false, true} {
		r, err := e.begin(context.Background(), []engine.Input{engine.Borrow(view(t, data, 16))}, launch{})
		check.NoError(t, err)
		if write {
			data[0]++
		}
		r.launch(true, true)
		out, err := r.Wait(t.Context())
		check.NoError(t, err)
		out[0].Close()
		if write {
			lines.want(t, "was written to before its Array was free")
		}
	}
	check.Diff(t, "further lines", 0, len(lines))
}
