package mlir

import (
	"slices"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// pdlState is the state that the steps of one rewrite leave for its end.
type pdlState struct {
	erased  []removed
	gone    map[pointer]*lifetime // of the handles to objects in erased, all ended
	touched []capi.MlirOperation
	passing []capi.MlirOperation // temporary: carriers, and the results of a step that failed
}

// remove keeps the objects that a step has erased.
func (s *pdlState) remove(c *Context, list []removed) {
	s.erased = append(s.erased, list...)
	for _, e := range list {
		if s.gone == nil {
			s.gone = map[pointer]*lifetime{}
		}
		over := &lifetime{ctx: c, parent: c.life, ended: true, how: erasedBy(e.by)}
		for _, thing := range capi.Gather(c.api, e.kind, e.raw) {
			s.gone[thing.Ptr] = over
		}
	}
}

// mark ends the handles to objects that earlier steps have erased, because the library may
// still return them.
func (s *pdlState) mark(c *Context) {
	for p, over := range s.gone {
		a := c.addresses[p]
		a.life = over
		c.put(p, a)
	}
}

// step returns the function for a step that the library calls.
func (s *Patterns) step(t *capi.Table, d pdlCall) capi.PDLFunc {
	return func(rewriter capi.MlirPatternRewriter, list capi.MlirPDLResultList, values []capi.MlirPDLValue) bool {
		base := capi.MlirPatternRewriterAsBase(t, rewriter)
		if d.last {
			s.finish(t, base, d.of)
			return true
		}
		var root capi.MlirOperation
		if d.rooted {
			root = capi.MlirPDLValueAsOperation(t, values[len(values)-1])
			values = values[:len(values)-1]
		}
		if d.carried {
			s.pdl.passing = append(s.pdl.passing, capi.MlirPDLValueAsOperation(t, values[0]))
		}
		ok := s.call(d.of, root, func(this *call) error {
			r := &Rewriter{c: s.ctx, raw: base, life: this.life, call: this}
			if block := capi.MlirRewriterBaseGetInsertionBlock(t, base); block.Ptr != nil {
				r.at.block = s.ctx.block(block)
				r.at.before = s.ctx.operation(capi.MlirRewriterBaseGetOperationAfterInsertion(t, base))
			}
			defer s.put(r)
			out, err := d.step(r, s.pdlArguments(t, values))
			if err != nil {
				return err
			}
			return s.pdlResults(t, list, d.results, out)
		})
		if !ok {
			s.pdlPlaceholders(t, base, list, d.results)
		}
		// The library terminates the process if a rewrite fails midway. So the error is
		// returned at the end of the run instead.
		return true
	}
}

// put keeps the objects that a step has erased, because later steps may still get them, and
// the operations to be verified at the end.
func (s *Patterns) put(r *Rewriter) {
	s.pdl.remove(s.ctx, r.erased)
	r.erased = nil
	for _, o := range r.call.touched {
		if !o.erased() && capi.Top(s.ctx.api, capi.OperationKind, o.raw.Ptr) == s.within {
			s.pdl.touched = append(s.pdl.touched, o.raw)
		}
	}
	if !r.at.block.IsNil() {
		_ = r.point(s.ctx.api, "") // on an error, the library's own point is in an object that is kept
	}
}

// finish ends a rewrite: it verifies the changed operations and frees the erased ones.
func (s *Patterns) finish(t *capi.Table, base capi.MlirRewriterBase, of string) {
	this := s.pdl
	s.pdl = pdlState{}
	for _, op := range slices.Backward(this.passing) {
		if this.gone[op.Ptr] == nil {
			capi.MlirRewriterBaseEraseOp(t, base, op)
		}
	}
	s.call(of, capi.MlirOperation{}, func(call *call) error {
		for _, op := range this.touched {
			if this.gone[op.Ptr] == nil {
				call.touched = append(call.touched, s.ctx.operation(op))
			}
		}
		if s.trusts {
			return nil
		}
		return call.valid(s.ctx, s.folds)
	})
	(&Rewriter{c: s.ctx, raw: base, call: &call{walk: s.walking}, erased: this.erased}).free()
	for p := range this.gone {
		a := s.ctx.addresses[p]
		a.life = nil // the memory may be used again
		s.ctx.put(p, a)
	}
	s.stop(t, base)
}
