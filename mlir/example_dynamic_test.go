package mlir_test

import (
	"fmt"

	"github.com/calliope-mlir/calliope/mlir"
)

// A dialect is described with operations of the irdl dialect, and its conditions are completed
// in Go.
func ExampleContext_AddVerifier() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	dialect, err := c.Parse("traffic.irdl.mlir", []byte(`
irdl.dialect @traffic {
  irdl.operation @wait {
    %any = irdl.any
    irdl.attributes { "seconds" = %any }
  }
  irdl.operation @arrive {}
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := c.LoadIRDL(dialect); err != nil {
		fmt.Println(err)
		return
	}
	if err := c.AddTraits("traffic.arrive", mlir.TraitTerminator); err != nil {
		fmt.Println(err)
		return
	}
	err = c.AddVerifier("traffic.wait", func(o mlir.Operation) error {
		seconds, _ := o.Attribute("seconds")
		if n, ok := seconds.Int(); !ok || n > 60 {
			return fmt.Errorf("no one waits for %v seconds", seconds)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = c.Parse("trip.mlir", []byte(`"traffic.wait"() { seconds = 90 : i32 } : () -> ()`))
	fmt.Println(err)
	// Output:
	// mlir: parse failed: trip.mlir:1:1: error: no one waits for 90 : i32 seconds
}
