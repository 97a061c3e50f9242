package transforms

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/calliope-mlir/calliope/internal/test/progen"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// inputs returns random arguments for a function.
func inputs(r *rand.Rand, f mlir.Operation) (list []tensor.View, err error) {
	for _, v := range f.Region(0).First().Arguments() {
		shape, err := stablehlo.ShapeOf(v.Type())
		if err != nil {
			return nil, err
		}
		list = append(list, random(r, shape))
	}
	return list, nil
}

// random returns an array of numbers between -2 and 2, of integers from 0 to 4, or of booleans.
func random(r *rand.Rand, shape tensor.Shape) tensor.View {
	v := tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())}.Clone() // aligned
	number := func() float64 { return 4*r.Float64() - 2 }
	for i := range shape.NumElements() {
		switch d := shape.DType; {
		case progen.IsComplex(d):
			progen.SetFloat(v, i, number(), number())
		case progen.IsFloat(d):
			progen.SetFloat(v, i, number(), 0)
		case d == tensor.Pred || d == tensor.S2 || d == tensor.U2:
			progen.SetBits(v, i, uint64(r.IntN(2)))
		default: // integers and small floating-point numbers
			progen.SetBits(v, i, uint64(r.IntN(5)))
		}
	}
	return v
}

// numbers returns the elements of an array, complex ones as two. It returns false for other types than those of 32 or
// 64 bits.
func numbers(v tensor.View) (list []float64, ok bool) {
	d := v.Shape.DType
	if d != tensor.F64 && d != tensor.F32 && !progen.IsComplex(d) {
		return nil, false
	}
	for i := range v.Shape.NumElements() {
		x := progen.Floats(v, i)
		if list = append(list, x[0]); progen.IsComplex(d) {
			list = append(list, x[1])
		}
	}
	return list, true
}

// roundings returns the error relative to the largest number that roundings may make in arrays of a type.
func roundings(d tensor.DType) float64 {
	switch d {
	case tensor.F64, tensor.C128:
		return 1e-8
	}
	return 1e-2
}

// near returns an error if an array is not the one that is wanted. Roundings may make a difference, except between
// integers. Arrays of small floating-point numbers are not compared.
func near(want, got tensor.View) error {
	if !want.Shape.Equal(got.Shape) {
		return fmt.Errorf("it is %s, want %s", got.Shape, want.Shape)
	}
	ws, ok := numbers(want)
	gs, _ := numbers(got)
	if !ok {
		if d := want.Shape.DType; (progen.IsInteger(d) || d == tensor.Pred) && string(want.Data) != string(got.Data) {
			return fmt.Errorf("it is %v, want %v", got.Data, want.Data)
		}
		return nil
	}
	scale := 1.0
	for _, x := range ws {
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			scale = max(scale, math.Abs(x))
		}
	}
	for i, w := range ws {
		g := gs[i]
		if w != g && !(math.IsNaN(w) && math.IsNaN(g)) && !(math.Abs(w-g) <= roundings(want.Shape.DType)*scale) {
			return fmt.Errorf("element %d is %v, want %v, of\n%v\n%v", i, g, w, gs, ws)
		}
	}
	return nil
}

// inner returns the real part of the sum of the products of the elements of two lists of arrays, none of them
// conjugated, the sum of their magnitudes, and the error that roundings may make.
func inner(xs, ys []tensor.View) (sum, magnitude, tolerance float64, ok bool) {
	for k, v := range xs {
		x, known := numbers(v)
		y, _ := numbers(ys[k])
		if !known || len(x) != len(y) {
			return 0, 0, 0, false
		}
		tolerance = max(tolerance, roundings(v.Shape.DType))
		pairs := v.Shape.DType == tensor.C64 || v.Shape.DType == tensor.C128
		for i := range x {
			product := x[i] * y[i]
			if magnitude += math.Abs(product); pairs && i%2 == 1 {
				product = -product
			}
			sum += product
		}
	}
	return sum, magnitude, tolerance, true
}
