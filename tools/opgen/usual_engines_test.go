//go:build engines

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestUsual checks that an operation which infers its results in one library has short forms in LLVM 22 as well, and
// that the types given there are those that other libraries infer.
func TestUsual(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		compared := 0
		for _, dialect := range dialects {
			path := filepath.Join(root, filepath.FromSlash(tableFile(dialect)))
			g := &generator{table: check.Must(parse(path, check.Must(os.ReadFile(path)))), dialect: dialect}
			if c.LoadDialect(dialect) != nil {
				continue
			}
			for _, op := range g.operations {
				if !c.Registered(op.name) || !op.is(infers) {
					continue
				}
				types, known := g.usual(&op)
				switch inferred := c.InfersTypes(op.name); {
				case !inferred && !known && c.Library() == mlirtest.Upstream(t):
					t.Errorf("%s: the library does not infer its results, and no types are known", op.name)
				case inferred && known && len(op.list("operand")) == 0 &&
					!slices.ContainsFunc(op.list("attribute"), func(p part) bool { return p.many == "" }):
					compared++
					got := check.Must(c.InferTypes(mlir.OperationState{Name: op.name}))
					check.Diff(t, op.name, check.Must(strconv.Unquote(types)), got[0].String())
				}
			}
		}
		if e.Name == "default" && compared < 70 {
			t.Errorf("only %d operations were compared", compared)
		}
	})
}
