package passes

import (
	"iter"

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
// See Prepare, and ForwardResults, which removes results that certainly are values from outside.
func SeparateResults(m *mlir.Module) (int, error) { return separateResults(m, m.Operation().Index()) }

func separateResults(m *mlir.Module, index *mlir.Index) (int, error) {
	_, functions := function.Defined(m)
	s := separation{
		functions: functions, arguments: map[mlir.Value][]int{}, folded: map[mlir.Value]bool{}, separated: map[int64]int{},
	}
	for op := range index.Named(append(loops, branches...)...) {
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
	functions map[string]mlir.Operation
	arguments map[mlir.Value][]int // the arguments to which what a function returns may be equal
	folded    map[mlir.Value]bool  // whether a value is computed of constants
	separated map[int64]int        // how many arrays were, by their number of elements
	n         int
}

// mayForward reports whether a result of branches or of a loop may be a value from outside.
func (s *separation) mayForward(op mlir.Operation, result int) bool {
	first := 0
	switch {
	case op.Name() == while:
		first = 1
		if returned(op.Region(1), result).Equal(op.Region(1).First().Argument(result)) || isSeparate(op.Operand(result)) {
			return false // XLA takes what is never another value out of the loop
		}
	case op.NumRegions() < 2:
		return false // XLA takes the branch out of the operation
	}
	for i := first; i < op.NumRegions(); i++ {
		outside := false
		for range s.sources(returned(op.Region(i), result), op) {
			outside = true
			break
		}
		if !outside {
			return false
		}
	}
	return true
}

// sources returns an iterator over the values to which v, in a region of op, may be equal: those from outside of op, and
// the arguments of the region.
func (s *separation) sources(v mlir.Value, op mlir.Operation) iter.Seq[mlir.Value] {
	return func(yield func(mlir.Value) bool) {
		seen := map[mlir.Value]bool{}
		var search func(v mlir.Value) bool
		search = func(v mlir.Value) bool {
			if v.IsNil() || seen[v] {
				return true
			}
			seen[v] = true
			if !op.Encloses(v) {
				return yield(v)
			}
			if v.IsArgument() {
				around := v.Block().Parent()
				if around.Equal(op) {
					return yield(v)
				}
				return around.Name() != while || search(around.Operand(v.Index()))
			}
			for _, same := range s.maybeSame(v) {
				if !search(same) {
					return false
				}
			}
			return true
		}
		search(v)
	}
}

// maybeSame returns the values to which a result may be equal, by what XLA knows of its operation.
func (s *separation) maybeSame(v mlir.Value) (list []mlir.Value) {
	op, result := v.Owner(), v.Index()
	operands := op.OperandValues()
	switch op.Name() {
	case while, "stablehlo.case", "stablehlo.if":
		for _, region := range op.Regions() {
			list = append(list, returned(region, result))
		}
		if op.Name() == while {
			list[0] = operands[result]
		}
		return list
	case barrier:
		return operands[result : result+1]
	case update: // an update of some elements is never left out
		if operands[1].Type().Equal(v.Type()) {
			return operands[1:2]
		}
		if n, _ := operands[1].Type().NumElements(); n == 0 {
			return operands[:1]
		}
		return nil
	case "stablehlo.convolution", "stablehlo.dot_general", "stablehlo.dot", "stablehlo.scatter", "stablehlo.sort":
		return nil
	}
	if name, ok := callee(op); ok {
		for _, i := range s.passed(name, result) {
			list = append(list, operands[i])
		}
		return list
	}
	if len(operands) != 2 || !operands[0].Type().Equal(v.Type()) || !operands[1].Type().Equal(v.Type()) {
		return operands
	}
	// Arithmetic may leave a number as it is if the other one is a constant, or the same.
	for _, operand := range operands {
		if !s.folds(operand) {
			list = append(list, operand)
		}
	}
	if len(list) == 2 && !list[0].Equal(list[1]) {
		return nil
	}
	return list
}

// callee returns the name of the function that is called, or that a composite stands for.
func callee(op mlir.Operation) (string, bool) {
	if a, ok := op.Attribute("decomposition"); ok {
		return a.Symbol()
	}
	return function.Callee(op)
}

// passed returns the arguments of a function to which a result may be equal.
func (s *separation) passed(name string, result int) (list []int) {
	f, ok := s.functions[name]
	if !ok {
		return nil
	}
	end := f.Region(0).First().Terminator()
	if known, ok := s.arguments[end.Operand(result)]; ok {
		return known
	}
	s.arguments[end.Operand(result)] = nil // if it calls itself
	for v := range s.sources(end.Operand(result), f) {
		list = append(list, v.Index())
	}
	s.arguments[end.Operand(result)] = list
	return list
}

// isSeparate reports whether separate made a value: an array with an element of it in the place where it was.
func isSeparate(v mlir.Value) bool {
	if v.IsArgument() || v.Owner().Name() != update {
		return false
	}
	x, element, at := v.Owner().Operand(0), v.Owner().Operand(1), v.Owner().OperandValues()[2:]
	if element.IsArgument() {
		return false
	}
	from, ok := stablehlo.AsSlice(element.Owner())
	if !ok || !from.Operand.Equal(x) {
		return false
	}
	for d, start := range from.StartIndices {
		if n, ok := splatOf(at[d]); !ok || n != float64(start) || from.LimitIndices[d] != start+1 {
			return false
		}
	}
	return true
}

// folds reports whether a value is computed of constants only.
func (s *separation) folds(v mlir.Value) bool {
	if known, ok := s.folded[v]; ok || v.IsArgument() {
		return known
	}
	op := v.Owner()
	folds := op.NumRegions() == 0 && op.NumOperands() > 0
	for _, operand := range op.Operands() {
		folds = folds && s.folds(operand)
	}
	folds = folds || op.Name() == "stablehlo.constant" || op.Name() == "stablehlo.iota"
	s.folded[v] = folds
	return folds
}

// separate gives an operand of user, which has a number of elements, a buffer of its own. XLA would make one of two
// equal updates, so each is at another place, or at several.
func (s *separation) separate(user mlir.Operation, operand int, size int64) error {
	e := before(user)
	v := user.Operand(operand)
	dims, _ := v.Type().Dims()
	number := int64(s.separated[size])
	s.separated[size]++
	for rest := number; ; {
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
	if e.Err() != nil {
		return e.Err()
	}
	user.SetOperand(operand, v)
	s.n++
	return nil
}
