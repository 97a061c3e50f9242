package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestDominance checks the answers for a function with a branch, a join and a block that is
// never reached.
func TestDominance(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		if !e.Library.Has("mlirDominanceInfoCreate") {
			_, err := mlirtest.Parse(t, c, "").Operation().Dominance()
			mlirtest.Unsupported(t, err)
			return
		}
		m := mlirtest.Parse(t, c, `func.func @f(%p: i1) -> i32 {
  %a = "t.a"() : () -> i32
  cf.cond_br %p, ^left, ^right
^left:
  %b = "t.b"() : () -> i32
  cf.br ^join
^right:
  cf.br ^join
^join:
  %c = "t.c"(%a) ({
    "t.inside"() : () -> ()
  }) : (i32) -> i32
  return %c : i32
^never:
  return %a : i32
}`)
		a, b, join, inside := op(m, "t.a"), op(m, "t.b"), op(m, "t.c"), op(m, "t.inside")
		d, err := m.Operation().Dominance()
		check.NoError(t, err)
		left, last := b.Block(), join.Block()
		entry := a.Block()
		never := last.Next()
		for _, test := range []struct {
			what      string
			want, got bool
		}{
			{"a before the branch dominates c", true, d.Dominates(a, join)},
			{"b on one side dominates c", false, d.Dominates(b, join)},
			{"c dominates a", false, d.Dominates(join, a)},
			{"an operation dominates itself", true, d.Dominates(a, a)},
			{"an operation dominates what is in it", true, d.Dominates(join, inside)},
			{"c post-dominates a", true, d.PostDominates(join, a)},
			{"b post-dominates a", false, d.PostDominates(b, a)},
			{"a value is visible later", true, d.ValueDominates(a.Result(0), join)},
			{"a value is visible at its own operation", false, d.ValueDominates(a.Result(0), a)},
			{"a value of one side is visible after the join", false, d.ValueDominates(b.Result(0), join)},
			{"an argument is visible", true, d.ValueDominates(entry.Argument(0), a)},
			{"the first block dominates the last", true, d.BlockDominates(entry, last)},
			{"one side dominates the join", false, d.BlockDominates(left, last)},
			{"the join post-dominates one side", true, d.BlockPostDominates(last, left)},
			{"one side post-dominates the first block", false, d.BlockPostDominates(left, entry)},
			{"the join is reachable", true, d.Reachable(last)},
			{"the last block is reachable", false, d.Reachable(never)},
			{"the common dominator of two sides", true, d.CommonDominator(left, left.Next()) == entry},
		} {
			check.Diff(t, test.what, test.want, test.got)
		}
		function, err := m.Body().First().Dominance()
		check.NoError(t, err)
		check.Panics(t, "not in the one that was analysed", func() { function.Dominates(m.Body().First(), a) })
		check.Panics(t, "nil", func() { function.Dominates(mlir.Operation{}, a) })
		check.NoError(t, function.Close())
		check.NoError(t, function.Close())
		check.Panics(t, "after Dominance.Close", func() { function.Reachable(entry) })
		check.NoError(t, m.Close())
		check.Panics(t, "after Module.Close", func() { d.Reachable(entry) })
		check.NoError(t, d.Close())
	})
}

