package engine

import (
	"context"
	"io"

	"github.com/calliope-mlir/calliope/internal/run/lifetime"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Memory has the elements of an [Array]. Engines implement it. Its methods are called by several goroutines at once,
// each of which has a use of the array. What goes on when a method returns because its context has ended keeps the
// array by [Use.Again].
type Memory interface {
	// Shape returns the shape, whose dimensions others share.
	Shape() tensor.Shape
	// Device returns the number of the device.
	Device() int
	// InPlace waits until the elements are computed, and returns them where they are, in row-major order, as in the
	// memory of a host. It returns nil if they cannot be read there. They must not be written to, and are valid as long
	// as the use.
	InPlace(ctx context.Context, u Use) ([]byte, error)
	// Copy waits until the elements are computed, and returns them in new memory of the host, in row-major order.
	Copy(ctx context.Context, u Use) ([]byte, error)
	// View is InPlace, or else Copy, until end is closed, which is nil if nothing is to be done.
	View(ctx context.Context, u Use) (data []byte, end io.Closer, err error)
	// CopyToDevice begins a copy to a device of the same engine.
	CopyToDevice(u Use, device int) (*Array, error)
	// Borrowed reports whether the memory is a caller's, which was not copied, and which must not be written to.
	Borrowed() bool
	// Watched reports whether the garbage collector frees the memory of an Array that was not closed, and in debug mode
	// returns the line that calls this module. What is memory of Go needs no watch.
	Watched() (at string, ok bool)
	// NotClosed logs that an Array has become garbage and was not closed, if it knows the line that made it. err is
	// that of Free.
	NotClosed(at string, err error)
	// Free frees the memory. Nothing uses it any more.
	Free() error

	life() *Life // of the embedded Life
}

// A Life counts the uses of an Array. Each [Memory] embeds one, which is used by the first Array of the memory.
type Life struct{ state lifetime.Lifetime }

func (l *Life) life() *Life { return l }

// Uses returns how many uses the first Array has.
func (l *Life) Uses() int64 {
	if l == nil {
		panic(errtext.Receiver("engine: Life.Uses", true, "a Memory"))
	}
	return l.state.Uses()
}
