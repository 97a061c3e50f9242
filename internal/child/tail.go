package child

import (
	"bytes"
	"io"
	"strings"
)

// A Tail is a writer that keeps the end of what a child prints. It is not safe for concurrent
// use: read it when the child has ended.
type Tail struct{ kept []byte }

// Write keeps the end. It never fails.
func (t *Tail) Write(b []byte) (int, error) {
	const enough = 16 << 10
	t.kept = append(t.kept, b...)
	if len(t.kept) > 2*enough {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-enough:]...)
	}
	return len(b), nil
}

// String returns what was kept.
func (t *Tail) String() string { return string(t.kept) }

// Quote returns the last lines that C++ code printed before its stack trace, to append to a
// message, or "".
func (t *Tail) Quote() string {
	const shown = 5
	var said []string
	for line := range strings.Lines(t.String()) {
		if isReason(line) {
			break
		}
		line = strings.TrimSpace(line)
		idle := strings.HasPrefix(line, "@ ") || strings.HasPrefix(line, "***") ||
			strings.HasPrefix(line, "WARNING: All log messages before")
		if line != "" && !idle {
			said = append(said, line)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "; its last output was:\n  " + strings.Join(said[max(0, len(said)-shown):], "\n  ")
}

// An UntilCrash is a writer that passes on what a child prints, in whole lines, until the child crashes: neither the
// reason nor what Go's runtime prints after it.
type UntilCrash struct {
	To      io.Writer
	line    []byte
	crashed bool
}

// Write passes on the lines that are complete.
func (u *UntilCrash) Write(b []byte) (int, error) {
	if u.crashed {
		return len(b), nil
	}
	u.line = append(u.line, b...)
	for {
		i := bytes.IndexByte(u.line, '\n') + 1
		if i == 0 {
			return len(b), nil
		}
		if u.crashed = isReason(string(u.line[:i])); u.crashed {
			return len(b), nil
		}
		if _, err := u.To.Write(u.line[:i]); err != nil {
			return 0, err
		}
		u.line = u.line[i:]
	}
}
