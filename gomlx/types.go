package gomlx

import (
	"fmt"
	"reflect"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"

	"github.com/calliope-mlir/calliope/tensor"
)

// elements are the element types of GoMLX that XLA has.
var elements = map[dtypes.DType]tensor.DType{
	dtypes.Bool: tensor.Pred,
	dtypes.Int2: tensor.S2, dtypes.Int4: tensor.S4, dtypes.Int8: tensor.S8, dtypes.Int16: tensor.S16,
	dtypes.Int32: tensor.S32, dtypes.Int64: tensor.S64,
	dtypes.Uint2: tensor.U2, dtypes.Uint4: tensor.U4, dtypes.Uint8: tensor.U8, dtypes.Uint16: tensor.U16,
	dtypes.Uint32: tensor.U32, dtypes.Uint64: tensor.U64,
	dtypes.Float16: tensor.F16, dtypes.BFloat16: tensor.BF16, dtypes.Float32: tensor.F32, dtypes.Float64: tensor.F64,
	dtypes.Complex64: tensor.C64, dtypes.Complex128: tensor.C128,
}

// names are the element types of GoMLX by those of XLA.
var names = func() map[tensor.DType]dtypes.DType {
	all := map[tensor.DType]dtypes.DType{}
	for d, e := range elements {
		all[e] = d
	}
	return all
}()

// element returns an element type in the terms of package tensor.
func element(d dtypes.DType) (tensor.DType, error) {
	e, ok := elements[d]
	if !ok {
		return e, errors.WithStack(fmt.Errorf("%s: the element type %s is none that XLA has", Name, d))
	}
	return e, nil
}

// toTensor returns a shape in the terms of package tensor.
func toTensor(s shapes.Shape) (tensor.Shape, error) {
	d, err := element(s.DType)
	if err != nil {
		return tensor.Shape{}, err
	}
	if s.IsDynamic() {
		return tensor.Shape{}, fmt.Errorf("the shape %s of an array has dynamic axes: state their sizes", s)
	}
	made := tensor.ShapeOf(d, s.Dimensions...)
	if err := made.Check(); err != nil {
		return made, err
	}
	if bytes := int64(made.NumBytes()); bytes >= 1<<47 {
		return made, fmt.Errorf("the shape %s has %d bytes: no process has so much memory", s, bytes)
	}
	return made, nil
}

// fromTensor returns a shape in the terms of GoMLX.
func fromTensor(s tensor.Shape) shapes.Shape { return shapes.Make(names[s.DType], s.Dims...) }

// viewOf returns a view of a slice of GoMLX. It is the slice's own memory, except for elements of less than a byte.
func viewOf(flat any, s shapes.Shape) (tensor.View, error) {
	shape, err := toTensor(s)
	if err != nil {
		return tensor.View{}, err
	}
	if flat != nil && reflect.TypeOf(flat) != reflect.SliceOf(s.DType.GoType()) && reflect.TypeOf(flat) != intSlice {
		return tensor.View{}, fmt.Errorf("a %T has no elements of %s: use a []%s", flat, s, s.DType.GoType())
	}
	data := dtypes.UnsafeByteSliceFromAny(flat)
	if len(data) != s.DType.SizeForDimensions(s.Dimensions...) {
		return tensor.View{}, fmt.Errorf("a slice of %d bytes has not the elements of %s", len(data), s)
	}
	if s.DType.IsPacked() {
		data = unpack(data, shape)
	}
	return tensor.View{Shape: shape, Data: data}, nil
}

// intSlice is a slice of int64 by another name.
var intSlice = reflect.TypeFor[[]int]()

// unpack returns elements of less than a byte in a byte each. The first element is in the lowest bits.
func unpack(packed []byte, s tensor.Shape) []byte {
	bits := s.DType.Bits()
	signed := s.DType == tensor.S2 || s.DType == tensor.S4
	out := make([]byte, s.NumElements())
	for i := range out {
		at := i * bits
		v := packed[at/8] >> (at % 8) << (8 - bits)
		if out[i] = v >> (8 - bits); signed {
			out[i] = byte(int8(v) >> (8 - bits))
		}
	}
	return out
}

// pack is the reverse of unpack.
func pack(packed, elements []byte, d tensor.DType) {
	bits := d.Bits()
	clear(packed)
	for i, e := range elements {
		at := i * bits
		packed[at/8] |= e & (1<<bits - 1) << (at % 8)
	}
}
