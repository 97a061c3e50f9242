package builder_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestAt builds in one module with a line of another one's.
func TestAt(t *testing.T) {
	first, again := newBuilder(t), newBuilder(t)
	_, _, line, _ := runtime.Caller(0)
	place := first.Place()
	mistake := func(b *builder.Builder) int {
		f := b.Func("f", tensor.ShapeOf(tensor.F32, 2), tensor.ShapeOf(tensor.F32, 3))
		builder.Add(f.Param(0), f.Param(1))
		e, _ := errors.AsType[*builder.Error](b.Err())
		return e.Line
	}
	again.At(place)
	if got := mistake(again); got != line+1 {
		t.Errorf("the error names line %d, and should name %d", got, line+1)
	}
	live := newBuilder(t)
	live.At(place)
	live.At(builder.Place{})
	if got := mistake(live); got <= line+1 {
		t.Errorf("after At of no place, the error names line %d", got)
	}
}
