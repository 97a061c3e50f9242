package preflight

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/xlacalls"
	"github.com/calliope-mlir/calliope/internal/text/nearest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Options are the options of [Check] and [Waits]. The zero value is useful.
type Options struct {
	// File is the file of the module, for places that have no file name.
	File string
	// Targets are the custom call targets that call Go, as in bridge.OpenOptions; nil
	// means contract.Targets.
	Targets []string
	// Handlers are the custom call targets of other handlers of XLA's typed FFI, such as
	// those of callbacks.ForeignTarget. Their attributes are not checked.
	Handlers []string
	// JAXCallbacks is that of engine.CompileOptions, for modules that JAX lowered.
	JAXCallbacks []string
	// Partitions is that of engine.CompileOptions: XLA accepts some annotations of Shardy
	// only in a module that several devices share, and side effects only in its manual
	// computations.
	Partitions int
}

// Check compares every custom call of a module that XLA will compile with what is
// registered now, and finds outfeeds and infeeds. A call that is not needed, which XLA removes, is not checked, nor is
// one that only places a value in a memory, which bridge removes: see [Hints]. If there are problems, the error is an
// [*Error] that lists all of them.
//
// Check does not change the module. Like the module, it must not be used by several
// goroutines at the same time.
func Check(m *mlir.Module, o Options) error {
	var problems []Problem
	where := callop.Surroundings(m)
	misplaced := map[mlir.Operation]error{}
	for _, c := range stablehlo.MisplacedCalls(m.Operation().Index()) {
		misplaced[c.Operation] = c
	}
	for _, op := range live(m) {
		call, _ := stablehlo.AsCustomCall(op)
		p, found := o.check(op, call)
		if isFeed(op) {
			p, found = Problem{Kind: Feed, Err: fmt.Errorf("the %s would wait forever, because nothing is at its other end: make a callback of it with passes.Migrate", op.Name())}, true
		}
		if err := misplaced[op]; !found && err != nil {
			p, found = Problem{Kind: BadPlace, Err: err}, true
		}
		if !found && o.Partitions > 1 {
			p, found = checkDevices(m, op, where)
		}
		if found {
			p.Operation, p.Position, p.Target = op, op.Location().Position(), call.Target
			if p.Position.File == "-" && o.File != "" { // the parser's name of a text without one
				p.Position.File = o.File
			}
			problems = append(problems, p)
		}
	}
	if problems == nil {
		p, found := o.checkSurplus(m)
		if !found {
			return nil
		}
		problems = append(problems, p)
	}
	return &Error{Problems: problems}
}

// checkDevices checks a call in a module that devices share. XLA refuses side effects where the
// devices run the module together, with one of several messages that do not name the reason.
func checkDevices(m *mlir.Module, op mlir.Operation, where func(mlir.Operation) callop.Surrounding) (Problem, bool) {
	if !callop.HasSideEffect(op) || !where(op).Outside || callop.IsPlaced(m, op) {
		return Problem{}, false
	}
	return Problem{Kind: BadDevices, Err: errors.New(
		"the call has side effects, and is not in a manual computation, so it is not known which of the devices that share the module make it: apply passes.ApplyPolicies to the module")}, true
}

// check returns the problem of one call, if it has one.
func (o Options) check(op mlir.Operation, call stablehlo.CustomCallOp) (Problem, bool) {
	ours, of := slices.Contains(o.targets(), call.Target), contract.XLATargetOf(call.Target)
	switch {
	case call.Target == contract.TargetResultSharding && !has(op, "mhlo.frontend_attributes"):
		return Problem{Kind: BadAttributes, Err: fmt.Errorf(
			"the target %q needs mhlo.frontend_attributes, as Shardy's export writes them: without them newer plugins end the process", call.Target)}, true
	case contract.CHLOOperation(call.Target) != "" && !has(op, "mhlo.attributes"):
		return Problem{Kind: BadAttributes, Err: fmt.Errorf(
			"the target %q needs mhlo.attributes, which may be {}: without them XLA does not know what it stands for", call.Target)}, true
	case contract.CHLOOperation(call.Target) != "":
		_, err := xlacalls.Attributes(op)
		return Problem{Kind: BadAttributes, Err: err}, err != nil
	case of == contract.XLACompiled, onlyPlaces(op):
		return Problem{}, false
	case of == contract.XLAPartitioned:
		if o.Partitions > 1 {
			return Problem{}, false
		}
		return Problem{Kind: MissingTarget, Err: fmt.Errorf(
			"the target %q needs a module that several devices share: compile it with Partitions above 1", call.Target)}, true
	case call.Target == contract.TargetShapeAssertion:
		return Problem{Kind: MissingTarget, Err: fmt.Errorf(
			"no handler is registered for the target %q, which asserts shapes: stablehlo.Refine evaluates it, so compile the module that it returns", call.Target)}, true
	case o.isJAX(call.Target):
		if len(o.JAXCallbacks) == 0 {
			return Problem{Kind: MissingTarget, Err: fmt.Errorf(
				"no handler is registered for the target %q of JAX: name the callbacks that serve its calls in CompileOptions.JAXCallbacks of bridge", call.Target)}, true
		}
	case !ours && !slices.Contains(o.Handlers, call.Target):
		p := Problem{Kind: MissingTarget, Nearest: o.nearest(call.Target)}
		p.Err = fmt.Errorf("no handler is registered for the target %q%s", call.Target, nearest.Hint(p.Nearest))
		if _, typed := stablehlo.TypedConfig(op); !typed && p.Nearest == "" {
			p.Err = fmt.Errorf("%w: rewrite the call, which is not of the typed FFI, with passes.ReplaceLegacy", p.Err)
		}
		if contract.IsLAPACKTarget(call.Target) {
			p.Nearest = ""
			p.Err = fmt.Errorf("no handler is registered for the target %q: lapack.Register of bridge/lapack serves it, and Handlers must have lapack.Targets then", call.Target)
		}
		return p, true
	}
	attributes, typed := stablehlo.TypedConfig(op)
	switch {
	case !typed:
		return Problem{Kind: WrongVersion, Err: fmt.Errorf(
			"the target %q has a handler of XLA's typed FFI, but the call has the API version %d: write api_version = %d with a dictionary as backend_config",
			call.Target, call.APIVersion, stablehlo.TypedFFI)}, true
	case ours, o.isJAX(call.Target):
		if err := callop.CheckLayouts(call); err != nil {
			return Problem{Kind: BadLayout, Err: err}, true
		}
		if !ours {
			return o.checkJAX(call, attributes)
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
