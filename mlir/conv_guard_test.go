package mlir_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestConvolutionGuard checks that large dimension numbers of a convolution, for each of which the library
// would allocate memory, are refused in bytecode, too.
func TestConvolutionGuard(t *testing.T) {
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		for i, n := range []int64{1 << 40, -1 << 40, 10_000, 0} {
			if i < start {
				continue
			}
			fmt.Printf("%s%d %d\n", mlirtest.CaseMark, i, n)
			c := mlirtest.Library(t).NewContext(mlir.ContextOptions{AllowUnregistered: true})
			check.NoError(t, c.LoadDialect("stablehlo"))
			m := c.NewModule(mlir.Location{})
			check.Must(m.Body().Create(mlir.OperationState{Name: "t.convolution",
				Attributes: []mlir.NamedAttribute{{Name: "a", Value: mlir.ConvolutionNumbers(c, n)}}}))
			data := check.Must(m.Bytecode())
			read, err := c.Parse("", data)
			if err != nil {
				fmt.Println("refused", err)
			} else {
				fmt.Println("printed", len(read.String()))
			}
			if want := n != 0; (err != nil) != want {
				t.Errorf("%d: %v", n, err)
			}
		}
	})
}
