// Package wave has numbers for the example programs. examples/reference.py has the same.
package wave

import (
	"math"

	"github.com/calliope-mlir/calliope/tensor"
)

// Of returns an array with the sines of first, first+1 …, which look random enough.
func Of(first int, dims ...int) tensor.View {
	data := make([]float32, tensor.Shape{Dims: dims}.NumElements())
	for i := range data {
		data[i] = float32(math.Sin(float64(first + i)))
	}
	v, err := tensor.FromSlice(data, dims...)
	if err != nil {
		panic(err) // a negative dimension
	}
	return v
}
