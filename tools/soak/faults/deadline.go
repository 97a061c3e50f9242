package faults

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// A loop of minTurns iterations takes about a tenth of a second on a machine that is not busy.
// No machine executes maxTurns of them before a deadline.
const (
	minTurns = 20_000_000
	maxTurns = 64 * minTurns
)

// smallDeadline makes the deadline of a run pass while XLA executes a module so small that
// XLA uses the thread that starts it.
func smallDeadline(s *scene) func(int) error {
	e := s.compile(`func.func @main(%x: tensor<1xf32>, %n: tensor<i32>) -> tensor<1xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<1xf32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<1xf32>
    cond { %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1> }
    do { %w = stablehlo.multiply %v, %half : tensor<1xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %w : tensor<i32>, tensor<1xf32> }
  return %r#1 : tensor<1xf32>
}`, engine.CompileOptions{})
	return func(i int) error {
		in, err := s.client.ArrayFromHost(s.ctx, tensor.Vector(float32(i)), i%numDevices)
		if err != nil {
			return err
		}
		defer in.Close()
		out, err := e.Run(s.ctx, in, tensor.Scalar[int32](1))
		if err != nil {
			return fmt.Errorf("without a deadline: %w", err)
		}
		if err := gives(float32(i) / 2)(first(out)); err != nil {
			return err
		}
		// On a busy machine the timer may fire after the loop has ended. Only a run that ends
		// before its deadline may succeed, so the next one is longer.
		for turns := int32(minTurns); ; turns *= 2 {
			ctx, cancel := context.WithTimeout(s.ctx, short)
			out, err = e.Run(ctx, in, tensor.Scalar(turns))
			cancel()
			if err == nil {
				_, _ = first(out) // closes the buffers
			}
			if err != nil || turns >= maxTurns {
				return is(context.DeadlineExceeded)(err, i)
			}
		}
	}
}
