package stripes

import (
	"iter"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"
)

const (
	batchSize   = 32
	size        = 8 // of an image
	kinds       = 3 // of stripes
	testBatches = 4
)

// data is an endless dataset: the batch of a step is always the same.
type data struct{ first int }

// Name returns the name of the dataset.
func (data) Name() string { return "stripes" }

// Iter returns the batches from the first step on.
func (d data) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		for step := d.first; ; step++ {
			images, labels := stripes(uint64(step), batchSize)
			if !yield(train.Batch{Inputs: []*tensors.Tensor{images}, Labels: []*tensors.Tensor{labels}}, nil) {
				return
			}
		}
	}
}

// stripes returns n noisy images, of shape [n, size, size, 1], and their kinds, of shape [n, 1].
func stripes(seed uint64, n int) (images, labels *tensors.Tensor) {
	random := rand.New(rand.NewPCG(seed, 1))
	pixels, of := make([]float32, 0, n*size*size), make([]int32, n)
	for i := range of {
		kind, phase := random.IntN(kinds), random.IntN(4)
		of[i] = int32(kind)
		for y := range size {
			for x := range size {
				at := []int{y, x, x + y}[kind] + phase
				pixels = append(pixels, float32(at/2%2)+0.5*float32(random.NormFloat64()))
			}
		}
	}
	return tensors.FromFlatDataAndDimensions(pixels, n, size, size, 1), tensors.FromFlatDataAndDimensions(of, n, 1)
}
