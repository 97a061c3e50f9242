package mlir_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// valid has operations of several kinds that a pattern makes invalid.
const valid = `module {
  func.func private @other(%x: i32) -> i32 {
    %zero = arith.constant 0 : i32
    %0 = arith.addi %x, %zero : i32
    return %0 : i32
  }
  func.func @f(%x: i32, %c: i1) -> i32 {
    %zero = arith.constant 0 : i32
    %0 = arith.addi %x, %x {mark} : i32
    %1 = arith.cmpi slt, %0, %x : i32
    %2 = scf.if %1 -> i32 {
      %3 = arith.muli %x, %x : i32
      scf.yield %3 : i32
    } else {
      scf.yield %0 : i32
    }
    cf.cond_br %c, ^a(%0 : i32), ^b
  ^a(%4: i32):
    "t.regions"() ({
      "t.jump"()[^second] : () -> ()
    ^second:
      "t.end"() : () -> ()
    }) : () -> ()
    return %4 : i32
  ^b:
    %5 = arith.addi %2, %x : i32
    cf.br ^a(%5 : i32)
  }
}`

// TestPatternInvalid checks that a pattern that leaves invalid IR is an error that names
// the pattern, that the driver stops at once and does not fold unfinished IR, and that the
// changes stay.
func TestPatternInvalid(t *testing.T) {
	find := func(o mlir.Operation, name string, nth int) mlir.Operation {
		for !o.Parent().IsNil() {
			o = o.Parent()
		}
		for inner := range o.All() {
			if f := inner.Parent(); inner.Name() != name || f.Name() == "func.func" && f.Region(0).NumBlocks() == 1 {
				continue
			}
			if nth--; nth < 0 {
				return inner
			}
		}
		panic("no " + name)
	}
	for name, test := range map[string]struct {
		want  string
		spoil func(o mlir.Operation, r *mlir.Rewriter)
	}{
		"too few operands": {"'arith.addi' op expected 2 operands", func(o mlir.Operation, r *mlir.Rewriter) {
			o.SetOperands(o.Operand(0))
		}},
		"no operands where they are modified": {"'arith.cmpi' op expected 2 operands",
			func(o mlir.Operation, r *mlir.Rewriter) {
				cmpi := find(o, "arith.cmpi", 0)
				_ = r.ModifyInPlace(cmpi, func() error { cmpi.SetOperands(); return nil })
			}},
		"another type": {"type mismatch for bb argument", func(o mlir.Operation, r *mlir.Rewriter) {
			o.Result(0).SetType(o.Context().IntegerType(64, mlir.Signless))
		}},
		"another type of an argument": {"type", func(o mlir.Operation, r *mlir.Rewriter) {
			o.Block().Argument(0).SetType(o.Context().IntegerType(64, mlir.Signless))
		}},
		"a value of another type": {"type of return operand 0", func(o mlir.Operation, r *mlir.Rewriter) {
			end := find(o, "func.return", 0)
			r.ReplaceAllUses(end.Operand(0), find(o, "arith.cmpi", 0).Result(0))
		}},
		"its own result": {"does not dominate this use", func(o mlir.Operation, r *mlir.Rewriter) {
			zero := check.Must(
				mlir.Create(r, mlir.OperationState{Name: "arith.constant", Results: []mlir.Type{o.Result(0).Type()},
					Attributes: []mlir.NamedAttribute{
						{Name: "value", Value: o.Context().IntegerAttribute(o.Result(0).Type(), 0)}}}))
			o.SetOperands(o.Result(0), zero.Result(0)) // folds to itself forever
		}},
		"a result from behind": {"does not dominate this use", func(o mlir.Operation, r *mlir.Rewriter) {
			o.SetOperand(0, find(o, "scf.if", 0).Result(0))
		}},
		"a result of a branch that may not be taken": {"does not dominate this use",
			func(o mlir.Operation, r *mlir.Rewriter) {
				find(o, "func.return", 0).SetOperand(0, find(o, "arith.addi", 1).Result(0))
			}},
		"moved before what it uses": {"does not dominate this use", func(o mlir.Operation, r *mlir.Rewriter) {
			r.MoveBefore(find(o, "arith.cmpi", 0), o)
		}},
		"moved behind what uses it": {"does not dominate this use", func(o mlir.Operation, r *mlir.Rewriter) {
			o.MoveAfter(find(o, "arith.cmpi", 0))
		}},
		"moved behind the end": {"must terminate its parent block", func(o mlir.Operation, r *mlir.Rewriter) {
			find(o, "arith.cmpi", 0).MoveAfter(find(o, "cf.cond_br", 0))
		}},
		"no end": {"empty block: expect at least a terminator", func(o mlir.Operation, r *mlir.Rewriter) {
			check.Must(0, r.Erase(find(o, "t.end", 0)))
		}},
		"no yield": {"block with no terminator, has", func(o mlir.Operation, r *mlir.Rewriter) {
			check.Must(0, r.Erase(find(o, "scf.yield", 0)))
		}},
		"yields too little": {"region branch point has 0 operands", func(o mlir.Operation, r *mlir.Rewriter) {
			find(o, "scf.yield", 0).SetOperands()
		}},
		"a further argument": {"successor", func(o mlir.Operation, r *mlir.Rewriter) {
			find(o, "func.return", 0).Block().AddArgument(o.Result(0).Type(), mlir.Location{})
		}},
		"branches elsewhere": {"branch has 1 operands for successor #0", func(o mlir.Operation, r *mlir.Rewriter) {
			find(o, "cf.br", 0).SetSuccessor(0, find(o, "cf.br", 0).Block())
		}},
		"an empty block": {"empty block: expect at least a terminator", func(o mlir.Operation, r *mlir.Rewriter) {
			r.NewBlock(find(o, "cf.br", 0).Block(), mlir.Location{})
		}},
		"made with too little": {"'arith.addi' op expected 2 operands", func(o mlir.Operation, r *mlir.Rewriter) {
			check.Must(mlir.Create(r, mlir.OperationState{Name: "arith.addi", Operands: []mlir.Value{o.Operand(0)},
				Results: []mlir.Type{o.Result(0).Type()}}))
		}},
		"put in with something wrong in it": {"'arith.addi' op expected 2 operands",
			func(o mlir.Operation, r *mlir.Rewriter) {
				c := o.Context()
				region, block := c.NewRegion(), c.NewBlock(mlir.Location{})
				region.Append(block)
				check.Must(mlir.Create(block, mlir.OperationState{Name: "arith.addi",
					Operands: []mlir.Value{o.Operand(0)}, Results: []mlir.Type{o.Result(0).Type()}}))
				check.Must(mlir.Create(r, mlir.OperationState{Name: "t.holder", Regions: []mlir.Region{region}}))
			}},
	} {
		t.Run(name, func(t *testing.T) {
			eachRewriting(t, func(t *testing.T, c *mlir.Context) {
				c.SetAllowUnregistered(true)
				calls := 0
				s := patterns(t, c, mlir.Pattern{Name: "spoil", Op: "arith.addi",
					Rewrite: func(o mlir.Operation, r *mlir.Rewriter) (bool, error) {
						if _, marked := o.Attribute("mark"); !marked {
							return false, nil
						}
						calls++
						test.spoil(o, r)
						return true, nil
					}})
				m := mlirtest.Parse(t, c, valid)
				err := s.Apply(m, mlir.GreedyOptions{TopDown: true, Regions: mlir.SimplifyAggressively})
				var pattern *mlir.PatternError
				var diagnostics *mlir.DiagnosticError
				if !errors.As(err, &pattern) || !errors.As(err, &diagnostics) ||
					!strings.Contains(err.Error(), test.want) {
					t.Fatalf("the error is %v, want it to say %q", err, test.want)
				}
				check.Diff(t, "calls", 1, calls)
				if err := m.Verify(); err == nil {
					t.Errorf("the module is valid:\n%s", m)
				}
				check.Diff(t, "functions", 2, count(m, "func.func"))
			})
		})
	}
}

