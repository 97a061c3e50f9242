package engine

import (
	"errors"

	"github.com/calliope-mlir/calliope/tensor"
)

// HostInputs are the inputs of a run that reads them in the host's memory. They are for engines that run there.
type HostInputs struct {
	Views []tensor.View // the arrays, by parameter; they must not be written to
	taken []hostInput
}

type hostInput struct {
	use  Use // zero for a view
	lent bool
}

// TakeOnHost begins the use of the inputs of a run, for parameters of some shapes. The error is an *[InputError] or an
// *[InputCountError], and then all inputs are as before. Otherwise the caller must call Release.
func TakeOnHost(inputs []Input, params []tensor.Shape) (*HostInputs, error) {
	if len(inputs) != len(params) {
		return nil, &InputCountError{Want: len(params), Got: len(inputs), Devices: 1}
	}
	h := &HostInputs{Views: make([]tensor.View, len(inputs)), taken: make([]hostInput, len(inputs))}
	for i, in := range inputs {
		if err := h.take(i, in, params[i]); err != nil {
			for _, t := range h.taken[:i] {
				if t.use.array != nil {
					_ = t.use.Undo() // the host's memory is freed without an error
				}
			}
			var wrong *InputError
			if !errors.As(err, &wrong) {
				wrong = &InputError{Err: err}
			}
			wrong.Index = i
			return nil, wrong
		}
	}
	return h, nil
}

func (h *HostInputs) take(i int, in Input, param tensor.Shape) error {
	switch in := in.(type) {
	case *Array:
		return h.takeArray(i, in, in.Use, param)
	case Donation:
		return h.takeArray(i, in.array, in.Use, param)
	case Borrowed:
		return h.takeView(i, in.view, param)
	case tensor.View:
		h.taken[i].lent = true
		return h.takeView(i, in, param)
	}
	return ErrInput(in)
}

func (h *HostInputs) takeArray(i int, a *Array, use func() (Use, error), param tensor.Shape) (err error) {
	m, ok := a.Memory().(*hostMemory)
	switch {
	case a != nil && !ok:
		return ErrOther
	case ok && !m.shape.Equal(param):
		return &InputError{Want: param.Clone(), Got: m.shape.Clone()}
	}
	if h.taken[i].use, err = use(); err == nil {
		h.Views[i] = tensor.View{Shape: m.shape, Data: m.elements()}
	}
	return err
}

func (h *HostInputs) takeView(i int, v tensor.View, param tensor.Shape) error {
	if !v.Shape.Equal(param) {
		return &InputError{Want: param.Clone(), Got: v.Shape.Clone()}
	}
	h.Views[i] = v
	return v.Check()
}

// InPlace reports whether functions of the host may have the memory of an input, which they must not change. The caller
// of the run may use that of a tensor.View when the run is over, and what it has started is not.
func (h *HostInputs) InPlace(input int) bool { return input < len(h.taken) && !h.taken[input].lent }

// Results returns arrays for the results of the run, and their memory. A result of a donor, which returns the parameter
// whose memory a result takes if that is donated, is in the memory of that input.
func (h *HostInputs) Results(shapes []tensor.Shape, donor func(result int) (parameter int, ok bool)) (
	arrays []*Array, memory []tensor.View, err error,
) {
	arrays, memory = make([]*Array, len(shapes)), make([]tensor.View, len(shapes))
	for i, s := range shapes {
		if k, ok := donor(i); ok && h.taken[k].use.gives {
			arrays[i], memory[i] = h.taken[k].use.array.handle(), h.Views[k]
			h.taken[k].use = Use{}
			continue
		}
		if arrays[i], memory[i], err = NewHostArray(s); err != nil {
			CloseAll(arrays[:i])
			return nil, nil, err
		}
	}
	return arrays, memory, nil
}

// Release ends the use of the inputs. The memory of those that were donated is used again, unless a result has it.
func (h *HostInputs) Release() {
	for _, t := range h.taken {
		if t.use.array != nil {
			_ = t.use.End() // the host's memory is freed without an error
		}
	}
}
