package builder_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestNumberOfEveryType adds a Go number to values of every element type.
func TestNumberOfEveryType(t *testing.T) {
	for _, d := range tensor.DTypes() {
		t.Run(d.String(), func(t *testing.T) {
			for _, shape := range []tensor.Shape{tensor.ShapeOf(d), tensor.ShapeOf(d, 3), tensor.ShapeOf(d, 0),
				tensor.ShapeOf(d, -1)} {
				b := newBuilder(t)
				f := b.Func("main", shape)
				x := f.Param(0)
				if d == tensor.F8E8M0FNU { // it has no zero
					f.Return(builder.OnesLike(x))
				} else {
					f.Return(builder.ZerosLike(x), builder.OnesLike(x))
				}
				m := finish(t, b)
				for i, c := range mlirtest.Find(m, "stablehlo.constant") {
					a, _ := c.Attribute("value")
					typ, _ := a.Type()
					if element, _ := typ.Element(); element.String() != d.MLIR() {
						t.Errorf("constant %d of %s has elements of type %s", i, shape, element)
					}
				}
			}
		})
	}
}

// TestNumbersWithoutPlace tests, for each floating point type, the greatest number that it
// can represent and one that it cannot.
func TestNumbersWithoutPlace(t *testing.T) {
	inf, nan := math.Inf(-1), math.NaN()
	for d, numbers := range map[tensor.DType]struct{ has, not []float64 }{
		tensor.F64:       {[]float64{math.MaxFloat64, inf, nan}, nil},
		tensor.F32:       {[]float64{math.MaxFloat32, inf, nan}, []float64{1e39}},
		tensor.BF16:      {[]float64{3.3e38, inf, nan}, []float64{math.MaxFloat32}},
		tensor.F16:       {[]float64{65504, inf, nan}, []float64{-65536}},
		tensor.F8E5M2:    {[]float64{57344, inf, nan}, []float64{65536}},
		tensor.F8E4M3:    {[]float64{-240, inf, nan}, []float64{256}},
		tensor.F8E3M4:    {[]float64{15.5, inf, nan}, []float64{16}},
		tensor.F8E4M3FN:  {[]float64{448, nan}, []float64{480, inf}},
		tensor.F4E2M1FN:  {[]float64{-6}, []float64{8, inf, nan}},
		tensor.F8E8M0FNU: {[]float64{1, 0x1p127, 0x1p-127}, []float64{0, -1, 0x1p128, inf, nan}},
	} {
		add := func(v float64) (bits string, err error) {
			b := newBuilder(t)
			f := b.Func("main")
			f.Return(builder.Full(f, tensor.ShapeOf(d), v))
			m, err := b.Module()
			if err != nil {
				return "", err
			}
			value, _ := mlirtest.Find(m, "stablehlo.constant")[0].Attribute("value")
			return value.String(), nil
		}
		seen := map[string]float64{}
		for _, v := range numbers.has {
			text, err := add(v)
			if err != nil {
				t.Errorf("%v in %s: %v", v, d, err)
			}
			if other, ok := seen[text]; ok {
				t.Errorf("%v and %v are both %s", v, other, text)
			}
			seen[text] = v
		}
		for _, v := range numbers.not {
			if text, err := add(v); err == nil ||
				!strings.Contains(err.Error(), "cannot be represented in "+d.String()) {
				t.Errorf("%v in %s is %s, error %v", v, d, text, err)
			}
		}
	}
}

// TestConstantsSurvive writes constants as text, bytecode and a portable artifact, and
// reads them back. It uses constants that text could lose: NaNs with their bits,
// infinities, -0, the least subnormal numbers, and large constants.
func TestConstantsSurvive(t *testing.T) {
	odd := []float32{
		float32(math.NaN()), math.Float32frombits(0xffc00001), float32(math.Inf(-1)), float32(math.Copysign(0, -1)),
		math.SmallestNonzeroFloat32, math.MaxFloat32, 0.1, 1.0 / 3,
	}
	wide := []complex128{complex(math.NaN(), math.Inf(1)), complex(0.1, math.Copysign(0, -1))}
	large := make([]int16, 1<<14)
	for i := range large {
		large[i] = int16(i * i)
	}
	b := newBuilder(t)
	f := b.Func("main")
	f.Return(builder.Const(f, odd), builder.Const(f, wide), builder.Const(f, large, 1<<7, 1<<7),
		builder.Full(f, f32(3), math.NaN()))
	m := finish(t, b)
	bytecode, err := m.Bytecode()
	check.NoError(t, err)
	for name, data := range map[string][]byte{"text": []byte(m.String()), "bytecode": bytecode} {
		t.Run(name, func(t *testing.T) {
			read, err := mlirtest.Context(t).Parse("m", data)
			check.NoError(t, err)
			defer read.Close()
			constants := mlirtest.Find(read, "stablehlo.constant")
			same(t, odd, constants[0], math.Float32bits)
			same(t, wide, constants[1],
				func(c complex128) [2]uint64 { return [2]uint64{math.Float64bits(real(c)), math.Float64bits(imag(c))} })
			same(t, large, constants[2], func(i int16) int16 { return i })
		})
	}
}

// same compares a constant's elements by their bits.
func same[T mlir.DenseElement, B any](t *testing.T, want []T, op mlir.Operation, bits func(T) B) {
	t.Helper()
	value, _ := op.Attribute("value")
	elements, err := mlir.DenseOf[T](value)
	check.NoError(t, err)
	var w, g []B
	for _, v := range want {
		w = append(w, bits(v))
	}
	for _, v := range elements.All() {
		g = append(g, bits(v))
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
}
