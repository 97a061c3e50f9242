package xlafix

import (
	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A storage tells which values of a module may be the same array to XLA, and what writes to their memory. It
// assumes that XLA may simplify any operation to one of its operands with as many elements, unless it is to be certain.
type storage struct {
	certain  bool
	values   sets // that may be the same array
	passed   sets // of those, the ones that are passed on as they are, or in another shape
	loops    []mlir.Operation
	members  map[mlir.Value][]mlir.Value // by the value that stands for the set
	writes   []write
	returns  []write             // what a branch returns
	ends     []mlir.Operation    // of computations that return one value
	alone    map[mlir.Value]bool // sets with a value that a computation returns alone
	tokens   []mlir.Value        // of calls; what they hold does not matter
	ordering map[mlir.Value]bool // sets with a token
	branched map[string]bool     // functions that are called in a branch
}

// A write is an operation that may write to the memory of an operand.
type write struct {
	op      mlir.Operation
	operand int
}

// readStorage reads functions. If certain is true, only values that XLA takes for one array without a simplification
// are the same.
func readStorage(list []mlir.Operation, functions map[string]mlir.Operation, certain bool) *storage {
	s := &storage{
		certain: certain,
		values:  sets{}, passed: sets{}, members: map[mlir.Value][]mlir.Value{},
		alone: map[mlir.Value]bool{}, ordering: map[mlir.Value]bool{}, branched: map[string]bool{},
	}
	for _, f := range list {
		f.Walk(func(op mlir.Operation) mlir.WalkAction {
			s.operation(op, functions)
			if (isBranch(op) || op.Name() == "stablehlo.while") && op.NumResults() == 1 {
				for _, region := range op.Regions() {
					s.ends = append(s.ends, region.First().Terminator())
				}
			}
			return mlir.WalkContinue
		})
		for _, end := range returnsOf(f) {
			if name, _ := f.Symbol(); name == "main" && end.NumOperands() == 1 {
				s.ends = append(s.ends, end)
			}
		}
	}
	for s.passThroughLoops() {
	}
	for _, end := range s.ends {
		s.alone[s.values.find(end.Operand(0))] = true
	}
	for _, v := range s.tokens {
		s.ordering[s.values.find(v)] = true
	}
	for v := range s.values {
		s.members[s.values.find(v)] = append(s.members[s.values.find(v)], v)
	}
	for again := true; again; {
		again = false
		for _, f := range list {
			name, _ := f.Symbol()
			f.Walk(func(op mlir.Operation) mlir.WalkAction {
				callee, ok := function.Callee(op)
				if _, inside := branchAround(op); ok && !s.branched[callee] && (inside || s.branched[name]) {
					s.branched[callee], again = true, true
				}
				return mlir.WalkContinue
			})
		}
	}
	return s
}

// returnedAlone reports whether a value may be what a computation returns, if that returns one value.
func (s *storage) returnedAlone(v mlir.Value) bool { return s.alone[s.values.find(v)] }

// isToken reports whether a value may be a token.
func (s *storage) isToken(v mlir.Value) bool { return s.ordering[s.values.find(v)] }

// fromOutside reports whether op is in a branch, and v may be a value from outside this branch.
func (s *storage) fromOutside(v mlir.Value, op mlir.Operation) bool {
	region, ok := branchAround(op)
	if !ok {
		f := functionAround(op)
		name, _ := f.Symbol()
		if !s.branched[name] {
			return false
		}
		region = f.Region(0)
	}
	root := s.values.find(v)
	for _, v := range append(s.members[root], root) {
		if !within(v, region) {
			return true
		}
	}
	return false
}

// operation joins the values that may be the same because of an operation, and notes what it may write to.
func (s *storage) operation(op mlir.Operation, functions map[string]mlir.Operation) {
	name, isCall := function.Callee(op)
	switch f, defined := functions[name]; {
	case isCall && defined:
		s.joinAll(op.OperandValues(), f.Region(0).First().ArgumentValues())
		for _, end := range returnsOf(f) {
			s.joinAll(op.ResultValues(), end.OperandValues())
		}
	case isBranch(op):
		for _, region := range op.Regions() {
			if !s.certain { // what a branch returns is not from before it
				s.joinAll(op.ResultValues(), region.First().Terminator().OperandValues())
			}
			for i := range op.NumResults() {
				s.returns = append(s.returns, write{region.First().Terminator(), i})
			}
		}
	case op.Name() == "stablehlo.while":
		cond, body := op.Region(0).First(), op.Region(1).First()
		s.loops = append(s.loops, op)
		s.joinAll(cond.ArgumentValues(), body.ArgumentValues())
		token, err := callop.TokenType(op.Context())
		for i, v := range body.Terminator().Operands() {
			if err == nil && v.Type() == token {
				for _, same := range []mlir.Value{body.Argument(i), op.Operand(i), op.Result(i)} {
					s.pass(v, same)
				}
			}
			if v != body.Argument(i) { // otherwise it is the same in all iterations
				s.writes = append(s.writes, write{op, i}, write{body.Terminator(), i})
			}
		}
	case op.Name() == "stablehlo.dynamic_update_slice", op.Name() == "stablehlo.scatter":
		s.writes = append(s.writes, write{op, 0})
	case op.Name() == "stablehlo.custom_call":
		aliases, _ := aliasing.Read(op)
		n := op.NumOperands()
		if call, ours := callop.AsCall(op); ours {
			n -= call.Config.NumTokens
			for i := max(n, 0); i < op.NumOperands(); i++ {
				s.tokens = append(s.tokens, op.Operand(i))
			}
		}
		for i, shared := range aliases.Operands(max(n, 0)) {
			if shared {
				s.writes = append(s.writes, write{op, i})
			}
		}
	case s.certain:
		if op.Name() == "stablehlo.reshape" {
			s.pass(op.Operand(0), op.Result(0))
		}
	default:
		for i, result := range op.Results() {
			for k, v := range op.Operands() {
				if sameSize(v.Type(), result.Type()) {
					s.values.join(v, result)
				}
				if i == k && keepsElements[op.Name()] {
					s.passed.join(v, result)
				}
			}
		}
	}
}

// keepsElements has the operations whose results have the elements of the operands.
var keepsElements = map[string]bool{
	"stablehlo.optimization_barrier": true, "stablehlo.reshape": true, "stablehlo.transpose": true,
	"stablehlo.convert":         true,
	"stablehlo.bitcast_convert": true, "stablehlo.broadcast_in_dim": true, "stablehlo.slice": true,
}

// passThroughLoops joins what a loop takes and returns if an iteration may pass it on. It reports whether it has joined
// values.
func (s *storage) passThroughLoops() (again bool) {
	for _, op := range s.loops {
		body := op.Region(1).First()
		for i, next := range body.Terminator().Operands() {
			for k := range op.NumOperands() {
				if s.passed.find(next) != s.passed.find(body.Argument(k)) {
					continue
				}
				for _, v := range []mlir.Value{op.Operand(k), op.Result(i)} {
					if s.passed.find(v) != s.passed.find(next) {
						s.pass(v, next)
						again = true
					}
				}
			}
		}
	}
	return again
}

// joinAll joins pairs of values that are passed on.
func (s *storage) joinAll(a, b []mlir.Value) {
	for i := range min(len(a), len(b)) {
		s.pass(a[i], b[i])
	}
}

// pass joins a value and what it is passed on as.
func (s *storage) pass(a, b mlir.Value) {
	s.values.join(a, b)
	s.passed.join(a, b)
}

// sets are disjoint sets of values: each has a parent in its set, but for the value that stands for the set.
type sets map[mlir.Value]mlir.Value

// find returns the value that stands for the set of v.
func (s sets) find(v mlir.Value) mlir.Value {
	for {
		parent, ok := s[v]
		if !ok {
			return v
		}
		if next, ok := s[parent]; ok {
			s[v] = next // shorten the way
		}
		v = parent
	}
}

func (s sets) join(a, b mlir.Value) {
	if a, b := s.find(a), s.find(b); a != b {
		s[a] = b
	}
}

// sameSize reports whether arrays may have the same number of elements, and these the same size.
func sameSize(a, b mlir.Type) bool {
	x, errX := stablehlo.ShapeOf(a)
	y, errY := stablehlo.ShapeOf(b)
	if errX == nil && errY == nil && x.DType.Bits() != y.DType.Bits() {
		return false
	}
	n, known := a.NumElements()
	k, also := b.NumElements()
	return !known || !also || n == k
}

// branchAround returns the innermost branch of an if or a case around an operation.
func branchAround(op mlir.Operation) (mlir.Region, bool) {
	for ; op.Name() != "func.func"; op = op.Parent() {
		if isBranch(op.Parent()) {
			return op.Block().Region(), true
		}
	}
	return mlir.Region{}, false
}

func functionAround(op mlir.Operation) mlir.Operation {
	for op.Name() != "func.func" {
		op = op.Parent()
	}
	return op
}

// within reports whether a value is computed in a region, and not an argument of its first block.
func within(v mlir.Value, region mlir.Region) bool {
	block := v.Block()
	if v.IsResult() {
		block = v.Owner().Block()
	} else if block == region.First() {
		return false
	}
	for block != region.First() {
		around := block.Parent()
		if around.Name() == "func.func" {
			return false
		}
		block = around.Block()
	}
	return true
}
