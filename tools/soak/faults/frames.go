package faults

import (
	"math"
	"time"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/tensor"
)

// frameFaults are faults of functions that use their call in unexpected ways.
func frameFaults() []Fault {
	return []Fault{
		{"shape of an operand overwritten", everyWay, overwrittenOperandShape},
		{"late writes during later calls", dispatched, lateWrites},
	}
}

// overwrittenOperandShape makes functions write to the dimensions of their operands, which
// are also those of the next call.
func overwrittenOperandShape(s *scene) func(int) error {
	s.register(healthy, callbacks.Options{}, func(f *callbacks.Frame) error {
		err := negate(f)
		lists := [][]tensor.View{f.Args, f.Results}
		for _, list := range lists {
			for i := range list {
				list[i].Shape.Dims[0] = 7
			}
		}
		for i := range f.Args {
			f.Args[i] = tensor.Scalar(true)
		}
		return err
	})
	return s.eachSize(healthy)
}

// lateWrites makes functions write to their operands after the timeout, while later calls
// are made.
func lateWrites(s *scene) func(int) error {
	late := misbehaviour{options: callbacks.Options{Timeout: short}, maybe: true, want: isTimeout,
		fn: func(f *callbacks.Frame) error {
			<-f.Context().Done()
			for end := time.Now().Add(2 * short); time.Now().Before(end); {
				for _, v := range append(f.Args[:len(f.Args):len(f.Args)], f.Results...) {
					list, err := tensor.Slice[float32](v)
					if err != nil {
						return err
					}
					for i := range list {
						list[i] = float32(math.NaN())
					}
				}
			}
			return nil
		}}
	return late.prepare(s)
}
