package mlir_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// eachRewriting runs a test on the engines that call patterns written in Go, and checks
// that the others refuse them.
func eachRewriting(t *testing.T, test func(t *testing.T, c *mlir.Context)) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		if e.Library.Has("mlirOpRewritePatternCreate") {
			test(t, c)
			return
		}
		if _, err := c.NewPatterns(double); !errors.Is(err, mlir.ErrUnsupported) {
			t.Errorf("patterns are refused with %v", err)
		}
	})
}

// double replaces each x * 2 by x + x.
var double = mlir.Pattern{
	Name:      "double",
	Op:        "arith.muli",
	Generates: []string{"arith.addi"},
	Rewrite: func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
		by := op.Operand(1).Owner()
		if by.IsNil() || by.Name() != "arith.constant" {
			return false, nil
		}
		value, _ := by.Attribute("value")
		if n, ok := value.Int(); !ok || n != 2 {
			return false, nil
		}
		x := op.Operand(0)
		sum, err := mlir.Create(r, mlir.OperationState{
			Name: "arith.addi", Location: op.Location(), Operands: []mlir.Value{x, x}, Results: []mlir.Type{x.Type()},
		})
		if err != nil {
			return false, err
		}
		r.ReplaceWith(op, sum)
		return true, nil
	},
}

const doubling = `module {
  func.func @f(%x: i32, %y: i32) -> (i32, i32) {
    %c2 = arith.constant 2 : i32
    %0 = arith.muli %x, %c2 : i32
    %1 = arith.muli %0, %y : i32
    return %0, %1 : i32, i32
  }
}`

func patterns(t testing.TB, c *mlir.Context, list ...mlir.Pattern) *mlir.Patterns {
	t.Helper()
	s, err := c.NewPatterns(list...)
	check.NoError(t, err)
	return s
}

func TestPatterns(t *testing.T) {
	eachRewriting(t, func(t *testing.T, c *mlir.Context) {
		want := `module {
  func.func @f(%arg0: i32, %arg1: i32) -> (i32, i32) {
    %0 = arith.addi %arg0, %arg0 : i32
    %1 = arith.muli %0, %arg1 : i32
    return %0, %1 : i32, i32
  }
}
`
		s := patterns(t, c, double)
		for name, apply := range map[string]func(*mlir.Module) error{
			"greedy": func(m *mlir.Module) error { return s.Apply(m, mlir.GreedyOptions{}) },
			"top down": func(m *mlir.Module) error {
				return s.Apply(m, mlir.GreedyOptions{TopDown: true, Strictness: mlir.ExistingAndNew,
					Regions: mlir.SimplifyNothing, NoConstantCSE: true})
			},
			"walk": func(m *mlir.Module) error {
				defer func() {
					// the constant is dead
					pm := passManager(t, c, mlir.PassManagerOptions{Pipeline: "builtin.module(cse)"})
					check.Report(t, pm.Run(m))
				}()
				return s.Walk(m)
			},
		} {
			m := mlirtest.Parse(t, c, doubling)
			before := slices.Collect(m.Body().Operations())[0]
			if err := apply(m); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if diff := cmp.Diff(want, m.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			if err := m.Verify(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			check.Panics(t, "Operation.Name called after Patterns.", func() { before.Name() })
		}
	})
}

func TestPatternFailures(t *testing.T) {
	eachRewriting(t, func(t *testing.T, c *mlir.Context) {
		apply := func(f func(op mlir.Operation, r *mlir.Rewriter) (bool, error)) error {
			s := patterns(t, c, mlir.Pattern{Name: "test", Op: "arith.muli", Rewrite: f})
			defer s.Close()
			return s.Apply(mlirtest.Parse(t, c, doubling), mlir.GreedyOptions{MaxIterations: 3, MaxRewrites: 5})
		}
		var pattern *mlir.PatternError
		calls := 0
		err := apply(func(mlir.Operation, *mlir.Rewriter) (bool, error) { calls++; return false, fs.ErrNotExist })
		if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &pattern) || pattern.Pattern != "test" || calls != 1 {
			t.Errorf("a pattern that fails was called %d times: %v", calls, err)
		}
		var panicked *mlir.PanicError
		if err := apply(func(mlir.Operation, *mlir.Rewriter) (bool, error) { panic("boom") }); !errors.As(err,
			&panicked) || panicked.Value != "boom" {
			t.Errorf("a pattern that panics: %v", err)
		}
		if err := apply(func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
			return true, r.ModifyInPlace(op, func() error { op.SetAttribute("again", c.UnitAttribute()); return nil })
		}); !errors.Is(err, mlir.ErrNotConverged) {
			t.Errorf("a pattern that always matches: %v", err)
		}
		for want, f := range map[string]func(op mlir.Operation, r *mlir.Rewriter) error{
			"its result 0 is used by": func(op mlir.Operation, r *mlir.Rewriter) error {
				return r.Erase(op)
			},
			"use Rewriter.Erase": func(op mlir.Operation, r *mlir.Rewriter) error {
				return op.Erase()
			},
			"given 0 values instead of 1": func(op mlir.Operation, r *mlir.Rewriter) error {
				r.Replace(op)
				return nil
			},
			"a value of the operation that it erases": func(op mlir.Operation, r *mlir.Rewriter) error {
				r.Replace(op, op.Result(0))
				return nil
			},
			"or on one around it": func(op mlir.Operation, r *mlir.Rewriter) error { return r.Erase(op.Parent()) },
			"has no insertion point": func(op mlir.Operation, r *mlir.Rewriter) error {
				r.SetInsertionPoint(nil)
				_, err := r.Clone(op)
				return err
			},
			"called in a pattern on another rewriter": func(op mlir.Operation, r *mlir.Rewriter) error {
				own, err := c.NewRewriter()
				if err != nil {
					return err
				}
				defer own.Close()
				return own.Erase(op)
			},
			"into itself": func(op mlir.Operation, r *mlir.Rewriter) error {
				r.MoveBefore(op.Parent(), op)
				return nil
			},
		} {
			err := apply(func(op mlir.Operation, r *mlir.Rewriter) (bool, error) { return false, f(op, r) })
			check.Error(t, err, want)
		}
		s := patterns(t, c, mlir.Pattern{Name: "greedy", Op: "arith.muli",
			Rewrite: func(op mlir.Operation, r *mlir.Rewriter) (bool, error) {
				constant := op.Operand(1).Owner()
				if constant.IsNil() {
					return false, nil
				}
				r.Replace(constant, op.Operand(0))
				return true, nil
			}})
		if err := s.Walk(mlirtest.Parse(t, c, doubling)); err == nil ||
			!strings.Contains(err.Error(), "outside the matched operation") {
			t.Errorf("a walk that erases outside the match: %v", err)
		}
		s.Close()
		s.Close()
		check.Panics(t, "called after Patterns.Close", func() { s.Walk(mlirtest.Parse(t, c, doubling)) })
		for _, bad := range []mlir.Pattern{{}, {Op: "arith.muli"},
			{Op: "arith.muli", Rewrite: double.Rewrite, Benefit: 1 << 16}} {
			if _, err := c.NewPatterns(bad); err == nil {
				t.Errorf("the pattern %+v was taken", bad)
			}
		}
	})
}

