package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// worksOn returns the works by name. GoMLX panics where something fails.
func worksOn(backend compute.Backend) (map[string]work, error) {
	double, err := graph.NewExec(backend, func(x *graph.Node) *graph.Node { return graph.Add(x, x) })
	if err != nil {
		return nil, err
	}
	small := tensors.FromFlatDataAndDimensions(make([]float32, 4), 4)
	host := make([]float32, 1<<18)
	shape := shapes.Make(dtypes.Float32, len(host))
	device, err := backend.BufferFromFlatData(0, host, shape)
	if err != nil {
		return nil, err
	}
	step := training(backend)
	return map[string]work{
		"build": repeat(func() {
			g, _ := dense(backend)
			g.Finalize()
		}),
		"compile": func(n int) (took time.Duration) {
			for range n {
				g, outputs := dense(backend)
				start := time.Now()
				check(g.Compile(outputs...))
				took += time.Since(start)
				g.Finalize()
			}
			return took
		},
		"run": repeat(func() {
			y, err := double.Call1(small)
			check(err)
			check(y.FinalizeAll())
		}),
		"step": repeat(step),
		"in": repeat(func() {
			b, err := backend.BufferFromFlatData(0, host, shape)
			check(err)
			check(b.Finalize())
		}),
		"out": repeat(func() { check(device.ToFlatData(host)) }),
	}, nil
}

func repeat(f func()) work {
	return func(n int) time.Duration {
		start := time.Now()
		for range n {
			f()
		}
		return time.Since(start)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

const (
	graphLayers = 20
	width       = 32
	batch       = 64
)

// dense builds a graph of dense layers and their gradients.
func dense(backend compute.Backend) (g *graph.Graph, outputs []*graph.Node) {
	g = graph.NewGraph(backend, "dense")
	x := graph.Parameter(g, "x", shapes.Make(dtypes.Float32, batch, width))
	var weights []*graph.Node
	for i := range graphLayers {
		w := graph.Parameter(g, fmt.Sprint("w", i), shapes.Make(dtypes.Float32, width, width))
		b := graph.Parameter(g, fmt.Sprint("b", i), shapes.Make(dtypes.Float32, 1, width))
		x, weights = graph.Tanh(graph.Add(graph.MatMul(x, w), b)), append(weights, w, b)
	}
	return g, graph.Gradient(graph.ReduceAllMean(graph.Square(x)), weights...)
}

// training returns a training step of a classifier of 64 images of 28 by 28 pixels.
func training(backend compute.Backend) func() {
	const pixels, classes = 28 * 28, 10
	classify := func(scope *model.Scope, _ any, inputs []*graph.Node) []*graph.Node {
		x := graph.Tanh(layers.Dense(scope.In("hidden"), inputs[0], true, 128))
		return []*graph.Node{layers.Dense(scope.In("readout"), x, true, classes)}
	}
	store := model.NewStore()
	trainer := train.NewTrainer(backend, store, classify, loss.SparseCategoricalCrossEntropyLogits,
		optimizer.Adam().Done(), nil, nil)
	images, labels := make([]float32, batch*pixels), make([]int32, batch)
	for i := range images {
		images[i] = rand.Float32()
	}
	for i := range labels {
		labels[i] = rand.Int32N(classes)
	}
	return func() {
		x := tensors.FromFlatDataAndDimensions(images, batch, pixels)
		y := tensors.FromFlatDataAndDimensions(labels, batch, 1)
		metrics, err := trainer.TrainStep(train.Batch{Inputs: []*tensors.Tensor{x}, Labels: []*tensors.Tensor{y}})
		check(err)
		for _, m := range metrics {
			check(m.FinalizeAll())
		}
	}
}
