package bridge

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/calliope-mlir/calliope/bridge/internal/element"
	"github.com/calliope-mlir/calliope/internal/cached"
	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/internal/errtext"
	"github.com/calliope-mlir/calliope/internal/forgotten"
	"github.com/calliope-mlir/calliope/internal/pjrt"
	"github.com/calliope-mlir/calliope/tensor"
)

// errBuffer is the error of a buffer that is closed.
var errBuffer = fmt.Errorf("the buffer is %w or was donated%s", ErrClosed, keepHint)

const keepHint = " (a run takes what Donate gives it, also if it fails: give the Buffer itself to keep it)"

// A Buffer is an array on a device. The caller that gets a Buffer must close it. It is safe
// for concurrent use.
//
// A Buffer that is garbage without having been closed is closed by the garbage collector, much later. In debug mode
// (see OpenOptions.Debug) this is logged, with the line that made the Buffer. The same holds for an [Executable].
type Buffer struct {
	array
	guard  *forgotten.Guard[forgottenArray] // nil if only this package has it
	device int
	order  []int       // of its dimensions in the device's memory, see hlo.Result
	asked  bool        // only the plugin knows the layout of its elements
	ready  atomic.Bool // whether it is known to be computed

	// The address of the elements, after the first call of address.
	memory atomic.Pointer[byte]
}

// An array is what a Buffer frees.
type array struct {
	life   *lifetime
	client *Client
	pjrt   pjrt.Array
	// shape must not be returned without a copy: all outputs of an executable may share
	// its dimensions, which say how much memory is read.
	shape tensor.Shape
	loan  *loan
	host  *hostMemory // of an array without a client, see NewHostBuffer; else nil
	of    *Buffer     // that it shares the array with, see Share
}

// BufferFromHost copies a host array to a device. The view's memory is not used any more
// when BufferFromHost returns. If ctx ends first, BufferFromHost returns ctx.Err(), and the
// array on the device is freed when its copy is over. The copy itself does not stop.
func (c *Client) BufferFromHost(ctx context.Context, v tensor.View, device int) (*Buffer, error) {
	c.given("BufferFromHost")
	return watched(c.buffer(ctx, "BufferFromHost", v, place{device: device}))
}

// buffer makes a Buffer of a host array.
func (client *Client) buffer(ctx context.Context, method string, v tensor.View, to place) (*Buffer, error) {
	if err := dispatch.Ended(ctx); err != nil {
		return nil, err
	}
	if err := client.use(method); err != nil {
		return nil, err
	}
	b, copied, err := client.transfer(v, to)
	if err != nil {
		_ = client.done() // the error of the transfer says more
		return nil, err
	}
	if err := b.await(ctx, "transfer to device", copied, nil); err != nil {
		_ = b.Close() // the error of the copy says more
		return nil, err
	}
	return b, nil
}

// transfer takes over one use of the client if it succeeds. The event, which may be nil, is
// that of the copy.
func (client *Client) transfer(v tensor.View, to place) (b *Buffer, copied pjrt.Event, err error) {
	device := to.device
	if err := v.Shape.Check(); err != nil {
		return nil, copied, fmt.Errorf("bridge: transfer to device: %w", err)
	}
	if want := v.Shape.NumBytes(); len(v.Data) != want {
		return nil, copied, fmt.Errorf("bridge: transfer to device: the view of a %s has %d bytes and needs %d",
			v.Shape, len(v.Data), want)
	}
	dtype := element.ToPJRT(v.Shape.DType)
	if dtype == 0 {
		return nil, copied, fmt.Errorf("bridge: transfer to device: arrays of %s cannot be on a device", v.Shape.DType)
	}
	if device < 0 || device >= client.NumDevices() {
		return nil, copied,
			fmt.Errorf("bridge: transfer to device: there is no device %d; the client has %d, numbered from 0", device,
				client.NumDevices())
	}
	b = &Buffer{array: array{life: new(lifetime), client: client, shape: v.Shape.Clone()}, device: device}
	if to.borrow && client.pinned == nil && canBorrow(v) {
		return b, copied, b.borrow(v, dtype)
	}
	if err := client.memory.reserve("transfer to device", 1, deviceBytes(b.shape), 0); err != nil {
		return nil, copied, err
	}
	if to.memory.Kind != "" {
		b.pjrt, copied, err = client.pjrt.PutIn(v.Data, dtype, b.shape.Dims, to.memory)
	} else {
		b.pjrt, copied, err = client.pjrt.Put(v.Data, dtype, b.shape.Dims, device)
	}
	if err != nil {
		client.memory.release(1, deviceBytes(b.shape))
		return nil, copied, pluginError("transfer to device", err)
	}
	return b, copied, nil
}

