package mlir

import (
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// placeDepth is the number of calls that places looks at first. A dialect's function seldom
// has more others of this module above the user's.
const placeDepth = 4

// places maps the calls that lead to a creation to the location of the user's line.
type places struct {
	all  map[[placeDepth]uintptr]Location
	last [placeDepth]uintptr
	at   Location // of last
}

// here returns the location of the line that called this module's packages below mlir.
func (p *places) here(c *Context) Location {
	var calls [placeDepth]uintptr
	runtime.Callers(4, calls[:]) // without this function and two of Builder
	if calls == p.last && !p.at.IsNil() {
		return p.at
	}
	at, known := p.all[calls]
	if !known {
		file, line, ok := user(calls[:])
		if !ok { // it is further away
			file, line = caller()
			return c.FileLocation(file, line, 0)
		}
		at = c.FileLocation(file, line, 0)
		if p.all == nil {
			p.all = map[[placeDepth]uintptr]Location{}
		}
		p.all[calls] = at
	}
	p.last, p.at = calls, at
	return at
}

// caller returns the line of the innermost call outside of this package and the packages of
// dialects below it.
func caller() (file string, line int) {
	var pcs [16]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		if file, line, ok := user(pcs[:n]); ok {
			return file, line
		}
		if n < len(pcs) {
			return "unknown", 0
		}
	}
}

// user returns the innermost line of the user's code in a stack.
func user(pcs []uintptr) (file string, line int, ok bool) {
	for frames, more := runtime.CallersFrames(pcs), len(pcs) > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		file := filepath.ToSlash(f.File)
		if f.PC != 0 && !strings.HasPrefix(file, packageDir) || strings.HasSuffix(file, "_test.go") {
			return f.File, f.Line, true
		}
	}
	return "", 0, false
}

// packageDir is the folder of this package as call frames name it, with a slash at its end.
// Function names are not enough: a closure of a generic function is named after the function
// into which it was compiled.
var packageDir = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(filepath.ToSlash(file)) + "/"
}()
