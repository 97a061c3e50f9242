package ods

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
)

// The kinds of a tensor<NxMxi64>.
var (
	// Rows pads rows that are shorter than the longest one with -1, as StableHLO represents
	// groups of different sizes.
	Rows = Kind[[][]int64]{func(c *mlir.Context, v [][]int64) (mlir.Attribute, error) {
		width := 0
		for _, row := range v {
			width = max(width, len(row))
		}
		flat := make([]int64, 0, width*len(v))
		for _, row := range v {
			flat = append(flat, row...)
			flat = append(flat, slices.Repeat([]int64{-1}, width-len(row))...)
		}
		return matrix(c, flat, len(v), width)
	}, readRows}
	Pairs = Kind[[][2]int64]{func(c *mlir.Context, v [][2]int64) (mlir.Attribute, error) {
		flat := make([]int64, 0, 2*len(v))
		for _, pair := range v {
			flat = append(flat, pair[:]...)
		}
		return matrix(c, flat, len(v), 2)
	}, func(a mlir.Attribute) ([][2]int64, bool) {
		rows, ok := readRows(a)
		pairs := make([][2]int64, len(rows))
		for i, row := range rows {
			ok = ok && len(row) == 2
			copy(pairs[i][:], row)
		}
		return pairs, ok
	}}
)

func matrix(c *mlir.Context, flat []int64, rows, columns int) (mlir.Attribute, error) {
	t, err := c.TensorType(c.IntegerType(64, mlir.Signless), int64(rows), int64(columns))
	if err != nil {
		return mlir.Attribute{}, err
	}
	return mlir.NewDense(t, flat)
}

// readRows reads a tensor<NxMxi64>, which may be a splat.
func readRows(a mlir.Attribute) ([][]int64, bool) {
	t, ok := a.Type()
	if !ok {
		return nil, false
	}
	dims, ok := t.Dims()
	if !ok || len(dims) != 2 {
		return nil, false
	}
	values, ok := Elements.Read(a)
	if !ok {
		return nil, false
	}
	rows := make([][]int64, dims[0])
	for i := range rows {
		rows[i] = slices.Clone(values[int64(i)*dims[1] : int64(i+1)*dims[1]])
	}
	return rows, true
}
