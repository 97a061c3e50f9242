package mlir_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/mlirtest"
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
		m := parse(t, c, symbols)
		table := m.SymbolTable()
		list := func() (out []string) {
			for n, o := range table.All() {
				out = append(out, string(o.Visibility())+" "+n)
			}
			return out
		}
		same(t, "all", list(), []string{"private f", "public g", "public inner"})
		f, ok := table.Lookup("f")
		same(t, "found", []any{ok, f.Name(), table.Operation().Equal(m.Operation())}, []any{true, "func.func", true})
		_, ok = table.Lookup("h")
		same(t, "not found", ok, false)

		if err := table.Rename("f", "renamed"); err != nil {
			t.Fatal(err)
		}
		same(t, "renamed", strings.Contains(m.String(), "call @renamed()"), true)
		if inner, _ := table.Lookup("inner"); !strings.Contains(inner.String(), "@f()") {
			t.Errorf("the inner f is renamed too:\n%s", inner)
		}
		for _, bad := range [][2]string{{"nosuch", "x"}, {"renamed", "g"}, {"renamed", ""}} {
			if err := table.Rename(bad[0], bad[1]); err == nil {
				t.Errorf("renamed %s to %q", bad[0], bad[1])
			}
		}
		if err := table.Rename("g", "g"); err != nil {
			t.Error(err)
		}

		// A second one of that name gets another name.
		name, err := table.Insert(f.Clone())
		same(t, "inserted", []any{name, err}, []any{"renamed_0", nil})
		if err := m.Verify(); err != nil {
			t.Error(err)
		}
		if _, err := table.Insert(create(t, c, mlir.OperationState{Name: "func.return"})); err == nil {
			t.Error("inserted something without a name")
		}
		g, _ := table.Lookup("g")
		if _, err := g.SymbolTable(); err == nil {
			t.Error("a function is a symbol table")
		}
		g.SetVisibility(mlir.Private)
		same(t, "private", g.Visibility(), mlir.Private)
		g.SetVisibility(mlir.Public)
		same(t, "public", g.Visibility(), mlir.Public)
		mustPanic(t, `"secret" is no visibility`, func() { g.SetVisibility("secret") })
		mustPanic(t, "an empty name", func() { g.SetSymbol("") })

		if err := g.Erase(); err != nil {
			t.Fatal(err)
		}
		if _, ok := table.Lookup("g"); ok {
			t.Error("what was erased is found")
		}
		if err := table.Erase("g"); err == nil {
			t.Error("erased twice")
		}
		if err := table.Erase("renamed_0"); err != nil {
			t.Error(err)
		}
		same(t, "left", list(), []string{"private renamed", "public inner"})
		var tables []string
		for s := range m.Operation().SymbolTables() {
			n, _ := s.Operation().Symbol()
			tables = append(tables, n)
		}
		same(t, "tables", tables, []string{"top", "inner"})
		m.Close()
		mustPanic(t, "called after Module.Close", func() { table.Lookup("renamed") })
	})
}

// TestNoTable asks operations without a body, which the library would look into.
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
		m := parse(t, c, `"t.x"() {to = @f} : () -> ()`)
		if err := m.Operation().ReplaceSymbolUses("", "x"); err == nil {
			t.Error("an empty name is replaced")
		}
	})
}
