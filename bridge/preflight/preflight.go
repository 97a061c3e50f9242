package preflight

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Options say what there is besides XLA's own targets, those of the contract, and the
// callbacks that are registered. The zero value is useful.
type Options struct {
	// File is what the module was read from, for places that name no file of their own.
	File string
	// Targets are the custom call targets that call Go, as in bridge.OpenOptions; nil is
	// contract.Targets.
	Targets []string
	// Handlers are the custom call targets of further handlers of XLA's typed FFI, of
	// whose attributes nothing is known here.
	Handlers []string
	// Partitions is what bridge.CompileOptions will say: some annotations of Shardy
	// are only understood in a module that several devices share.
	Partitions int
}

// Check holds every custom call of a module that XLA will compile against what is
// registered at this moment. A call that nobody needs, which XLA drops, is not looked
// at. What is missing is an [*Error] that lists all of it; nil says that nothing is.
//
// It reads the module and changes nothing; like the module, it is for one goroutine at
// a time.
func Check(m *mlir.Module, o Options) error {
	var problems []Problem
	for _, op := range live(m) {
		call, _ := stablehlo.AsCustomCall(op)
		if p, found := o.check(op, call); found {
			p.Operation, p.Position, p.Target = op, op.Location().Position(), call.Target
			if p.Position.File == "-" && o.File != "" { // how the parser calls what it is given
				p.Position.File = o.File
			}
			problems = append(problems, p)
		}
	}
	if problems == nil {
		return nil
	}
	return &Error{Problems: problems}
}

// check finds what is wrong with one call.
func (o Options) check(op mlir.Operation, call stablehlo.CustomCall) (Problem, bool) {
	ours := slices.Contains(o.targets(), call.Target)
	switch {
	case slices.Contains(cpuTargets, call.Target):
		return Problem{}, false
	case slices.Contains(partitionedTargets, call.Target):
		if o.Partitions > 1 {
			return Problem{}, false
		}
		return Problem{Kind: MissingTarget, Err: fmt.Errorf(
			"the target %q is for a module that several devices share: compile it with Partitions above 1", call.Target)}, true
	case !ours && !slices.Contains(o.Handlers, call.Target):
		p := Problem{Kind: MissingTarget, Nearest: o.nearest(call.Target)}
		p.Err = fmt.Errorf("no handler is registered for the target %q%s", call.Target, isIt(p.Nearest))
		return p, true
	}
	attributes, typed := typedAttributes(op, call)
	switch {
	case !typed:
		return Problem{Kind: WrongVersion, Err: fmt.Errorf(
			"the target %q has a handler of XLA's typed FFI, and the call has the API version %d: write api_version = %d with a dictionary as backend_config",
			call.Target, call.APIVersion, stablehlo.TypedFFI)}, true
	case ours:
		if err := callop.CheckLayouts(call); err != nil {
			return Problem{Kind: BadLayout, Err: err}, true
		}
		return checkCallback(call, attributes)
	}
	return Problem{}, false
}

func (o Options) targets() []string {
	if o.Targets == nil {
		return contract.Targets()
	}
	return o.Targets
}

// typedAttributes is the dictionary of a call of the typed FFI, in either of its
// spellings: with API version 4, or as JAX 0.10 writes it, with the version left out
// and the dictionary beside an empty backend_config. The dictionary may be missing.
func typedAttributes(op mlir.Operation, call stablehlo.CustomCall) (mlir.Attribute, bool) {
	if call.APIVersion == stablehlo.TypedFFI {
		return call.BackendConfig, true
	}
	a, ok := op.Attribute("mhlo.backend_config")
	return a, ok && a.IsDictionary()
}
