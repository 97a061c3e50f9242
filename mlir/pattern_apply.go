package mlir

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Strictness says which operations a greedy rewrite looks at.
type Strictness int

const (
	AnyOp          Strictness = iota // all in the operation
	ExistingAndNew                   // those that were there, and those that patterns make
	Existing                         // those that were there
)

// RegionSimplification says how far a greedy rewrite simplifies control flow.
type RegionSimplification int

const (
	SimplifyAggressively RegionSimplification = iota // block merging included
	SimplifyNormally                                 // dead blocks and arguments
	SimplifyNothing
)

// maxRewrites ends what would go on for ever: no real module needs as many.
const maxRewrites = 1 << 24

// GreedyOptions are the settings of Patterns.Apply. The zero value has the library's
// own settings, but for a limit on the rewrites.
type GreedyOptions struct {
	MaxIterations int // over all operations; 10 when zero, -1 for no limit
	MaxRewrites   int // within an iteration; 16,777,216 when zero
	TopDown       bool
	// NoFolding leaves out the folders. With them, operations that use one another's
	// results in a cycle are refused: the library might never come to an end.
	NoFolding bool
	// NoVerify leaves out verifying what patterns have changed. The library may crash
	// on what is not valid.
	NoVerify      bool
	NoConstantCSE bool // equal constants are not merged
	Strictness    Strictness
	Regions       RegionSimplification
}

// ErrNotConverged is what Patterns.Apply returns when it stopped at one of its limits
// and patterns may still match.
var ErrNotConverged = errors.New("mlir: the patterns still match after the iterations and rewrites that are allowed")

// Apply applies the patterns, and the folders of the operations, in a module until
// none matches. Handles into the module are over then. The error is a *PatternError
// where a pattern failed, and ErrNotConverged where a limit was reached.
func (s *Patterns) Apply(m *Module, o GreedyOptions) error {
	m.given("Patterns.Apply")
	m.life.check("Patterns.Apply")
	_, err := s.ApplyTo(m.operation(), o)
	return err
}

// ApplyTo is Apply within one operation, which it returns, as RunOn of a PassManager
// does. Nothing outside of the operation may use a value in it or branch into it.
func (s *Patterns) ApplyTo(op Operation, o GreedyOptions) (Operation, error) {
	t := s.life.check("Patterns.ApplyTo")
	op.in(s.ctx, "Patterns.ApplyTo")
	greedy := "mlirApplyPatternsAndFoldGreedilyWithOp"
	configured := s.ctx.lib.Has("mlirGreedyRewriteDriverConfigCreate")
	var config capi.MlirGreedyRewriteDriverConfig
	switch {
	case !configured && o != GreedyOptions{NoVerify: o.NoVerify}:
		return op, s.ctx.lib.need("mlirGreedyRewriteDriverConfigCreate")
	case !s.ctx.lib.Has(greedy) && op.Name() == "builtin.module":
		greedy = "mlirApplyPatternsAndFoldGreedily"
	}
	if err := s.ctx.lib.need(greedy); err != nil {
		return op, err
	}
	if configured {
		config = capi.MlirGreedyRewriteDriverConfigCreate(t)
		defer capi.MlirGreedyRewriteDriverConfigDestroy(t, config)
		o.set(t, config)
	}
	var converged bool
	op, err := s.run(op, "Patterns.Apply", patternRun{trusts: o.NoVerify, folds: !o.NoFolding}, func(op Operation) {
		if greedy == "mlirApplyPatternsAndFoldGreedily" {
			converged = capi.MlirApplyPatternsAndFoldGreedily(t, capi.MlirModuleFromOperation(t, op.raw), s.raw, config).Value != 0
			return
		}
		converged = capi.MlirApplyPatternsAndFoldGreedilyWithOp(t, op.raw, s.raw, config).Value != 0
	})
	if err == nil && !converged {
		err = ErrNotConverged
	}
	return op, err
}

func (o GreedyOptions) set(t *capi.Table, config capi.MlirGreedyRewriteDriverConfig) {
	iterations, rewrites := o.MaxIterations, o.MaxRewrites
	if iterations == 0 {
		iterations = 10
	}
	if rewrites == 0 {
		rewrites = maxRewrites
	}
	capi.MlirGreedyRewriteDriverConfigSetMaxIterations(t, config, int64(iterations))
	capi.MlirGreedyRewriteDriverConfigSetMaxNumRewrites(t, config, int64(rewrites))
	capi.MlirGreedyRewriteDriverConfigSetUseTopDownTraversal(t, config, o.TopDown)
	capi.MlirGreedyRewriteDriverConfigEnableFolding(t, config, !o.NoFolding)
	capi.MlirGreedyRewriteDriverConfigEnableConstantCSE(t, config, !o.NoConstantCSE)
	capi.MlirGreedyRewriteDriverConfigSetStrictness(t, config, capi.MlirGreedyRewriteStrictness(min(max(o.Strictness, AnyOp), Existing)))
	level := capi.MLIR_GREEDY_SIMPLIFY_REGION_LEVEL_AGGRESSIVE
	switch o.Regions {
	case SimplifyNormally:
		level = capi.MLIR_GREEDY_SIMPLIFY_REGION_LEVEL_NORMAL
	case SimplifyNothing:
		level = capi.MLIR_GREEDY_SIMPLIFY_REGION_LEVEL_DISABLED
	}
	capi.MlirGreedyRewriteDriverConfigSetRegionSimplificationLevel(t, config, level)
}

// Walk tries the patterns once at each operation in a module, which is faster than
// Apply. What patterns make is not visited, and a pattern may erase only the
// operation that it matched and what is in it. Nothing is folded, and only what PDL
// patterns have changed is verified. A pattern that moves its operation on does not meet it again. The error is a
// *PatternError where a pattern failed, and ErrNotConverged where patterns were called
// 16,777,216 times.
func (s *Patterns) Walk(m *Module) error {
	t := s.life.check("Patterns.Walk")
	if err := s.ctx.lib.need("mlirWalkAndApplyPatterns"); err != nil {
		return err
	}
	m.given("Patterns.Walk")
	m.life.check("Patterns.Walk")
	_, err := s.run(m.operation(), "Patterns.Walk", patternRun{walking: true, trusts: !s.byPDL}, func(op Operation) {
		capi.MlirWalkAndApplyPatterns(t, op.raw, s.raw)
	})
	return err
}

func (s *Patterns) run(op Operation, what string, this patternRun, f func(Operation)) (Operation, error) {
	if s.running {
		return op, fmt.Errorf("mlir: %s called by a pattern of the set", what)
	}
	if err := op.Verify(); err != nil {
		return op, err // patterns and folders take for granted what verifiers check
	}
	if this.folds {
		if err := op.acyclic("applying the patterns", ", or set NoFolding"); err != nil {
			return op, err
		}
	}
	s.running, s.patternRun = true, this
	defer func() { s.running, s.patternRun = false, patternRun{} }()
	op, err := s.ctx.run(op, what, true, func(op Operation, top pointer) {
		s.within, s.on = top, op.raw
		f(op)
		s.resume()
	})
	if err == nil && s.failed != nil {
		err = s.failed
	}
	return op, err
}
