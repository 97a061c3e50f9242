package programs_test

import (
	_ "embed"
	"log"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// rnn is the network of the example of a scan, as JAX lowered it.
//
//go:embed testdata/rnn.mlir
var rnn []byte

// A module from JAX is observed while it runs: a tap passes each value of its tanh, in the
// body of the loop, to a Go function. The module computes the same as before.
func Example_taps() {
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	ir := library.NewContext(mlir.ContextOptions{})
	defer ir.Close()
	module, err := ir.Parse("rnn.mlir", rnn)
	if err != nil {
		log.Fatal(err)
	}
	defer module.Close()
	tap := passes.TapSpec{Config: contract.Config{Callback: "hidden"}}
	if _, err := passes.InsertTap(module, passes.ByOp("stablehlo.tanh"), tap); err != nil {
		log.Fatal(err)
	}
	err = callbacks.Default.Register("hidden", func(call *callbacks.Frame) error {
		show("tapped", call.Args[0])
		return nil
	}, callbacks.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer callbacks.Default.Unregister("hidden")
	results := execute(module, bridge.CompileOptions{}, wave(0, 5, 3), wave(60, 3, 3))
	show("last", results[0])
	// Output:
	// tapped f32[3]: 0.0000 0.6866 0.7208
	// tapped f32[3]: 0.2326 -0.6302 -0.7773
	// tapped f32[3]: -0.4096 0.4757 0.7592
	// tapped f32[3]: 0.5345 -0.3453 -0.7555
	// tapped f32[3]: -0.6275 0.2283 0.7567
	// last f32[3]: -0.6275 0.2283 0.7567
}
