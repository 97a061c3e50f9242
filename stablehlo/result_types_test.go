package stablehlo

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestResultTypes(t *testing.T) {
	c := mlirtest.Context(t)
	typ := func(text string) mlir.Type { return mlirtest.Type(c, text) }
	const dyn = mlir.Dynamic
	dot := func(lb, rb, lc, rc []int64) DotDimensionNumbers { return DotDimensionNumbers{lb, rb, lc, rc} }
	conv := func(lhs, rhs string, change func(*ConvolutionOp)) (mlir.Type, error) {
		in := values(t, c, lhs, rhs)
		o := ConvolutionOp{LHS: in[0], RHS: in[1], DimensionNumbers: nhwc, FeatureGroupCount: 1, BatchGroupCount: 1}
		if change != nil {
			change(&o)
		}
		return ConvolutionType(o, mlir.Type{})
	}
	tests := []struct {
		name string
		make func() (mlir.Type, error)
		want string // the type, or a part of the error
	}{
		{"reshape", func() (mlir.Type, error) { return ReshapeType(typ("tensor<2x3xf32>"), 6, 1) }, "tensor<6x1xf32>"},
		{"reshape to a scalar", func() (mlir.Type, error) { return ReshapeType(typ("tensor<1x1xf32>")) },
			"tensor<f32>"},
		{"reshape of nothing", func() (mlir.Type, error) { return ReshapeType(typ("tensor<0x3xf32>"), 7, 0) },
			"tensor<7x0xf32>"},
		{"reshape to another size", func() (mlir.Type, error) { return ReshapeType(typ("tensor<2x3xf32>"), 5) },
			"has 6 elements, and [5] would have 5"},
		{"reshape of unknown", func() (mlir.Type, error) { return ReshapeType(typ("tensor<?x3xf32>"), 5) },
			"tensor<5xf32>"},
		{"reshape of what overflows", func() (mlir.Type, error) {
			return ReshapeType(typ("tensor<4611686018427387904x4xf32>"), 5)
		}, "tensor<5xf32>"},
		{"reshape of a token", func() (mlir.Type, error) { return ReshapeType(typ("!stablehlo.token"), 5) },
			"the operand must be a ranked tensor, not !stablehlo.token"},
		{"reshape of no type", func() (mlir.Type, error) { return ReshapeType(mlir.Type{}, 5) },
			"the operand must be a ranked tensor, not nothing"},
		{"reshape to a negative size", func() (mlir.Type, error) { return ReshapeType(typ("tensor<?xf32>"), -5) },
			"-5"},

		{"broadcast", func() (mlir.Type, error) {
			return BroadcastInDimType(typ("tensor<1x3xi8>"), []int64{2, 0}, 3, 4, 5)
		}, "tensor<3x4x5xi8>"},
		{"broadcast of unknown", func() (mlir.Type, error) {
			return BroadcastInDimType(typ("tensor<?xi8>"), []int64{1}, dyn, 4)
		}, "tensor<?x4xi8>"},
		{"broadcast of another size", func() (mlir.Type, error) {
			return BroadcastInDimType(typ("tensor<3xi8>"),
				[]int64{0}, 4)
		}, "dimension 0 of the operand has the size 3, which cannot become the size 4"},
		{"broadcast twice to one", func() (mlir.Type, error) {
			return BroadcastInDimType(typ("tensor<3x3xi8>"),
				[]int64{0, 0}, 3)
		}, "broadcast dimension 0 is given twice"},
		{"broadcast to none", func() (mlir.Type, error) {
			return BroadcastInDimType(typ("tensor<3xi8>"), []int64{1},
				3)
		}, "there is no broadcast dimension 1 among 1 dimensions"},
		{"broadcast of too many", func() (mlir.Type, error) { return BroadcastInDimType(typ("tensor<3xi8>"), nil, 3) },
			"has 1 dimensions, but 0 broadcast dimensions"},

		{"iota", func() (mlir.Type, error) { return IotaType(typ("i32"), 1, 2, 3) }, "tensor<2x3xi32>"},
		{"iota along nothing", func() (mlir.Type, error) { return IotaType(typ("i32"), 0) }, "there is no dimension 0"},
		{"iota of no type", func() (mlir.Type, error) { return IotaType(mlir.Type{}, 0, 1) },
			"the element type is missing"},

		{"convert", func() (mlir.Type, error) { return ConvertType(typ("tensor<2x?xf32>"), typ("i1")) },
			"tensor<2x?xi1>"},
		{"convert with a bound", func() (mlir.Type, error) {
			return ConvertType(typ("tensor<2x?xf32, #stablehlo.bounds<?, 4>>"), typ("i1"))
		}, "tensor<2x?xi1, #stablehlo.bounds<?, 4>>"},
		{"convert to no type", func() (mlir.Type, error) { return ConvertType(typ("tensor<2xf32>"), mlir.Type{}) },
			"needs an element type"},

		{"same bits", func() (mlir.Type, error) { return BitcastConvertType(typ("tensor<2xf32>"), typ("i32")) },
			"tensor<2xi32>"},
		{"fewer bits", func() (mlir.Type, error) { return BitcastConvertType(typ("tensor<2xf64>"), typ("i16")) },
			"tensor<2x4xi16>"},
		{"more bits", func() (mlir.Type, error) { return BitcastConvertType(typ("tensor<2x4xi16>"), typ("f64")) },
			"tensor<2xf64>"},
		{"more bits of a complex number", func() (mlir.Type, error) {
			return BitcastConvertType(typ("tensor<2xf32>"), typ("complex<f32>"))
		}, "tensor<complex<f32>>"},
		{"more bits of too few", func() (mlir.Type, error) {
			return BitcastConvertType(typ("tensor<3xi16>"), typ("f64"))
		}, "needs a last dimension of the size 4"},
		{"more bits of a scalar", func() (mlir.Type, error) {
			return BitcastConvertType(typ("tensor<i16>"), typ("f64"))
		}, "needs a last dimension of the size 4"},
		{"bits that do not divide", func() (mlir.Type, error) {
			return BitcastConvertType(typ("tensor<i16>"),
				typ("i24"))
		}, "the 16 bits of i16 and the 24 of i24 do not divide each other"},
		{"bits of an index", func() (mlir.Type, error) { return BitcastConvertType(typ("tensor<i16>"), typ("index")) },
			"the bit width of i16 or of index is not known"},
		{"bits of no type", func() (mlir.Type, error) { return BitcastConvertType(typ("tensor<i16>"), mlir.Type{}) },
			"the element type is missing"},

		{"all_gather", func() (mlir.Type, error) { return AllGatherType(typ("tensor<2x3xf32>"), 1, 4) },
			"tensor<2x12xf32>"},
		{"all_gather of unknown", func() (mlir.Type, error) {
			return AllGatherType(typ("tensor<2x?xf32, #stablehlo.bounds<?, 4>>"), 1, 4)
		}, "tensor<2x?xf32>"},
		{"all_gather of none", func() (mlir.Type, error) { return AllGatherType(typ("tensor<2xf32>"), 0, 0) },
			"a group must have at least one device, not 0"},
		{"all_gather along none", func() (mlir.Type, error) { return AllGatherType(typ("tensor<2xf32>"), 1, 2) },
			"there is no all-gather dimension 1"},
		{"all_gather of too much", func() (mlir.Type, error) {
			return AllGatherType(typ("tensor<4611686018427387904xf32>"), 0, 3)
		}, "too large"},
		{"reduce_scatter", func() (mlir.Type, error) { return ReduceScatterType(typ("tensor<2x12xf32>"), 1, 4) },
			"tensor<2x3xf32>"},
		{"reduce_scatter that does not divide", func() (mlir.Type, error) {
			return ReduceScatterType(typ("tensor<2x12xf32>"), 1, 5)
		}, "is not divisible by 5 devices"},
		{"reduce_scatter of unknown",
			func() (mlir.Type, error) { return ReduceScatterType(typ("tensor<?xf32>"), 0, 5) }, "tensor<?xf32>"},

		{"dot_general", func() (mlir.Type, error) {
			return DotGeneralType(typ("tensor<2x3x4xf32>"), typ("tensor<4x2x5xf32>"),
				dot([]int64{0}, []int64{1}, []int64{2}, []int64{0}), mlir.Type{})
		}, "tensor<2x3x5xf32>"},
		{"dot_general, each knows something", func() (mlir.Type, error) {
			return DotGeneralType(typ("tensor<?x3x4xi8>"), typ("tensor<2x?x5xi8>"),
				dot([]int64{0}, []int64{0}, []int64{2}, []int64{1}), typ("i32"))
		}, "tensor<2x3x5xi32>"},
		{"dot_general with bounds", func() (mlir.Type, error) {
			return DotGeneralType(typ("tensor<?x4xf32, #stablehlo.bounds<9, ?>>"), typ("tensor<4xf32>"),
				dot(nil, nil, []int64{1}, []int64{0}), mlir.Type{})
		}, "tensor<?xf32, #stablehlo.bounds<9>>"},
		{"dot_general of other sizes", func() (mlir.Type, error) {
			return DotGeneralType(typ("tensor<3xf32>"), typ("tensor<4xf32>"), dot(nil, nil, []int64{0}, []int64{0}),
				mlir.Type{})
		}, "the contracting dimensions 0 of tensor<3xf32> and 0 of tensor<4xf32> differ in size"},
		{"dot_general with one list", func() (mlir.Type, error) {
			return DotGeneralType(typ("tensor<3xf32>"), typ("tensor<4xf32>"), dot(nil, nil, []int64{0}, nil),
				mlir.Type{})
		}, "1 contracting dimensions of lhs and 0 of rhs"},
		{"dot_general with a dimension twice", func() (mlir.Type, error) {
			return DotGeneralType(typ("tensor<3x3xf32>"), typ("tensor<3x3xf32>"),
				dot([]int64{0}, []int64{0}, []int64{0}, []int64{1}), mlir.Type{})
		}, "contracting dimension of lhs 0 is given twice"},
		{"dot_general with no such dimension", func() (mlir.Type, error) {
			return DotGeneralType(typ("tensor<3xf32>"), typ("tensor<3xf32>"), dot(nil, nil, []int64{0}, []int64{-1}),
				mlir.Type{})
		}, "there is no contracting dimension of rhs -1"},
		{"dot of matrices", func() (mlir.Type, error) {
			return DotType(typ("tensor<2x3xf32>"), typ("tensor<3x4xf32>"), mlir.Type{})
		}, "tensor<2x4xf32>"},
		{"dot of vectors", func() (mlir.Type, error) {
			return DotType(typ("tensor<3xf32>"), typ("tensor<3xf32>"), typ("f64"))
		}, "tensor<f64>"},
		{"dot of scalars", func() (mlir.Type, error) {
			return DotType(typ("tensor<f32>"), typ("tensor<3xf32>"), mlir.Type{})
		}, "vectors or matrices"},

		{"convolution", func() (mlir.Type, error) { return conv("tensor<1x8x9x4xf32>", "tensor<3x3x4x6xf32>", nil) },
			"tensor<1x6x7x6xf32>"},
		{"convolution with everything", func() (mlir.Type, error) {
			return conv("tensor<4x8x8x4xf32>", "tensor<3x3x4x6xf32>", func(o *ConvolutionOp) {
				o.WindowStrides, o.Padding = []int64{2, 1}, [][2]int64{{1, 1}, {0, 2}}
				o.LHSDilation, o.RHSDilation, o.BatchGroupCount = []int64{1, 2}, []int64{2, 1}, 2
			})
		}, "tensor<2x3x15x6xf32>"},
		{"convolution of too little", func() (mlir.Type, error) {
			return conv("tensor<1x2x8x4xf32>", "tensor<3x3x4x6xf32>", nil)
		}, "tensor<1x0x6x6xf32>"},
		{"convolution of unknown", func() (mlir.Type, error) {
			return conv("tensor<?x?x?x4xf32, #stablehlo.bounds<7, 8, ?, ?>>", "tensor<3x3x4x6xf32>", nil)
		}, "tensor<?x?x?x6xf32, #stablehlo.bounds<7, 6, ?, ?>>"},
		{"convolution in groups that do not divide", func() (mlir.Type, error) {
			return conv("tensor<3x8x8x4xf32>", "tensor<3x3x4x6xf32>", func(o *ConvolutionOp) { o.BatchGroupCount = 2 })
		}, "a batch of 3 is not divisible into 2 groups"},
		{"convolution with a stride of zero", func() (mlir.Type, error) {
			return conv("tensor<3x8x8x4xf32>", "tensor<3x3x4x6xf32>",
				func(o *ConvolutionOp) { o.WindowStrides = []int64{1, 0} })
		}, "window strides must have 2 numbers above zero"},
		{"convolution with too little padding", func() (mlir.Type, error) {
			return conv("tensor<3x8x8x4xf32>", "tensor<3x3x4x6xf32>",
				func(o *ConvolutionOp) { o.Padding = [][2]int64{{1, 1}} })
		}, "padding must have 2 pairs, but has 1"},
		{"convolution of vectors", func() (mlir.Type, error) { return conv("tensor<3xf32>", "tensor<3xf32>", nil) },
			"do not match 2, 2 and 2 spatial dimensions"},
		{"convolution of nothing", func() (mlir.Type, error) { return ConvolutionType(ConvolutionOp{}, mlir.Type{}) },
			"an operand is missing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.make()
			if err != nil {
				check.Error(t, err, test.want)
				return
			}
			check.Diff(t, "type", test.want, got.String())
		})
	}
}

