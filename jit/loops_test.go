package jit_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/tensor"
)

// rows returns rows of n elements: that at index i of each is the value of f.
func rows(t *testing.T, count, n int, f func(row, i int) float32) tensor.View {
	var data []float32
	for row := range count {
		for i := range n {
			data = append(data, f(row, i))
		}
	}
	return array(t, data, count, n)
}

func reduce(op, initial string, dim, count, n, result int) string {
	return fmt.Sprintf(`func.func @main(%%x: tensor<%[4]dx%[5]dxf32>) -> tensor<%[6]dxf32> {
		%%c = stablehlo.constant dense<%[2]s> : tensor<f32>
		%%r = stablehlo.reduce(%%x init: %%c) applies stablehlo.%[1]s across dimensions = [%[3]d]
			: (tensor<%[4]dx%[5]dxf32>, tensor<f32>) -> tensor<%[6]dxf32>
		return %%r : tensor<%[6]dxf32> }`, op, initial, dim, count, n, result)
}

// TestSumOfParts adds ones to a number to which a single one adds nothing: only sums of several of them do.
func TestSumOfParts(t *testing.T) {
	const big = 1 << 24
	x := rows(t, 3, 1000, func(_, i int) float32 {
		if i == 0 {
			return big
		}
		return 1
	})
	text := reduce("add", "0.0", 1, 3, 1000, 3)
	got := run(t, text, x)
	sums, err := tensor.Slice[float32](got[0])
	if err != nil || slices.Min(sums) <= big || slices.Max(sums) > big+1000 {
		t.Errorf("the sums are %v, %v: they must be above %d", sums, err, big)
	}
	if diff := cmp.Diff(got, run(t, text, x)); diff != "" {
		t.Errorf("compiled again, it computes something else: %s", diff)
	}
}

func TestReductions(t *testing.T) {
	nan := float32(math.NaN())
	number := func(row, i int) float32 { return float32((row*31+i*17)%101) - 50 }
	withNaN := func(row, i int) float32 {
		if row == 1 && i%68 == 2 {
			return nan
		}
		return number(row, i)
	}
	add := func(a, b float32) float32 { return a + b }
	greatest := func(a, b float32) float32 { return max(a, b) }
	least := func(a, b float32) float32 { return min(a, b) }
	for _, tt := range []struct {
		name, op, initial string
		of                func(row, i int) float32
		do                func(a, b float32) float32
		from              float32
	}{
		{"sum", "add", "3.0", number, add, 3},
		{"sum with NaN", "add", "0.0", withNaN, add, 0},
		{"maximum", "maximum", "0xFF800000", number, greatest, float32(math.Inf(-1))},
		{"maximum with NaN", "maximum", "0xFF800000", withNaN, greatest, float32(math.Inf(-1))},
		{"minimum with NaN", "minimum", "0x7F800000", withNaN, least, float32(math.Inf(1))},
	} {
		for dim, sizes := range [][2]int{{67, 3}, {3, 135}} {
			t.Run(fmt.Sprintf("%s/%d", tt.name, dim), func(t *testing.T) {
				want := slices.Repeat([]float32{tt.from}, sizes[1-dim])
				for row := range sizes[0] {
					for i := range sizes[1] {
						at := []int{row, i}[1-dim]
						want[at] = tt.do(want[at], tt.of(row, i))
					}
				}
				text := reduce(tt.op, tt.initial, dim, sizes[0], sizes[1], len(want))
				got, err := tensor.Slice[float32](run(t, text, rows(t, sizes[0], sizes[1], tt.of))[0])
				if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" || err != nil {
					t.Error(diff, err)
				}
			})
		}
	}
}
