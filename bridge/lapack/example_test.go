package lapack_test

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/bridge/lapack"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// The module factors a matrix as jax.numpy.linalg.cholesky does: A = L Lᵀ.
func ExampleRegister() {
	const module = `module {
  func.func @main(%a: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>) {
    %r:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {
      backend_config = "", mhlo.backend_config = {uplo = 76 : ui8},
      operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
      result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]
    } : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<i32>)
    return %r#0, %r#1 : tensor<2x2xf64>, tensor<i32>
  }
}`
	ctx := context.Background()
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if err := lapack.Register(plugin); err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(bridge.ClientOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	executable, err := client.Compile(ctx, bridge.Source(module), engine.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer executable.Close()
	a, err := tensor.FromSlice([]float64{4, 0, 2, 5}, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	out, err := executable.Run(ctx, a)
	if err != nil {
		log.Fatal(err)
	}
	for _, buffer := range out {
		v, err := buffer.ToHost(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(v)
	}
	// Output:
	// f64[2,2] [2 0 1 2]
	// s32[] 0
}
