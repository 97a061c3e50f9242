package dominance_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dominance"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// TestInfo checks the answers for a function with a branch, a join and a block that is
// never reached.
func TestInfo(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := e.Library.NewContext(mlir.ContextOptions{AllowUnregistered: true})
		check.Cleanup(t, c)
		if !e.Library.Has("mlirDominanceInfoCreate") {
			_, err := dominance.Of(mlirtest.Parse(t, c, "").Operation())
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
		op := func(name string) mlir.Operation {
			for o := range m.Operation().All() {
				if o.Name() == name {
					return o
				}
			}
			panic("no " + name)
		}
		a, b, join, inside := op("t.a"), op("t.b"), op("t.c"), op("t.inside")
		d, err := dominance.Of(m.Operation())
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
		function, err := dominance.Of(m.Body().First())
		check.NoError(t, err)
		check.Panics(t, "not in the one that was analysed", func() { function.Dominates(m.Body().First(), a) })
		check.Panics(t, "nil", func() { function.Dominates(mlir.Operation{}, a) })
		check.NoError(t, function.Close())
		check.NoError(t, function.Close())
		check.Panics(t, "after Info.Close", func() { function.Reachable(entry) })
		check.NoError(t, m.Close())
		check.Panics(t, "after Module.Close", func() { d.Reachable(entry) })
		check.NoError(t, d.Close())
	})
}
