package engine

import (
	"fmt"

	"github.com/calliope-mlir/calliope/tensor"
)

// BorrowHostArray returns an Array of the caller's memory, without a copy. The memory must not change until the Array
// is closed and every run and view that uses it is over. The Array cannot be donated.
func BorrowHostArray(v tensor.View) (*Array, error) {
	if err := v.Check(); err != nil {
		return nil, fmt.Errorf("engine: BorrowHostArray: %w", err)
	}
	return NewArray(&hostMemory{shape: v.Shape.Clone(), all: v.Data, borrowed: true}), nil
}

// OwnHostArray returns an Array of memory that the caller gives away, without a copy: afterwards it uses only the
// Array.
func OwnHostArray(v tensor.View) (*Array, error) {
	if err := v.Check(); err != nil {
		return nil, fmt.Errorf("engine: OwnHostArray: %w", err)
	}
	return NewArray(&hostMemory{shape: v.Shape.Clone(), all: v.Data}), nil
}
