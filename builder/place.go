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
type place struct{ *position }

type position struct {
	file     string
	line     int
	location mlir.Location
}

// String is the place as a sentence names it.
func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// short is the place without what is of one machine only: the folder and file are
// enough to find the line.
func (p place) short() string {
	file := filepath.ToSlash(p.file)
	return fmt.Sprintf("%s:%d", path.Join(path.Base(path.Dir(file)), path.Base(file)), p.line)
}

// depth is how many calls frames looks at. A function of this package seldom has more
// than five others of it above the user's.
const depth = 8

// places are the lines that return addresses in the user's code belong to; for one in
// this package it is nil.
type places struct {
	all map[uintptr]*position
	// recent is a part of all, by the last bits of the address. It is faster still.
	recent [256]struct {
		address  uintptr
		position *position
	}
}

// here is the line that called this package: the innermost one that stands outside of
// it. What the package's own functions build for one another is of that line too.
func (b *Builder) here() place {
	var addresses [depth]uintptr
	frames(&addresses)
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

// find is here for a line that is not known yet, or is more calls away. addresses are
// those that frames gave; they are known from then on.
func (b *Builder) find(addresses [depth]uintptr) place {
	frame := caller()
	p := &position{frame.File, frame.Line, b.ctx.FileLocation(frame.File, frame.Line, 0)}
	if b.places.all == nil {
		b.places.all = map[uintptr]*position{}
	}
	for _, a := range addresses {
		f := runtime.FuncForPC(a - 1)
		if f == nil {
			break
		}
		// Where the compiler has put functions of this package into the user's, they
		// have one entry, and each call of what is left an address of its own.
		if f.Entry() == frame.Entry {
			b.places.all[a] = p
			break
		}
		b.places.all[a] = nil
	}
	return place{p}
}

// caller is the innermost call that stands outside of this package.
func caller() runtime.Frame {
	var pcs [16]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for frames, more := runtime.CallersFrames(pcs[:n]), n > 0; more; {
			var f runtime.Frame
			f, more = frames.Next()
			if path.Dir(filepath.ToSlash(f.File)) != home || strings.HasSuffix(f.File, "_test.go") {
				return f
			}
		}
		if n < len(pcs) {
			return runtime.Frame{File: "unknown"}
		}
	}
}

// home is the folder of this package as call frames name it. Functions don't say it as
// well: a closure of a generic function is named after the function that it was
// compiled into.
var home = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(filepath.ToSlash(file))
}()
