package progen

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

func array(d tensor.DType, dims ...int) tensor.View {
	v := tensor.View{Shape: tensor.ShapeOf(d, dims...)}
	v.Data = make([]byte, v.Shape.NumBytes())
	return v
}

// TestElements sets elements of each type, and reads them.
func TestElements(t *testing.T) {
	for _, d := range tensor.DTypes() {
		v := array(d, 2)
		switch {
		case IsInteger(d):
			SetInteger(v, 1, -1)
			want := "0 -1"
			if IsUnsigned(d) {
				want = map[int]string{2: "0 3", 4: "0 15", 8: "0 255", 16: "0 65535", 32: "0 4294967295",
					64: "0 18446744073709551615"}[d.Bits()]
			}
			check.Diff(t, d.String(), d.String()+"[2] ["+want+"]", v.String())
		case d == tensor.Pred:
			SetInteger(v, 1, 1)
			check.Diff(t, "text", "dense<[false, true]>", Dense(v))
		default:
			SetFloat(v, 1, 2, -1)
			want := [2]float64{2}
			if IsComplex(d) {
				want[1] = -1
			}
			check.Diff(t, d.String(), want, Floats(v, 1))
			if IsFloat(d) {
				check.Diff(t, d.String(), 0.5, Number(d, Bits(d, 0.5)))
				check.Diff(t, d.String(), true, math.IsNaN(Number(d, Bits(d, math.NaN()))))
			}
		}
	}
}

func TestText(t *testing.T) {
	check.Diff(t, "type", "tensor<2x3xf32>", Type("f32", 2, 3))
	check.Diff(t, "scalar", "tensor<i1>", Type("i1"))
	v := array(tensor.F32, 2, 1)
	SetFloat(v, 0, -1, 0)
	check.Diff(t, "floats", "dense<[[0xBF800000], [0x00000000]]>", Dense(v))
	v = array(tensor.C64, 1)
	SetFloat(v, 0, 1, 2)
	check.Diff(t, "complex", "dense<[(0x3F800000, 0x40000000)]>", Dense(v))
	check.Diff(t, "empty", "dense<>", Dense(array(tensor.S8, 3, 0)))
	check.Diff(t, "scalar", "dense<0>", Dense(array(tensor.S8)))
}

func TestKeep(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "made")
	check.NoError(t, Keep(folder, "alone", "module {}", nil, nil))
	check.NoError(t, Keep(folder, "both", "module {}", []tensor.View{array(tensor.S8, 2)}, nil))
	var names []string
	for _, f := range check.Must(os.ReadDir(folder)) {
		names = append(names, f.Name())
	}
	check.Diff(t, "files", []string{"alone.mlir", "both.mlir", "both.npz"}, names)
}
