package passes

import "github.com/calliope-mlir/calliope/mlir"

// isPlain reports whether a function has one block, which ends in an operation that the library knows.
func isPlain(f mlir.Operation) bool {
	return f.Region(0).NumBlocks() == 1 && !f.Region(0).First().Terminator().IsNil()
}

// returnsOf returns the operations by which a function returns.
func returnsOf(f mlir.Operation) (list []mlir.Operation) {
	for block := range f.Region(0).Blocks() {
		if end := block.Terminator(); !end.IsNil() && end.Name() == "func.return" {
			list = append(list, end)
		}
	}
	return list
}
