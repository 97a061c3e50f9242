package autodiff

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// Options select what is differentiated. The zero value differentiates with respect to all parameters
// that have a derivative.
type Options struct {
	// Parameters are the indices of the parameters that are differentiated, as argnums of JAX. They
	// must be floating-point or complex numbers. Nil means all parameters of such types.
	Parameters []int
	// Name is the name of the new function. "" is the name of the function with a suffix, such as
	// f.jvp. VJP appends a suffix to it for each of its functions. If the module has the name, a
	// number is added.
	Name string
	// Aux allows Grad and ValueAndGrad functions with further results after the one that is
	// differentiated, as has_aux of JAX. They are returned as they are.
	Aux bool
}

// JVP adds to the module of a func.func a function for the derivative along tangents. Its parameters are
// those of f, and then a tangent for each parameter that is differentiated. Its results are those
// of f, and then the tangents of those results that are floating-point or complex numbers.
func JVP(f mlir.Operation, o Options) (jvp mlir.Operation, err error) {
	d, err := start(f, o)
	if err != nil {
		return jvp, err
	}
	defer d.end(&err)
	d.tangents()
	d.f.block(d.body)
	results := d.returned()
	for _, v := range results {
		if differentiable(v.Type()) {
			results = append(results, d.f.full(v))
		}
	}
	return d.finish("jvp", results), nil
}

// Grad adds to the module of a func.func, whose result is a real scalar, a function for its gradient. Its
// parameters are those of f. Its results are the derivatives with respect to the parameters that are
// differentiated, in the order of Options.Parameters, and with Options.Aux the further results of f.
func Grad(f mlir.Operation, o Options) (grad mlir.Operation, err error) {
	return gradient(f, o, "grad", func(_ mlir.Value, aux, gradients []mlir.Value) []mlir.Value {
		return append(gradients, aux...)
	})
}

// ValueAndGrad is Grad with the results of f before the derivatives.
func ValueAndGrad(f mlir.Operation, o Options) (grad mlir.Operation, err error) {
	return gradient(f, o, "value_and_grad", func(value mlir.Value, aux, gradients []mlir.Value) []mlir.Value {
		return slices.Concat([]mlir.Value{value}, aux, gradients)
	})
}

func gradient(
	f mlir.Operation, o Options, suffix string, order func(value mlir.Value, aux, gradients []mlir.Value) []mlir.Value,
) (grad mlir.Operation, err error) {
	d, err := start(f, o)
	if err != nil {
		return grad, err
	}
	defer d.end(&err)
	results := d.returned()
	switch {
	case len(results) == 0 || len(results) > 1 && !o.Aux:
		fail(d.function, "a gradient is of a function with one result, but this one has %d: "+
			"set Options.Aux to differentiate the first one, or use VJP", len(results))
	case !isFloat(results[0].Type()) || !results[0].Type().IsRankedTensor() || rank(results[0]) != 0:
		fail(d.function, "a gradient is of a function whose result is a real scalar, but this one returns %s: "+
			"add its elements up, or use VJP", results[0].Type())
	}
	t := results[0].Type()
	gradients := d.reverse(d.f.emitter, func() []mlir.Value { return []mlir.Value{d.f.number(t, 1)} })
	results = d.returned()
	return d.finish(suffix, order(results[0], results[1:], gradients)), nil
}

// VJP adds to the module of a func.func two functions for the derivative along cotangents. The
// parameters of forward are those of f. Its results are those of f, and then the residuals: the values that
// backward needs. The parameters of backward are the residuals, and then a cotangent for each result
// of f that is a floating-point or complex number. Its results are the cotangents of the parameters that are
// differentiated.
func VJP(f mlir.Operation, o Options) (forward, backward mlir.Operation, err error) {
	d, err := start(f, o)
	if err != nil {
		return forward, backward, err
	}
	defer d.end(&err)
	var types []mlir.Type
	for _, v := range d.returned() {
		if differentiable(v.Type()) {
			types = append(types, v.Type())
		}
	}
	e := d.empty(types)
	to := e.entry
	gradients := d.reverse(e, func() []mlir.Value { return arguments(to) })
	to.Terminator().SetOperands(gradients...)
	e.clean(to)
	copyConstants(d.body, to)
	kept := residuals(d.body, to)
	for i, v := range kept {
		replaceIn(to, v, to.InsertArgument(i, v.Type(), d.original.Location()))
	}
	forward = d.finish("forward", append(d.returned(), kept...))
	backward = d.made[1]
	d.settle(backward, "backward")
	return forward, backward, nil
}

