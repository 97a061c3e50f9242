//go:build cgo && !windows

package xla

import (
	gopjrt "github.com/gomlx/gopjrt/pjrt"

	"github.com/calliope-mlir/calliope/internal/run/pjrt"
)

// Client has devices and compiles for them. It is safe for concurrent use, except for
// Close.
type Client struct {
	plugin *Plugin
	gopjrt *gopjrt.Client
	pjrt   *pjrt.Client // of gopjrt

	release func() // of the store of several processes
}

// PJRT returns the client for transfers and runs. It is valid until Close.
func (c *Client) PJRT() *pjrt.Client { return c.pjrt }

// Platform returns the name of the platform, such as "cpu".
func (c *Client) Platform() string { return c.gopjrt.Platform() }

// Close frees the client. It must be called after Close of its executables, and after the
// last buffer is destroyed.
func (c *Client) Close() error {
	if err := c.gopjrt.Destroy(); err != nil {
		return pluginError(err)
	}
	c.release()
	return nil
}

// Closed reports whether the client is closed.
func (c *Client) Closed() bool { return !c.gopjrt.IsValid() }
