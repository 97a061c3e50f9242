package reader

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/run/dispatch"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Targets say which custom calls functions of the host serve, besides those of the contract.
type Targets struct {
	Foreign []callbacks.ForeignTarget
	JAX     []string // the callbacks of a module of JAX, by index
}

// A Site is a custom call that a function of the host serves.
type Site struct {
	Op     mlir.Operation
	Call   stablehlo.CustomCallOp
	Config contract.Config

	// The rest is of calls of other hosts.
	Foreign    bool
	AnyLayout  bool
	Attributes callbacks.Attributes
	Tokens     int // of JAX, at the beginning of the operands
	Returned   int // of JAX, at the beginning of the results
}

// Read reads a custom call. It returns false if no function of the host serves it.
func (t Targets) Read(r *callop.Reader, op mlir.Operation) (s Site, ok bool, err error) {
	s.Op = op
	s.Call, _ = stablehlo.AsCustomCall(op)
	if i := slices.IndexFunc(t.Foreign,
		func(f callbacks.ForeignTarget) bool { return f.Target == s.Call.Target }); i >= 0 {
		return s, true, s.setForeign(t.Foreign[i])
	}
	if call, ok := r.AsCall(op); ok {
		s.Config = call.Config
		return s, call.Err == nil, call.Err
	}
	switch {
	case contract.IsJAXTarget(s.Call.Target):
		return s, true, s.setJAX(t.JAX)
	case contract.PythonTargetOf(s.Call.Target) == contract.PythonByAddress:
		return s, false, fmt.Errorf("the call of JAX's target %q has the address of a Python object: lower the program again with a newer JAX, and with callbacks that get arrays", s.Call.Target)
	}
	return s, false, nil
}

// setForeign makes the site one of a foreign target.
func (s *Site) setForeign(t callbacks.ForeignTarget) error {
	s.Config = dispatch.ForeignConfig(t)
	s.Foreign, s.AnyLayout = true, t.AnyLayout
	s.setAttributes()
	if t.Check != nil {
		if err := t.Check(s.Attributes); err != nil {
			return fmt.Errorf("custom call target %q: %w", t.Target, err)
		}
	}
	return nil
}

// setJAX makes the site one of a callback of JAX.
func (s *Site) setJAX(names []string) error {
	s.Foreign = true
	s.setAttributes()
	index, err := dispatch.JAXIndex(s.Attributes)
	if err != nil {
		return fmt.Errorf("the call of JAX's target %q: %w", s.Call.Target, err)
	}
	if len(names) == 0 {
		return fmt.Errorf("it calls the callback %d of JAX: name the callbacks that serve these calls in Options.JAXCallbacks", index)
	}
	name, err := dispatch.JAXCallback(names, index)
	if err != nil {
		return err
	}
	s.Config = contract.Config{Form: contract.Call, Callback: name}
	return nil
}

// setAttributes reads the attributes of the call, and counts its tokens.
func (s *Site) setAttributes() {
	if dictionary, _ := stablehlo.TypedConfig(s.Op); !dictionary.IsNil() {
		s.Attributes = dispatch.Attributes(callop.Attributes(dictionary))
	}
	s.Tokens, s.Returned = stablehlo.Tokens(mlir.TypesOf(s.Call.Operands)), stablehlo.Tokens(s.Call.Results)
}

// Pure reports whether the call may be replaced by operations.
func (s *Site) Pure() bool {
	if s.Config.Host.Encoding == contract.EncodingDictionary && !s.Foreign {
		return s.Config.Form == contract.Pure
	}
	return s.Config.Form == contract.Call && s.Config.Host.Encoding.BindsEarly() &&
		!callop.HasSideEffect(s.Op) && s.Tokens+s.Returned == 0
}

// Data are the arrays of a call that its function gets.
type Data struct {
	Before        int // operands before Args
	Returned      int // results before Results
	Args, Results []tensor.Shape
	// InPlace has, for each result, the argument that shares its memory, or -1. It is nil in the passthrough form.
	InPlace []int
}

