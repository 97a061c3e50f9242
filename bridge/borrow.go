package bridge

import (
	"context"
	"fmt"
	"hash/maphash"
	"runtime"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/pjrt"
	"github.com/calliope-mlir/calliope/tensor"
)

// Borrowed is a host array that an execution reads in place; see [Borrow].
type Borrowed struct{ view tensor.View }

// Borrow lets an execution read a host array where it is, instead of a copy. That is
// possible where the array begins at a multiple of 64 bytes in memory and its elements
// have a byte or more; otherwise it is copied, as a tensor.View is.
//
// Until the run is over the array must not change, and it stays where it is: also
// after a Run that returned early, because its context ended. In debug mode (see
// OpenOptions.Debug) a change is logged. To be sure, use Client.BorrowFromHost, whose Buffer
// can be asked.
func Borrow(v tensor.View) Borrowed { return Borrowed{v} }

// BorrowFromHost is BufferFromHost, but that the array on the device is the host array itself,
// where that is possible: see [Borrow]. The array must not change until the Buffer is
// closed and every run and view that uses it is over; until then it is kept from the
// garbage collector. It cannot be donated. In debug mode a change is the error of the
// Close that ends the use, and is logged where a run ends it.
func (c *Client) BorrowFromHost(ctx context.Context, v tensor.View, device int) (*Buffer, error) {
	return c.buffer(ctx, "BorrowFromHost", v, device, true)
}

// Borrowed reports whether the array is a host array that was given without a copy.
func (b *Buffer) Borrowed() bool { return b.loan != nil }

// borrowAlign is what XLA asks of memory that it takes as it is.
const borrowAlign = 64

func canBorrow(v tensor.View) bool {
	return len(v.Data) > 0 && packedBits(v.Shape.DType) == 0 && uintptr(unsafe.Pointer(&v.Data[0]))%borrowAlign == 0
}

// loan is a host array that a device reads.
type loan struct {
	pjrt pjrt.Event // over when the plugin does not read the array any more
	pin  runtime.Pinner
	view tensor.View

	// In debug mode:
	hash uint64
	at   string // where it was given
}

var loanSeed = maphash.MakeSeed()

// borrow makes b of a host array's own memory.
func (b *Buffer) borrow(v tensor.View, dtype int32) error {
	l := &loan{view: v}
	if b.client.debug {
		l.hash, l.at = maphash.Bytes(loanSeed, v.Data), outside()
	}
	l.pin.Pin(unsafe.SliceData(v.Data))
	array, done, err := b.client.pjrt.Share(v.Data, dtype, b.shape.Dims, b.device)
	if err != nil {
		l.pin.Unpin()
		return pluginError("transfer to device", err)
	}
	l.pjrt, b.array, b.loan = done, array, l
	b.client.memory.lend(int64(len(v.Data)))
	return nil
}

// outside is the line outside of this package that is being executed.
func outside() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	_, here, _, _ := runtime.Caller(0)
	dir := here[:len(here)-len("borrow.go")]
	for {
		f, more := frames.Next()
		inside := len(f.File) > len(dir) && f.File[:len(dir)] == dir
		if !inside || len(f.File) > len("_test.go") && f.File[len(f.File)-len("_test.go"):] == "_test.go" || !more {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
}

// check says in debug mode whether the array changed.
func (l *loan) check(b *Buffer) error {
	if l.at == "" || maphash.Bytes(loanSeed, l.view.Data) == l.hash {
		return nil
	}
	return fmt.Errorf("bridge: the host array %s that was borrowed at %s was written to before its buffer was free: copy what is to change, with Client.BufferFromHost", b.shape, l.at)
}

// end gives the array back, when the plugin does not read it any more.
func (l *loan) end(b *Buffer) {
	n := int64(len(l.view.Data))
	memory := &b.client.memory
	back := func() {
		l.pin.Unpin()
		memory.lend(-n)
	}
	if over, _ := l.pjrt.Notify(func(error) { back() }); over {
		back()
	}
}
