package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestEmptyText parses empty texts, on which torch-mlir's library would crash.
func TestEmptyText(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		for _, text := range []string{"", " ", "// nothing"} {
			_, err := c.ParseAttribute(text)
			check.Error(t, err, "parsing the attribute", "expected attribute value")
			_, err = c.ParseType(text)
			check.Error(t, err, "parsing the type", "expected non-function type")
		}
		m, err := c.Parse("", nil)
		check.NoError(t, err)
		check.NoError(t, m.Close())
		_, err = c.ParseOperation("", nil)
		check.Error(t, err, "single top-level operation")
	})
}
