package autodiff

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// An Error reports an operation that has no derivative, or a function that cannot be differentiated.
type Error struct {
	Operation string        // its name, for example "stablehlo.while"
	Place     mlir.Position // where it is in the source, as far as the module says
	Reason    string        // why, and what to do
}

func (e *Error) Error() string {
	return fmt.Sprintf("autodiff: %s at %s: %s", e.Operation, e.Place, e.Reason)
}

// failure is the panic that ends a transformation. It does not leave the package: see catch.
type failure struct{ err error }

// fail ends the transformation because of an operation.
func fail(op mlir.Operation, format string, args ...any) {
	panic(failure{&Error{op.Name(), op.Location().Position(), fmt.Sprintf(format, args...)}})
}

// must returns v, or ends the transformation.
func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// catch stores the error of a transformation that ended early.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case failure:
		*err = r.err
	default:
		panic(r)
	}
}
