package mlir

import (
	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw/access"
)

// What package transform needs of runs and of calls of Go. Package internal/ir/raw documents these functions.
func init() {
	access.Run = func(m *Module, method string, inGo bool, f func(op capi.MlirOperation, top pointer)) error {
		_, err := m.ctx.run(m.operation(), method, inGo, func(op Operation, top pointer) { f(op.raw, top) })
		return err
	}
	access.Hold = func(m *Module) (release func()) {
		m.busy++
		return func() { m.busy-- }
	}
	access.Acyclic = Operation.acyclic
	access.Guarded = Operation.guarded
	access.Translatable = (*Context).translatable
	access.MayExtend = (*Context).mayExtend
	access.Ask = func(c *Context, op capi.MlirOperation, question string, f func(Operation) error) error {
		top := capi.Top(c.api, capi.OperationKind, op.Ptr)
		on := call{top: top, on: op, root: op, pattern: true, constraint: true, anywhere: true, question: question}
		return c.enter(on, func(*call) error { return f(c.operation(op)) })
	}
	access.Rewrite = func(c *Context, top pointer, on capi.MlirOperation, rewriter capi.MlirRewriterBase,
		f func(r *Rewriter, valid func() error) error) error {
		in := call{top: top, on: on, pattern: true, anywhere: true, verified: true, inner: true}
		return c.enter(in, func(this *call) error {
			r := &Rewriter{c: c, raw: rewriter, life: this.life, call: this}
			defer r.free()
			return f(r, func() error { return this.valid(c, true) })
		})
	}
}
