package mlir_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestDialects(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := e.Library.NewContext(mlir.ContextOptions{})
		defer c.Close()
		list := c.Dialects()
		for _, want := range []string{"arith", "builtin", "func"} {
			if !slices.Contains(list, want) {
				t.Errorf("no %s among %q", want, list)
			}
		}
		for _, d := range list {
			if err := c.LoadDialect(d); err != nil {
				t.Errorf("loading %s: %v", d, err)
			}
		}
		loaded := c.NumLoaded()
		c.LoadAllDialects()
		check.Diff(t, "loaded", []bool{true, true}, []bool{loaded >= len(list), c.NumLoaded() >= loaded})
		if err := c.LoadDialect("nosuch"); err == nil {
			t.Error("loaded a dialect that there is not")
		}
		check.Diff(t, "unregistered", false, c.AllowsUnregistered())
		c.SetAllowUnregistered(true)
		mlirtest.Parse(t, c, `"no.such"() : () -> ()`)
		check.Diff(t, "unregistered", true, c.AllowsUnregistered())
	})
}

func TestThreads(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		pool := e.Library.NewThreadPool()
		c := e.Library.NewContext(mlir.ContextOptions{})
		n, err := c.NumThreads()
		if !without(t, e, "mlirContextGetNumThreads", err) {
			check.Diff(t, "threads", 1, n)
		}
		c.SetThreadPool(pool)
		c.SetThreadPool(pool)
		c.SetThreads(true)
		other := e.Library.NewContext(mlir.ContextOptions{Threads: true})
		other.SetThreadPool(pool)
		check.Report(t, mlirtest.Parse(t, c, symbols).Verify())
		check.Error(t, pool.Close(), "2 contexts still use the pool")
		other.SetThreads(false)
		c.Close()
		for range 2 {
			check.Report(t, pool.Close())
		}
		check.Panics(t, "a closed pool", func() { other.SetThreadPool(pool) })
		other.SetThreads(true)
		other.Close()
	})
}

func TestOnDiagnostic(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		var first, second []string
		stop := c.OnDiagnostic(func(d mlir.Diagnostic) { first = append(first, d.String()) })
		defer c.OnDiagnostic(func(d mlir.Diagnostic) { second = append(second, d.Message) })()
		c.EmitError(c.FileLocation("a.go", 1, 2), "one")
		m := mlirtest.Parse(t, c, `module { "t.x"() : () -> () }`)
		op(m, "t.x").EmitError("two\x00 and more")
		stop()
		if _, err := c.ParseType("tensor<"); err == nil {
			t.Error("half a type is one")
		}
		check.Diff(t, "first", []string{"a.go:1:2: error: one", "test.mlir:1:10: error: two"}, first)
		check.Diff(t, "second", []any{3, "one"}, []any{len(second), second[0]})
	})
}

func TestParseFile(t *testing.T) {
	c := mlirtest.Context(t)
	path := filepath.Join(t.TempDir(), "m.mlir")
	check.NoError(t, os.WriteFile(path, []byte(symbols), 0o600))
	m, err := c.ParseFile(path)
	check.NoError(t, err)
	name, ok := m.Name()
	check.Diff(t, "name", []any{"top", true}, []any{name, ok})
	if _, err := c.ParseFile(path + "x"); err == nil || !strings.Contains(err.Error(), path+"x") {
		t.Errorf("a missing file: %v", err)
	}
	os.WriteFile(path, []byte("func.func @f( {}"), 0o600)
	if _, err := c.ParseFile(path); err == nil || !strings.Contains(err.Error(), path+":1:") {
		t.Errorf("a bad file: %v", err)
	}
}

// TestParseNames checks that the locations of parsed text have the given file name.
func TestParseNames(t *testing.T) {
	const function = "func.func private @f(i32)\n"
	body := "func.func @g(%a: index) {\n  scf.for %i = %a to %a step %a {\n    scf.yield\n  }\n  func.return loc(\"model.py\":3:4)\n}\n"
	tests := []struct {
		name, text string
		operations []string // their positions
	}{
		{"a module", "module {\n" + function + "}\n", []string{"m.mlir:1:1", "m.mlir:2:1"}},
		{"a named module after a comment", "// module\n\n  module @m {\n" + body + "}\n",
			[]string{"m.mlir:3:3", "m.mlir:4:1", "m.mlir:5:3", "m.mlir:6:5", "model.py:3:4"}},
		{"the generic form", "\"builtin.module\"() ({\n^bb0:\n}) : () -> ()\n", []string{"m.mlir:1:1"}},
		{"no module", function, []string{"m.mlir", "m.mlir:1:1"}},
		{"two functions", function + body,
			[]string{"m.mlir", "m.mlir:1:1", "m.mlir:2:1", "m.mlir:3:3", "m.mlir:4:5", "model.py:3:4"}},
		{"two modules", "module {}\nmodule {}\n", []string{"m.mlir", "m.mlir:1:1", "m.mlir:2:1"}},
		{"one function that looks like a module",
			"func.func private @f() attributes {a.b =\n  \"x\"}\n// \n  // module\n",
			[]string{"m.mlir", "m.mlir:1:1"}},
		{"an alias before and after", "#a = loc(\"other.mlir\":7:8)\n" + function + "module {} loc(#a)\n",
			[]string{"m.mlir", "m.mlir:2:1", "other.mlir:7:8"}},
		{"nothing", "", []string{"m.mlir"}},
		{"a name in the text", "module {} loc(\"-\":5:6)", []string{"-:5:6"}},
	}
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		for _, test := range tests {
			m, err := c.Parse("m.mlir", []byte(test.text))
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
				continue
			}
			var got []string
			settable := true
			for op := range m.Operation().All() {
				got = append(got, op.Location().Position().String())
				settable = settable && op.SetLocation(op.Location()) == nil
			}
			if settable || test.name == "a module" { // an older library keeps "-" where there is no module
				check.Diff(t, test.name, test.operations, got)
			}
			m.Close()
			m, err = c.Parse("", []byte("\n"+function))
			check.NoError(t, err)
			check.Diff(t, "without a name", mlir.Position{File: "-", Line: 2, Column: 1},
				m.Body().First().Location().Position())
			m.Close()
		}
		m := mlirtest.Parse(t, c, body)
		for op := range m.Operation().All() {
			for _, r := range op.Regions() {
				for _, v := range r.First().Arguments() {
					if l, err := v.Location(); err == nil && op.SetLocation(op.Location()) == nil {
						check.Diff(t, "the file of an argument of "+op.Name(), "test.mlir", l.Position().File)
					}
				}
			}
		}
	})
}
