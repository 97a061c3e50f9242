package main

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/tensor"
)

// zeroAlign is the alignment with which a plugin uses host memory without a copy.
const zeroAlign = 64

// zeroModule returns a module that takes an array and returns its first element. So the
// cost of passing the array is not hidden by the cost of the computation.
func zeroModule(length int) string {
	return fmt.Sprintf(`func.func @main(%%x: tensor<%dxf32>) -> tensor<1xf32> {
  %%y = "stablehlo.slice"(%%x) {start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>} : (tensor<%[1]dxf32>) -> tensor<1xf32>
  return %%y : tensor<1xf32>
}`, length)
}

// aligned returns memory that a plugin uses without a copy.
func aligned(n int) []byte {
	b := make([]byte, n+zeroAlign)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) % zeroAlign
	return b[skip : int(skip)+n : int(skip)+n]
}

// zeroCopy measures 1 MiB that is used in place, in and out, compared with plain copies. A
// view or a loan that copies would take as long as a copy. On an otherwise idle machine a
// copy takes 20 µs, and the goal is 2 µs.
func zeroCopy(client *bridge.Client, s settings, r *report) (err error) {
	ctx := context.Background()
	from := tensor.View{Shape: tensor.ShapeOf(tensor.F32, hostRun), Data: aligned(4 * hostRun)}
	to := make([]byte, len(from.Data))
	b, err := client.ArrayFromHost(ctx, from, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	e, err := client.Compile(ctx, bridge.Source(zeroModule(hostRun)), engine.CompileOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	got, err := inTurn([]work{
		{name: "copy", do: func(n int) error {
			for range n {
				copy(to, from.Data)
			}
			return nil
		}},
		{name: "view", do: func(n int) error {
			for range n {
				v, err := b.View(ctx)
				if err != nil {
					return err
				}
				to[0] = v.Tensor().Data[0]
				if err := v.Close(); err != nil {
					return err
				}
			}
			return nil
		}},
		{name: "borrow", do: func(n int) error {
			for range n {
				b, err := client.BorrowFromHost(ctx, from, 0)
				if err != nil {
					return err
				}
				if err := b.Close(); err != nil {
					return err
				}
			}
			return nil
		}},
		{name: "run-buffer", do: func(n int) error { return execute(ctx, e, b, n, false) }},
		{name: "run-borrow", do: func(n int) error { return execute(ctx, e, engine.Borrow(from), n, false) }},
		{name: "run-copied", do: func(n int) error { return execute(ctx, e, from, n, false) }},
	}, s.repeat*runTurns)
	if err != nil {
		return err
	}
	got.report(r, "run/zero1MiB/")
	r.figure("run/zero1MiB/goal/view-over-copy", got.over("view", "copy"), "x", atMost(0.1))
	r.figure("run/zero1MiB/goal/view-allocs", got.of("view").allocs, "allocs", atMost(2))
	r.figure("run/zero1MiB/goal/borrow-over-copy", got.over("borrow", "copy"), "x", atMost(0.15))
	r.figure("run/zero1MiB/goal/run-borrow-over-run-buffer", got.over("run-borrow", "run-buffer"), "x", atMost(1.7))
	return nil
}
