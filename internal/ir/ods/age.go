package ods

import (
	"errors"

	"github.com/calliope-mlir/calliope/mlir"
)

// An age says which libraries have a part of an operation.
type age int8

const (
	anyAge age = iota
	newer      // those after LLVM 22
	older      // those up to LLVM 22
)

// Newer returns w, whose next part only libraries after LLVM 22 have. In others it must be left
// out.
func (w *Writer) Newer() *Writer {
	w.age = newer
	return w
}

// Older returns w, whose next part only libraries up to LLVM 22 have. In others it must be left
// out.
func (w *Writer) Older() *Writer {
	w.age = older
	return w
}

// lacks reports whether the library does not have the next part. It keeps an error if the part
// is given nevertheless.
func (w *Writer) lacks(name string, given bool) bool {
	a := w.age
	w.age = anyAge
	if a == anyAge || w.b.Err() != nil || (a == newer) == isNewer(w.b.Context()) {
		return false
	}
	if given {
		w.fail("%s: %w", name, map[age]error{newer: errNewer, older: errOlder}[a])
	}
	return true
}

// given reports whether to add an attribute.
func (w *Writer) given(name string, given bool) bool {
	if !given {
		w.age = anyAge
		return false
	}
	return !w.lacks(name, true)
}

var (
	errNewer = errors.New("only libraries after LLVM 22 have it: leave it out, or open the default library with mlir.OpenFor")
	errOlder = errors.New("only libraries up to LLVM 22 have it: leave it out")
)

// isNewer reports whether the library is one after LLVM 22.
func isNewer(c *mlir.Context) bool {
	return c.Registered("arith.convertf") // only these have this operation
}
