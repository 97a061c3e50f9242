package tensor_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// The table is written out a second time, from the StableHLO specification and the
// names of XLA's primitive types.
var dtypeFacts = []struct {
	D          tensor.DType
	Name, MLIR string
	Bits, Size int
}{
	{tensor.Pred, "pred", "i1", 1, 1},
	{tensor.S2, "s2", "i2", 2, 1},
	{tensor.S4, "s4", "i4", 4, 1},
	{tensor.S8, "s8", "i8", 8, 1},
	{tensor.S16, "s16", "i16", 16, 2},
	{tensor.S32, "s32", "i32", 32, 4},
	{tensor.S64, "s64", "i64", 64, 8},
	{tensor.U2, "u2", "ui2", 2, 1},
	{tensor.U4, "u4", "ui4", 4, 1},
	{tensor.U8, "u8", "ui8", 8, 1},
	{tensor.U16, "u16", "ui16", 16, 2},
	{tensor.U32, "u32", "ui32", 32, 4},
	{tensor.U64, "u64", "ui64", 64, 8},
	{tensor.F16, "f16", "f16", 16, 2},
	{tensor.BF16, "bf16", "bf16", 16, 2},
	{tensor.F32, "f32", "f32", 32, 4},
	{tensor.F64, "f64", "f64", 64, 8},
	{tensor.F8E5M2, "f8e5m2", "f8E5M2", 8, 1},
	{tensor.F8E4M3, "f8e4m3", "f8E4M3", 8, 1},
	{tensor.F8E4M3FN, "f8e4m3fn", "f8E4M3FN", 8, 1},
	{tensor.F8E4M3B11FNUZ, "f8e4m3b11fnuz", "f8E4M3B11FNUZ", 8, 1},
	{tensor.F8E5M2FNUZ, "f8e5m2fnuz", "f8E5M2FNUZ", 8, 1},
	{tensor.F8E4M3FNUZ, "f8e4m3fnuz", "f8E4M3FNUZ", 8, 1},
	{tensor.F8E3M4, "f8e3m4", "f8E3M4", 8, 1},
	{tensor.F4E2M1FN, "f4e2m1fn", "f4E2M1FN", 4, 1},
	{tensor.F8E8M0FNU, "f8e8m0fnu", "f8E8M0FNU", 8, 1},
	{tensor.C64, "c64", "complex<f32>", 64, 8},
	{tensor.C128, "c128", "complex<f64>", 128, 16},
	{tensor.Token, "token", "!stablehlo.token", 0, 0},
}

func TestDTypeFacts(t *testing.T) {
	for _, want := range dtypeFacts {
		t.Run(want.Name, func(t *testing.T) {
			d := want.D
			got := want
			got.Name, got.MLIR, got.Bits, got.Size = d.String(), d.MLIR(), d.Bits(), d.Size()
			check.Diff(t, "facts", want, got)

			parsed, err := tensor.ParseDType(want.Name)
			check.NoError(t, err)
			check.Diff(t, "ParseDType", d, parsed)

			parsed, err = tensor.DTypeFromMLIR(want.MLIR)
			check.NoError(t, err)
			check.Diff(t, "DTypeFromMLIR", d, parsed)
		})
	}
}

// All is the table without Token, in order, so that no type is left untested.
func TestAll(t *testing.T) {
	var want []tensor.DType
	for _, f := range dtypeFacts {
		if f.D != tensor.Token {
			want = append(want, f.D)
		}
	}
	check.Diff(t, "DTypes", want, tensor.DTypes())
}

func TestDTypeOutsideOfTable(t *testing.T) {
	type facts struct {
		Name, MLIR string
		Bits, Size int
	}
	for d, want := range map[tensor.DType]facts{
		tensor.Invalid:   {"invalid", "invalid", 0, 0},
		tensor.Token + 1: {"dtype(30)", "dtype(30)", 0, 0},
		255:              {"dtype(255)", "dtype(255)", 0, 0},
	} {
		check.Diff(t, "facts", want, facts{d.String(), d.MLIR(), d.Bits(), d.Size()})
	}
}

func TestParseDTypeErrors(t *testing.T) {
	for _, name := range []string{"", "invalid", "F32", "f32 ", "i32", "float", "dtype(30)", "f8E4M3FN"} {
		d, err := tensor.ParseDType(name)
		check.Error(t, err, fmt.Sprintf("%q is not an element type", name))
		check.Diff(t, "dtype", tensor.Invalid, d)
	}
	for _, name := range []string{"", "invalid", "s32", "si32", "I32", "complex<f16>", "tensor<i8>", "index"} {
		d, err := tensor.DTypeFromMLIR(name)
		check.Error(t, err, "the MLIR type "+name+" is not an element type")
		check.Diff(t, "dtype", tensor.Invalid, d)
	}
}

func TestDTypeOf(t *testing.T) {
	for _, c := range []struct{ got, want tensor.DType }{
		{tensor.DTypeOf[bool](), tensor.Pred},
		{tensor.DTypeOf[int8](), tensor.S8},
		{tensor.DTypeOf[int16](), tensor.S16},
		{tensor.DTypeOf[int32](), tensor.S32},
		{tensor.DTypeOf[int64](), tensor.S64},
		{tensor.DTypeOf[uint8](), tensor.U8},
		{tensor.DTypeOf[uint16](), tensor.U16},
		{tensor.DTypeOf[uint32](), tensor.U32},
		{tensor.DTypeOf[uint64](), tensor.U64},
		{tensor.DTypeOf[tensor.Float16](), tensor.F16},
		{tensor.DTypeOf[tensor.BFloat16](), tensor.BF16},
		{tensor.DTypeOf[float32](), tensor.F32},
		{tensor.DTypeOf[float64](), tensor.F64},
		{tensor.DTypeOf[complex64](), tensor.C64},
		{tensor.DTypeOf[complex128](), tensor.C128},
	} {
		check.Diff(t, "DTypeOf", c.want, c.got)
	}
}
