package mlir_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// listsModule has attributes of StableHLO with lists, long enough to hold a count of nine bytes.
const listsModule = `func.func @main(%a: tensor<1x1x1x1x1x1x1x2x3xf32>, %i: tensor<1x1x1x1x1x1x1x2x1xi32>,
    %x: tensor<1x4x4x4x4x4x1xf32>, %w: tensor<1x2x2x2x2x2x1xf32>) {
  %0 = "stablehlo.dot_general"(%a, %a) {dot_dimension_numbers = #stablehlo.dot<
    lhs_batching_dimensions = [0, 1, 2, 3, 4, 5, 6], rhs_batching_dimensions = [0, 1, 2, 3, 4, 5, 6],
    lhs_contracting_dimensions = [7, 8], rhs_contracting_dimensions = [7, 8]>} :
    (tensor<1x1x1x1x1x1x1x2x3xf32>, tensor<1x1x1x1x1x1x1x2x3xf32>) -> tensor<1x1x1x1x1x1x1xf32>
  %1 = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [8], collapsed_slice_dims = [7],
    operand_batching_dims = [0, 1, 2, 3, 4, 5, 6], start_indices_batching_dims = [0, 1, 2, 3, 4, 5, 6],
    start_index_map = [7], index_vector_dim = 8>, slice_sizes = array<i64: 1, 1, 1, 1, 1, 1, 1, 1, 3>} :
    (tensor<1x1x1x1x1x1x1x2x3xf32>, tensor<1x1x1x1x1x1x1x2x1xi32>) -> tensor<1x1x1x1x1x1x1x2x3xf32>
  %2 = "stablehlo.scatter"(%a, %i, %a) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [8], inserted_window_dims = [7],
    input_batching_dims = [0, 1, 2, 3, 4, 5, 6], scatter_indices_batching_dims = [0, 1, 2, 3, 4, 5, 6],
    scatter_dims_to_operand_dims = [7], index_vector_dim = 8>} : (tensor<1x1x1x1x1x1x1x2x3xf32>,
    tensor<1x1x1x1x1x1x1x2x1xi32>, tensor<1x1x1x1x1x1x1x2x3xf32>) -> tensor<1x1x1x1x1x1x1x2x3xf32>
  %3 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, 2, 3, 4, f]x[i, 0, 1, 2, 3, 4, o]->
    [b, 0, 1, 2, 3, 4, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} :
    (tensor<1x4x4x4x4x4x1xf32>, tensor<1x2x2x2x2x2x1xf32>) -> tensor<1x3x3x3x3x3x1xf32>
  return
}`

// TestLyingLists puts a large number over each nine bytes of the attributes in bytecode, in a child process. The
// readers of StableHLO's lists would take memory for what a count says, and abort.
func TestLyingLists(t *testing.T) {
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		c := mlirtest.Context(t)
		m := check.Must(c.Parse("m", []byte(listsModule)))
		data := check.Must(m.Bytecode())
		n, refused := 0, 0
		for _, s := range sectionsOf(data) {
			for at := s.body; s.id == attributeValues && at+9 <= s.end; at++ {
				if n++; n <= start {
					continue
				}
				fmt.Printf("%sbyte %d\n", mlirtest.CaseMark, at-s.body)
				changed := bytes.Clone(data)
				copy(changed[at:], "\x00\xff\xff\xff\xff\xff\xff\xff\x7f")
				if lied, err := c.Parse("lying", changed); err == nil {
					lied.Close()
				} else if strings.Contains(err.Error(), "it states more of something than its bytes can be") {
					refused++
				}
			}
		}
		if start == 0 && refused < 15 {
			t.Errorf("%d of %d were refused for what they state", refused, n)
		}
	})
	c := mlirtest.Context(t)
	m := check.Must(c.Parse("m", []byte(listsModule)))
	again, err := c.Parse("again", check.Must(m.Bytecode()))
	check.NoError(t, err)
	check.Diff(t, "the module", m.String(), again.String())
}
