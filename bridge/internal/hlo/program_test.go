package hlo

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// message returns a message of the wire format with one field of bytes.
func message(number int, parts ...[]byte) (m []byte) {
	for _, p := range parts {
		m = binary.AppendUvarint(m, uint64(number)<<3|2)
		m = binary.AppendUvarint(m, uint64(len(p)))
		m = append(m, p...)
	}
	return m
}

func TestParameters(t *testing.T) {
	matrix := []byte{2 << 3, 11, 3<<3 | 2, 3, 2, 0x80, 1} // f32, packed [2, 128]
	plain := []byte{2 << 3, 4, 3 << 3, 2, 3 << 3, 5}      // s32, [2] [5] one by one
	dynamic := []byte{2 << 3, 11, 3<<3 | 2, 1, 4, 6<<3 | 2, 1, 1}
	tuple := []byte{2 << 3, 13}
	other := []byte{15<<3 | 1, 0, 0, 0, 0, 0, 0, 0, 0, 14<<3 | 5, 0, 0, 0, 0, 13 << 3, 7}
	program := append(other, message(1, append(other, message(4, message(1, matrix, plain, dynamic, tuple))...))...)
	shapes, ok := Parameters(program)
	check.Diff(t, "ok", true, ok)
	want := []tensor.Shape{tensor.ShapeOf(tensor.F32, 2, 128), tensor.ShapeOf(tensor.S32, 2, 5), {}, {}}
	check.Diff(t, "shapes", want, shapes)

	for n := range program { // a cut program is not read beyond its end
		Parameters(program[:n])
	}
	layout := func(order ...byte) []byte { return message(5, message(1, order)) }
	tiled := append(matrix, message(5, append(message(1, []byte{1, 0}), message(6, []byte{})...))...)
	for _, test := range []struct {
		out  []byte
		want []Result
	}{
		{append(matrix, layout(1, 0)...), []Result{{Shape: want[0]}}},
		{append(matrix, layout(0, 1)...), []Result{{want[0], []int{1, 0}}}},
		{append(tuple, message(4, matrix, plain)...), []Result{{Shape: want[0]}, {Shape: want[1]}}},
		{tuple, []Result{}},
		{append(matrix, layout(0, 0)...), nil},
		{append(matrix, layout(0)...), nil},
		{append(matrix, layout(0, 1, 2)...), nil},
		{tiled, nil},
		{dynamic, nil},
	} {
		program := message(1, message(4, message(2, test.out)))
		if d := cmp.Diff(test.want, Results(program)); d != "" {
			t.Errorf("%x: %s", test.out, d)
		}
		for n := range program {
			Results(program[:n])
		}
	}
	for _, damaged := range [][]byte{nil, {0xff}, {1<<3 | 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
		{1<<3 | 3}, message(2, nil)} {
		if _, ok := Parameters(damaged); ok {
			t.Errorf("%x has parameters", damaged)
		}
	}
}
