package stablehlo_test

import (
	"fmt"
	"log"
	"os"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
	"github.com/calliope-mlir/calliope/tensor"
)

// A file of jax.export, for two platforms and with a symbolic dimension, becomes a module
// for one platform and arguments of one shape.
func ExampleRefine() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	data, err := os.ReadFile("jaxexport/testdata/both.jaxexport")
	if err != nil {
		log.Fatal(err)
	}
	exported, err := jaxexport.Read(data)
	if err != nil {
		log.Fatal(err)
	}
	m, err := c.Parse(exported.Name, exported.Module)
	if err != nil {
		log.Fatal(err)
	}
	cpu, ok := exported.PlatformIndex("cpu")
	if !ok {
		log.Fatal("it is not for CPUs")
	}
	if err := stablehlo.SelectPlatform(m, cpu); err != nil {
		log.Fatal(err)
	}
	refined, err := stablehlo.Refine(m, tensor.ShapeOf(tensor.F32, 5, 3))
	if err != nil {
		log.Fatal(err)
	}
	main, _ := refined.SymbolTable().Lookup("main")
	signature, _ := main.Attribute("function_type")
	fmt.Println(signature)

	_, err = stablehlo.Refine(m, tensor.ShapeOf(tensor.F32, 5, 4))
	fmt.Println(err)
	// Output:
	// (tensor<5x3xf32>) -> tensor<3xf32>
	// stablehlo: refining argument 0 of main: dimension 1 of tensor<?x3xf32> is 3, but f32[5,4] is given
}
