package stablehlo

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// LargestArray is the number of bytes that an array of a module may take: what a processor of today addresses.
const LargestArray = 1 << 47

// A SizeError says that a result of an operation takes more than LargestArray bytes, or more than an integer counts.
type SizeError struct {
	Operation mlir.Operation
	Shape     tensor.Shape
}

func (e *SizeError) Error() string { return e.Operation.Name() + ": " + e.Reason() }

// Reason returns what is wrong, without the operation.
func (e *SizeError) Reason() string {
	return fmt.Sprintf("its result %s takes more than %d bytes, the most that is addressed: make it smaller", e.Shape,
		int64(LargestArray))
}

// CheckSizes returns a *[SizeError] for the first array of a module that is too large. XLA and the interpreter end the
// process on sizes that overflow. Arrays with open dimensions have no size.
func CheckSizes(m *mlir.Module) error {
	fit := map[mlir.Type]bool{}
	for op := range m.Operation().All() {
		for _, v := range op.Results() {
			t := v.Type()
			if fit[t] || !t.IsRankedTensor() {
				continue
			}
			s, err := ShapeOf(t)
			if err == nil && !s.IsOpen() && (s.Check() != nil || s.NumBytes() > LargestArray) {
				return &SizeError{op, s}
			}
			fit[t] = true
		}
	}
	return nil
}
