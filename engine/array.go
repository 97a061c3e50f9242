package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/host/cached"
	"github.com/calliope-mlir/calliope/internal/run/forgotten"
	"github.com/calliope-mlir/calliope/internal/run/lifetime"
	"github.com/calliope-mlir/calliope/internal/text/errtext"
	"github.com/calliope-mlir/calliope/tensor"
)

// ErrClosed is in the error of a use of what is closed.
var ErrClosed = callbacks.ErrClosed

// errArray is the error of an array that is closed.
var errArray = fmt.Errorf("the array is %w or was donated%s", ErrClosed, keepHint)

const keepHint = " (a run takes what Donate gives it, also if it fails: give the Array itself to keep it)"

// An Array is an array in the memory of a device, or of the host. The caller that gets an Array must close it. It is
// safe for concurrent use.
//
// An Array that is garbage without having been closed is closed by the garbage collector, much later. In debug mode
// (see bridge.OpenOptions) this is logged, with the line that made the Array.
type Array struct {
	memory Memory
	life   *lifetime.Lifetime
	of     *Array                     // that it shares the memory with, see Share
	guard  *forgotten.Guard[unclosed] // nil if only an engine has it, or the memory is Go's
}

// NewArray returns an Array of new memory. It is for engines.
func NewArray(m Memory) *Array { return &Array{memory: m, life: &m.life().state} }

// NewArrays returns an Array for each of several new memories. It is for engines. One Array, which most runs return,
// takes one allocation.
func NewArrays[M any, P interface {
	*M
	Memory
}](memories []M) []*Array {
	var list []*Array
	var made []Array
	if len(memories) == 1 {
		one := new(struct {
			made [1]Array
			list [1]*Array
		})
		list, made = one.list[:], one.made[:]
	} else {
		list, made = make([]*Array, len(memories)), make([]Array, len(memories))
	}
	for i := range memories {
		m := P(&memories[i])
		made[i].memory, made[i].life = m, &m.life().state
		list[i] = &made[i]
	}
	return list
}

// Memory returns what has the elements, or nil for a nil pointer or a zero value. It is for the engine that made the
// memory, while it has a [Use] of the array.
func (a *Array) Memory() Memory {
	if a == nil {
		return nil
	}
	return a.memory
}

// Shape returns the shape of the array, also after Close. The caller may change it.
func (a *Array) Shape() tensor.Shape {
	a.given("Shape")
	return a.memory.Shape().Clone()
}

// Device returns the number of the engine's device that the array is on. The host's memory is device 0.
func (a *Array) Device() int {
	a.given("Device")
	return a.memory.Device()
}

// Borrowed reports whether the array is a host array that was not copied.
func (a *Array) Borrowed() bool {
	a.given("Borrowed")
	return a.memory.Borrowed()
}

// ToHost copies the array to new host memory; see CopyTo and View.
//
// ToHost, CopyTo and View wait until the array is computed. Outputs are computed when a run returns them. If ctx ends
// first, the methods return ctx.Err(), and the array stays in use until it is computed.
func (a *Array) ToHost(ctx context.Context) (tensor.View, error) {
	a.given("ToHost")
	u, err := a.use("ToHost")
	if err != nil {
		return tensor.View{}, err
	}
	data, err := a.memory.Copy(ctx, u)
	if err = errors.Join(err, u.End()); err != nil {
		return tensor.View{}, err
	}
	return tensor.View{Shape: a.Shape(), Data: data}, nil
}

// CopyTo copies the array to existing host memory, which must have the same shape. Unlike ToHost it does not allocate,
// which takes as long as the copy. If ctx ends first, it returns ctx.Err() and does not write to the memory; see
// ToHost.
func (a *Array) CopyTo(ctx context.Context, to tensor.View) error {
	a.given("CopyTo")
	if err := to.Check(); err != nil {
		return fmt.Errorf("engine: Array.CopyTo: %w", err)
	}
	if s := a.memory.Shape(); !to.Shape.Equal(s) {
		return fmt.Errorf("engine: Array.CopyTo: the array is %s, the memory is for %s", s, to.Shape)
	}
	u, err := a.use("CopyTo")
	if err != nil {
		return err
	}
	return errors.Join(a.copyTo(ctx, u, to.Data), u.End())
}

func (a *Array) copyTo(ctx context.Context, u Use, to []byte) error {
	from, err := a.memory.InPlace(ctx, u)
	if err == nil && from == nil && len(to) > 0 {
		from, err = a.memory.Copy(ctx, u)
	}
	if err == nil {
		cached.Copy(to, from)
	}
	return err
}

// CopyToDevice copies the array to a device of the same engine. It does not wait for the copy, nor for the array to be
// computed: what uses the copy does. The array may be closed at once.
func (a *Array) CopyToDevice(device int) (*Array, error) {
	a.given("CopyToDevice")
	u, err := a.use("CopyToDevice")
	if err != nil {
		return nil, err
	}
	made, err := a.memory.CopyToDevice(u, device)
	if err = errors.Join(err, u.End()); err != nil {
		return nil, fmt.Errorf("engine: Array.CopyToDevice: %w", err)
	}
	return made, nil
}

// Share returns a second Array of the same memory, which the caller must close, too. The memory is freed when both are
// closed. The second one cannot be donated, and the first one not as long as the second one is open.
func (a *Array) Share() (*Array, error) {
	a.given("Share")
	u, err := a.use("Share")
	if err != nil {
		return nil, err
	}
	second := u.array.handle()
	second.of = a
	second.watch()
	return second, nil
}

// handle returns a new Array of the same memory.
func (a *Array) handle() *Array {
	return &Array{memory: a.memory, life: new(lifetime.Lifetime)}
}

// Close frees the array when no run and no view uses it any more. Closing it again does nothing.
func (a *Array) Close() error {
	a.given("Close")
	if _, free := a.life.Close(); free {
		return a.free()
	}
	return nil
}

func (a *Array) free() error {
	unclosedArrays.Drop(&a.guard)
	return free(a.memory, a.of)
}

// free frees the memory of an Array that shares it with another one, or with none.
func free(m Memory, of *Array) error {
	if of != nil {
		return Use{array: of}.End()
	}
	return m.Free()
}

// given panics because a method was called on a nil pointer or a zero value.
func (a *Array) given(method string) {
	if a == nil || a.memory == nil {
		panic(errtext.Receiver("engine: Array."+method, a == nil, "an Engine or Executable.Run"))
	}
}
