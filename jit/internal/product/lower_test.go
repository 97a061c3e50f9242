package product_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/jit/internal/product"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.MLIR) }

// A dot is a dot_general. Dimensions of the same letter of an operand are those of the batch, or contracted, in the
// order of the letters; small letters are free.
type dot struct {
	operand, typ string // of the elements of the operands and of the result
	left, right  string // dimensions, such as "BaK"
	sizes        map[byte]int
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

// module returns a module that computes the product of arrays of f32.
func (d dot) module() string {
	typ := func(names, element string) string {
		text := "tensor<"
		for _, n := range d.dims(names) {
			text += fmt.Sprint(n, "x")
		}
		return text + element + ">"
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
	%%0 = stablehlo.convert %%x : (%[1]s) -> %[4]s
	%%1 = stablehlo.convert %%y : (%[2]s) -> %[5]s
	%%2 = stablehlo.dot_general %%0, %%1, batching_dims = %[7]s, contracting_dims = %[8]s : (%[4]s, %[5]s) -> %[6]s
	%%3 = stablehlo.convert %%2 : (%[6]s) -> %[3]s
	return %%3 : %[3]s
}`, typ(d.left, "f32"), typ(d.right, "f32"), typ(d.result(), "f32"), typ(d.left, d.operand), typ(d.right, d.operand),
		typ(d.result(), d.typ), places(d.shared(true)), places(d.shared(false)))
}

// at returns the place of an element of an array with some dimensions.
func (d dot) at(names string, index map[byte]int) (at int) {
	for i := range names {
		at = at*d.sizes[names[i]] + index[names[i]]
	}
	return at
}

// compute computes the product in the plainest way.
func (d dot) compute(x, y []float32) []float32 {
	out := make([]float32, tensor.Shape{Dims: d.dims(d.result())}.NumElements())
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

func (d dot) test(t *testing.T, replaced bool) {
	t.Helper()
	d.testAgainst(t, replaced, d.compute)
}

// testAgainst compares a product with that which another function computes.
func (d dot) testAgainst(t *testing.T, replaced bool, compute func(x, y []float32) []float32) {
	t.Helper()
	fill := func(names string) (tensor.View, []float32) {
		data := make([]float32, tensor.Shape{Dims: d.dims(names)}.NumElements())
		for i := range data {
			data[i] = float32(i*7%11 - 5) // sums of products are exact
			if strings.HasPrefix(d.operand, "u") {
				data[i] += 200
			}
		}
		return check.Must(tensor.FromSlice(data, d.dims(names)...)), data
	}
	m := mlirtest.Parse(t, mlirtest.Context(t), d.module())
	e := check.Must(jit.Compile(t.Context(), m, jit.Options{}))
	check.Cleanup(t, e)
	x, xs := fill(d.left)
	y, ys := fill(d.right)
	out := check.Must(e.Call(t.Context(), x, y))
	if diff := cmp.Diff(compute(xs, ys), check.Must(tensor.Slice[float32](out[0]))); diff != "" {
		t.Error(diff)
	}
	check.NoError(t, product.Lower(m))
	if got := !strings.Contains(m.String(), "dot_general"); got != replaced {
		t.Errorf("replaced: %t", got)
	}
}

func (d dot) name() string {
	return fmt.Sprintf("%s %s %s %s %v", d.operand, d.typ, d.left, d.right, d.sizes)
}

func TestProducts(t *testing.T) {
	sizes := map[byte]int{'B': 2, 'C': 3, 'a': 13, 'b': 5, 'c': 8, 'd': 4, 'K': 10, 'L': 6}
	for _, d := range []dot{
		{"f32", "f32", "aK", "Kb", sizes}, {"f32", "f32", "Ka", "Kb", sizes}, {"f32", "f32", "aK", "bK", sizes},
		{"f32", "f32", "Ka", "bK", sizes}, {"f32", "f32", "BaK", "BKb", sizes}, {"f32", "f32", "BKa", "BbK", sizes},
		{"f64", "f64", "BCaK", "BCKb", sizes}, {"f32", "f32", "aBK", "KBb", sizes}, {"f64", "f64", "acK", "Kbd", sizes},
		{"f32", "f32", "aKL", "KLb", sizes}, {"f32", "f32", "aLK", "KLb", sizes}, {"f32", "f32", "KaL", "LbK", sizes},
		{"f32", "f32", "acKd", "bK", sizes}, {"f32", "f32", "CBaK", "BCbK", sizes},
	} {
		t.Run(d.name(), func(t *testing.T) { d.test(t, true) })
	}
}

func TestTypes(t *testing.T) {
	sizes := map[byte]int{'a': 13, 'b': 70, 'K': 10}
	for _, types := range [][2]string{{"i8", "i32"}, {"i16", "i16"}, {"i32", "i32"}, {"i64", "i64"}, {"ui8", "ui32"},
		{"ui16", "ui64"}, {"ui32", "ui32"}, {"f16", "f16"}, {"bf16", "bf16"}, {"bf16", "f32"}, {"f16", "f64"}, {"f32", "f64"}} {
		for _, right := range []string{"Kb", "bK"} {
			d := dot{types[0], types[1], "aK", right, sizes}
			t.Run(d.name(), func(t *testing.T) { d.test(t, true) })
		}
	}
}

// TestSizes tests products at the edges of what is computed at a time.
func TestSizes(t *testing.T) {
	for _, sizes := range [][3]int{
		{18, 16, 256}, {40, 15, 1}, {13, 33, 257}, {12, 8, 520}, {200, 17, 3}, {193, 2, 5}, {13, 1041, 5}, {24, 31, 9},
		{25, 32, 256}, {23, 1025, 260},
	} {
		for _, operands := range [][2]string{{"aK", "Kb"}, {"Ka", "bK"}, {"BaK", "BKb"}} {
			sizes := map[byte]int{'B': 2, 'a': sizes[0], 'b': sizes[1], 'K': sizes[2]}
			for _, d := range []dot{
				{"f32", "f32", operands[0], operands[1], sizes}, {"f64", "f64", operands[0], operands[1], sizes}} {
				t.Run(d.name(), func(t *testing.T) { d.test(t, true) })
			}
		}
	}
}

// TestStay tests products that are not replaced.
func TestStay(t *testing.T) {
	for _, d := range []dot{
		{"f32", "f32", "aK", "Kb", map[byte]int{'a': 2, 'K': 3, 'b': 4}},
		{"f32", "f32", "BaK", "BKb", map[byte]int{'B': 0, 'a': 30, 'b': 30, 'K': 30}},
		{"f32", "f32", "aK", "Kb", map[byte]int{'a': 30, 'b': 30, 'K': 0}},
		{"f64", "f64", "aK", "K", map[byte]int{'a': 30, 'K': 30}},
		{"f32", "f32", "aK", "Kb", map[byte]int{'a': 3, 'b': 30, 'K': 30}},
		{"f32", "f32", "aK", "bK", map[byte]int{'a': 11, 'b': 30, 'K': 30}},
		{"f32", "f32", "K", "Kb", map[byte]int{'b': 30, 'K': 30}},
	} {
		t.Run(d.name(), func(t *testing.T) { d.test(t, false) })
	}
}

// TestBlocks multiplies matrices that are large enough to be multiplied in blocks, which several threads compute.
func TestBlocks(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const inner = 2000
	for _, size := range [][3]int{{1, 500, 14}, {1, 14, 500}, {1, 700, 33}, {9, 21, 35}} {
		batch, rows, columns := size[0], size[1], size[2]
		for _, d := range []dot{{left: "BaK", right: "BKb"}, {left: "BKa", right: "BbK"}} {
			d.operand, d.typ, d.sizes = "f32", "f32", map[byte]int{'B': batch, 'a': rows, 'b': columns, 'K': inner}
			t.Run(fmt.Sprint(d.left, size), func(t *testing.T) {
				place := func(names string, b, i, k, n int) int {
					if names[2] == 'K' {
						return (b*n+i)*inner + k
					}
					return (b*inner+k)*n + i
				}
				d.testAgainst(t, true, func(x, y []float32) []float32 {
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
