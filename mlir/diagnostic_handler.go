package mlir

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// handler is a function passed to OnDiagnostic. Functions are not comparable, so its
// address identifies it.
type handler struct{ call func(Diagnostic) }

// OnDiagnostic calls f with every diagnostic of this context until stop is called,
// including those that become part of an error and warnings that cause no error. f runs on
// the goroutine that called the library, after the library returned, and may use the
// context. Handlers are called in the order in which they were added.
func (c *Context) OnDiagnostic(f func(Diagnostic)) (stop func()) {
	c.life.check("Context.OnDiagnostic")
	c.takeDiagnostics("") // discard earlier diagnostics
	h := &handler{f}
	c.handlers = append(c.handlers, h)
	return func() {
		c.handlers = slices.DeleteFunc(slices.Clone(c.handlers), func(other *handler) bool { return other == h })
	}
}

// EmitError reports an error at a location to the handlers of OnDiagnostic, as the library
// does. The message ends at a NUL byte.
func (c *Context) EmitError(loc Location, message string) {
	t := c.life.check("Context.EmitError")
	message, _, _ = strings.Cut(message, "\x00")
	text := append([]byte(message), 0)
	capi.MlirEmitError(t, loc.in(c, "Context.EmitError"), unsafe.Pointer(&text[0]))
	c.takeDiagnostics("")
}

// EmitError reports an error at the operation's location; see Context.EmitError.
func (o Operation) EmitError(message string) { o.Context().EmitError(o.Location(), message) }

// handle calls the handlers.
func (c *Context) handle(list []Diagnostic) []Diagnostic {
	for _, h := range c.handlers {
		for _, d := range list {
			h.call(d)
		}
	}
	return list
}
