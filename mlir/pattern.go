package mlir

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// Pattern is a rewrite rule that is written in Go.
type Pattern struct {
	Name string // for errors
	Op   string // the name of the operations at which it may match
	// Benefit says which pattern is tried first where several match: the one with
	// the largest, from 1 (also when zero) to 65534.
	Benefit int
	// Generates names the operations that the pattern makes, where that is known.
	Generates []string
	// Rewrite looks at an operation. Where the pattern does not match it returns
	// false and must have changed nothing. Else it makes its changes through r and
	// returns true. The insertion point is before the operation. Handles, and the
	// Rewriter, are good until it returns, but for those to what it has erased. What
	// the patterns work on is taken out of where it stands, or erased, with the
	// Rewriter alone, and nothing else is run on it. What it leaves is valid: Apply
	// verifies what has changed. After an error, or a panic, nothing is tried any more,
	// and what was changed until then stays.
	Rewrite func(op Operation, r *Rewriter) (bool, error)
}

// PatternError says that a Pattern, or a function that PDL calls, failed.
type PatternError struct {
	Pattern string
	Err     error
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("mlir: the pattern %q failed: %v", e.Pattern, e.Err)
}

// Unwrap is the pattern's own error.
func (e *PatternError) Unwrap() error { return e.Err }

// ErrNotConverged is what Patterns.Apply returns when it stopped at one of its limits
// and patterns may still match.
var ErrNotConverged = errors.New("mlir: the patterns still match after the iterations and rewrites that are allowed")

// Patterns is a set of rewrite patterns that can be applied. It is used by one
// goroutine at a time; the caller closes it, or its context does.
type Patterns struct {
	ctx    *Context
	raw    capi.MlirFrozenRewritePatternSet
	life   *lifetime
	forget []func()

	running bool
	within  pointer            // while running: the outermost thing around …
	on      capi.MlirOperation // … the operation that it runs in
	walking bool
	trust   bool // what patterns leave is not verified
	folds   bool // folders are called, which may not end on a cycle
	calls   int  // of patterns in a walk
	failed  error
	kept    capi.MlirOperation // see stop
	pdl     pdlState           // of the rewrite under way
}

// NewPatterns makes a set of patterns written in Go. It is an UnsupportedError where
// the library cannot call them.
func (c *Context) NewPatterns(patterns ...Pattern) (*Patterns, error) {
	t := c.life.check("Context.NewPatterns")
	if err := c.lib.needAll("mlirOpRewritePatternCreate", "mlirRewritePatternSetAdd", "mlirFreezeRewritePattern", "mlirPatternRewriterAsBase"); err != nil {
		return nil, err
	}
	for _, p := range patterns {
		if p.Op == "" || p.Rewrite == nil || p.Benefit < 0 || p.Benefit >= 1<<16-1 {
			return nil, fmt.Errorf("mlir: the pattern %q needs an Op, a Rewrite, and a Benefit of at most 65534", p.Name)
		}
		c.Registered(p.Op) // loads the dialect, by which the name is told from others
		for _, name := range p.Generates {
			c.Registered(name)
		}
	}
	s := &Patterns{ctx: c, life: &lifetime{ctx: c, of: "Patterns", parent: c.life}}
	set := capi.MlirRewritePatternSetCreate(t, c.raw)
	for _, p := range patterns {
		capi.MlirRewritePatternSetAdd(t, set, capi.CreatePattern(t, c.raw, p.Op, max(p.Benefit, 1), p.Generates, s.match(t, p)))
	}
	s.freeze(t, set)
	return s, nil
}

func (s *Patterns) freeze(t *capi.Table, set capi.MlirRewritePatternSet) {
	s.raw = capi.MlirFreezeRewritePattern(t, set)
	if t.Has("mlirRewritePatternSetDestroy") { // an older library leaks the emptied set
		capi.MlirRewritePatternSetDestroy(t, set)
	}
	s.ctx.calls.keep(s)
}

