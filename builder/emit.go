package builder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// emit adds the custom call of a callback and returns its results, which are valid until
// the next call. results are the types that a template gives. The results of the other
// forms follow from the operands.
func (cb *Callback) emit(
	f *Func, at place, name string, form contract.Form, data []Value, results []mlir.Type,
) ([]Value, bool) {
	if s := f.scope.perElement(); s != nil {
		f.b.fail(at, name, data, fmt.Errorf("XLA cannot call in %s: call before or after it, on whole arrays", s.name))
		return nil, false
	}
	if err := cb.checkPolicy(f, form); err != nil {
		f.b.fail(at, name, data, err)
		return nil, false
	}
	operands := data
	if cb.Host.Encoding != contract.EncodingDictionary {
		var ok bool
		if operands, ok = cb.frame(f, at, name, data); !ok || !f.usable(at, name, operands) {
			return nil, false
		}
	}
	// Callbacks that share no value are ordered only by tokens.
	ordered := form == contract.Observe || cb.Effect != ""
	if ordered {
		f.b.ordered = true
		token, ok := f.ordering(cb.Effect, at)
		if !ok {
			return nil, false
		}
		if !f.b.chained && form != contract.Observe {
			last := token.v.Owner()
			f.b.chained = slices.ContainsFunc(data,
				func(v Value) bool { return v.v.IsResult() && v.v.Owner().Equal(last) })
		}
		operands = append(slices.Clip(operands), token)
	}
	site, err := f.b.callSite(cb, form, at, ordered, data, results)
	if err != nil {
		f.b.fail(at, name, data, err)
		return nil, false
	}
	site.operands = site.operands[:0]
	for _, v := range operands {
		site.operands = append(site.operands, v.v)
	}
	// Not through append: start has called usable already, and this way allocates no
	// memory.
	op, err := site.create(f.scope.block, at.location)
	op, ok := f.created(at, name, operands, op, err)
	if !ok {
		return nil, false
	}
	values := f.b.scratch[:0]
	for i := range site.results {
		values = append(values, Value{s: f.scope, v: op.Result(i)})
	}
	f.b.scratch = values
	if ordered {
		last := len(values) - 1
		f.setTokens(cb.Effect, values[last], nil)
		values = values[:last]
	}
	return values, true
}

// frame adds the operands that an encoding needs around the data.
func (cb *Callback) frame(f *Func, at place, name string, data []Value) ([]Value, bool) {
	var view tensor.View
	switch cb.Host.Encoding {
	case contract.EncodingServer:
		if cb.Server.s != nil {
			return append([]Value{cb.Server}, data...), true
		}
		view = tensor.Vector([]byte(cb.Host.Server)...)
	case contract.EncodingOperand:
		view = tensor.Scalar(cb.ID)
	default:
		return data, true
	}
	op, ok := f.append(at, name, nil, stablehlo.ConstantOp{Value: view})
	if !ok {
		return nil, false
	}
	constant := Value{s: f.scope, v: op.Result(0)}
	if cb.Host.Encoding == contract.EncodingServer {
		return append([]Value{constant}, data...), true
	}
	return append(slices.Clip(data), constant), true
}

// siteKey holds what the calls of one callback on one line have in common.
type siteKey struct {
	cb   Callback
	form contract.Form
	at   mlir.Location
}

// callSite is a custom call that was made before and is made again. Its attributes are
// looked up in the context once, not for each call.
type callSite struct {
	key        siteKey
	data       []mlir.Type // of the operands that are data
	template   []mlir.Type
	results    []mlir.Type // with the token
	attributes []mlir.NamedAttribute
	operands   []mlir.Value // of the current call

	// model is cloned from the third call on, which is much faster than creating the
	// operation from its attributes. It is in a module of its own, so nothing depends on
	// it.
	b     *Builder
	model mlir.Operation
	used  bool
}

// create creates the operation at the end of a block.
func (s *callSite) create(block mlir.Block, loc mlir.Location) (mlir.Operation, error) {
	if !s.model.IsNil() {
		return block.CreateLike(s.model, s.operands...)
	}
	state := mlir.OperationState{
		Name: "stablehlo.custom_call", Location: loc,
		Operands: s.operands, Results: s.results, Attributes: s.attributes,
	}
	if s.used {
		if err := s.keep(state); err != nil {
			return mlir.Operation{}, err
		}
	}
	s.used = true
	return mlir.Create(block, state)
}

