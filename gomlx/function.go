package gomlx

import (
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

// function is a function of the module. A closure is one too, which gets what it uses of its parent as further
// parameters: XLA inlines the call.
type function struct {
	notimplemented.Function
	builder *builder
	parent  *function
	name    string // "" for a closure
	ir      *ir.Func

	names   []string       // of the parameters
	inputs  []shapes.Shape // of the parameters
	outputs []shapes.Shape

	params   []ir.Value            // for each parameter of the module's function the parent's value, or zero
	captured map[ir.Value]ir.Value // the parameters for values of the parent, and of its parents
}

var _ compute.Function = (*function)(nil)

// value is what GoMLX gets of a value of the module.
type value struct {
	ir ir.Value
	of *function
}

// start starts the function of the module, by its name there.
func (f *function) start(symbol string) {
	f.captured = map[ir.Value]ir.Value{}
	f.ErrFn = func(op compute.OpType) error {
		return errors.Wrapf(compute.ErrNotImplemented, "%s: %s", Name, op)
	}
	f.ir = f.builder.ir.FuncWith(symbol, ir.Signature{Private: symbol != compute.MainName})
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
	f.builder.closures++
	c := &function{builder: f.builder, parent: f}
	c.start(fmt.Sprintf("closure.%d", f.builder.closures))
	return c, f.builder.err()
}

// Parameter adds a parameter.
func (f *function) Parameter(name string, shape shapes.Shape, sharding *compute.ShardingSpec) (compute.Value, error) {
	if name != "" && slices.Contains(f.names, name) {
		return nil, errors.WithStack(fmt.Errorf("%s: there is a parameter %q already: use another name", Name, name))
	}
	s, err := toTensor(shape)
	if err != nil {
		return nil, errors.WithStack(fmt.Errorf("%s: parameter %q: %w", Name, name, err))
	}
	f.names, f.inputs, f.params = append(f.names, name), append(f.inputs, shape), append(f.params, ir.Value{})
	p := ir.Param{Name: name, Shape: s}
	if f == f.builder.main {
		p.Sharding = f.builder.sharding(sharding)
	}
	return f.one(f.ir.AddParam(p))
}

// Constant adds a constant.
func (f *function) Constant(flat any, dims ...int) (compute.Value, error) {
	t := reflect.TypeOf(flat)
	if t == nil || t.Kind() != reflect.Slice {
		return nil, errors.WithStack(fmt.Errorf("%s: a constant of a %T: use a slice", Name, flat))
	}
	v, err := viewOf(flat, shapes.Make(dtypes.FromGoType(t.Elem()), dims...))
	if err != nil {
		return nil, errors.WithStack(fmt.Errorf("%s: constant: %w", Name, err))
	}
	return f.one(f.ir.Constant(v))
}

// Shape returns the shape of a value.
func (f *function) Shape(v compute.Value) (shapes.Shape, error) {
	own, ok := v.(value)
	if !ok || own.of.builder != f.builder {
		return shapes.Invalid(), errors.WithStack(errForeign(v))
	}
	return fromTensor(own.ir.Shape()), nil
}

// Return ends the function.
func (f *function) Return(outputs []compute.Value, shardings []*compute.ShardingSpec) error {
	values, err := f.all(outputs)
	if err != nil {
		return err
	}
	for _, v := range values {
		f.outputs = append(f.outputs, fromTensor(v.Shape()))
	}
	if len(shardings) == 0 {
		shardings = make([]*compute.ShardingSpec, len(values))
	}
	var results []ir.Result
	if f == f.builder.main {
		for _, s := range shardings {
			results = append(results, ir.Result{Sharding: f.builder.sharding(s)})
		}
	}
	f.ir.ReturnWith(results, values...)
	return f.builder.err()
}

// one returns the result of an operation, or the mistake in it.
func (f *function) one(v ir.Value) (compute.Value, error) {
	if err := f.builder.err(); err != nil {
		return nil, err
	}
	return value{v, f}, nil
}

// many returns the results of an operation, or the mistake in it.
func (f *function) many(values []ir.Value) ([]compute.Value, error) {
	if err := f.builder.err(); err != nil {
		return nil, err
	}
	out := make([]compute.Value, len(values))
	for i, v := range values {
		out[i] = value{v, f}
	}
	return out, nil
}

// in returns a value as one of this function: that of a parent becomes a parameter.
func (f *function) in(v compute.Value) (ir.Value, error) {
	own, ok := v.(value)
	if !ok || own.of.builder != f.builder {
		return ir.Value{}, errors.WithStack(errForeign(v))
	}
	if err := f.builder.err(); err != nil {
		return ir.Value{}, err
	}
	return f.capture(own.ir)
}

func errForeign(v compute.Value) error {
	return fmt.Errorf("%s: a %T that is no value of this computation is used: use what its operations returned", Name, v)
}

func (f *function) capture(v ir.Value) (ir.Value, error) {
	if v.Func() == f.ir {
		return v, nil
	}
	if inner, ok := f.captured[v]; ok {
		return inner, nil
	}
	if f.parent == nil {
		return v, errors.WithStack(fmt.Errorf("%s: the function %q uses a value of %q: pass it as an argument", Name,
			f.name, v.Func().Name()))
	}
	outer, err := f.parent.capture(v)
	if err != nil {
		return v, err
	}
	inner := f.ir.AddParam(ir.Param{Shape: v.Shape()})
	f.captured[v], f.params = inner, append(f.params, outer)
	return inner, f.builder.err()
}

// all is in for several values.
func (f *function) all(values []compute.Value) ([]ir.Value, error) {
	out := make([]ir.Value, len(values))
	for i, v := range values {
		var err error
		if out[i], err = f.in(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}
