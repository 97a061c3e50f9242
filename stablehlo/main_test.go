package stablehlo

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

var library *mlir.Library

func TestMain(m *testing.M) {
	if _, err := native.Ensure(context.Background(), native.MLIR, native.EnsureOptions{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var err error
	if library, err = mlir.Open(mlir.OpenOptions{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func newContext(t testing.TB) *mlir.Context {
	t.Helper()
	c := library.NewContext(mlir.ContextOptions{})
	t.Cleanup(c.Close)
	return c
}

func parse(t testing.TB, c *mlir.Context, text string) *mlir.Module {
	t.Helper()
	m, err := c.Parse("test.mlir", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func parseTypes(t testing.TB, c *mlir.Context, texts ...string) []mlir.Type {
	t.Helper()
	var out []mlir.Type
	for _, text := range texts {
		typ, err := c.ParseType(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, typ)
	}
	return out
}

// values are arguments of a block of their own, one for each type.
func values(t testing.TB, c *mlir.Context, types ...string) []mlir.Value {
	t.Helper()
	var out []mlir.Value
	for _, v := range c.NewBlock(mlir.Location{}, parseTypes(t, c, types...)...).Arguments() {
		out = append(out, v)
	}
	return out
}

func diff(t testing.TB, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func wantError(t testing.TB, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("the error is %v, want it to say %q", err, part)
	}
}
