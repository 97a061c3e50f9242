package hostcall

import (
	"fmt"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Binding is a call site with its function.
type Binding struct {
	Slot   *dispatch.Slot // nil if the callback or its server is named by an operand
	Config contract.Config
}

// Bind finds the function of a call with arrays of some shapes, and compares the signatures. foreign says that the call
// is of another host.
func Bind(config contract.Config, foreign bool, args, results []tensor.Shape) (b Binding, err error) {
	b.Config = config
	if want := config.Signature; want != "" {
		got, err := config.SignatureOf(args, results)
		if err != nil {
			return b, err
		}
		if contract.SignatureHash(got) != want {
			return b, fmt.Errorf("callback %q: the module calls it with %s, which is not the signature that it was compiled for", config.Name(), got)
		}
	}
	switch config.Host.Encoding {
	case contract.EncodingOperand:
		return b, nil
	case contract.EncodingServer:
		if !dispatch.HasOpaque(config.Host.Opaque) {
			return b, &callbacks.UnknownError{Callback: config.Name(), Missing: "callback"}
		}
		return b, nil
	case contract.EncodingWords:
		b.Slot, err = dispatch.ResolveOpaque(config)
		return b, err
	}
	if foreign && len(results) == 0 {
		b.Slot, b.Config, err = dispatch.ResolveForeign(config)
		return b, err
	}
	b.Slot, err = dispatch.Resolve(config)
	return b, err
}

// Late are the functions of calls whose id or server is an operand, which is known when the call is made. The zero
// value has none. It is safe for concurrent use.
type Late struct {
	mu    sync.RWMutex
	bound map[contract.Config]Binding
}

// NamedBy returns which of n operands names the callback or its server. The Config does not bind early.
func NamedBy(config contract.Config, n int) int {
	if config.Host.Encoding == contract.EncodingOperand {
		return n - 1
	}
	return 0
}

// Find returns the function of a call with the operand that names it.
func (l *Late) Find(config contract.Config, operand tensor.View) (Binding, error) {
	resolve := dispatch.Resolve
	if config.Host.Encoding == contract.EncodingOperand {
		config.ID, _ = operand.At(0).(int64)
	} else {
		config.Host.Server = string(operand.Data)
		resolve = dispatch.ResolveOpaque
	}
	l.mu.RLock()
	found, ok := l.bound[config]
	l.mu.RUnlock()
	if ok {
		return found, nil
	}
	slot, err := resolve(config)
	if err != nil {
		return Binding{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if found, ok := l.bound[config]; ok { // another call added it first
		slot.Close()
		return found, nil
	}
	if l.bound == nil {
		l.bound = map[contract.Config]Binding{}
	}
	l.bound[config] = Binding{slot, config}
	return l.bound[config], nil
}

// Close removes the call sites.
func (l *Late) Close() {
	for _, b := range l.bound {
		b.Slot.Close()
	}
}
