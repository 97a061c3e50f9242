package mlir

import (
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/calliope-mlir/calliope/internal/callers"
)

// places maps return addresses in the user's code to the locations of their lines. Addresses
// in this package and those below it map to the zero Location.
type places struct {
	all map[uintptr]Location
	// recent caches a part of all, indexed by the last bits of the address.
	recent [64]struct {
		address uintptr
		at      Location
	}
}

// depth is the number of calls in which here looks for the line.
const depth = 8

// here returns the location of the line that called this package from outside: see isOurs.
func (p *places) here(c *Context) Location {
	var addresses [depth]uintptr
	callers.Addresses(addresses[:])
	for _, a := range addresses {
		e := &p.recent[a%uintptr(len(p.recent))]
		if e.address != a || a == 0 {
			at, known := p.all[a]
			if !known {
				break
			}
			e.address, e.at = a, at
		}
		if !e.at.IsNil() {
			return e.at
		}
	}
	return p.find(c, &addresses)
}

// find is here for a line that is not cached yet or is more calls away. addresses come from
// callers.Addresses. They are cached from then on.
func (p *places) find(c *Context, addresses *[depth]uintptr) Location {
	frame := callerFrame()
	at := c.FileLocation(frame.File, frame.Line, 0)
	if p.all == nil {
		p.all = map[uintptr]Location{}
	}
	for _, a := range addresses {
		f := runtime.FuncForPC(a - 1)
		if f == nil {
			break
		}
		// Functions of these packages that the compiler has inlined into the user's have the
		// same entry, and each inlined call has an address of its own.
		if f.Entry() == frame.Entry {
			p.all[a] = at
			break
		}
		p.all[a] = Location{}
	}
	return at
}

// caller returns the line of the innermost call from outside: see isOurs.
func caller() (file string, line int) {
	frame := callerFrame()
	return frame.File, frame.Line
}

func callerFrame() runtime.Frame {
	var pcs [16]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for frames, more := runtime.CallersFrames(pcs[:n]), n > 0; more; {
			var f runtime.Frame
			f, more = frames.Next()
			if !isOurs(filepath.ToSlash(f.File)) {
				return f
			}
		}
		if n < len(pcs) {
			return runtime.Frame{File: "unknown"}
		}
	}
}

// isOurs reports whether a file belongs to this package, those below it, or the others that take
// a Builder. Function names are not enough: a closure of a generic function is named after the
// function into which it was compiled.
func isOurs(file string) bool {
	below, ok := strings.CutPrefix(file, moduleDir)
	return ok && !strings.HasSuffix(file, "_test.go") && (strings.HasPrefix(below, "mlir/") ||
		strings.HasPrefix(below, "stablehlo/") || strings.HasPrefix(below, "internal/ods/"))
}

// moduleDir is the folder of this module as call frames name it, with a slash at its end.
var moduleDir = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(path.Dir(filepath.ToSlash(file))) + "/"
}()
