package jit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A ForeignError is the error of Compile for a module that has what no compiler of StableHLO takes.
type ForeignError struct {
	Operation Operation
	Reason    string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("jit: the module is refused: %s: %s", e.Operation, e.Reason)
}

// accept returns a *ForeignError for a module that has what XLA does not take, and removes attributes that XLA does not
// read. It reports whether the module says how devices share its arrays.
// Operations of other dialects, such as llvm, call any function of the process, and read and write any memory. So do
// attributes, such as llvm.module_asm and section, which MLIR copies to the code that it makes.
func accept(m *mlir.Module) (divided bool, err error) {
	for op := range m.Operation().All() {
		if reason := foreign(op); reason != "" {
			return false, &ForeignError{Operation{op.Name(), op.Location().Position()}, reason}
		}
		if strings.HasPrefix(op.Name(), "sdy.") { // undivide removes it, and reads its attributes
			divided = true
			continue
		}
		for name := range op.Discardables() {
			if !known(name) {
				op.RemoveDiscardable(name)
			}
		}
		if op.Name() == "func.func" {
			dropForeign(op, "arg_attrs")
			dropForeign(op, "res_attrs")
		}
	}
	return divided, nil
}

// accepted are the dialects of which modules may have operations, and the operations of other dialects.
var (
	acceptedDialects   = []string{"stablehlo", "chlo", "sdy"}
	acceptedOperations = []string{"builtin.module", "func.func", "func.call", "func.return", "arith.constant"}
)

// foreign returns why an operation is not accepted, or "".
func foreign(op mlir.Operation) string {
	dialect, _, _ := strings.Cut(op.Name(), ".")
	if !slices.Contains(acceptedDialects, dialect) && !slices.Contains(acceptedOperations, op.Name()) {
		return "a module to compile has operations of StableHLO, CHLO and func alone: " +
			"package mlir/execution runs whatever another one says"
	}
	if op.Name() == "func.func" && op.Region(0).First().IsNil() {
		return "the function has no body, and none of the process takes its place: register a callback, and call that"
	}
	for t := range typesIn(op) {
		if !acceptable(t) {
			return fmt.Sprintf("its type %s is none of StableHLO", t)
		}
	}
	return ""
}

// typesIn returns an iterator over the types of the results of an operation, and of the arguments of its blocks.
func typesIn(op mlir.Operation) func(yield func(mlir.Type) bool) {
	return func(yield func(mlir.Type) bool) {
		for _, v := range op.ResultValues() {
			if !yield(v.Type()) {
				return
			}
		}
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				for _, v := range b.ArgumentValues() {
					if !yield(v.Type()) {
						return
					}
				}
			}
		}
	}
}

// acceptable reports whether values may have a type.
func acceptable(t mlir.Type) bool {
	switch t.Kind() {
	case mlir.KindRankedTensor, mlir.KindUnrankedTensor:
		element, _ := t.Element()
		encoding, encoded := t.Encoding()
		return acceptable(element) && (!encoded || encoding.Dialect() == "stablehlo")
	case mlir.KindTuple:
		elements, _ := t.Elements()
		return !slices.ContainsFunc(elements, func(e mlir.Type) bool { return !acceptable(e) })
	case mlir.KindInteger, mlir.KindIndex, mlir.KindFloat, mlir.KindComplex:
		return true
	}
	return slices.Contains([]string{"stablehlo", "quant"}, t.Dialect())
}

// known reports whether an attribute of any operation is one of those that frameworks write for XLA, or that this
// module writes.
func known(name string) bool {
	dialect, _, dotted := strings.Cut(name, ".")
	return dotted && slices.Contains([]string{"calliope", "jax", "mhlo", "sdy", "stablehlo", "tf"}, dialect)
}

// dropForeign removes what is not known from the attributes of a function's parameters or results.
func dropForeign(function mlir.Operation, name string) {
	all, ok := function.Attribute(name)
	if !ok {
		return
	}
	dictionaries, _ := all.Elements()
	c := function.Context()
	var kept []mlir.Attribute
	for _, of := range dictionaries {
		var entries []mlir.NamedAttribute
		for name, value := range of.Entries() {
			if known(name) {
				entries = append(entries, mlir.NamedAttribute{Name: name, Value: value})
			}
		}
		kept = append(kept, c.DictionaryAttribute(entries...))
	}
	function.SetAttribute(name, c.ArrayAttribute(kept...))
}
