package autodiff

import (
	"fmt"
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/internal/ir/xlacalls"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
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
	// MaxSteps is the most steps of a while loop that has no constant number of them, if reverse mode passes
	// through it. The values of all steps are stored in arrays of this length. The derivative is NaN if
	// the loop takes more. The attribute calliope.max_steps of a loop, an integer, takes precedence. 0 makes such a
	// loop an error.
	MaxSteps int64
	// SqrtLoops makes reverse mode store about 2·√n values for each value of a loop with a constant number n of steps,
	// instead of n. It computes the steps twice.
	SqrtLoops bool
	// Holomorphic allows JacFwd and JacRev functions of complex numbers, which must be holomorphic, as in JAX.
	Holomorphic bool
}

// JVP adds to the module of a func.func a function for the derivative along tangents. Its parameters are
// those of f, and then a tangent for each parameter that is differentiated. Its results are those
// of f, and then the tangents of those results that are floating-point or complex numbers.
func JVP(f mlir.Operation, o Options) (jvp mlir.Operation, err error) {
	d, err := start(f, o)
	if err != nil {
		return jvp, err
	}
	defer transform.Catch(&err, d.discard)
	d.tangents()
	d.f.block(d.body)
	results, out := d.returned(), d.out
	for i, v := range results {
		if differentiable(v.Type()) {
			results, out = append(results, d.f.full(v)), append(out, d.out[i])
		}
	}
	jvp = d.finish("jvp", results, append(d.in, d.inActive()...), out)
	noPullBack(jvp)
	return jvp, nil
}

// Grad adds to the module of a func.func, whose result is a real scalar, a function for its gradient. Its
// parameters are those of f. Its results are the derivatives with respect to the parameters that are
// differentiated, in the order of Options.Parameters, and with Options.Aux the further results of f. Tokens that f
// returns first, as in modules of JAX with ordered callbacks, are the first results of the gradient, too.
func Grad(f mlir.Operation, o Options) (grad mlir.Operation, err error) {
	d, gradients, tokens, err := gradient(f, o)
	if err != nil {
		return grad, err
	}
	defer transform.Catch(&err, d.discard)
	results := slices.Concat(d.returned()[:tokens], gradients, d.returned()[tokens+1:])
	out := slices.Concat(d.out[:tokens], d.inActive(), d.out[tokens+1:])
	return d.finish("grad", results, d.in, out), nil
}

// ValueAndGrad is Grad with the results of f before the derivatives.
func ValueAndGrad(f mlir.Operation, o Options) (grad mlir.Operation, err error) {
	d, gradients, _, err := gradient(f, o)
	if err != nil {
		return grad, err
	}
	defer transform.Catch(&err, d.discard)
	return d.finish("value_and_grad", append(d.returned(), gradients...), d.in, append(d.out, d.inActive()...)), nil
}

// gradient creates the derivatives of the first result after the tokens, which must be a real scalar. It returns how
// many tokens come before it.
func gradient(f mlir.Operation, o Options) (d *derivation, gradients []mlir.Value, tokens int, err error) {
	d, err = start(f, o)
	if err != nil {
		return nil, nil, 0, err
	}
	defer transform.Catch(&err, d.discard)
	results := d.returned()
	for tokens < len(results) && stablehlo.IsToken(results[tokens].Type()) {
		tokens++
	}
	results = results[tokens:]
	switch {
	case len(results) == 0 || len(results) > 1 && !o.Aux:
		transform.Fail(d.function, "a gradient is of a function with one result, but this one has %d: "+
			"set Options.Aux to differentiate the first one, or use VJP", len(results))
	case !transform.IsFloat(results[0].Type()) || !results[0].Type().IsRankedTensor() ||
		transform.Rank(results[0]) != 0:
		transform.Fail(d.function, "a gradient is of a function whose result is a real scalar, but this one returns %s: "+
			"add its elements up, or use VJP", results[0].Type())
	}
	t := results[0].Type()
	return d, d.reverse(d.f.emitter, func() []mlir.Value { return []mlir.Value{d.f.Number(t, 1)} }), tokens, nil
}

// VJP adds to the module of a func.func two functions for the derivative along cotangents. The
// parameters of forward are those of f. Its results are those of f, and then the residuals: the values that
// backward needs. The parameters of backward are the residuals, and then a cotangent for each result
// of f that is a floating-point or complex number. Its results are the cotangents of the parameters that are
// differentiated.
func VJP(f mlir.Operation, o Options) (forward, backward mlir.Operation, err error) {
	return vjp(f, o, false)
}

