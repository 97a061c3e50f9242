package builder_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestManyCallsOfOneLine checks that calls that are clones equal the first one: in regions,
// with tokens, without operands, and with alternating types.
func TestManyCallsOfOneLine(t *testing.T) {
	b := newBuilder(t)
	f := b.Func("main", count, vector)
	shapes := []tensor.Shape{number, vector}
	for i := range 12 {
		builder.Tap(f.Param(i/6), builder.Callback{Name: "tap"})
		builder.RuntimeCall(builder.Like(shapes[i%2]), struct{}{}, builder.Callback{Name: "call", In: f})
		builder.Loop(f.Param(0), f.Param(1), func(_, x builder.Value) builder.Value {
			return builder.Passthrough(x, builder.Callback{Name: "io", Effect: "e"})
		}, builder.LoopOptions{})
	}
	f.Return()
	seen := map[string]int{}
	for _, call := range mlirtest.Find(finish(t, b), "stablehlo.custom_call") {
		text := call.String()
		seen[text[strings.Index(text, "{"):]]++ // all but the names of values
	}
	var got []int
	for _, n := range seen {
		got = append(got, n)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]int{6, 6, 6, 6, 12}, got); diff != "" { // two taps, two calls, one passing through
		t.Errorf("how often each call stands there (-want +got):\n%s\n%v", diff, slices.Sorted(maps.Keys(seen)))
	}
}

// TestCloseAfterContext closes a builder after its context.
func TestCloseAfterContext(t *testing.T) {
	ctx := mlirtest.Library(t).NewContext(mlir.ContextOptions{})
	b := builder.New(ctx, builder.Options{})
	f := b.Func("main", vector)
	x := f.Param(0)
	for range 3 {
		x = builder.Passthrough(x, builder.Callback{Name: "f"})
	}
	ctx.Close()
	b.Close()
}