// Data returns the arrays of the call.
func (s *Site) Data() (d Data, err error) {
	before, _ := s.Config.Host.Encoding.Names()
	d.Before, d.Returned = s.Tokens+before, s.Returned
	// The operands of the operation may have been replaced since it was read.
	operands := mlir.TypesOf(s.Op.OperandValues())
	args, filled, err := callop.Data(s.Config, operands[s.Tokens:], s.Call.Results[s.Returned:])
	if err != nil {
		return d, err
	}
	if d.Args, err = shapes("operand", d.Before, args); err != nil {
		return d, err
	}
	if d.Results, err = shapes("result", s.Returned, filled); err != nil || s.Config.Form == contract.Passthrough {
		return d, err
	}
	d.InPlace = make([]int, len(filled))
	for i := range d.InPlace {
		d.InPlace[i] = -1
	}
	for _, a := range s.Call.Aliases {
		result := 0
		if len(a.OutputTupleIndices) > 0 {
			result = int(a.OutputTupleIndices[0])
		}
		i, k := result-s.Returned, int(a.OperandIndex)-d.Before
		if i >= 0 && i < len(filled) && k >= 0 && k < len(args) && d.Args[k].Equal(d.Results[i]) {
			d.InPlace[i] = k
		}
	}
	return d, nil
}

func shapes(what string, first int, types []mlir.Type) ([]tensor.Shape, error) {
	list := make([]tensor.Shape, len(types))
	for i, t := range types {
		var err error
		if list[i], err = stablehlo.ShapeOf(t); err != nil {
			return nil, fmt.Errorf("%s %d: %v", what, first+i, err)
		}
	}
	return list, nil
}

// SetLayouts makes the module pass arrays in the layouts that the call asks for.
func (s *Site) SetLayouts() error {
	if !s.AnyLayout {
		return callop.CheckLayouts(s.Call)
	}
	for i, layout := range s.Call.OperandLayouts {
		if rowMajor(layout) {
			continue
		}
		order := slices.Clone(layout)
		slices.Reverse(order) // from minor to major to the order of the dimensions
		v, err := s.transposed(mlir.Before(s.Op), s.Op.Operand(i), order)
		if err != nil {
			return err
		}
		s.Op.SetOperand(i, v)
	}
	for i, layout := range s.Call.ResultLayouts {
		if rowMajor(layout) {
			continue
		}
		if err := s.setResultLayout(i, layout); err != nil {
			return err
		}
	}
	return nil
}

func rowMajor(layout []int64) bool {
	return slices.IsSortedFunc(layout, func(a, b int64) int { return int(b - a) })
}

func (s *Site) setResultLayout(i int, layout []int64) error {
	shape, err := stablehlo.ShapeOf(s.Op.Result(i).Type())
	if err != nil {
		return fmt.Errorf("result %d: %v", i, err)
	}
	dims := make([]int, len(layout))
	back := make([]int64, len(layout))
	for k := range layout {
		from := layout[len(layout)-1-k]
		dims[k], back[from] = shape.Dims[from], int64(k)
	}
	t, err := stablehlo.TensorType(s.Op.Context(), tensor.ShapeOf(shape.DType, dims...))
	if err != nil {
		return err
	}
	result := s.Op.Result(i)
	result.SetType(t)
	v, err := s.transposed(mlir.After(s.Op), result, back)
	if err != nil {
		return err
	}
	result.ReplaceAllUsesExcept(v, v.Owner())
	return nil
}

func (s *Site) transposed(at mlir.InsertionPoint, v mlir.Value, order []int64) (mlir.Value, error) {
	b := mlir.NewBuilder(at, s.Op.Location())
	v = stablehlo.Transpose(b, v, order)
	if err := b.Cause(); err != nil {
		return v, fmt.Errorf("the layout of a call: %w", err)
	}
	return v, nil
}
