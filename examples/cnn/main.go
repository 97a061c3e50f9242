// Cnn trains a convolutional network to tell horizontal, vertical and diagonal bars apart. The training loop runs on
// the device. It calls Go for each batch, to print, to check, to show its progress and to save the parameters.
package main

import (
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
func next(step int32) (e examples[tensor.Array[float32], []int32], _ error) {
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

var pool = builder.WindowOptions{Dims: []int{1, 2, 2, 1}, Strides: []int{1, 2, 2, 1}}

// layer returns the maxima of a convolution, and the function that gives the gradients of x and of the kernel.
func layer(x, kernel value) (y value, back func(dy value) (dx, dk value)) {
	conv := builder.Conv(x, kernel, builder.ConvOptions{Same: true})
	act := nn.Relu(conv)
	return builder.MaxPool(act, pool), func(dy value) (dx, dk value) {
		zero := builder.Scalar(x.Func(), float32(0))
		d := builder.SelectAndScatter(act, dy, zero, builder.Ge[value, value], builder.Add[value, value], pool)
		d = builder.Select(builder.Gt(conv, 0), d, builder.ZerosLike(d))
		dx = builder.Conv(d, builder.Reverse(kernel, 0, 1), builder.ConvOptions{Same: true, Kernel: "HWOI"})
		dk = builder.Conv(x, d, builder.ConvOptions{
			Padding: [][2]int{{1, 1}, {1, 1}}, Input: "CHWN", Kernel: "IHWO", Output: "HWNC",
		})
		return dx, dk
	}
}

// gradients returns the loss and its gradients.
func gradients(p params[value], x, labels value) (loss value, g params[value]) {
	h1, back1 := layer(x, p.Conv1)
	h2, back2 := layer(h1, p.Conv2)
	flat := builder.Reshape(h2, batch, size/4*size/4*16)
	logits := builder.Dot(flat, p.Dense)
	d := builder.Div(builder.Sub(nn.Softmax(logits, -1), nn.OneHot(labels, classes, tensor.F32)), batch)
	g.Dense = builder.Dot(builder.Transpose(flat), d)
	d, g.Conv2 = back2(builder.Reshape(builder.Dot(d, builder.Transpose(p.Dense)), h2.Shape().Dims...))
	_, g.Conv1 = back1(d)
	return nn.CrossEntropy(logits, labels), g
}

func train(key value) params[value] {
	var p params[value]
	key, p.Conv1 = nn.He(key, tensor.ShapeOf(tensor.F32, 3, 3, 1, 8))
	key, p.Conv2 = nn.He(key, tensor.ShapeOf(tensor.F32, 3, 3, 8, 16))
	_, p.Dense = nn.He(key, tensor.ShapeOf(tensor.F32, size/4*size/4*16, classes))
	like := examples[value, value]{
		builder.Like(tensor.ShapeOf(tensor.F32, batch, size, size, 1)), builder.Like(tensor.ShapeOf(tensor.S32, batch)),
	}
	return builder.Loop(builder.Scalar(key.Func(), int32(steps)), p, func(i value, p params[value]) params[value] {
		e := calliope.Source(like, i, next)
		loss, g := gradients(p, e.Images, e.Labels)
		fields := calliope.Fields{"step": i, "loss": loss}
		calliope.Check(builder.IsFinite(loss), "the loss is not finite", fields)
		calliope.Print("step {step}: loss {loss:.3f}", fields, calliope.CallOptions{Every: 10})
		calliope.Tap(i, func(i int32) { fmt.Printf("\r%d of %d", i+1, steps) }, calliope.CallOptions{PerSecond: 5})
		calliope.Checkpoint("cnn.npz", p, calliope.CallOptions{Every: 50})
		return optim.SGD(0.3, p, g)
	})
}

func main() {
	f := calliope.Func(train)
	p, err := calliope.Call[params[tensor.View]](f, []uint64{1, 0})
	if err == nil {
		err = f.Close() // waits for the calls that are made in the background
	}
	fmt.Println("\ntrained", p.Dense.Shape, err)
}