// deviceBytes returns the size of an array in a device's memory.
func deviceBytes(s tensor.Shape) int64 {
	if bits := element.PackedBits(s.DType); bits != 0 {
		return int64(element.PackedSize(s.NumElements(), bits))
	}
	return int64(s.NumBytes())
}

// Client returns the client that the buffer belongs to: nil for one of NewHostBuffer.
func (b *Buffer) Client() *Client {
	b.given("Client")
	return b.client
}

// Shape returns the shape of the array, also after Close. The caller may change it.
func (b *Buffer) Shape() tensor.Shape {
	b.given("Shape")
	return b.shape.Clone()
}

// Device returns the number of the device that the array is on.
func (b *Buffer) Device() int {
	b.given("Device")
	return b.device
}

// ToHost copies the array to new host memory; see CopyTo and View.
//
// ToHost, CopyTo and View wait until the array is computed. Outputs are computed when Run
// or Wait returns them. If ctx ends first, the methods return ctx.Err(), and the buffer
// stays in use until the array is computed.
func (b *Buffer) ToHost(ctx context.Context) (tensor.View, error) {
	b.given("ToHost")
	if !b.life.use() {
		return tensor.View{}, fmt.Errorf("bridge: Buffer.ToHost: %w", errBuffer)
	}
	data, err := b.copy(ctx)
	if err = errors.Join(err, b.done()); err != nil {
		return tensor.View{}, err
	}
	return tensor.View{Shape: b.Shape(), Data: data}, nil
}

// CopyTo copies the array to existing host memory, which must have the same shape. Unlike
// ToHost it does not allocate, which takes as long as the copy. If ctx ends first, it
// returns ctx.Err() and does not write to the memory; see ToHost.
func (b *Buffer) CopyTo(ctx context.Context, to tensor.View) error {
	b.given("CopyTo")
	if err := to.Check(); err != nil {
		return fmt.Errorf("bridge: Buffer.CopyTo: %w", err)
	}
	if !to.Shape.Equal(b.shape) {
		return fmt.Errorf("bridge: Buffer.CopyTo: the array is %s, the memory is for %s", b.shape, to.Shape)
	}
	if !b.life.use() {
		return fmt.Errorf("bridge: Buffer.CopyTo: %w", errBuffer)
	}
	return errors.Join(b.copyTo(ctx, to.Data), b.done())
}

func (b *Buffer) copyTo(ctx context.Context, to []byte) error {
	if !b.plain() || len(to) == 0 {
		data, err := b.copy(ctx)
		copy(to, data)
		return err
	}
	from, err := b.address(ctx)
	if err == nil {
		cached.Copy(to, unsafe.Slice(from, len(to)))
	}
	return err
}

// copy returns a copy of the elements in the host's layout.
func (b *Buffer) copy(ctx context.Context) ([]byte, error) {
	if err := b.wait(ctx, "transfer to host"); err != nil {
		return nil, err
	}
	n := b.shape.NumBytes()
	if n == 0 {
		return []byte{}, nil
	}
	if b.direct() {
		from, err := b.address(ctx)
		if err != nil {
			return nil, err
		}
		// Unlike memory of make, this is not cleared first.
		data := append([]byte(nil), unsafe.Slice(from, n)...)[:n:n]
		return rowMajor(b.shape, b.order, data), nil
	}
	data := make([]byte, n)
	var pin runtime.Pinner
	pin.Pin(&data[0])
	copied, err := b.pjrt.ToHost(data)
	if err != nil {
		pin.Unpin()
		return nil, pluginError("transfer to host", err)
	}
	if err := b.await(ctx, "transfer to host", copied, pin.Unpin); err != nil {
		return nil, err
	}
	element.ExtendSign(b.shape.DType, data)
	return rowMajor(b.shape, b.order, data), nil
}

// direct reports whether the elements can be read in the device's memory.
func (b *Buffer) direct() bool {
	return b.host != nil || b.client.pinned == nil && !b.asked && element.PackedBits(b.shape.DType) == 0
}

