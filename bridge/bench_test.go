package bridge

import (
	"context"
	"fmt"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// One operation is one iteration of a loop on the device with a passthrough call of 16
// bytes. tools/bench -suite dispatch compares it with C.
func BenchmarkLoop(b *testing.B) {
	const signature = "f32[4]->f32[4]"
	name := register(b, signature, func(*callbacks.Frame) error { return nil })
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			e := engine.compile(b, loop(contract.TargetIOCallback, named(name, signature)))
			b.ReportAllocs()
			b.ResetTimer()
			_, err := e.Call(context.Background(), tensor.Vector[float32](1, 2, 3, 4), tensor.Scalar(int32(b.N)))
			check.NoError(b, err)
		})
	}
}

// One operation is one execution of a small module, with one input of 16 bytes. tools/bench
// -suite run compares it with the C API.
func BenchmarkRun(b *testing.B) {
	const signature = "f32[4]->f32[4]"
	name := register(b, signature, func(*callbacks.Frame) error { return nil })
	c := testClient(b)
	plain := mainFunc("%x: tensor<4xf32>", "tensor<4xf32>",
		"%s = stablehlo.add %x, %x : tensor<4xf32>\nreturn %s : tensor<4xf32>")
	ends, stop := context.WithCancel(context.Background())
	defer stop()
	for _, kind := range []struct{ name, module string }{{"plain", plain},
		{"callback", passthrough(name, signature, "tensor<4xf32>")}} {
		e := compile(b, c, kind.module, engine.CompileOptions{})
		in, err := c.ArrayFromHost(b.Context(), tensor.Vector[float32](1, 2, 3, 4), 0)
		if err != nil {
			b.Fatal(err)
		}
		for _, way := range []struct {
			name string
			ctx  context.Context
		}{{"Go", context.Background()}, {"deadline", ends}} {
			b.Run(kind.name+"/"+way.name, func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					run(b, way.ctx, e, in)
				}
			})
		}
		in.Close()
	}
}

// One operation is one execution on XLA's own threads.
func BenchmarkRunAsync(b *testing.B) {
	c := testClient(b)
	const typ = "tensor<64x64xf32>"
	e := compile(b, c, mainFunc("%x: "+typ, typ, "%d = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : ("+
		typ+", "+typ+") -> "+typ+"\nreturn %d : "+typ), engine.CompileOptions{})
	in, err := c.ArrayFromHost(b.Context(), bigInput(b), 0)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	ends, stop := context.WithCancel(context.Background())
	defer stop()
	for _, way := range []struct {
		name string
		ctx  context.Context
	}{{"Go", context.Background()}, {"deadline", ends}} {
		b.Run(way.name, func(b *testing.B) {
			for range b.N {
				run(b, way.ctx, e, in)
			}
		})
	}
}

func run(b *testing.B, ctx context.Context, e *Executable, in engine.Input) {
	out, err := e.Run(ctx, in)
	if err != nil {
		b.Fatal(err)
	}
	out[0].Close()
}

// One operation copies an array to the device, runs a small module on it and copies the
// result back.
func BenchmarkThrough(b *testing.B) {
	c := testClient(b)
	for _, n := range []int{4, 1 << 18} {
		typ := fmt.Sprintf("tensor<%dxf32>", n)
		e := compile(b, c, mainFunc("%x: "+typ, typ, "return %x : "+typ), engine.CompileOptions{})
		v := view(b, aligned(n), n)
		for _, kind := range []struct {
			name string
			in   engine.Input
			view bool
		}{{"copied", v, false}, {"borrowed", engine.Borrow(v), true}} {
			b.Run(fmt.Sprint(4*n, "/", kind.name), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					out, err := e.Run(context.Background(), kind.in)
					if err != nil {
						b.Fatal(err)
					}
					if kind.view {
						v, err := out[0].View(b.Context())
						if err != nil {
							b.Fatal(err)
						}
						v.Close()
					} else if _, err := out[0].ToHost(b.Context()); err != nil {
						b.Fatal(err)
					}
					out[0].Close()
				}
			})
		}
	}
}

// One operation copies an array of 1 MiB: to the device, from the device, and in Go, which
// is the lower bound.
func BenchmarkTransfer(b *testing.B) {
	const n = 1 << 18
	c := testClient(b)
	v := view(b, aligned(n), n)
	buffer, err := c.ArrayFromHost(b.Context(), v, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer buffer.Close()
	into := make([]byte, len(v.Data))
	for what, f := range map[string]func() error{
		"copy":       func() error { copy(into, v.Data); return nil },
		"fresh copy": func() error { sink = append([]byte(nil), v.Data...); return nil },
		"ToHost":     func() error { v, err := buffer.ToHost(b.Context()); sink = v.Data; return err },
		"View": func() error {
			v, err := buffer.View(b.Context())
			if err != nil {
				return err
			}
			return v.Close()
		},
		"Buffer": func() error {
			b, err := c.ArrayFromHost(b.Context(), v, 0)
			if err != nil {
				return err
			}
			return b.Close()
		},
		"BorrowFromHost": func() error {
			b, err := c.BorrowFromHost(b.Context(), v, 0)
			if err != nil {
				return err
			}
			return b.Close()
		},
	} {
		b.Run(what, func(b *testing.B) {
			b.SetBytes(4 * n)
			for range b.N {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

var sink []byte

// aligned returns memory that a device can use in place.
func aligned(n int) []float32 {
	s := make([]float32, n+16)
	for uintptr(unsafe.Pointer(&s[0]))%engine.Align != 0 {
		s = s[1:]
	}
	return s[:n:n]
}
