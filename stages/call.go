package stages

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/hostcall"
	"github.com/calliope-mlir/calliope/tensor"
)

// call makes a call, with the values of the step's operands, and returns the values of its results.
func (r *run) call(s *callStep, in []*value) ([]*value, error) {
	cb := s.callback
	bound, err := r.bound(s, in)
	if err != nil {
		return nil, err
	}
	data := len(cb.Args)
	var views []tensor.View
	for i, v := range in[cb.before:][:data+cb.Config.NumIDs] {
		host, err := v.host(r.ctx)
		if err != nil {
			return nil, err
		}
		shape := host.Shape
		if i < data {
			shape = cb.Args[i] // the memory may have another layout
		}
		views = append(views, tensor.View{Shape: shape.Clone(), Data: host.Data})
	}
	c := &hostcall.Call{Operands: views[:data:data], Names: views[data:]}
	out := make([]*value, 0, len(s.out))
	add := func(data tensor.View) {
		out = append(out, onHost(tensor.View{Shape: s.shapes[len(out)].Clone(), Data: data.Data}))
	}
	empty := func() { add(newArray(s.shapes[len(out)].Clone())) }
	for range cb.returned {
		empty()
	}
	switch bound.Config.Form {
	case contract.Passthrough:
		for i := range c.Operands {
			c.Outputs = append(c.Outputs, own(c, i))
			add(c.Operands[i])
		}
		for _, id := range c.Names {
			passed := newArray(id.Shape)
			copy(passed.Data, id.Data)
			add(passed)
		}
	case contract.Observe:
	default:
		for i, shape := range cb.Results {
			result := newArray(shape.Clone())
			if k := cb.inPlace[i]; k >= 0 {
				result = own(c, k)
			}
			c.Outputs = append(c.Outputs, result)
			add(result)
		}
	}
	for len(out) < len(s.out) { // the tokens
		empty()
	}
	c.Init(bound.Config.Name(), bound.Config, -1, c)
	c.Attributes, c.Device, c.RunID = cb.attributes, r.program.device(0, r.replica).Number, r.calls.ID()
	_, err = bound.Slot.Do(&c.Call, &r.calls)
	return out, err
}

// own gives an argument memory that the function may change: others may need the operand.
func own(c *hostcall.Call, i int) tensor.View {
	copied := newArray(c.Operands[i].Shape)
	copy(copied.Data, c.Operands[i].Data)
	c.Operands[i] = copied
	return copied
}
