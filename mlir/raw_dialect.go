package mlir

import "github.com/calliope-mlir/calliope/internal/capi"

// The functions below are what the packages under mlir/dialect need beyond those of
// raw.go. Each takes the name of the caller's function for the sentence of a panic.

// Need returns an *UnsupportedError that names the first of these C functions which
// the library lacks, nil where it has them all.
func (l *Library) Need(functions ...string) error {
	for _, f := range functions {
		if err := l.need(f); err != nil {
			return err
		}
	}
	return nil
}

// Unwrap is the type's context and C handle.
func (t Type) Unwrap(method string) (*Context, capi.MlirType) {
	t.life.check(method)
	return t.life.ctx, t.raw
}

// Unwrap is the attribute's context and C handle.
func (a Attribute) Unwrap(method string) (*Context, capi.MlirAttribute) {
	a.life.check(method)
	return a.life.ctx, a.raw
}

// Unwrap is the operation's context and C handle.
func (o Operation) Unwrap(method string) (*Context, capi.MlirOperation) {
	o.life.use(method, o.raw.Ptr)
	return o.life.ctx, o.raw
}

// In is the type's C handle; it panics where the type is not of context c.
func (t Type) In(c *Context, method string) capi.MlirType { return t.in(c, method) }

// In is the attribute's C handle; it panics where the attribute is not of context c.
func (a Attribute) In(c *Context, method string) capi.MlirAttribute { return a.in(c, method) }
