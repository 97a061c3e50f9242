package lapack

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/internal/check"
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

// module returns a module that calls a target as JAX does.
func module(target, attributes string, dims []int, operands, results []shape) string {
	var names, params, types, outs, inLayouts, outLayouts []string
	for i, s := range operands {
		names = append(names, fmt.Sprintf("%%x%d", i))
		types = append(types, typeOf(s, dims))
		params = append(params, fmt.Sprintf("%%x%d: %s", i, typeOf(s, dims)))
		inLayouts = append(inLayouts, layoutOf(s, dims))
	}
	var values []string
	for i, s := range results {
		outs = append(outs, typeOf(s, dims))
		outLayouts = append(outLayouts, layoutOf(s, dims))
		values = append(values, fmt.Sprintf("%%r#%d", i))
	}
	list := func(l []string) string { return strings.Join(l, ", ") }
	return fmt.Sprintf(`module {
 func.func @main(%s) -> (%s) {
  %%r:%d = stablehlo.custom_call @%s(%s) {backend_config = "", mhlo.backend_config = {%s}, operand_layouts = [%s], result_layouts = [%s]} : (%s) -> (%s)
  return %s : %s
 }
}`, list(params), list(outs), len(results), target, list(names), attributes, list(inLayouts), list(outLayouts), list(types), list(outs), list(values), list(outs))
}

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

// run compiles a call of a target and runs it. All operands have the batch dimensions of the
// first.
func run(t *testing.T, target, attributes string, operands []shape, results []shape, args ...batch) []batch {
	t.Helper()
	out, err := tryRun(t, target, attributes, operands, results, args...)
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return out
}

func tryRun(
	t *testing.T, target, attributes string, operands []shape, results []shape, args ...batch,
) ([]batch, error) {
	t.Helper()
	c := check.Must(client())
	dims := args[0].dims
	program := module(target, attributes, dims, operands, results)
	e, err := c.Compile(t.Context(), bridge.Source(program),
		bridge.CompileOptions{OptimizationLevel: bridge.NoOptimization}) // most of the time of these tests was LLVM's
	if err != nil {
		return nil, err
	}
	check.Cleanup(t, e)
	var views []bridge.Input
	for i, a := range args {
		views = append(views, view(t, operands[i], a))
	}
	out, err := e.Run(t.Context(), views...)
	if err != nil {
		return nil, err
	}
	var batches []batch
	for i, b := range out {
		v := check.Must(b.ToHost(t.Context()))
		check.NoError(t, b.Close())
		batches = append(batches, batchOf(v, results[i]))
	}
	return batches, nil
}

// forEach runs a test for each element type and each batch.
func forEach(t *testing.T, test func(t *testing.T, e elementType, dims []int, make func(func() matrix) batch)) {
	for _, e := range elementTypes {
		for _, dims := range [][]int{nil, {2, 2}, {0}} {
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
