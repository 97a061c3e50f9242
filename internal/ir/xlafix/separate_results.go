package xlafix

import (
	"github.com/calliope-mlir/calliope/internal/ir/kept"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// SeparateResults gives a result of branches or of a loop a buffer of its own, if XLA may find out that it always is a
// value from outside. XLA keeps both in one buffer, and may write over it what it computes of the value, while it reads
// the result. There are many ways to write the same value, such as x*1, so SeparateResults takes all that is computed
// of one array for it. In the first branch or before the loop, it writes an element into the place from which it is,
// which XLA does not leave out. It returns the number of results that it separated.
//
// See Prepare, and forwardResults, which removes results that certainly are values from outside.
func SeparateResults(m *mlir.Module) (int, error) { return separateResults(m, m.Operation().Index()) }

func separateResults(m *mlir.Module, index *mlir.Index) (int, error) {
	_, functions := function.Defined(m)
	s := separation{origins{functions, map[mlir.Value][]int{}, map[mlir.Value]bool{}}, map[int64]int64{}, 0}
	for op := range index.Named(controls...) {
		for i, r := range op.Results() {
			size, static := r.Type().NumElements()
			if !static || size < 2 || !r.HasUses() || !s.mayForward(op, i) {
				continue
			}
			user := op // takes the value that gets a buffer
			if op.Name() != while {
				user = op.Region(0).First().Terminator()
			}
			if err := s.separate(user, i, size); err != nil {
				return s.n, err
			}
		}
	}
	return s.n, nil
}

// A separation is the state of SeparateResults.
type separation struct {
	origins
	separated map[int64]int64 // how many arrays were, by their number of elements
	n         int
}

// mayForward reports whether a result of branches or of a loop may be a value from outside.
func (s *separation) mayForward(op mlir.Operation, result int) bool {
	first := 0
	switch {
	case op.Name() == while:
		first = 1
		same := returned(op.Region(1), result).Equal(op.Region(1).First().Argument(result))
		if same || isSeparate(op.Operand(result)) {
			return false // XLA takes what is never another value out of the loop
		}
	case op.NumRegions() < 2:
		return false // XLA takes the branch out of the operation
	}
	for i := first; i < op.NumRegions(); i++ {
		if !s.hasSource(returned(op.Region(i), result), op) {
			return false
		}
	}
	return true
}

// isSeparate reports whether separate made a value, an array with an element of it in the place where it was, or
// whether such a value is kept.
func isSeparate(v mlir.Value) bool {
	v = notKept(v)
	if v.IsArgument() || v.Owner().Name() != update {
		return false
	}
	x, element, at := v.Owner().Operand(0), v.Owner().Operand(1), v.Owner().OperandValues()[2:]
	if element.IsArgument() {
		return false
	}
	from, ok := stablehlo.AsSlice(element.Owner())
	if !ok || !notKept(from.Operand).Equal(notKept(x)) {
		return false
	}
	for d, start := range from.StartIndices {
		if n, ok := splatOf(at[d]); !ok || n != float64(start) || from.LimitIndices[d] != start+1 {
			return false
		}
	}
	return true
}

// notKept returns the value of which KeepValues made a copy, or the value itself.
func notKept(v mlir.Value) mlir.Value {
	if kept.Is(v) {
		return v.Owner().Operand(1)
	}
	return v
}

// separate gives an operand of user, which has a number of elements, a buffer of its own. XLA would make one of two
// equal updates, so each is at another place, or at several.
func (s *separation) separate(user mlir.Operation, operand int, size int64) error {
	e := before(user)
	v := user.Operand(operand)
	dims, _ := v.Type().Dims()
	rest := s.separated[size]
	s.separated[size]++
	for {
		start, end, strides := make([]int64, len(dims)), make([]int64, len(dims)), make([]int64, len(dims))
		var at []mlir.Value
		place := rest % size
		for d := len(dims) - 1; d >= 0; d-- {
			start[d] = place % dims[d]
			end[d], strides[d] = start[d]+1, 1
			place /= dims[d]
		}
		for _, n := range start {
			at = append(at, stablehlo.Constant(e.Builder, tensor.Scalar(n)))
		}
		v = stablehlo.DynamicUpdateSlice(e.Builder, v, stablehlo.Slice(e.Builder, v, start, end, strides), at...)
		if rest /= size; rest == 0 {
			break
		}
	}
	if e.Cause() != nil {
		return e.Cause()
	}
	user.SetOperand(operand, v)
	s.n++
	return nil
}
