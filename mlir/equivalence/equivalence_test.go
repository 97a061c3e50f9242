package equivalence_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/equivalence"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

func TestEqual(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := e.Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
		check.Cleanup(t, c)
		m := mlirtest.Parse(t, c, `func.func @f(%x: i32, %y: i32) {
  %0 = arith.addi %x, %y : i32
  %1 = arith.addi %x, %y : i32
  %2 = arith.addi %x, %y {t.note} : i32
  %3 = arith.addi %y, %x : i32
  %4 = arith.muli %x, %y : i32
  %5 = arith.addi %x, %y overflow<nsw> : i32
  return
}`)
		var ops []mlir.Operation
		for op := range m.Body().First().Region(0).First().Operations() {
			ops = append(ops, op)
		}
		no, places := equivalence.Options{}, equivalence.Options{IgnoreLocations: true}
		for _, test := range []struct {
			name    string
			i, j    int
			options equivalence.Options
			want    bool
		}{
			{"itself", 0, 0, no, true},
			{"another place", 0, 1, no, false},
			{"another place, ignored", 0, 1, places, true},
			{"an attribute", 0, 2, places, false},
			{"an attribute, ignored", 0, 2, equivalence.Options{IgnoreLocations: true, IgnoreDiscardable: true},
				true},
			{"the order of operands", 0, 3, equivalence.Options{IgnoreLocations: true, IgnoreCommutativity: true},
				false},
			{"another operation", 0, 4, places, false},
			{"a property", 0, 5, places, false},
			{"a property, ignored", 0, 5, equivalence.Options{IgnoreLocations: true, IgnoreProperties: true}, true},
		} {
			got, err := equivalence.Equal(ops[test.i], ops[test.j], test.options)
			if !mlirtest.Supported(t, e.Library, err, "mlirOperationIsStructurallyEquivalent") {
				return
			}
			check.Diff(t, test.name, test.want, got)
			if got {
				check.Diff(t, test.name+", hashed", check.Must(equivalence.Hash(ops[test.i], test.options)),
					check.Must(equivalence.Hash(ops[test.j], test.options)))
			}
		}
	})
}
