package builder

import (
	"errors"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/quant"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Quantization says how integers stand for real numbers: (stored - zero point) * scale.
// The MLIR library must have the quant dialect; the default one lacks it, and the error
// says so.
type Quantization struct {
	Storage    tensor.DType // the integers, for example tensor.S8
	Expressed  tensor.DType // what they stand for; the zero value is tensor.F32
	Scales     []float64    // one, or one for each index of an axis
	ZeroPoints []int64      // as many; none are zeros
	Axis       int          // where there is more than one scale
}

// Quantize is x, of floating point numbers, as a quantized array.
func Quantize(x Value, q Quantization) Value {
	s := begin("uniform_quantize", x)
	if !s.ok {
		return s.none()
	}
	element := s.quantized(q)
	if !s.ok {
		return s.none()
	}
	return s.one(stablehlo.UniformQuantize{Operand: x.v, Result: s.inferred(stablehlo.ConvertType(x.v.Type(), element))})
}

// Dequantize is what a quantized array stands for, as floating point numbers.
func Dequantize(x Value) Value {
	s := begin("uniform_dequantize", x)
	return s.one(stablehlo.UniformDequantize{Operand: x.v})
}

// quantized is the element type.
func (s *step) quantized(q Quantization) mlir.Type {
	t, err := q.element(s.f.b.ctx)
	if errors.Is(err, mlir.ErrUnsupported) {
		s.fail("the MLIR library that is open has no quantized types; IREE's has (native.IREE): %w", err)
		return mlir.Type{}
	}
	return s.inferred(t, err)
}

func (q Quantization) element(ctx *mlir.Context) (mlir.Type, error) {
	storage := quant.Storage{}
	integer, err := stablehlo.ElementType(ctx, q.Storage)
	if err != nil {
		return mlir.Type{}, err
	}
	width, signedness, ok := integer.IntegerWidth()
	if !ok || q.Storage == tensor.Pred {
		return mlir.Type{}, errors.New("Quantization.Storage is no integer type: use for example tensor.S8")
	}
	storage.Integer, storage.Unsigned = ctx.IntegerType(width, mlir.Signless), signedness == mlir.Unsigned
	if q.Expressed == tensor.Invalid {
		q.Expressed = tensor.F32
	}
	expressed, err := stablehlo.ElementType(ctx, q.Expressed)
	if err != nil {
		return mlir.Type{}, err
	}
	zeros := q.ZeroPoints
	if len(zeros) == 0 {
		zeros = make([]int64, len(q.Scales))
	}
	if len(q.Scales) == 0 || len(zeros) != len(q.Scales) {
		return mlir.Type{}, errors.New("Quantization needs a scale, and as many zero points as scales, or none")
	}
	if len(q.Scales) == 1 {
		return quant.Uniform{Storage: storage, Expressed: expressed, Scale: q.Scales[0], ZeroPoint: zeros[0]}.Type(ctx)
	}
	return quant.PerAxis{Storage: storage, Expressed: expressed, Axis: q.Axis, Scales: q.Scales, ZeroPoints: zeros}.Type(ctx)
}
