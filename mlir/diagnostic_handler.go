package mlir

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// handler is a function passed to OnDiagnostic or HandleDiagnostics. Functions are not
// comparable, so its address identifies it.
type handler struct {
	call   func(Diagnostic)
	handle func(Diagnostic, Location) bool // nil if call is set
}

// OnDiagnostic calls f with every diagnostic of this context until stop is called,
// including those that become part of an error and warnings that cause no error. f runs on
// the goroutine that called the library, after the library returned, and may use the
// context. Handlers are called in the order in which they were added.
func (c *Context) OnDiagnostic(f func(Diagnostic)) (stop func()) {
	c.life.check("Context.OnDiagnostic")
	return c.addHandler(&handler{call: f})
}

// HandleDiagnostics calls f with every diagnostic of this context and its location until
// stop is called. If f returns true, the diagnostic counts as handled: neither the functions
// that were added before with HandleDiagnostics nor those of OnDiagnostic are called for it.
// It is part of an error all the same. The function that was added last is called first, and
// otherwise f is called as that of OnDiagnostic is.
func (c *Context) HandleDiagnostics(f func(d Diagnostic, at Location) (handled bool)) (stop func()) {
	c.life.check("Context.HandleDiagnostics")
	return c.addHandler(&handler{handle: f})
}

func (c *Context) addHandler(h *handler) (stop func()) {
	c.takeDiagnostics("") // discard earlier diagnostics
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

// EmitWarning reports a warning at a location to the handlers of OnDiagnostic and
// HandleDiagnostics. It works with any library.
func (c *Context) EmitWarning(loc Location, message string) {
	c.life.check("Context.EmitWarning")
	c.emit(SeverityWarning, loc, message, "Context.EmitWarning")
}

// EmitRemark reports a remark as EmitWarning does a warning.
func (c *Context) EmitRemark(loc Location, message string) {
	c.life.check("Context.EmitRemark")
	c.emit(SeverityRemark, loc, message, "Context.EmitRemark")
}

func (c *Context) emit(severity Severity, loc Location, message, method string) {
	c.takeDiagnostics("")
	at := c.location(loc.in(c, method))
	c.handle([]Diagnostic{{Severity: severity, Position: at.Position(), Message: message}}, []Location{at})
}

// EmitWarning reports a warning at the operation's location; see Context.EmitWarning.
func (o Operation) EmitWarning(message string) { o.Context().EmitWarning(o.Location(), message) }

// EmitRemark reports a remark at the operation's location; see Context.EmitWarning.
func (o Operation) EmitRemark(message string) { o.Context().EmitRemark(o.Location(), message) }

// handle calls the handlers with the diagnostics, which have these locations.
func (c *Context) handle(list []Diagnostic, at []Location) []Diagnostic {
	if len(c.handlers) == 0 {
		return list
	}
	handled := make([]bool, len(list))
	for _, h := range slices.Backward(c.handlers) {
		for i, d := range list {
			if h.handle != nil && !handled[i] {
				handled[i] = h.handle(d, at[i])
			}
		}
	}
	for _, h := range c.handlers {
		for i, d := range list {
			if h.call != nil && !handled[i] {
				h.call(d)
			}
		}
	}
	return list
}
