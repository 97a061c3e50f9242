package mlir_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// cycles are modules that the verifier accepts, and the position of the operation that the
// error names.
var cycles = []struct {
	name, text string
	refused    string
}{
	{"of one", `module {
  %c = arith.constant 0 : i32
  %a = arith.addi %a, %c : i32
}`, ":3:8: error: 'arith.addi' op uses its own result"},
	{"of two", `module {
  %c = arith.constant 0 : i32
  %a = arith.addi %b, %c : i32
  %b = arith.muli %a, %c : i32
}`, ":3:8: error: 'arith.addi' op uses its own result"},
	{"behind a forward reference", `module {
  %c = arith.constant 0 : i32
  %x = arith.addi %a, %c : i32
  %a = arith.muli %b, %c : i32
  %b = arith.addi %a, %x : i32
}`, ":4:8: error: 'arith.muli' op uses its own result"},
	{"in a module in a module", `module {
  module {
    %c = arith.constant 0 : i32
    %a = arith.addi %a, %c : i32
  }
}`, ":4:10: error: 'arith.addi'"},
	{"in a region of an unregistered operation", `module {
  "t.graph"() ({
    %c = arith.constant 0 : i32
    "t.end"() : () -> ()
  ^dead:
    %a = arith.addi %a, %c : i32
    "t.jump"()[^dead] : () -> ()
  }) : () -> ()
}`, ":6:10: error: 'arith.addi'"},
	{"in an unreachable block", `func.func @f() {
  %c = arith.constant 0 : i32
  return
^dead:
  %a = arith.addi %a, %c : i32
  "t.jump"()[^dead] : () -> ()
}`, ":5:8: error: 'arith.addi'"},
	{"over two unreachable blocks", `func.func @f() {
  %c = arith.constant 0 : i32
  return
^one:
  %a = arith.addi %b, %c : i32
  "t.jump"()[^two] : () -> ()
^two:
  %b = arith.addi %a, %c : i32
  "t.jump"()[^one] : () -> ()
}`, ":5:8: error: 'arith.addi'"},
	{"over an operation's region", `module {
  %yes = arith.constant true
  %c = arith.constant 0 : i32
  %a = scf.if %yes -> i32 {
    %b = arith.addi %a, %c : i32
    scf.yield %b : i32
  } else {
    scf.yield %c : i32
  }
}`, ":5:10: error: 'arith.addi'"},
	{"of an operation and what is in it", `module {
  %yes = arith.constant true
  %c = arith.constant 0 : i32
  %a = scf.if %yes -> i32 {
    %b = arith.addi %a, %c : i32
    scf.yield %c : i32
  } else {
    scf.yield %c : i32
  }
}`, ":5:10: error: 'arith.addi'"},
	{"of an operation that yields its own result", `module {
  %yes = arith.constant true
  %c = arith.constant 0 : i32
  %a = scf.if %yes -> i32 {
    scf.yield %a : i32
  } else {
    scf.yield %c : i32
  }
}`, ":4:8: error: 'scf.if'"},
	{"over a region of a region", `module {
  %yes = arith.constant true
  %c = arith.constant 1 : i32
  %q = arith.addi %a, %c : i32
  %a = scf.if %yes -> i32 {
    %i = scf.if %yes -> i32 {
      scf.yield %q : i32
    } else {
      scf.yield %c : i32
    }
    scf.yield %i : i32
  } else {
    scf.yield %c : i32
  }
}`, ":4:8: error: 'arith.addi'"},

	{"none", doubling, ""},
	{"over an unregistered operation", `module {
  %c = arith.constant 0 : i32
  %a = arith.addi %b, %c : i32
  %b = "t.x"(%a) : (i32) -> i32
  %d = "t.y"(%d, %a) : (i32, i32) -> i32
}`, ""},
	{"over an unregistered operation's region", `module {
  %c = arith.constant 0 : i32
  %a = "t.x"() ({
    %b = arith.addi %a, %c : i32
    "t.end"(%b) : (i32) -> ()
  }) : () -> i32
}`, ""},
	{"of operations made later", `module {
  %c = arith.constant 0 : i32
  %a = arith.addi %d, %c : i32
  %b = arith.addi %d, %a : i32
  "t.use"(%a, %b) : (i32, i32) -> ()
  %d = arith.addi %e, %c : i32
  %e = "t.x"() : () -> i32
}`, ""},
	{"of a loop's blocks", `func.func @f(%x: i32) -> i32 {
  %c = arith.constant 0 : i32
  "t.jump"(%x)[^loop] : (i32) -> ()
^loop:
  %a = arith.addi %x, %c : i32
  "t.jump"()[^loop, ^end] : () -> ()
^end:
  return %a : i32
}`, ""},
	{"of a loop's values", `func.func @f(%x: i32, %n: index) -> i32 {
  %one = arith.constant 1 : index
  %r = scf.for %i = %one to %n step %one iter_args(%v = %x) -> i32 {
    %w = arith.addi %v, %x : i32
    scf.yield %w : i32
  }
  return %r : i32
}`, ""},
}

