package gomlx

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/notimplemented"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	ir "github.com/calliope-mlir/calliope/builder"
)

// function is a function or closure of a computation.
type function struct {
	notimplemented.Function
	builder *builder
	parent  *function
	name    string // "" for a closure
	number  int    // in the order in which they are started

	names   []string       // of the parameters
	inputs  []shapes.Shape // of the parameters
	outputs []shapes.Shape
	returns []value // what Return has replaced, or nil
}

var _ compute.Function = (*function)(nil)

// value is what GoMLX gets of a value of a computation.
type value struct {
	number int // in the order in which they are made
	of     *function
}

// start starts the function, by its name in the module.
func (f *function) start(symbol string) error {
	f.ErrFn = func(op compute.OpType) error {
		return errors.Wrapf(compute.ErrNotImplemented, "%s: %s", Name, op)
	}
	return f.builder.do(func(t *trace) {
		made := t.ir.FuncWith(symbol, ir.Signature{Private: symbol != compute.MainName})
		t.funcs = append(t.funcs, traced{Func: made, captured: map[int]ir.Value{}})
	})
}

// Name returns the name of the function.
func (f *function) Name() string { return f.name }

// Builder returns the builder of the function.
func (f *function) Builder() compute.Builder { return f.builder }

// Parent returns the function that a closure is in.
func (f *function) Parent() compute.Function {
	if f.parent == nil {
		return nil
	}
	return f.parent
}

// Closure starts a closure.
func (f *function) Closure() (compute.Function, error) {
	c := f.builder.newFunction("", f)
	return c, c.start(fmt.Sprintf("closure.%d", c.number))
}

// Parameter adds a parameter.
func (f *function) Parameter(name string, shape shapes.Shape, sharding *compute.ShardingSpec) (compute.Value, error) {
	if err := f.builder.err(); err != nil {
		return nil, err
	}
	if name != "" && slices.Contains(f.names, name) {
		return nil, errors.WithStack(fmt.Errorf("%s: there is a parameter %q already: use another name", Name, name))
	}
	p := ir.Param{Name: name}
	var err error
	if p.Shape.DType, err = element(shape.DType); err != nil {
		return nil, errors.WithStack(fmt.Errorf("%s: parameter %q: %w", Name, name, err))
	}
	if shape, err = f.open(shape); err != nil {
		return nil, errors.WithStack(fmt.Errorf("%s: parameter %q: %w", Name, name, err))
	}
	f.names, f.inputs = append(f.names, name), append(f.inputs, shape)
	if f == f.builder.main {
		p.Sharding = f.builder.sharding(sharding)
	}
	return f.first(f.values(func(t *trace) {
		own, p := &t.funcs[f.number], p // traces of other sizes may be made at the same time
		p.Shape.Dims = t.dims(shape)
		own.params = append(own.params, value{})
		t.add(own.AddParam(p))
	}))
}

// Constant adds a constant.
func (f *function) Constant(flat any, dims ...int) (compute.Value, error) {
	t := reflect.TypeOf(flat)
	if t == nil || t.Kind() != reflect.Slice {
		return nil, errors.WithStack(fmt.Errorf("%s: a constant of a %T: use a slice", Name, flat))
	}
	v, err := viewOf(flat, shapes.Shape{DType: dtypes.FromGoType(t.Elem()), Dimensions: dims})
	if err != nil {
		return nil, errors.WithStack(fmt.Errorf("%s: constant: %w", Name, err))
	}
	v.Data = bytes.Clone(v.Data)
	return f.first(f.values(func(t *trace) { t.add(t.funcs[f.number].Constant(v)) }))
}

// Shape returns the shape of a value.
func (f *function) Shape(v compute.Value) (shapes.Shape, error) {
	own, ok := v.(value)
	switch {
	case !ok || own.of.builder != f.builder:
		return shapes.Invalid(), errors.WithStack(errForeign(v))
	case f.builder.compiled:
		return shapes.Invalid(), f.builder.err()
	}
	return f.builder.shape(own), nil
}

// Return ends the function.
func (f *function) Return(outputs []compute.Value, shardings []*compute.ShardingSpec) error {
	vs, err := f.own(outputs)
	if err != nil {
		return err
	}
	if f.returns != nil {
		vs = f.returns
	}
	if len(shardings) == 0 {
		shardings = make([]*compute.ShardingSpec, len(vs))
	}
	if len(shardings) != len(vs) {
		return errors.WithStack(fmt.Errorf("%s: return: %d shardings are given for %d values", Name, len(shardings),
			len(vs)))
	}
	for _, v := range vs {
		f.outputs = append(f.outputs, f.builder.shape(v))
	}
	var results []ir.Result
	if f == f.builder.main {
		for i, s := range shardings {
			results = append(results, ir.Result{Sharding: f.builder.resultSharding(s, f.builder.shape(vs[i]))})
		}
	}
	return f.builder.do(func(t *trace) { t.funcs[f.number].ReturnWith(results, t.all(f, vs)...) })
}

// values makes a step, and returns the values that it adds.
func (f *function) values(run func(t *trace)) ([]compute.Value, error) {
	if err := f.builder.err(); err != nil {
		return nil, err
	}
	first := f.builder.traces[0]
	before := len(first.values)
	if err := f.builder.do(run); err != nil {
		return nil, err
	}
	out := make([]compute.Value, len(first.values)-before)
	for i := range out {
		out[i] = value{before + i, f}
	}
	return out, nil
}

// first returns the only value.
func (f *function) first(vs []compute.Value, err error) (compute.Value, error) {
	if err != nil {
		return nil, err
	}
	return vs[0], nil
}

// one adds an operation with one result.
func (f *function) one(op func(xs []ir.Value) ir.Value, operands ...compute.Value) (compute.Value, error) {
	vs, err := f.own(operands)
	if err != nil {
		return nil, err
	}
	return f.first(f.values(func(t *trace) {
		if xs := t.all(f, vs); t.ir.Err() == nil {
			t.add(op(xs))
		}
	}))
}

// many adds an operation with several results.
func (f *function) many(op func(xs []ir.Value) []ir.Value, operands ...compute.Value) ([]compute.Value, error) {
	vs, err := f.own(operands)
	if err != nil {
		return nil, err
	}
	return f.values(func(t *trace) {
		if xs := t.all(f, vs); t.ir.Err() == nil {
			t.add(op(xs)...)
		}
	})
}

// own returns values that the function may use.
func (f *function) own(values []compute.Value) ([]value, error) {
	if f.builder.compiled {
		return nil, f.builder.err()
	}
	out := make([]value, len(values))
	for i, v := range values {
		own, ok := v.(value)
		if !ok || own.of.builder != f.builder {
			return nil, errors.WithStack(errForeign(v))
		}
		if err := f.reaches(own); err != nil {
			return nil, err
		}
		out[i] = own
	}
	return out, nil
}

func errForeign(v compute.Value) error {
	return fmt.Errorf("%s: a %T that is no value of this computation is used: use what its operations returned", Name, v)
}

// encloses reports whether g is a closure in f, or in one of its closures.
func (f *function) encloses(g *function) bool {
	return g.parent != nil && (g.parent == f || f.encloses(g.parent))
}

// reaches returns an error for a value that the function cannot use. GoMLX makes each closure a child of the main
// function, so a closure may use any value, which the function that calls it must be able to pass.
func (f *function) reaches(v value) error {
	if f == v.of || f.parent != nil {
		return nil
	}
	return errors.WithStack(fmt.Errorf("%s: the function %q uses a value of %q: pass it as an argument", Name, f.name,
		v.of.name))
}
