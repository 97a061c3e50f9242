package serve

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/ffi"
	"github.com/calliope-mlir/calliope/internal/run/hostcall"
	"github.com/calliope-mlir/calliope/tensor"
)

// A wordsSite is a call site that has an id but no form.
type wordsSite struct{ call, pass *site }

// Delete implements ffi.Site. Both sites have the same slot.
func (s *wordsSite) Delete() { s.call.Delete() }

// Name implements ffi.Named.
func (s *wordsSite) Name() string { return s.call.name }

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
	late   hostcall.Late[*site]
}

// Delete implements ffi.Site.
func (s *operandSite) Delete() { s.late.Close() }

// Name implements ffi.Named.
func (s *operandSite) Name() string { return s.config.Name() }

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
	before, after := s.config.Host.Encoding.Names()
	dtype, rank, want := tensor.S64, 0, "the last operand of a custom call without backend_config must be its callback's id, a tensor<i64>"
	if s.config.Host.Encoding == contract.EncodingServer {
		dtype, rank, want = tensor.U8, 1, "the first operand must be the name of its server, a tensor<Nxui8>"
	}
	name, err := operand(call, hostcall.NamedBy(s.config, n), dtype, rank)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("%s: %w", want, err)
	}
	inner, err = s.late.Find(s.config, name, bind)
	return inner, before, n - after, err
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
