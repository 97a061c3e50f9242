package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// The names of composites that state the derivative of what their decomposition computes: calliope.stop_gradient,
// calliope.custom_jvp and calliope.custom_vjp. Each of their
// functions is one of the module, which an attribute names by a symbol or a string.
const (
	// StopGradient has the derivative zero. Its decomposition returns its operands.
	StopGradient = transform.StopGradient
	// CustomJVP has a rule for forward mode, which is differentiated and transposed for the others: the
	// composite attribute jvp. It takes the first operands of the composite, whose number is the attribute
	// arguments, their tangents and the other operands. It returns the results and their tangents. There is
	// no derivative with respect to the other operands. If it has the attributes of a CustomVJP, too, these are for
	// reverse mode.
	CustomJVP = transform.CustomJVP
	// CustomVJP has a rule for reverse mode: the composite attributes forward and backward. forward takes the
	// operands of the composite, and returns the results and residuals. backward takes the residuals, the
	// cotangents of the results and the operands that are not arguments, and returns the cotangents of the arguments.
	CustomVJP = transform.CustomVJP
)

// pullBack is a composite of the residuals of a CustomVJP, its operands that are not arguments, and the tangents of its
// arguments. It is linear in the tangents, and exists until it is transposed. Its decomposition is the rule backward.
const pullBack = "calliope.autodiff.pull_back"

var custom = map[string]rule{"stablehlo.composite": {jvp: jvpCustom, transpose: transposeCustom}}

// isZero reports whether the derivative of an operation is zero.
func isZero(op mlir.Operation) bool {
	if op.Name() != "stablehlo.composite" {
		return ruleFor(op).zero || isStopped(op)
	}
	o, _ := stablehlo.AsComposite(op)
	return o.Name == StopGradient
}

func jvpCustom(f *forward, op mlir.Operation) {
	o, _ := stablehlo.AsComposite(op)
	if o.Name == StopGradient {
		return
	}
	n := transform.NumArguments(o)
	if n < 0 {
		transform.Fail(op, "its attribute arguments is not the number of its operands with derivatives")
	}
	arguments, others := o.Inputs[:n:n], o.Inputs[n:]
	for _, v := range others {
		if !f.tangent(v).IsNil() {
			transform.Fail(op, "the derivative is with respect to a value that the function takes from outside, "+
				"and its rule is not: make the value a part of the argument")
		}
	}
	numResults := op.NumResults()
	if o.Name == transform.CustomBatch {
		f.jvpBatch(op, o, n)
		return
	}
	backward := transform.FunctionOf(o, "backward")
	if o.Name == CustomJVP && !(f.reverse && backward != "") {
		if transform.FunctionOf(o, "jvp") == "" {
			transform.Fail(op, "the function @ of its rule is not in the module: its attribute jvp names no function; a rule may call "+
				"its own function, but not differentiate it")
		}
		operands := arguments
		for _, v := range arguments {
			operands = append(operands, f.full(v))
		}
		made := f.call(op, transform.FunctionOf(o, "jvp"), append(operands, others...))
		if types := mlir.TypesOf(op.ResultValues()); !slices.Equal(mlir.TypesOf(made), append(types, types...)) {
			transform.Fail(op, "its rule jvp returns %v, not the results and their tangents", mlir.TypesOf(made))
		}
		f.replaceResults(op, made[:numResults], made[numResults:])
		return
	}
	if backward == "" {
		transform.Fail(op, "its attribute backward names no function: a rule may call its own function, but not differentiate it")
	}
	made := f.call(op, transform.FunctionOf(o, "forward"), o.Inputs)
	if len(made) < numResults || !slices.Equal(mlir.TypesOf(made[:numResults]), mlir.TypesOf(op.ResultValues())) {
		transform.Fail(op, "its rule forward returns %v, not the results and residuals", mlir.TypesOf(made))
	}
	operands := append(made[numResults:len(made):len(made)], others...)
	for _, v := range arguments {
		if differentiable(v.Type()) {
			operands = append(operands, f.full(v))
		}
	}
	residuals := len(made) - numResults
	tangents := len(operands) - residuals - len(others)
	pull := f.Op(stablehlo.CompositeOp{
		Name: pullBack, Decomposition: backward, Inputs: operands,
		CompositeAttributes: f.Context.DictionaryAttribute(
			mlir.NamedAttribute{Name: "residuals", Value: f.count(residuals)},
			mlir.NamedAttribute{Name: "tangents", Value: f.count(tangents)}),
		ResultTypes: mlir.TypesOf(op.ResultValues()),
	})
	f.replaceResults(op, made[:numResults], pull.ResultValues())
}

const noReverse = "a function with a rule for batches has no derivative in reverse mode but in the batch: " +
	"use CustomVJP of functions that call it"

