package bridge

import (
	"context"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// One operation is one iteration of a loop on the device with a passthrough call of
// 16 bytes in it; the handler in C is the floor.
func BenchmarkLoop(b *testing.B) {
	const signature = "f32[4]->f32[4]"
	name := register(b, signature, func(*callbacks.Frame) error { return nil })
	if err := testPlugin(b).RegisterBench(); err != nil {
		b.Fatal(err)
	}
	c := testClient(b)
	for _, kind := range []struct{ name, target string }{{"C", BenchTarget}, {"Go", contract.TargetIOCallback}} {
		e := compile(b, c, loop(kind.target, named(name, signature)), CompileOptions{})
		b.Run(kind.name, func(b *testing.B) {
			b.ReportAllocs()
			out, err := e.Run(context.Background(), tensor.Vector[float32](1, 2, 3, 4), tensor.Scalar(int32(b.N)))
			if err != nil {
				b.Fatal(err)
			}
			out[0].Close()
		})
	}
}

// One operation is one execution of a small module.
func BenchmarkRun(b *testing.B) {
	const signature = "f32[4]->f32[4]"
	name := register(b, signature, func(*callbacks.Frame) error { return nil })
	c := testClient(b)
	plain := mainFunc("%x: tensor<4xf32>", "tensor<4xf32>", "%s = stablehlo.add %x, %x : tensor<4xf32>\nreturn %s : tensor<4xf32>")
	for _, kind := range []struct{ name, module string }{{"plain", plain}, {"callback", passthrough(name, signature, "tensor<4xf32>")}} {
		e := compile(b, c, kind.module, CompileOptions{})
		in, err := c.Buffer(tensor.Vector[float32](1, 2, 3, 4), 0)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(kind.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				out, err := e.Run(context.Background(), in)
				if err != nil {
					b.Fatal(err)
				}
				out[0].Close()
			}
		})
		in.Close()
	}
}