func (s *Patterns) match(t *capi.Table, p Pattern) capi.PatternFunc {
	return func(op capi.MlirOperation, rewriter capi.MlirPatternRewriter) bool {
		matched := false
		base := capi.MlirPatternRewriterAsBase(t, rewriter)
		s.settle(p.Name, op, func(life *lifetime, this *call) (err error) {
			r := &Rewriter{c: s.ctx, raw: base, life: life, call: this,
				block: Block{life, capi.MlirOperationGetBlock(t, op)}, before: Operation{life, op}}
			// After a change the library must not go on as if there was none, whatever
			// the pattern says.
			defer func() { matched = r.free() || matched }()
			if matched, err = p.Rewrite(Operation{life, op}, r); err != nil || s.trust {
				return err
			}
			return this.valid(s.ctx, s.folds)
		})
		return s.stop(t, base) || matched
	}
}

// settle calls Go and keeps the first error for the end of the run, after which
// nothing is called any more. op may be nil for a function that PDL calls.
func (s *Patterns) settle(name string, op capi.MlirOperation, f func(*lifetime, *call) error) (ok bool) {
	return s.settleAs(call{root: op, pattern: true}, name, f)
}

func (s *Patterns) settleAs(this call, name string, f func(*lifetime, *call) error) (ok bool) {
	if s.failed != nil {
		return false
	}
	if s.calls++; s.walking && s.calls > maxRewrites {
		s.failed = ErrNotConverged
		return false
	}
	this.top, this.on, this.walk = s.within, s.on, s.walking
	err := s.ctx.enter(this, f)
	if err != nil {
		s.failed = &PatternError{Pattern: name, Err: err}
	}
	return err == nil
}

// Close destroys the set and its patterns. Closing twice does nothing.
func (s *Patterns) Close() {
	if s.life.ended || s.ctx.life.ended {
		return
	}
	if s.running {
		panic("mlir: Patterns.Close called by a pattern of the set")
	}
	capi.MlirFrozenRewritePatternSetDestroy(s.ctx.lib.api, s.raw)
	for _, f := range s.forget {
		f()
	}
	s.life.ended = true
	delete(s.ctx.calls.open, s)
}

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
var maxRewrites = 1 << 24

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

// Apply applies the patterns, and the folders of the operations, in a module until
// none matches. Handles into the module are over then. The error is a *PatternError
// where a pattern failed, and ErrNotConverged where a limit was reached.
func (s *Patterns) Apply(m *Module, o GreedyOptions) error {
	_, err := s.ApplyTo(m.Operation(), o)
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
	s.trust, s.folds = o.NoVerify, !o.NoFolding
	op, err := s.run(op, "Patterns.Apply", false, func(op Operation) {
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
// operation that it matched and what is in it. Nothing is folded, and nothing verified.
// The error is a *PatternError where a pattern failed, and ErrNotConverged where patterns
// that move their operations on were called 16,777,216 times.
func (s *Patterns) Walk(m *Module) error {
	t := s.life.check("Patterns.Walk")
	s.trust, s.folds = true, false
	if err := s.ctx.lib.need("mlirWalkAndApplyPatterns"); err != nil {
		return err
	}
	_, err := s.run(m.Operation(), "Patterns.Walk", true, func(op Operation) {
		capi.MlirWalkAndApplyPatterns(t, op.raw, s.raw)
	})
	return err
}

func (s *Patterns) run(op Operation, what string, walking bool, f func(Operation)) (Operation, error) {
	if s.running {
		return op, fmt.Errorf("mlir: %s called by a pattern of the set", what)
	}
	if err := op.Verify(); err != nil {
		return op, err // patterns and folders take for granted what verifiers check
	}
	if s.folds {
		if err := op.acyclic("applying the patterns", ", or set NoFolding"); err != nil {
			return op, err
		}
	}
	s.running, s.walking, s.calls, s.failed = true, walking, 0, nil
	defer func() { s.running, s.within, s.on = false, nil, capi.MlirOperation{} }()
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
