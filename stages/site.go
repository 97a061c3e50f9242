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
	before     int // operands before those that the function gets: tokens of JAX, or the name of a server
	returned   int // results before those that the function fills: tokens of JAX
	after      int // operands after those that the function gets, beside ids and tokens: the id of a callback
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
	if i := slices.IndexFunc(o.Foreign, func(t bridge.ForeignTarget) bool { return t.Target == s.call.Target }); i >= 0 {
		return s, true, s.setForeign(o.Foreign[i])
	}
	if call, ok := r.AsCall(op); ok {
		if call.Err != nil {
			return s, false, cutError(op, "%v", call.Err)
		}
		s.config = call.Config
		return s, true, s.setEncoding()
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

// setEncoding finds the operands of a call of the contract that the function does not get.
func (s *site) setEncoding() error {
	check := func(i int, d tensor.DType, rank int, what string) error {
		if len(s.call.Operands) == 0 {
			return cutError(s.op, "%s, but there are no operands", what)
		}
		t := s.call.Operands[(i+len(s.call.Operands))%len(s.call.Operands)].Type()
		if shape, err := stablehlo.ShapeOf(t); err != nil || shape.DType != d || shape.Rank() != rank {
			return cutError(s.op, "%s, but it is %s", what, t)
		}
		return nil
	}
	switch s.config.Encoding {
	case contract.EncodingOperand:
		s.after = 1
		return check(-1, tensor.S64, 0, "the last operand of a custom call without backend_config must be its callback's id, a tensor<i64>")
	case contract.EncodingServer:
		s.before = 1
		if n := len(s.call.Operands) - 1; s.config.Aliased > 0 && (s.config.Aliased != n || len(s.call.Results) != n) {
			return cutError(s.op, "the callback %s passes %d operands through, and has %d operands and %d results: only calls that pass all through are supported", s.config.Name(), s.config.Aliased, n, len(s.call.Results))
		}
		return check(0, tensor.U8, 1, "the first operand must be the name of the callback's server, a tensor<Nxui8>")
	}
	return nil
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
	s.countTokens()
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
	s.countTokens()
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

func (s *site) countTokens() {
	for s.before < len(s.call.Operands) && stablehlo.IsToken(s.call.Operands[s.before].Type()) {
		s.before++
	}
	for s.returned < len(s.call.Results) && stablehlo.IsToken(s.call.Results[s.returned]) {
		s.returned++
	}
}

// pure reports whether the call may be replaced by operations.
func (s *site) pure() bool {
	if s.config.Encoding == contract.EncodingDictionary && !s.foreign {
		return s.config.Form == contract.Pure
	}
	return s.config.Form == contract.Call && !callop.HasSideEffect(s.op) && s.before+s.after+s.returned == 0
}

// callback returns the description of a callback, without what becomes of it.
func (s *site) callback() (*Callback, error) {
	cb := &Callback{
		Name: s.config.Name(), Config: s.config, Loc: s.config.Loc,
		pure: s.pure(), attributes: s.attributes, foreign: s.foreign, before: s.before, returned: s.returned,
	}
	if p := s.op.Location().Position(); cb.Loc == "" && !p.IsZero() {
		cb.Loc = p.String()
	}
	data, _, tokens, err := s.config.Split(s.op.NumOperands() - s.before - s.after)
	if err != nil {
		return nil, cutError(s.op, "%v", err)
	}
	for i := range data {
		// Lowering another call may have replaced the operand.
		shape, err := stablehlo.ShapeOf(s.op.Operand(s.before + i).Type())
		if err != nil {
			return nil, cutError(s.op, "operand %d: %v", s.before+i, err)
		}
		cb.Args = append(cb.Args, shape)
	}
	n := len(s.call.Results) - s.returned
	switch s.config.Form {
	case contract.Observe:
		n = 0
	case contract.Passthrough:
		if n < data {
			return nil, cutError(s.op, "the callback %q passes %d operands through, and has %d results", cb.Name, data, n)
		}
		n = data
	default:
		if n -= tokens; n < 0 {
			return nil, cutError(s.op, "the callback %q has fewer results than its %d tokens", cb.Name, tokens)
		}
	}
	for i, t := range s.call.Results[s.returned:][:n] {
		shape, err := stablehlo.ShapeOf(t)
		if err != nil {
			return nil, cutError(s.op, "result %d: %v", s.returned+i, err)
		}
		cb.Results = append(cb.Results, shape)
	}
	if s.config.Form == contract.Passthrough {
		for i, shape := range cb.Results {
			if !shape.Equal(cb.Args[i]) {
				return nil, cutError(s.op, "the callback %q passes its operands through, but operand %d is %s and its result is %s", cb.Name, i, cb.Args[i], shape)
			}
		}
		return cb, nil
	}
	cb.inPlace = make([]int, n)
	for i := range n {
		cb.inPlace[i] = -1
	}
	for _, a := range s.call.Aliases {
		result := 0
		if len(a.OutputTupleIndices) > 0 {
			result = int(a.OutputTupleIndices[0])
		}
		if i, k := result-s.returned, int(a.OperandIndex)-s.before; i >= 0 && i < n && k >= 0 && k < data && cb.Args[k].Equal(cb.Results[i]) {
			cb.inPlace[i] = k
		}
	}
	return cb, nil
}

// known reports whether the callback is known before the call: otherwise an operand names it, or a part of it.
func (c *Callback) known() bool {
	return c.Config.Encoding != contract.EncodingOperand && c.Config.Encoding != contract.EncodingServer
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

// unserved returns what to do about the calls of a stage that neither XLA nor a callback serves, "" if there are none.
func unserved(m *mlir.Module) string {
	for op := range m.Operation().Index().Named("stablehlo.custom_call") {
		call, _ := stablehlo.AsCustomCall(op)
		_, typed := op.Attribute("mhlo.backend_config")
		switch {
		case contract.XLATargetOf(call.Target) != contract.NotXLA:
		case typed || call.APIVersion == stablehlo.TypedFFI:
			return fmt.Sprintf("if a function of this process should serve the target %q, name it in Options.Foreign", call.Target)
		default:
			return fmt.Sprintf("if a function of this process should serve the target %q, rewrite it by passes.ReplaceLegacy, and register the function with package callbacks/legacy", call.Target)
		}
	}
	return ""
}
