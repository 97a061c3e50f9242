package faults

import (
	"fmt"
	"math"
	"strings"
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
func writingBeyond(s *scene) (func(int) error, error) {
	err := s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error {
		result := f.Results[0].Data
		*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(result)), len(result))) = 1
		return nil
	})
	if err != nil {
		return nil, err
	}
	var programs [2]*program
	for i, size := range []int{small, large - 1} { // less than a line of 64 bytes at the end
		e, err := s.compile(calling(contract.Call, s.bound(faulty), size))
		if err != nil {
			return nil, err
		}
		programs[i] = &program{e, size}
	}
	return func(i int) error {
		s.fails(faulty)
		if _, err := s.run(s.ctx, programs[i%2], i, float32(i)); err == nil ||
			!strings.Contains(err.Error(), "wrote 1 bytes beyond the end of result 0") {
			return fmt.Errorf("got %v, want an error with the number of bytes", err)
		}
		return nil
	}, nil
}

// writingTo makes functions write to operands that are not their results. The write panics
// in the function, and the value stays unchanged.
func writingTo(form contract.Form) func(*scene) (func(int) error, error) {
	return func(s *scene) (func(int) error, error) {
		err := s.register(faulty, callbacks.Options{}, func(f *callbacks.Frame) error {
			v, err := tensor.Slice[float32](f.Args[0])
			if err == nil {
				v[0] = float32(math.NaN())
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		programs, err := s.sizes(func(size int) string {
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
			s.tapFails(func(err error) error { return panics(err, anyNumber) })
			if want := float32(i) + 1; err != nil || got != want {
				return fmt.Errorf("got %g, %w; want %g", got, err, want)
			}
			return nil
		}, err
	}
}
