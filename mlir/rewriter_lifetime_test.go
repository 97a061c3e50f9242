package mlir_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestRewriterErased checks that handles to objects that a rewriter has erased panic, even
// after the library has reused the memory, and that handles to moved objects stay valid.
func TestRewriterErased(t *testing.T) {
	for name, test := range map[string]struct {
		by    string // the method that the panics name
		erase func(r *mlir.Rewriter, outer, inner, end mlir.Operation) error
		gone  func(outer, inner, end mlir.Operation, block mlir.Block, argument, result mlir.Value) map[string]func()
	}{
		"erase": {"Rewriter.Erase", func(r *mlir.Rewriter, outer, inner, end mlir.Operation) error {
			return r.Erase(outer)
		}, func(outer, inner, end mlir.Operation, block mlir.Block, argument, result mlir.Value) map[string]func() {
			return map[string]func(){
				"operation": func() { outer.Name() }, "inner operation": func() { inner.Name() },
				"block": func() { block.First() }, "argument": func() { argument.Type() },
				"result": func() { result.NumUses() },
			}
		}},
		"replace": {"Rewriter.Replace", func(r *mlir.Rewriter, outer, inner, end mlir.Operation) error {
			r.Replace(inner, inner.Operand(0))
			return nil
		}, func(outer, inner, end mlir.Operation, block mlir.Block, argument, result mlir.Value) map[string]func() {
			return map[string]func(){"operation": func() { inner.Name() }, "result": func() { result.Type() }}
		}},
		"erase a block": {"Rewriter.EraseBlock", func(r *mlir.Rewriter, outer, inner, end mlir.Operation) error {
			if err := r.Erase(inner.Next()); err != nil {
				return err
			}
			return r.EraseBlock(end.Block())
		}, func(outer, inner, end mlir.Operation, block mlir.Block, argument, result mlir.Value) map[string]func() {
			return map[string]func(){"operation": func() { end.Name() }}
		}},
		"merge": {"Rewriter.MergeBlocks", func(r *mlir.Rewriter, outer, inner, end mlir.Operation) error {
			if err := r.Erase(inner.Next()); err != nil {
				return err
			}
			return r.MergeBlocks(inner.Block(), end.Block(), inner.Operand(0))
		}, func(outer, inner, end mlir.Operation, block mlir.Block, argument, result mlir.Value) map[string]func() {
			return map[string]func(){"block": func() { block.First() }, "argument": func() { argument.Type() }}
		}},
		"inline": {"Rewriter.InlineBlockBefore", func(r *mlir.Rewriter, outer, inner, end mlir.Operation) error {
			if err := r.Erase(inner.Next()); err != nil {
				return err
			}
			return r.InlineBlockBefore(inner.Block(), end, inner.Operand(0))
		}, func(outer, inner, end mlir.Operation, block mlir.Block, argument, result mlir.Value) map[string]func() {
			return map[string]func(){"block": func() { block.First() }, "argument": func() { argument.Type() }}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
				c := loose(t, e)
				r := check.Must(c.NewRewriter())
				m := mlirtest.Parse(t, c, nested)
				outer, inner, end, first := op(m, "t.outer"), op(m, "t.inner"), op(m, "t.end"), op(m, "t.make")
				block, argument, result := inner.Block(), inner.Block().Argument(0), inner.Result(0)
				check.NoError(t, test.erase(r, outer, inner, end))
				r.SetInsertionPoint(mlir.After(first))
				for range 50 { // memory is reused
					check.Must(r.Clone(first))
				}
				for what, use := range test.gone(outer, inner, end, block, argument, result) {
					t.Run(what, func(t *testing.T) {
						check.Panics(t, "that "+test.by+" has erased", use)
					})
				}
				if name == "merge" || name == "inline" {
					check.Diff(t, "the operand of what has moved", true, inner.Operand(1).Equal(first.Result(0)))
				}
				m.Close()
				check.Panics(t, "called after Module.Close", func() { outer.Name() })
			})
		})
	}
}

