package programs_test

import (
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/tensor"
)

// Arrays are sorted together by a function that compares two entries. TopK and ArgSort
// return the greatest elements and the order.
func Example_sort() {
	type entry struct{ Price, Item builder.Value }

	results := run(func(b *builder.Builder) {
		f := b.Func("main", tensor.ShapeOf(tensor.F32, 6), tensor.ShapeOf(tensor.S32, 6))
		price, item := f.Param(0), f.Param(1)
		dearest := builder.Sort(entry{price, item}, func(a, b entry) builder.Value {
			return builder.Gt(a.Price, b.Price)
		}, builder.SortOptions{Stable: true})
		top, at := builder.TopK(price, 2)
		f.Return(dearest.Price, dearest.Item, top, at, builder.ArgSort(price, 0))
	}, bridge.CompileOptions{}, tensor.Vector[float32](3, 1, 4, 1, 5, 9), tensor.Vector[int32](10, 11, 12, 13, 14, 15))
	for i, name := range []string{"price", "item", "top", "at", "order"} {
		show(name, results[i])
	}
	// Output:
	// price f32[6]: 9.0000 5.0000 4.0000 3.0000 1.0000 1.0000
	// item s32[6]: 15 14 12 10 11 13
	// top f32[2]: 9.0000 5.0000
	// at s32[2]: 5 4
	// order s32[6]: 1 3 0 2 4 5
}
