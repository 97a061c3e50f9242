package chlo

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

type (
	body  = mlirtest.Body
	types = []string
)

var samples = func() (list []mlirtest.Sample) {
	add := func(name string, operands types, make func(b *body) mlirtest.Made) {
		list = append(list, mlirtest.Sample{Name: "chlo." + name, Operand: operands, Make: make})
	}
	floats := types{"tensor<2xf32>"}
	unary := func(name string, make func(v mlir.Value) mlirtest.Made) {
		add(name, floats, func(b *body) mlirtest.Made { return make(b.In[0]) })
	}
	unary("acos", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(AcosOp{Operand: v}, AsAcos) })
	unary("acosh", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(AcoshOp{Operand: v}, AsAcosh) })
	unary("asin", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(AsinOp{Operand: v}, AsAsin) })
	unary("asinh", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(AsinhOp{Operand: v}, AsAsinh) })
	unary("atan", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(AtanOp{Operand: v}, AsAtan) })
	unary("atanh", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(AtanhOp{Operand: v}, AsAtanh) })
	unary("bessel_i1e", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(BesselI1eOp{Operand: v}, AsBesselI1e) })
	unary("conj", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(ConjOp{Operand: v}, AsConj) })
	unary("cosh", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(CoshOp{Operand: v}, AsCosh) })
	unary("digamma", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(DigammaOp{Operand: v}, AsDigamma) })
	unary("erf_inv", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(ErfInvOp{Operand: v}, AsErfInv) })
	unary("erf", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(ErfOp{Operand: v}, AsErf) })
	unary("erfc", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(ErfcOp{Operand: v}, AsErfc) })
	unary("is_inf", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(IsInfOp{Operand: v}, AsIsInf) })
	unary("is_neg_inf", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(IsNegInfOp{Operand: v}, AsIsNegInf) })
	unary("is_pos_inf", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(IsPosInfOp{Operand: v}, AsIsPosInf) })
	unary("lgamma", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(LgammaOp{Operand: v}, AsLgamma) })
	unary("sinh", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(SinhOp{Operand: v}, AsSinh) })
	unary("square", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(SquareOp{Operand: v}, AsSquare) })
	unary("tan", func(v mlir.Value) mlirtest.Made { return mlirtest.Of(TanOp{Operand: v}, AsTan) })
	unary("constant_like", func(v mlir.Value) mlirtest.Made {
		c := v.Type().Context()
		return mlirtest.Of(ConstantLikeOp{Operand: v, Value: c.FloatAttribute(c.F32Type(), 2)}, AsConstantLike)
	})
	add("_asin_acos_kernel", types{"tensor<2xcomplex<f32>>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(AsinAcosKernelOp{Operand: b.In[0]}, AsAsinAcosKernel)
	})

	binary := func(name, element string, make func(v, w mlir.Value) mlirtest.Made) {
		add(name, types{"tensor<2x" + element + ">", "tensor<2x" + element + ">"},
			func(b *body) mlirtest.Made { return make(b.In[0], b.In[1]) })
	}
	binary("next_after", "f32",
		func(v, w mlir.Value) mlirtest.Made { return mlirtest.Of(NextAfterOp{X: v, Y: w}, AsNextAfter) })
	binary("polygamma", "f32",
		func(v, w mlir.Value) mlirtest.Made { return mlirtest.Of(PolygammaOp{N: v, X: w}, AsPolygamma) })
	binary("zeta", "f32", func(v, w mlir.Value) mlirtest.Made { return mlirtest.Of(ZetaOp{X: v, Q: w}, AsZeta) })

	broadcasting := func(name, element string, make func(v, w mlir.Value, d []int64) mlirtest.Made) {
		add(name, types{"tensor<2x3x" + element + ">", "tensor<3x" + element + ">"},
			func(b *body) mlirtest.Made { return make(b.In[0], b.In[1], []int64{1}) })
		add(name, types{"tensor<2x3x" + element + ">", "tensor<" + element + ">"},
			func(b *body) mlirtest.Made { return make(b.In[0], b.In[1], nil) })
	}
	broadcasting("broadcast_add", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastAddOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastAdd)
	})
	broadcasting("broadcast_and", "i1", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastAndOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastAnd)
	})
	broadcasting("broadcast_atan2", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastAtan2Op{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastAtan2)
	})
	broadcasting("broadcast_compare", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		o := BroadcastCompareOp{LHS: v, RHS: w, BroadcastDimensions: d, ComparisonDirection: CompareGT}
		if d != nil {
			o.CompareType = CompareFloat
		}
		return mlirtest.Of(o, AsBroadcastCompare)
	})
	broadcasting("broadcast_complex", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastComplexOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastComplex)
	})
	broadcasting("broadcast_divide", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastDivideOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastDivide)
	})
	broadcasting("broadcast_maximum", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastMaximumOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastMaximum)
	})
	broadcasting("broadcast_minimum", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastMinimumOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastMinimum)
	})
	broadcasting("broadcast_multiply", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastMultiplyOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastMultiply)
	})
	broadcasting("broadcast_next_after", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastNextAfterOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastNextAfter)
	})
	broadcasting("broadcast_or", "i8", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastOrOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastOr)
	})
	broadcasting("broadcast_polygamma", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastPolygammaOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastPolygamma)
	})
	broadcasting("broadcast_power", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastPowerOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastPower)
	})
	broadcasting("broadcast_remainder", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastRemainderOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastRemainder)
	})
	broadcasting("broadcast_shift_left", "i32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastShiftLeftOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastShiftLeft)
	})
	broadcasting("broadcast_shift_right_arithmetic", "i32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastShiftRightArithmeticOp{LHS: v, RHS: w, BroadcastDimensions: d},
			AsBroadcastShiftRightArithmetic)
	})
	broadcasting("broadcast_shift_right_logical", "i32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastShiftRightLogicalOp{LHS: v, RHS: w, BroadcastDimensions: d},
			AsBroadcastShiftRightLogical)
	})
	broadcasting("broadcast_subtract", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastSubtractOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastSubtract)
	})
	broadcasting("broadcast_xor", "i32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastXorOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastXor)
	})
	broadcasting("broadcast_zeta", "f32", func(v, w mlir.Value, d []int64) mlirtest.Made {
		return mlirtest.Of(BroadcastZetaOp{LHS: v, RHS: w, BroadcastDimensions: d}, AsBroadcastZeta)
	})
	add("broadcast_select", types{"tensor<i1>", "tensor<2xf32>", "tensor<f32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(BroadcastSelectOp{Pred: b.In[0], OnTrue: b.In[1], OnFalse: b.In[2]}, AsBroadcastSelect)
	})

	add("constant", nil, func(b *body) mlirtest.Made {
		return mlirtest.Of(ConstantOp{Value: b.Attribute("dense<[1.0, 2.0]> : tensor<2xf32>")}, AsConstant)
	})
	add("mulhi", types{"tensor<2xi32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(MulhiOp{LHS: b.In[0], RHS: b.In[0]}, AsMulhi)
	})
	add("scan", types{"tensor<3x8xf32>", "tensor<3xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(ScanOp{
			Inputs: b.In[:1], Inits: b.In[1:], Dimension: 1, IsReverse: true,
			Body: b.Region(types{"tensor<3xf32>", "tensor<3xf32>"},
				func(_ mlir.Block, in []mlir.Value) []mlir.Value { return []mlir.Value{in[0], in[1]} }),
			OutputsTypes: []mlir.Type{b.Type("tensor<3x8xf32>")}, CarriesTypes: []mlir.Type{b.Type("tensor<3xf32>")},
		}, AsScan)
	})
	add("ragged_dot", types{"tensor<11x5xf32>", "tensor<3x5x7xf32>", "tensor<3xi64>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(RaggedDotOp{
			LHS: b.In[0], RHS: b.In[1], GroupSizes: b.In[2],
			RaggedDotDimensionNumbers: RaggedDotDimensionNumbers{
				LHSContractingDimensions: []int64{1}, RHSContractingDimensions: []int64{1},
				LHSRaggedDimensions: []int64{0}, RHSGroupDimensions: []int64{0},
			},
			PrecisionConfig: []Precision{PrecisionHigh, PrecisionDefault},
			ResultType:      b.Type("tensor<11x7xf32>"),
		}, AsRaggedDot)
	})
	add("top_k", types{"tensor<3x8xf32>"}, func(b *body) mlirtest.Made {
		return mlirtest.Of(TopKOp{Operand: b.In[0], K: 2}, AsTopK)
	})
	return list
}()

// TestEveryOperation makes each operation from its struct, prints it and parses it.
func TestEveryOperation(t *testing.T) {
	check.NoRaces(t)
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		if c.LoadDialect("chlo") != nil {
			return // the upstream library
		}
		for _, s := range samples {
			t.Run(s.Name, func(t *testing.T) { s.RoundTrip(t, c) })
		}
	})
}

// TestSamplesAreComplete checks that every operation of the dialect has a sample.
func TestSamplesAreComplete(t *testing.T) {
	mlirtest.Complete(t, operationNames, samples)
}
