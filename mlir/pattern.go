package mlir

import (
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

// Patterns is a set of rewrite patterns that can be applied. It is used by one
// goroutine at a time; the caller closes it, or its context does.
type Patterns struct {
	ctx    *Context
	raw    capi.MlirFrozenRewritePatternSet
	life   *lifetime
	forget []func()
	byPDL  bool // the patterns are described in PDL

	running bool
	patternRun
}

// patternRun is a run of patterns, while it is under way.
type patternRun struct {
	walking bool
	trusts  bool // what patterns leave is not verified
	folds   bool // folders are called, which may not end on a cycle

	within pointer            // the outermost thing around …
	on     capi.MlirOperation // … the operation that it runs in
	calls  int                // of patterns
	failed error
	kept   capi.MlirOperation // see stop
	pdl    pdlState           // of the rewrite under way

	rewritten map[rewritten]bool // in a walk
}

// rewritten is an operation that a pattern has rewritten.
type rewritten struct {
	pattern *Pattern
	op      pointer
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
		if s.walking && s.rewritten[rewritten{&p, op.Ptr}] {
			return false // it was moved to where the walk goes on
		}
		base := capi.MlirPatternRewriterAsBase(t, rewriter)
		s.settle(p.Name, op, func(this *call) (err error) {
			o := s.ctx.operation(op)
			r := &Rewriter{c: s.ctx, raw: base, life: this.life, call: this,
				at: point{block: s.ctx.block(capi.MlirOperationGetBlock(t, op)), before: o}}
			// After a change the library must not go on as if there was none, whatever
			// the pattern says.
			defer func() { matched = r.free() || matched }()
			if matched, err = p.Rewrite(o, r); err != nil || s.trusts {
				return err
			}
			return this.valid(s.ctx, s.folds)
		})
		if s.walking && matched {
			if s.rewritten == nil {
				s.rewritten = map[rewritten]bool{}
			}
			s.rewritten[rewritten{&p, op.Ptr}] = true
		}
		return s.stop(t, base) || matched
	}
}

// settle calls Go and keeps the first error for the end of the run, after which
// nothing is called any more. op may be nil for a function that PDL calls.
func (s *Patterns) settle(name string, op capi.MlirOperation, f func(*call) error) (ok bool) {
	return s.settleAs(call{root: op, pattern: true}, name, f)
}

func (s *Patterns) settleAs(this call, name string, f func(*call) error) (ok bool) {
	if s.failed != nil {
		return false
	}
	if s.calls++; s.walking && s.calls > maxRewrites {
		s.failed = ErrNotConverged
		return false
	}
	this.top, this.on, this.walk, this.judged = s.within, s.on, s.walking, !s.trusts
	err := s.ctx.enter(this, func(this *call) error {
		s.pdl.mark(s.ctx)
		return f(this)
	})
	if err != nil {
		s.failed = &PatternError{Pattern: name, Err: err}
	}
	return err == nil
}

// Close destroys the set and its patterns. Closing twice does nothing. The error is always
// nil.
func (s *Patterns) Close() error {
	if s.life.ended || s.ctx.life.ended {
		return nil
	}
	if s.running {
		panic("mlir: Patterns.Close called by a pattern of the set")
	}
	capi.MlirFrozenRewritePatternSetDestroy(s.ctx.api, s.raw)
	for _, f := range s.forget {
		f()
	}
	s.life.ended = true
	delete(s.ctx.calls.open, s)
	return nil
}
