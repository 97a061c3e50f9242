package command

import (
	"io"
	"os"
)

// A terminal is a writer that tests use as one.
type terminal interface{ Width() int }

// widthOf returns the number of columns of a terminal, and whether the writer is one.
func widthOf(w io.Writer) (int, bool) {
	if t, ok := w.(terminal); ok {
		return t.Width(), true
	}
	if f, ok := w.(*os.File); ok {
		return terminalWidth(f)
	}
	return 0, false
}

// colored reports whether a terminal shows colours, and the user wants them.
func colored() bool { return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" }
