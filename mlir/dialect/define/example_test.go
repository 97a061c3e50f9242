package define_test

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/define"
)

// The dialect has a type with a parameter and an operation with a condition in Go. The operands
// share a constraint, so they are of the same type.
func ExampleDialect_Load() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	money := define.Instance("shop.money", define.Anything())
	err = define.Dialect{
		Name:  "shop",
		Types: []define.Parametric{{Name: "money", Params: []define.Part{{Name: "currency"}}}},
		Operations: []define.Operation{{
			Name:       "pay",
			Operands:   []define.Part{{Name: "price", Is: money}, {Name: "tip", Is: money}},
			Attributes: []define.Part{{Name: "table"}},
			Verify: func(o mlir.Operation) error {
				table, _ := o.Attribute("table")
				if n, ok := table.Int(); !ok || n < 1 {
					return fmt.Errorf("there is no table %v", table)
				}
				return nil
			},
		}},
	}.Load(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{
		`func.func @f(%a: !shop.money<"EUR">) { "shop.pay"(%a, %a) {table = 3} : (!shop.money<"EUR">, !shop.money<"EUR">) -> () return }`,
		`func.func @f(%a: !shop.money<"EUR">) { "shop.pay"(%a, %a) {table = 0} : (!shop.money<"EUR">, !shop.money<"EUR">) -> () return }`,
		`func.func @f(%a: !shop.money<"EUR">, %b: !shop.money<"USD">) { "shop.pay"(%a, %b) {table = 3} : (!shop.money<"EUR">, !shop.money<"USD">) -> () return }`,
	} {
		_, err := c.Parse("shop.mlir", []byte(text))
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// mlir: parse failed: shop.mlir:1:40: error: there is no table 0 : i64
	// mlir: parse failed: shop.mlir:1:64: error: expected '!shop.money<"EUR">' but got '!shop.money<"USD">'
	//   shop.mlir:1:64: note: see current operation: "shop.pay"(%arg0, %arg1) {table = 3 : i64} : (!shop.money<"EUR">, !shop.money<"USD">) -> ()
}
