package conformance

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// array reads the text form of an array: its shape and its elements in row-major order,
// "f32[2,2] 1 -0 nan inf". A pred is 0 or 1, a complex number "1.5,-2", and an element of
// an 8-bit floating point type its bits.
func array(text string) (tensor.View, error) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return tensor.View{}, fmt.Errorf("an array needs a shape")
	}
	shape, err := tensor.ParseShape(fields[0])
	if err != nil {
		return tensor.View{}, err
	}
	var data bytes.Buffer
	for _, word := range fields[1:] {
		e, err := element(shape.DType, word)
		if err != nil {
			return tensor.View{}, fmt.Errorf("%s: %w", fields[0], err)
		}
		if err := binary.Write(&data, binary.NativeEndian, e); err != nil {
			return tensor.View{}, err
		}
	}
	v := tensor.View{Shape: shape, Data: data.Bytes()}
	return v.Clone(), v.Check()
}

func element(d tensor.DType, word string) (any, error) {
	switch d {
	case tensor.C64, tensor.C128:
		re, im, _ := strings.Cut(word, ",")
		x, err := strconv.ParseFloat(re, 64)
		if err != nil {
			return nil, err
		}
		y, err := strconv.ParseFloat(im, 64)
		if d == tensor.C64 {
			return []float32{float32(x), float32(y)}, err
		}
		return []float64{x, y}, err
	case tensor.F64:
		return strconv.ParseFloat(word, 64)
	case tensor.F32, tensor.F16, tensor.BF16:
		x, err := strconv.ParseFloat(word, 32)
		switch d {
		case tensor.F16:
			return uint16(tensor.ToFloat16(float32(x))), err
		case tensor.BF16:
			return uint16(tensor.ToBFloat16(float32(x))), err
		}
		return float32(x), err
	case tensor.S2, tensor.S4, tensor.S8, tensor.S16, tensor.S32, tensor.S64:
		x, err := strconv.ParseInt(word, 10, d.Bits())
		return sized(uint64(x), d.Size()), err
	}
	x, err := strconv.ParseUint(word, 10, d.Bits())
	return sized(x, d.Size()), err
}

func sized(x uint64, size int) []byte {
	return binary.NativeEndian.AppendUint64(nil, x)[:size]
}

// elements are an array's elements as int64, uint64, bool, float64 or complex128.
func elements(v tensor.View) []any {
	list := make([]any, v.Shape.NumElements())
	for i := range list {
		switch e := v.At(i).(type) {
		case int8:
			list[i] = int64(e)
		case int16:
			list[i] = int64(e)
		case int32:
			list[i] = int64(e)
		case uint8:
			list[i] = uint64(e)
		case uint16:
			list[i] = uint64(e)
		case uint32:
			list[i] = uint64(e)
		case float32:
			list[i] = float64(e)
		case complex64:
			list[i] = complex128(e)
		default:
			list[i] = e
		}
	}
	return list
}

// epsilon is the distance of 1 from the next number of the type, 0 for exact types.
func epsilon(d tensor.DType) float64 {
	switch d {
	case tensor.BF16:
		return 0x1p-7
	case tensor.F16:
		return 0x1p-10
	case tensor.F32, tensor.C64:
		return 0x1p-23
	case tensor.F64, tensor.C128:
		return 0x1p-52
	}
	return 0
}

// near reports whether two numbers are one, but for a relative error and, below 1, an
// absolute one. Zeros have their signs, and a NaN is as good as another.
func near(a, b, tolerance float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && math.IsNaN(b)
	}
	if a == b {
		return a != 0 || math.Signbit(a) == math.Signbit(b)
	}
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a)) && !math.IsInf(a, 0) && !math.IsInf(b, 0)
}
