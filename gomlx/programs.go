package gomlx

import (
	stderrors "errors"
	"sync"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
)

// programs are the compiled programs of a computation with dynamic axes, by their sizes. If there are more than limit,
// the one that was not used for longest is freed.
type programs struct {
	limit   int
	builder *builder

	mu     sync.Mutex
	by     map[string]*program
	clock  int // counts uses
	closed bool
}

type program struct {
	compile sync.Once
	made    engine.Executable // nil before compile, and after an error
	err     error
	users   int
	last    int // use
}

// use returns the program for some sizes, and what ends its use.
func (p *programs) use(key string, sizes map[string]int) (engine.Executable, func(), error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, nil, bridge.ErrClosed
	}
	own := p.by[key]
	if own == nil {
		own = &program{}
		p.by[key] = own
	}
	p.clock++
	own.users, own.last = own.users+1, p.clock
	p.evict()
	p.mu.Unlock()
	own.compile.Do(func() {
		made, err := p.builder.specialize(sizes)
		p.mu.Lock()
		defer p.mu.Unlock()
		if own.made, own.err = made, err; err != nil && p.by[key] == own {
			delete(p.by, key)
		} else if err == nil && p.closed {
			own.err = bridge.ErrClosed
			_ = made.Close()
		}
	})
	done := func() {
		p.mu.Lock()
		own.users--
		p.mu.Unlock()
	}
	if own.err != nil {
		done()
	}
	return own.made, done, own.err
}

// evict frees what is too much.
func (p *programs) evict() {
	for len(p.by) > p.limit {
		oldest := ""
		for key, e := range p.by {
			if e.users == 0 && (oldest == "" || e.last < p.by[oldest].last) {
				oldest = key
			}
		}
		if oldest == "" {
			return // all are in use
		}
		_ = p.by[oldest].made.Close() // nobody uses it
		delete(p.by, oldest)
	}
}

// close frees the programs when their last runs are over.
func (p *programs) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	p.builder.called.drop()
	for _, e := range p.by {
		if e.made != nil {
			_ = e.made.Close()
		}
	}
	clear(p.by)
}

// specialize compiles a computation for some sizes of its dynamic axes.
func (b *builder) specialize(sizes map[string]int) (engine.Executable, error) {
	t := b.newTrace(sizes)
	for _, s := range b.steps {
		if t.do(s); t.ir.Err() != nil {
			return nil, stderrors.Join(t.err(), t.close())
		}
	}
	return t.compile(b)
}
