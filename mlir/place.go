package mlir

import (
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/calliope-mlir/calliope/internal/text/callers"
)

// here returns the location of the line that called this package from outside: see isOurs.
func (s *buildState) here(c *Context) Location {
	var addresses [8]uintptr
	callers.Addresses(addresses[:])
	if at := s.places.Known(addresses[:]); at != nil {
		return *at
	}
	frame := callerFrame()
	at := c.FileLocation(frame.File, frame.Line, 0)
	before, outside := callers.Cut(addresses[:], frame)
	for _, a := range before {
		s.places.Set(a, nil)
	}
	if outside != 0 {
		s.places.Set(outside, &at)
	}
	return at
}

// caller returns the line of the innermost call from outside: see isOurs.
func caller() (file string, line int) {
	frame := callerFrame()
	return frame.File, frame.Line
}

func callerFrame() runtime.Frame {
	for f := range callers.Frames() {
		if !isOurs(filepath.ToSlash(f.File)) {
			return f
		}
	}
	return runtime.Frame{File: "unknown"}
}

// isOurs reports whether a file belongs to this package, those below it, or the others that take
// a Builder. Function names are not enough: a closure of a generic function is named after the
// function into which it was compiled.
func isOurs(file string) bool {
	below, ok := strings.CutPrefix(file, moduleDir)
	return ok && !strings.HasSuffix(file, "_test.go") && (strings.HasPrefix(below, "mlir/") ||
		strings.HasPrefix(below, "stablehlo/") || strings.HasPrefix(below, "internal/ir/ods/"))
}

// moduleDir is the folder of this module as call frames name it, with a slash at its end.
var moduleDir = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(path.Dir(filepath.ToSlash(file))) + "/"
}()
