package engine

import (
	"context"
	"errors"

	"github.com/calliope-mlir/calliope/tensor"
)

// Call runs a module on host arrays, and returns host arrays: it is Run, ToHost of each result, and Close. The inputs
// are copied.
func Call(ctx context.Context, e Executable, inputs ...tensor.View) ([]tensor.View, error) {
	arrays, err := e.Run(ctx, Views(inputs)...)
	if err != nil {
		return nil, err
	}
	return ToHost(ctx, arrays)
}

// Views returns host arrays as the inputs of a run, which copies them.
func Views(views []tensor.View) []Input {
	list := make([]Input, len(views))
	for i, v := range views {
		list[i] = v
	}
	return list
}

// ToHost returns copies of arrays in the host's memory, and closes the arrays.
func ToHost(ctx context.Context, arrays []*Array) ([]tensor.View, error) {
	views := make([]tensor.View, len(arrays))
	var err error
	for i, a := range arrays {
		var failed error
		if err == nil {
			views[i], failed = a.ToHost(ctx)
		}
		err = errors.Join(err, failed, a.Close())
	}
	if err != nil {
		return nil, err
	}
	return views, nil
}

// CloseAll closes the results of a run that has failed, whose error says more.
func CloseAll(arrays []*Array) {
	for _, a := range arrays {
		_ = a.Close()
	}
}