// keep creates the model.
func (s *callSite) keep(state mlir.OperationState) error {
	types := make([]mlir.Type, len(state.Operands))
	for i, v := range state.Operands {
		types[i] = v.Type()
	}
	if s.b.models == nil {
		s.b.models = s.b.ctx.NewModule(state.Location)
	}
	body := s.b.models.Body()
	operands, err := mlir.Create(body, mlir.OperationState{
		Name: "builtin.unrealized_conversion_cast", Location: state.Location, Results: types,
	})
	if err != nil {
		return err
	}
	state.Operands = make([]mlir.Value, len(types))
	for i, v := range operands.Results() {
		state.Operands[i] = v
	}
	s.model, err = mlir.Create(body, state)
	return err
}

// callSite returns the site of an earlier call, or makes a new one.
func (b *Builder) callSite(
	cb *Callback, form contract.Form, at place, ordered bool, data []Value, template []mlir.Type,
) (*callSite, error) {
	key := siteKey{*cb, form, at.location}
	site := b.lastSite // hashing a key takes longer than comparing two
	if site == nil || site.key != key {
		site = b.sites[key]
		b.lastSite = site
	}
	if site != nil && len(site.data) == len(data) && slices.EqualFunc(site.template, template, mlir.Type.Equal) {
		same := true
		for i, v := range data {
			same = same && site.data[i].Equal(v.v.Type())
		}
		if same {
			return site, nil
		}
	}
	site, err := b.newCallSite(cb, form, at, ordered, data, template)
	if err != nil {
		return nil, err
	}
	if b.sites == nil {
		b.sites = map[siteKey]*callSite{}
	}
	site.key = key
	b.sites[key] = site
	b.lastSite = site
	return site, nil
}

func (b *Builder) newCallSite(
	cb *Callback, form contract.Form, at place, ordered bool, data []Value, template []mlir.Type,
) (*callSite, error) {
	config := cb.config(form)
	if cb.Host.Encoding == contract.EncodingDictionary {
		config.Loc = at.short()
	}
	site := &callSite{b: b, data: typesOf(data), template: template, results: template}
	call := stablehlo.CustomCallOp{
		Target: cb.Target, APIVersion: stablehlo.TypedFFI, HasSideEffect: form.HasSideEffect(),
	}
	if call.Target == "" {
		call.Target = cb.Host.Encoding.Target(form)
	}
	first := 0 // first operand that is data
	if cb.Host.Encoding == contract.EncodingServer {
		first = 1
	}
	passing := 0 // first operand whose memory the results share
	if form == contract.Passthrough {
		for i, v := range data {
			if err := v.static(); err != nil {
				return nil, fmt.Errorf("result %d: %w", i, err)
			}
		}
		site.results, passing = site.data, len(data)
		if cb.Host.Encoding == contract.EncodingServer {
			config.Host.Aliased = passing
		}
	}
	dataResults := site.results
	if ordered {
		config.NumTokens = 1
		token, err := callop.TokenType(b.ctx)
		if err != nil {
			return nil, err
		}
		site.results = append(slices.Clip(site.results), token)
	}
	n := len(site.results)
	for i := range passing {
		call.Aliases = append(call.Aliases, aliasing.Result(i, n, first+i))
	}
	if ordered {
		call.Aliases = append(call.Aliases, aliasing.Result(n-1, n, first+len(data)))
	}
	signature, err := callop.Signature(site.data, dataResults)
	if err != nil {
		return nil, err
	}
	if config.ByName() {
		config.Signature = contract.SignatureHash(signature)
	}
	if call.BackendConfig, err = callop.ConfigAttribute(b.ctx, config); err != nil {
		return nil, err
	}
	call.Results = site.results
	site.attributes, err = call.Attributes(b.ctx)
	// In the order in which MLIR keeps them, so that it need not sort them for each call.
	slices.SortFunc(site.attributes, func(a, b mlir.NamedAttribute) int { return strings.Compare(a.Name, b.Name) })
	return site, err
}