// plain reports whether the device's memory has the layout of a host array.
func (b *Buffer) plain() bool { return b.direct() && b.order == nil }

// address returns the address of the elements. It waits until they are computed.
func (b *Buffer) address(ctx context.Context) (*byte, error) {
	if err := b.wait(ctx, "transfer to host"); err != nil {
		return nil, err
	}
	if b.host != nil {
		return unsafe.SliceData(b.host.data), nil
	}
	if p := b.memory.Load(); p != nil {
		return p, nil
	}
	p, err := b.pjrt.Pointer()
	if err != nil {
		return nil, pluginError("transfer to host", err)
	}
	if p == nil {
		return nil, errors.New("bridge: transfer to host: the plugin returned no address for the array")
	}
	b.memory.Store((*byte)(p))
	return (*byte)(p), nil
}

// Close frees the array when no run and no view uses it any more. Closing it again does
// nothing.
func (b *Buffer) Close() error {
	b.given("Close")
	if _, free := b.life.close(); free {
		return b.free()
	}
	return nil
}

func (b *Buffer) done() error {
	if b.life.done() {
		return b.free()
	}
	return nil
}

func (b *Buffer) free() error {
	forgottenArrays.Drop(&b.guard)
	return b.array.free()
}

func (a *array) free() error {
	if a.of != nil {
		return a.of.done()
	}
	if a.host != nil {
		a.host.free()
		return nil
	}
	var changed error
	if a.loan != nil {
		changed = a.loan.check(a)
	}
	err := a.pjrt.Destroy()
	if err != nil {
		err = pluginError("close buffer", err)
	}
	if a.loan != nil {
		a.loan.end(a)
	} else {
		a.client.memory.release(1, deviceBytes(a.shape))
	}
	return errors.Join(changed, err, a.client.done())
}

// given panics because a method was called on a nil pointer or a zero value.
func (b *Buffer) given(method string) {
	if b == nil || b.client == nil && b.host == nil {
		panic(errtext.Receiver("bridge: Buffer."+method, b == nil, "a Client or Executable.Run"))
	}
}

// rowMajor returns the elements of data, whose dimensions have that order, in row-major
// order.
func rowMajor(s tensor.Shape, order []int, data []byte) []byte {
	if order == nil {
		return data
	}
	// strides has the distance in bytes between elements along each dimension.
	strides := make([]int, len(order))
	stride := s.DType.Size()
	for _, dim := range slices.Backward(order) {
		strides[dim] = stride
		stride *= s.Dims[dim]
	}
	out := make([]byte, 0, len(data))
	at := make([]int, len(order))
	for from := 0; len(out) < len(data); {
		out = append(out, data[from:from+s.DType.Size()]...)
		for dim := len(at) - 1; dim >= 0; dim-- {
			at[dim]++
			from += strides[dim]
			if at[dim] < s.Dims[dim] {
				break
			}
			from -= at[dim] * strides[dim]
			at[dim] = 0
		}
	}
	return out
}

// wait waits until the array is computed, or until ctx ends. Most arrays are computed, and
// wait only reads a flag.
func (b *Buffer) wait(ctx context.Context, op string) error {
	if err := dispatch.Ended(ctx); err != nil || b.ready.Load() {
		return err
	}
	computed, err := b.pjrt.Ready()
	if err != nil {
		return pluginError(op, err)
	}
	if err := b.await(ctx, op, computed, nil); err != nil {
		return err
	}
	b.ready.Store(true)
	return nil
}

// await waits until e is over, or until ctx ends. Then the buffer stays in use until e is
// over. over, which may be nil, is called once e is over, perhaps after await returns.
func (b *Buffer) await(ctx context.Context, op string, e pjrt.Event, over func()) error {
	if over == nil {
		over = func() {}
	}
	if e.IsNil() {
		over()
		return nil
	}
	ended := make(chan error, 1)
	already, err := e.Notify(func(err error) { ended <- err })
	if !already {
		select {
		case err = <-ended:
		case <-ctx.Done():
			b.life.addUse()
			go func() {
				<-ended
				over()
				_ = b.done() // there is no caller to return the error to
			}()
			return ctx.Err()
		}
	}
	over()
	if err != nil {
		return pluginError(op, err)
	}
	return nil
}