// TestRewriterRefuses checks that a rewriter refuses changes that would leave operands
// without a value, and that an erased insertion point is an error.
func TestRewriterRefuses(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		r := check.Must(c.NewRewriter())
		one, two := mlirtest.Parse(t, c, nested), mlirtest.Parse(t, c, nested)
		inner, end := op(one, "t.inner"), op(one, "t.end")
		other := op(two, "t.make").Result(0)
		check.Panics(t, "is not in the module of the operation", func() { r.Replace(inner, other) })
		check.Panics(t, "is not in the module of the operation",
			func() { r.ReplaceUsesInBlock(inner, []mlir.Value{other}, end.Block()) })
		check.Panics(t, "a value of another module", func() { _ = r.MergeBlocks(inner.Block(), end.Block(), other) })
		check.Panics(t, "an argument of the block that it erases",
			func() { _ = r.MergeBlocks(inner.Block(), end.Block(), inner.Operand(1)) })
		loop := op(two, "t.jump")
		loop.SetSuccessor(0, loop.Block())
		if err := r.InlineBlockBefore(loop.Block(), op(two, "t.outer"), other); err == nil ||
			!strings.Contains(err.Error(), "t.jump at test.mlir:6:5, in it, branches to it") {
			t.Errorf("inlining a loop: %v", err)
		}
		r.SetInsertionPoint(mlir.AtEnd(two.Body()))
		check.Panics(t, "of another module that uses values there", func() { _, _ = r.Clone(inner) })
		if _, err := r.Clone(op(one, "t.make")); err != nil {
			t.Error(err)
		}
		check.Error(t, r.Erase(inner), "its result 0 is used by t.end")
		gone := func(what string) {
			t.Helper()
			if _, err := r.Clone(op(one, "t.make")); err == nil ||
				!strings.Contains(err.Error(), "call SetInsertionPoint again") {
				t.Errorf("an insertion point %s: %v", what, err)
			}
		}
		r.SetInsertionPoint(mlir.Before(end))
		end.Detach()
		gone("at what was detached")
		two.Close()
		made := mlirtest.Parse(t, c, nested)
		r.SetInsertionPoint(mlir.AtEnd(made.Body()))
		made.Close()
		gone("in a module that was closed")
		check.Diff(t, "its block", true, r.Block().IsNil())
	})
}

// TestPatternErased checks that handles to objects that a pattern has erased panic at once,
// and that all handles of a pattern panic in its next call.
func TestPatternErased(t *testing.T) {
	eachRewriting(t, func(t *testing.T, c *mlir.Context) {
		var kept []func()
		var replaced mlir.Operation
		erased := 0
		s := patterns(t, c, mlir.Pattern{Name: "double", Op: "arith.muli",
			Rewrite: func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
				for _, use := range kept {
					check.Panics(t, "called after the end of the pass or pattern that it was for", use)
				}
				if !replaced.IsNil() {
					check.Panics(t, "Operation.Name called ", func() { replaced.Name() })
				}
				replaced = op
				x, result := op.Operand(0), op.Result(0)
				made, err := mlir.Create(r, mlir.OperationState{Name: "arith.addi", Operands: []mlir.Value{x, x},
					Results: []mlir.Type{x.Type()}})
				if err != nil {
					return false, err
				}
				r.ReplaceWith(op, made)
				erased++
				for range 20 { // memory is not reused yet
					if _, err := r.Clone(made); err != nil {
						return false, err
					}
				}
				check.Panics(t, "that Rewriter.Replace has erased", func() { op.Name() })
				check.Panics(t, "that Rewriter.Replace has erased", func() { result.Type() })
				check.Panics(t, "an operation that Rewriter.Replace has erased",
					func() { r.SetInsertionPoint(mlir.Before(op)) })
				kept = append(kept, func() { made.Name() }, func() { x.Type() }, func() { r.Block() })
				return false, nil // wrong: erased operations must not be visited again
			}})
		for _, apply := range []func(*mlir.Module) error{
			func(m *mlir.Module) error { return s.Apply(m, mlir.GreedyOptions{}) },
			s.Walk,
		} {
			m := mlirtest.Parse(t, c, doubling)
			check.NoError(t, apply(m))
			check.Report(t, m.Verify())
			for _, use := range kept {
				check.Panics(t, "mlir: ", use)
			}
			kept = nil
		}
		if erased < 2 {
			t.Errorf("the pattern has erased %d operations", erased)
		}
	})
}

// TestPatternTakesAway checks that a pattern cannot remove objects that its driver works on
// without its rewriter, and cannot run anything there, but can do both elsewhere.
func TestPatternTakesAway(t *testing.T) {
	eachRewriting(t, func(t *testing.T, c *mlir.Context) {
		calls := 0
		inner := patterns(t, c, mlir.Pattern{Name: "none", Op: "t.none",
			Rewrite: func(mlir.Operation, *mlir.Rewriter) (bool, error) { return false, nil }})
		m := mlirtest.Parse(t, c, doubling)
		s := patterns(t, c, mlir.Pattern{Name: "test", Op: "arith.muli",
			Rewrite: func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
				if calls++; calls > 1 {
					return false, nil
				}
				check.Panics(t, "called in a pattern", func() { op.Detach() })
				check.Panics(t, "called in a pattern", func() { op.Block().Detach() })
				check.Panics(t, "called in a pattern", func() { _ = op.Block().Erase() })
				check.Panics(t, "called in a pattern", func() { c.NewRegion().TakeBody(op.Block().Region()) })
				if _, err := inner.ApplyTo(op.Parent(), mlir.GreedyOptions{}); err == nil ||
					!strings.Contains(err.Error(), "called in a pattern, on the module that the pattern changes") {
					t.Errorf("patterns in a pattern: %v", err)
				}
				other := mlirtest.Parse(t, c, doubling)
				check.Report(t, inner.Apply(other, mlir.GreedyOptions{}))
				other.Body().First().Detach()
				made := check.Must(mlir.Create(c, mlir.OperationState{Name: "func.return"}))
				return false, made.Erase()
			}})
		check.NoError(t, s.Apply(m, mlir.GreedyOptions{}))
	})
}