// TestPatternStops checks that nothing is folded after a pattern has failed.
func TestPatternStops(t *testing.T) {
	eachRewriting(t, func(t *testing.T, c *mlir.Context) {
		c.SetAllowUnregistered(true)
		s := patterns(t, c, mlir.Pattern{Name: "fail", Op: "func.func",
			Rewrite: func(o mlir.Operation, r *mlir.Rewriter) (bool, error) {
				o.SetDiscardable("t.seen", o.Context().UnitAttribute())
				return false, fs.ErrNotExist
			}})
		m := mlirtest.Parse(t, c, valid)
		want := strings.Replace(m.String(), "-> i32 {", "-> i32 attributes {t.seen} {", 1)
		if err := s.Apply(m, mlir.GreedyOptions{TopDown: true}); !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, m.String()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestPatternMovesOn checks that a walk calls a pattern only once for each operation, even
// if the pattern moves the operation forward.
func TestPatternMovesOn(t *testing.T) {
	eachRewriting(t, func(t *testing.T, c *mlir.Context) {
		c.SetAllowUnregistered(true)
		calls := 0
		s := patterns(t, c,
			mlir.Pattern{Name: "on", Op: "t.op", Rewrite: func(o mlir.Operation, r *mlir.Rewriter) (bool, error) {
				calls++
				r.MoveAfter(o, o.Next())
				return true, nil
			}})
		m := mlirtest.Parse(t, c, `"t.op"() : () -> () "t.op"() : () -> () "t.end"() : () -> ()`)
		op(m, "t.end").Erase()
		check.Report(t, s.Walk(m))
		check.Diff(t, "calls", 2, calls)
		check.Diff(t, "operations", 2, count(m, "t.op"))
	})
}
