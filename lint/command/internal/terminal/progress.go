package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A Progress shows on a terminal how many files have been checked, in a run that takes long.
type Progress struct {
	w     io.Writer // nil if it shows nothing
	total int

	mu    sync.Mutex
	done  int
	shown bool
	stop  chan struct{}
}

// Delay is when a run shows its progress for the first time.
const Delay = time.Second

// interval is how often the progress is shown from then on.
const interval = 100 * time.Millisecond

// NewProgress returns the progress of a run over some files. It shows nothing if the writer is not
// a terminal.
func NewProgress(w io.Writer, total int, delay time.Duration) *Progress {
	p := &Progress{total: total, stop: make(chan struct{})}
	if _, ok := Width(w); !ok {
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
			next = time.After(interval)
		}
	}()
	return p
}

func (p *Progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.stop:
	default:
		fmt.Fprintf(p.w, "\r%d of %d files checked\x1b[K", p.done, p.total)
		p.shown = true
	}
}

// Checked counts one file.
func (p *Progress) Checked() {
	p.mu.Lock()
	p.done++
	p.mu.Unlock()
}

// Around calls write while no progress is shown.
func (p *Progress) Around(write func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	return write()
}

// End removes the progress.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.stop)
	p.clear()
}

func (p *Progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
