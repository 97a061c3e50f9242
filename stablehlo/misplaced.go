package stablehlo

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// A MisplacedCall is a custom call of XLA's typed FFI that XLA's CPU compiler cannot make where it is: in the body of a
// reduce, a sort or the like, in a function that such a body calls, or in one that a custom call names. XLA ends the
// process, refuses the module without a place, or never makes the call.
type MisplacedCall struct {
	Operation mlir.Operation
	Where     string // such as "the body of a stablehlo.reduce"
}

func (c MisplacedCall) Error() string {
	call, _ := AsCustomCall(c.Operation)
	return fmt.Sprintf("the custom call @%s is in %s, where XLA cannot make it: call before or after that, on whole arrays", call.Target, c.Where)
}

// withBodies are the operations whose bodies XLA compiles into a loop over elements, or only recognizes.
var withBodies = []string{
	"stablehlo.all_reduce", "stablehlo.collective_reduce", "stablehlo.map", "stablehlo.reduce", "stablehlo.reduce_scatter",
	"stablehlo.reduce_window", "stablehlo.scatter", "stablehlo.select_and_scatter", "stablehlo.sort",
}

// MisplacedCalls returns the custom calls of the typed FFI that are misplaced, in the order of the module whose
// operations the index lists.
func MisplacedCalls(index *mlir.Index) []MisplacedCall {
	where := map[string]string{} // by the name of a function in which no call can be made
	for op := range index.Named("stablehlo.custom_call") {
		if _, ok := op.Attribute("called_computations"); !ok {
			continue
		}
		call, _ := AsCustomCall(op)
		for _, name := range call.CalledComputations {
			where[name] = fmt.Sprintf("the function %q, which the custom call @%s names", name, call.Target)
		}
	}
	if len(where) == 0 && !index.Has(withBodies...) {
		return nil // as in most modules
	}
	for found := true; found; {
		found = false
		for op := range index.Named("func.call") {
			callee, _ := op.Attribute("callee")
			name, _ := callee.Symbol()
			if at := place(op, where); at != "" && where[name] == "" {
				where[name], found = fmt.Sprintf("the function %q, which is called in %s", name, at), true
			}
		}
	}
	var list []MisplacedCall
	for op := range index.Named("stablehlo.custom_call") {
		if _, typed := TypedConfig(op); !typed {
			continue
		}
		if at := place(op, where); at != "" {
			list = append(list, MisplacedCall{op, at})
		}
	}
	return list
}

// place returns where an operation is that cannot call, or "".
func place(op mlir.Operation, where map[string]string) string {
	for at := op.Parent(); !at.IsNil(); at = at.Parent() {
		if slices.Contains(withBodies, at.Name()) {
			return "the body of a " + at.Name()
		}
		if name, ok := at.Symbol(); ok && where[name] != "" {
			return where[name]
		}
	}
	return ""
}
