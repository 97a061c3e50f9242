package lapack

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// An elementType is one of the four that LAPACK has.
type elementType struct {
	letter        string
	dtype, real   tensor.DType
	complexOf     tensor.DType
	complex       bool
	epsilon       float64
	single        bool
	unitary, herm string // how the names of routines differ
}

var elementTypes = []elementType{
	{"s", tensor.F32, tensor.F32, tensor.C64, false, 1.2e-7, true, "or", "sy"},
	{"d", tensor.F64, tensor.F64, tensor.C128, false, 2.3e-16, false, "or", "sy"},
	{"c", tensor.C64, tensor.F32, tensor.C64, true, 1.2e-7, true, "un", "he"},
	{"z", tensor.C128, tensor.F64, tensor.C128, true, 2.3e-16, false, "un", "he"},
}

// round returns the nearest value of the type.
func (e elementType) round(v complex128) complex128 {
	if e.single {
		return complex128(complex64(v))
	}
	return v
}

// A batch is an array of matrices, vectors or scalars: its leading dimensions, and its items,
// a vector as a matrix of one column.
type batch struct {
	dims  []int // of the batch
	items []matrix
}

// A shape is that of the items of an operand or result.
type shape struct {
	dtype tensor.DType
	dims  []int
}

func (e elementType) item(dims ...int) shape  { return shape{e.dtype, dims} }
func (e elementType) reals(dims ...int) shape { return shape{e.real, dims} }
func numbers(dims ...int) shape               { return shape{tensor.S32, dims} }

// number converts an element.
func number(v any) complex128 {
	switch v := v.(type) {
	case int32:
		return complex(float64(v), 0)
	case float32:
		return complex(float64(v), 0)
	case float64:
		return complex(v, 0)
	case complex64:
		return complex128(v)
	case complex128:
		return v
	}
	panic(fmt.Sprintf("%T", v))
}

// view returns a batch as an array.
func view(t *testing.T, s shape, b batch) tensor.View {
	t.Helper()
	var flat []complex128
	for _, m := range b.items {
		for _, row := range m {
			flat = append(flat, row...)
		}
	}
	dims := slices.Concat(b.dims, s.dims)
	switch s.dtype {
	case tensor.S32:
		return viewOf(t, flat, dims, func(v complex128) int32 { return int32(real(v)) })
	case tensor.F32:
		return viewOf(t, flat, dims, func(v complex128) float32 { return float32(real(v)) })
	case tensor.F64:
		return viewOf(t, flat, dims, func(v complex128) float64 { return real(v) })
	case tensor.C64:
		return viewOf(t, flat, dims, func(v complex128) complex64 { return complex64(v) })
	}
	return viewOf(t, flat, dims, func(v complex128) complex128 { return v })
}

func viewOf[T tensor.Element](t *testing.T, flat []complex128, dims []int, convert func(complex128) T) tensor.View {
	t.Helper()
	data := make([]T, len(flat))
	for i, v := range flat {
		data[i] = convert(v)
	}
	return check.Must(tensor.FromSlice(data, dims...))
}

// batchOf returns an array as a batch of items with a shape.
func batchOf(v tensor.View, s shape) batch {
	n := len(v.Shape.Dims) - len(s.dims)
	b := batch{dims: v.Shape.Dims[:n]}
	rows, columns := 1, 1
	if len(s.dims) > 0 {
		rows = s.dims[0]
	}
	if len(s.dims) > 1 {
		columns = s.dims[1]
	}
	count := 1
	for _, d := range b.dims {
		count *= d
	}
	for k := range count {
		m := zeros(rows, columns)
		for i := range m {
			for j := range m[i] {
				m[i][j] = number(v.At((k*rows+i)*columns + j))
			}
		}
		b.items = append(b.items, m)
	}
	return b
}

// typeOf returns the MLIR type of an array.
func typeOf(s shape, dims []int) string {
	var b strings.Builder
	b.WriteString("tensor<")
	for _, d := range slices.Concat(dims, s.dims) {
		fmt.Fprintf(&b, "%dx", d)
	}
	return b.String() + map[tensor.DType]string{
		tensor.S32: "i32", tensor.F32: "f32", tensor.F64: "f64", tensor.C64: "complex<f32>",
		tensor.C128: "complex<f64>",
	}[s.dtype] + ">"
}

// layoutOf returns the layout that JAX requests: matrices are column-major.
func layoutOf(s shape, dims []int) string {
	rank := len(dims) + len(s.dims)
	if rank == 0 {
		return "dense<> : tensor<0xindex>"
	}
	var order []string
	for i := rank - 1; i >= 0; i-- {
		order = append(order, fmt.Sprint(i))
	}
	if len(s.dims) == 2 {
		order[0], order[1] = order[1], order[0]
	}
	return fmt.Sprintf("dense<[%s]> : tensor<%dxindex>", strings.Join(order, ", "), rank)
}

// A targetCall is a call of a target with some arguments. All operands have the batch dimensions of the first.
type targetCall struct {
	target, attributes string
	operands, results  []shape
	args               []batch
	check              func(out []batch) // the results
}

func (c *targetCall) dims() []int { return c.args[0].dims }

// types returns the types of arrays of a call.
func (c *targetCall) types(shapes []shape) []string {
	return mapped(shapes, func(s shape) string { return typeOf(s, c.dims()) })
}

