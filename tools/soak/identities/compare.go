package identities

import (
	"math"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// smallest are the smallest normal numbers of types.
var smallest = map[tensor.DType]float64{tensor.F64: 0x1p-1022, tensor.F32: 0x1p-126, tensor.BF16: 0x1p-126,
	tensor.F16: 0x1p-14}

// same reports whether two elements are the same: NaN is NaN, whatever its bits. If the operation is not exact,
// they may differ by a small relative error.
func same(want, got any, t tensor.DType, exact bool) bool {
	w, ok := number(want)
	if !ok {
		return want == got
	}
	g, _ := number(got)
	switch {
	case math.IsNaN(w) || math.IsNaN(g):
		return math.IsNaN(w) && math.IsNaN(g)
	case w == g && math.Signbit(w) == math.Signbit(g):
		return true
	case exact:
		return false
	case w == g || math.Abs(w) <= smallest[t] && math.Abs(g) <= smallest[t]:
		return true
	}
	return math.Abs(w-g) <= progen.Tolerance[t]*math.Abs(w)
}

func number(element any) (float64, bool) {
	switch f := element.(type) {
	case float32:
		return float64(f), true
	case float64:
		return f, true
	}
	return 0, false
}

func isDenormal(v tensor.View, i int) bool {
	f, ok := number(v.At(i))
	return ok && f != 0 && math.Abs(f) < smallest[v.Shape.DType]
}
