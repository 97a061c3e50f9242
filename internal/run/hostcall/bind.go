package hostcall

import (
	"fmt"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Binding is a call site with its function.
type Binding struct {
	Slot   *dispatch.Slot // nil if the callback or its server is named by an operand
	Config contract.Config
}

// BindLate makes a Binding, for Late.
func BindLate(slot *dispatch.Slot, config contract.Config) Binding { return Binding{slot, config} }

// Bind finds the function of a call with arrays of some shapes, and compares the signatures. foreign says that the call
// is of another host.
func Bind(config contract.Config, foreign bool, args, results []tensor.Shape) (b Binding, err error) {
	b.Config = config
	if err := Check(config, args, results); err != nil {
		return b, fmt.Errorf("callback %q: %w", config.Name(), err)
	}
	if foreign && len(results) == 0 {
		b.Slot, b.Config, err = dispatch.ResolveForeign(config)
	} else {
		b.Slot, err = Resolve(config)
	}
	return b, err
}

// Check compares a call's arrays with the signature that the module was compiled for, before Go reads the memory of
// compiled code that differs from it.
func Check(config contract.Config, args, results []tensor.Shape) error {
	if config.Signature == "" {
		return nil
	}
	got, err := config.SignatureOf(args, results)
	if err != nil {
		return err
	}
	if contract.SignatureHash(got) != config.Signature {
		return fmt.Errorf("the module calls it with %s, which is not the signature that it was compiled for", got)
	}
	return nil
}

// Resolve finds the function of a call site. The slot is nil if an operand of each call names the callback or its
// server: see Late.
func Resolve(config contract.Config) (*dispatch.Slot, error) {
	switch config.Host.Encoding {
	case contract.EncodingOperand:
		return nil, nil
	case contract.EncodingServer:
		if !dispatch.HasOpaque(config.Host.Opaque) {
			return nil, &callbacks.UnknownError{Callback: config.Name(), Missing: "callback"}
		}
		return nil, nil
	case contract.EncodingWords:
		return dispatch.ResolveOpaque(config)
	}
	return dispatch.Resolve(config)
}

// Late are the call sites whose callback or server is an operand, which is known when the call is made. S is what the
// runtime has of a site. The zero value has none. It is safe for concurrent use.
type Late[S any] struct {
	mu    sync.RWMutex
	sites map[contract.Config]lateSite[S]
}

type lateSite[S any] struct {
	slot *dispatch.Slot
	site S
}

// NamedBy returns which of n operands names the callback or its server. The Config does not bind early.
func NamedBy(config contract.Config, n int) int {
	if config.Host.Encoding == contract.EncodingOperand {
		return n - 1
	}
	return 0
}

// Find returns the site of a call with the operand that names its function. bind makes it for the first such call.
func (l *Late[S]) Find(
	config contract.Config, operand tensor.View, bind func(*dispatch.Slot, contract.Config) S,
) (S, error) {
	resolve := dispatch.Resolve
	if config.Host.Encoding == contract.EncodingOperand {
		config.ID, _ = operand.At(0).(int64)
	} else {
		config.Host.Server = string(operand.Data)
		resolve = dispatch.ResolveOpaque
	}
	l.mu.RLock()
	found, ok := l.sites[config]
	l.mu.RUnlock()
	if ok {
		return found.site, nil
	}
	slot, err := resolve(config)
	if err != nil {
		return found.site, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if found, ok := l.sites[config]; ok { // another call added it first
		slot.Close()
		return found.site, nil
	}
	if l.sites == nil {
		l.sites = map[contract.Config]lateSite[S]{}
	}
	made := lateSite[S]{slot, bind(slot, config)}
	l.sites[config] = made
	return made.site, nil
}

// Close removes the call sites.
func (l *Late[S]) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.sites {
		s.slot.Close()
	}
}
