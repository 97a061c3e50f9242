package bridge

import (
	"context"
	"errors"

	"github.com/calliope-mlir/calliope/tensor"
)

// Call runs the module on host arrays, and returns host arrays: it is Run, ToHost of each
// output, and Close. The inputs are copied.
func (e *Executable) Call(ctx context.Context, inputs ...tensor.View) ([]tensor.View, error) {
	e.given("Call")
	list := make([]Input, len(inputs))
	for i, v := range inputs {
		list[i] = v
	}
	buffers, err := e.Run(ctx, list...)
	if err != nil {
		return nil, err
	}
	outputs := make([]tensor.View, len(buffers))
	for i, b := range buffers {
		var failed error
		if err == nil {
			outputs[i], failed = b.ToHost(ctx)
		}
		err = errors.Join(err, failed, b.Close())
	}
	if err != nil {
		return nil, err
	}
	return outputs, nil
}
