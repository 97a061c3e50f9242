package transform

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
