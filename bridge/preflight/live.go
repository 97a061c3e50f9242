package preflight

import (
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// isFeed reports whether an operation exchanges values with a host through an outfeed or infeed.
func isFeed(op mlir.Operation) bool {
	return op.Name() == "stablehlo.outfeed" || op.Name() == "stablehlo.infeed"
}

// live returns the custom calls, outfeeds and infeeds that XLA will compile, in the order of the module. It
// leaves out functions that @main does not reach, and operations that have no effect and
// whose results are not used. XLA finds more, such as an unused result of a loop, so live
// may return a call that XLA removes.
func live(m *mlir.Module) []mlir.Operation {
	var calls []mlir.Operation
	known := neededOps{}
	for _, function := range reachable(m) {
		for op := range function.All() {
			if call, ok := stablehlo.AsCustomCall(op); isFeed(op) || ok && (call.HasSideEffect || known.needed(op)) {
				calls = append(calls, op)
			}
		}
	}
	return calls
}

// reachable returns the operations of the module's body that @main refers to, directly or
// indirectly, or all of them if there is no @main.
func reachable(m *mlir.Module) []mlir.Operation {
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

// symbols returns the symbols in an attribute that is a symbol or a list of them.
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

// neededOps records whether operations are needed, so that each is visited only a few
// times, however many calls lead to it.
type neededOps map[mlir.Operation]bool

// needed reports whether the result of an operation reaches one that XLA keeps.
func (v neededOps) needed(op mlir.Operation) bool {
	if needed, known := v[op]; known {
		return needed
	}
	from := map[mlir.Operation]mlir.Operation{op: {}} // for each operation, the one that led to it
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

// kept reports whether XLA keeps an operation, or may keep it, even if its results are not
// used.
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
