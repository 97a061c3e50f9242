package bridge

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/internal/ffi"
)

// A foreignTarget is a callbacks.ForeignTarget, or a target of JAX's callbacks.
type foreignTarget struct {
	callbacks.ForeignTarget
	callbackOf func(callbacks.Attributes) (string, error) // of a call; nil means Callback
}

// foreignTargets has the targets of all plugins by the number that internal/ffi gives them.
var foreignTargets sync.Map

// RegisterForeign makes a callback the handler of a custom call target of another host: of XLA's typed FFI, with calls
// that do not follow the contract. The
// callback is looked up by name when a module is compiled. A target can be registered once;
// registering it again with the same Callback and Registry does nothing. A process serves
// 256 such targets at most.
func (p *Plugin) RegisterForeign(t callbacks.ForeignTarget) error {
	p.given("RegisterForeign")
	return p.registerForeign(foreignTarget{ForeignTarget: t})
}

func (p *Plugin) registerForeign(t foreignTarget) error {
	if t.Callback == "" {
		t.Callback = t.Target
	}
	if err := checkTarget(t.Target); err != nil {
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
	if err := p.ffi.RegisterForeign(t.Target, func(number int) { foreignTargets.Store(number, t) }); err != nil {
		return fmt.Errorf("bridge: custom call target %q: %w", t.Target, err)
	}
	p.foreign[t.Target] = t
	p.targets[t.Target] = true
	return nil
}

// foreignTo returns the foreign target of a name.
func (p *Plugin) foreignTo(target string) (foreignTarget, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, ok := p.foreign[target]
	return t, ok
}

// instantiateTarget binds a call site of a foreign target while XLA compiles.
func instantiateTarget(number int, attrs []contract.Attr) (ffi.Site, int32, error) {
	v, ok := foreignTargets.Load(number)
	if !ok {
		return nil, codeInvalidArgument, fmt.Errorf("bridge: no foreign target has the number %d", number)
	}
	t := v.(foreignTarget)
	refuse := func(code int32, err error) (ffi.Site, int32, error) {
		return nil, code, errors.New(causes.add(fmt.Errorf("bridge: custom call target %q: %w", t.Target, err)))
	}
	attributes := dispatch.Attributes(attrs)
	if t.Check != nil {
		if err := t.Check(attributes); err != nil {
			return refuse(codeInvalidArgument, err)
		}
	}
	if t.callbackOf != nil {
		var err error
		if t.Callback, err = t.callbackOf(attributes); err != nil {
			return refuse(codeInvalidArgument, err)
		}
	}
	slot, config, err := dispatch.ResolveForeign(dispatch.ForeignConfig(t.ForeignTarget))
	if err != nil {
		return refuse(codeNotFound, err)
	}
	s := bind(slot, config)
	s.attributes = attributes
	return (*foreignSite)(s), 0, nil
}

// A foreignSite is a call site of a foreign target.
type foreignSite site

// Delete implements ffi.Site.
func (s *foreignSite) Delete() { (*site)(s).Delete() }

// Execute implements ffi.Site.
func (s *foreignSite) Execute(call *ffi.Call) (int32, string) {
	if restore := call.SkipTokens(); restore != nil {
		defer restore()
	}
	if n := call.Results().Len(); s.form == formObserve && n > 0 {
		return (*site)(s).refuse(call, &frameError{fmt.Errorf("it is registered with Async or PerSecond, which are for calls without results, but the module calls it with %d: leave them out", n)})
	}
	return (*site)(s).Execute(call)
}

func checkTarget(target string) error {
	if target == "" || strings.ContainsRune(target, 0) {
		return fmt.Errorf("bridge: %q is not a name of a custom call target", target)
	}
	return nil
}
