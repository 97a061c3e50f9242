package mlir_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

const nestedWalk = `module {
  func.func private @declared()
  func.func @f(%c: i1) {
    scf.if %c {
      %a = arith.constant 1 : i32
    } else {
      %b = arith.constant 2 : i32
      scf.if %c {
        %d = arith.constant 3 : i32
      }
    }
    return
  ^unreached:
    return
  }
}`

func TestWalkOrder(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		m, err := mlirtest.ContextOf(t, e.Library).Parse("", []byte(nestedWalk))
		check.NoError(t, err)
		for _, test := range []struct {
			name string
			say  func(mlir.Operation) mlir.WalkAction
			want string
			done bool
		}{
			{"all", func(mlir.Operation) mlir.WalkAction { return mlir.WalkContinue },
				"builtin.module func.func func.func scf.if arith.constant scf.yield arith.constant scf.if " +
					"arith.constant scf.yield scf.yield func.return func.return", true},
			{"skip", func(op mlir.Operation) mlir.WalkAction {
				if op.Name() == "scf.if" {
					return mlir.WalkSkip
				}
				return mlir.WalkContinue
			}, "builtin.module func.func func.func scf.if func.return func.return", true},
			{"stop", func(op mlir.Operation) mlir.WalkAction {
				if op.Name() == "scf.yield" {
					return mlir.WalkStop
				}
				return mlir.WalkContinue
			}, "builtin.module func.func func.func scf.if arith.constant scf.yield", false},
		} {
			var seen []string
			done := m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
				seen = append(seen, op.Name())
				return test.say(op)
			})
			if diff := cmp.Diff(test.want, strings.Join(seen, " ")); diff != "" || done != test.done {
				t.Errorf("%s: done %v (-want +got):\n%s", test.name, done, diff)
			}
		}
	})
}

// TestWalkErases erases visited operations, among more than are listed at first.
func TestWalkErases(t *testing.T) {
	const n = 1000
	c := mlirtest.Context(t)
	m, err := c.Parse("", []byte("func.func @f() { return }"))
	check.NoError(t, err)
	var block mlir.Block
	for f := range m.Body().Operations() {
		block = f.Region(0).First()
	}
	check.NoError(t, block.Terminator().Erase())
	value := c.IntegerAttribute(c.IntegerType(32, mlir.Signless), 1)
	for range n {
		_, err := mlir.Create(block, mlir.OperationState{
			Name: "arith.constant", Results: []mlir.Type{c.IntegerType(32, mlir.Signless)},
			Attributes: []mlir.NamedAttribute{{Name: "value", Value: value}},
		})
		check.NoError(t, err)
	}
	erased := 0
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		if op.Name() != "arith.constant" {
			return mlir.WalkContinue
		}
		check.NoError(t, op.Erase())
		erased++
		return mlir.WalkSkip
	})
	if erased != n {
		t.Errorf("%d operations were erased, not %d", erased, n)
	}
	visited := 0
	m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
		visited++
		m.Close()
		return mlir.WalkContinue
	})
	if visited != 1 {
		t.Errorf("%d operations were visited, the first of which closed the module", visited)
	}
}
