// Package programs_test holds small programs to copy from, one in each file. Each
// builds a module, runs it on XLA and prints the outputs. reference.py computes the same
// with JAX and NumPy; its output is testdata/reference.txt.
package programs_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/internal/nativetest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stages"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestMain(m *testing.M) {
	nativetest.Main(m, native.MLIR, native.PJRTPlugin, native.Jaxlib, native.LAPACK)
}

// run builds a module, compiles it and runs it once. The inputs are divided equally among
// the devices that options ask for, in order.
func run(build func(b *builder.Builder), options bridge.CompileOptions, inputs ...tensor.View) []tensor.View {
	return runPasses(mlir.OpenOptions{}, "", build, options, inputs...)
}

// runPasses is run with another library, and with a pipeline of MLIR passes that runs before
// the module is compiled.
func runPasses(open mlir.OpenOptions, pipeline string, build func(b *builder.Builder), options bridge.CompileOptions, inputs ...tensor.View) []tensor.View {
	library, err := mlir.Open(open)
	if err != nil {
		log.Fatal(err) // names the command that fetches the library
	}
	ir := library.NewContext(mlir.ContextOptions{})
	defer ir.Close()
	b := builder.New(ir, builder.Options{})
	build(b)
	module, err := b.Module()
	if err != nil {
		log.Fatal(err) // names the wrong line
	}
	if pipeline != "" {
		if err := passes.Run(module, pipeline); err != nil {
			log.Fatal(err)
		}
	}
	return execute(module, options, inputs...)
}

// execute compiles a module and runs it once. If the plugin cannot call back, a module that devices do not
// share runs in stages.
func execute(module *mlir.Module, options bridge.CompileOptions, inputs ...tensor.View) []tensor.View {
	plugin, err := bridge.Open(bridge.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(bridge.ClientOptions{Devices: 4})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	ctx := context.Background()
	var executable stages.Executable
	if options.Partitions > 1 {
		executable, err = client.Compile(ctx, passes.Program(module, passes.PrepareOptions{}), options)
	} else {
		executable, err = stages.Compile(ctx, module, stages.Options{Devices: stages.On(client)})
	}
	if err != nil {
		log.Fatal(err)
	}
	defer executable.Close()
	results, err := executable.Call(ctx, inputs...)
	if err != nil {
		log.Fatal(err)
	}
	return results
}

// wave returns numbers that look random enough: the sines of first, first+1 …
func wave(first int, dims ...int) tensor.View {
	data := make([]float32, tensor.Shape{Dims: dims}.NumElements())
	for i := range data {
		data[i] = float32(math.Sin(float64(first + i)))
	}
	return array(data, dims...)
}

// array returns a Go slice as an array of the given dimensions.
func array[T tensor.Element](data []T, dims ...int) tensor.View {
	v, err := tensor.FromSlice(data, dims...)
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// show prints an array in the format of reference.py.
func show(name string, v tensor.View) {
	var elements []string
	for i := range v.Shape.NumElements() {
		switch e := v.At(i).(type) {
		case float32, float64:
			elements = append(elements, strings.Replace(fmt.Sprintf("%.4f", e), "-0.0000", "0.0000", 1))
		default:
			elements = append(elements, fmt.Sprint(e))
		}
	}
	fmt.Printf("%s %s: %s\n", name, v.Shape, strings.Join(elements, " "))
}
