package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/forgotten"
)

// A heldView is a use of a device's memory by the host.
type heldView struct {
	memory *deviceArray
	held   bool   // whether the plugin holds the memory for the view
	copy   []byte // the pages of a copy, in debug mode
	guard  *forgotten.Guard[forgottenView]
}

// View implements engine.Memory.
func (m *deviceArray) View(ctx context.Context, u engine.Use) (data []byte, close func() error, err error) {
	v := &heldView{memory: m}
	if data, err = v.open(ctx, u); err != nil {
		return nil, nil, err
	}
	m.client.memory.views.Add(1)
	if m.client.debug {
		v.guard = forgottenViews.Watch(forgottenView{m.client, m.client.line()})
	}
	return data, v.close, nil
}

func (v *heldView) open(ctx context.Context, u engine.Use) ([]byte, error) {
	m := v.memory
	n := m.shape.NumBytes()
	if n == 0 || !m.plain() {
		return m.Copy(ctx, u)
	}
	if err := m.wait(ctx, u, "view"); err != nil {
		return nil, err
	}
	at, err := m.pjrt.Hold()
	if err != nil {
		return nil, pluginError("view", err)
	}
	v.held = true
	data := unsafe.Slice((*byte)(at), n)
	if m.client.debug {
		if data, err = v.protect(data); err != nil {
			return nil, errors.Join(err, v.release())
		}
	}
	return data, nil
}

// protect copies the array to pages whose protection can change.
func (v *heldView) protect(data []byte) ([]byte, error) {
	pages, err := mapMemory(len(data))
	if err == nil {
		copy(pages, data)
		err = readOnly(pages)
	}
	if err != nil {
		return nil, fmt.Errorf("bridge: view: memory for the debug mode: %w", err)
	}
	v.copy = pages
	return pages, nil
}

func (v *heldView) close() error {
	forgottenViews.Drop(&v.guard)
	if v.copy != nil {
		poisonView(v.copy)
	}
	v.memory.client.memory.views.Add(-1)
	return v.release()
}

func (v *heldView) release() error {
	if !v.held {
		return nil
	}
	if err := v.memory.pjrt.Release(); err != nil {
		return pluginError("close view", err)
	}
	return nil
}

// poisonedViews are the pages of closed views, the oldest first. They cannot be accessed,
// and their addresses are not used again for a while.
var poisonedViews struct {
	sync.Mutex
	all [][]byte
}

func poisonView(pages []byte) {
	// If this fails, a late use is not detected, and is harmless.
	_ = noAccess(pages)
	poisonedViews.Lock()
	defer poisonedViews.Unlock()
	poisonedViews.all = append(poisonedViews.all, pages)
	if len(poisonedViews.all) > poisonedKept {
		unmapMemory(poisonedViews.all[0])
		poisonedViews.all = poisonedViews.all[1:]
	}
}