func TestEquivalent(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
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
		no, places := mlir.EquivalenceOptions{}, mlir.EquivalenceOptions{IgnoreLocations: true}
		for _, test := range []struct {
			name    string
			i, j    int
			options mlir.EquivalenceOptions
			want    bool
		}{
			{"itself", 0, 0, no, true},
			{"another place", 0, 1, no, false},
			{"another place, ignored", 0, 1, places, true},
			{"an attribute", 0, 2, places, false},
			{"an attribute, ignored", 0, 2, mlir.EquivalenceOptions{IgnoreLocations: true, IgnoreDiscardable: true},
				true},
			{"the order of operands", 0, 3, mlir.EquivalenceOptions{IgnoreLocations: true, IgnoreCommutativity: true},
				false},
			{"another operation", 0, 4, places, false},
			{"a property", 0, 5, places, false},
			{"a property, ignored", 0, 5, mlir.EquivalenceOptions{IgnoreLocations: true, IgnoreProperties: true}, true},
		} {
			got, err := ops[test.i].Equivalent(ops[test.j], test.options)
			if !mlirtest.Supported(t, e.Library, err, "mlirOperationIsStructurallyEquivalent") {
				return
			}
			check.Diff(t, test.name, test.want, got)
			if got {
				check.Diff(t, test.name+", hashed", check.Must(ops[test.i].EquivalenceHash(test.options)),
					check.Must(ops[test.j].EquivalenceHash(test.options)))
			}
		}
	})
}

func TestReplaceUsesIf(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, `%a = "t.make"() : () -> i32
%b = "t.other"() : () -> i32
"t.use"(%a, %b, %a) : (i32, i32, i32) -> ()
"t.more"(%a) : (i32) -> ()`)
		a, b := op(m, "t.make").Result(0), op(m, "t.other").Result(0)
		seen := 0
		a.ReplaceUsesIf(b, func(use mlir.Use) bool {
			seen++
			return use.Owner.Name() == "t.more" || use.Operand == 2
		})
		check.Diff(t, "uses", 3, seen)
		check.Diff(t, "module", `module {
  %0 = "t.make"() : () -> i32
  %1 = "t.other"() : () -> i32
  "t.use"(%0, %1, %1) : (i32, i32, i32) -> ()
  "t.more"(%1) : (i32) -> ()
}
`, m.String())
		b.ReplaceUsesIf(b, func(mlir.Use) bool { return true })
	})
}

func TestHandleDiagnostics(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		var got []string
		note := func(who string) func(d mlir.Diagnostic, at mlir.Location) bool {
			return func(d mlir.Diagnostic, at mlir.Location) bool {
				got = append(got, who+" "+d.String()+" "+at.String())
				return who == d.Message
			}
		}
		defer c.OnDiagnostic(func(d mlir.Diagnostic) { got = append(got, "on "+d.Message) })()
		defer c.HandleDiagnostics(note("first"))()
		stop := c.HandleDiagnostics(note("second"))
		at := c.NameLocation("here", c.FileLocation("a.go", 1, 2))
		c.EmitWarning(at, "first")
		c.EmitRemark(at, "second")
		c.EmitError(at, "none")
		stop()
		m := mlirtest.Parse(t, c, `module { "t.x"() : () -> () }`)
		op(m, "t.x").EmitWarning("x")
		op(m, "t.x").EmitRemark("y")
		const place = ` loc("here"("a.go":1:2))`
		const x = ` loc("test.mlir":1:10)`
		check.Diff(t, "calls", []string{
			"second a.go:1:2: warning: first" + place, "first a.go:1:2: warning: first" + place,
			"second a.go:1:2: remark: second" + place,
			"second a.go:1:2: error: none" + place, "first a.go:1:2: error: none" + place, "on none",
			"first test.mlir:1:10: warning: x" + x, "on x", "first test.mlir:1:10: remark: y" + x, "on y",
		}, got)
		got = nil
		_, err := c.ParseType("tensor<")
		check.Error(t, err, "mlir: ")
		_, err = c.Parse("a.mlir", []byte("module {\n  func.func @f() { return %x : i32 }\n}"))
		check.Error(t, err, "a.mlir:2:27: error: ")
		check.Diff(t, "calls in parsers", []string{
			`first tensor<:1:7: error: expected non-function type loc("tensor<":1:7)`, "on expected non-function type",
			`first a.mlir:2:27: error: use of undeclared SSA value name loc("a.mlir":2:27)`,
			"on use of undeclared SSA value name",
		}, got)
	})
}
