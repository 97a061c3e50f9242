package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/guard"
)

// TransformOptions are the settings of Module.Transform.
type TransformOptions struct {
	// Sequence is the name of the transform.named_sequence to run. If it is empty,
	// "__transform_main" is used.
	Sequence string
	// ExpensiveChecks detects handles that are used after they became invalid.
	ExpensiveChecks bool
}

// Transform runs a named sequence of the transform dialect in script on this module. Both
// must be modules of one context. A module may hold its own script, which then runs as a
// copy. Handles into this module become invalid. Transform returns an error if operations
// use one another's results in a cycle, because transforms that fold might not terminate.
func (m *Module) Transform(script *Module, o TransformOptions) error {
	t := m.life.check("Module.Transform")
	script.life.mine(m.ctx, "a module", "Module.Transform")
	if err := m.ctx.lib.need("mlirTransformApplyNamedSequence", "mlirTransformOptionsCreate"); err != nil {
		return err
	}
	for _, module := range []*Module{m, script} {
		if err := module.Verify(); err != nil {
			return err
		}
	}
	if err := m.operation().acyclic("transforming", " first"); err != nil {
		return err
	}
	if m == script {
		script = m.Clone()
		defer script.Close()
	}
	if o.Sequence == "" {
		o.Sequence = "__transform_main"
	}
	var sequence Operation
	for op := range script.Body().Operations() {
		symbol, _ := op.Attribute("sym_name")
		if symbol.IsNil() || op.Name() != "transform.named_sequence" {
			continue
		}
		if name, _ := symbol.Text(); name == o.Sequence {
			sequence = op
		}
	}
	if sequence.IsNil() {
		return fmt.Errorf("mlir: the script has no transform.named_sequence @%s", o.Sequence)
	}
	if sequence.Region(0).First().IsNil() {
		return fmt.Errorf("mlir: the transform.named_sequence @%s has no body", o.Sequence)
	}
	for op := range script.Operation().All() {
		if guard.HasStatic(op.Name()) {
			if err := op.guarded(); err != nil {
				return err
			}
		}
		if name, _ := op.Attribute("pass_name"); op.Name() == "transform.apply_registered_pass" && !name.IsNil() {
			text, _ := name.Text()
			if err := m.ctx.translatable(text); err != nil {
				return err
			}
		}
	}
	options := capi.MlirTransformOptionsCreate(t)
	defer capi.MlirTransformOptionsDestroy(t, options)
	capi.MlirTransformOptionsEnableExpensiveChecks(t, options, o.ExpensiveChecks)
	capi.MlirTransformOptionsEnforceSingleTopLevelTransformOp(t, options, false)
	script.busy++
	defer func() { script.busy-- }()
	var ok bool
	run := &scriptRun{previous: m.ctx.scripts}
	_, err := m.ctx.run(m.operation(), "Module.Transform", m.ctx.inGo, func(op Operation, top pointer) {
		run.top, run.on = top, op.raw
		m.ctx.scripts = run
		defer func() { m.ctx.scripts = run.previous }()
		ok = capi.MlirTransformApplyNamedSequence(t, op.raw, sequence.raw, script.operation().raw, options).Value != 0
	})
	if err != nil {
		return err
	}
	diagnostics := m.ctx.takeDiagnostics("")
	switch {
	case run.failed != nil:
		return run.failed
	case !ok:
		return run.failure(diagnostics)
	}
	return nil
}

// MergeSymbols copies the symbols of another module of the same context into this one. If
// both define a name, the library renames a private symbol. Two public ones are an error.
func (m *Module) MergeSymbols(from *Module) error {
	t := m.life.check("Module.MergeSymbols")
	from.life.mine(m.ctx, "a module", "Module.MergeSymbols")
	if err := m.ctx.lib.need("mlirMergeSymbolsIntoFromClone"); err != nil {
		return err
	}
	if m == from {
		return fmt.Errorf("mlir: cannot merge a module into itself")
	}
	var ok bool
	_, err := m.ctx.run(m.operation(), "Module.MergeSymbols", false, func(op Operation, _ pointer) {
		ok = capi.MlirMergeSymbolsIntoFromClone(t, op.raw, from.operation().raw).Value != 0
	})
	if err != nil {
		return err
	}
	if diagnostics := m.ctx.takeDiagnostics(""); !ok {
		return &DiagnosticError{Op: "merging symbols", Diagnostics: diagnostics}
	}
	return nil
}
