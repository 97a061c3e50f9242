package cuda

// #include "cuda.h"
import "C"

import (
	"errors"
	"sync"
	"unsafe"
)

// A Pool keeps pinned memory for later calls, because to pin memory takes longer than to copy
// it. It is safe for concurrent use.
type Pool struct {
	driver *Driver
	limit  int64

	mu      sync.Mutex
	idle    []*Block // the one that was released last at the end
	pending []*Block // released, but copies from them may be under way; the oldest first
	held    int64    // bytes of all blocks, including those in use
	closed  bool
}

// NewPool returns a pool that holds at most limit bytes, except while more are in use.
func NewPool(limit int64) (*Pool, error) {
	d, err := Open()
	if err != nil {
		return nil, err
	}
	return &Pool{driver: d, limit: limit}, nil
}

// granule is what the size of a block is a multiple of.
const granule = 4 << 10

// Take returns memory for the copies of one call, of at least size bytes, aligned to 64 bytes.
// The caller must release it. The stream is a CUstream.
func (p *Pool) Take(stream unsafe.Pointer, size int) (*Block, error) {
	var context unsafe.Pointer
	if err := p.driver.check(C.calliope_cuda_stream_context(p.driver.c, stream, &context)); err != nil {
		return nil, err
	}
	size = (max(size, 1) + granule - 1) &^ (granule - 1)
	b := p.reuse(context, size)
	if b == nil {
		p.makeRoom(int64(size))
		b = &Block{pool: p}
		b.c.context, b.c.size = (*C.cuda_context)(context), C.size_t(size)
		r := C.calliope_cuda_alloc(p.driver.c, &b.c)
		if r.code == C.CUDA_OUT_OF_MEMORY {
			p.shrink(0)
			r = C.calliope_cuda_alloc(p.driver.c, &b.c)
		}
		if err := p.driver.check(r); err != nil {
			p.mu.Lock()
			p.held -= int64(size)
			p.mu.Unlock()
			return nil, err
		}
	}
	b.stream = stream
	return b, nil
}

// reuse returns the idle block of a context that fits best, or nil.
func (p *Pool) reuse(context unsafe.Pointer, size int) *Block {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.collect()
	best := -1
	for i, b := range p.idle {
		n := int(b.c.size)
		if unsafe.Pointer(b.c.context) == context && n >= size && n <= 2*size &&
			(best < 0 || n < int(p.idle[best].c.size)) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	b := p.idle[best]
	p.idle = append(p.idle[:best], p.idle[best+1:]...)
	return b
}

// collect makes blocks idle from which no copies are under way any more.
func (p *Pool) collect() {
	pending := p.pending[:0]
	for _, b := range p.pending {
		switch {
		case !b.over():
			pending = append(pending, b)
		case b.broken:
			p.held -= int64(b.c.size)
			_ = b.free() // the device has failed: each further call reports that
		default:
			p.idle = append(p.idle, b)
		}
	}
	clear(p.pending[len(pending):])
	p.pending = pending
}

// makeRoom counts a new block, and frees others until the pool is within its limit, or all
// are in use. A call that has a block may wait for one that needs a block, so that one does
// not wait.
func (p *Pool) makeRoom(size int64) {
	p.mu.Lock()
	p.held += size
	p.mu.Unlock()
	p.shrink(p.limit)
}

// shrink frees blocks that are not in use until the pool holds at most limit bytes.
func (p *Pool) shrink(limit int64) {
	for {
		p.mu.Lock()
		var b *Block
		if p.held > limit {
			if b = first(&p.idle); b == nil {
				b = first(&p.pending)
			}
		}
		if b == nil {
			p.mu.Unlock()
			return
		}
		p.held -= int64(b.c.size)
		p.mu.Unlock()
		b.wait()
		_ = b.free() // the device has failed: each further call reports that
	}
}

// first removes and returns the first block of a list, or nil.
func first(list *[]*Block) *Block {
	if len(*list) == 0 {
		return nil
	}
	b := (*list)[0]
	*list = append((*list)[:0], (*list)[1:]...)
	return b
}

// Release ends the use of the block. Its memory is used again only when the copies of ToDevice
// are made.
func (b *Block) Release() {
	p := b.pool
	p.mu.Lock()
	switch {
	case b.broken || p.closed:
		p.held -= int64(b.c.size)
		p.mu.Unlock()
		b.wait()
		_ = b.free() // the error that broke it says more
		return
	case b.copies:
		p.pending = append(p.pending, b)
	default:
		p.idle = append(p.idle, b)
	}
	p.mu.Unlock()
	p.shrink(p.limit)
}

// Held returns the number of bytes of pinned memory, in use or not.
func (p *Pool) Held() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// Close frees the memory that is not in use. What is in use is freed when it is released. It
// waits for copies.
func (p *Pool) Close() error {
	p.mu.Lock()
	blocks := append(p.idle, p.pending...)
	p.idle, p.pending, p.closed = nil, nil, true
	for _, b := range blocks {
		p.held -= int64(b.c.size)
	}
	p.mu.Unlock()
	var err error
	for _, b := range blocks {
		b.wait()
		err = errors.Join(err, b.free())
	}
	return err
}
