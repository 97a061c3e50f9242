package stages

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// A value is an array on the host, on devices, or on both. It crosses to each of them at most once.
type value struct {
	uses atomic.Int32 // by steps that have not run, and by results

	mu      sync.Mutex
	buffers []*engine.Array // one for each device that has the array
	shared  *engine.Array   // that of them whose array somebody else has, too; nil for none
	seen    *engine.View
	array   tensor.View // on the host; its Shape is zero until it is known
	known   bool
	lent    bool // the caller may free the array on the host when the run is over
}

// onHost returns a value with one use, which is the caller's. The array must not change.
func onHost(array tensor.View) *value {
	v := &value{array: array, known: true}
	v.retain(1)
	return v
}

// onDevice returns a value with one use, which is the caller's. It closes the buffer.
func onDevice(b *engine.Array) *value {
	v := &value{buffers: []*engine.Array{b}}
	v.retain(1)
	return v
}

func onDevices(buffers []*engine.Array) []*value {
	values := make([]*value, len(buffers))
	for i, b := range buffers {
		values[i] = onDevice(b)
	}
	return values
}

// host returns the array on the host. It must not be written to, and is valid until close.
func (v *value) host(ctx context.Context) (tensor.View, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.view(ctx)
}

// view is host with the lock.
func (v *value) view(ctx context.Context) (tensor.View, error) {
	if v.known {
		return v.array, nil
	}
	if len(v.buffers) == 0 {
		return tensor.View{}, errGone
	}
	view, err := v.buffers[0].View(ctx)
	if err != nil {
		return tensor.View{}, err
	}
	v.seen, v.array, v.known = view, view.Tensor(), true
	return v.array, nil
}

// errGone is the error of a use of a value after its end, in a run that has failed elsewhere.
var errGone = errors.New("the value is not needed any more")

// on returns the array on a device. The value closes it.
func (v *value) on(ctx context.Context, d Device) (*engine.Array, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var near *engine.Array // on another device of the engine
	for _, a := range v.buffers {
		if d.has(a) {
			return a, nil
		}
		if d.Engine.Owns(a) {
			near = a
		}
	}
	a, err := v.copy(ctx, d, near)
	if err != nil {
		return nil, err
	}
	v.buffers = append(v.buffers, a)
	return a, nil
}

// isOn reports whether the array is on a device.
func (v *value) isOn(d Device) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.ContainsFunc(v.buffers, d.has)
}

func (v *value) copy(ctx context.Context, d Device, near *engine.Array) (*engine.Array, error) {
	if near != nil {
		return near.CopyToDevice(d.Number)
	}
	array, err := v.view(ctx)
	if err != nil {
		return nil, err
	}
	if !d.onHost() && (v.lent || v.seen != nil) {
		return d.Engine.ArrayFromHost(ctx, array, d.memory())
	}
	return d.Engine.BorrowFromHost(ctx, array, d.memory()) // Go's memory, which lives as long as it is lent
}

// last reports whether a buffer of on may be given away: this use is the last one of the value, and nobody else has
// the array.
func (v *value) last(b *engine.Array) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.uses.Load() == 1 && b != v.shared && !b.Borrowed()
}

// give removes a buffer for which last is true. The caller must close it.
func (v *value) give(b *engine.Array) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.buffers = slices.DeleteFunc(v.buffers, func(other *engine.Array) bool { return other == b })
	if v.seen != nil {
		_ = v.seen.Close() // a view of the buffer would keep it from being donated
		v.seen, v.known, v.array = nil, false, tensor.View{}
	}
}

// result returns an Array of a value for the caller to close: on the given device if it is only on the host.
func (e *Executable) result(ctx context.Context, v *value, home Device) (*engine.Array, error) {
	if first := v.first(); first != nil && !first.Borrowed() && (!first.OnHost() || home.onHost()) {
		if v.last(first) {
			v.give(first)
			return first, nil
		}
		home = e.deviceOf(first)
	}
	array, err := v.host(ctx)
	if err != nil {
		return nil, err
	}
	return home.Engine.ArrayFromHost(ctx, array, home.memory())
}

// first returns the buffer on the device where the value came from, or nil.
func (v *value) first() *engine.Array {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.buffers) == 0 {
		return nil
	}
	return v.buffers[0]
}

// shape returns the shape.
func (v *value) shape() tensor.Shape {
	if v.known {
		return v.array.Shape
	}
	return v.buffers[0].Shape()
}

// retain adds uses. The value is closed when the last one is released.
func (v *value) retain(n int) { v.uses.Add(int32(n)) }

func retain(values ...*value) {
	for _, v := range values {
		v.retain(1)
	}
}

func release(values ...*value) {
	for _, v := range values {
		v.drop(1)
	}
}

// drop releases uses.
func (v *value) drop(n int) {
	if v.uses.Add(int32(-n)) == 0 {
		_ = v.close() // what is left belongs to a client that is closed
	}
}

// close releases the memory of the value.
func (v *value) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var errs []error
	if v.seen != nil {
		errs = append(errs, v.seen.Close())
		v.seen, v.known, v.array = nil, false, tensor.View{}
	}
	for _, b := range v.buffers {
		errs = append(errs, b.Close())
	}
	v.buffers = nil
	return errors.Join(errs...)
}

// newArray returns an array of zeros that a device can read in place.
func newArray(s tensor.Shape) tensor.View {
	return tensor.View{Shape: s, Data: engine.Aligned(s.NumBytes())}
}
