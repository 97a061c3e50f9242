package child

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// An Output is a writer that keeps the start and the end of what a child prints. Read it when the child has ended.
type Output struct {
	mu         sync.Mutex // a child has two streams
	head, tail []byte
}

// Write keeps what there is room for. It never fails.
func (o *Output) Write(b []byte) (int, error) {
	const enough = 16 << 10
	o.mu.Lock()
	defer o.mu.Unlock()
	n := min(len(b), enough-len(o.head))
	o.head, o.tail = append(o.head, b[:n]...), append(o.tail, b[n:]...)
	if len(o.tail) > 2*enough {
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-enough:]...)
	}
	return len(b), nil
}

// String returns what was kept.
func (o *Output) String() string { return string(o.head) + string(o.tail) }

// Quote returns the last lines that C++ code in the process printed before its stack trace, to append to a message, or
// "".
func (p *Process) Quote() string {
	const shown = 5
	var said []string
	for line := range strings.Lines(p.printed.String()) {
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
