package mlir_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestMoveWhileIterating checks that an iteration terminates, and visits each operation or
// block once, if the loop moves them forward.
func TestMoveWhileIterating(t *testing.T) {
	c := mlirtest.Context(t)
	c.SetAllowUnregistered(true)
	const numbered = `module {
  func.func private @a()
  func.func private @b()
  func.func private @c()
  func.func @blocks() {
    "t.br"()[^one] : () -> ()
  ^one:
    "t.br"()[^two] : () -> ()
  ^two:
    return
  }
}`
	m := mlirtest.Parse(t, c, numbered)
	var seen []string
	for f := range m.Body().Operations() {
		name, _ := f.Symbol()
		if seen = append(seen, name); len(seen) > 8 {
			break
		}
		if next := f.Next(); !next.IsNil() {
			f.MoveAfter(next)
		}
		if name == "b" {
			check.NoError(t, m.SymbolTable().Erase("c"))
		}
	}
	check.Diff(t, "operations", "a b blocks", strings.Join(seen, " "))

	f, _ := m.SymbolTable().Lookup("blocks")
	region, n := f.Region(0), 0
	last := region.First().Next().Next()
	for b := range region.Blocks() {
		if n++; n > 8 {
			break
		}
		if !b.Equal(region.First()) && !b.Equal(last) {
			b.MoveAfter(last)
			last = b
		}
	}
	check.Diff(t, "blocks", 3, n)
}
