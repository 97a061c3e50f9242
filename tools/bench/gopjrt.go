package main

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/gomlx/gopjrt/dtypes"
	"github.com/gomlx/gopjrt/pjrt"
)

// gopjrt is a module that gopjrt executes, on a client of its own.
type gopjrt struct {
	client     *pjrt.Client
	executable *pjrt.LoadedExecutable
	host       []byte
	length     int
	input      *pjrt.Buffer
}

// gopjrtPlugin is the plugin as gopjrt has it.
type gopjrtPlugin struct{ *pjrt.Plugin }

// openGopjrt gives gopjrt the plugin's own table, once in a process: by itself gopjrt
// loads a plugin by name only.
func openGopjrt(table unsafe.Pointer) (gopjrtPlugin, error) {
	const name = "bench"
	if err := pjrt.RegisterPreloadedPlugin(name, uintptr(table)); err != nil {
		return gopjrtPlugin{}, fmt.Errorf("gopjrt: %w", err)
	}
	plugin, err := pjrt.GetPlugin(name)
	return gopjrtPlugin{plugin}, err
}

// compile makes a client and compiles a module for it.
func (plugin gopjrtPlugin) compile(module string, length int) (*gopjrt, error) {
	var err error
	g := &gopjrt{length: length, host: make([]byte, 4*length)}
	if g.client, err = plugin.NewClient(nil); err != nil {
		return nil, fmt.Errorf("gopjrt: %w", err)
	}
	g.executable, err = g.client.Compile().WithStableHLO([]byte(module)).Done()
	if err == nil {
		g.input, err = g.put()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("gopjrt: %w", err), g.close())
	}
	return g, nil
}

func (g *gopjrt) close() error {
	var errs []error
	if g.input != nil {
		errs = append(errs, g.input.Destroy())
	}
	if g.executable != nil {
		errs = append(errs, g.executable.Destroy())
	}
	return errors.Join(append(errs, g.client.Destroy())...)
}

func (g *gopjrt) put() (*pjrt.Buffer, error) {
	return g.client.BufferFromHost().FromRawData(g.host, dtypes.Float32, []int{g.length}).Done()
}

// run executes n times.
func (g *gopjrt) run(n int) error {
	for range n {
		out, err := g.executable.Execute(g.input).DonateNone().Done()
		if err != nil {
			return err
		}
		if err := out[0].Destroy(); err != nil {
			return err
		}
	}
	return nil
}

// round also copies the array in and out.
func (g *gopjrt) round(n int) error {
	result := make([]byte, len(g.host))
	for range n {
		in, err := g.put()
		if err != nil {
			return err
		}
		out, err := g.executable.Execute(in).DonateNone().Done()
		if err != nil {
			return err
		}
		if err := errors.Join(out[0].ToHost(result), out[0].Destroy(), in.Destroy()); err != nil {
			return err
		}
	}
	return nil
}

// gopjrtToken is an empty array on the first device of a client of its own.
type gopjrtToken struct {
	client *pjrt.Client
	array  *pjrt.Buffer
	to     *pjrt.Device
}

// token makes an array like the runtime tokens of bridge.
func (plugin gopjrtPlugin) token() (*gopjrtToken, error) {
	client, err := plugin.NewClient(nil)
	if err != nil {
		return nil, fmt.Errorf("gopjrt: %w", err)
	}
	t := &gopjrtToken{client: client}
	devices := client.AddressableDevices()
	if len(devices) < 2 {
		return nil, errors.Join(errors.New("gopjrt: copying to another device takes two devices"), t.close())
	}
	t.to = devices[1]
	// FromRawData takes the address of the first byte.
	if t.array,
		err = client.BufferFromHost().FromRawData(make([]byte, 0, 1), dtypes.Bool, []int{0}).Done(); err != nil {
		return nil, errors.Join(fmt.Errorf("gopjrt: %w", err), t.close())
	}
	return t, nil
}

func (t *gopjrtToken) close() error {
	var err error
	if t.array != nil {
		err = t.array.Destroy()
	}
	return errors.Join(err, t.client.Destroy())
}

// copy copies the array to another device, n times, and does not wait for the copies.
func (t *gopjrtToken) copy(n int) error {
	for range n {
		b, err := t.array.CopyToDevice(t.to)
		if err != nil {
			return err
		}
		if err := b.Destroy(); err != nil {
			return err
		}
	}
	return nil
}
