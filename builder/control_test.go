package builder_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

var (
	scalar = tensor.ShapeOf(tensor.F32)
	flag   = tensor.ShapeOf(tensor.Pred)
	count  = tensor.ShapeOf(tensor.S32)
)

// pair is a tree with two leaves.
type pair struct{ A, B builder.Value }

func tap(name string, x builder.Value) { builder.Tap(builder.Callback{Name: name}, x) }

func TestZZ(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", flag, count, scalar)
	x := f.Param(2)
	y := builder.Loop(f.Param(1), pair{x,x}, func(i builder.Value, s pair) pair {
		tap("loop", i)
		return pair{builder.Add(s.A, x), builder.Case(i, func() builder.Value {
			tap("then2", x)
			return x
		}, func() builder.Value { return x })}
	})
	f.Return(y.A, y.B)
	m, err := b.Module()
	if err != nil { t.Fatal(err) }
	t.Log(m)
	_ = cmp.Diff
	_ = strings.Contains
}
