package aliasing

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// A List holds the aliases of one custom call.
type List []stablehlo.OutputOperandAlias

// Passthrough aliases each of n results with the operand at the same position. The path
// into the results is empty for one result, and [i] for several.
func Passthrough(n int) List {
	l := make(List, n)
	for i := range l {
		l[i] = Result(i, n, i)
	}
	return l
}

// Result aliases the i-th of n results with an operand.
func Result(i, n, operand int) stablehlo.OutputOperandAlias {
	a := stablehlo.OutputOperandAlias{OperandIndex: int64(operand)}
	if n > 1 {
		a.OutputTupleIndices = []int64{int64(i)}
	}
	return a
}

// Read returns the aliases of a custom call. It returns false if op is another operation.
func Read(op mlir.Operation) (List, bool) {
	if op.Name() != "stablehlo.custom_call" {
		return nil, false
	}
	a, ok := op.Attribute("output_operand_aliases")
	if !ok {
		return nil, true
	}
	var list List
	elements, _ := a.Elements()
	for _, e := range elements {
		if alias, ok := stablehlo.AsOutputOperandAlias(e); ok {
			list = append(list, alias)
		}
	}
	return list, true
}

// Operands reports for each of n operands whether a result shares its memory.
func (l List) Operands(n int) []bool {
	list := make([]bool, n)
	for _, a := range l {
		if a.OperandIndex >= 0 && a.OperandIndex < int64(n) {
			list[a.OperandIndex] = true
		}
	}
	return list
}

// An Error describes what is wrong with one alias of a list.
type Error struct {
	Index  int // index of the alias in the list
	Alias  stablehlo.OutputOperandAlias
	Reason string
	// WholeTuple says that the path into the results is empty, and so means the tuple of all
	// results, but the operand is not such a tuple.
	WholeTuple bool
}

func (e *Error) Error() string {
	return fmt.Sprintf("aliasing: alias %d (output %v, operand %d %v): %s",
		e.Index, e.Alias.OutputTupleIndices, e.Alias.OperandIndex, e.Alias.OperandTupleIndices, e.Reason)
}

// CheckOperation checks the aliases of a custom call against its operands and results.
func CheckOperation(op mlir.Operation) error {
	call, ok := stablehlo.AsCustomCall(op)
	if !ok {
		return fmt.Errorf("aliasing: %s has no aliases: only stablehlo.custom_call does", op.Name())
	}
	return CheckCall(call)
}

// CheckCall is CheckOperation for a call that is not an operation.
func CheckCall(call stablehlo.CustomCallOp) error {
	operands := make([]mlir.Type, len(call.Operands))
	for i, v := range call.Operands {
		operands[i] = v.Type()
	}
	list := List(call.Aliases)
	return errors.Join(list.Check(operands, call.Results), checkLayouts(list, call))
}

// Check checks a list against the types of a custom call's operands and results. The error
// joins one *Error for each mistake.
func (l List) Check(operands, results []mlir.Type) error {
	var errs []error
	outputs, inputs := paths{}, paths{}
	for i, a := range l {
		fail := func(format string, args ...any) {
			errs = append(errs, &Error{Index: i, Alias: a, Reason: fmt.Sprintf(format, args...)})
		}
		out, reason := outputType(a, results)
		if reason != "" {
			fail("%s", reason)
			continue
		}
		in, reason := operandType(a, operands)
		if reason != "" {
			fail("%s", reason)
			continue
		}
		if len(a.OutputTupleIndices) == 0 && out.IsTuple() && !in.Equal(out) && (len(results) > 1 || !in.IsTuple()) {
			e := &Error{Index: i, Alias: a, WholeTuple: true}
			e.Reason = fmt.Sprintf("an empty output path means the tuple of all %d results: use [i] for the i-th one",
				len(results))
			if len(results) == 1 {
				e.Reason = fmt.Sprintf("an empty output path means the whole result %s, and the operand is %s: use [i] for the i-th element", out, in)
			}
			errs = append(errs, e)
			continue
		}
		if !in.Equal(out) {
			fail("the operand is %s and the result %s: values that share memory must have the same type", in, out)
			continue
		}
		if other, taken := outputs.add(i, a.OutputTupleIndices); taken {
			fail("alias %d uses this result already, or a part of it: a result can share the memory of one operand only", other)
			continue
		}
		if other, taken := inputs.add(i, append([]int64{a.OperandIndex}, a.OperandTupleIndices...)); taken {
			fail("alias %d uses this operand already, or a part of it: two results in the same memory would overwrite each other", other)
		}
	}
	return errors.Join(errs...)
}

