// Package stripes is a program of GoMLX: it trains a small convolutional network to tell images of horizontal, vertical
// and diagonal stripes apart. It imports no backend.
package stripes

import (
	"flag"
	"fmt"
	"log"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// Watch has functions that add something to the graphs of the program, or nil.
type Watch struct {
	Loss  func(loss *graph.Node)         // of a training step
	Batch func(batch, right *graph.Node) // of the loop that tests: the number of the batch, and how many are right
}

// options are the flags of the program.
type options struct {
	steps, every int
	rate         float64
	dir          string
}

// Main is the main function of the program.
func Main(w Watch) {
	var o options
	flag.IntVar(&o.steps, "steps", 60, "train to this `step`")
	flag.IntVar(&o.every, "every", 20, "report, and save a checkpoint, every `n` steps")
	flag.Float64Var(&o.rate, "rate", 0.01, "learning `rate`")
	flag.StringVar(&o.dir, "dir", "", "`folder` of checkpoints, to go on from the last one and to save more")
	flag.Parse()
	if err := run(o, w); err != nil {
		log.Fatal(err)
	}
}

func run(o options, w Watch) error {
	backend, err := compute.New()
	if err != nil {
		return err
	}
	defer backend.Finalize()
	store := model.NewStore()
	if err := store.SetRNGStateFromSeed(1); err != nil {
		return err
	}
	saver, err := newSaver(o.dir)
	if err != nil {
		return err
	}
	if o.dir != "" {
		if _, err := checkpoint.Build(store).Dir(o.dir).Done(); err != nil {
			return err
		}
	}
	trainer := train.NewTrainer(backend, store, network, lossOf(w),
		optimizer.Adam().LearningRate(o.rate).Done(), nil, nil)
	loop := train.NewLoop(trainer)
	loop.OnStep("report", 0, func(loop *train.Loop, metrics []*tensors.Tensor) error {
		step := loop.LoopStep + 1
		if step%o.every != 0 && step != o.steps {
			return nil
		}
		fmt.Printf("step %d: loss %.6f\n", step, tensors.ToScalar[float32](metrics[0]))
		return saver.save(store)
	})
	if _, err := loop.RunToGlobalStep(data{first: loop.LoopStep}, o.steps); err != nil {
		return err
	}
	if err := saver.wait(); err != nil {
		return err
	}
	right, err := test(backend, store, w)
	fmt.Printf("right: %.0f of %d\n", right, testBatches*batchSize)
	return err
}

// network returns the logits of a batch of images.
func network(scope *model.Scope, images *graph.Node) *graph.Node {
	x := layers.Convolution(scope.In("first"), images).Channels(8).KernelSize(3).PadSame().Done()
	x = graph.MaxPool(activation.Relu(x)).Window(2).Done()
	x = layers.Convolution(scope.In("second"), x).Channels(16).KernelSize(3).PadSame().Done()
	x = graph.ReduceMean(activation.Relu(x), 1, 2)
	return layers.DenseWithBias(scope.In("logits"), x, kinds)
}

// lossOf returns the mean cross entropy, watched.
func lossOf(w Watch) train.LossFn {
	return func(labels, logits []*graph.Node) *graph.Node {
		mean := graph.ReduceAllMean(loss.SparseCategoricalCrossEntropyLogits(labels, logits))
		if w.Loss != nil {
			w.Loss(mean)
		}
		return mean
	}
}