// empty adds a function with parameters of these types and no results.
func (d *derivation) empty(parameters []mlir.Type) *emitter {
	e := d.f.emitter
	region, block := e.c.NewRegion(), e.c.NewBlock(d.original.Location(), parameters...)
	region.Append(block)
	end := must(mlir.Create(block, mlir.OperationState{Name: "func.return", Location: d.original.Location()}))
	name, _ := d.function.Symbol()
	f := must(e.c.Create(mlir.OperationState{
		Name: "func.func", Location: d.original.Location(), Regions: []mlir.Region{region},
		Attributes: []mlir.NamedAttribute{
			{Name: "sym_name", Value: e.c.StringAttribute(name)},
			{Name: "function_type", Value: e.c.TypeAttribute(e.c.FunctionType(parameters, nil))},
		},
	}))
	must(d.table.Insert(f))
	d.made = append(d.made, f)
	return newEmitter(end, e.loc)
}

// derivation is the state of one transformation of one function.
type derivation struct {
	function   mlir.Operation // a copy of the original, which becomes the result
	original   mlir.Operation
	body       mlir.Block
	parameters []mlir.Value
	active     []int // the parameters that are differentiated
	name       string
	table      *mlir.SymbolTable
	f          *forward
	made       []mlir.Operation // what end removes after an error
}

// start copies a function and inlines its calls.
func start(f mlir.Operation, o Options) (d *derivation, err error) {
	if f.IsNil() || f.Name() != "func.func" || f.Parent().IsNil() {
		return nil, fmt.Errorf("autodiff: a derivative is of a func.func in a module")
	}
	if f.Region(0).NumBlocks() != 1 {
		return nil, &Error{f.Name(), f.Location().Position(), "a derivative is of a function with one block"}
	}
	defer catch(&err)
	d = &derivation{original: f, name: o.Name}
	defer func() {
		if r := recover(); r != nil {
			d.discard()
			panic(r)
		}
	}()
	d.function = f.Clone()
	d.table = must(f.Parent().SymbolTable())
	must(d.table.Insert(d.function))
	d.made = append(d.made, d.function)
	inline(d.function, d.table)
	d.body = d.function.Region(0).First()
	d.parameters = arguments(d.body)
	if d.active, err = selected(f, d.parameters, o.Parameters); err != nil {
		panic(failure{err})
	}
	d.f = &forward{newEmitter(d.body.Terminator(), f.Location()), map[mlir.Value]mlir.Value{}}
	return d, nil
}

// selected returns the indices of the parameters that are differentiated.
func selected(f mlir.Operation, parameters []mlir.Value, list []int) ([]int, error) {
	if list == nil {
		for i, v := range parameters {
			if differentiable(v.Type()) {
				list = append(list, i)
			}
		}
		if list == nil {
			return nil, &Error{f.Name(), f.Location().Position(), "no parameter is a floating-point or complex number"}
		}
		return list, nil
	}
	for k, i := range list {
		switch {
		case i < 0 || i >= len(parameters):
			return nil, &Error{f.Name(), f.Location().Position(), fmt.Sprintf("there is no parameter %d: the function has %d", i, len(parameters))}
		case !differentiable(parameters[i].Type()):
			return nil, &Error{f.Name(), f.Location().Position(), fmt.Sprintf(
				"parameter %d is %s, which has no derivative: leave it out of Options.Parameters", i, parameters[i].Type())}
		case slices.Contains(list[:k], i):
			return nil, &Error{f.Name(), f.Location().Position(), fmt.Sprintf("Options.Parameters has parameter %d twice", i)}
		}
	}
	return list, nil
}

// returned returns the results of the function, as they are now.
func (d *derivation) returned() []mlir.Value { return d.body.Terminator().OperandValues() }

// tangents adds parameters for the tangents.
func (d *derivation) tangents() (list []mlir.Value) {
	for _, i := range d.active {
		v := d.body.AddArgument(d.parameters[i].Type(), d.function.Location())
		d.f.set(d.parameters[i], v)
		list = append(list, v)
	}
	return list
}

