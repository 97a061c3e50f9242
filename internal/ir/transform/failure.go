package transform

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Failure is the panic that ends a transformation. It does not leave the package of the transformation.
type Failure struct{ Err error }

// Must returns v, or ends the transformation.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Check ends the transformation if there is an error.
func Check(err error) {
	if err != nil {
		panic(Failure{err})
	}
}

// Refuse returns a *stablehlo.TransformError about an operation.
func Refuse(op mlir.Operation, format string, args ...any) error {
	return &stablehlo.TransformError{
		Operation: op.Name(), Position: op.Location().Position(), Reason: fmt.Sprintf(format, args...),
	}
}

// Fail ends the transformation because of an operation.
func Fail(op mlir.Operation, format string, args ...any) { Check(Refuse(op, format, args...)) }

// Discard removes a function that a transformation has not completed. Regions that have no place yet may use values of
// it.
func Discard(f mlir.Operation) {
	for op := range f.All() {
		values := op.ResultValues()
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				values = append(values, b.ArgumentValues()...)
			}
		}
		for _, v := range values {
			for _, u := range slices.Collect(v.Uses()) {
				if !isWithin(u.Owner, f) {
					u.Owner.SetOperands()
				}
			}
		}
	}
	_ = f.Erase() // nothing uses it any more
}

// isWithin reports whether an operation is in another one.
func isWithin(op, in mlir.Operation) bool {
	for ; op != in; op = op.Parent() {
		if op.IsNil() || op.Block().IsNil() {
			return false
		}
	}
	return true
}

// Catch stores the error of a transformation that ended early, after it called undo, which may be nil.
// It must be deferred.
func Catch(err *error, undo func()) {
	r := recover()
	if r == nil {
		return
	}
	if undo != nil {
		undo()
	}
	f, ok := r.(Failure)
	if !ok {
		panic(r)
	}
	*err = f.Err
}
