package builder

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/callers"
	"github.com/calliope-mlir/calliope/mlir"
)

// place is a line of the user's Go code.
type place struct{ *position }

type position struct {
	file     string
	line     int
	location mlir.Location
}

// String returns the place in the form that errors use.
func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// short returns the place without the machine's folders: the last folder and the file are
// enough to find the line.
func (p place) short() string {
	file := filepath.ToSlash(p.file)
	return fmt.Sprintf("%s:%d", path.Join(path.Base(path.Dir(file)), path.Base(file)), p.line)
}

// places maps return addresses in the user's code to lines. It is nil for an address in
// this package.
type places struct {
	all map[uintptr]*position
	// recent caches a part of all, indexed by the last bits of the address. It is even
	// faster.
	recent [256]struct {
		address  uintptr
		position *position
	}
}

// A Place is a line of Go code that builds operations.
type Place struct {
	position *position
	context  *mlir.Context // of the position's location
}

// Place returns the Go line that an operation built now has.
func (b *Builder) Place() Place { return Place{b.here().position, b.ctx} }

// At gives the operations that are built from now on the line of a Place, which may be one of another Builder, and not
// that of their call. It is for code that builds again what it has recorded. At(Place{}) ends it.
func (b *Builder) At(p Place) {
	b.at = place{p.position}
	if p.position != nil && p.context != b.ctx {
		file, line := p.position.file, p.position.line
		b.at = place{&position{file, line, b.ctx.FileLocation(file, line, 0)}}
	}
}

// here returns the line that called this package: the innermost one outside of ours.
// Operations that the package's own functions build for one another get the same line.
func (b *Builder) here() place {
	if b.at.position != nil {
		return b.at
	}
	var addresses [callers.Depth]uintptr
	callers.Addresses(&addresses)
	for _, a := range addresses {
		e := &b.places.recent[a%uintptr(len(b.places.recent))]
		if e.address != a || a == 0 {
			p, known := b.places.all[a]
			if !known {
				break
			}
			e.address, e.position = a, p
		}
		if e.position != nil {
			return place{e.position}
		}
	}
	return b.find(addresses)
}

// find is here for a line that is not cached yet or is more calls away. addresses come from
// callers.Addresses. They are cached from then on.
func (b *Builder) find(addresses [callers.Depth]uintptr) place {
	frame := b.line()
	p := &position{frame.File, frame.Line, b.ctx.FileLocation(frame.File, frame.Line, 0)}
	if b.places.all == nil {
		b.places.all = map[uintptr]*position{}
	}
	for _, a := range addresses {
		f := runtime.FuncForPC(a - 1)
		if f == nil {
			break
		}
		// If the compiler has inlined functions of this package into the user's, they have
		// the same entry, and each inlined call has an address of its own.
		if f.Entry() == frame.Entry {
			b.places.all[a] = p
			break
		}
		b.places.all[a] = nil
	}
	return place{p}
}

// line returns the innermost call outside of ours and of Options.Through, or if there is none, outside of ours.
func (b *Builder) line() runtime.Frame {
	var pcs [16]uintptr
	through := runtime.Frame{File: "unknown"}
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for frames, more := runtime.CallersFrames(pcs[:n]), n > 0; more; {
			var f runtime.Frame
			f, more = frames.Next()
			dir := path.Dir(filepath.ToSlash(f.File))
			switch {
			case slices.Contains(ours, dir) && !strings.HasSuffix(f.File, "_test.go"):
			case !b.passes(f):
				return f
			case through.PC == 0:
				through = f
			}
		}
		if n < len(pcs) {
			return through
		}
	}
}

// passes reports whether a call is of a package in Options.Through, or of Go's own below it.
func (b *Builder) passes(f runtime.Frame) bool {
	if len(b.options.Through) == 0 || strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	return strings.HasPrefix(f.Function, "runtime.") || strings.HasPrefix(f.Function, "reflect.") ||
		slices.ContainsFunc(b.options.Through, func(p string) bool { return strings.HasPrefix(f.Function, p) })
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