// reverse creates the transpose by an emitter, which may be one of another function, and returns the
// cotangents of the parameters that are differentiated. seed returns those of the results that have one.
func (d *derivation) reverse(e *emitter, seed func() []mlir.Value) (gradients []mlir.Value) {
	tangents := d.tangents()
	d.f.block(d.body)

	// The tangents of the results stay in use until they are transposed.
	results := d.returned()
	var of []mlir.Value
	for _, v := range results {
		if differentiable(v.Type()) {
			of = append(of, d.f.tangent(v))
		}
	}
	present := slices.DeleteFunc(slices.Clone(of), mlir.Value.IsNil)
	d.body.Terminator().SetOperands(slices.Concat(results, present)...)
	d.f.clean(d.body)
	results = d.returned()[:len(results)]
	next := len(results)
	for i, v := range of {
		if !v.IsNil() {
			of[i] = d.body.Terminator().Operand(next)
			next++
		}
	}
	d.body.Terminator().SetOperands(results...)

	b := &backward{emitter: e, source: d.f.emitter, linear: reach{}, cotangents: map[mlir.Value]mlir.Value{}}
	b.loc = d.function.Location()
	for _, v := range tangents {
		b.linear[v] = true
	}
	b.linear.block(d.body)
	for i, g := range seed() {
		b.add(of[i], g)
	}
	b.block(d.body)
	for _, v := range tangents {
		b.loc = d.function.Location()
		gradients = append(gradients, b.orZero(b.cotangents[v], v.Type()))
	}
	for i := len(tangents) - 1; i >= 0; i-- {
		check(d.body.EraseArgument(tangents[i].Index()))
	}
	return gradients
}

// finish gives the function its results and its name, cleans it up and verifies it.
func (d *derivation) finish(suffix string, results []mlir.Value) mlir.Operation {
	d.body.Terminator().SetOperands(results...)
	d.f.clean(d.body)
	for _, name := range []string{"arg_attrs", "res_attrs"} { // they belong to the original
		d.function.RemoveAttribute(name)
	}
	d.function.SetVisibility(mlir.Public)
	d.settle(d.function, suffix)
	return d.function
}

// settle sets the type and the name of a function, and verifies it.
func (d *derivation) settle(f mlir.Operation, suffix string) {
	body := f.Region(0).First()
	signature := d.f.c.FunctionType(typesOf(arguments(body)), typesOf(body.Terminator().OperandValues()))
	f.SetAttribute("function_type", d.f.c.TypeAttribute(signature))
	name, _ := d.original.Symbol()
	name += "." + suffix
	if d.name != "" {
		name = d.name
		if suffix == "forward" || suffix == "backward" {
			name += "." + suffix
		}
	}
	base := name
	for n := 1; ; n++ {
		if _, taken := d.table.Lookup(name); !taken {
			break
		}
		name = fmt.Sprintf("%s_%d", base, n)
	}
	current, _ := f.Symbol()
	check(d.table.Rename(current, name))
	check(f.Verify())
}

// end removes what was made after an error.
func (d *derivation) end(err *error) {
	r := recover()
	if r == nil {
		return
	}
	d.discard()
	f, ok := r.(failure)
	if !ok {
		panic(r)
	}
	*err = f.err
}

func (d *derivation) discard() {
	for _, op := range d.made {
		_ = op.Erase() // nothing uses a function that was just made
	}
}

// inline replaces the calls and composites in a function by copies of what they call.
func inline(f mlir.Operation, table *mlir.SymbolTable) {
	var calls []mlir.Operation
	for op := range f.All() {
		if op.Name() == "func.call" || op.Name() == "stablehlo.composite" {
			calls = append(calls, op)
		}
	}
	for n := 0; len(calls) > 0; n++ {
		call := calls[0]
		calls = calls[1:]
		attribute := map[string]string{"func.call": "callee", "stablehlo.composite": "decomposition"}[call.Name()]
		a, _ := call.Attribute(attribute)
		name, _ := a.Symbol()
		callee, ok := table.Lookup(name)
		if !ok || callee.Region(0).NumBlocks() != 1 {
			fail(call, "the function @%s is not in the module, so that it has no derivative", name)
		}
		if n > maxInlined {
			fail(call, "more than %d calls are inlined: a function may call itself", maxInlined)
		}
		for _, op := range must(function.Inline(call, callee)) {
			for inner := range op.All() {
				if inner.Name() == "func.call" || inner.Name() == "stablehlo.composite" {
					calls = append(calls, inner)
				}
			}
		}
	}
}

// maxInlined limits how many calls are inlined.
const maxInlined = 1 << 16
