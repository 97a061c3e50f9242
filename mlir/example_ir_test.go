package mlir_test

import (
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// exampleContext returns a context of the default library.
func exampleContext() *mlir.Context {
	l, err := mlirtest.Default()
	if err != nil {
		log.Fatal(err)
	}
	return l.NewContext(mlir.ContextOptions{AllowUnregistered: true})
}

func exampleModule(c *mlir.Context, text string) *mlir.Module {
	m, err := c.Parse("example.mlir", []byte(text))
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// This example replaces every addition of a value to itself by a multiplication by two.
func Example_rewrite() {
	c := exampleContext()
	defer c.Close()
	m := exampleModule(c, `func.func @f(%x: i32, %two: i32) -> i32 {
  %sum = arith.addi %x, %x : i32
  return %sum : i32
}`)
	for o := range m.Operation().All() {
		if o.Name() != "arith.addi" || !o.Operand(0).Equal(o.Operand(1)) {
			continue
		}
		product, err := mlir.Create(c, mlir.OperationState{
			Name:     "arith.muli",
			Location: o.Location(),
			Operands: []mlir.Value{o.Operand(0), o.Block().Argument(1)},
			Results:  []mlir.Type{o.Result(0).Type()},
		})
		if err != nil {
			log.Fatal(err)
		}
		product = o.Block().InsertBefore(o, product)
		o.Result(0).ReplaceAllUses(product.Result(0))
		if err := o.Erase(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Print(m)
	// Output:
	// module {
	//   func.func @f(%arg0: i32, %arg1: i32) -> i32 {
	//     %0 = arith.muli %arg0, %arg1 : i32
	//     return %0 : i32
	//   }
	// }
}

func ExampleSymbolTable() {
	c := exampleContext()
	defer c.Close()
	m := exampleModule(c, `
func.func private @helper()
func.func @main() {
  call @helper() : () -> ()
  return
}`)
	table := m.SymbolTable()
	if err := table.Rename("helper", "assistant"); err != nil {
		log.Fatal(err)
	}
	for name, o := range table.All() {
		fmt.Println(o.Visibility(), name)
	}
	main, _ := table.Lookup("main")
	fmt.Println(main.Region(0).First().First())
	// Output:
	// private assistant
	// public main
	// func.call @assistant() : () -> ()
}

// This example clones an operation with one value replaced by another.
func ExampleOperation_CloneWith() {
	c := exampleContext()
	defer c.Close()
	m := exampleModule(c, `func.func @f(%x: i32, %y: i32) {
  %0 = arith.addi %x, %x : i32
  return
}`)
	body := m.Body().First().Region(0).First()
	add := body.First()
	var mapping mlir.Mapping
	mapping.Map(body.Argument(0), body.Argument(1))
	body.InsertAfter(add, add.CloneWith(&mapping))
	fmt.Print(m)
	// Output:
	// module {
	//   func.func @f(%arg0: i32, %arg1: i32) {
	//     %0 = arith.addi %arg0, %arg0 : i32
	//     %1 = arith.addi %arg1, %arg1 : i32
	//     return
	//   }
	// }
}

func ExampleLocation_CallSite() {
	c := exampleContext()
	defer c.Close()
	l := c.CallSiteLocation(c.NameLocation("inlined", c.FileLocation("lib.py", 3, 1)), c.FileLocation("main.py", 10, 5))
	callee, caller, _ := l.CallSite()
	name, loc, _ := callee.Name()
	fmt.Println(l.Kind(), name, loc.Position(), "from", caller.Position())
	// Output: call site inlined lib.py:3:1 from main.py:10:5
}

func ExampleContext_OnDiagnostic() {
	c := exampleContext()
	defer c.Close()
	stop := c.OnDiagnostic(func(d mlir.Diagnostic) { fmt.Println(d) })
	defer stop()
	m := exampleModule(c, `"my.op"() : () -> ()`)
	m.Body().First().EmitError("unexpected operation")
	// Output: example.mlir:1:1: error: unexpected operation
}
