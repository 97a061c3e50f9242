package builder_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/tensor"
)

// BenchmarkTaps builds a module of 20,000 ordered taps, with and without Options.SkipOrderCheck.
func BenchmarkTaps(b *testing.B) {
	for _, o := range []struct {
		name string
		o    builder.Options
	}{{"unchecked", builder.Options{SkipOrderCheck: true}}, {"checked", builder.Options{}}} {
		b.Run(o.name, func(b *testing.B) {
			c := mlirtest.Context(b)
			for b.Loop() {
				build := builder.New(c, o.o)
				f := build.Func("main", tensor.ShapeOf(tensor.F32, 4))
				x := f.Param(0)
				for range 20000 {
					x = builder.Add(x, x)
					builder.Tap(x, builder.Callback{Name: "see"})
				}
				f.Return(x)
				m, err := build.Module()
				if err != nil {
					b.Fatal(err)
				}
				m.Close()
			}
		})
	}
}
