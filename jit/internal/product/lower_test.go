package product_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/internal/nativetest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/jit/internal/product"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.MLIR, native.LAPACK) }

// A dot is a dot_general. Dimensions of the same letter of an operand are those of the batch, or contracted, in the
// order of the letters; small letters are free.
type dot struct {
	typ         string
	left, right string // dimensions, such as "BaK"
	sizes       map[byte]int
}

func (d dot) dims(names string) (list []int) {
	for _, n := range names {
		list = append(list, d.sizes[byte(n)])
	}
	return list
}

// shared returns the dimensions that both operands have, those of the result or the others.
func (d dot) shared(inResult bool) (names string) {
	for _, n := range "BCKL" {
		batch := n == 'B' || n == 'C'
		if strings.ContainsRune(d.left, n) && batch == inResult {
			names += string(n)
		}
	}
	return names
}

func (d dot) result() string {
	free := func(r rune) rune {
		if r < 'a' {
			return -1
		}
		return r
	}
	return d.shared(true) + strings.Map(free, d.left) + strings.Map(free, d.right)
}

func (d dot) module() string {
	typ := func(names string) string {
		text := "tensor<"
		for _, n := range d.dims(names) {
			text += fmt.Sprint(n, "x")
		}
		return text + d.typ + ">"
	}
	places := func(names string) string {
		var left, right []string
		for _, n := range names {
			left = append(left, fmt.Sprint(strings.IndexRune(d.left, n)))
			right = append(right, fmt.Sprint(strings.IndexRune(d.right, n)))
		}
		return "[" + strings.Join(left, ",") + "] x [" + strings.Join(right, ",") + "]"
	}
	return fmt.Sprintf(`func.func @main(%%x: %[1]s, %%y: %[2]s) -> %[3]s {
	%%0 = stablehlo.dot_general %%x, %%y, batching_dims = %[4]s, contracting_dims = %[5]s : (%[1]s, %[2]s) -> %[3]s
	return %%0 : %[3]s
}`, typ(d.left), typ(d.right), typ(d.result()), places(d.shared(true)), places(d.shared(false)))
}

// at returns the place of an element of an array with some dimensions.
func (d dot) at(names string, index map[byte]int) (at int) {
	for i := range names {
		at = at*d.sizes[names[i]] + index[names[i]]
	}
	return at
}

// compute computes the product in the plainest way.
func compute[T float32 | float64 | int32](d dot, x, y []T) []T {
	out := make([]T, tensor.Shape{Dims: d.dims(d.result())}.NumElements())
	all := d.result() + d.shared(false)
	index := map[byte]int{}
	var each func(names string)
	each = func(names string) {
		if names == "" {
			out[d.at(d.result(), index)] += x[d.at(d.left, index)] * y[d.at(d.right, index)]
			return
		}
		for i := range d.sizes[names[0]] {
			index[names[0]] = i
			each(names[1:])
		}
	}
	each(all)
	return out
}

func test[T float32 | float64 | int32](t *testing.T, d dot, replaced bool) {
	t.Helper()
	testAgainst(t, d, replaced, compute[T])
}

// testAgainst compares a product with that which another function computes.
func testAgainst[T float32 | float64 | int32](t *testing.T, d dot, replaced bool, compute func(d dot, x, y []T) []T) {
	t.Helper()
	fill := func(names string) (tensor.View, []T) {
		data := make([]T, tensor.Shape{Dims: d.dims(names)}.NumElements())
		for i := range data {
			data[i] = T(i*7%11 - 5) // sums of products are exact
		}
		return check.Must(tensor.FromSlice(data, d.dims(names)...)), data
	}
	m := mlirtest.Parse(t, mlirtest.Context(t), d.module())
	e := check.Must(jit.Compile(t.Context(), m, jit.Options{}))
	check.Cleanup(t, e)
	x, xs := fill(d.left)
	y, ys := fill(d.right)
	out := check.Must(e.Call(t.Context(), x, y))
	if diff := cmp.Diff(compute(d, xs, ys), check.Must(tensor.Slice[T](out[0]))); diff != "" {
		t.Error(diff)
	}
	check.NoError(t, product.Lower(m))
	if got := !strings.Contains(m.String(), "dot_general"); got != replaced {
		t.Errorf("replaced: %t", got)
	}
}

func TestProducts(t *testing.T) {
	sizes := map[byte]int{'B': 2, 'C': 3, 'a': 13, 'b': 5, 'c': 8, 'd': 4, 'K': 10, 'L': 6}
	for _, d := range []dot{
		{"f32", "aK", "Kb", sizes}, {"f32", "Ka", "Kb", sizes}, {"f32", "aK", "bK", sizes}, {"f32", "Ka", "bK", sizes},
		{"f32", "BaK", "BKb", sizes}, {"f32", "BKa", "BbK", sizes}, {"f64", "BCaK", "BCKb", sizes},
		{"f32", "aBK", "KBb", sizes}, {"f64", "acK", "Kbd", sizes},
		{"f32", "aKL", "KLb", sizes}, {"f32", "aLK", "KLb", sizes}, {"f32", "KaL", "LbK", sizes},
		{"f32", "acKd", "bK", sizes}, {"f32", "CBaK", "BCbK", sizes},
		{"f64", "aK", "K", map[byte]int{'a': 30, 'K': 30}}, {"f32", "K", "Kb", map[byte]int{'b': 30, 'K': 30}},
	} {
		t.Run(d.typ+" "+d.left+" "+d.right, func(t *testing.T) {
			if d.typ == "f64" {
				test[float64](t, d, true)
			} else {
				test[float32](t, d, true)
			}
		})
	}
	t.Run("integers", func(t *testing.T) { test[int32](t, dot{"i32", "aK", "Kb", sizes}, false) })
	t.Run("small", func(t *testing.T) {
		test[float32](t, dot{"f32", "aK", "Kb", map[byte]int{'a': 2, 'K': 3, 'b': 4}}, false)
	})
}

// TestBlocks multiplies matrices that are large enough to be multiplied in blocks, which several threads compute.
func TestBlocks(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const inner = 2000
	for _, size := range [][3]int{{1, 500, 14}, {1, 14, 500}, {9, 21, 35}} {
		batch, rows, columns := size[0], size[1], size[2]
		for _, d := range []dot{{left: "BaK", right: "BKb"}, {left: "BKa", right: "BbK"}} {
			d.typ, d.sizes = "f32", map[byte]int{'B': batch, 'a': rows, 'b': columns, 'K': inner}
			t.Run(fmt.Sprint(d.left, size), func(t *testing.T) {
				place := func(names string, b, i, k, n int) int {
					if names[2] == 'K' {
						return (b*n+i)*inner + k
					}
					return (b*inner+k)*n + i
				}
				testAgainst(t, d, true, func(_ dot, x, y []float32) []float32 {
					out := make([]float32, batch*rows*columns)
					for i := range out {
						b, row, column := i/(rows*columns), i/columns%rows, i%columns
						for k := range inner {
							left := x[place(d.left, b, row, k, rows)]
							out[i] += left * y[place(d.right, b, column, k, columns)]
						}
					}
					return out
				})
			})
		}
	}
}
