package aliasing

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/kept"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A Cause is the reason why XLA copies an operand before a call that shares its memory.
type Cause string

// The causes. A call may overwrite the memory that it shares with a result, so XLA copies
// an operand that must not change.
const (
	NoCopy       Cause = ""              // nothing is copied
	NotDonated   Cause = "not donated"   // it is an argument, which belongs to the caller
	UsedAfter    Cause = "used after"    // another operation uses it and need not run before the call
	AliasedTwice Cause = "aliased twice" // two results would share the same memory
	ReadTwice    Cause = "read twice"    // the call also takes it as another operand
	IsConstant   Cause = "constant"      // it is part of the program
	AroundLoop   Cause = "around a loop" // it is made outside of a loop whose iterations make the call
	InCondition  Cause = "in a condition"
	Kept         Cause = "kept"    // passes.Prepare copies it, because XLA would overwrite a value that is needed
	Unclear      Cause = "unclear" // its origin is unknown
)

// An Explanation describes what XLA does for one alias of a custom call.
type Explanation struct {
	Index int // index of the alias in the list
	Alias stablehlo.OutputOperandAlias
	Cause Cause  // NoCopy if the memory is shared without a copy
	Text  string // the reason, and how to avoid the copy
}

// Explain reports, for each alias of a custom call, whether XLA copies its operand first,
// and why. It judges the module as it is. It does not predict XLA's simplifications before
// that decision: XLA may compute a cheap value twice, or drop operations that undo each
// other. It returns nil for other operations.
func Explain(op mlir.Operation) []Explanation {
	var e Explainer
	return e.Explain(op)
}

// An Explainer explains the aliases of many calls of one module, which must not change in the
// meantime. The zero value is ready to use.
type Explainer struct {
	// Place returns where an operation is, for texts. If it is nil, that is the position of its location.
	Place func(mlir.Operation) string

	calls map[mlir.Operation]map[string][]mlir.Operation // by the module of a function, and its name
}

func (x *Explainer) place(op mlir.Operation) string {
	if x.Place == nil {
		return op.Location().Position().String()
	}
	return x.Place(op)
}

// Explain is like the function Explain.
func (x *Explainer) Explain(op mlir.Operation) []Explanation {
	list, ok := Read(op)
	if !ok {
		return nil
	}
	return x.ExplainWith(op, list)
}

// ExplainWith is like Explain for a custom call that would have a list of aliases, in place of its own.
func (x *Explainer) ExplainWith(op mlir.Operation, list List) []Explanation {
	var out []Explanation
	for i, a := range list {
		e := Explanation{Index: i, Alias: a, Text: "nothing is copied: nothing else uses the operand"}
		if n := a.OperandIndex; n < 0 || n >= int64(op.NumOperands()) {
			e.Cause, e.Text = Unclear, fmt.Sprintf("there is no operand %d", n)
		} else if cause, text := x.explain(op, list, i); cause != NoCopy {
			e.Cause, e.Text = cause, text
		} else if text != "" {
			e.Text = text
		}
		out = append(out, e)
	}
	return out
}

// explain judges the i-th alias. A text without a cause is a condition under which there is
// no copy.
func (x *Explainer) explain(op mlir.Operation, list List, i int) (Cause, string) {
	number := int(list[i].OperandIndex)
	v := op.Operand(number)
	for j, other := range list {
		if n := other.OperandIndex; j < i && n >= 0 && n < int64(op.NumOperands()) && op.Operand(int(n)).Equal(v) {
			return AliasedTwice, fmt.Sprintf("it is copied: alias %d shares its memory already", j)
		}
	}
	shared := list.Operands(op.NumOperands())
	for j, other := range op.Operands() {
		if j != number && !shared[j] && other.Equal(v) {
			return ReadTwice,
				fmt.Sprintf("it is copied: the call also takes it as operand %d, which must not change", j)
		}
	}
	return x.overwritten(op, v, 0)
}

// maxCalls limits how many calls deep the origin of a value is searched.
const maxCalls = 32

// overwritten returns the cause, if any, that keeps user from overwriting the memory of v.
func (x *Explainer) overwritten(user mlir.Operation, v mlir.Value, depth int) (Cause, string) {
	if kept.Is(v) {
		return Kept, "it is copied by the program itself, because XLA would overwrite a value that is needed"
	}
	for {
		if u, ok := neededAfter(user, v); ok {
			return UsedAfter, fmt.Sprintf("it is copied: %s at %s also uses the operand and need not run first: use the call's result there", u.Name(), x.place(u))
		}
		source, isView := viewed(v)
		if !isView {
			break
		}
		v, user = source, v.Owner()
	}
	// A value from outside of a loop must be unchanged in the next iteration.
	for at := user.Parent(); !at.IsNil() && !at.Encloses(v); at = at.Parent() {
		if at.Name() == "stablehlo.while" {
			return AroundLoop, fmt.Sprintf("it is copied in each iteration of the loop at %s: it is made outside, and the next iteration needs it: carry it through the loop", x.place(at))
		}
	}
	if v.IsArgument() {
		return x.argument(v, depth)
	}
	if folded(v, map[uint64]bool{}) {
		return IsConstant, "it is copied: it is a constant, which is part of the program"
	}
	return NoCopy, ""
}

