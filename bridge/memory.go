package bridge

import (
	"fmt"
	"sync/atomic"
)

// ClientStats holds what a client has allocated outside of Go's heap.
type ClientStats struct {
	Buffers   int64 // arrays on its devices, including those of runs in flight
	Bytes     int64 // size of these arrays, without borrowed memory
	Borrowed  int64 // size of borrowed host arrays
	Views     int64 // open views
	Runs      int64 // runs in flight, including those of Left
	Abandoned int64 // runs in flight whose Wait has returned
	Waiting   int64 // runs that wait for their device
}

// Stats returns the current counts of the client, without its inner client. The memory that
// XLA allocates for itself, for code and for values within a run, is not counted: see Executable.Memory.
func (c *Client) Stats() ClientStats {
	c.given("Stats")
	s := ClientStats{
		Buffers: c.memory.buffers.Load(), Bytes: c.memory.bytes.Load(),
		Borrowed: c.memory.lent.Load(), Views: c.memory.views.Load(),
	}
	for _, r := range c.runs() {
		s.Runs++
		if r.outcome.Abandoned() {
			s.Abandoned++
		}
	}
	for i := range c.gates {
		s.Waiting += int64(c.gates[i].Waiting())
	}
	return s
}

// A MemoryUse is the memory that a compiled program needs, in bytes, as the plugin reports it.
type MemoryUse struct {
	Code        int64 // machine code, where the plugin counts it
	Arguments   int64
	Outputs     int64
	Aliases     int64 // the part of Outputs that lies in the memory of arguments
	Temporaries int64 // values within a run
}

// Memory returns what the program needs of the memory of each device, and of that of the host. If the plugin does not
// report it, the error matches errors.ErrUnsupported.
func (e *Executable) Memory() (device, host MemoryUse, err error) {
	e.given("Memory")
	if !e.life.Use() {
		return device, host, fmt.Errorf("bridge: Memory: the executable is %w", ErrClosed)
	}
	defer func() { _ = e.done() }()
	ofDevice, ofHost, err := e.pjrt.Memory()
	if err != nil {
		return device, host, pluginError("memory", err)
	}
	return MemoryUse(ofDevice), MemoryUse(ofHost), nil
}

// A MemoryError reports a buffer or a run that would exceed ClientOptions.MemoryLimit.
// Close buffers that are not needed, or increase the limit.
type MemoryError struct {
	Op    string // the operation that failed
	Bytes int64  // what it needs
	Held  int64  // what the client holds
	Limit int64
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("bridge: %s: %d bytes are needed, but the client holds %d of the %d that ClientOptions.MemoryLimit allows: close buffers, or increase the limit",
		e.Op, e.Bytes, e.Held, e.Limit)
}

// memory counts what a client holds in C.
type memory struct {
	limit                       int64 // 0 means none
	bytes, buffers, lent, views atomic.Int64
}

// reserve counts buffers and their bytes before they are allocated. freed is the size of
// memory that they replace.
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
