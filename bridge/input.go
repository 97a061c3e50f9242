package bridge

import (
	"context"
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/tensor"
)

// An Input is a *[Buffer], a [Donation], a tensor.View, which is copied to the device
// first, or a [Borrowed], which is read in place. Its shape must be that of the module's
// parameter (see [Executable.Inputs]). A module that runs on one device runs on the device
// of its first Buffer, or that of [OnDevice].
type Input any

// A Donation is a buffer that an execution may overwrite.
type Donation struct{ buffer *Buffer }

// Donate gives a buffer to an execution, which can then write an output to its memory if
// the module allows it (tf.aliasing_output or jax.buffer_donor on the parameter). The
// execution closes the buffer, even if it fails: then the array is lost. One that is refused before it starts, for its
// inputs for example, leaves the buffer as it is. To keep the array, give the Buffer itself: where the module writes to
// the parameter, XLA then writes to a copy. In a run on several devices, the same parameters must be donated on each
// device.
func Donate(b *Buffer) Donation { return Donation{b} }

// An input is an Input that a run uses.
type input struct {
	buffer  *Buffer
	donated bool
}

// takeInputs begins the use of all inputs. Its error is an *InputError or an *InputCountError. After an error, r.inputs
// has those that are in use.
func (r *Run) takeInputs(ctx context.Context, inputs []Input) error {
	e := r.exec
	devices := e.NumDevices()
	if len(inputs)%devices != 0 {
		want := -1
		if e.known {
			want = len(e.params)
		}
		return &InputCountError{Want: want, Got: len(inputs), Devices: devices}
	}
	perDevice := len(inputs) / devices
	if e.known && perDevice != len(e.params) {
		return &InputCountError{Want: len(e.params), Got: len(inputs), Devices: devices}
	}
	r.inputs = r.few[:0]
	for i, in := range inputs {
		device := r.device
		if e.devices != nil {
			device = e.devices[i/perDevice]
		}
		taken, err := e.client.take(ctx, in, device)
		if err != nil {
			return &InputError{Index: i, Err: err}
		}
		r.inputs = append(r.inputs, taken)
		if on := taken.buffer.device; on != device {
			return &InputError{Index: i, Err: fmt.Errorf("the buffer is on device %d, but this run takes it on device %d: copy it with Buffer.CopyToDevice(%[2]d)", on, device)}
		}
		if order := taken.buffer.order; order != nil {
			return &InputError{Index: i, Err: fmt.Errorf("the array is not row-major on its device (the order of its dimensions is %v), because the module that computed it has mhlo.layout_mode: remove that, or give the result of ToHost", order)}
		}
		if !e.known {
			continue
		}
		if want, got := e.params[i%perDevice], taken.buffer.shape; want.DType != tensor.Invalid &&
			want.DType != tensor.Token && !want.Equal(got) {
			return &InputError{Index: i, Want: want.Clone(), Got: got.Clone(), devices: devices}
		}
	}
	for i, in := range r.inputs {
		if in.donated != r.inputs[i%perDevice].donated {
			return &InputError{Index: i, Err: errors.New("a parameter must be donated on every device or on none")}
		}
	}
	return nil
}

var errOtherClient = errors.New("the buffer belongs to another client, or to none: give what its ToHost returns")

func (c *Client) take(ctx context.Context, in Input, device int) (input, error) {
	switch in := in.(type) {
	case *Buffer:
		if in == nil {
			return input{}, errors.New("the buffer is nil")
		}
		if in.client != c {
			return input{}, errOtherClient
		}
		if !in.life.use() {
			return input{}, errBuffer
		}
		return input{buffer: in}, nil
	case Donation:
		b := in.buffer
		if b == nil {
			return input{}, errors.New("the donated buffer is nil")
		}
		if b.client != c {
			return input{}, errOtherClient
		}
		if err := b.claim(); err != nil {
			return input{}, err
		}
		return input{buffer: b, donated: true}, nil
	case tensor.View:
		return c.takeView(ctx, in, device, false)
	case Borrowed:
		return c.takeView(ctx, in.view, device, true)
	}
	return input{}, fmt.Errorf("a %T is not an Input; give a *bridge.Buffer, bridge.Donate(b), a tensor.View or bridge.Borrow(v)", in)
}

// takeView makes a buffer that is freed when the run is over, because no other code has it.
func (c *Client) takeView(ctx context.Context, v tensor.View, device int, borrow bool) (input, error) {
	b, err := c.buffer(ctx, "BufferFromHost", v, place{device: device, borrow: borrow})
	if err != nil {
		return input{}, err
	}
	b.life.claim()
	return input{buffer: b}, nil
}

// An InputError reports an input that a run cannot take. Its element type or dimensions are not those of the module's
// parameter, or it has Err.
type InputError struct {
	Index int          // of the input, among those of all devices
	Name  string       // of the input, for the text; whoever knows one sets it
	Want  tensor.Shape // of the parameter, on one device
	Got   tensor.Shape // of the input
	Err   error        // instead of Want and Got

	devices int // of the run
}

func (e *InputError) Error() string {
	name := e.Name
	if name == "" {
		name = fmt.Sprint("input ", e.Index)
	}
	if e.Err != nil {
		return fmt.Sprintf("bridge: run: %s: %v", name, e.Err)
	}
	return fmt.Sprintf("bridge: run: %s: the module's parameter is %s%s, but the input is %s", name, e.Want,
		forEach(e.devices), e.Got)
}

// Unwrap returns Err.
func (e *InputError) Unwrap() error { return e.Err }

// An InputCountError reports a run with another number of inputs than the module has
// parameters.
type InputCountError struct {
	Want    int // number of parameters, on one device; -1 if it is unknown
	Got     int // number of inputs, for all devices
	Devices int // number of devices of the run
}

func (e *InputCountError) Error() string {
	devices := max(1, e.Devices)
	if e.Got%devices != 0 {
		return fmt.Sprintf("bridge: run: %d inputs cannot be divided among %d devices; give all parameters for each device", e.Got, devices)
	}
	return fmt.Sprintf("bridge: run: the module has %d parameters, but %d inputs are given%s", e.Want, e.Got/devices,
		forEach(devices))
}

func forEach(devices int) string {
	if devices <= 1 {
		return ""
	}
	return " on each device"
}

type onDeviceKey struct{}

// OnDevice returns a context with which a module for one device runs on a device of its client,
// if none of the inputs is a [Buffer]: they are copied there. Without it such a run is on
// device 0.
func OnDevice(ctx context.Context, device int) context.Context {
	return context.WithValue(ctx, onDeviceKey{}, device)
}

// deviceOf returns the device for a run on one device: that of its first buffer, or that of the
// context.
func (c *Client) deviceOf(ctx context.Context, inputs []Input) (int, error) {
	for _, in := range inputs {
		switch in := in.(type) {
		case *Buffer:
			if in != nil {
				return in.device, nil
			}
		case Donation:
			if in.buffer != nil {
				return in.buffer.device, nil
			}
		}
	}
	device, _ := ctx.Value(onDeviceKey{}).(int)
	if device < 0 || device >= c.NumDevices() {
		return 0, fmt.Errorf("bridge: run: OnDevice: there is no device %d; the client has %d, numbered from 0", device,
			c.NumDevices())
	}
	return device, nil
}
