// Package terminal writes to terminals: it knows their width, and shows how far a run is.
package terminal

import "os"

// A terminal is a reader or writer that tests use as one.
type terminal interface{ Width() int }

// Width returns the number of columns of a terminal, and whether a reader or writer
// is one.
func Width(rw any) (int, bool) {
	if t, ok := rw.(terminal); ok {
		return t.Width(), true
	}
	if f, ok := rw.(*os.File); ok {
		return widthOf(f)
	}
	return 0, false
}

// Colored reports whether a terminal shows colours, and the user wants them.
func Colored() bool { return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" }
