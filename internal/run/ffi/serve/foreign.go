package serve

import (
	"errors"
	"fmt"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
)

// A Foreign is a target of another host, or one of JAX's callbacks.
type Foreign struct {
	callbacks.ForeignTarget
	JAX bool // whether BindJAX says what serves a call, and not Callback
}

// foreignTargets has the targets of all plugins by the number that internal/run/ffi gives them.
var foreignTargets sync.Map

// Register makes Go the handler of the target.
func (t Foreign) Register(r *ffi.Registry) error {
	if err := r.RegisterForeign(t.Target, func(number int) { foreignTargets.Store(number, t) }); err != nil {
		return fmt.Errorf("bridge: custom call target %q: %w", t.Target, err)
	}
	return nil
}

// instantiateForeign binds a call site of a foreign target while XLA compiles.
func instantiateForeign(number int, attrs []contract.Attr) (ffi.Site, int32, error) {
	v, ok := foreignTargets.Load(number)
	if !ok {
		return nil, codeInvalidArgument, fmt.Errorf("bridge: no foreign target has the number %d", number)
	}
	t := v.(Foreign)
	refuse := func(code int32, err error) (ffi.Site, int32, error) {
		return nil, code, errors.New(causes.add(fmt.Errorf("bridge: custom call target %q: %w", t.Target, err)))
	}
	attributes := dispatch.Attributes(attrs)
	if t.Check != nil {
		if err := t.Check(attributes); err != nil {
			return refuse(codeInvalidArgument, err)
		}
	}
	if t.JAX {
		var err error
		if t.Callback, err = jaxCallbackOf(attributes); err != nil {
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

// Name implements ffi.Named.
func (s *foreignSite) Name() string { return s.name }

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