// TestBenefit checks that the pattern with the larger benefit is tried first.
func TestBenefit(t *testing.T) {
	eachRewriting(t, func(t *testing.T, c *mlir.Context) {
		var order []string
		note := func(name string, benefit int) mlir.Pattern {
			return mlir.Pattern{Name: name, Op: "func.return", Benefit: benefit,
				Rewrite: func(mlir.Operation, *mlir.Rewriter) (bool, error) {
					order = append(order, name)
					return false, nil
				}}
		}
		if err := patterns(t, c, note("small", 1), note("large", 7),
			note("middle", 3)).Walk(mlirtest.Parse(t, c, doubling)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"large", "middle", "small"}, order); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

// TestRewriter makes each kind of change with a rewriter outside of patterns.
func TestRewriter(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		for _, test := range rewriterTests {
			t.Run(test.name, func(t *testing.T) {
				// Not every library has a dialect with branches.
				c := e.Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
				check.Cleanup(t, c)
				r, err := c.NewRewriter()
				check.NoError(t, err)
				m := mlirtest.Parse(t, c, `func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.muli %0, %x : i32
  return %1 : i32
}
func.func @g(%x: i32) -> i32 {
  "test.br"(%x)[^bb1] : (i32) -> ()
^bb1(%y: i32):
  return %y : i32
}`)
				functions := slices.Collect(m.Body().Operations())
				f, g := functions[0], functions[1]
				check.NoError(t, test.change(r, f, g))
				check.NoError(t, m.Verify())
				if got := shape(m); got != test.want {
					t.Errorf("the module is %s, want %s", got, test.want)
				}
				r.Close()
				check.Panics(t, "called after Rewriter.Close", func() { r.SetInsertionPoint(nil) })
			})
		}
	})
}

// shape returns the names of the operations in the functions of a module, with bars between
// blocks.
func shape(m *mlir.Module) string {
	var out []string
	for f := range m.Body().Operations() {
		var blocks []string
		for b := range f.Region(0).Blocks() {
			var names []string
			for o := range b.Operations() {
				_, name, _ := strings.Cut(o.Name(), ".")
				names = append(names, name)
			}
			blocks = append(blocks, strings.Join(names, " "))
		}
		out = append(out, strings.Join(blocks, " | "))
	}
	return strings.Join(out, "; ")
}

func operations(f mlir.Operation) []mlir.Operation {
	return slices.Collect(f.Region(0).First().Operations())
}

