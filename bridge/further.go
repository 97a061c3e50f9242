package bridge

import (
	"errors"
	"fmt"
	"sync"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/internal/ffi"
	"github.com/calliope-mlir/calliope/tensor"
)

// instantiateFurther binds a call site that has its id in one of the contract's further
// encodings, which other hosts write. Ids in operands are looked up in each call.
func instantiateFurther(config contract.Config) (ffi.Site, error) {
	switch config.Host.Encoding {
	case contract.EncodingWords:
		slot, err := dispatch.ResolveOpaque(config)
		if err != nil {
			return nil, err
		}
		passing := config
		passing.Form = contract.Passthrough
		return &wordsSite{call: bind(slot, config), pass: bind(slot, passing)}, nil
	case contract.EncodingServer:
		if !dispatch.HasOpaque(config.Host.Opaque) {
			return nil, &callbacks.UnknownError{Callback: config.Name(), Missing: "callback"}
		}
	}
	return &operandSite{config: config, sites: map[contract.Config]*site{}}, nil
}

// A wordsSite is a call site that has an id but no form.
type wordsSite struct{ call, pass *site }

// Delete implements ffi.Site. Both sites have the same slot.
func (s *wordsSite) Delete() { s.call.Delete() }

// Execute implements ffi.Site. If the results are in the operands' memory, because the
// module has aliases, the operands pass through.
func (s *wordsSite) Execute(call *ffi.Call) (int32, string) {
	if inPlace(call.Args(), call.Results()) {
		return s.pass.Execute(call)
	}
	return s.call.Execute(call)
}

func inPlace(operands, results *ffi.Buffers) bool {
	if operands.Len() != results.Len() {
		return false
	}
	for i := range operands.Len() {
		a, b := operands.At(i), results.At(i)
		if a == nil || b == nil || a.Data() != b.Data() {
			return false
		}
	}
	return true
}

// An operandSite is a call site that has its id, or the server of its id, as an operand.
type operandSite struct {
	config contract.Config

	mu    sync.RWMutex
	sites map[contract.Config]*site
}

// Delete implements ffi.Site.
func (s *operandSite) Delete() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, inner := range s.sites {
		inner.Delete()
	}
}

// Execute implements ffi.Site.
func (s *operandSite) Execute(call *ffi.Call) (int32, string) {
	if stream, ok := call.Stream(); ok {
		return executeOn(s, call, stream)
	}
	return s.execute(call, nil)
}

func (s *operandSite) execute(call *ffi.Call, d *deviceCall) (int32, string) {
	err := d.fetch()
	var inner *site
	var first, end int
	if err == nil {
		inner, first, end, err = s.find(call)
	}
	if err != nil {
		return (&site{name: s.config.Name(), config: s.config}).refuse(call, err)
	}
	defer call.Narrow(first, end)()
	return inner.execute(call, d)
}

// find returns the site of one call, and the range of its operands that are data.
func (s *operandSite) find(call *ffi.Call) (inner *site, first, end int, err error) {
	n := call.Args().Len()
	config := s.config
	before, after := config.Host.Encoding.Names()
	first, end = before, n-after
	if config.Host.Encoding == contract.EncodingServer {
		server, err := operand(call, 0, tensor.U8, 1)
		if err != nil {
			return nil, 0, 0, fmt.Errorf("the first operand must be the name of its server, a tensor<Nxui8>: %w", err)
		}
		config.Host.Server = string(server.Data)
	} else {
		id, err := operand(call, n-1, tensor.S64, 0)
		if err != nil {
			return nil, 0, 0, fmt.Errorf("the last operand of a custom call without backend_config must be its callback's id, a tensor<i64>: %w", err)
		}
		config.ID = id.At(0).(int64)
	}
	s.mu.RLock()
	inner = s.sites[config]
	s.mu.RUnlock()
	if inner == nil {
		resolve := dispatch.Resolve
		if config.Host.Opaque != "" {
			resolve = dispatch.ResolveOpaque
		}
		slot, err := resolve(config)
		if err != nil {
			return nil, 0, 0, err
		}
		inner = bind(slot, config)
		s.mu.Lock()
		if other := s.sites[config]; other != nil { // another call added it first
			inner.Delete()
			inner = other
		}
		s.sites[config] = inner
		s.mu.Unlock()
	}
	return inner, first, end, nil
}

// operand returns one operand of a call, which must have the element type and the rank.
func operand(call *ffi.Call, i int, dtype tensor.DType, rank int) (tensor.View, error) {
	if i < 0 || i >= call.Args().Len() {
		return tensor.View{}, errors.New("there is no such operand")
	}
	var v tensor.View
	if _, err := new(layout).read(&v, call.Args().At(i)); err != nil {
		return tensor.View{}, err
	}
	if v.Shape.DType != dtype || v.Shape.Rank() != rank {
		return tensor.View{}, fmt.Errorf("it is %s", v.Shape)
	}
	return v, nil
}
