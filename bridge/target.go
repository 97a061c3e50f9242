package bridge

import (
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/ffi/serve"
)

// RegisterForeign makes a callback the handler of a custom call target of another host: of XLA's typed FFI, with calls
// that do not follow the contract. The
// callback is looked up by name when a module is compiled. A target can be registered once;
// registering it again with the same Callback and Registry does nothing. A process serves
// 256 such targets at most.
func (p *Plugin) RegisterForeign(t callbacks.ForeignTarget) error {
	p.given("RegisterForeign")
	return p.registerForeign(serve.Foreign{ForeignTarget: t})
}

func (p *Plugin) registerForeign(t serve.Foreign) error {
	if t.Callback == "" {
		t.Callback = t.Target
	}
	if err := serve.CheckTarget(t.Target); err != nil {
		return err
	}
	if err := dispatch.ForeignConfig(t.ForeignTarget).Validate(); err != nil {
		return fmt.Errorf("bridge: custom call target %q: %w", t.Target, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if old, ok := p.foreign[t.Target]; ok {
		if old.Callback != t.Callback || old.Registry != t.Registry {
			return fmt.Errorf("bridge: custom call target %q: the callback %q of the registry %q serves it already",
				t.Target, old.Callback, old.Registry)
		}
		return nil
	}
	if p.targets[t.Target] {
		return fmt.Errorf("bridge: custom call target %q: it is registered for calls of the contract already: leave it out of OpenOptions.Targets", t.Target)
	}
	if err := p.pjrt.CanCall(); err != nil {
		return fmt.Errorf("bridge: custom call target %q: %w", t.Target, err)
	}
	if err := t.Register(p.ffi); err != nil {
		return err
	}
	p.foreign[t.Target] = t
	p.targets[t.Target] = true
	return nil
}

// foreignTo returns the foreign target of a name.
func (p *Plugin) foreignTo(target string) (serve.Foreign, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, ok := p.foreign[target]
	return t, ok
}
