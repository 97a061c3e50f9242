package faults

import (
	"math"
	"unsafe"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// Debug holds the faults that only a plugin in debug mode finds, in addition to All.
func Debug() []Fault {
	return []Fault{
		{"tap that writes to its operand", []callbacks.Dispatch{callbacks.Inline}, writingTo(contract.Observe)},
		{"call that writes to its operand", []callbacks.Dispatch{callbacks.Inline}, writingTo(contract.Call)},
		{"call that writes beyond its result", []callbacks.Dispatch{callbacks.Inline}, writingBeyond},
	}
}

// writingBeyond makes functions write one byte too many. The run fails with the number of bytes.
func writingBeyond(s *scene) func(int) error {
	s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error {
		result := f.Results[0].Data
		*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(result)), len(result))) = 1
		return nil
	})
	// The large one has less than a line of 64 bytes at the end.
	programs := [2]*program{s.program(contract.Call, faulty, small), s.program(contract.Call, faulty, large-1)}
	return func(i int) error {
		s.fails(faulty)
		_, err := s.run(s.ctx, programs[i%2], i, float32(i))
		return says("wrote 1 bytes beyond the end of result 0")(err, i)
	}
}

// writingTo makes functions write to operands that are not their results. The write panics
// in the function, and the value stays unchanged.
func writingTo(form contract.Form) func(*scene) func(int) error {
	return func(s *scene) func(int) error {
		s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error {
			v, err := tensor.Slice[float32](f.Args[0])
			if err == nil {
				v[0] = float32(math.NaN())
			}
			return err
		})
		programs := s.sizes(func(size int) string {
			if form == contract.Observe {
				return tapping(s.bound(faulty), 1, size)
			}
			return calling(form, s.bound(faulty), size)
		})
		panics := isPanic(isRuntimeError)
		return func(i int) error {
			s.fails(faulty)
			got, err := s.run(s.ctx, programs[i%2], i, float32(i))
			if form != contract.Observe {
				return panics(err, i)
			}
			s.tapFails(panics)
			return gives(float32(i)+1)(got, err)
		}
	}
}
