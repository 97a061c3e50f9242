package stages

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/tensor"
)

// A call is one call of a callback between stages. It implements dispatch.Source.
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
	data, ids, _, err := cb.Config.Split(len(in))
	if err != nil {
		return nil, err
	}
	var views []tensor.View
	for _, v := range in[:data+ids] {
		host, err := v.host(r.ctx)
		if err != nil {
			return nil, err
		}
		views = append(views, tensor.View{Shape: host.Shape.Clone(), Data: host.Data})
	}
	c := &call{args: views[:data:data], ids: views[data:], device: r.program.place(0, r.replica).number, runID: r.calls.ID()}
	out := make([]*value, 0, len(s.out))
	switch cb.Config.Form {
	case contract.Passthrough:
		for i, v := range c.args {
			// The function may change the values, and others may need the operand.
			passed := newArray(v.Shape)
			copy(passed.Data, v.Data)
			c.args[i], c.results = passed, append(c.results, passed)
			out = append(out, onHost(passed))
		}
		for _, id := range c.ids {
			passed := newArray(id.Shape)
			copy(passed.Data, id.Data)
			out = append(out, onHost(passed))
		}
	case contract.Observe:
	default:
		for _, shape := range cb.Results {
			result := newArray(shape.Clone())
			c.results = append(c.results, result)
			out = append(out, onHost(result))
		}
	}
	for _, shape := range s.shapes[len(out):] { // the tokens
		out = append(out, onHost(newArray(shape.Clone())))
	}
	c.frame.Init(cb.Name, cb.Config, -1, c)
	_, err = r.program.slots[s.index].Do(&c.frame, &r.calls)
	return out, err
}

// Read implements dispatch.Source.
func (c *call) Read() error {
	c.frame.Args, c.frame.Results, c.frame.IDs = c.args, slices.Clone(c.results), c.ids
	c.frame.Device, c.frame.RunID = c.device, c.runID
	return nil
}

// Clear implements dispatch.Source. The results are zero, or pass through.
func (c *call) Clear() error { return nil }

// Finish implements dispatch.Source.
func (c *call) Finish(err error) error {
	if err != nil {
		return err
	}
	got := c.frame.Results
	if len(got) != len(c.results) {
		return &callbacks.ReplacedError{Callback: c.frame.Name, Result: min(len(got), len(c.results))}
	}
	for i := range got {
		if unsafe.SliceData(got[i].Data) != unsafe.SliceData(c.results[i].Data) {
			return &callbacks.ReplacedError{Callback: c.frame.Name, Result: i}
		}
	}
	return nil
}

// Defer implements dispatch.Source. Each call has a goroutine of its own, which waits.
func (c *call) Defer() func(error) { return nil }

// bind finds the functions of the callbacks that are called between stages, and compares their signatures.
func bind(list []*Callback) (slots []*dispatch.Slot, err error) {
	slots = make([]*dispatch.Slot, len(list))
	for i, cb := range list {
		if cb.Decision != CutAt {
			continue
		}
		config := cb.Config
		if want := config.Signature; want != "" {
			results := cb.Results
			if config.Form == contract.Passthrough {
				results = cb.Args
			}
			if got := contract.Signature(cb.Args, results); contract.SignatureHash(got) != want {
				err = fmt.Errorf("stages: callback %q: the module calls it with %s, which is not the signature that it was compiled for", cb.Name, got)
			}
		}
		if err == nil {
			slots[i], err = dispatch.Resolve(config)
		}
		if err != nil {
			closeSlots(slots)
			return nil, err
		}
	}
	return slots, nil
}

func closeSlots(slots []*dispatch.Slot) {
	for _, s := range slots {
		if s != nil {
			s.Close()
		}
	}
}
