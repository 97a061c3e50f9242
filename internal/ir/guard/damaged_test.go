package guard

import (
	"encoding/binary"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/bytecode"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// nested returns what is wrong with bytecode in which so many types are in each other.
func nested(n int) string {
	m := &module{&bytecode.Module{Types: make([]bytecode.Part, n)}}
	for i := range m.Types {
		data := []byte{15<<1 | 1, 1<<1 | 1, 0} // a tuple of one type, the next one
		m.Types[i] = bytecode.Part{Dialect: "builtin", Data: binary.LittleEndian.AppendUint64(data, uint64(i+1))}
	}
	return m.damaged()
}

// TestNestedBytecode looks at types in each other. Two million overflowed the stack, which ends the process.
func TestNestedBytecode(t *testing.T) {
	check.Diff(t, "100,000 levels", "", nested(100_000))
	check.Diff(t, "two million levels", "the bytecode nests attributes or types more than 131,072 levels deep",
		nested(2_000_000))
}