// jvpBatch makes a CustomBatch of the derivative of its function, whose rules are the derivatives of its rules.
func (f *forward) jvpBatch(op mlir.Operation, o stablehlo.CompositeOp, n int) {
	if f.reverse {
		transform.Fail(op, noReverse)
	}
	table := transform.Must(module(op).SymbolTable())
	var active []int
	operands, others := o.Inputs[:n:n], o.Inputs[n:]
	for i, v := range o.Inputs[:n] {
		if differentiable(v.Type()) {
			active, operands = append(active, i), append(operands, f.full(v))
		}
	}
	derived := func(name string) string {
		of, ok := table.Lookup(name)
		if !ok || of.Name() != "func.func" {
			transform.Fail(op, "the function @%s of its rule is not in the module", name)
		}
		jvp := transform.Must(JVP(of, Options{Parameters: active, Name: temporary}))
		jvp.SetVisibility(mlir.Private)
		body := jvp.Region(0).First()
		for range others { // after the tangents
			v := body.Argument(n)
			v.ReplaceAllUses(body.AddArgument(v.Type(), jvp.Location()))
			transform.Check(body.EraseArgument(n))
		}
		transform.Settle(jvp, table, name+".jvp")
		name, _ = jvp.Symbol()
		return name
	}
	var attributes []mlir.NamedAttribute
	for name, a := range o.CompositeAttributes.Entries() {
		if name == "arguments" {
			a = f.count(len(operands))
		} else {
			a = f.Context.SymbolAttribute(derived(transform.FunctionOf(o, name)))
		}
		attributes = append(attributes, mlir.NamedAttribute{Name: name, Value: a})
	}
	for _, v := range op.Results() {
		if differentiable(v.Type()) {
			o.ResultTypes = append(o.ResultTypes, v.Type())
		}
	}
	o.Decomposition, o.Inputs = derived(o.Decomposition), append(operands, others...)
	o.CompositeAttributes = f.Context.DictionaryAttribute(attributes...)
	made := f.Op(o).ResultValues()
	tangents := made[op.NumResults():]
	for i, v := range op.ResultValues() {
		v.ReplaceAllUses(made[i])
		if differentiable(v.Type()) {
			f.set(made[i], tangents[0])
			tangents = tangents[1:]
		}
	}
}

// replaceResults replaces results by values with tangents. A value that is an operand too, or stands for another
// result, may have another tangent there: a copy of it takes the place of the result.
func (f *forward) replaceResults(op mlir.Operation, with, tangents []mlir.Value) {
	taken := op.OperandValues()
	for i, v := range op.ResultValues() {
		by := with[i]
		if slices.Contains(taken, by) && by.Type().IsRankedTensor() {
			by = f.Do(stablehlo.ReshapeOp{Operand: by, ResultType: by.Type()})
		}
		v.ReplaceAllUses(by)
		taken = append(taken, by)
		if differentiable(v.Type()) {
			f.set(by, tangents[i])
		}
	}
}

// transposeCustom replaces a pullBack by the rule backward, and a composite of both kinds of rules that is linear in
// operands by its rules for reverse mode at 0.
func transposeCustom(b *backward, op mlir.Operation) {
	o, _ := stablehlo.AsComposite(op)
	switch o.Name {
	case pullBack:
	case transform.CustomBatch:
		transform.Fail(op, noReverse)
	case CustomJVP:
		if transform.FunctionOf(o, "backward") == "" {
			transform.Fail(op, withinRule)
		}
		b.atZero(op, o)
		return
	default:
		transform.Fail(op, withinRule)
	}
	count := func(key string) int {
		a, _ := o.CompositeAttributes.Entry(key)
		n, _ := a.Int()
		return int(n)
	}
	residuals, first := count("residuals"), len(o.Inputs)-count("tangents")
	operands := o.Inputs[:residuals:residuals]
	for _, v := range op.Results() {
		operands = append(operands, b.orZero(b.cotangents[v], v.Type()))
	}
	made := b.call(op, o.Decomposition, append(operands, o.Inputs[residuals:first]...))
	made = slices.DeleteFunc(made, func(v mlir.Value) bool { return !differentiable(v.Type()) })
	if tangents := o.Inputs[first:]; !slices.Equal(mlir.TypesOf(made), mlir.TypesOf(tangents)) {
		transform.Fail(op, "the function @%s of its rule returns %v, not cotangents of %v", o.Decomposition, mlir.TypesOf(made),
			mlir.TypesOf(tangents))
	}
	for i, v := range made {
		b.add(o.Inputs[first+i], v)
	}
}

const withinRule = "it is called with a tangent, by the rule of another function: there must be no rule within rules"

// atZero transposes a composite whose function is linear in the operands that are.
func (b *backward) atZero(op mlir.Operation, o stablehlo.CompositeOp) {
	n := transform.NumArguments(o)
	operands := slices.Clone(o.Inputs)
	for i, v := range operands {
		if b.linear[v] {
			operands[i] = b.Zero(v.Type())
		}
	}
	residuals := b.call(op, transform.FunctionOf(o, "forward"), operands)[op.NumResults():]
	for _, v := range op.Results() {
		residuals = append(residuals, b.orZero(b.cotangents[v], v.Type()))
	}
	made := b.call(op, transform.FunctionOf(o, "backward"), append(residuals, operands[n:]...))
	for i, v := range o.Inputs[:n] {
		b.add(v, made[i])
	}
}

// noPullBack ends a transformation to forward mode that passes through a rule for reverse mode.
func noPullBack(f mlir.Operation) {
	for op := range f.All() {
		if o, ok := stablehlo.AsComposite(op); ok && o.Name == pullBack {
			transform.Fail(op, "the function has a rule for reverse mode only, @%s: use CustomJVP, or reverse mode",
				o.Decomposition)
		}
	}
}