// TestPassTakesAway checks that a pass cannot remove objects that the library still needs.
func TestPassTakesAway(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		m := mlirtest.Parse(t, c, dead)
		f := op(m, "func.func").Detach()
		pm := passManager(t, c, mlir.PassManagerOptions{Op: "func.func"})
		calls := 0
		err := pm.AddPass(mlir.Pass{Name: "test", Run: func(o mlir.Operation) error {
			calls++
			const runs = "the operation that a pass or pattern runs on, or on one around it"
			check.Panics(t, "was given what a pass or pattern runs on", func() { m.Body().Append(o) })
			check.Panics(t, "Operation.Erase was called on "+runs, func() { _ = o.Erase() })
			block := o.Region(0).First().Detach() // it may change everything in it
			o.Region(0).Append(block)
			return nil
		}})
		check.NoError(t, err)
		if f, err = pm.RunOn(f); err != nil {
			t.Fatal(err)
		}
		m.Body().Append(f)
		inModule := passManager(t, c, mlir.PassManagerOptions{})
		if err := inModule.AddPass(mlir.Pass{Name: "test", Op: "func.func", Run: func(o mlir.Operation) error {
			calls++
			const runs = " was called on the operation that a pass runs on, or on one around it"
			check.Panics(t, "Block.Detach was called on the operation that a pass or pattern runs on",
				func() { m.Body().Detach() })
			for other := range m.Body().Operations() {
				if !other.Equal(o) {
					check.Panics(t, "Operation.MoveBefore"+runs, func() { o.MoveBefore(other) })
					const outside = " was given something outside the operation that a pass runs on"
					check.Panics(t, "Operation.Erase"+outside, func() { _ = other.Erase() })
					check.Panics(t, "Operation.Detach"+outside, func() { other.Detach() })
				}
			}
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
		m.Body().Append(op(mlirtest.Parse(t, c, strings.Replace(dead, "@dead", "@other", 1)), "func.func").Clone())
		check.Report(t, inModule.Run(m))
		check.Diff(t, "calls", 3, calls)
	})
}

// TestRunOnWhatIsUsed checks that nothing runs on an operation if an operation outside uses
// values or blocks in it: the library may destroy these.
func TestRunOnWhatIsUsed(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		for want, reach := range map[string]func(m *mlir.Module){
			", outside of it, uses a value in it": func(m *mlir.Module) {
				check.Must(mlir.Create(m.Body(),
					mlir.OperationState{Name: "t.user", Operands: []mlir.Value{op(m, "t.inner").Result(0)}}))
			},
			"t.jump at test.mlir:6:5, outside of it, branches into it": func(m *mlir.Module) {
				op(m, "t.jump").MoveBefore(op(m, "t.outer"))
			},
		} {
			m := mlirtest.Parse(t, c, nested)
			reach(m)
			pm := check.Must(c.NewPassManager(mlir.PassManagerOptions{Op: "t.outer"}))
			check.NoError(t, pm.Add("cse"))
			if _, err := pm.RunOn(op(m, "t.outer")); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want it to say %q", err, want)
			}
		}
	})
}

// TestVerifyUnplaced verifies operations that use a value of a block that is not in an
// operation. The library's verifier would crash on them.
func TestVerifyUnplaced(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		m := mlirtest.Parse(t, c, nested)
		free := c.NewBlock(mlir.Location{}, c.IntegerType(32, mlir.Signless))
		outer := op(m, "t.outer").Detach()
		outer.Region(0).First().First().SetOperand(0, free.Argument(0))
		verify := func(refused bool) {
			t.Helper()
			if err := outer.Verify(); err == nil ||
				strings.Contains(err.Error(), "that is not in an operation: add it to one first") != refused {
				t.Errorf("the error is %v", err)
			}
		}
		verify(true)
		region := c.NewRegion()
		region.Append(free)
		verify(true)
		create(t, c, mlir.OperationState{Name: "t.holder", Regions: []mlir.Region{region}})
		verify(false) // it does not dominate: the verifier's own error
	})
}