func TestBounds(t *testing.T) {
	c := mlirtest.Context(t)
	for _, text := range []string{"tensor<f32>", "tensor<2x?xf32>", "tensor<2x?xf32, #stablehlo.bounds<?, 4>>",
		"tensor<?x?xi1, #stablehlo.bounds<3, 4>>"} {
		typ := mlirtest.Type(c, text)
		dims, ok := DimensionsOf(typ)
		if !ok {
			t.Fatalf("%s has no dimensions", text)
		}
		element, _ := typ.Element()
		back, err := BoundedTensorType(c, element, dims...)
		check.NoError(t, err)
		check.Diff(t, "made again", text, back.String())
	}
	if dims, ok := DimensionsOf(mlirtest.Type(c, "tensor<*xf32>")); ok {
		t.Errorf("an unranked tensor has the dimensions %v", dims)
	}
	_, err := BoundedTensorType(c, c.F32Type(), Dimension{3, 4})
	check.Error(t, err, "dimension 0 has the size 3: only a dynamic dimension has a bound")
	_, err = BoundedTensorType(c, c.F32Type(), Dimension{mlir.Dynamic, -4})
	check.Error(t, err, "a bound of -4 is not a size")
}

// TestQuantized makes and reads quantized types.
func TestQuantized(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		f32 := c.F32Type()
		for text, q := range map[string]Quantized{
			"!quant.uniform<i8:f32, 5.000000e-01:3>": {Bits: 8, Expressed: f32,
				Scales: []float64{0.5}, ZeroPoints: []int64{3}},
			"!quant.uniform<i8:f32, 2.000000e+00>": {Bits: 8, Expressed: f32,
				Scales: []float64{2}, ZeroPoints: []int64{0}},
			"!quant.uniform<u8:f32, 1.000000e-01:128>": {Bits: 8, Unsigned: true,
				Expressed: f32, Scales: []float64{0.1}, ZeroPoints: []int64{128}},
			"!quant.uniform<i8<-127:127>:f32, 5.000000e-01>": {Bits: 8, Min: -127, Max: 127,
				Expressed: f32, Scales: []float64{0.5}, ZeroPoints: []int64{0}},
			"!quant.uniform<i4:f32:1, {5.000000e-01:3,2.500000e-01,1.000000e+00:-1}>": {Bits: 4, Expressed: f32,
				PerAxis: true, Axis: 1, Scales: []float64{0.5, 0.25, 1}, ZeroPoints: []int64{3, 0, -1}},
		} {
			typ, err := q.Type(c)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if want := mlirtest.Type(c, text); !want.Equal(typ) {
				t.Errorf("the type is %s, want %s", typ, want)
			}
			tensor := check.Must(c.TensorType(typ, 2))
			if !IsQuantized(typ) || !IsQuantized(tensor) {
				t.Errorf("%s is not quantized", typ)
			}
			read, ok := AsQuantized(typ)
			if !ok {
				t.Errorf("%s is not read", typ)
			}
			check.Diff(t, typ.String(), q.String(), read.String())
		}
		if IsQuantized(f32) {
			t.Errorf("%s is quantized", f32)
		}
		if q, ok := AsQuantized(f32); ok {
			t.Errorf("f32 is read as %v", q)
		}
		if q, ok := AsQuantized(mlir.Type{}); ok {
			t.Errorf("the nil type is read as %v", q)
		}
		for want, q := range map[string]Quantized{
			"needs the float type": {Bits: 8, Scales: []float64{1}},
			"not 7":                {Bits: 7, Expressed: f32, Scales: []float64{1}},
			"as many zero points as scales": {Bits: 8, Expressed: f32, Scales: []float64{1},
				ZeroPoints: []int64{1, 2}},
			"one scale":                      {Bits: 8, Expressed: f32, Scales: []float64{1, 2}},
			"at least one, not 0":            {Bits: 8, Expressed: f32, PerAxis: true},
			"-1 is not an axis":              {Bits: 8, Expressed: f32, PerAxis: true, Axis: -1, Scales: []float64{1}},
			"a scale of 0 is not above zero": {Bits: 8, Expressed: f32, Scales: []float64{0}},
		} {
			_, err := q.Type(c)
			check.Error(t, err, want)
		}
	})
}