var rewriterTests = []struct {
	name   string
	change func(r *mlir.Rewriter, f, g mlir.Operation) error
	want   string
}{
	{"clone", func(r *mlir.Rewriter, f, g mlir.Operation) error {
		r.SetInsertionPoint(mlir.Before(operations(f)[1]))
		_, err := r.Clone(operations(f)[0])
		return err
	}, "addi addi muli return; br | return"},
	{"clone without regions", func(r *mlir.Rewriter, f, g mlir.Operation) error {
		r.SetInsertionPoint(mlir.AtStart(f.Region(0).First()))
		_, err := r.CloneWithoutRegions(operations(f)[0])
		return err
	}, "addi addi muli return; br | return"},
	{"after", func(r *mlir.Rewriter, f, g mlir.Operation) error {
		add := operations(f)[0]
		r.SetInsertionPoint(mlir.After(add))
		x := add.Operand(0)
		o, err := mlir.Create(r,
			mlir.OperationState{Name: "arith.subi", Operands: []mlir.Value{x, x}, Results: []mlir.Type{x.Type()}})
		if err == nil && !r.Block().Equal(o.Block()) {
			return errors.New("the insertion point is elsewhere")
		}
		return err
	}, "addi subi muli return; br | return"},
	{"after a value", func(r *mlir.Rewriter, f, g mlir.Operation) error {
		ops := operations(f)
		r.SetInsertionPoint(mlir.AfterValue(ops[1].Result(0)))
		if _, err := r.Clone(ops[0]); err != nil {
			return err
		}
		r.SetInsertionPoint(mlir.AfterValue(f.Region(0).First().Argument(0)))
		_, err := r.Clone(ops[0])
		return err
	}, "addi addi muli addi return; br | return"},
	{"the insertion point goes", func(r *mlir.Rewriter, f, g mlir.Operation) error {
		ops := operations(f)
		r.SetInsertionPoint(mlir.Before(ops[1]))
		x := ops[0].Operand(0)
		r.Replace(ops[1], x) // the insertion point is before the return now
		_, err := mlir.Create(r,
			mlir.OperationState{Name: "arith.subi", Operands: []mlir.Value{x, x}, Results: []mlir.Type{x.Type()}})
		return err
	}, "addi subi return; br | return"},
	{"the insertion point's block goes", func(r *mlir.Rewriter, f, g mlir.Operation) error {
		r.SetInsertionPoint(mlir.AtEnd(g.Region(0).First()))
		if err := r.Erase(g); err != nil {
			return err
		}
		if _, err := r.Clone(operations(f)[0]); err == nil {
			return errors.New("there still is an insertion point")
		}
		return nil
	}, "addi muli return"},
	{"move", func(r *mlir.Rewriter, f, g mlir.Operation) error {
		ops := operations(f)
		r.SetInsertionPoint(mlir.Before(ops[0]))
		copied, err := r.Clone(ops[0])
		if err != nil {
			return err
		}
		r.MoveAfter(copied, ops[1])
		r.MoveBefore(copied, ops[1])
		r.MoveAfter(copied, ops[1])
		return nil
	}, "addi muli addi return; br | return"},
	{"uses", func(r *mlir.Rewriter, f, g mlir.Operation) error {
		ops := operations(f)
		x := ops[0].Operand(0)
		r.ReplaceUsesInBlock(ops[0], []mlir.Value{x}, f.Region(0).First())
		r.ReplaceAllUsesExcept(x, ops[0].Result(0), ops[0]) // the product uses the sum again
		r.ReplaceAllUses(ops[1].Result(0), ops[0].Result(0))
		return r.Erase(ops[1])
	}, "addi return; br | return"},
	{"merge", func(r *mlir.Rewriter, f, g mlir.Operation) error {
		blocks := slices.Collect(g.Region(0).Blocks())
		br := operations(g)[0]
		x := br.Operand(0)
		if err := r.MergeBlocks(blocks[1], blocks[0], x); err == nil {
			return errors.New("a block that is branched to was merged")
		}
		if err := r.Erase(br); err != nil {
			return err
		}
		if err := r.MergeBlocks(blocks[1], blocks[0], x); err != nil {
			return err
		}
		return r.Erase(g)
	}, "addi muli return"},
	{"blocks", func(r *mlir.Rewriter, f, g mlir.Operation) error {
		blocks := slices.Collect(g.Region(0).Blocks())
		made := r.NewBlock(blocks[1], mlir.Location{}, blocks[1].Argument(0).Type())
		if _, err := mlir.Create(r,
			mlir.OperationState{Name: "func.return", Operands: []mlir.Value{made.Argument(0)}}); err != nil {
			return err
		}
		r.CloneRegionBefore(f.Region(0), blocks[1])
		r.MoveBlockBefore(blocks[1], made)
		return nil
	}, "addi muli return; br | return | return | addi muli return"},
}
