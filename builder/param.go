package builder

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// A Signature describes a function's parameters and results.
type Signature struct {
	Params  []Param
	Results []Result // one for each result, or nil if none has a name or a sharding
	Private bool     // only functions of the module may call it
}

// A Param describes a parameter of a function.
type Param struct {
	Name  string // name of its location, which diagnostics show
	Shape tensor.Shape
	Type  mlir.Type // use in place of Shape for types other than plain tensors

	// Donate lets XLA use the argument's memory for any result that fits. The argument is
	// invalid after the run. The run must request the donation too. It is JAX's
	// jax.buffer_donor.
	Donate bool
	// AliasOutput is the index of the result that uses the argument's memory, which is
	// thereby donated. Both must have the same type. It is tf.aliasing_output.
	AliasOutput *int

	Sharding Sharding
}

// A Result describes a result of a function.
type Result struct {
	Name     string // JAX's jax.result_info
	Sharding Sharding
}

// Func starts a function with parameters of the given shapes. The function is complete
// after Return. Other functions may be started and completed in between.
func (b *Builder) Func(name string, params ...tensor.Shape) *Func {
	s := Signature{Params: make([]Param, len(params))}
	for i, p := range params {
		s.Params[i].Shape = p
	}
	return b.FuncWith(name, s)
}

// FuncWith starts a function with the given signature. It offers more than Func.
func (b *Builder) FuncWith(name string, s Signature) *Func {
	at := b.here()
	f := &Func{b: b, name: name, at: at, signature: s}
	f.body = &scope{f: f, at: at, name: fmt.Sprintf("the function %q", name)}
	f.body.entry = f.body.firstToken
	f.scope = f.body
	if err := f.start(); err != nil {
		b.fail(at, "func", nil, err)
		f.broken = true
	}
	return f
}

// start adds the function to the module. Return completes its type.
func (f *Func) start() error {
	b := f.b
	if err := b.symbol(f.name, f.at); err != nil {
		return err
	}
	b.funcs = append(b.funcs, f)
	for i, p := range f.signature.Params {
		t, err := p.typ(b)
		if err == nil {
			err = p.Sharding.check(b, t)
		}
		if err != nil {
			return fmt.Errorf("parameter %d of %q: %w", i, f.name, err)
		}
		f.params = append(f.params, t)
	}
	f.declared = len(f.params)
	block := b.ctx.NewBlock(f.at.location)
	for i, t := range f.params {
		block.AddArgument(t, f.signature.Params[i].location(b.ctx, f.at))
	}
	region := b.ctx.NewRegion()
	region.Append(block)
	attributes := []mlir.NamedAttribute{
		{Name: "sym_name", Value: b.ctx.StringAttribute(f.name)},
		{Name: "function_type", Value: b.ctx.TypeAttribute(b.ctx.FunctionType(f.params, nil))},
	}
	if f.signature.Private {
		attributes = append(attributes,
			mlir.NamedAttribute{Name: "sym_visibility", Value: b.ctx.StringAttribute("private")})
	}
	op, err := mlir.Create(b.ctx, mlir.OperationState{
		Name: "func.func", Location: f.at.location, Attributes: attributes, Regions: []mlir.Region{region},
	})
	if err != nil {
		return err
	}
	f.op = b.module.Body().Append(op)
	f.body.block = f.op.Region(0).First()
	return nil
}

// AddParam adds a parameter, after the others, to a function that is not complete, and returns it. It is for programs
// that learn of a parameter only while they build the function.
func (f *Func) AddParam(p Param) Value {
	at := f.b.here()
	if !f.usable(at, "param", nil) {
		return f.missing()
	}
	t, err := p.typ(f.b)
	if err == nil {
		err = p.Sharding.check(f.b, t)
	}
	if err != nil {
		f.b.fail(at, "param", nil, fmt.Errorf("parameter %d of %q: %w", f.declared, f.name, err))
		return f.missing()
	}
	f.signature.Params, f.params, f.declared = append(f.signature.Params, p), append(f.params, t), f.declared+1
	return Value{s: f.body, v: f.body.block.AddArgument(t, p.location(f.b.ctx, at))}
}

// location returns the location of a parameter of a function at a line.
func (p Param) location(ctx *mlir.Context, at place) mlir.Location {
	if p.Name == "" {
		return at.location
	}
	return ctx.NameLocation(p.Name, at.location)
}

