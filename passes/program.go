package passes

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// PrepareOptions are the options of Prepare and Program. The zero value changes neither the signature of a module nor
// what may run at the same time.
type PrepareOptions struct {
	RuntimeTokens bool // order the callbacks of one effect over several runs: see AddRuntimeTokens
	Overlap       bool // let callbacks overlap that do not depend on one another: see LetOverlap
	// Interruptible has each iteration of a loop look whether the context of its run has ended, which ends the run:
	// see InterruptLoops. Without it a loop without callbacks goes on after the end of the context, and keeps its
	// device.
	Interruptible bool
	// PoliciesApplied leaves out ApplyPolicies, which cannot see in a part of a module that it has changed the whole.
	PoliciesApplied bool
}

// Prepare changes a module so that XLA computes what it says. It inlines what states derivatives (see InlineRules),
// applies device policies, adds runtime tokens if the options say so, rewrites what XLA's CPU compiler gets wrong or
// does not translate (docs/reference/xla-deviations.md lists it), and lets calls overlap if the options say so. A
// second run changes nothing.
func Prepare(m *mlir.Module, o PrepareOptions) error {
	steps := []func(*mlir.Module) (int, error){InlineRules}
	if !o.PoliciesApplied {
		steps = append(steps, ApplyPolicies)
	}
	if o.RuntimeTokens {
		steps = append(steps,
			func(m *mlir.Module) (int, error) { effects, err := AddRuntimeTokens(m); return len(effects), err })
	}
	steps = append(steps, xlafix.Correct)
	if o.Interruptible {
		steps = append(steps, InterruptLoops)
	}
	if o.Overlap {
		steps = append(steps, LetOverlap)
	}
	for _, step := range steps {
		if _, err := step(m); err != nil {
			return err
		}
	}
	return nil
}

// Prepared is a module that is prepared when it is compiled. It implements engine.Program.
type Prepared struct {
	module  *mlir.Module
	options PrepareOptions
}

// Program returns m for bridge.Client.Compile, which gets a clone that Prepare has changed. The module stays as it
// is, and must not be closed before it is compiled. stablehlo.Unprepared compiles a module without any change.
func Program(m *mlir.Module, o PrepareOptions) Prepared { return Prepared{m, o} }

// Module returns the module as it was given to Program.
func (p Prepared) Module() *mlir.Module { return p.module }

// Artifact implements engine.Program: see stablehlo.Serializer.
func (p Prepared) Artifact(version string) (data []byte, err error) {
	err = p.with(version, func(s stablehlo.Serializer) error { data, err = s.Artifact(version); return err })
	return data, err
}

// Describe implements bridge.DescribedProgram: see stablehlo.Serializer.
func (p Prepared) Describe(version string, placed bool) (d contract.Module, err error) {
	err = p.with(version, func(s stablehlo.Serializer) error { d, err = s.Describe(version, placed); return err })
	d.Calls = func() []contract.CustomCall { return stablehlo.CustomCalls(p.module) } // the clone is closed
	return d, err
}

// with calls f with the prepared clone, as a version of StableHLO reads it.
func (p Prepared) with(version string, f func(stablehlo.Serializer) error) error {
	if p.module == nil {
		return errors.New("passes: Program: the module is nil")
	}
	m := p.module.Clone()
	err := Prepare(m, p.options)
	if err == nil && !stablehlo.HasMeshAxes(version) {
		_, err = ExpandMeshAxes(m)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("passes: Program: %w", err), m.Close())
	}
	return errors.Join(f(stablehlo.Unprepared(m)), m.Close())
}
