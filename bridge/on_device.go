package bridge

import (
	"context"
	"fmt"
)

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
		return 0, fmt.Errorf("bridge: run: OnDevice: there is no device %d; the client has %d, numbered from 0", device, c.NumDevices())
	}
	return device, nil
}
