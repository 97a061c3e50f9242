package builder

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Quantization describes how integers represent real numbers: (stored - zero point) *
// scale. The MLIR library must have the quant dialect; the default one and IREE's have it.
// Parameters and results of a program are no quantized numbers: see Quantize and Dequantize.
type Quantization struct {
	Storage    tensor.DType // integer type, for example tensor.S8
	Expressed  tensor.DType // type of the real numbers; the zero value means tensor.F32
	Scales     []float64    // one, or one for each index of an axis
	ZeroPoints []int64      // as many as Scales; none means zeros
	Axis       int          // used if there is more than one scale
}

// Quantize returns x, an array of floating point numbers, as a quantized array.
func Quantize(x Value, q Quantization) Value {
	s := begin("uniform_quantize", x)
	if !s.ok {
		return s.none()
	}
	if q.Storage == tensor.Invalid {
		return s.fail("Quantization.Storage is not set: use an integer type, for example tensor.S8")
	}
	element := s.quantized(q)
	if !s.ok {
		return s.none()
	}
	return s.one(
		stablehlo.UniformQuantizeOp{Operand: x.v, ResultType: s.inferred(stablehlo.ConvertType(x.v.Type(), element))})
}

// Dequantize returns the real numbers of a quantized array as floating point numbers.
func Dequantize(x Value) Value {
	s := begin("uniform_dequantize", x)
	return s.one(stablehlo.UniformDequantizeOp{Operand: x.v})
}

// quantized returns the quantized element type.
func (s *step) quantized(q Quantization) mlir.Type {
	if q.Expressed == tensor.Invalid {
		q.Expressed = tensor.F32
	}
	storage, expressed := s.element(q.Storage), s.element(q.Expressed)
	if !s.ok {
		return mlir.Type{}
	}
	bits, signedness, ok := storage.IntegerWidth()
	if !ok {
		s.fail("the stored type %s is not an integer type: use for example tensor.S8", q.Storage)
		return mlir.Type{}
	}
	return s.inferred(stablehlo.Quantized{
		Bits: bits, Unsigned: signedness == mlir.Unsigned, Expressed: expressed,
		Scales: q.Scales, ZeroPoints: q.ZeroPoints, PerAxis: len(q.Scales) > 1, Axis: q.Axis,
	}.Type(s.f.b.ctx))
}
