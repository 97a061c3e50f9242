package jit

import (
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// vectorizing is the level of LLVM's optimizations from which on it vectorizes loops. The next one takes longer, and
// the code is no faster.
const vectorizing = 2

// chooseLevel has LLVM optimize a module with loops that it may vectorize. Of others, such as a sort or copies, the
// code is as fast without that, and compiled in half the time.
func chooseLevel(m *mlir.Module, e *Executable) error {
	for op := range m.Operation().All() {
		if op.Name() == "scf.for" && vectorizable(op) {
			e.level = vectorizing
		}
	}
	return nil
}

// vectorizable reports whether LLVM may vectorize a loop: an innermost one that computes elements, and of which no
// iteration needs an index that the one before has found.
func vectorizable(loop mlir.Operation) bool {
	for _, r := range loop.ResultValues() {
		if r.Type().IsIndex() {
			return false
		}
	}
	computes := false
	for op := range loop.All() {
		switch dialect, name, _ := strings.Cut(op.Name(), "."); dialect {
		case "scf":
			if name == "for" && !op.Equal(loop) || name == "while" {
				return false
			}
		case "arith", "math", "complex":
			computes = computes || name != "constant" && name != "index_cast" && !op.Result(0).Type().IsIndex()
		}
	}
	return computes
}
