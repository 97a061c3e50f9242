// Cnn trains a convolutional network in a loop on the device. It calls Go for batches, prints, checks and checkpoints.
package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/nn"
	"github.com/calliope-mlir/calliope/optim"
	"github.com/calliope-mlir/calliope/tensor"
)

const batch, size, classes, steps = 32, 12, 3, 100

type value = builder.Value
type params[T any] struct{ Conv1, Conv2, Dense T }
type examples[T, U any] struct {
	Images T
	Labels U
}

// next returns the examples of a step.
func next(_ context.Context, step int32) (e examples[tensor.Array[float32], []int32], _ error) {
	e.Labels = make([]int32, batch)
	e.Images = tensor.Array[float32]{Dims: []int{batch, size, size, 1}, Data: make([]float32, batch*size*size)}
	for i := range e.Images.Data {
		image, row, column := i/size/size, i/size%size, i%size
		label, at := (int(step)+image)%classes, (int(step)*7+image*5)%size
		e.Labels[image] = int32(label)
		if [classes]bool{row == at, column == at, (row+column)%size == at}[label] {
			e.Images.Data[i] = 1
		}
	}
	return e, nil
}

func loss(p params[value], x, labels value) value {
	for _, kernel := range []value{p.Conv1, p.Conv2} {
		x = nn.Relu(builder.Conv(x, kernel, builder.ConvOptions{Same: true}))
		x = builder.MaxPool(x, builder.WindowOptions{Dims: []int{1, 2, 2, 1}, Strides: []int{1, 2, 2, 1}})
	}
	return nn.CrossEntropy(builder.Dot(builder.Reshape(x, batch, size/4*size/4*16), p.Dense), labels)
}

func train(key value) params[value] {
	var p params[value]
	key, p.Conv1 = nn.He(key, tensor.ShapeOf(tensor.F32, 3, 3, 1, 8))
	key, p.Conv2 = nn.He(key, tensor.ShapeOf(tensor.F32, 3, 3, 8, 16))
	_, p.Dense = nn.He(key, tensor.ShapeOf(tensor.F32, size/4*size/4*16, classes))
	of := func(d tensor.DType, dims ...int) value { return builder.Like(tensor.ShapeOf(d, dims...)) }
	like := examples[value, value]{of(tensor.F32, batch, size, size, 1), of(tensor.S32, batch)}
	return builder.Loop(builder.Scalar(key.Func(), int32(steps)), p, func(i value, p params[value]) params[value] {
		e := calliope.RuntimeCall(like, i, next)
		loss, gradient := builder.ValueAndGrad(func(p params[value]) value { return loss(p, e.Images, e.Labels) })(p)
		fields := map[string]value{"step": i, "loss": loss}
		calliope.Check(builder.IsFinite(loss), fields, "the loss is not finite")
		calliope.Print("step {step}: loss {loss:.3f}", fields, calliope.CallOptions{Every: 10})
		calliope.Tap(i, func(_ context.Context, i int32) error {
			fmt.Printf("\r%d of %d", i+1, steps)
			return nil
		}, calliope.CallOptions{PerSecond: 5})
		calliope.Checkpoint("cnn.npz", p, calliope.CallOptions{Every: 50})
		return optim.SGD(0.3, p, gradient)
	}, builder.LoopOptions{})
}

func main() {
	f := calliope.Func(train)
	p, err := calliope.Call[params[tensor.View]](context.Background(), f, []uint64{1, 0})
	fmt.Println("\ntrained", p.Dense.Shape, cmp.Or(err, f.Close())) // waits for the calls in the background
}
