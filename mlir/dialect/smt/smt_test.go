package smt_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/smt"
)

func TestTypes(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		i32 := mlirtest.Type(c, "i32")
		boolean, err := smt.BoolType(c)
		if !mlirtest.Supported(t, c.Library(), err, "mlirSMTTypeGetBool") {
			for _, make := range []func() (mlir.Type, error){
				func() (mlir.Type, error) { return smt.IntType(c) },
				func() (mlir.Type, error) { return smt.BitVectorType(c, 3) },
				func() (mlir.Type, error) { return smt.ArrayType(i32, i32) },
				func() (mlir.Type, error) { return smt.FuncType(nil, i32) },
				func() (mlir.Type, error) { return smt.SortType(c, "s") },
			} {
				_, err := make()
				mlirtest.Unsupported(t, err)
			}
			return
		}
		integer := check.Must(smt.IntType(c))
		function := check.Must(smt.FuncType([]mlir.Type{integer, boolean}, boolean))
		kinds := []func(mlir.Type) bool{smt.IsArray, smt.IsBitVector, smt.IsBool, smt.IsInt, smt.IsFunc, smt.IsSort}
		for want, test := range map[string]struct {
			made mlir.Type
			kind int
		}{
			"!smt.array<[!smt.int -> !smt.bool]>": {check.Must(smt.ArrayType(integer, boolean)), 0},
			"!smt.bv<7>":                          {check.Must(smt.BitVectorType(c, 7)), 1},
			"!smt.bool":                           {boolean, 2},
			"!smt.int":                            {integer, 3},
			"!smt.func<(!smt.int, !smt.bool) !smt.bool>": {function, 4},
			`!smt.sort<"s">`:           {check.Must(smt.SortType(c, "s")), 5},
			`!smt.sort<"s"[!smt.int]>`: {check.Must(smt.SortType(c, "s", integer)), 5},
		} {
			check.Diff(t, "the type", want, test.made.String())
			for i, is := range kinds {
				check.Diff(t, want, i == test.kind, is(test.made))
			}
			check.Diff(t, want, []bool{true, test.kind != 4}, []bool{smt.Is(test.made), smt.IsValue(test.made)})
		}
		for want, make := range map[string]func() (mlir.Type, error){
			"1 to 16777215 bits, not 0": func() (mlir.Type, error) {
				return smt.BitVectorType(c, 0)
			},
			"1 to 16777215 bits, not -1": func() (mlir.Type, error) {
				return smt.BitVectorType(c, -1)
			},
			"i32 is not a type of values": func() (mlir.Type, error) {
				return smt.ArrayType(i32, boolean)
			},
			"is not a type of values": func() (mlir.Type, error) {
				return smt.ArrayType(boolean, function)
			},
			"the domain of a function must have at least one type": func() (mlir.Type, error) {
				return smt.FuncType(nil, boolean)
			},
			"smt: i32 is not a type of": func() (mlir.Type, error) { return smt.SortType(c, "s", i32) },
			"a sort needs a name":       func() (mlir.Type, error) { return smt.SortType(c, "") },
		} {
			_, err := make()
			check.Error(t, err, want)
		}
		check.Panics(t, "called on a zero value", func() { smt.ArrayType(boolean, mlir.Type{}) })
	})
}

func TestAttributes(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		a, err := smt.BitVector(c, 5, 4)
		if mlirtest.Supported(t, c.Library(), err, "mlirSMTAttrGetBitVector") {
			check.Diff(t, "the value", "#smt.bv<5> : !smt.bv<4>", a.String())
			check.Diff(t, "its kind", true, smt.IsBitVectorAttribute(a))
			for _, bad := range []int{0, -3, 2} {
				_, err := smt.BitVector(c, 5, bad)
				check.Error(t, err, "5 is not a value of")
			}
		}
	})
}

// TestPredicates checks the values of predicates in operations.
func TestPredicates(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		if !c.Registered("smt.int.cmp") {
			return
		}
		m := c.NewModule(mlir.Location{})
		b := mlir.NewBuilder(m.Body(), mlir.Location{})
		smt.Solver(b, nil, nil, b.Region(func([]mlir.Value) {
			x := smt.DeclareFun(b, b.Type("!smt.int"))
			y := smt.DeclareFun(b, b.Type("!smt.bv<8>"))
			smt.Assert(b, smt.IntCmp(b, smt.IntPredicateGe, x, x))
			smt.Assert(b, smt.BVCmp(b, smt.BVCmpPredicateUlt, y, y))
			smt.Yield(b)
		}))
		check.NoError(t, b.Err())
		check.NoError(t, m.Verify())
		for _, want := range []string{"smt.int.cmp ge %0, %0", "smt.bv.cmp ult %1, %1"} {
			if !strings.Contains(m.String(), want) {
				t.Errorf("the module does not contain %q:\n%s", want, m)
			}
		}
		for op := range m.Operation().All() {
			if cmp, ok := smt.AsIntCmp(op); ok {
				check.Diff(t, "predicate", smt.IntPredicateGe, cmp.Pred)
			}
			if cmp, ok := smt.AsBVCmp(op); ok {
				check.Diff(t, "predicate", smt.BVCmpPredicateUlt, cmp.Pred)
			}
		}
		smt.IntCmp(b, smt.IntPredicate(9), mlir.Value{}, mlir.Value{})
		check.Error(t, b.Err(), "9 is no IntPredicate: use one of lt, le, gt, ge")
	})
}

func TestExport(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		if !c.Library().Has("mlirTranslateOperationToSMTLIB") {
			_, err := smt.Export(c.NewModule(mlir.Location{}).Operation(), smt.ExportOptions{})
			mlirtest.Unsupported(t, err)
			return
		}
		m := check.Must(c.Parse("s.mlir", []byte(`smt.solver() : () -> () {
  %c = smt.int.constant 1
  %x = smt.declare_fun "x" : !smt.int
  %eq = smt.eq %x, %c : !smt.int
  smt.assert %eq
  smt.check sat {} unknown {} unsat {}
}`)))
		// Some releases write unnecessary lets.
		const want = "; solver scope 0\n(declare-const x Int)\n(assert (let ((tmp (= x 1)))\n        tmp))\n(check-sat)\n(reset)\n"
		const inline = "; solver scope 0\n(declare-const x Int)\n(assert (= x 1))\n(check-sat)\n(reset)\n"
		write := func(o smt.ExportOptions) string { return check.Must(smt.Export(m.Operation(), o)) }
		check.Diff(t, "SMT-LIB", want, write(smt.ExportOptions{}))
		if got := write(smt.ExportOptions{InlineSingleUse: true}); got != inline && got != want {
			t.Errorf("inlined SMT-LIB is\n%s", got)
		}
		without := want
		if c.Library().Has("mlirDistinctAttrCreate") { // later than LLVM 22
			without = strings.TrimSuffix(want, "(reset)\n")
		}
		check.Diff(t, "SMT-LIB without a reset", without, write(smt.ExportOptions{NoReset: true}))
		other := check.Must(c.Parse("f.mlir", []byte("smt.solver() : () -> () { %0 = arith.constant 1 : i32 }")))
		_, err := smt.Export(other.Operation(), smt.ExportOptions{})
		check.Error(t, err, "solver must not contain any non-SMT operations")
	})
}
