package transform

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/guard"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Options are the settings of Apply.
type Options struct {
	// Sequence is the name of the transform.named_sequence to run. If it is empty, "__transform_main" is used.
	Sequence string
	// ExpensiveChecks detects handles that are used after they became invalid.
	ExpensiveChecks bool
}

// Apply runs a named sequence of the transform dialect in script on a module. Both must be modules of one context. A
// module may hold its own script, which then runs as a copy. Handles into the module become invalid. Apply returns an
// error if operations use one another's results in a cycle, because transforms that fold might not terminate, and an
// *mlir.UnsupportedError if the library has no interpreter of scripts.
func Apply(m, script *mlir.Module, o Options) error {
	const method = "transform.Apply"
	c := m.Context()
	t := raw.Use(c, method)
	of(c, script, method)
	if err := raw.Need(c.Library(), "mlirTransformApplyNamedSequence", "mlirTransformOptionsCreate"); err != nil {
		return err
	}
	for _, module := range []*mlir.Module{m, script} {
		if err := module.Verify(); err != nil {
			return err
		}
	}
	if err := raw.Acyclic(m.Operation(), "transforming", " first"); err != nil {
		return err
	}
	if m == script {
		script = m.Clone()
		defer script.Close()
	}
	sequence, err := sequenceOf(script, o.Sequence)
	if err != nil {
		return err
	}
	if err := guarded(c, script); err != nil {
		return err
	}
	options := capi.MlirTransformOptionsCreate(t)
	defer capi.MlirTransformOptionsDestroy(t, options)
	capi.MlirTransformOptionsEnableExpensiveChecks(t, options, o.ExpensiveChecks)
	capi.MlirTransformOptionsEnforceSingleTopLevelTransformOp(t, options, false)
	defer raw.Hold(script)()
	_, first := raw.UnwrapOperation(sequence, method)
	_, all := raw.UnwrapOperation(script.Operation(), method)
	s := raw.Beside[scripts](c)
	this := &run{}
	var ok bool
	err = raw.Run(m, method, s.inGo, func(on capi.MlirOperation, top pointer) {
		outer := s.run
		this.top, this.on, s.run = top, on, this
		defer func() { s.run = outer }()
		ok = capi.MlirTransformApplyNamedSequence(t, on, first, all, options).Value != 0
	})
	if err != nil {
		return err
	}
	failure := raw.Failure(c, "transforming")
	switch {
	case this.failed != nil:
		return this.failed
	case !ok:
		return this.failure(failure)
	}
	return nil
}

// of panics if a module does not belong to context c.
func of(c *mlir.Context, m *mlir.Module, method string) {
	if raw.Module(m); m.Context() != c {
		panic("mlir: " + method + " was given a module of another context")
	}
}

// sequenceOf returns the sequence of a name, which has a body.
func sequenceOf(script *mlir.Module, name string) (mlir.Operation, error) {
	if name == "" {
		name = "__transform_main"
	}
	for op := range script.Body().Operations() {
		symbol, _ := op.Attribute("sym_name")
		if symbol.IsNil() || op.Name() != "transform.named_sequence" {
			continue
		}
		if text, _ := symbol.Text(); text != name {
			continue
		}
		if op.Region(0).First().IsNil() {
			return op, fmt.Errorf("transform: the transform.named_sequence @%s has no body", name)
		}
		return op, nil
	}
	return mlir.Operation{}, fmt.Errorf("transform: the script has no transform.named_sequence @%s", name)
}

// guarded returns an error if the library would crash on an operation of a script.
func guarded(c *mlir.Context, script *mlir.Module) error {
	for op := range script.Operation().All() {
		if guard.HasStatic(op.Name()) {
			if err := raw.Guarded(op); err != nil {
				return err
			}
		}
		if name, _ := op.Attribute("pass_name"); op.Name() == "transform.apply_registered_pass" && !name.IsNil() {
			text, _ := name.Text()
			if err := raw.Translatable(c, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// MergeSymbols copies the symbols of another module of the same context into a module, as a script needs those that it
// includes. If both define a name, the library renames a private symbol. Two public ones are an error.
func MergeSymbols(m, from *mlir.Module) error {
	const method = "transform.MergeSymbols"
	c := m.Context()
	t := raw.Use(c, method)
	of(c, from, method)
	if err := raw.Need(c.Library(), "mlirMergeSymbolsIntoFromClone"); err != nil {
		return err
	}
	if m == from {
		return fmt.Errorf("transform: cannot merge a module into itself")
	}
	_, symbols := raw.UnwrapOperation(from.Operation(), method)
	var ok bool
	err := raw.Run(m, method, false, func(on capi.MlirOperation, _ pointer) {
		ok = capi.MlirMergeSymbolsIntoFromClone(t, on, symbols).Value != 0
	})
	if err != nil {
		return err
	}
	if failure := raw.Failure(c, "merging symbols"); !ok {
		return failure
	}
	return nil
}
