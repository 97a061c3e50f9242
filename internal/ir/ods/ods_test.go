package ods_test

import (
	"math"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// TestEnum checks both forms of enumerations, with one case and with bits.
func TestEnum(t *testing.T) {
	c := mlirtest.Context(t)
	number := &ods.Enum{What: "CmpIPredicate", Width: 64, Cases: []string{"eq", "ne"}}
	gap := &ods.Enum{What: "Gap", Width: 32, Cases: []string{"a", "b"}, Values: []uint64{3, 7}}
	text := &ods.Enum{What: "Dimension", Text: "#gpu<dim %>", Cases: []string{"x", "y"}}
	flags := &ods.Enum{What: "FastMathFlags", Bits: true, Text: "#arith.fastmath<%>", Join: ",",
		Cases: []string{"none", "reassoc", "nnan", "fast"}, Values: []uint64{0, 1, 2, 127}}
	for _, test := range []struct {
		e       *ods.Enum
		v       uint64
		word    string
		written string // or the error
	}{
		{number, 2, "ne", "1 : i64"},
		{number, 0, "CmpIPredicate(0)", "0 is no CmpIPredicate: use one of eq, ne"},
		{number, 3, "CmpIPredicate(3)", "3 is no CmpIPredicate: use one of eq, ne"},
		{number, math.MaxUint64, "CmpIPredicate(18446744073709551615)", "is no CmpIPredicate"},
		{gap, 2, "b", "7 : i32"},
		{text, 1, "x", "#gpu<dim x>"},
		{flags, 0, "none", "#arith.fastmath<none>"},
		{flags, 3, "reassoc,nnan", "#arith.fastmath<reassoc,nnan>"},
		{flags, 127, "fast", "#arith.fastmath<fast>"},
		{flags, 1 << 40, "FastMathFlags(1099511627776)", "is no FastMathFlags"},
	} {
		check.Diff(t, "String", test.word, test.e.String(test.v))
		a, err := test.e.Attribute(c, test.v)
		if err != nil {
			check.Error(t, err, test.written)
			continue
		}
		check.Diff(t, "Attribute", test.written, a.String())
		v, ok := test.e.Read(a)
		if !ok || v != test.v {
			t.Errorf("%s is read as %d, %v, want %d", a, v, ok, test.v)
		}
	}
	for _, e := range []*ods.Enum{number, gap, text, flags} {
		for _, other := range []mlir.Attribute{{}, c.StringAttribute("x"), c.IntegerAttribute(c.IndexType(), 99)} {
			if v, ok := e.Read(other); ok {
				t.Errorf("%s reads %v as %d", e.What, other, v)
			}
		}
	}
}

// TestKinds checks that each kind reads what it writes.
func TestKinds(t *testing.T) {
	c := mlirtest.Context(t)
	roundTrip(t, c, "7 : i8", ods.I8, 7)
	roundTrip(t, c, "-1 : i16", ods.I16, -1)
	roundTrip(t, c, "-5 : i32", ods.I32, -5)
	roundTrip(t, c, "5 : i64", ods.I64, 5)
	roundTrip(t, c, "-5 : si32", ods.SI32, -5)
	roundTrip(t, c, "255 : ui8", ods.UI8, 255)
	roundTrip(t, c, "5 : index", ods.Index, 5)
	roundTrip(t, c, "1.500000e+00 : f32", ods.F32, 1.5)
	roundTrip(t, c, "1.500000e+00 : f64", ods.F64, 1.5)
	roundTrip(t, c, "true", ods.Bool, true)
	roundTrip(t, c, "unit", ods.Unit, true)
	roundTrip(t, c, `"x"`, ods.Text, "x")
	roundTrip(t, c, "@x", ods.Symbol, "x")
	roundTrip(t, c, "@x::@y", ods.Path, []string{"x", "y"})
	roundTrip(t, c, "i32", ods.Type, c.IntegerType(32, mlir.Signless))
	roundTrip(t, c, "array<i64: 1, 2>", ods.Int64s, []int64{1, 2})
	roundTrip(t, c, "array<i1: true>", ods.Bools, []bool{true})
	roundTrip(t, c, "[1, 2]", ods.I64Array, []int64{1, 2})
	roundTrip(t, c, `["x"]`, ods.TextArray, []string{"x"})
	roundTrip(t, c, "[[@x]]", ods.Array(ods.SymbolArray), [][]string{{"x"}})
	_, err := ods.Symbol.Write(c, "")
	check.Error(t, err, "the attribute is missing")
	_, err = ods.TypeArray.Write(c, []mlir.Type{{}})
	check.Error(t, err, "the attribute is missing")
	if v, ok := ods.I8.Read(c.IntegerAttribute(c.IntegerType(32, mlir.Signless), 300)); ok {
		t.Errorf("300 is read as %d", v)
	}
}

func roundTrip[T any](t *testing.T, c *mlir.Context, text string, k ods.Kind[T], v T) {
	t.Helper()
	a := check.Must(k.Write(c, v))
	check.Diff(t, "written", text, a.String())
	got, ok := k.Read(a)
	if !ok {
		t.Errorf("%s is not read", text)
	}
	again := check.Must(k.Write(c, got))
	check.Diff(t, "written from what was read", text, again.String())
}
