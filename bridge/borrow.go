package bridge

import (
	"context"
	"fmt"
	"hash/maphash"
	"runtime"
	"unsafe"

	"github.com/calliope-mlir/calliope/bridge/internal/element"
	"github.com/calliope-mlir/calliope/internal/callers"
	"github.com/calliope-mlir/calliope/internal/pjrt"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Borrowed is a host array that an execution reads in place; see [Borrow].
type Borrowed struct{ view tensor.View }

// Borrow lets an execution read a host array in place. This needs an array that begins at a
// multiple of 64 bytes in memory and whose elements have at least 8 bits. Any other array
// is copied, like a tensor.View, and on a GPU every array is.
//
// The array must not change until the run is over, even if Run returned early because its
// context ended. Until then it is kept from the garbage collector. In debug mode (see
// OpenOptions.Debug) a change is logged. Client.BorrowFromHost returns a Buffer, whose
// Borrowed method reports whether the array was copied.
func Borrow(v tensor.View) Borrowed { return Borrowed{v} }

// Tensor returns the array.
func (b Borrowed) Tensor() tensor.View { return b.view }

// BorrowFromHost is like BufferFromHost, but the array on the device is the host array
// itself if that is possible; see [Borrow]. The array must not change until the Buffer is
// closed and every run and view that uses it is over. Until then it is kept from the
// garbage collector. A borrowed array cannot be donated.
//
// In debug mode the Close that ends the use returns an error if the array changed. If the
// end of a run ends the use, the error is logged.
func (c *Client) BorrowFromHost(ctx context.Context, v tensor.View, device int) (*Buffer, error) {
	c.given("BorrowFromHost")
	return watched(c.buffer(ctx, "BorrowFromHost", v, place{device: device, borrow: true}))
}

// Borrowed reports whether the array is a host array that was not copied.
func (b *Buffer) Borrowed() bool {
	b.given("Borrowed")
	return b.loan != nil
}

// borrowAlign is the alignment that XLA requires of host memory that it uses in place.
const borrowAlign = 64

func canBorrow(v tensor.View) bool {
	return len(v.Data) > 0 && element.PackedBits(v.Shape.DType) == 0 &&
		uintptr(unsafe.Pointer(&v.Data[0]))%borrowAlign == 0
}

// A loan is a host array that a device reads.
type loan struct {
	pjrt pjrt.Event // over when the plugin does not read the array any more
	pin  runtime.Pinner
	view tensor.View

	// In debug mode:
	hash uint64
	at   string // file and line of the call that borrowed it
}

var loanSeed = maphash.MakeSeed()

// borrow makes b an array in the host array's own memory.
func (b *Buffer) borrow(v tensor.View, dtype int32) error {
	l := &loan{view: v}
	if b.client.debug {
		l.hash, l.at = maphash.Bytes(loanSeed, v.Data), callers.Line()
	}
	l.pin.Pin(unsafe.SliceData(v.Data))
	array, done, err := b.client.pjrt.Share(v.Data, dtype, b.shape.Dims, b.device)
	if err != nil {
		l.pin.Unpin()
		return pluginError("transfer to device", err)
	}
	l.pjrt, b.pjrt, b.loan = done, array, l
	b.client.memory.lend(int64(len(v.Data)))
	return nil
}

// check returns an error in debug mode if the array changed.
func (l *loan) check(a *array) error {
	if l.at == "" || maphash.Bytes(loanSeed, l.view.Data) == l.hash {
		return nil
	}
	return fmt.Errorf("bridge: the host array %s that was borrowed at %s was written to before its buffer was freed: copy it with Client.BufferFromHost if it must change", a.shape, l.at)
}

// end unpins the array when the plugin does not read it any more.
func (l *loan) end(a *array) {
	n := int64(len(l.view.Data))
	memory := &a.client.memory
	back := func(error) {
		l.pin.Unpin()
		memory.lend(-n)
	}
	if over, _ := l.pjrt.Notify(back); over {
		back(nil)
	}
}