// TestCycles checks that functions which fold refuse operations that use one another's
// results in a cycle, and nothing else, and that the check can be disabled.
func TestCycles(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := e.Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
		defer c.Close()
		run := func(pipeline string, noVerify bool) func(m *mlir.Module) error {
			return func(m *mlir.Module) error {
				pm := passManager(t, c, mlir.PassManagerOptions{Pipeline: pipeline, NoVerify: noVerify})
				defer pm.Close()
				return pm.Run(m)
			}
		}
		type way struct {
			does  func(*mlir.Module) error
			folds bool
		}
		ways := map[string]way{
			"canonicalize":           {run("builtin.module(canonicalize)", false), true},
			"canonicalize functions": {run("builtin.module(any(canonicalize{region-simplify=disabled}))", false), true},
			"cse without verifying":  {run("builtin.module(cse)", true), false},
		}
		if e.Library.Has("mlirOpRewritePatternCreate") {
			s := patterns(t, c, double)
			apply := func(o mlir.GreedyOptions) func(m *mlir.Module) error {
				return func(m *mlir.Module) error { return s.Apply(m, o) }
			}
			ways["apply"] = way{apply(mlir.GreedyOptions{}), true}
			ways["apply alone"] = way{apply(mlir.GreedyOptions{Regions: mlir.SimplifyNothing, TopDown: true}), true}
			ways["apply without folding"] = way{apply(mlir.GreedyOptions{NoFolding: true}), false}
			ways["apply nothing else"] = way{apply(mlir.GreedyOptions{NoFolding: true, Regions: mlir.SimplifyNothing}),
				false}
			ways["walk"] = way{s.Walk, false}
		}
		for _, test := range cycles {
			for name, way := range ways {
				m := mlirtest.Parse(t, c, test.text)
				if err := m.Verify(); err != nil {
					t.Fatalf("%s: %v", test.name, err)
				}
				before := m.String()
				err := way.does(m)
				if test.refused == "" || !way.folds {
					if err != nil {
						t.Errorf("%s, %s: %v", test.name, name, err)
					}
					continue
				}
				var diagnostic *mlir.DiagnosticError
				if !errors.As(err, &diagnostic) || !strings.Contains(err.Error(), test.refused) {
					t.Errorf("%s, %s: the error is %v, want it to say %q", test.name, name, err, test.refused)
				}
				check.Diff(t, test.name+", "+name, before, m.String())
			}
		}
	})
}

// TestCycleInside checks that only the operation that the run is on is checked.
func TestCycleInside(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		m := mlirtest.Parse(t, c, `module {
  module @inner {
    %c = arith.constant 0 : i32
    %a = arith.addi %c, %c : i32
  }
  %c = arith.constant 0 : i32
  %a = arith.addi %a, %c : i32
}`)
		pm := passManager(t, c, mlir.PassManagerOptions{Pipeline: "builtin.module(canonicalize)"})
		inner, err := pm.RunOn(m.Body().First())
		check.NoError(t, err)
		check.Diff(t, "what is left", "module @inner {\n}", strings.TrimSpace(inner.String()))
		_, err = pm.RunOn(inner.Parent())
		check.Error(t, err, "break the cycle, or set NoVerify")
	})
}

// TestLongCycle checks that length does not matter: a chain of operations that each use the
// next one is accepted, and refused if it is closed.
func TestLongCycle(t *testing.T) {
	const n = 100_000
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, "module {\n}")
	i32 := c.IntegerType(32, mlir.Signless)
	zero, err := mlir.Create(m.Body(), mlir.OperationState{
		Name: "arith.constant", Location: c.UnknownLocation(), Results: []mlir.Type{i32},
		Attributes: []mlir.NamedAttribute{{Name: "value", Value: c.IntegerAttribute(i32, 1)}},
	})
	check.NoError(t, err)
	var chain []mlir.Operation
	for range n {
		x := zero.Result(0)
		op, err := mlir.Create(m.Body(), mlir.OperationState{
			Name: "arith.addi", Location: c.UnknownLocation(), Operands: []mlir.Value{x, x}, Results: []mlir.Type{i32},
		})
		check.NoError(t, err)
		if len(chain) > 0 {
			chain[len(chain)-1].SetOperand(1, op.Result(0))
		}
		chain = append(chain, op)
	}
	first, last := chain[0], chain[n-1]
	pm := passManager(t, c, mlir.PassManagerOptions{})
	runs := func(m *mlir.Module) error { return pm.Run(m) }
	last.SetOperand(1, first.Result(0))
	check.Error(t, runs(m), "'arith.addi' op uses its own result")
	last.SetOperand(1, zero.Result(0))
	check.Report(t, runs(m))
}

// TestPatternMakesCycle checks that a pattern that creates a cycle is an error.
func TestPatternMakesCycle(t *testing.T) {
	eachRewriting(t, func(t *testing.T, c *mlir.Context) {
		s := patterns(t, c, mlir.Pattern{Name: "round", Op: "arith.muli",
			Rewrite: func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
				sum := op.Next()
				return true, r.ModifyInPlace(sum, func() error { sum.SetOperand(0, sum.Result(0)); return nil })
			}})
		m := mlirtest.Parse(t, c, `module {
  func.func private @f(i32) -> i32
  func.func private @g() -> i32
  %f = func.call @g() : () -> i32
  %x = arith.muli %f, %f : i32
  %a = arith.addi %x, %f : i32
  %g = func.call @f(%a) : (i32) -> i32
}`)
		err := s.Apply(m, mlir.GreedyOptions{TopDown: true})
		var pattern *mlir.PatternError
		if !errors.As(err, &pattern) || pattern.Pattern != "round" {
			t.Errorf("the error is %v, want the pattern's", err)
		}
		check.Error(t, err, "'arith.addi' op uses its own result")
	})
}
