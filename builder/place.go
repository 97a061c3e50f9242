package builder

import (
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/internal/text/callers"
	"github.com/calliope-mlir/calliope/mlir"
)

// place is a line of the user's Go code.
type place struct{ *position }

type position struct {
	file     string
	line     int
	location mlir.Location
	names    string // of Named, or ""
}

// String returns the place in the form that errors use.
func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// short returns the place without the machine's folders: the last folder and the file are
// enough to find the line.
func (p place) short() string {
	file := filepath.ToSlash(p.file)
	return fmt.Sprintf("%s:%d", path.Join(path.Base(path.Dir(file)), path.Base(file)), p.line)
}

// A Place is a line of Go code that builds operations.
type Place struct {
	position *position
	context  *mlir.Context // of the position's location
}

// Place returns the Go line that an operation built now has, with its names: see Named.
func (b *Builder) Place() Place { return Place{b.here().position, b.ctx} }

// At gives the operations that are built from now on the line of a Place, which may be one of another Builder, and not
// that of their call. It is for code that builds again what it has recorded. At(Place{}) ends it.
func (b *Builder) At(p Place) {
	b.at = place{p.position}
	if p.position != nil && p.context != b.ctx {
		b.at = b.withNames(place{b.position(line{p.position.file, p.position.line})}, p.position.names)
	}
}

// here returns the line that called this package: the innermost one outside of ours.
// Operations that the package's own functions build for one another get the same line. It has the names of Named.
func (b *Builder) here() place {
	if b.at.position != nil {
		return b.at
	}
	return b.withNames(b.unnamed(), b.names)
}

// unnamed is here without names.
func (b *Builder) unnamed() place {
	var near [8]uintptr
	callers.Addresses(near[:])
	if p := b.places.Known(near[:]); p != nil {
		return place{p}
	}
	var far [64]uintptr // through the functions of Options.Through
	callers.Addresses(far[:])
	if p := b.places.Known(far[:]); p != nil {
		return place{p}
	}
	return b.find(far[:])
}

// find is unnamed for a line that is not cached yet. addresses come from callers.Addresses. It caches them.
func (b *Builder) find(addresses []uintptr) place {
	through := strings.Join(b.options.Through, " ")
	for _, a := range addresses {
		l, known := lines.Load(lineKey{a, through})
		if !known {
			break
		}
		if l := l.(line); l.file != "" {
			return b.place(l, a)
		}
		b.places.Set(a, nil)
	}
	frame, outside := b.line()
	l := line{frame.File, frame.Line}
	if !outside {
		return place{b.position(l)} // a line of Options.Through, which another program may call
	}
	before, address := callers.Cut(addresses, frame)
	for _, a := range before {
		lines.Store(lineKey{a, through}, line{})
		b.places.Set(a, nil)
	}
	if address == 0 {
		return place{b.position(l)}
	}
	lines.Store(lineKey{address, through}, l)
	return b.place(l, address)
}

// place caches a line by its address, and returns it.
func (b *Builder) place(l line, address uintptr) place {
	p := b.position(l)
	b.places.Set(address, p)
	return place{p}
}

func (b *Builder) position(l line) *position {
	return &position{l.file, l.line, b.ctx.FileLocation(l.file, l.line, 0), ""}
}

// lines are the lines that some builder has looked up: finding one takes microseconds.
var lines sync.Map // of line by lineKey

type lineKey struct {
	address uintptr
	through string // Options.Through
}

// line is a line of the user's Go code. It is zero for an address in this package or in Options.Through.
type line struct {
	file string
	line int
}

// line returns the innermost call outside of ours and of Options.Through, or if there is none, outside of ours.
func (b *Builder) line() (frame runtime.Frame, outside bool) {
	through := runtime.Frame{File: "unknown"}
	for f := range callers.Frames() {
		dir := path.Dir(filepath.ToSlash(f.File))
		switch {
		case slices.Contains(ours, dir) && !strings.HasSuffix(f.File, "_test.go"):
		case !b.passes(f):
			return f, true
		case through.PC == 0:
			through = f
		}
	}
	return through, false
}

// passes reports whether a call is of package reflect, which calls functions that calliope.Func gets, of a package in
// Options.Through, or of Go's runtime below it.
func (b *Builder) passes(f runtime.Frame) bool {
	if strings.HasPrefix(f.Function, "reflect.") {
		return true
	}
	if len(b.options.Through) == 0 || strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	return strings.HasPrefix(f.Function, "runtime.") ||
		slices.ContainsFunc(b.options.Through, func(p string) bool { return strings.HasPrefix(f.Function, p) })
}

// placeOf returns the line of a Go function.
func placeOf(f any) string {
	at := reflect.ValueOf(f).Pointer()
	file, line := runtime.FuncForPC(at).FileLine(at)
	return place{&position{file: file, line: line}}.short()
}

// ours are the folders, as call frames name them, of this package and of those whose functions build operations for
// their caller. Function names are not enough: a closure of a generic function is named after the function into which
// it was compiled.
var ours = func() []string {
	_, file, _, _ := runtime.Caller(0)
	here := path.Dir(filepath.ToSlash(file))
	root := path.Dir(here)
	return []string{here, root, root + "/nn", root + "/optim"}
}()
