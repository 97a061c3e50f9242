package command

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A progress shows on a terminal how many files have been checked, in a run that takes long.
type progress struct {
	w     io.Writer // nil if it shows nothing
	total int

	mu    sync.Mutex
	done  int
	shown bool
	stop  chan struct{}
}

// The first line is shown after progressDelay.
const (
	progressDelay    = time.Second
	progressInterval = 100 * time.Millisecond
)

// newProgress returns the progress of a run over some files. It shows nothing if the writer is not
// a terminal.
func newProgress(w io.Writer, total int, delay time.Duration) *progress {
	p := &progress{total: total, stop: make(chan struct{})}
	if _, ok := widthOf(w); !ok {
		return p
	}
	p.w = w
	go func() {
		next := time.After(delay)
		for {
			select {
			case <-p.stop:
				return
			case <-next:
			}
			p.show()
			next = time.After(progressInterval)
		}
	}()
	return p
}

func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.stop:
	default:
		fmt.Fprintf(p.w, "\r%d of %d files checked\x1b[K", p.done, p.total)
		p.shown = true
	}
}

// checked counts one file.
func (p *progress) checked() {
	p.mu.Lock()
	p.done++
	p.mu.Unlock()
}

// around calls write while no progress is shown.
func (p *progress) around(write func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	return write()
}

// end removes the progress.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.stop)
	p.clear()
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
