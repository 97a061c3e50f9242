package affine_test

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// ExampleMap composes a tiling with a transposition.
func ExampleMap() {
	l, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := l.NewContext(mlir.ContextOptions{})
	defer c.Close()
	i, four := affine.Dim(c, 0), affine.Constant(c, 4)
	tile := affine.NewMap(c, 1, 0, i.FloorDiv(four), i.Mod(four))
	m := affine.Permutation(c, 1, 0).Compose(tile)
	at, _ := m.Eval([]int64{11}, nil)
	fmt.Println(m, at)
	// Output: (d0) -> (d0 mod 4, d0 floordiv 4) [3 2]
}