// vjp is VJP. If linearize is set, backward is there to be transposed.
func vjp(f mlir.Operation, o Options, linearize bool) (forward, backward mlir.Operation, err error) {
	d, err := start(f, o)
	if err != nil {
		return forward, backward, err
	}
	defer transform.Catch(&err, d.discard)
	d.linearize = linearize
	var types []mlir.Type
	var ofCotangents []mlir.Attribute
	for i, v := range d.returned() {
		if differentiable(v.Type()) {
			types, ofCotangents = append(types, v.Type()), append(ofCotangents, d.out[i])
		}
	}
	e := d.empty(types)
	to := e.Entry
	gradients := d.reverse(e, func() []mlir.Value { return to.ArgumentValues() })
	to.Terminator().SetOperands(gradients...)
	e.Clean(to)
	copyConstants(d.body, to)
	kept := residuals(d.body, to)
	for i, v := range kept {
		replaceIn(to, v, to.InsertArgument(i, v.Type(), d.original.Location()))
	}
	ofKept := transform.NoShardings(e.Context, len(kept))
	forward = d.finish("forward", append(d.returned(), kept...), d.in, append(d.out, ofKept...))
	backward = d.made[1]
	transform.SetShardings(backward, transform.Parameters, append(ofKept, ofCotangents...))
	transform.SetShardings(backward, transform.Results, d.inActive())
	d.settle(backward, "backward")
	return forward, backward, nil
}

// empty adds a function with parameters of these types and no results.
func (d *derivation) empty(parameters []mlir.Type) *emitter {
	name, _ := d.function.Symbol()
	f, e := newFunction(d.table, d.original.Location(), name, parameters)
	d.made = append(d.made, f)
	return e
}

// newFunction adds a function with parameters of these types and no results to a module.
func newFunction(
	table *mlir.SymbolTable, loc mlir.Location, name string, parameters []mlir.Type,
) (f mlir.Operation, e *emitter) {
	f = transform.NewFunction(loc, name, parameters)
	transform.Must(table.Insert(f))
	return f, newEmitter(f.Region(0).First().Terminator(), loc)
}

// derivation is the state of one transformation of one function.
type derivation struct {
	function   mlir.Operation // a copy of the original, which becomes the result
	original   mlir.Operation
	body       mlir.Block
	parameters []mlir.Value
	active     []int            // the parameters that are differentiated
	in, out    []mlir.Attribute // how the parameters and the results of the original are divided
	name       string
	table      *mlir.SymbolTable
	f          *forward
	made       []mlir.Operation // what end removes after an error
	*settings
}

// start copies a function and inlines its calls.
func start(f mlir.Operation, o Options) (d *derivation, err error) {
	if f.IsNil() || f.Name() != "func.func" || f.Parent().IsNil() {
		return nil, fmt.Errorf("autodiff: a derivative is of a func.func in a module")
	}
	if f.Region(0).NumBlocks() != 1 {
		return nil, transform.Refuse(f, "a derivative is of a function with one block")
	}
	d = &derivation{original: f, name: o.Name, settings: &settings{maxSteps: o.MaxSteps, sqrtLoops: o.SqrtLoops}}
	defer transform.Catch(&err, d.discard)
	transform.RefuseTokens(f)
	d.function = f.Clone()
	d.table = transform.Must(f.Parent().SymbolTable())
	transform.Must(d.table.Insert(d.function))
	d.made = append(d.made, d.function)
	if at, err := transform.InlineEach(d.function, d.table, d.see); err != nil {
		transform.Fail(at, "%v", err)
	}
	transform.Unpack(d.function)
	transform.DropScalarShardings(d.function)
	transform.Must(xlacalls.Expand(d.function))
	d.body = d.function.Region(0).First()
	d.parameters = d.body.ArgumentValues()
	d.active = transform.Must(selected(f, d.parameters, o.Parameters))
	d.in = transform.Shardings(f, transform.Parameters, len(d.parameters))
	d.out = transform.Shardings(f, transform.Results, len(d.returned()))
	for i, v := range d.parameters {
		if o.Parameters == nil || slices.Contains(d.active, i) {
			d.mustBeStatic("parameter", i, v)
		}
	}
	for i, v := range d.returned() {
		d.mustBeStatic("result", i, v)
	}
	d.f = &forward{newEmitter(d.body.Terminator(), f.Location()), map[mlir.Value]mlir.Value{}, d.settings}
	d.f.Clean(d.body) // so that what nothing uses needs no derivative
	return d, nil
}

