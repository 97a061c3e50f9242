package vmap_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/vmap"
)

// noNumbers are not smooth, have no interpreter, or no text that can be read again. Nor is a product over nothing
// interpreted.
var noNumbers = []string{"clamp", "cholesky", "top_k", "dynamic_slice of rank 0", "dynamic_update_slice of rank 0"}

// TestSizes makes derivatives and batches of operations of arrays without elements, with one, and of rank 0, and
// batches of the derivatives. The derivatives are those of finite differences. N is the size.
func TestSizes(t *testing.T) {
	for name, body := range map[string]string{
		"reduce": `%r = stablehlo.reduce(%x init: %z) applies stablehlo.OP across dimensions = [0]
			: (tensor<Nx2xf64>, tensor<f64>) -> tensor<2xf64>`,
		"reduce all": `%r = stablehlo.reduce(%x init: %z) applies stablehlo.OP across dimensions = [0, 1]
			: (tensor<Nx2xf64>, tensor<f64>) -> tensor<f64>`,
		"sort": `%r = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
			^bb0(%a: tensor<f64>, %b: tensor<f64>):
				%p = stablehlo.compare LT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
				stablehlo.return %p : tensor<i1>
			}) : (tensor<Nx2xf64>) -> tensor<Nx2xf64>`,
		"concatenate": `%r = stablehlo.concatenate %x, %x, dim = 0
			: (tensor<Nx2xf64>, tensor<Nx2xf64>) -> tensor<?x2xf64>`,
		"pad": `%r = stablehlo.pad %x, %z, low = [1, 0], high = [0, 0], interior = [0, 0]
			: (tensor<Nx2xf64>, tensor<f64>) -> tensor<?x2xf64>`,
		"reverse":   `%r = stablehlo.reverse %x, dims = [0] : tensor<Nx2xf64>`,
		"transpose": `%r = stablehlo.transpose %x, dims = [1, 0] : (tensor<Nx2xf64>) -> tensor<2xNxf64>`,
		"slice":     `%r = stablehlo.slice %x [0:N, 0:1] : (tensor<Nx2xf64>) -> tensor<Nx1xf64>`,
		"dot": `%r = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0]
			: (tensor<Nx2xf64>, tensor<Nx2xf64>) -> tensor<2x2xf64>`,
		"outer": `%r = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1]
			: (tensor<Nx2xf64>, tensor<Nx2xf64>) -> tensor<NxNxf64>`,
		"select": `%p = stablehlo.compare GT, %x, %x : (tensor<Nx2xf64>, tensor<Nx2xf64>) -> tensor<Nx2xi1>
			%r = stablehlo.select %p, %x, %x : tensor<Nx2xi1>, tensor<Nx2xf64>`,
		"clamp": `%r = stablehlo.clamp %z, %x, %z : (tensor<f64>, tensor<Nx2xf64>, tensor<f64>) -> tensor<Nx2xf64>`,
		"gather": `%i = stablehlo.constant dense<0> : tensor<Nx1xi32>
			%r = "stablehlo.gather"(%v, %i) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
				start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}
				: (tensor<3xf64>, tensor<Nx1xi32>) -> tensor<Nxf64>`,
		"scatter": `%i = stablehlo.constant dense<0> : tensor<Nx1xi32>
			%s = stablehlo.slice %x [0:N, 0:1] : (tensor<Nx2xf64>) -> tensor<Nx1xf64>
			%u = stablehlo.reshape %s : (tensor<Nx1xf64>) -> tensor<Nxf64>
			%r = "stablehlo.scatter"(%v, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
				inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
			^bb0(%a: tensor<f64>, %b: tensor<f64>):
				stablehlo.return %b : tensor<f64>
			}) : (tensor<3xf64>, tensor<Nx1xi32>, tensor<Nxf64>) -> tensor<3xf64>`,
		"dynamic_slice of rank 0": `%r = stablehlo.dynamic_slice %z, sizes = [] : (tensor<f64>) -> tensor<f64>`,
		"dynamic_update_slice of rank 0": `%r = stablehlo.dynamic_update_slice %z, %z
			: (tensor<f64>, tensor<f64>) -> tensor<f64>`,
		"cumulative": `%r = "stablehlo.reduce_window"(%v, %z) <{window_dimensions = array<i64: 3>,
				padding = dense<[[2, 0]]> : tensor<1x2xi64>}> ({
			^bb0(%a: tensor<f64>, %b: tensor<f64>):
				%p = stablehlo.OP %a, %b : tensor<f64>
				stablehlo.return %p : tensor<f64>
			}) : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>`,
		"top_k": `%t = stablehlo.transpose %x, dims = [1, 0] : (tensor<Nx2xf64>) -> tensor<2xNxf64>
			%r:2 = chlo.top_k(%t, k = N) : tensor<2xNxf64> -> (tensor<2xNxf64>, tensor<2xNxi32>)`,
		"cholesky": `%d = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1]
				: (tensor<Nx2xf64>, tensor<Nx2xf64>) -> tensor<NxNxf64>
			%r = stablehlo.cholesky %d, lower = true : tensor<NxNxf64>`,
	} {
		for _, size := range []int{0, 1, 2} {
			for _, op := range []string{"add", "multiply", "maximum"} {
				if !strings.Contains(body, "OP") && op != "add" {
					continue
				}
				t.Run(fmt.Sprint(name, " ", op, " ", size), func(t *testing.T) {
					extra := map[bool]int{true: 1, false: size}[name == "pad"] // the result's further rows
					text := strings.NewReplacer(
						"<NxNx", fmt.Sprintf("<%dx%[1]dx", size),
						"OP", op, "?x", fmt.Sprint(size+extra, "x"), "xNx", fmt.Sprintf("x%dx", size),
						"<Nx", fmt.Sprintf("<%dx", size), "0:N", fmt.Sprintf("0:%d", size),
						"k = N", fmt.Sprint("k = ", size), "<Nxf64", fmt.Sprintf("<%dxf64", size)).Replace(body)
					result := text[strings.LastIndex(text, "tensor<"):]
					if name == "top_k" {
						result = fmt.Sprintf("tensor<2x%dxf64>", size)
					}
					returned := map[bool]string{true: "%r#0", false: "%r"}[name == "top_k"]
					m := parse(t, fmt.Sprintf(`func.func @main(
						%%x: tensor<%dx2xf64>, %%v: tensor<3xf64>, %%z: tensor<f64>
					) -> %s {
						%s
						return %s : %[2]s
					}`, size, result, text, returned))
					f := function(t, m, "main")
					jvp, err := autodiff.JVP(f, autodiff.Options{})
					check.NoError(t, err)
					_, backward, err := autodiff.VJP(f, autodiff.Options{})
					check.NoError(t, err)
					_, err = vmap.Batch(f, vmap.Options{Size: 1})
					check.NoError(t, err)
					_, err = vmap.Batch(jvp, vmap.Options{Size: 2})
					check.NoError(t, err)
					_, err = vmap.Batch(backward, vmap.Options{Size: 2})
					check.NoError(t, err)
					check.NoError(t, m.Verify())
					if slices.Contains(noNumbers, name) || size == 0 && (name == "dot" || name == "outer") {
						return
					}
					var arguments []tensor.View
					r := rand.New(rand.NewPCG(1, 2))
					for _, dims := range [][]int{{size, 2}, {3}, {}} {
						list := make([]float64, tensor.ShapeOf(tensor.F64, dims...).NumElements())
						for i := range list {
							list[i] = 2*r.Float64() - 1
						}
						arguments = append(arguments, check.Must(tensor.FromSlice(list, dims...)))
					}
					check.NoError(t, autodiff.Check(f, autodiff.Options{},
						func(f mlir.Operation, arguments ...tensor.View) ([]tensor.View, error) {
							return evaluate(t, f)(arguments...), nil
						}, arguments...))
				})
			}
		}
	}
}
