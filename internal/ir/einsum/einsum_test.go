package einsum_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/einsum"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// TestExpand compares products by labels with sums over all values of all labels.
func TestExpand(t *testing.T) {
	for config, sizes := range map[string]string{
		"ij,jk->ik": "i2 j3 k4", "ij,jk->ki": "i2 j3 k4", "bij,bjk->bik": "b2 i3 j1 k2",
		"i,j->ij": "i2 j3", "ij,ij->": "i2 j3",
		"ii,i->i": "i3", "iij,ji->ij": "i3 j2", "iaibi,ba->ai": "i3 a2 b4", "ij,lk->ik": "i2 j3 k2 l3", ",ij->ji": "i2 j3",
		"i,i->ii": "i3", "ij,j->iji": "i2 j3", "i,->iii": "i3", "ij->ji": "i2 j3", "ij->j": "i2 j3", "iji->j": "i3 j2",
		"ii->": "i4", "i->ii": "i3", "->": "", "ij,jk-> i k": "i2 j3 k3",
	} {
		t.Run(config, func(t *testing.T) {
			size := map[byte]int{}
			var letters []byte
			for _, field := range strings.Fields(sizes) {
				letters = append(letters, field[0])
				size[field[0]] = int(field[1] - '0')
			}
			from, to, _ := strings.Cut(strings.ReplaceAll(config, " ", ""), "->")
			var operands []tensor.View
			var data [][]int32
			for _, labels := range strings.Split(from, ",") {
				dims := dimensions(labels, size)
				list := make([]int32, product(dims))
				for i := range list {
					list[i] = int32(3*i+len(operands)) - 5
				}
				data = append(data, list)
				operands = append(operands, check.Must(tensor.FromSlice(list, dims...)))
			}
			dims := dimensions(to, size)
			want := make([]int32, product(dims))
			for at := range assignments(letters, size) {
				term := int32(1)
				for i, labels := range strings.Split(from, ",") {
					term *= data[i][place(labels, at, size)]
				}
				want[place(to, at, size)] += term
			}
			got := expanded(t, config, operands, dims)
			check.Diff(t, config, check.Must(tensor.FromSlice(want, dims...)), got)
		})
	}
}

// expanded evaluates an einsum that Expand has replaced.
func expanded(t *testing.T, config string, operands []tensor.View, dims []int) tensor.View {
	var parameters, names, types []string
	for i, x := range operands {
		text := arrayType(x.Shape.Dims)
		names, types = append(names, fmt.Sprint("%", i)), append(types, text)
		parameters = append(parameters, fmt.Sprintf("%%%d: %s", i, text))
	}
	name, result := einsum.Names[2-len(operands)], arrayType(dims)
	m := mlirtest.Parse(t, mlirtest.Context(t), fmt.Sprintf(`func.func @main(%s) -> %s {
  %%r = %q(%s) <{einsum_config = %q}> : (%s) -> %[2]s
  return %%r : %[2]s
}`, strings.Join(parameters, ", "), result, name, strings.Join(names, ", "), config, strings.Join(types, ", ")))
	for op := range m.Operation().Index().Named(einsum.Names...) {
		v, err := einsum.Expand(mlir.NewBuilder(mlir.Before(op), op.Location()), op)
		check.NoError(t, err)
		op.Result(0).ReplaceAllUses(v)
		check.NoError(t, op.Erase())
	}
	check.NoError(t, m.Verify())
	return check.Must(stablehlo.Evaluate(m, operands...))[0]
}

func arrayType(dims []int) string {
	text := ""
	for _, n := range dims {
		text += fmt.Sprint(n, "x")
	}
	return "tensor<" + text + "i32>"
}

func dimensions(labels string, size map[byte]int) []int {
	dims := make([]int, len(labels))
	for i := range dims {
		dims[i] = size[labels[i]]
	}
	return dims
}

func product(dims []int) int {
	n := 1
	for _, size := range dims {
		n *= size
	}
	return n
}

// place returns the index of an element in row-major order.
func place(labels string, at, size map[byte]int) (n int) {
	for i := range labels {
		n = n*size[labels[i]] + at[labels[i]]
	}
	return n
}

// assignments yields every choice of a value for each label.
func assignments(labels []byte, size map[byte]int) func(func(map[byte]int) bool) {
	return func(yield func(map[byte]int) bool) {
		total := 1
		for _, l := range labels {
			total *= size[l]
		}
		for k := range total {
			at, rest := map[byte]int{}, k
			for _, l := range labels {
				at[l], rest = rest%size[l], rest/size[l]
			}
			if !yield(at) {
				return
			}
		}
	}
}
