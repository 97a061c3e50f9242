package stages

import (
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/tensor"
)

// A call is one call of a callback between stages. It implements dispatch.Transport.
type call struct {
	frame   dispatch.Call
	args    []tensor.View
	results []tensor.View
	ids     []tensor.View
	device  int
	runID   int64
}

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
	c := &call{args: views[:data:data], ids: views[data:], device: r.program.place(0, r.replica).number,
		runID: r.calls.ID()}
	out := make([]*value, 0, len(s.out))
	add := func(data tensor.View) {
		out = append(out, onHost(tensor.View{Shape: s.shapes[len(out)].Clone(), Data: data.Data}))
	}
	empty := func() { add(newArray(s.shapes[len(out)].Clone())) }
	for range cb.returned {
		empty()
	}
	switch bound.config.Form {
	case contract.Passthrough:
		for i := range c.args {
			c.results = append(c.results, c.own(i))
			add(c.args[i])
		}
		for _, id := range c.ids {
			passed := newArray(id.Shape)
			copy(passed.Data, id.Data)
			add(passed)
		}
	case contract.Observe:
	default:
		for i, shape := range cb.Results {
			result := newArray(shape.Clone())
			if k := cb.inPlace[i]; k >= 0 {
				result = c.own(k)
			}
			c.results = append(c.results, result)
			add(result)
		}
	}
	for len(out) < len(s.out) { // the tokens
		empty()
	}
	c.frame.Init(bound.config.Name(), bound.config, -1, c)
	c.frame.Attributes = cb.attributes
	_, err = bound.slot.Do(&c.frame, &r.calls)
	return out, err
}

// own gives an argument memory that the function may change: others may need the operand.
func (c *call) own(i int) tensor.View {
	copied := newArray(c.args[i].Shape)
	copy(copied.Data, c.args[i].Data)
	c.args[i] = copied
	return copied
}

// Read implements dispatch.Transport.
func (c *call) Read() error {
	c.frame.Args, c.frame.Results, c.frame.IDs = c.args, slices.Clone(c.results), c.ids
	c.frame.Device, c.frame.RunID = c.device, c.runID
	return nil
}

// Clear implements dispatch.Transport. The results are zero, or pass through.
func (c *call) Clear() error {
	if c.frame.Config.Form != contract.Passthrough {
		for _, v := range c.results {
			clear(v.Data) // an argument may share its memory
		}
	}
	return nil
}

// Finish implements dispatch.Transport.
func (c *call) Finish(err error) error {
	if err != nil {
		return err
	}
	got := c.frame.Results
	if len(got) != len(c.results) {
		return &callbacks.ReplacedError{Result: min(len(got), len(c.results))}
	}
	for i := range got {
		if unsafe.SliceData(got[i].Data) != unsafe.SliceData(c.results[i].Data) {
			return &callbacks.ReplacedError{Result: i}
		}
	}
	return nil
}

// Defer implements dispatch.Transport. Each call has a goroutine of its own, which waits.
func (c *call) Defer() func(error) { return nil }
