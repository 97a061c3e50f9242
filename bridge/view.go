package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/errtext"
	"github.com/calliope-mlir/calliope/internal/forgotten"
	"github.com/calliope-mlir/calliope/tensor"
)

// A BufferView is a computed array in the device's memory. It is safe for concurrent use.
type BufferView struct {
	buffer *Buffer
	view   tensor.View
	held   bool   // whether the plugin holds the memory for the view
	copy   []byte // the pages of a copy, in debug mode
	guard  *forgotten.Guard[forgottenView]
	closed atomic.Bool
}

// View returns the array in the device's memory, without a copy. The memory stays valid
// until the view is closed, which the caller must do: a view that is garbage keeps it.
// Until then the buffer cannot be donated.
// The view must not be written to, because others
// read the same memory. Arrays with
// elements of less than a byte, arrays that are not row-major, and arrays on a GPU are copied.
// For the context see ToHost.
//
// In debug mode (see OpenOptions.Debug) the view of a client's array is a copy that cannot be written to. Close
// makes its memory inaccessible, so a later use stops the program.
func (b *Buffer) View(ctx context.Context) (*BufferView, error) {
	b.given("View")
	if !b.life.use() {
		return nil, fmt.Errorf("bridge: Buffer.View: %w", errBuffer)
	}
	v := &BufferView{buffer: b}
	if err := v.open(ctx); err != nil {
		return nil, errors.Join(err, b.done())
	}
	if b.host != nil {
		return v, nil
	}
	b.client.memory.views.Add(1)
	if b.client.debug {
		v.guard = forgottenViews.Watch(forgottenView{b.client, b.client.line()})
	}
	return v, nil
}

func (v *BufferView) open(ctx context.Context) error {
	b := v.buffer
	v.view.Shape = b.Shape()
	n := b.shape.NumBytes()
	if n == 0 || !b.plain() {
		data, err := b.copy(ctx)
		v.view.Data = data
		return err
	}
	if err := b.wait(ctx, "view"); err != nil {
		return err
	}
	if b.host != nil {
		v.view.Data = b.hostArray()
		return nil
	}
	at, err := b.pjrt.Hold()
	if err != nil {
		return pluginError("view", err)
	}
	v.held = true
	v.view.Data = unsafe.Slice((*byte)(at), n)
	if b.client.debug {
		err = v.protect()
	}
	if err != nil {
		err = errors.Join(err, v.release())
	}
	return err
}

// protect copies the array to pages whose protection can change.
func (v *BufferView) protect() error {
	pages, err := mapMemory(len(v.view.Data))
	if err == nil {
		copy(pages, v.view.Data)
		err = readOnly(pages)
	}
	if err != nil {
		return fmt.Errorf("bridge: view: memory for the debug mode: %w", err)
	}
	v.copy, v.view.Data = pages, pages
	return nil
}

// Tensor returns the array. It must not be written to, and not used after Close. Tensor
// panics if the view is closed.
func (v *BufferView) Tensor() tensor.View {
	v.given("Tensor")
	if v.closed.Load() {
		panic("bridge: BufferView.Tensor: the view is closed")
	}
	return v.view
}

// Close ends the view. Closing it again does nothing.
func (v *BufferView) Close() error {
	v.given("Close")
	if v.closed.Swap(true) {
		return nil
	}
	forgottenViews.Drop(&v.guard)
	if v.copy != nil {
		poisonView(v.copy)
	}
	if v.buffer.host == nil {
		v.buffer.client.memory.views.Add(-1)
	}
	return errors.Join(v.release(), v.buffer.done())
}

func (v *BufferView) release() error {
	if !v.held {
		return nil
	}
	if err := v.buffer.pjrt.Release(); err != nil {
		return pluginError("close view", err)
	}
	return nil
}

// poisonedViews are the pages of closed views, the oldest first. They cannot be accessed,
// and their addresses are not used again for a while.
var poisonedViews struct {
	sync.Mutex
	all [][]byte
}

func poisonView(pages []byte) {
	// If this fails, a late use is not detected, and is harmless.
	_ = noAccess(pages)
	poisonedViews.Lock()
	defer poisonedViews.Unlock()
	poisonedViews.all = append(poisonedViews.all, pages)
	if len(poisonedViews.all) > poisonedKept {
		unmapMemory(poisonedViews.all[0])
		poisonedViews.all = poisonedViews.all[1:]
	}
}

// given panics because a method was called on a nil pointer or a zero value.
func (v *BufferView) given(method string) {
	if v == nil || v.buffer == nil {
		panic(errtext.Receiver("bridge: BufferView."+method, v == nil, "Buffer.View"))
	}
}
