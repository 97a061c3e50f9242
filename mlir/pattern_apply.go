package mlir

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A Strictness determines which operations a greedy rewrite visits.
type Strictness int

const (
	AnyOp          Strictness = iota // all operations
	ExistingAndNew                   // those that existed at the start, and those that patterns create
	Existing                         // those that existed at the start
)

// A RegionSimplification determines how far a greedy rewrite simplifies control flow.
type RegionSimplification int

const (
	SimplifyAggressively RegionSimplification = iota // including block merging
	SimplifyNormally                                 // dead blocks and arguments
	SimplifyNothing
)

// maxRewrites stops runs that would never end. No real module needs as many.
const maxRewrites = 1 << 24

// defaultRewrites returns the number of rewrites in an iteration after which a run is taken for one that never ends.
// Each iteration has as many, so that a run of patterns which undo one another ends after seconds.
func defaultRewrites(op Operation) int {
	n := 0
	for range op.All() {
		n++
	}
	return min(1<<12+16*n, maxRewrites)
}

// GreedyOptions are the settings of Patterns.Apply. The zero value means the library's
// defaults, except for a limit on the number of rewrites.
type GreedyOptions struct {
	MaxIterations int // over all operations; zero means 10, -1 means no limit
	MaxRewrites   int // in an iteration; zero means 4,096 and 16 for each operation, at most 16,777,216
	// Context stops the run before the next call of a Go function once it is done, with its error as the cause. The
	// changes up to then stay. Nil means that nothing stops the run but its limits.
	Context context.Context
	TopDown bool
	// NoFolding disables folding. If folding is enabled, Apply returns an error if
	// operations use one another's results in a cycle, because the library might never
	// terminate.
	NoFolding bool
	// NoVerify disables verifying the operations that patterns have changed. The library
	// may crash on invalid operations.
	NoVerify      bool
	NoConstantCSE bool // do not merge equal constants
	Strictness    Strictness
	Regions       RegionSimplification
}

// ErrNotConverged is wrapped by the error of Patterns.Apply if it stopped at one of its limits while
// patterns may still match. That error names the Go patterns which made the last rewrites: they may undo one another.
var ErrNotConverged = errors.New("mlir: the patterns still match after the maximum number of iterations or rewrites")

// Apply applies the patterns, and the folders of the operations, in a module until none
// matches. All handles into the module are invalid after it. The error is a *PatternError
// if a pattern failed, and wraps ErrNotConverged if a limit was reached.
func (s *Patterns) Apply(m *Module, o GreedyOptions) error {
	m.given("Patterns.Apply")
	m.life.check("Patterns.Apply")
	_, err := s.apply(m.operation(), o, "Patterns.Apply")
	return err
}

// ApplyTo applies the patterns in one operation, as Apply does in a module, and returns a
// new handle to it. Nothing outside the operation may use a value in it or branch into it.
func (s *Patterns) ApplyTo(op Operation, o GreedyOptions) (Operation, error) {
	return s.apply(op, o, "Patterns.ApplyTo")
}

func (s *Patterns) apply(op Operation, o GreedyOptions, method string) (Operation, error) {
	t := s.life.check(method)
	op.in(s.ctx, method)
	greedy := "mlirApplyPatternsAndFoldGreedilyWithOp"
	configured := s.ctx.lib.Has("mlirGreedyRewriteDriverConfigCreate")
	var config capi.MlirGreedyRewriteDriverConfig
	switch {
	case !configured && !o.defaults():
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
		if o.MaxRewrites == 0 {
			o.MaxRewrites = defaultRewrites(op)
		}
		o.set(t, config)
	}
	var converged bool
	run := patternRun{trusts: o.NoVerify, folds: !o.NoFolding, stopped: o.Context}
	var recent []string
	op, err := s.run(op, method, run, func(op Operation) {
		defer func() { recent = s.recent }()
		if greedy == "mlirApplyPatternsAndFoldGreedily" {
			converged = capi.MlirApplyPatternsAndFoldGreedily(t, capi.MlirModuleFromOperation(t, op.raw), s.raw,
				config).Value != 0
			return
		}
		converged = capi.MlirApplyPatternsAndFoldGreedilyWithOp(t, op.raw, s.raw, config).Value != 0
	})
	if err == nil && !converged {
		err = notConverged(recent)
	}
	return op, err
}

// notConverged returns the error of a run whose last rewrites were those of the patterns with these names.
func notConverged(recent []string) error {
	if len(recent) == 0 {
		return ErrNotConverged
	}
	slices.Sort(recent)
	recent = slices.Compact(recent)
	for i, name := range recent {
		recent[i] = strconv.Quote(name)
	}
	return fmt.Errorf("%w: the last rewrites are those of %s", ErrNotConverged, strings.Join(recent, " and "))
}

// defaults reports whether the options are those that a library without options has.
func (o GreedyOptions) defaults() bool {
	o.Context, o.NoVerify = nil, false
	return o == GreedyOptions{}
}

func (o GreedyOptions) set(t *capi.Table, config capi.MlirGreedyRewriteDriverConfig) {
	iterations := o.MaxIterations
	if iterations == 0 {
		iterations = 10
	}
	capi.MlirGreedyRewriteDriverConfigSetMaxIterations(t, config, int64(iterations))
	capi.MlirGreedyRewriteDriverConfigSetMaxNumRewrites(t, config, int64(o.MaxRewrites))
	capi.MlirGreedyRewriteDriverConfigSetUseTopDownTraversal(t, config, o.TopDown)
	capi.MlirGreedyRewriteDriverConfigEnableFolding(t, config, !o.NoFolding)
	capi.MlirGreedyRewriteDriverConfigEnableConstantCSE(t, config, !o.NoConstantCSE)
	capi.MlirGreedyRewriteDriverConfigSetStrictness(t, config,
		capi.MlirGreedyRewriteStrictness(min(max(o.Strictness, AnyOp), Existing)))
	level := capi.MLIR_GREEDY_SIMPLIFY_REGION_LEVEL_AGGRESSIVE
	switch o.Regions {
	case SimplifyNormally:
		level = capi.MLIR_GREEDY_SIMPLIFY_REGION_LEVEL_NORMAL
	case SimplifyNothing:
		level = capi.MLIR_GREEDY_SIMPLIFY_REGION_LEVEL_DISABLED
	}
	capi.MlirGreedyRewriteDriverConfigSetRegionSimplificationLevel(t, config, level)
}

// Walk tries the patterns once at each operation in a module, which is faster than Apply.
// It does not visit operations that patterns create, and a pattern may erase only the
// operation that it matched and what is in it. A pattern that moves its operation forward
// is not called for it again. Walk does not fold, and verifies only changes by PDL
// patterns. The error is a *PatternError if a pattern failed, and wraps ErrNotConverged if
// patterns were called 16,777,216 times.
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
		return op, err // patterns and folders rely on what verifiers check
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