func (c *targetCall) layouts(shapes []shape) string {
	return strings.Join(mapped(shapes, func(s shape) string { return layoutOf(s, c.dims()) }), ", ")
}

func mapped[T, R any](list []T, f func(T) R) []R {
	var out []R
	for _, v := range list {
		out = append(out, f(v))
	}
	return out
}

// A program makes calls in one module, because most of the time of these tests is that of compiling.
type program []*targetCall

func (p *program) call(
	target, attributes string, operands, results []shape, args []batch, check func(out []batch),
) {
	*p = append(*p, &targetCall{target, attributes, operands, results, args, check})
}

// module returns a module that makes the calls as JAX does.
func (p program) module() string {
	var params, body, values, outs []string
	for i, c := range p {
		var names []string
		for j, typ := range c.types(c.operands) {
			names = append(names, fmt.Sprintf("%%x%d_%d", i, j))
			params = append(params, names[j]+": "+typ)
		}
		for j := range c.results {
			values = append(values, fmt.Sprintf("%%r%d#%d", i, j))
		}
		results := c.types(c.results)
		outs = append(outs, results...)
		body = append(body, fmt.Sprintf("  %%r%d:%d = stablehlo.custom_call @%s(%s) {backend_config = \"\", "+
			"mhlo.backend_config = {%s}, operand_layouts = [%s], result_layouts = [%s]} : (%s) -> (%s)",
			i, len(results), c.target, list(names), c.attributes, c.layouts(c.operands), c.layouts(c.results),
			list(c.types(c.operands)), list(results)))
	}
	return fmt.Sprintf("func.func @main(%s) -> (%s) {\n%s\n  return %s : %s\n}\n",
		list(params), list(outs), strings.Join(body, "\n"), list(values), list(outs))
}

func list(l []string) string { return strings.Join(l, ", ") }

var client = sync.OnceValues(func() (*bridge.Client, error) {
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		return nil, err
	}
	if err := Register(plugin); err != nil {
		return nil, err
	}
	return plugin.NewClient(bridge.ClientOptions{})
})

// A runner compiles and runs a module.
type runner func(t *testing.T, module string, args []tensor.View) ([]tensor.View, error)

func onXLA(t *testing.T, module string, args []tensor.View) ([]tensor.View, error) {
	e, err := check.Must(client()).Compile(t.Context(), bridge.Source(module),
		engine.CompileOptions{OptimizationLevel: engine.NoOptimization}) // most of the time of these tests was LLVM's
	if err != nil {
		return nil, err
	}
	check.Cleanup(t, e)
	return e.Call(t.Context(), args...)
}

func onJIT(t *testing.T, module string, args []tensor.View) ([]tensor.View, error) {
	e, err := jit.Compile(t.Context(), mlirtest.Parse(t, mlirtest.Context(t), module),
		jit.Options{Foreign: check.Must(Foreign())})
	if err != nil {
		return nil, err
	}
	check.Cleanup(t, e)
	return e.Call(t.Context(), args...)
}

// run runs the program, if its calls are of batches on each engine, and checks the results of each call, in order.
func (p program) run(t *testing.T) {
	t.Helper()
	engines := []runner{onXLA, onJIT}
	if len(p[0].dims()) == 0 {
		engines = engines[:1] // most of the time is that of compiling
	}
	for _, on := range engines {
		out, err := p.tryRun(t, on)
		check.NoError(t, err)
		for i, c := range p {
			c.check(out[i])
		}
	}
}

// tryRun compiles and runs the program, and returns the results of each call.
func (p program) tryRun(t *testing.T, on runner) ([][]batch, error) {
	t.Helper()
	var views []tensor.View
	for _, c := range p {
		for i, a := range c.args {
			views = append(views, view(t, c.operands[i], a))
		}
	}
	results, err := on(t, p.module(), views)
	if err != nil {
		return nil, err
	}
	var out [][]batch
	for _, c := range p {
		var batches []batch
		for i, s := range c.results {
			batches = append(batches, batchOf(results[i], s))
		}
		results = results[len(c.results):]
		out = append(out, batches)
	}
	return out, nil
}

// run runs one call.
func run(t *testing.T, target, attributes string, operands, results []shape, args ...batch) []batch {
	t.Helper()
	out, err := tryRun(t, target, attributes, operands, results, args...)
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return out
}

func tryRun(t *testing.T, target, attributes string, operands, results []shape, args ...batch) ([]batch, error) {
	t.Helper()
	out, err := program{{target, attributes, operands, results, args, nil}}.tryRun(t, onXLA)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// forEach runs a test for each element type and each batch, or with -short for one batch of f64 and c64.
func forEach(t *testing.T, test func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch)) {
	for _, e := range elementTypes {
		for _, dims := range [][]int{nil, {2, 2}, {0}} {
			if testing.Short() && (e.single != e.complex || len(dims) != 2) {
				continue
			}
			t.Run(fmt.Sprint(e.dtype, dims), func(t *testing.T) {
				test(t, e, dims, func(item func() matrix) batch {
					b, n := batch{dims: dims}, 1
					for _, d := range dims {
						n *= d
					}
					for range n {
						b.items = append(b.items, item())
					}
					return b
				})
			})
		}
	}
}

// target returns the name of a target.
func (e elementType) target(routine string) string { return "lapack_" + e.letter + routine + "_ffi" }

// option writes an attribute that is a character.
func option(name string, value byte) string { return fmt.Sprintf("%s = %d : ui8", name, value) }
