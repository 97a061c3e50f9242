package autodiff

import (
	"slices"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/vmap"
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
	jvp, err := JVP(f, j.part())
	if err != nil {
		return jacobian, err
	}
	return j.make("jacfwd", jvp, j.parameters, func(e *emitter, batch mlir.Operation) []mlir.Value {
		made := e.callOf(batch, append(e.Entry.ArgumentValues(), e.basis(j.parameters)...))
		columns := made[len(made)-len(j.results):] // the elements of the parameters come first
		return e.blocks(columns, j.parameters, func(column mlir.Value, i int, p mlir.Type) mlir.Value {
			order := append(transform.UpTo(transform.Rank(column))[1:], 0)
			return e.Reshape(e.Transpose(column, order), slices.Concat(dimsOf(j.results[i]), dimsOf(p))...)
		})
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
	defer func() { _ = forward.Erase() }()
	return j.make("jacrev", backward, j.results, func(e *emitter, batch mlir.Operation) []mlir.Value {
		residuals := e.callOf(forward, e.Entry.ArgumentValues())[f.Region(0).First().Terminator().NumOperands():]
		rows := e.callOf(batch, append(residuals, e.basis(j.results)...))
		list := e.blocks(rows, j.results, func(row mlir.Value, i int, r mlir.Type) mlir.Value {
			return e.Reshape(row, slices.Concat(dimsOf(r), dimsOf(j.parameters[i]))...)
		})
		return transposed(list, len(j.parameters))
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
	if !o.Holomorphic && slices.ContainsFunc(append(j.parameters, j.results...), transform.IsComplex) {
		return j, transform.Refuse(f, "the Jacobian of complex numbers is known for functions that are holomorphic: "+
			"set Options.Holomorphic, or use JVP or VJP")
	}
	return j, nil
}

// part returns the options for the functions that a Jacobian is made of.
func (j jacobian) part() Options {
	o := j.o
	o.Name = temporary
	return o
}

// make adds a function with the parameters of f. What it returns is made of the batch of a linear part of f, whose last
// parameters, of the types in, get a basis. It erases that part.
func (j jacobian) make(
	suffix string, part mlir.Operation, in []mlir.Type, results func(e *emitter, batch mlir.Operation) []mlir.Value,
) (made mlir.Operation, err error) {
	defer func() { _ = part.Erase() }()
	n := part.Region(0).First().NumArguments()
	axes := append(slices.Repeat([]int{vmap.NotBatched}, n-len(in)), make([]int, len(in))...)
	batch, err := vmap.Batch(part, vmap.Options{Size: sizeOf(in), In: axes, Name: temporary,
		Method: contract.Sequential})
	if err != nil {
		return made, err
	}
	defer func() { _ = batch.Erase() }()
	table, err := j.f.Parent().SymbolTable()
	if err != nil {
		return made, err
	}
	defer transform.Catch(&err, func() { _ = made.Erase() })
	made, e := newFunction(table, j.f.Location(), temporary, mlir.TypesOf(j.f.Region(0).First().ArgumentValues()))
	e.Before.SetOperands(results(e, batch)...)
	if at, err := transform.InlineExcept(made, table, transform.HasRule); err != nil {
		transform.Fail(at, "%v", err)
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

// sizeOf returns the number of elements of a basis of arrays of some types: at least 1, also for arrays without
// elements.
func sizeOf(types []mlir.Type) (n int64) {
	for _, t := range types {
		of, _ := t.NumElements()
		n += of
	}
	return max(n, 1)
}

// basis returns for each of the types a batch of arrays. In an element of the batch one number of one of the arrays is
// 1, and the others are 0.
func (e *emitter) basis(types []mlir.Type) (list []mlir.Value) {
	i32 := e.Context.IntegerType(32, mlir.Signless)
	size, offset := sizeOf(types), int64(0)
	for _, t := range types {
		n, _ := t.NumElements()
		column := e.Iota(i32, 1, size, n)
		column = e.add(column, e.like(column, float64(offset)))
		is := e.Compare(stablehlo.CompareEQ, e.Iota(i32, 0, size, n), column)
		list = append(list, e.Reshape(e.convert(is, t), append([]int64{size}, dimsOf(t)...)...))
		offset += n
	}
	return list
}

// blocks returns what f makes of the parts of each batch that belong to each of the types of a basis.
func (e *emitter) blocks(
	batches []mlir.Value, types []mlir.Type, f func(part mlir.Value, i int, t mlir.Type) mlir.Value,
) (list []mlir.Value) {
	for i, v := range batches {
		start, limit := make([]int64, transform.Rank(v)), slices.Clone(transform.Dims(v))
		for _, t := range types {
			n, _ := t.NumElements()
			limit[0] = start[0] + n
			list = append(list, f(e.Slice(v, start, limit, transform.Ones(transform.Rank(v))), i, t))
			start = slices.Clone(start)
			start[0], limit = limit[0], slices.Clone(limit)
		}
	}
	return list
}

// transposed returns the transpose of a matrix of rows rows.
func transposed[T any](matrix []T, rows int) (list []T) {
	columns := len(matrix) / rows
	for i := range columns {
		for k := range rows {
			list = append(list, matrix[k*columns+i])
		}
	}
	return list
}

// callOf creates a call of a function.
func (e *emitter) callOf(f mlir.Operation, operands []mlir.Value) []mlir.Value {
	name, _ := f.Symbol()
	results := mlir.TypesOf(f.Region(0).First().Terminator().OperandValues())
	return e.Op(function.CallOp{Callee: name, Operands: operands, ResultTypes: results}).ResultValues()
}
