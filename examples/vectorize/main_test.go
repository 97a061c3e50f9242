package main

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// TestProduct holds that the script makes vectors of the product, and that the code computes it.
func TestProduct(t *testing.T) {
	c := mlirtest.ContextOf(t, check.Must(mlir.Open(mlir.OpenOptions{})))
	vectors := c.NewModule(mlir.Location{})
	check.NoError(t, compile(vectors, false, "vectors"))
	check.Diff(t, "vector.fma", rows*depth, strings.Count(vectors.String(), "vector.fma"))
	m := c.NewModule(mlir.Location{})
	check.NoError(t, compile(m, false, ""))
	check.NoError(t, measure(m))
}
