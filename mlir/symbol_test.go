package mlir_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

const symbols = `module @top {
  func.func private @f()
  func.func @g() {
    call @f() : () -> ()
    return
  }
  module @inner {
    func.func private @f()
  }
}`

func TestSymbols(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := e.Library.NewContext(mlir.ContextOptions{})
		defer c.Close()
		m := mlirtest.Parse(t, c, symbols)
		table := m.SymbolTable()
		list := func() (out []string) {
			for n, o := range table.All() {
				out = append(out, string(o.Visibility())+" "+n)
			}
			return out
		}
		check.Diff(t, "all", []string{"private f", "public g", "public inner"}, list())
		f, ok := table.Lookup("f")
		check.Diff(t, "found", []any{true, "func.func", true},
			[]any{ok, f.Name(), table.Operation().Equal(m.Operation())})
		_, ok = table.Lookup("h")
		check.Diff(t, "not found", false, ok)

		check.NoError(t, table.Rename("f", "renamed"))
		check.Diff(t, "renamed", true, strings.Contains(m.String(), "call @renamed()"))
		if inner, _ := table.Lookup("inner"); !strings.Contains(inner.String(), "@f()") {
			t.Errorf("the inner f is renamed too:\n%s", inner)
		}
		for _, bad := range [][2]string{{"nosuch", "x"}, {"renamed", "g"}, {"renamed", ""}} {
			if err := table.Rename(bad[0], bad[1]); err == nil {
				t.Errorf("renamed %s to %q", bad[0], bad[1])
			}
		}
		check.Report(t, table.Rename("g", "g"))

		// A second symbol with that name is renamed.
		name, err := table.Insert(f.Clone())
		check.Diff(t, "inserted", []any{"renamed_0", nil}, []any{name, err})
		check.Report(t, m.Verify())
		if _, err := table.Insert(create(t, c, mlir.OperationState{Name: "func.return"})); err == nil {
			t.Error("inserted something without a name")
		}
		g, _ := table.Lookup("g")
		if _, err := g.SymbolTable(); err == nil {
			t.Error("a function is a symbol table")
		}
		g.SetVisibility(mlir.Private)
		check.Diff(t, "private", mlir.Private, g.Visibility())
		g.SetVisibility(mlir.Public)
		check.Diff(t, "public", mlir.Public, g.Visibility())
		check.Panics(t, `"secret" is not a visibility`, func() { g.SetVisibility("secret") })
		check.Panics(t, "an empty name", func() { g.SetSymbol("") })

		check.NoError(t, g.Erase())
		if _, ok := table.Lookup("g"); ok {
			t.Error("an erased symbol was found")
		}
		if err := table.Erase("g"); err == nil {
			t.Error("erased twice")
		}
		check.Report(t, table.Erase("renamed_0"))
		check.Diff(t, "left", []string{"private renamed", "public inner"}, list())
		var tables []string
		for s := range m.Operation().SymbolTables() {
			n, _ := s.Operation().Symbol()
			tables = append(tables, n)
		}
		check.Diff(t, "tables", []string{"top", "inner"}, tables)
		m.Close()
		check.Panics(t, "called after Module.Close", func() { table.Lookup("renamed") })
	})
}

// TestNoTable checks operations without a body, which the library would read.
func TestNoTable(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		bare := create(t, c, mlir.OperationState{Name: "builtin.module", Regions: []mlir.Region{c.NewRegion()}})
		if _, err := bare.SymbolTable(); err == nil {
			t.Error("a module without a block has a symbol table")
		}
		if _, err := create(t, c, mlir.OperationState{Name: "t.x"}).SymbolTable(); err == nil {
			t.Error("an operation without regions has a symbol table")
		}
		m := mlirtest.Parse(t, c, `"t.x"() {to = @f} : () -> ()`)
		if err := m.Operation().ReplaceSymbolUses("", "x"); err == nil {
			t.Error("an empty name is replaced")
		}
	})
}
