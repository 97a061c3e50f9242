package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
)

// LinearTranspose adds to the module of a func.func that is linear in the parameters of Options.Parameters its
// transpose, as jax.linear_transpose. The parameters of the transpose are the others, and then a cotangent for each
// result that is a floating-point or complex number. Its results are the cotangents of the linear parameters. A
// function that is not linear is an error.
func LinearTranspose(f mlir.Operation, o Options) (transposed mlir.Operation, err error) {
	d, err := start(f, o)
	if err != nil {
		return transposed, err
	}
	defer transform.Catch(&err, d.discard)
	var inputs, of, cotangents []mlir.Value
	for _, i := range d.active {
		inputs = append(inputs, d.parameters[i])
	}

	var in []mlir.Attribute // how the parameters are divided
	for i, a := range d.in {
		if !slices.Contains(d.active, i) {
			in = append(in, a)
		}
	}
	for i, v := range d.returned() {
		if differentiable(v.Type()) {
			of, in = append(of, v), append(in, d.out[i])
			cotangents = append(cotangents, d.body.AddArgument(v.Type(), d.function.Location()))
		}
	}
	d.body.Terminator().SetOperands()
	linear := reachOf(inputs)
	linear.block(d.body)
	d.mustBeLinear(linear)
	gradients := d.pull(d.f.emitter, linear, inputs, of, func() []mlir.Value { return cotangents }, (*backward).block)
	for _, v := range inputs {
		eraseLinear(d.body, v.Index())
	}
	d.body.Terminator().SetOperands(gradients...)
	return d.finish("transpose", gradients, in, d.inActive()), nil
}

// mustBeLinear ends the transformation if the function has an operation that is not linear in the values of a set, but
// that could be transposed if it were.
func (d *derivation) mustBeLinear(linear reach) {
	for op := range d.function.All() {
		var is []bool
		for _, v := range op.Operands() {
			is = append(is, linear[v])
		}
		if !slices.Contains(is, true) {
			continue
		}
		bad := false
		switch op.Name() {
		case "stablehlo.multiply", "stablehlo.dot_general", "stablehlo.convolution":
			bad = is[0] && is[1]
		case "stablehlo.divide":
			bad = is[1]
		case "stablehlo.add", "stablehlo.subtract":
			bad = !is[0] && !isZeros(op.Operand(0)) || !is[1] && !isZeros(op.Operand(1))
		}
		if bad {
			transform.Fail(op, "it is not linear in the parameters that are transposed")
		}
	}
}

// eraseLinear removes an argument that what was linear in it has used, or ends the transformation if something else
// uses it.
func eraseLinear(b mlir.Block, i int) {
	for u := range b.Argument(i).Uses() {
		transform.Fail(u.Owner, "it is not linear in what the transposed parameters reach")
	}
	transform.Check(b.EraseArgument(i))
}

// isZeros reports whether a value is a constant of zeros.
func isZeros(v mlir.Value) bool {
	x, ok := splat(v)
	return ok && x == 0
}

// Linearize adds to the module of a func.func two functions, as jax.linearize. The parameters of forward are
// those of f. Its results are those of f, and then the residuals: the values that linear needs. The parameters of
// linear are the residuals, and then a tangent for each parameter that is differentiated. Its results are the tangents
// of those results of f that are floating-point or complex numbers.
func Linearize(f mlir.Operation, o Options) (forward, linear mlir.Operation, err error) {
	forward, backward, err := vjp(f, o, true)
	if err != nil {
		return forward, linear, err
	}
	defer func() { _ = backward.Erase() }()
	o.Parameters = []int{}
	body := f.Region(0).First()
	cotangents := 0
	for _, v := range body.Terminator().Operands() {
		if differentiable(v.Type()) {
			cotangents++
		}
	}
	n := backward.Region(0).First().NumArguments()
	for i := n - cotangents; i < n; i++ {
		o.Parameters = append(o.Parameters, i)
	}
	if o.Name == "" {
		o.Name, _ = f.Symbol()
	}
	o.Name += ".linear"
	if linear, err = LinearTranspose(backward, o); err != nil {
		_ = forward.Erase()
	}
	return forward, linear, err
}
