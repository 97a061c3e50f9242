package bridge

import "github.com/calliope-mlir/calliope/internal/errtext"

// notGiven panics because a method was called on a nil pointer or a zero value.
func notGiven(typ, method string, isNil bool, from string) {
	panic(errtext.Receiver("bridge: "+typ+"."+method, isNil, from))
}

func (p *Plugin) given(method string) {
	if p == nil || p.pjrt == nil {
		notGiven("Plugin", method, p == nil, "Open")
	}
}

func (c *Client) given(method string) {
	if c == nil || c.plugin == nil {
		notGiven("Client", method, c == nil, "Plugin.NewClient")
	}
}

func (c *Cache) given(method string) {
	if c == nil || c.folder == nil {
		notGiven("Cache", method, c == nil, "OpenCache")
	}
}

func (e *Executable) given(method string) {
	if e == nil || e.resources == nil {
		notGiven("Executable", method, e == nil, "Client.Compile")
	}
}

func (r *Run) given(method string) {
	if r == nil || r.exec == nil {
		notGiven("Run", method, r == nil, "Executable.Start")
	}
}

func (b *Buffer) given(method string) {
	if b == nil || b.client == nil {
		notGiven("Buffer", method, b == nil, "a Client or Executable.Run")
	}
}

func (v *BufferView) given(method string) {
	if v == nil || v.buffer == nil {
		notGiven("BufferView", method, v == nil, "Buffer.View")
	}
}
