package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/tensor"
)

// An Input is an *[Array] of the engine, a [Donation], a tensor.View, which is copied to the device first, or a
// [Borrowed], which is read in place. Its shape must be that of the module's parameter. A module that runs on one
// device runs on the device of its first Array, or that of [OnDevice].
type Input any

// A Borrowed is a host array that a run reads in place; see [Borrow].
type Borrowed struct{ view tensor.View }

// Borrow lets a run read a host array in place. This needs an array that begins at a multiple of [Align] bytes in
// memory and whose elements have at least 8 bits. Any other array is copied, like a tensor.View, and on a GPU every
// array is.
//
// The array must not change until the run is over, even if Run returned early because its context ended. Until then it
// is kept from the garbage collector. In debug mode (see bridge.OpenOptions) a change is logged.
func Borrow(v tensor.View) Borrowed { return Borrowed{v} }

// Tensor returns the array.
func (b Borrowed) Tensor() tensor.View { return b.view }

// ErrOther is the error of an array that is not one of the engine that is to run with it.
var ErrOther = errors.New("the array belongs to another client or engine: give what its ToHost returns")

// ErrInput returns the error of an input that is of no type of an [Input].
func ErrInput(in Input) error {
	return fmt.Errorf("a %T is not an Input: give an *engine.Array, engine.Donate(a), a tensor.View or engine.Borrow(v)", in)
}

// An InputError reports an input that a run cannot take. Its element type or dimensions are not those of the module's
// parameter, or it has Err.
type InputError struct {
	Index   int          // of the input, among those of all devices
	Devices int          // of the run
	Name    string       // of the input, for the text; whoever knows one sets it
	Want    tensor.Shape // of the parameter, on one device
	Got     tensor.Shape // of the input
	Err     error        // instead of Want and Got
}

func (e *InputError) Error() string {
	name := e.Name
	if name == "" {
		name = fmt.Sprint("input ", e.Index)
	}
	if e.Err != nil {
		return fmt.Sprintf("run: %s: %v", name, e.Err)
	}
	return fmt.Sprintf("run: %s: the module's parameter is %s%s, but the input is %s", name, e.Want,
		forEach(e.Devices), e.Got)
}

// Unwrap returns Err.
func (e *InputError) Unwrap() error { return e.Err }

// An InputCountError reports a run with another number of inputs than the module has parameters.
type InputCountError struct {
	Want    int // number of parameters, on one device; -1 if it is unknown
	Got     int // number of inputs, for all devices
	Devices int // number of devices of the run
}

func (e *InputCountError) Error() string {
	devices := max(1, e.Devices)
	if e.Got%devices != 0 {
		return fmt.Sprintf("run: %d inputs cannot be divided among %d devices; give all parameters for each device", e.Got, devices)
	}
	return fmt.Sprintf("run: the module has %d parameters, but %d inputs are given%s", e.Want, e.Got/devices,
		forEach(devices))
}

func forEach(devices int) string {
	if devices <= 1 {
		return ""
	}
	return " on each device"
}

type onDeviceKey struct{}

// OnDevice returns a context with which a module for one device runs on a device of its engine, if none of the inputs
// is an [Array]: they are copied there. Without it such a run is on device 0.
func OnDevice(ctx context.Context, device int) context.Context {
	return context.WithValue(ctx, onDeviceKey{}, device)
}

// DeviceOf returns the device of a run on one device, which the engine may lack: that of its first Array, or that of
// [OnDevice].
func DeviceOf(ctx context.Context, inputs []Input) int {
	for _, in := range inputs {
		a, _ := in.(*Array)
		if d, ok := in.(Donation); ok {
			a = d.array
		}
		if m := a.Memory(); m != nil {
			return m.Device()
		}
	}
	device, _ := ctx.Value(onDeviceKey{}).(int)
	return device
}
