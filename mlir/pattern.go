package mlir

import (
	"cmp"
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A Pattern is a rewrite rule written in Go.
type Pattern struct {
	Name string // for errors
	Op   string // the name of the operations that it may match
	// Benefit determines the order in which patterns are tried: the largest first. It is
	// from 1 to 65534; zero means 1.
	Benefit int
	// Generates are the names of the operations that the pattern creates, if known.
	Generates []string
	// Rewrite is called with an operation that may match. If the pattern does not match,
	// Rewrite returns false and must not change anything. Otherwise, it makes its changes
	// with r and returns true. The insertion point of r is before the operation.
	//
	// The handles that Rewrite gets, and r, are valid until it returns, except for handles
	// to objects that it erased. Rewrite may detach or erase objects in the module only
	// with r, and must not run passes or patterns on it. The result must be valid: Apply
	// verifies the changed operations. After an error or a panic, no more patterns are
	// tried, and the changes up to then stay.
	Rewrite func(op Operation, r *Rewriter) (bool, error)
}

// A PatternError is the error of a Pattern, or of a Go function that a PDL pattern calls.
type PatternError struct {
	Pattern string
	Err     error
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("mlir: the pattern %q failed: %v", e.Pattern, e.Err)
}

// Unwrap returns e.Err.
func (e *PatternError) Unwrap() error { return e.Err }

// Patterns is a set of rewrite patterns that can be applied. It must be used by one
// goroutine at a time. The caller must close it, or it is closed with its context.
type Patterns struct {
	ctx    *Context
	raw    capi.MlirFrozenRewritePatternSet
	life   *lifetime
	forget []func()
	byPDL  bool // the patterns are written in PDL

	running bool
	patternRun
}

// patternRun is the state of a run of patterns.
type patternRun struct {
	walking bool
	trusts  bool // changes are not verified
	folds   bool // folders are called, which may not terminate on a cycle

	within  pointer            // the outermost object that contains …
	on      capi.MlirOperation // … the operation that the run is on
	calls   int                // of patterns
	failed  error
	recent  []string           // names of the patterns of the last rewrites
	stopped context.Context    // that stops the run, or nil
	kept    capi.MlirOperation // see stop
	pdl     pdlState           // of the current rewrite

	rewritten map[rewritten]bool // in a walk
}

// rewritten is a pattern and an operation that it has rewritten.
type rewritten struct {
	pattern *Pattern
	op      pointer
}

// NewPatterns creates a set of patterns written in Go. It returns an UnsupportedError if
// the library cannot call them.
func (c *Context) NewPatterns(patterns ...Pattern) (*Patterns, error) {
	t := c.life.check("Context.NewPatterns")
	if err := c.lib.need("mlirOpRewritePatternCreate", "mlirRewritePatternSetAdd", "mlirFreezeRewritePattern",
		"mlirPatternRewriterAsBase"); err != nil {
		return nil, err
	}
	for _, p := range patterns {
		if p.Op == "" || p.Rewrite == nil || p.Benefit < 0 || p.Benefit >= 1<<16-1 {
			return nil,
				fmt.Errorf("mlir: the pattern %q needs an Op, a Rewrite, and a Benefit of at most 65534", p.Name)
		}
		c.Registered(p.Op) // loads the dialect, without which the name would not match
		for _, name := range p.Generates {
			c.Registered(name)
		}
	}
	s := &Patterns{ctx: c, life: &lifetime{ctx: c, of: "Patterns", parent: c.life}}
	set := capi.MlirRewritePatternSetCreate(t, c.raw)
	for _, p := range patterns {
		capi.MlirRewritePatternSetAdd(t, set,
			capi.CreatePattern(t, c.raw, p.Op, max(p.Benefit, 1), p.Generates, s.match(t, p)))
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
			return false // the pattern moved it, and the walk visits it again
		}
		base := capi.MlirPatternRewriterAsBase(t, rewriter)
		s.call(p.Name, op, func(this *call) (err error) {
			o := s.ctx.operation(op)
			r := &Rewriter{c: s.ctx, raw: base, life: this.life, call: this,
				at: point{block: s.ctx.block(capi.MlirOperationGetBlock(t, op)), before: o}}
			// After a change, the library must not continue as if there was none, whatever
			// the pattern returns.
			defer func() { matched = r.free() || matched }()
			if matched, err = p.Rewrite(o, r); err != nil || s.trusts {
				return err
			}
			return this.valid(s.ctx, s.folds)
		})
		if matched {
			s.recent = append(s.recent[max(0, len(s.recent)-7):], cmp.Or(p.Name, p.Op))
		}
		if s.walking && matched {
			if s.rewritten == nil {
				s.rewritten = map[rewritten]bool{}
			}
			s.rewritten[rewritten{&p, op.Ptr}] = true
		}
		return s.stop(t, base) || matched
	}
}

// call calls Go code for a pattern. It stores the first error, which is returned at the end
// of the run; nothing is called after it. op may be nil for a function that PDL calls.
func (s *Patterns) call(name string, op capi.MlirOperation, f func(*call) error) (ok bool) {
	return s.callAs(call{root: op, pattern: true}, name, f)
}

func (s *Patterns) callAs(this call, name string, f func(*call) error) (ok bool) {
	if s.failed != nil {
		return false
	}
	if s.calls++; s.walking && s.calls > maxRewrites {
		s.failed = notConverged(s.recent)
		return false
	}
	if s.stopped != nil && s.stopped.Err() != nil {
		s.failed = fmt.Errorf("mlir: the patterns were stopped: %w", context.Cause(s.stopped))
		return false
	}
	this.top, this.on, this.walk, this.verified = s.within, s.on, s.walking, !s.trusts
	err := s.ctx.enter(this, func(this *call) error {
		s.pdl.mark(s.ctx)
		return f(this)
	})
	if err != nil {
		s.failed = &PatternError{Pattern: name, Err: err}
	}
	return err == nil
}

// Close destroys the set and its patterns. Closing a closed set does nothing. The error is
// always nil.
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
