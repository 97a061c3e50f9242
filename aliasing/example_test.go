package aliasing_test

import (
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/mlir"
)

// A call returns two arrays. The second one shares the memory of the first operand.
func ExampleResult() {
	ctx := must(mlir.Open(mlir.OpenOptions{})).NewContext(mlir.ContextOptions{})
	defer ctx.Close()
	vector, scalar := must(ctx.ParseType("tensor<4xf32>")), must(ctx.ParseType("tensor<i32>"))
	operands, results := []mlir.Type{vector, scalar}, []mlir.Type{scalar, vector}

	list := aliasing.List{aliasing.Result(1, len(results), 0)}
	fmt.Println(list[0])
	fmt.Println(list.Check(operands, results))

	// A call with one result has no index for it.
	fmt.Println(aliasing.Result(0, 1, 0))

	// The empty path means all results, if there are several.
	list = aliasing.List{{OperandIndex: 0}}
	fmt.Println(list.Check(operands, results))

	// A path leads into results that are tuples.
	nested := must(ctx.ParseType("tuple<tensor<i32>, tuple<tensor<i32>, tensor<4xf32>>>"))
	list = aliasing.List{{OutputTupleIndices: []int64{1, 1}, OperandIndex: 0}}
	fmt.Println(list.Check(operands, []mlir.Type{nested}))

	// Output:
	// #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>
	// <nil>
	// #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>
	// aliasing: alias 0 (output [], operand 0 []): an empty output path means the tuple of all 2 results: use [i] for the i-th one
	// <nil>
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
