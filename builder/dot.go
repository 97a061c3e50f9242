package builder

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// DotOptions are the options of DotGeneral.
type DotOptions struct {
	Contract  [][2]int                // pairs of axes of x and y that are summed over
	Batch     [][2]int                // pairs of axes of x and y that form the batch, the first axes of the result
	Result    tensor.DType            // of the sums of products; the zero value is the operands' type
	Quantized *Quantization           // of the result, if the operands are quantized
	Precision stablehlo.Precision     // of the operands; "" leaves it to the compiler
	Algorithm *stablehlo.DotAlgorithm // nil leaves it to the compiler
}

// Dot returns the matrix product: [m,k] by [k,n] is [m,n]. A vector is a row on the left
// and a column on the right; the result lacks its axis. Leading axes of both operands with
// equal dimensions are a batch: [b,m,k] by [b,k,n] is [b,m,n]. If y has no batch, x may
// have any number of leading axes: [a,b,k] by [k,n] is [a,b,n].
func Dot(x, y Value) Value {
	s := begin("dot", x, y)
	if !s.ok {
		return s.none()
	}
	xRank, yRank := rankOf(x), rankOf(y)
	if xRank == 0 || yRank == 0 {
		return s.fail("a scalar has no axis to sum over: use Mul")
	}
	var o DotOptions
	switch {
	case yRank <= 2:
	case xRank == yRank:
		for i := range yRank - 2 {
			o.Batch = append(o.Batch, [2]int{i, i})
		}
	default:
		return s.fail("cannot multiply arrays of %d and %d dimensions: use DotGeneral and name the axes", xRank, yRank)
	}
	o.Contract = [][2]int{{xRank - 1, max(yRank-2, 0)}}
	return s.dot(x, y, o)
}

// DotGeneral multiplies x and y element by element along the paired axes, and sums over the
// pairs in o.Contract. The result has the batch axes, then the remaining axes of x, then
// the remaining axes of y.
func DotGeneral(x, y Value, o DotOptions) Value {
	s := begin("dot_general", x, y)
	if !s.ok {
		return s.none()
	}
	return s.dot(x, y, o)
}

func (s *step) dot(x, y Value, o DotOptions) Value {
	var d stablehlo.DotDimensionNumbers
	d.LHSBatchingDimensions, d.RHSBatchingDimensions = s.pairs(o.Batch, x, y)
	d.LHSContractingDimensions, d.RHSContractingDimensions = s.pairs(o.Contract, x, y)
	element := s.element(o.Result)
	if o.Quantized != nil {
		element = s.quantized(*o.Quantized)
	}
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.DotGeneralOp{
		LHS: x.v, RHS: y.v, DotDimensionNumbers: d, PrecisionConfig: both(o.Precision), Algorithm: o.Algorithm,
		ResultType: s.inferred(stablehlo.DotGeneralType(x.v.Type(), y.v.Type(), d, element)),
	})
}

// pairs returns the axes of x and of y in list.
func (s *step) pairs(list [][2]int, x, y Value) (ofX, ofY []int64) {
	ofX, ofY = make([]int64, len(list)), make([]int64, len(list))
	for i, pair := range list {
		ofX[i], ofY[i] = int64(s.axis(pair[0], rankOf(x))), int64(s.axis(pair[1], rankOf(y)))
	}
	return ofX, ofY
}

// both returns the precision for two operands.
func both(p stablehlo.Precision) []stablehlo.Precision {
	if p == "" {
		return nil
	}
	return []stablehlo.Precision{p, p}
}

// element returns an element type, or the nil Type for the zero DType.
func (s *step) element(d tensor.DType) mlir.Type {
	if d == tensor.Invalid {
		return mlir.Type{}
	}
	t, err := stablehlo.ElementType(s.f.b.ctx, d)
	return s.inferred(t, err)
}

// inferred returns t. If err is not nil, it ends the step with err.
func (s *step) inferred(t mlir.Type, err error) mlir.Type {
	if err != nil {
		s.fail("%w", err)
	}
	return t
}
