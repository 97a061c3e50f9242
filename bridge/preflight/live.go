package preflight

import (
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// live are the custom calls that XLA will compile, in the order of the module. It
// drops functions that @main does not reach, and operations that have no effect and
// whose results reach nothing. Where XLA is cleverer than this, such as for a result
// of a loop that nobody reads, a call is live here that XLA would drop.
func live(m *mlir.Module) []mlir.Operation {
	var calls []mlir.Operation
	known := verdicts{}
	for _, function := range reached(m) {
		for op := range function.All() {
			if call, ok := stablehlo.AsCustomCall(op); ok && (call.HasSideEffect || known.needed(op)) {
				calls = append(calls, op)
			}
		}
	}
	return calls
}

// reached are the operations of the module's body that @main refers to, directly or
// not, and all of them where there is no @main.
func reached(m *mlir.Module) []mlir.Operation {
	var all []mlir.Operation
	named := map[string]mlir.Operation{}
	for op := range m.Body().Operations() {
		all = append(all, op)
		if name, ok := op.Symbol(); ok {
			named[name] = op
		}
	}
	if _, ok := named["main"]; !ok {
		return all
	}
	seen := map[string]bool{"main": true}
	for next := []string{"main"}; len(next) > 0; {
		name := next[len(next)-1]
		next = next[:len(next)-1]
		for op := range named[name].All() {
			for _, a := range op.Attributes() {
				for _, symbol := range symbols(a) {
					if _, ok := named[symbol]; ok && !seen[symbol] {
						seen[symbol] = true
						next = append(next, symbol)
					}
				}
			}
		}
	}
	var list []mlir.Operation
	for _, op := range all {
		if name, ok := op.Symbol(); ok && seen[name] {
			list = append(list, op)
		}
	}
	return list
}

// symbols are the symbols that an attribute names: one, or a list of them.
func symbols(a mlir.Attribute) []string {
	if name, ok := a.Symbol(); ok {
		return []string{name}
	}
	elements, _ := a.Elements()
	var list []string
	for _, e := range elements {
		if name, ok := e.Symbol(); ok {
			list = append(list, name)
		}
	}
	return list
}

// verdicts say of operations whether they are needed, where that is known: each is
// visited a few times only, however many calls lead to it.
type verdicts map[mlir.Operation]bool

// needed says whether the result of an operation reaches one that XLA keeps.
func (v verdicts) needed(op mlir.Operation) bool {
	if needed, known := v[op]; known {
		return needed
	}
	from := map[mlir.Operation]mlir.Operation{op: {}} // the way back
	for next := []mlir.Operation{op}; len(next) > 0; {
		o := next[len(next)-1]
		next = next[:len(next)-1]
		for _, result := range o.Results() {
			for use := range result.Uses() {
				user := use.Owner
				needed, known := v[user]
				if needed || !known && kept(user) {
					for ; !o.IsNil(); o = from[o] {
						v[o] = true
					}
					return true
				}
				if _, seen := from[user]; !seen && !known {
					from[user] = o
					next = append(next, user)
				}
			}
		}
	}
	for o := range from {
		v[o] = false
	}
	return false
}

// kept says whether XLA keeps an operation whoever reads its results, or may do so.
func kept(op mlir.Operation) bool {
	dialect, name, _ := strings.Cut(op.Name(), ".")
	switch {
	case dialect != "stablehlo" && dialect != "chlo", op.NumResults() == 0, op.NumRegions() > 0:
		return true // a return, a call, a loop
	case name == "send", name == "recv", name == "infeed", name == "outfeed":
		return true
	}
	call, _ := stablehlo.AsCustomCall(op)
	return call.HasSideEffect
}
