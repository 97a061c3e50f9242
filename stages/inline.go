package stages

import (
	"errors"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// An inliner copies functions to where main calls them: those that contain callbacks, or that take tokens. Passes of
// MLIR do not serve here, because some libraries cannot inline, and because the other functions are best left in
// their stages.
type inliner struct {
	functions map[string]mlir.Operation
	holds     map[mlir.Operation]bool // functions that contain callbacks themselves
	needed    map[string]bool         // functions to inline, false while they are being read
}

// inline inlines functions of the module.
func (o Options) inline(m *mlir.Module) error {
	_, functions := function.Defined(m)
	main, ok := functions["main"]
	if !ok {
		return errors.New("stages: the module has no function main")
	}
	sites, err := o.sites(m)
	if err != nil {
		return err
	}
	i := &inliner{functions: functions, holds: map[mlir.Operation]bool{}, needed: map[string]bool{}}
	for _, s := range sites {
		around := s.Op.Parent()
		for around.Name() != "func.func" && around.Name() != "builtin.module" {
			around = around.Parent()
		}
		i.holds[around] = true
	}
	return i.expand(main)
}

// needs reports whether a function is inlined.
func (i *inliner) needs(name string) (bool, error) {
	f, ok := i.functions[name]
	if !ok {
		return false, nil // declared only
	}
	if needed, known := i.needed[name]; known {
		if !needed {
			return false, cutError(f, "the function %s calls itself", name)
		}
		return true, nil
	}
	i.needed[name] = false
	needed := i.holds[f] || usesTokens(f)
	for _, callee := range calleesOf(f) {
		inner, err := i.needs(callee)
		if err != nil {
			return false, err
		}
		needed = needed || inner
	}
	if needed {
		i.needed[name] = true
	} else {
		delete(i.needed, name) // it is cheap to read again
	}
	return needed, nil
}

// calleeOf returns the function that an operation is a call of.
func calleeOf(op mlir.Operation) (string, bool) {
	if op.Name() == "stablehlo.composite" {
		a, _ := op.Attribute("decomposition")
		return a.Symbol()
	}
	return function.Callee(op)
}

func calleesOf(op mlir.Operation) (names []string) {
	op.Walk(func(op mlir.Operation) mlir.WalkAction {
		if name, ok := calleeOf(op); ok {
			names = append(names, name)
		}
		return mlir.WalkContinue
	})
	return names
}

// expand inlines the calls in an operation, and those that come with them.
func (i *inliner) expand(around mlir.Operation) (err error) {
	var calls []mlir.Operation
	around.Walk(func(op mlir.Operation) mlir.WalkAction {
		name, ok := calleeOf(op)
		if !ok {
			return mlir.WalkContinue
		}
		needed, failed := i.needs(name)
		if failed != nil {
			err = failed
			return mlir.WalkStop
		}
		if needed {
			calls = append(calls, op)
		}
		return mlir.WalkContinue
	})
	if err != nil {
		return err
	}
	for _, call := range calls {
		if err := i.replace(call); err != nil {
			return err
		}
	}
	return nil
}

// replace copies the called function to the call.
func (i *inliner) replace(call mlir.Operation) error {
	name, _ := calleeOf(call)
	f := i.functions[name]
	if f.Region(0).NumBlocks() != 1 {
		return cutError(f, "the function %s has several blocks, and only structured control flow is cut", name)
	}
	copies, err := function.Inline(call, f)
	if err != nil {
		return cutError(call, "%v", err)
	}
	for _, op := range copies {
		if err := i.expand(op); err != nil {
			return err
		}
	}
	return nil
}
