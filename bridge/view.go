package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/host/pages"
	"github.com/calliope-mlir/calliope/internal/run/forgotten"
)

// View implements engine.Memory.
func (m *deviceArray) View(ctx context.Context, u engine.Use) (data []byte, end io.Closer, err error) {
	n := m.shape.NumBytes()
	if n == 0 || !m.plain() {
		if data, err = m.Copy(ctx, u); err == nil {
			end = (*copiedView)(m)
		}
	} else if data, err = m.hold(ctx, u, n); err == nil {
		end = (*heldView)(m)
	}
	if err != nil {
		return nil, nil, err
	}
	m.client.memory.views.Add(1)
	if m.client.debug {
		return debugView(m.client, data, end)
	}
	return data, end, nil
}

// hold has the plugin hold the memory for a view.
func (m *deviceArray) hold(ctx context.Context, u engine.Use, n int) ([]byte, error) {
	if err := m.wait(ctx, u, "view"); err != nil {
		return nil, err
	}
	at, err := m.pjrt.Hold()
	if err != nil {
		return nil, pluginError("view", err)
	}
	return unsafe.Slice((*byte)(at), n), nil
}

// A copiedView ends a view of a copy. It and heldView are an array, so that a view needs no memory of its own.
type copiedView deviceArray

// Close implements io.Closer.
func (v *copiedView) Close() error {
	v.client.memory.views.Add(-1)
	return nil
}

// A heldView ends a view of memory that the plugin holds for it.
type heldView deviceArray

// Close implements io.Closer.
func (v *heldView) Close() error {
	v.client.memory.views.Add(-1)
	if err := v.pjrt.Release(); err != nil {
		return pluginError("close view", err)
	}
	return nil
}

// A guardedView ends a view in debug mode.
type guardedView struct {
	io.Closer        // of the view without debug mode
	pages     []byte // a copy whose protection can change; nil for what was copied already
	guard     *forgotten.Guard[forgottenView]
}

// debugView makes a view one of debug mode: memory of the device is copied to pages that cannot be written to.
func debugView(c *Client, data []byte, end io.Closer) ([]byte, io.Closer, error) {
	v := &guardedView{Closer: end}
	if _, held := end.(*heldView); held {
		copied, err := pages.Map(len(data))
		if err == nil {
			copy(copied, data)
			err = pages.ReadOnly(copied)
		}
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("bridge: view: memory for the debug mode: %w", err), end.Close())
		}
		v.pages, data = copied, copied
	}
	v.guard = forgottenViews.Watch(forgottenView{c, c.line()})
	return data, v, nil
}

// Close implements io.Closer.
func (v *guardedView) Close() error {
	forgottenViews.Drop(&v.guard)
	if v.pages != nil {
		// If this fails, a late use is not detected, and is harmless.
		_ = poisonedViews.Add(v.pages, struct{}{})
	}
	return v.Closer.Close()
}

// poisonedViews are the pages of closed views.
var poisonedViews pages.Poisoned[struct{}]