// argument judges an argument of a block.
func (x *Explainer) argument(v mlir.Value, depth int) (Cause, string) {
	parent := v.Block().Parent()
	if parent.IsNil() {
		return Unclear, "it is an argument of a block without a parent"
	}
	switch parent.Name() {
	case "func.func":
		return x.parameter(parent, v.Index(), depth)
	case "stablehlo.while":
		if v.Block().Equal(parent.Region(0).First()) {
			return InCondition, "it is copied: a condition must not change the loop's state"
		}
		if cause, _ := x.overwritten(parent, parent.Operand(v.Index()), depth); cause != NoCopy {
			return cause, fmt.Sprintf("it is copied once, before the loop at %s, and not in its iterations: the initial state must not change (%s)", x.place(parent), cause)
		}
		return NoCopy, ""
	}
	return Unclear, fmt.Sprintf("it is an argument of %s", parent.Name())
}

// parameter judges a parameter of a function: of the one that runs, or of a called one,
// which XLA inlines into each call.
func (x *Explainer) parameter(f mlir.Operation, i, depth int) (Cause, string) {
	name, _ := f.Symbol()
	calls := slices.DeleteFunc(slices.Clone(x.callsIn(f.Parent())[name]),
		func(call mlir.Operation) bool { return i >= call.NumOperands() })
	if len(calls) > 0 && name != "main" {
		if depth == maxCalls {
			return Unclear, "its function is called from too many nested calls"
		}
		for _, call := range calls {
			if cause, text := x.overwritten(call, call.Operand(i), depth+1); cause != NoCopy {
				return cause, fmt.Sprintf("in the call at %s: %s", x.place(call), text)
			}
		}
		return NoCopy, ""
	}
	if donated(f, i) {
		return NoCopy, fmt.Sprintf("nothing is copied if the run donates argument %d and a result of its type can use its memory", i)
	}
	return NotDonated, fmt.Sprintf("it is copied: argument %d of %q is not donated: mark it with jax.buffer_donor or tf.aliasing_output, and donate it in the run", i, name)
}

// callsIn returns the calls in a module by the name of the function.
func (x *Explainer) callsIn(root mlir.Operation) map[string][]mlir.Operation {
	if calls, known := x.calls[root]; known || root.IsNil() {
		return calls
	}
	calls := map[string][]mlir.Operation{}
	root.Walk(func(op mlir.Operation) mlir.WalkAction {
		if called, ok := function.Callee(op); ok {
			calls[called] = append(calls[called], op)
		}
		return mlir.WalkContinue
	})
	if x.calls == nil {
		x.calls = map[mlir.Operation]map[string][]mlir.Operation{}
	}
	x.calls[root] = calls
	return calls
}

func donated(f mlir.Operation, i int) bool {
	list, ok := f.Attribute("arg_attrs")
	if !ok {
		return false
	}
	elements, _ := list.Elements()
	if i >= len(elements) {
		return false
	}
	_, alias := elements[i].Entry("tf.aliasing_output")
	_, donor := elements[i].Entry("jax.buffer_donor")
	return alias || donor
}

// viewed returns the value of which v is a view, in the same memory.
func viewed(v mlir.Value) (mlir.Value, bool) {
	if !v.IsResult() {
		return v, false
	}
	switch op := v.Owner(); op.Name() {
	case "stablehlo.reshape":
		return op.Operand(0), true
	case "stablehlo.optimization_barrier":
		return op.Operand(v.Index()), true
	}
	return v, false
}

// folded reports whether a value depends only on constants, so that XLA computes it at
// compile time.
func folded(v mlir.Value, seen map[uint64]bool) bool {
	if !v.IsResult() {
		return false
	}
	op := v.Owner()
	switch op.Name() {
	case "stablehlo.constant":
		return true
	case "stablehlo.broadcast_in_dim", "stablehlo.iota", "stablehlo.custom_call":
		return false // computed at run time
	}
	if op.NumOperands() == 0 || op.NumRegions() > 0 || op.NumResults() != 1 || seen[op.Hash()] {
		return false
	}
	seen[op.Hash()] = true
	for _, operand := range op.Operands() {
		if !folded(operand, seen) {
			return false
		}
	}
	return true
}
