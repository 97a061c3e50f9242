package mlir_test

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
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
			b := mlir.NewBuilder(r, at)
			return arith.TruncI(b, to, from[0]), b.Err()
		},
		Target: func(r *mlir.Rewriter, to []mlir.Type, from []mlir.Value, at mlir.Location, _ mlir.Type) ([]mlir.Value,
			error) {
			b := mlir.NewBuilder(r, at)
			return []mlir.Value{arith.ExtSI(b, to[0], from[0])}, b.Err()
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
				b := mlir.NewBuilder(r, op.Location())
				r.Replace(op, arith.AddI(b, operands[0], operands[1]))
				return true, b.Err()
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
