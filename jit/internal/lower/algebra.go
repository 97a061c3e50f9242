package lower

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/tensor"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// at returns an element of a tensor as one of rank 0, on which operations of StableHLO work whatever its type is.
func (e *emitter) at(v mlir.Value, place ...mlir.Value) mlir.Value {
	return e.pack(tensor.Extract(e.Builder, v, place...))
}

// put puts an element, a tensor of rank 0, into a tensor.
func (e *emitter) put(element, v mlir.Value, place ...mlir.Value) mlir.Value {
	return tensor.Insert(e.Builder, e.unpack(element), v, place...)
}

// conjugate returns the conjugate of a tensor.
func (e *emitter) conjugate(v mlir.Value) mlir.Value {
	if !isComplex(v) {
		return v
	}
	return stablehlo.Complex(e.Builder, stablehlo.Real(e.Builder, v),
		stablehlo.Negate(e.Builder, stablehlo.Imag(e.Builder, v)))
}

// isComplex reports whether the elements of a tensor are complex.
func isComplex(v mlir.Value) bool {
	elem, _ := v.Type().Element()
	if elem.IsNil() {
		return false // after an error
	}
	_, ok := elem.ComplexElement()
	return ok
}
