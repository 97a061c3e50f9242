package mlir_test

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// The operations of one dialect become those of another, and 32-bit integers become 64-bit
// ones. The function keeps its type, so values are converted at its start and end.
func ExampleConversion() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m, err := c.Parse("example.mlir", []byte(`func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %0, %b : i32
  return %1 : i32
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	narrow, wide := c.IntegerType(32, mlir.Signless), c.IntegerType(64, mlir.Signless)
	types := &mlir.TypeConverter{
		Convert: func(t mlir.Type) ([]mlir.Type, bool) {
			if t == narrow {
				t = wide
			}
			return []mlir.Type{t}, true
		},
		Source: func(r *mlir.Rewriter, to mlir.Type, from []mlir.Value, at mlir.Location) (mlir.Value, error) {
			op, err := r.Create(mlir.OperationState{Name: "arith.trunci", Operands: from, Results: []mlir.Type{to}, Location: at})
			if err != nil {
				return mlir.Value{}, err
			}
			return op.Result(0), nil
		},
		Target: func(r *mlir.Rewriter, to []mlir.Type, from []mlir.Value, at mlir.Location, _ mlir.Type) ([]mlir.Value, error) {
			op, err := r.Create(mlir.OperationState{Name: "arith.extsi", Operands: from, Results: to, Location: at})
			if err != nil {
				return nil, err
			}
			return op.ResultValues(), nil
		},
	}
	conversion, err := c.NewConversion(
		mlir.ConversionTarget{
			Legal: []string{"builtin", "func", "arith"},
			Dynamic: map[string]func(mlir.Operation) bool{
				"arith.addi": func(op mlir.Operation) bool { return op.Result(0).Type() == wide },
			},
		},
		mlir.ConversionPattern{Name: "widen", Op: "arith.addi", Types: types,
			Convert: func(op mlir.Operation, operands []mlir.Value, r *mlir.ConversionRewriter) (bool, error) {
				sum, err := r.Create(mlir.OperationState{Name: "arith.addi", Operands: operands, Results: []mlir.Type{wide}, Location: op.Location()})
				if err != nil {
					return false, err
				}
				r.ReplaceWith(op, sum)
				return true, nil
			}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conversion.Close()
	if err := conversion.Apply(m, mlir.ConversionOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(m)
	// Output:
	// module {
	//   func.func @f(%arg0: i32, %arg1: i32) -> i32 {
	//     %0 = arith.extsi %arg1 : i32 to i64
	//     %1 = arith.extsi %arg0 : i32 to i64
	//     %2 = arith.addi %1, %0 : i64
	//     %3 = arith.addi %2, %0 : i64
	//     %4 = arith.trunci %3 : i64 to i32
	//     return %4 : i32
	//   }
	// }
}
