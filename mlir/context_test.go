package mlir_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
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
		if err := mlirtest.Parse(t, c, symbols).Verify(); err != nil {
			t.Error(err)
		}
		if err := pool.Close(); err == nil || !strings.Contains(err.Error(), "2 contexts still use the pool") {
			t.Errorf("closing a pool in use: %v", err)
		}
		other.SetThreads(false)
		c.Close()
		for range 2 {
			if err := pool.Close(); err != nil {
				t.Error(err)
			}
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
		m := mlirtest.Parse(t, c, `"t.x"() : () -> ()`)
		op(m, "t.x").EmitError("two\x00 and more")
		stop()
		if _, err := c.ParseType("tensor<"); err == nil {
			t.Error("half a type is one")
		}
		check.Diff(t, "first", []string{"a.go:1:2: error: one", "-:1:1: error: two"}, first)
		check.Diff(t, "second", []any{3, "one"}, []any{len(second), second[0]})
	})
}

func TestParseFile(t *testing.T) {
	c := mlirtest.Context(t)
	path := filepath.Join(t.TempDir(), "m.mlir")
	if err := os.WriteFile(path, []byte(symbols), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := c.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
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