// mustBeStatic ends the transformation if a value with a derivative has a dynamic dimension.
func (d *derivation) mustBeStatic(what string, i int, v mlir.Value) {
	switch _, static := v.Type().NumElements(); {
	case carries(v.Type()) && !v.Type().IsRankedTensor():
		transform.Fail(d.original, "%s %d is %s, and what it contains has no derivative: make its elements %[1]ss of their own",
			what, i, v.Type())
	case differentiable(v.Type()) && !static:
		transform.Fail(d.original, "%s %d is %s, which has a dynamic dimension: "+
			"make the shapes of the module static first, with stablehlo.Refine", what, i, v.Type())
	}
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
			return nil, transform.Refuse(f, "no parameter is a floating-point or complex number")
		}
		return list, nil
	}
	for k, i := range list {
		switch {
		case i < 0 || i >= len(parameters):
			return nil, transform.Refuse(f, "there is no parameter %d: the function has %d", i, len(parameters))
		case !differentiable(parameters[i].Type()):
			return nil, transform.Refuse(f, "parameter %d is %s, which has no derivative: leave it out of Options.Parameters", i,
				parameters[i].Type())
		case slices.Contains(list[:k], i):
			return nil, transform.Refuse(f, "Options.Parameters has parameter %d twice", i)
		}
	}
	return list, nil
}

// returned returns the results of the function, as they are now.
func (d *derivation) returned() []mlir.Value { return d.body.Terminator().OperandValues() }

// inActive returns how the parameters that are differentiated are divided, and so their tangents and cotangents.
func (d *derivation) inActive() (list []mlir.Attribute) {
	for _, i := range d.active {
		list = append(list, d.in[i])
	}
	return list
}

// tangents adds parameters for the tangents.
func (d *derivation) tangents() {
	for _, i := range d.active {
		v := d.body.AddArgument(d.parameters[i].Type(), d.function.Location())
		d.f.set(d.parameters[i], v)
	}
}

// reverse creates the derivative along cotangents by an emitter, which may be one of another function, and returns the
// cotangents of the parameters that are differentiated. seed returns those of the results that have one.
func (d *derivation) reverse(e *emitter, seed func() []mlir.Value) (gradients []mlir.Value) {
	d.settings.reverse = true
	var inputs []mlir.Value
	for _, i := range d.active {
		inputs = append(inputs, d.parameters[i])
	}
	reached := reachOf(inputs)
	d.f.each(d.body, func(v mlir.Value) bool { return reached[v] }, func(op mlir.Operation) {
		ruleOf(op)
		reached.operation(op)
	})
	return d.pull(e, reached, inputs, withTangent(d.returned()), seed, (*backward).derive)
}

// pull creates the derivative along cotangents, or the transpose of what is linear, by a function for a block. The
// values of linear may have cotangents. It returns those of the inputs. seed returns those of the values of.
func (d *derivation) pull(
	e *emitter, linear reach, inputs, of []mlir.Value, seed func() []mlir.Value, block func(*backward, mlir.Block),
) (gradients []mlir.Value) {
	b := &backward{
		emitter: e, source: d.f.emitter, linear: linear, cotangents: map[mlir.Value]mlir.Value{}, settings: d.settings,
	}
	b.Loc = d.function.Location()
	var end mlir.Operation // an unused constant, which ends what is derived if the derivative stands behind it
	if e.Before.Block() == d.body && d.checkpoints > 0 {
		end = b.unused()
	}
	for i, g := range seed() {
		b.add(of[i], g)
	}
	block(b, d.body)
	for _, v := range inputs {
		b.Loc = d.function.Location()
		gradients = append(gradients, b.orZero(b.cotangents[v], v.Type()))
	}
	if d.checkpoints > 0 {
		recompute(d.body, e.Before.Block(), end)
	}
	return gradients
}

// finish gives the function its results and its name, cleans it up and verifies it. in and out say how its parameters
// and results are divided.
func (d *derivation) finish(suffix string, results []mlir.Value, in, out []mlir.Attribute) mlir.Operation {
	d.body.Terminator().SetOperands(results...)
	d.f.Clean(d.body)
	transform.SetShardings(d.function, transform.Parameters, in)
	transform.SetShardings(d.function, transform.Results, out)
	d.function.SetVisibility(mlir.Public)
	d.settle(d.function, suffix)
	return d.function
}

// settle names a function and verifies it.
func (d *derivation) settle(f mlir.Operation, suffix string) {
	if d.checkpoints > 0 {
		for op := range f.All() {
			op.RemoveAttribute(recomputed)
		}
	}
	name, _ := d.original.Symbol()
	name += "." + suffix
	if d.name != "" {
		name = d.name
		if suffix == "forward" || suffix == "backward" {
			name += "." + suffix
		}
	}
	transform.Settle(f, d.table, name)
}

// discard removes what was made.
func (d *derivation) discard() {
	for _, op := range d.made {
		transform.Discard(op)
	}
}
