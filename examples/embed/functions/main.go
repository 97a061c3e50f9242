// Command functions is a library with Go functions for the programs of hosts that are not
// written in Go:
//
//	go build -buildmode=c-shared -o libfunctions.so ./examples/embed/functions
//
// It has the functions of libcalliope, too, so a host loads this library in its place.
package main

import (
	"context"
	"fmt"
	"os"

	_ "github.com/calliope-mlir/calliope/c/embed"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

func init() {
	for name, fn := range map[string]callbacks.Func{
		"go.triple":    callbacks.Call(triple),
		"go.positive":  callbacks.Call(positive),
		"go.increment": increment,
	} {
		if err := callbacks.Default.Register(name, fn, callbacks.Options{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// triple returns 3x.
func triple(_ context.Context, x tensor.Array[float32]) (tensor.Array[float32], error) {
	y := x.Clone() // x is an array of the program
	for i := range y.Data {
		y.Data[i] *= 3
	}
	return y, nil
}

// positive returns x, and an error if an element is negative.
func positive(_ context.Context, x tensor.Array[float32]) (tensor.Array[float32], error) {
	for i, v := range x.Data {
		if v < 0 {
			return x, fmt.Errorf("element %d is %g, and must not be negative", i, v)
		}
	}
	return x, nil
}

// increment adds 1 to an array of float32. It reads the frame itself, which is the fastest way.
func increment(f *callbacks.Frame) error {
	x, err := tensor.Slice[float32](f.Args[0])
	if err != nil {
		return err
	}
	y, err := tensor.Slice[float32](f.Results[0])
	if err != nil {
		return err
	}
	for i, v := range x {
		y[i] = v + 1
	}
	return nil
}

// A library has no main function.
func main() {}
