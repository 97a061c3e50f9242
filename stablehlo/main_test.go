package stablehlo

import (
	"testing"

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
