package stages

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/dispatch"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// A site is a custom call that a function of the host serves.
type site struct {
	op     mlir.Operation
	call   stablehlo.CustomCallOp
	config contract.Config

	// The rest is of calls of other hosts.
	foreign    bool
	anyLayout  bool
	attributes callbacks.Attributes
	tokens     int // of JAX, at the beginning of the operands
	returned   int // of JAX, at the beginning of the results
}

// sites returns the calls of a module, in the order of its text.
func (o Options) sites(m *mlir.Module) (list []site, err error) {
	var r callop.Reader
	for op := range m.Operation().Index().Named("stablehlo.custom_call") {
		s, ok, err := o.site(&r, op)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, s)
		}
	}
	return list, nil
}

func (o Options) site(r *callop.Reader, op mlir.Operation) (s site, ok bool, err error) {
	s.op = op
	s.call, _ = stablehlo.AsCustomCall(op)
	if i := slices.IndexFunc(o.Foreign,
		func(t bridge.ForeignTarget) bool { return t.Target == s.call.Target }); i >= 0 {
		return s, true, s.setForeign(o.Foreign[i])
	}
	if call, ok := r.AsCall(op); ok {
		if call.Err != nil {
			return s, false, cutError(op, "%v", call.Err)
		}
		s.config = call.Config
		return s, true, nil
	}
	switch {
	case contract.IsJAXTarget(s.call.Target):
		return s, true, s.setJAX(o.JAXCallbacks)
	case contract.PythonTargetOf(s.call.Target) == contract.PythonByAddress:
		return s, false, cutError(op, "the call of JAX's target %q has the address of a Python object: lower the program again with a newer JAX, and with callbacks that get arrays", s.call.Target)
	case contract.IsLAPACKTarget(s.call.Target):
		if callsBack, why := o.callsBack(); !callsBack {
			return s, false, cutError(op, "%s, and nothing serves the target %q: put lapack.Foreign of bridge/lapack into Options.Foreign", why, s.call.Target)
		}
	}
	return s, false, nil
}

// setForeign makes the site one of a foreign target.
func (s *site) setForeign(t bridge.ForeignTarget) error {
	name := t.Callback
	if name == "" {
		name = t.Target
	}
	s.config = contract.Config{Form: contract.Call, Callback: name, Registry: t.Registry}
	s.foreign, s.anyLayout = true, t.AnyLayout
	s.setAttributes()
	if t.Check != nil {
		if err := t.Check(s.attributes); err != nil {
			return cutError(s.op, "custom call target %q: %w", t.Target, err)
		}
	}
	return nil
}

// setJAX makes the site one of a callback of JAX.
func (s *site) setJAX(names []string) error {
	s.foreign = true
	s.setAttributes()
	v, _ := s.attributes.Get("index")
	index, ok := v.(uint64)
	if !ok {
		return cutError(s.op, "the call of JAX's target %q has no attribute index, a ui64", s.call.Target)
	}
	if len(names) == 0 {
		return cutError(s.op, "it calls the callback %d of JAX: name the callbacks that serve these calls in Options.JAXCallbacks", index)
	}
	name, err := dispatch.JAXCallback(names, index)
	if err != nil {
		return cutError(s.op, "%w", err)
	}
	s.config = contract.Config{Form: contract.Call, Callback: name}
	return nil
}

// setAttributes reads the attributes of the call, and counts its tokens.
func (s *site) setAttributes() {
	if dictionary, _ := stablehlo.TypedConfig(s.op); !dictionary.IsNil() {
		s.attributes = attributesOf(callop.Attributes(dictionary))
	}
	s.tokens, s.returned = callop.Tokens(callop.Types(s.call.Operands)), callop.Tokens(s.call.Results)
}

func attributesOf(attrs []contract.Attr) callbacks.Attributes {
	list := make(callbacks.Attributes, len(attrs))
	for i, a := range attrs {
		list[i] = callbacks.Attribute{Name: a.Key, Value: a.Value}
		if inner, ok := a.Value.([]contract.Attr); ok {
			list[i].Value = attributesOf(inner)
		}
	}
	return list
}

