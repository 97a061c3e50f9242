package ods

import (
	"errors"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A Writer collects the parts of a new operation. Create returns an error for the first
// part that is missing or wrong.
type Writer struct {
	in    mlir.InsertionPoint
	c     *mlir.Context
	state mlir.OperationState
	err   error
}

// NewWriter returns a Writer of the named operation at an insertion point.
func NewWriter(name string, ip mlir.InsertionPoint, loc mlir.Location) *Writer {
	return &Writer{in: ip, c: mlir.ContextOf(ip), state: mlir.OperationState{Name: name, Location: loc}}
}

// Create makes the operation with the result types that were added.
func (w *Writer) Create() (mlir.Operation, error) {
	if g := guards[w.state.Name]; g != nil && w.err == nil && !w.state.InferResults {
		w.err = g(w.state)
	}
	if w.err != nil {
		return mlir.Operation{}, w.err
	}
	return mlir.Create(w.in, w.state)
}

// Infer makes the operation with inferred result types, and then gives its results the
// types, if there are any. A single nil type means the inferred one. The verifier checks
// that they are compatible with those inferred.
func (w *Writer) Infer(types ...mlir.Type) (mlir.Operation, error) {
	w.state.InferResults = true
	if len(types) == 0 || len(types) == 1 && types[0].IsNil() {
		return w.Create()
	}
	if !complete(w, "type", "Results", types) {
		return mlir.Operation{}, w.err
	}
	op, err := w.Create()
	if err != nil {
		return op, err
	}
	if n := op.NumResults(); n != len(types) {
		w.fail("it has %d results, but Results has %d types", n, len(types))
		return mlir.Operation{}, errors.Join(w.err, op.Erase())
	}
	for i, t := range types {
		if v := op.Result(i); v.Type() != t {
			v.SetType(t)
		}
	}
	return op, nil
}

func (w *Writer) fail(format string, args ...any) {
	if w.err == nil {
		dialect, name, _ := strings.Cut(w.state.Name, ".")
		w.err = fmt.Errorf("%s: %s: %w", dialect, name, fmt.Errorf(format, args...))
	}
}

// complete reports whether no part of a list is missing.
func complete[T interface{ IsNil() bool }](w *Writer, what, name string, list []T) bool {
	for i, v := range list {
		if v.IsNil() {
			w.fail("%s %d of %s is missing", what, i, name)
			return false
		}
	}
	return true
}

// Operand adds an operand, which must not be nil.
func (w *Writer) Operand(name string, v mlir.Value) {
	if v.IsNil() {
		w.fail("the operand %s is missing", name)
		return
	}
	w.state.Operands = append(w.state.Operands, v)
}

// Operands adds the operands of a variadic one.
func (w *Writer) Operands(name string, values []mlir.Value) {
	if complete(w, "operand", name, values) {
		w.state.Operands = append(w.state.Operands, values...)
	}
}

// Same requires two variadic operands to have the same length. It is for operations that
// store no lengths.
func (w *Writer) Same(name1 string, n1 int, name2 string, n2 int) {
	if n1 != n2 {
		w.fail("%s and %s must have the same number of operands, but have %d and %d", name1, name2, n1, n2)
	}
}

// Region adds a region, which must not be nil.
func (w *Writer) Region(name string, r mlir.Region) {
	if r.IsNil() {
		w.fail("the region %s is missing", name)
		return
	}
	w.state.Regions = append(w.state.Regions, r)
}

// Regions adds the regions of a variadic one.
func (w *Writer) Regions(name string, regions []mlir.Region) {
	if complete(w, "region", name, regions) {
		w.state.Regions = append(w.state.Regions, regions...)
	}
}

// Result sets the type of the only result.
func (w *Writer) Result(t mlir.Type) {
	if t.IsNil() {
		w.fail("the type Result is missing: it is not inferred")
		return
	}
	w.state.Results = append(w.state.Results, t)
}

// Results sets the types of the results.
func (w *Writer) Results(types []mlir.Type) {
	if complete(w, "type", "Results", types) {
		w.state.Results = append(w.state.Results, types...)
	}
}

// ExactResults sets the types of n results.
func (w *Writer) ExactResults(n int, types []mlir.Type) {
	if len(types) != n {
		w.fail("it has %d results, but Results has %d types", n, len(types))
		return
	}
	w.Results(types)
}
