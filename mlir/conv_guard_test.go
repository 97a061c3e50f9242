package mlir_test

import (
	"fmt"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestConvolutionGuard checks that dimension numbers of a convolution that the library cannot print, or for
// which it would allocate memory, are refused in bytecode, too.
func TestConvolutionGuard(t *testing.T) {
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		for i, n := range []int64{1 << 40, -1 << 40, 10_000, 2, 0} {
			if i < start {
				continue
			}
			fmt.Printf("%s%d %d\n", mlirtest.CaseMark, i, n)
			c := mlirtest.Library(t).NewContext(mlir.ContextOptions{AllowUnregistered: true})
			check.NoError(t, c.LoadDialect("stablehlo"))
			m := c.NewModule(mlir.Location{})
			check.Must(mlir.Create(m.Body(), mlir.OperationState{Name: "t.convolution",
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

// TestRawConvolution checks the same of text in which each number has a name.
func TestRawConvolution(t *testing.T) {
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		for i, test := range []struct{ numbers, want string }{
			{"raw input_batch_dimension = 4, input_feature_dimension = 3", ""},
			{"raw input_feature_dimension = 1, input_spatial_dimensions = [1]", ""},
			{"raw input_batch_dimension = -1, input_feature_dimension = 0", ""},
			{"raw input_feature_dimension = 1, output_spatial_dimensions = [9223372036854775807]", ""},
			{"raw input_batch_dimension = 1, kernel_output_feature_dimension = 1, kernel_spatial_dimensions = [2],\n" +
				"output_spatial_dimensions = [1, 2, 3], output_batch_dimension = 4",
				"#stablehlo.conv<[f, b]x[i, o, 0]->[f, 0, 1, 2, b]>"},
		} {
			if i < start {
				continue
			}
			fmt.Printf("%s%d %s\n", mlirtest.CaseMark, i, test.numbers)
			c := mlirtest.Context(t)
			check.NoError(t, c.LoadDialect("stablehlo"))
			text := "#stablehlo.conv<" + test.numbers + ">"
			a, err := c.ParseAttribute(text)
			if test.want != "" {
				check.NoError(t, err)
				check.Diff(t, test.numbers, test.want, a.String())
				continue
			}
			check.Error(t, err, "must name each dimension once")
			_, err = c.Parse("", []byte("module attributes {a.b = "+text+"} {}"))
			check.Error(t, err, "-:1:42: error: the dimension numbers of a convolution must name each dimension once")
		}
	})
}
