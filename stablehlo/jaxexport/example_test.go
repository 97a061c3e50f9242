package jaxexport_test

import (
	"fmt"
	"log"
	"os"

	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
)

func ExampleRead() {
	data, err := os.ReadFile("testdata/both.jaxexport")
	if err != nil {
		log.Fatal(err)
	}
	e, err := jaxexport.Read(data)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Name, e.Inputs, "->", e.Outputs, "for", e.Platforms)
	// Output: both [f32[b,3]] -> [f32[3]] for [cuda cpu]
}
