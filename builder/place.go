package builder

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// place is a line of the user's Go code.
type place struct {
	file     string
	line     int
	location mlir.Location
	inside   bool // it is this package's own
}

// String is the place as a sentence names it.
func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// short is the place without what is of one machine only: the folder and file are
// enough to find the line.
func (p place) short() string {
	file := filepath.ToSlash(p.file)
	return fmt.Sprintf("%s:%d", path.Join(path.Base(path.Dir(file)), path.Base(file)), p.line)
}

// here is the line that called this package: the innermost one that stands outside of
// it. What the package's own functions build for one another is of that line too.
func (b *Builder) here() place {
	var pcs [4]uintptr // a function of the package seldom calls more than three others
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			p, known := b.places[pc]
			if !known {
				p = b.place(pc)
				b.places[pc] = p
			}
			if !p.inside {
				return p
			}
		}
		if n < len(pcs) {
			return place{file: "unknown", location: b.ctx.UnknownLocation()}
		}
	}
}

func (b *Builder) place(pc uintptr) place {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	if path.Dir(filepath.ToSlash(frame.File)) == home && !strings.HasSuffix(frame.File, "_test.go") {
		return place{inside: true}
	}
	return place{file: frame.File, line: frame.Line, location: b.ctx.FileLocation(frame.File, frame.Line, 0)}
}

// home is the folder of this package as call frames name it. Functions don't say it as
// well: a closure of a generic function is named after the function that it was
// compiled into.
var home = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(filepath.ToSlash(file))
}()