func (p Param) typ(b *Builder) (mlir.Type, error) {
	if !p.Type.IsNil() {
		if p.Type.Context() != b.ctx {
			return mlir.Type{}, fmt.Errorf("the type %s belongs to another context than the builder", p.Type)
		}
		b.open = b.open || isOpen(p.Type)
		return p.Type, nil
	}
	b.open = b.open || !isStatic(p.Shape.Dims)
	return stablehlo.TensorType(b.ctx, p.Shape)
}

// checkResults returns an error if the results do not fit the signature.
func (f *Func) checkResults(types []mlir.Type) error {
	if r := f.signature.Results; r != nil && len(r) != len(types) {
		return fmt.Errorf("the signature of %q has %d results, and Return has %d", f.name, len(r), len(types))
	}
	for i, r := range f.signature.Results {
		if err := r.Sharding.check(f.b, types[i]); err != nil {
			return fmt.Errorf("result %d of %q: %w", i, f.name, err)
		}
	}
	owner := map[int]int{}
	for i, p := range f.signature.Params {
		if p.AliasOutput == nil {
			continue
		}
		o := *p.AliasOutput
		if o < 0 || o >= len(types) {
			return fmt.Errorf("parameter %d of %q is aliased to result %d, but there are %d results", i, f.name, o,
				len(types))
		}
		if !types[o].Equal(f.params[i]) {
			return fmt.Errorf("parameter %d of %q, %s, is aliased to result %d, which is %s: they must have the same type",
				i, f.name, describeType(f.params[i]), o, describeType(types[o]))
		}
		if other, taken := owner[o]; taken {
			return fmt.Errorf("parameters %d and %d of %q are both aliased to result %d", other, i, f.name, o)
		}
		owner[o] = i
	}
	return nil
}

// setType sets the type of the function operation and the attributes of its parameters and
// results.
func (f *Func) setType() error {
	ctx := f.b.ctx
	f.op.SetAttribute("function_type", ctx.TypeAttribute(ctx.FunctionType(f.params, f.resultTypes)))
	i32 := ctx.IntegerType(32, mlir.Signless)
	attributes := make([][]mlir.NamedAttribute, len(f.params))
	for i, p := range f.signature.Params {
		switch {
		case p.AliasOutput != nil:
			attributes[i] = append(attributes[i], mlir.NamedAttribute{Name: "tf.aliasing_output",
				Value: ctx.IntegerAttribute(i32, int64(*p.AliasOutput))})
		case p.Donate:
			attributes[i] = append(attributes[i],
				mlir.NamedAttribute{Name: "jax.buffer_donor", Value: ctx.BoolAttribute(true)})
		}
		sharding, err := p.Sharding.attribute(ctx, f.params[i])
		if err != nil {
			return fmt.Errorf("parameter %d of %q: %w", i, f.name, err)
		}
		attributes[i] = append(attributes[i], sharding...)
	}
	f.setDictionaries("arg_attrs", attributes)
	attributes = make([][]mlir.NamedAttribute, len(f.resultTypes))
	for i, r := range f.signature.Results {
		if r.Name != "" {
			attributes[i] = append(attributes[i],
				mlir.NamedAttribute{Name: "jax.result_info", Value: ctx.StringAttribute(r.Name)})
		}
		sharding, err := r.Sharding.attribute(ctx, f.resultTypes[i])
		if err != nil {
			return fmt.Errorf("result %d of %q: %w", i, f.name, err)
		}
		attributes[i] = append(attributes[i], sharding...)
	}
	f.setDictionaries("res_attrs", attributes)
	return nil
}

// setDictionaries sets one dictionary for each parameter or result, unless all of them are empty.
// Attributes of an opened function that has no signature here stay.
func (f *Func) setDictionaries(attribute string, attributes [][]mlir.NamedAttribute) {
	dictionaries := make([]mlir.Attribute, len(attributes))
	var kept []mlir.Attribute
	old, any := f.op.Attribute(attribute)
	if any {
		kept, _ = old.Elements()
	}
	for i, s := range attributes {
		if dictionaries[i] = f.b.ctx.DictionaryAttribute(s...); len(s) == 0 && i < len(kept) {
			dictionaries[i] = kept[i]
		}
		any = any || len(s) > 0
	}
	if any {
		f.op.SetAttribute(attribute, f.b.ctx.ArrayAttribute(dictionaries...))
	}
}
