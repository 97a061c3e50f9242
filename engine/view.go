package engine

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/tensor"
)

// A View is a computed array in the device's memory. It is safe for concurrent use.
type View struct {
	use    Use
	view   tensor.View
	end    io.Closer // nil if only the use ends
	closed atomic.Bool
}

// View returns the array in the device's memory, without a copy. The memory stays valid until the view is closed, which
// the caller must do: a view that is garbage keeps it. Until then the array cannot be donated. The view must not be
// written to, because others read the same memory. Arrays with elements of less than a byte, arrays that are not
// row-major, and arrays on a GPU are copied. For the context see ToHost.
//
// In debug mode (see bridge.OpenOptions) the view of a client's array is a copy that cannot be written to. Close makes
// its memory inaccessible, so a later use stops the program.
func (a *Array) View(ctx context.Context) (*View, error) {
	a.given("View")
	u, err := a.use("View")
	if err != nil {
		return nil, err
	}
	v := &View{use: u}
	v.view.Shape = a.Shape()
	if v.view.Data, v.end, err = a.memory.View(ctx, u); err != nil {
		return nil, errors.Join(err, u.End())
	}
	return v, nil
}

// Tensor returns the array. It must not be written to, and not used after Close. Tensor
// panics if the view is closed.
func (v *View) Tensor() tensor.View {
	v.given("Tensor")
	if v.closed.Load() {
		panic("engine: View.Tensor: the view is closed")
	}
	return v.view
}

// Close ends the view. Closing it again does nothing.
func (v *View) Close() error {
	v.given("Close")
	if v.closed.Swap(true) {
		return nil
	}
	var err error
	if v.end != nil {
		err = v.end.Close()
	}
	return errors.Join(err, v.use.End())
}

// given panics because a method was called on a nil pointer or a zero value.
func (v *View) given(method string) {
	if v == nil || v.use.array == nil {
		panic(errtext.Receiver("engine: View."+method, v == nil, "Array.View"))
	}
}
