package stablehlo

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/mlir"
)

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
