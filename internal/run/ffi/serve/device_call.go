package serve

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/run/cuda"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
)

// An executor is a site as this package has it.
type executor interface {
	ffi.Site
	// execute is Execute for a call whose operands and results are in host memory if d is nil,
	// and in the device's memory otherwise.
	execute(call *ffi.Call, d *deviceCall) (int32, string)
}

// A deviceCall is a call whose operands and results are in a GPU's memory. When the frame is
// read, the operands are copied to pinned host memory, where the function finds them, and the
// results are copied from there when it has returned. All copies are in the order of the
// call's stream, which is what XLA computes in.
//
// One goroutine at a time uses it: XLA's thread, and after Defer the one that makes the call.
type deviceCall struct {
	call     *ffi.Call // nil once XLA's thread is gone
	run      *Run      // nil if it is not known
	stream   unsafe.Pointer
	block    *cuda.Block // nil until the frame is read
	moved    []moved     // buffers whose address is that of their copy
	results  []cuda.Copy
	deferred bool // the call goes on without XLA's thread
}

// moved is a buffer of XLA's call frame with another address.
type moved struct {
	buffer *ffi.Buffer
	device unsafe.Pointer
	size   int
	offset int // in the pinned memory
}

// executeOn executes a call of a site whose operands and results are in a device's memory.
func executeOn(s executor, call *ffi.Call, stream unsafe.Pointer) (int32, string) {
	d := &deviceCall{call: call, run: runOf(call), stream: stream}
	code, message := s.execute(call, d)
	d.call = nil
	for _, m := range d.moved {
		m.buffer.SetData(m.device)
	}
	if !d.deferred {
		d.release()
	}
	return code, message
}

// pinAlign suffices for every element type, and for the vectors of every CPU.
const pinAlign = 64

// maxCall limits the arrays of a call in bytes, so that their sum does not overflow.
const maxCall = 1 << 48

// fetch moves the buffers to the host and copies the operands there, unless it has. It waits
// once, until the work is done that the stream has by now. The error is a *frameError if the
// frame is not valid. A nil deviceCall does nothing.
func (d *deviceCall) fetch() error {
	if d == nil || d.block != nil {
		return nil
	}
	operands, err := d.move()
	if err != nil || d.block == nil {
		return err
	}
	if err := d.block.ToHost(operands); err != nil {
		return fmt.Errorf("copy the operands to the host: %w", err)
	}
	return nil
}

// move makes the buffers those of pinned memory, without the elements, and returns the copies
// of the operands to make. A result that is in the memory of an operand stays so.
func (d *deviceCall) move() (operands []cuda.Copy, err error) {
	total := 0
	add := func(what string, i int, b *ffi.Buffer, result bool) error {
		_, size, err := measure(b)
		if err != nil {
			return &frameError{fmt.Errorf("%s %d: %w", what, i, err)}
		}
		if size == 0 {
			return nil
		}
		if size > maxCall-total {
			return &frameError{fmt.Errorf("%s %d: it is too large: no device has memory for it", what, i)}
		}
		m := moved{buffer: b, device: b.Data(), size: size, offset: total}
		shared := false
		if result {
			for _, o := range d.moved {
				if o.device == m.device && o.size == size {
					m.offset, shared = o.offset, true
					break
				}
			}
		}
		c := cuda.Copy{Offset: m.offset, Device: m.device, Size: size}
		if result {
			d.results = append(d.results, c)
		} else {
			operands = append(operands, c)
		}
		if !shared {
			total += (size + pinAlign - 1) &^ (pinAlign - 1)
		}
		d.moved = append(d.moved, m)
		return nil
	}
	lists := [...]struct {
		what    string
		buffers *ffi.Buffers
	}{{"operand", d.call.Args()}, {"result", d.call.Results()}}
	for k, list := range lists {
		for i := range list.buffers.Len() {
			if err := add(list.what, i, list.buffers.At(i), k == 1); err != nil {
				d.moved = nil
				return nil, err
			}
		}
	}
	if total == 0 {
		return nil, nil
	}
	pool, err := pinnedFor(d.run)
	if err == nil {
		d.block, err = pool.Take(d.stream, total)
	}
	if err != nil {
		d.moved = nil
		return nil, fmt.Errorf("memory for the operands: %w", err)
	}
	for _, m := range d.moved {
		m.buffer.SetData(d.block.Address(m.offset))
	}
	return operands, nil
}

// clear prepares to clear the results of a call that is not made, in a form whose results are
// not its operands: nothing is copied to the host.
func (d *deviceCall) clear() error {
	if d.block != nil {
		return nil
	}
	for i := range d.call.Results().Len() {
		if _, size, err := measure(d.call.Results().At(i)); err != nil || size > 0 {
			_, err := d.move()
			return err
		}
	}
	return nil
}

// give copies the results to the device. A nil deviceCall does nothing.
func (d *deviceCall) give() error {
	if d == nil || d.block == nil {
		return nil
	}
	if err := d.block.ToDevice(d.results); err != nil {
		return fmt.Errorf("copy the results to the device: %w", err)
	}
	return nil
}

// inPlace reports whether the results are in the operands' memory, so that they are what they
// should be if the function is not called.
func (d *deviceCall) inPlace() bool {
	return d.block == nil && inPlace(d.call.Args(), d.call.Results())
}

// release ends the use of the pinned memory.
func (d *deviceCall) release() {
	if d != nil && d.block != nil {
		d.block.Release()
		d.block = nil
	}
}

// pinnedLimit limits the pinned memory of a client in bytes, except while calls need more. It
// is as much as the operands and results of a few large calls.
const pinnedLimit = 256 << 20

// NewPinned returns pinned memory for the calls of a client's runs.
func NewPinned() (*cuda.Pool, error) { return cuda.NewPool(pinnedLimit) }

// hostedPinned is the pinned memory of the calls of a host's runs.
var hostedPinned = sync.OnceValues(NewPinned)

// pinnedFor returns the pinned memory for the calls of a run, which is nil if it is not known.
func pinnedFor(r *Run) (*cuda.Pool, error) {
	if r != nil && r.Pinned != nil {
		return r.Pinned, nil
	}
	return hostedPinned()
}
