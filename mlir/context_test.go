package mlir_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
		same(t, "loaded", []bool{loaded >= len(list), c.NumLoaded() >= loaded}, []bool{true, true})
		if err := c.LoadDialect("nosuch"); err == nil {
			t.Error("loaded a dialect that there is not")
		}
		same(t, "unregistered", c.AllowsUnregistered(), false)
		c.SetAllowUnregistered(true)
		parse(t, c, `"no.such"() : () -> ()`)
		same(t, "unregistered", c.AllowsUnregistered(), true)
	})
}

func TestThreads(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		pool := e.Library.NewThreadPool()
		c := e.Library.NewContext(mlir.ContextOptions{})
		n, err := c.NumThreads()
		if !without(t, e, "mlirContextGetNumThreads", err) {
			same(t, "threads", n, 1)
		}
		c.SetThreadPool(pool)
		c.SetThreadPool(pool)
		c.SetThreads(true)
		other := e.Library.NewContext(mlir.ContextOptions{Threads: true})
		other.SetThreadPool(pool)
		if err := parse(t, c, symbols).Verify(); err != nil {
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
		mustPanic(t, "a pool that is closed", func() { other.SetThreadPool(pool) })
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
		m := parse(t, c, `"t.x"() : () -> ()`)
		op(m, "t.x").EmitError("two\x00 and more")
		stop()
		if _, err := c.ParseType("tensor<"); err == nil {
			t.Error("half a type is one")
		}
		same(t, "first", first, []string{"a.go:1:2: error: one", "-:1:1: error: two"})
		same(t, "second", []any{len(second), second[0]}, []any{3, "one"})
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
	same(t, "name", []any{name, ok}, []any{"top", true})
	if _, err := c.ParseFile(path + "x"); err == nil || !strings.Contains(err.Error(), path+"x") {
		t.Errorf("a missing file: %v", err)
	}
	os.WriteFile(path, []byte("func.func @f( {}"), 0o600)
	if _, err := c.ParseFile(path); err == nil || !strings.Contains(err.Error(), path+":1:") {
		t.Errorf("a bad file: %v", err)
	}
}