// pure reports whether the call may be replaced by operations.
func (s *site) pure() bool {
	if s.config.Encoding == contract.EncodingDictionary && !s.foreign {
		return s.config.Form == contract.Pure
	}
	return s.config.Form == contract.Call && s.config.Encoding.BindsEarly() &&
		!callop.HasSideEffect(s.op) && s.tokens+s.returned == 0
}

// callback returns the description of a callback, without what becomes of it.
func (s *site) callback() (*Callback, error) {
	before, _ := s.config.Encoding.Names()
	cb := &Callback{
		Name: s.config.Name(), Config: s.config, Loc: s.config.Loc,
		pure: s.pure(), attributes: s.attributes, foreign: s.foreign, before: s.tokens + before, returned: s.returned,
	}
	if p := s.op.Location().Position(); cb.Loc == "" && !p.IsZero() {
		cb.Loc = p.String()
	}
	// Lowering another call may have replaced operands.
	operands := callop.Types(s.op.OperandValues())
	args, filled, err := callop.Data(s.config, operands[s.tokens:], s.call.Results[s.returned:])
	if err != nil {
		return nil, cutError(s.op, "%v", err)
	}
	shapes := func(what string, first int, types []mlir.Type) (list []tensor.Shape, err error) {
		for i, t := range types {
			shape, err := stablehlo.ShapeOf(t)
			if err != nil {
				return nil, cutError(s.op, "%s %d: %v", what, first+i, err)
			}
			list = append(list, shape)
		}
		return list, nil
	}
	if cb.Args, err = shapes("operand", cb.before, args); err != nil {
		return nil, err
	}
	if cb.Results, err = shapes("result", s.returned, filled); err != nil || s.config.Form == contract.Passthrough {
		return cb, err
	}
	data, n := len(args), len(filled)
	cb.inPlace = make([]int, n)
	for i := range n {
		cb.inPlace[i] = -1
	}
	for _, a := range s.call.Aliases {
		result := 0
		if len(a.OutputTupleIndices) > 0 {
			result = int(a.OutputTupleIndices[0])
		}
		i, k := result-s.returned, int(a.OperandIndex)-cb.before
		if i >= 0 && i < n && k >= 0 && k < data && cb.Args[k].Equal(cb.Results[i]) {
			cb.inPlace[i] = k
		}
	}
	return cb, nil
}

// setLayouts makes a module pass arrays in the layouts that a call asks for.
func (s *site) setLayouts() error {
	if !s.anyLayout {
		if err := callop.CheckLayouts(s.call); err != nil {
			return cutError(s.op, "%w", err)
		}
		return nil
	}
	transposed := func(at mlir.InsertionPoint, v mlir.Value, order []int64) (mlir.Value, error) {
		b := mlir.NewBuilder(at, s.op.Location())
		v = stablehlo.Transpose(b, v, order)
		if err := errors.Unwrap(b.Err()); err != nil {
			return v, fmt.Errorf("stages: the layout of a call: %w", err)
		}
		return v, nil
	}
	for i, layout := range s.call.OperandLayouts {
		if slices.IsSortedFunc(layout, func(a, b int64) int { return int(b - a) }) {
			continue
		}
		order := slices.Clone(layout)
		slices.Reverse(order) // from minor to major to the order of the dimensions
		v, err := transposed(mlir.Before(s.op), s.op.Operand(i), order)
		if err != nil {
			return err
		}
		s.op.SetOperand(i, v)
	}
	for i, layout := range s.call.ResultLayouts {
		if slices.IsSortedFunc(layout, func(a, b int64) int { return int(b - a) }) {
			continue
		}
		shape, err := stablehlo.ShapeOf(s.op.Result(i).Type())
		if err != nil {
			return cutError(s.op, "result %d: %v", i, err)
		}
		dims := make([]int, len(layout))
		back := make([]int64, len(layout))
		for k := range layout {
			from := layout[len(layout)-1-k]
			dims[k], back[from] = shape.Dims[from], int64(k)
		}
		t, err := stablehlo.TensorType(s.op.Context(), tensor.ShapeOf(shape.DType, dims...))
		if err != nil {
			return err
		}
		result := s.op.Result(i)
		result.SetType(t)
		v, err := transposed(mlir.After(s.op), result, back)
		if err != nil {
			return err
		}
		result.ReplaceAllUsesExcept(v, v.Owner())
	}
	return nil
}
