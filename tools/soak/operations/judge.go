package operations

import (
	"bytes"
	"fmt"
	"math"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/tensor"
)

// A difference is the first element in which results of a program differ.
type difference struct {
	set, result, element int
	text                 string
	want, got            tensor.View // the results
}

// difference returns how results of sets of arguments differ, or nil.
func (p *program) difference(want, got [][]tensor.View) *difference {
	for i := range want {
		if d := p.differenceIn(want[i], got[i]); d != nil {
			d.set = i
			return d
		}
	}
	return nil
}

func (p *program) differenceIn(want, got []tensor.View) *difference {
	for i := range want {
		w, g := want[i], got[i]
		if !w.Shape.Equal(g.Shape) {
			return &difference{result: i, want: w, got: g,
				text: fmt.Sprintf("result %d is %s instead of %s", i, g.Shape, w.Shape)}
		}
		if bytes.Equal(w.Data, g.Data) {
			continue
		}
		for k := range w.Shape.NumElements() {
			if !same(w, g, k, p.inexact, p.reordered) && !near(w, g, k, p.magnitude) {
				return &difference{result: i, element: k, want: w, got: g,
					text: fmt.Sprintf("result %d, element %d: %v instead of %v", i, k, textOf(g, k), textOf(w, k))}
			}
		}
	}
	return nil
}

func textOf(v tensor.View, i int) any {
	if _, ok := tensor.Float8(v.Shape.DType, 0); ok {
		return progen.Floats(v, i)[0]
	}
	return v.At(i)
}

// same reports whether two elements are the same: NaN is NaN, whatever its bits.
func same(want, got tensor.View, i int, inexact, reordered bool) bool {
	d := want.Shape.DType
	size := d.Size()
	if bytes.Equal(want.Data[i*size:(i+1)*size], got.Data[i*size:(i+1)*size]) {
		return true
	}
	e := element{DType: d}
	if e.is("sup") {
		return false
	}
	w, g := progen.Floats(want, i), progen.Floats(got, i)
	most := 0.0
	for part := range w {
		if !math.IsInf(w[part], 0) && !math.IsNaN(w[part]) {
			most = max(most, math.Abs(w[part]))
		}
	}
	for part := range w {
		a, b := w[part], g[part]
		switch {
		case math.IsNaN(a) && math.IsNaN(b):
		case a == b && (math.Signbit(a) == math.Signbit(b) || inexact || reordered):
		case inexact && math.Abs(a-b) <= progen.Tolerance[d]*max(most, math.Abs(b), small[d]):
		case inexact && e.is("8") && math.Abs(a-b) <= math.Abs(a)/2:
		default:
			return false
		}
	}
	return true
}

// near reports whether two elements differ by less than the tolerance of a number.
func near(want, got tensor.View, i int, magnitude float64) bool {
	return math.Abs(progen.Floats(want, i)[0]-progen.Floats(got, i)[0]) <= magnitude*progen.Tolerance[want.Shape.DType]
}

// small are numbers below which the relative error of an inexact result does not count.
var small = map[tensor.DType]float64{tensor.F64: 1e-300, tensor.C128: 1e-6, tensor.F32: 1e-35, tensor.C64: 1e-2,
	tensor.BF16: 1e-35, tensor.F16: 1e-4}
