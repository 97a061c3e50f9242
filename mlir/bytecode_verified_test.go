package mlir_test

import (
	"bytes"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestBytecodeAssumingVerified checks that the bytecode is that of Bytecode, and that nothing is
// verified.
func TestBytecodeAssumingVerified(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		m := mlirtest.Parse(t, c, twice)
		got := check.Must(m.Operation().BytecodeAssumingVerified())
		check.Diff(t, "is the same", true, bytes.Equal(check.Must(m.Operation().Bytecode()), got))
		m.Body().First().SetAttribute("sym_name", c.StringAttribute("same"))
		m.Body().First().Next().SetAttribute("sym_name", c.StringAttribute("same"))
		if _, err := m.Operation().Bytecode(); err == nil {
			t.Error("Bytecode does not verify")
		}
		check.Must(m.Operation().BytecodeAssumingVerified())
	})
}
