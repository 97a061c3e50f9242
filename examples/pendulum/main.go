// Pendulum finds the speed with which a pendulum must start to be at an angle of one radian on the other side after 1.5
// seconds. It simulates the pendulum in a loop on the device. The gradient follows the error through all steps back.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/optim"
)

const steps, dt = 150, 0.01

type state struct{ Angle, Speed builder.Value }

// swing returns the last state of a pendulum that hangs down at first.
func swing(speed builder.Value) state {
	start := state{builder.ZerosLike(speed), speed}
	return builder.Loop(builder.Scalar(speed.Func(), int32(steps)), start, func(_ builder.Value, s state) state {
		pull := builder.Add(builder.Mul(builder.Sin(s.Angle), 9.81), builder.Mul(s.Speed, 0.1))
		s.Speed = builder.Sub(s.Speed, builder.Mul(pull, dt))
		s.Angle = builder.Add(s.Angle, builder.Mul(s.Speed, dt))
		return s
	}, builder.LoopOptions{})
}

// loss is the squared distance from the angle.
func loss(speed builder.Value) builder.Value {
	return builder.Square(builder.Add(swing(speed).Angle, 1))
}

type results struct{ Gradient, Tangent, Speed, Loss, Angle builder.Value }

func find(speed builder.Value) results {
	_, tangent := builder.JVP(loss, speed, builder.OnesLike(speed))
	found := builder.Loop(builder.Scalar(speed.Func(), int32(20)), speed, func(_, speed builder.Value) builder.Value {
		return optim.SGD(5, speed, builder.Grad(loss)(speed))
	}, builder.LoopOptions{})
	return results{builder.Grad(loss)(speed), tangent, found, loss(found), swing(found).Angle}
}

func main() {
	f := calliope.Func(find)
	defer f.Close()
	got, err := calliope.Call[struct{ Gradient, Tangent, Speed, Loss, Angle float64 }](context.Background(), f, 2.0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("gradient %.4f\n", got.Gradient)
	fmt.Printf("tangent %.4f\n", got.Tangent)
	fmt.Printf("speed %.4f\n", got.Speed)
	fmt.Printf("loss %.4f\n", got.Loss)
	fmt.Printf("angle %.4f\n", got.Angle)
}
