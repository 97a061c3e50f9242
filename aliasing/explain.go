package aliasing

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Cause is why XLA copies an operand before a call that shares its memory.
type Cause string

// The causes. What a call shares with a result it may overwrite, so an operand that must
// stay what it is gets copied.
const (
	NoCopy       Cause = ""              // nothing is copied
	NotDonated   Cause = "not donated"   // it is an argument, which is the caller's
	UsedAfter    Cause = "used after"    // something else uses it that need not run before the call
	AliasedTwice Cause = "aliased twice" // two results would share one memory
	ReadTwice    Cause = "read twice"    // the call takes it as another operand too
	IsConstant   Cause = "constant"      // it is part of the program
	AroundLoop   Cause = "around a loop" // it is made outside of a loop, each turn of which calls
	InCondition  Cause = "in a condition"
	Unclear      Cause = "unclear" // it comes from where XLA does not say
)

// Explanation is what XLA will do for one alias of a custom call.
type Explanation struct {
	Index int // which alias of the list
	Alias stablehlo.OutputOperandAlias
	Cause Cause  // NoCopy where the memory is shared as it is
	Text  string // one sentence, which says what would save the copy
}

// Explain says for each alias of a custom call whether XLA copies its operand first, and
// why. It goes by the module as it stands; what XLA makes simpler before it decides
// (it may compute a cheap value twice, or drop operations that undo each other) is not
// foreseen. It returns nothing for other operations.
func Explain(op mlir.Operation) []Explanation {
	list, ok := Read(op)
	if !ok {
		return nil
	}
	var out []Explanation
	for i, a := range list {
		e := Explanation{Index: i, Alias: a, Text: "nothing is copied: nobody else needs the operand"}
		if n := a.OperandIndex; n < 0 || n >= int64(op.NumOperands()) {
			e.Cause, e.Text = Unclear, fmt.Sprintf("there is no operand %d", n)
		} else if cause, text := explain(op, list, i); cause != NoCopy {
			e.Cause, e.Text = cause, text
		} else if text != "" {
			e.Text = text
		}
		out = append(out, e)
	}
	return out
}

// explain judges the i-th alias. A text without a cause is a condition of there being no
// copy.
func explain(op mlir.Operation, list List, i int) (Cause, string) {
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
			return ReadTwice, fmt.Sprintf("it is copied: the call takes it as operand %d too, which must not change", j)
		}
	}
	return overwritten(op, v, 0)
}

// maxCalls is how many calls deep the origin of a value is looked for.
const maxCalls = 32

// overwritten judges what it takes that user may overwrite the memory of v.
func overwritten(user mlir.Operation, v mlir.Value, depth int) (Cause, string) {
	for {
		if u, ok := neededAfter(user, v); ok {
			return UsedAfter, fmt.Sprintf("it is copied: %s at %s uses the operand too, and need not run first; use the call's result there", u.Name(), u.Location().Position())
		}
		source, isView := viewed(v)
		if !isView {
			break
		}
		v, user = source, v.Owner()
	}
	// What is made outside of a loop has to be there in the next turn.
	for at := user.Parent(); !at.IsNil() && !at.Encloses(v); at = at.Parent() {
		if at.Name() == "stablehlo.while" {
			return AroundLoop, fmt.Sprintf("it is copied in each turn of the loop at %s: it is made outside, and the next turn needs it; carry it through the loop", at.Location().Position())
		}
	}
	if v.IsArgument() {
		return argument(v, depth)
	}
	if folded(v, map[uint64]bool{}) {
		return IsConstant, "it is copied: it is a constant, which is part of the program"
	}
	return NoCopy, ""
}

// argument judges an argument of a block.
func argument(v mlir.Value, depth int) (Cause, string) {
	parent := v.Block().Parent()
	if parent.IsNil() {
		return Unclear, "it is an argument of a block that is part of nothing"
	}
	switch parent.Name() {
	case "func.func":
		return parameter(parent, v.Index(), depth)
	case "stablehlo.while":
		if v.Block().Equal(parent.Region(0).First()) {
			return InCondition, "it is copied: a condition must leave the loop's state as it is"
		}
		if cause, _ := overwritten(parent, parent.Operand(v.Index()), depth); cause != NoCopy {
			return cause, fmt.Sprintf("it is copied once, before the loop at %s, and not in its turns: what the loop starts with must stay (%s)", parent.Location().Position(), cause)
		}
		return NoCopy, ""
	}
	return Unclear, fmt.Sprintf("it is an argument of %s", parent.Name())
}

// parameter judges a parameter of a function: of the one that runs, or of one that is
// called, which XLA puts in the place of each call.
func parameter(f mlir.Operation, i, depth int) (Cause, string) {
	name, _ := f.Symbol()
	var calls []mlir.Operation
	root := f.Parent()
	if !root.IsNil() {
		root.Walk(func(op mlir.Operation) mlir.WalkAction {
			if called, ok := function.Callee(op); ok && called == name && i < op.NumOperands() {
				calls = append(calls, op)
			}
			return mlir.WalkContinue
		})
	}
	if len(calls) > 0 && name != "main" {
		if depth == maxCalls {
			return Unclear, "its function is called from too deep"
		}
		for _, call := range calls {
			if cause, text := overwritten(call, call.Operand(i), depth+1); cause != NoCopy {
				return cause, fmt.Sprintf("in the call at %s: %s", call.Location().Position(), text)
			}
		}
		return NoCopy, ""
	}
	if donated(f, i) {
		return NoCopy, fmt.Sprintf("nothing is copied where the run donates argument %d, and a result of its type can take its memory", i)
	}
	return NotDonated, fmt.Sprintf("it is copied: argument %d of %q is not donated; mark it with jax.buffer_donor or tf.aliasing_output, and donate it in the run", i, name)
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

// viewed is what a value is a view of: it stands in the same memory.
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

// folded reports whether a value depends on nothing but constants, so that XLA computes
// it once and for all.
func folded(v mlir.Value, seen map[uint64]bool) bool {
	if !v.IsResult() {
		return false
	}
	op := v.Owner()
	switch op.Name() {
	case "stablehlo.constant":
		return true
	case "stablehlo.broadcast_in_dim", "stablehlo.iota", "stablehlo.custom_call":
		return false // left for the run
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
