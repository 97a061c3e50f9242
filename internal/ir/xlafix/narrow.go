package xlafix

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// NarrowUnsigned makes signed integers narrower by way of the unsigned integers of the narrower width, which keeps
// their bits. It does so for the types that a bitwise and or or of the module has: the code generator of a plugin
// crashes on such an operation of an array that was made narrower as a signed one. It returns the number of
// conversions that it changed.
func NarrowUnsigned(m *mlir.Module) (int, error) { return narrowUnsigned(m, m.Operation().Index()) }

func narrowUnsigned(m *mlir.Module, index *mlir.Index) (n int, err error) {
	bitwise := map[mlir.Type]bool{}
	for op := range index.Named(andOr...) {
		element, _ := op.Result(0).Type().Element()
		bitwise[element] = true
	}
	for op := range index.Named("stablehlo.convert") {
		t := op.Result(0).Type()
		element, _ := t.Element()
		from, _ := op.Operand(0).Type().Element()
		width, sign, ok := element.IntegerWidth()
		wider, fromSign, fromOK := from.IntegerWidth()
		if !bitwise[element] || !ok || !fromOK || width == 1 || wider <= width || sign == mlir.Unsigned ||
			fromSign == mlir.Unsigned {
			continue
		}
		unsigned, err := withElement(t, m.Context().IntegerType(width, mlir.Unsigned))
		if err != nil {
			return n, err
		}
		e := before(op)
		bits := stablehlo.Convert(e.Builder, unsigned, op.Operand(0))
		if e.Cause() != nil {
			return n, e.Cause()
		}
		op.SetOperand(0, bits)
		n++
	}
	return n, nil
}

var andOr = []string{"stablehlo.and", "stablehlo.or"}

// withElement returns the type of an array with other elements.
func withElement(t, element mlir.Type) (mlir.Type, error) {
	dims, ranked := t.Dims()
	encoding, encoded := t.Encoding()
	switch {
	case !ranked:
		return t.Context().UnrankedTensorType(element)
	case encoded:
		return t.Context().EncodedTensorType(element, encoding, dims...)
	}
	return t.Context().TensorType(element, dims...)
}
