package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/internal/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// JacFwd adds to the module of a func.func a function for its Jacobian, by forward mode: good if it has more results
// than parameters. Its parameters are those of f. Its results are, for each result of f that is a
// floating-point or complex number, the derivative with respect to each parameter that is differentiated, whose
// dimensions are those of the result, and then those of the parameter.
func JacFwd(f mlir.Operation, o Options) (jacobian mlir.Operation, err error) {
	j, err := newJacobian(f, o)
	if err != nil {
		return jacobian, err
	}
	forward, linear, err := Linearize(f, j.part())
	if err != nil {
		return jacobian, err
	}
	return j.make("jacfwd", forward, linear, func(e *emitter, residuals []mlir.Value) []mlir.Value {
		columns := make([][]mlir.Value, len(j.results))
		for k, p := range j.parameters {
			for i, v := range e.rowsOf(linear, residuals, j.parameters, k, j.results) {
				// The elements of the parameter come first.
				order := append(upTo(rank(v))[1:], 0)
				shape := slices.Concat(dimsOf(j.results[i]), dimsOf(p))
				columns[i] = append(columns[i], e.Reshape(e.Transpose(v, order), shape...))
			}
		}
		return slices.Concat(columns...)
	})
}

// JacRev is JacFwd by reverse mode: good if f has more parameters than results.
func JacRev(f mlir.Operation, o Options) (jacobian mlir.Operation, err error) {
	j, err := newJacobian(f, o)
	if err != nil {
		return jacobian, err
	}
	forward, backward, err := VJP(f, j.part())
	if err != nil {
		return jacobian, err
	}
	return j.make("jacrev", forward, backward, func(e *emitter, residuals []mlir.Value) (list []mlir.Value) {
		for k, r := range j.results {
			for i, v := range e.rowsOf(backward, residuals, j.results, k, j.parameters) {
				list = append(list, e.Reshape(v, slices.Concat(dimsOf(r), dimsOf(j.parameters[i]))...))
			}
		}
		return list
	})
}

// Hessian adds to the module of a func.func, whose result is a real scalar, a function for its second derivatives:
// JacFwd of Grad. Its results are, for each parameter that is differentiated, the derivative of its gradient with
// respect to each of them.
func Hessian(f mlir.Operation, o Options) (hessian mlir.Operation, err error) {
	grad, err := Grad(f,
		Options{Parameters: o.Parameters, Name: temporary, MaxSteps: o.MaxSteps, SqrtLoops: o.SqrtLoops})
	if err != nil {
		return hessian, err
	}
	defer func() { _ = grad.Erase() }()
	if o.Name == "" {
		o.Name, _ = f.Symbol()
		o.Name += ".hessian"
	}
	return JacFwd(grad, o)
}

// temporary is the name of functions that are removed again.
const temporary = "calliope.autodiff.part"

func dimsOf(t mlir.Type) []int64 {
	d, _ := t.Dims()
	return d
}

// jacobian is a function whose Jacobian is made.
type jacobian struct {
	f                   mlir.Operation
	o                   Options
	parameters, results []mlir.Type // that have derivatives
}

func newJacobian(f mlir.Operation, o Options) (j jacobian, err error) {
	d, err := start(f, o) // for its errors
	if err != nil {
		return j, err
	}
	j = jacobian{f: f, o: o}
	for _, i := range d.active {
		j.parameters = append(j.parameters, d.parameters[i].Type())
	}
	for _, v := range d.returned() {
		if differentiable(v.Type()) {
			j.results = append(j.results, v.Type())
		}
	}
	d.discard()
	if !o.Holomorphic && slices.ContainsFunc(append(j.parameters, j.results...), isComplex) {
		return j, &Error{f.Name(), f.Location().Position(), "the Jacobian of complex numbers is known for " +
			"functions that are holomorphic: set Options.Holomorphic, or use JVP or VJP"}
	}
	return j, nil
}

// part returns the options for the functions that a Jacobian is made of.
func (j jacobian) part() Options {
	o := j.o
	o.Name = temporary
	return o
}

// make adds a function that calls forward, and returns what f makes of the residuals. It erases forward and other.
func (j jacobian) make(
	suffix string, forward, other mlir.Operation, f func(e *emitter, residuals []mlir.Value) []mlir.Value,
) (made mlir.Operation, err error) {
	table, err := j.f.Parent().SymbolTable()
	if err != nil {
		return made, err
	}
	defer transform.Catch(&err, func() { _ = made.Erase() })
	defer func() {
		_ = forward.Erase()
		_ = other.Erase()
	}()
	body := j.f.Region(0).First()
	made, e := newFunction(table, j.f.Location(), temporary, typesOf(arguments(body)))
	called := e.callOf(forward, arguments(e.Entry))
	e.Before.SetOperands(f(e, called[body.Terminator().NumOperands():])...)
	if at, err := transform.InlineExcept(made, table, transform.HasRule); err != nil {
		fail(at, "%v", err)
	}
	e.Clean(e.Entry)
	name := j.o.Name
	if name == "" {
		name, _ = j.f.Symbol()
		name += "." + suffix
	}
	transform.Settle(made, table, name)
	return made, nil
}

// callOf creates a call of a function.
func (e *emitter) callOf(f mlir.Operation, operands []mlir.Value) []mlir.Value {
	name, _ := f.Symbol()
	results := typesOf(f.Region(0).First().Terminator().OperandValues())
	return e.Op(function.CallOp{Callee: name, Operands: operands, ResultTypes: results}).ResultValues()
}

// rowsOf calls a linear function for each element of its argument k, of the arguments after the residuals, with 1 in
// the place of the element and zeros elsewhere. It returns the results, with a first dimension for the elements.
func (e *emitter) rowsOf(
	f mlir.Operation, residuals []mlir.Value, in []mlir.Type, k int, out []mlir.Type,
) []mlir.Value {
	n, _ := in[k].NumElements()
	i32 := e.Context.IntegerType(32, mlir.Signless)
	place := e.Reshape(e.Iota(i32, 0, n), dimsOf(in[k])...)
	var arrays []mlir.Value
	for _, t := range out {
		arrays = append(arrays, e.Zero(must(e.Context.TensorType(element(t), append([]int64{n}, dimsOf(t)...)...))))
	}
	counter := must(e.Context.TensorType(i32))
	loop := e.repeat(n, append([]mlir.Value{e.Zero(counter)}, arrays...),
		func(e *emitter, v []mlir.Value) []mlir.Value {
			operands := slices.Clone(residuals)
			for i, t := range in {
				if i == k {
					is := e.Compare(stablehlo.CompareEQ, place, e.Broadcast(v[0], nil, dimsOf(t)...))
					operands = append(operands, e.convert(is, t))
				} else {
					operands = append(operands, e.Zero(t))
				}
			}
			next := []mlir.Value{e.add(v[0], e.Number(counter, 1))}
			for i, row := range e.callOf(f, operands) {
				start := append([]mlir.Value{v[0]}, slices.Repeat([]mlir.Value{e.Zero(counter)}, rank(row))...)
				next = append(next, e.Do(stablehlo.DynamicUpdateSliceOp{
					Operand: v[1+i], Update: e.Reshape(row, append([]int64{1}, dims(row)...)...), StartIndices: start,
				}))
			}
			return next
		})
	return loop.ResultValues()[2:]
}
