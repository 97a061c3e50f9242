package vmap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/vmap"
)

// BenchmarkBatch batches a function of 10,000 operations, and parses it for comparison.
func BenchmarkBatch(b *testing.B) {
	var text strings.Builder
	text.WriteString("func.func @main(%x0: tensor<8xf32>, %w: tensor<8x8xf32>) -> tensor<8xf32> {\n")
	const n = 5000
	for i := range n {
		fmt.Fprintf(&text, "%%y%[1]d = stablehlo.dot_general %%w, %%x%[1]d, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>\n", i)
		fmt.Fprintf(&text, "%%x%d = stablehlo.tanh %%y%d : tensor<8xf32>\n", i+1, i)
	}
	fmt.Fprintf(&text, "return %%x%d : tensor<8xf32>\n}", n)
	c := mlirtest.Context(b)
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			m, err := c.Parse("", []byte(text.String()))
			check.NoError(b, err)
			check.NoError(b, m.Operation().Verify())
			check.NoError(b, m.Close())
		}
	})
	b.Run("batch", func(b *testing.B) {
		m := mlirtest.Parse(b, c, text.String())
		f, _ := m.SymbolTable().Lookup("main")
		for b.Loop() {
			batched, err := vmap.Batch(f, vmap.Options{Size: 4, In: []int{0, vmap.NotBatched}})
			check.NoError(b, err)
			check.NoError(b, mlir.Operation.Erase(batched))
		}
	})
}