// outputType follows the path into the results.
func outputType(a stablehlo.OutputOperandAlias, results []mlir.Type) (mlir.Type, string) {
	path := a.OutputTupleIndices
	switch {
	case len(results) == 0:
		return mlir.Type{}, "the call has no results that could share an operand's memory"
	case len(results) == 1:
		return descend(results[0], path, "result")
	case len(path) == 0:
		return results[0].Context().TupleType(results...), ""
	case path[0] < 0 || path[0] >= int64(len(results)):
		return mlir.Type{}, fmt.Sprintf("there is no result %d: the call has %d", path[0], len(results))
	}
	return descend(results[path[0]], path[1:], "result")
}

func operandType(a stablehlo.OutputOperandAlias, operands []mlir.Type) (mlir.Type, string) {
	if a.OperandIndex < 0 || a.OperandIndex >= int64(len(operands)) {
		return mlir.Type{}, fmt.Sprintf("there is no operand %d: the call has %d", a.OperandIndex, len(operands))
	}
	return descend(operands[a.OperandIndex], a.OperandTupleIndices, "operand")
}

// descend follows a path through nested tuples.
func descend(t mlir.Type, path []int64, what string) (mlir.Type, string) {
	for depth, i := range path {
		elements, ok := t.Elements()
		if !ok {
			return mlir.Type{}, fmt.Sprintf(
				"the path into the %s leads to %s, which is not a tuple: remove %v from its end", what, t, path[depth:])
		}
		if i < 0 || i >= int64(len(elements)) {
			return mlir.Type{}, fmt.Sprintf("the %s's tuple %s has no element %d", what, t, i)
		}
		t = elements[i]
	}
	return t, ""
}

// paths records which parts of a nested value are taken, and by which alias.
type paths struct{ taken []taken }

type taken struct {
	path []int64
	by   int
}

// add takes a part. A part overlaps with every part that contains it or is inside of it.
func (p *paths) add(by int, path []int64) (other int, overlaps bool) {
	for _, t := range p.taken {
		n := min(len(t.path), len(path))
		if slices.Equal(t.path[:n], path[:n]) {
			return t.by, true
		}
	}
	p.taken = append(p.taken, taken{path, by})
	return 0, false
}

// checkLayouts compares the layouts of aliased operands and results, if the call has any.
func checkLayouts(l List, call stablehlo.CustomCallOp) error {
	var errs []error
	for i, a := range l {
		in, ok := operandLayout(call, a)
		if !ok {
			continue
		}
		out, ok := resultLayout(call, a)
		if ok && !slices.Equal(in, out) {
			errs = append(errs, &Error{Index: i, Alias: a, Reason: fmt.Sprintf(
				"the operand's layout is %v and the result's %v (minor to major): values that share memory must have the same layout", in, out)})
		}
	}
	return errors.Join(errs...)
}

// operandLayout returns the layout of an alias's operand. It returns false if there is
// none. There is none for a part of a tuple, because the attribute cannot express it.
func operandLayout(call stablehlo.CustomCallOp, a stablehlo.OutputOperandAlias) ([]int64, bool) {
	if len(a.OperandTupleIndices) > 0 {
		return nil, false
	}
	return at(call.OperandLayouts, a.OperandIndex)
}

// resultLayout returns the layout of an alias's result. Layouts exist for several results
// and for the elements of a tuple that is the only result, but not for parts of these.
func resultLayout(call stablehlo.CustomCallOp, a stablehlo.OutputOperandAlias) ([]int64, bool) {
	path := a.OutputTupleIndices
	single := len(call.Results) == 1 && !call.Results[0].IsTuple()
	switch {
	case single && len(path) == 0:
		return at(call.ResultLayouts, 0)
	case !single && len(path) == 1:
		return at(call.ResultLayouts, path[0])
	}
	return nil, false
}

func at(layouts [][]int64, i int64) ([]int64, bool) {
	if i < 0 || i >= int64(len(layouts)) {
		return nil, false
	}
	return layouts[i], true
}
