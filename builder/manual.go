package builder

import (
	"errors"
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/internal/ir/lex"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// Manual runs body on each device of a mesh that Builder.Mesh made, and returns its results as
// whole arrays. It is what JAX calls shard_map. body gets the device's parts of the arguments, in
// a tree like args, and returns the device's parts of the results. It is called while building.
//
// in has a Sharding for each argument, in the order of the leaves of args, and states how it is
// split; out has one for each result. A nil in or out, and the zero Sharding, mean that each
// device has the whole array. For a result this must be true: body must compute the same on each
// device that is not in a Dim. The Mesh of a Sharding may be left out. args needs at least one
// Value.
//
// In body, operations work on parts, and collective operations such as AllReduce combine those of
// the devices; their Channel must be set. It can use its own arguments and constants, but no other
// values from outside. Callbacks run on each device, unless their Policy is contract.Once. A Manual cannot be
// inside of another one.
func Manual[T, R any](mesh string, in, out []Sharding, args T, body func(parts T) R) R {
	operands, err := leaves(args)
	f := mustFuncOf(operands...)
	at := f.b.here()
	if err != nil {
		f.b.fail(at, "manual", nil, err)
	}
	var tree R
	if !f.usable(at, "manual", operands) {
		if body != nil {
			tree = body(placeholders(f, args)) // for the structure of the result
		}
		return placeholders(f, tree)
	}
	m := manual{f: f, at: at, mesh: mesh, operands: operands}
	local, err := m.enter(in)
	if err == nil && body == nil {
		err = errors.New("its body is nil")
	}
	if err != nil {
		f.b.fail(at, "manual", operands, err)
		if body != nil {
			tree = body(placeholders(f, args))
		}
		return placeholders(f, tree)
	}
	s, parts := f.open(at, "the body of the manual computation", local, false)
	s.manual, s.entry = true, s.carry
	results, ok := s.build(func() []Value {
		tree = body(rebuild(args, parts))
		values, err := leaves(tree)
		if err != nil {
			f.b.fail(at, "manual", operands, err)
		}
		return values
	})
	if ok {
		results, ok = m.complete(s, results, out)
	}
	if !ok {
		return placeholders(f, tree)
	}
	return rebuild(tree, results)
}

// manual is a manual computation under construction.
type manual struct {
	f        *Func
	at       place
	mesh     string
	operands []Value
	in       []Sharding
}

// enter checks where the manual computation is and how its arguments are split. It returns the
// types of their parts.
func (m *manual) enter(in []Sharding) ([]mlir.Type, error) {
	if _, ok := m.f.b.meshes[m.mesh]; !ok {
		return nil, fmt.Errorf("there is no mesh %q: make it with Builder.Mesh first", m.mesh)
	}
	for s := m.f.scope; s != nil; s = s.outer {
		if s.manual {
			return nil, errors.New("it is in the body of another one, where each device runs by itself already: make one Manual")
		}
		if s.closed() {
			return nil, fmt.Errorf("it is in %s, which cannot have one", s.name)
		}
	}
	types := typesOf(m.operands)
	var err error
	if m.in, err = m.shardings("argument", in, len(types)); err != nil {
		return nil, err
	}
	for i, t := range types {
		if types[i], err = m.part(m.in[i], t); err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
	}
	m.f.manual = true
	return types, nil
}

// shardings returns a sharding for each of n arguments or results.
func (m *manual) shardings(what string, given []Sharding, n int) ([]Sharding, error) {
	out := make([]Sharding, n)
	if given != nil && len(given) != n {
		return nil, fmt.Errorf("there are %d shardings for the %d %ss: give one for each, or nil", len(given), n, what)
	}
	copy(out, given)
	for i, s := range out {
		switch {
		case s.HLO != "":
			return nil, fmt.Errorf("%s %d: its sharding is in XLA's own form: use the axes of the mesh (Dims)", what, i)
		case s.Mesh != "" && s.Mesh != m.mesh:
			return nil, fmt.Errorf("%s %d: its sharding is of the mesh %q, not of %q", what, i, s.Mesh, m.mesh)
		}
		out[i].Mesh = m.mesh
	}
	return out, nil
}

// part returns the type of a device's part of an array of type t.
func (m *manual) part(s Sharding, t mlir.Type) (mlir.Type, error) {
	if err := s.check(m.f.b, t); err != nil {
		return t, err
	}
	return m.scaled(s, t, func(size, parts int64) int64 { return size / parts })
}

// whole returns the type of the array of which each device has a part of type t.
func (m *manual) whole(s Sharding, t mlir.Type) (mlir.Type, error) {
	t, err := m.scaled(s, t, func(size, parts int64) int64 { return size * parts })
	if err != nil {
		return t, err
	}
	return t, s.check(m.f.b, t)
}

func (m *manual) scaled(s Sharding, t mlir.Type, scale func(size, parts int64) int64) (mlir.Type, error) {
	shape, err := stablehlo.ShapeOf(t)
	if err == nil {
		err = shape.Check() // no dynamic dimensions
	}
	if err != nil {
		return t, fmt.Errorf("%s cannot be split over devices: only arrays with static shapes can", describeType(t))
	}
	shape.Dims = slices.Clone(shape.Dims)
	for i, axes := range s.Dims[:min(len(s.Dims), len(shape.Dims))] {
		parts := int64(1)
		for _, a := range axes {
			if size, ok := m.f.b.sizeOf(m.mesh, a); ok {
				parts *= int64(size)
			}
		}
		shape.Dims[i] = int(scale(int64(shape.Dims[i]), parts))
	}
	return stablehlo.TensorType(m.f.b.ctx, shape)
}

// complete adds the operation and returns its results.
func (m *manual) complete(s *scope, results []Value, out []Sharding) ([]Value, bool) {
	f := m.f
	fail := func(err error) ([]Value, bool) {
		f.b.fail(m.at, "manual", m.operands, err)
		s.drop()
		return nil, false
	}
	outs, err := m.shardings("result", out, len(results))
	if err != nil {
		return fail(err)
	}
	o := raw{Name: callop.Manual}
	for i, r := range results {
		t, err := m.whole(outs[i], r.v.Type())
		if err != nil {
			return fail(fmt.Errorf("result %d: %w", i, err))
		}
		o.Results = append(o.Results, t)
	}
	for _, v := range m.operands {
		o.Operands = append(o.Operands, v.v)
	}
	// Each device has its own token: to Shardy they are one array that all of them have.
	for _, effect := range s.effects {
		before, ok := f.token(effect, m.at)
		if !ok {
			s.drop()
			return nil, false
		}
		o.Operands, o.Results = append(o.Operands, before.v), append(o.Results, before.v.Type())
		m.in, outs = append(m.in, Sharding{Mesh: m.mesh}), append(outs, Sharding{Mesh: m.mesh})
		results = append(results, s.tokens[effect])
	}
	// XLA makes constants of empty arrays. It loses a manual computation that then takes or returns nothing.
	if !someElements(typesOf(m.operands)) && len(s.effects) == 0 || !someElements(o.Results) {
		zero := Scalar(f, int32(0))
		passed := Value{s: s, v: s.block.AddArgument(zero.v.Type(), m.at.location)}
		o.Operands, m.in = append(o.Operands, zero.v), append(m.in, Sharding{Mesh: m.mesh})
		if !someElements(o.Results) {
			o.Results, outs = append(o.Results, zero.v.Type()), append(outs, Sharding{Mesh: m.mesh})
			results = append(results, passed)
		}
	}
	var inTexts, outTexts, axes []string
	for i, v := range o.Operands {
		inTexts = append(inTexts, m.text(m.in[i], v.Type()))
	}
	for i, t := range o.Results {
		outTexts = append(outTexts, m.text(outs[i], t))
	}
	for _, a := range f.b.meshes[m.mesh] {
		axes = append(axes, lex.Quote(a.Name))
	}
	if o.Attributes, err = callop.ManualAttributes(f.b.ctx, inTexts, outTexts, axes); err != nil {
		return fail(err)
	}
	o.Regions = []mlir.Region{s.endWith("sdy.return", results)}
	op, ok := f.append(m.at, "manual", m.operands, o)
	if !ok {
		return nil, false
	}
	return f.takeTokens(f.results(op), s.effects), true
}

// text returns a sharding as it is in a list of them.
func (m *manual) text(s Sharding, t mlir.Type) string { return "<" + s.body(t) + ">" }

// someElements reports whether an array has elements.
func someElements(types []mlir.Type) bool {
	return slices.ContainsFunc(types, func(t mlir.Type) bool {
		n, known := t.NumElements()
		return !known || n > 0
	})
}
