package command

import "os"

// A terminal is a reader or writer that tests use as one.
type terminal interface{ Width() int }

// widthOf returns the number of columns of a terminal, and whether a reader or writer
// is one.
func widthOf(rw any) (int, bool) {
	if t, ok := rw.(terminal); ok {
		return t.Width(), true
	}
	if f, ok := rw.(*os.File); ok {
		return terminalWidth(f)
	}
	return 0, false
}

// colored reports whether a terminal shows colours, and the user wants them.
func colored() bool { return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" }
