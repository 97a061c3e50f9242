package bridge

import (
	"fmt"
	"sync/atomic"
)

// ClientStats is what a client holds, outside of Go's heap.
type ClientStats struct {
	Buffers  int64 // arrays on its devices, those of runs under way too
	Bytes    int64 // of memory that they take, borrowed memory not counted
	Borrowed int64 // bytes of host arrays that are lent to it
	Views    int64 // views that are open
	Runs     int64 // under way, those that were left behind too
	Left     int64 // and of these those that were left behind, by whom waited for them
	Waiting  int64 // runs that wait for their device to take them
}

// Stats is what the client holds at the moment, without its inner client. What XLA takes
// for itself, for code and for values within a run, is not known.
func (c *Client) Stats() ClientStats {
	s := ClientStats{
		Buffers: c.memory.buffers.Load(), Bytes: c.memory.bytes.Load(),
		Borrowed: c.memory.lent.Load(), Views: c.memory.views.Load(),
	}
	for _, r := range c.runs() {
		s.Runs++
		if r.left() {
			s.Left++
		}
	}
	for i := range c.gates {
		s.Waiting += int64(c.gates[i].waiting())
	}
	return s
}

// MemoryError is a buffer or a run that would take a client beyond its
// ClientOptions.MemoryLimit. Close buffers that are not needed, or raise the limit.
type MemoryError struct {
	Op    string // what was being done
	Bytes int64  // what it needs
	Held  int64  // what the client holds
	Limit int64
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("bridge: %s: %d bytes are needed, and the client holds %d of the %d that ClientOptions.MemoryLimit allows: close buffers, or raise the limit",
		e.Op, e.Bytes, e.Held, e.Limit)
}

// memory counts what a client holds in C.
type memory struct {
	limit                       int64 // 0 is none
	bytes, buffers, lent, views atomic.Int64
}

// reserve counts buffers and their bytes before they are made; some bytes of others
// become free by that.
func (m *memory) reserve(op string, buffers int, n, freed int64) error {
	held := m.bytes.Add(n)
	if m.limit > 0 && n > 0 && held-freed > m.limit {
		m.bytes.Add(-n)
		return &MemoryError{Op: op, Bytes: n, Held: held - n, Limit: m.limit}
	}
	m.buffers.Add(int64(buffers))
	return nil
}

func (m *memory) release(buffers int, n int64) {
	m.bytes.Add(-n)
	m.buffers.Add(-int64(buffers))
}

func (m *memory) lend(n int64) {
	m.lent.Add(n)
	if n > 0 {
		m.buffers.Add(1)
	} else {
		m.buffers.Add(-1)
	}
}
