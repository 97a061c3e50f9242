package callop

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Attributes returns the attributes in a dictionary with the Go types in which a handler of the typed FFI gets them.
// The value of a dictionary is a []contract.Attr. It is nil for what no handler can get, and for a splat of more
// than 65,536 elements.
func Attributes(dictionary mlir.Attribute) []contract.Attr {
	list := []contract.Attr{}
	for key, a := range dictionary.Entries() {
		list = append(list, contract.Attr{Key: key, Value: valueOf(a)})
	}
	return list
}

func valueOf(a mlir.Attribute) any {
	switch a.Kind() {
	case mlir.AttrString:
		v, _ := a.Text()
		return v
	case mlir.AttrBool:
		v, _ := a.Bool()
		return v
	case mlir.AttrInteger:
		return integerValue(a)
	case mlir.AttrFloat:
		v, _ := a.Float()
		if t, _ := a.Type(); t.String() == "f32" {
			return float32(v)
		}
		return v
	case mlir.AttrDenseArray:
		return denseArray(a)
	case mlir.AttrDenseElements:
		return elementsValue(a)
	}
	if a.IsDictionary() {
		return Attributes(a)
	}
	return nil
}

func integerValue(a mlir.Attribute) any {
	t, _ := a.Type()
	bits, sign, _ := t.IntegerWidth()
	if sign == mlir.Unsigned {
		v, _ := a.Uint()
		switch bits {
		case 8:
			return uint8(v)
		case 16:
			return uint16(v)
		case 32:
			return uint32(v)
		case 64:
			return v
		}
		return nil
	}
	v, _ := a.Int()
	switch bits {
	case 8:
		return int8(v)
	case 16:
		return int16(v)
	case 32:
		return int32(v)
	case 64:
		return v
	}
	return nil
}

func denseArray(a mlir.Attribute) any {
	for _, read := range []func(mlir.Attribute) (any, bool){
		arrayOf[bool], arrayOf[int8], arrayOf[int16], arrayOf[int32], arrayOf[int64], arrayOf[float32],
		arrayOf[float64],
	} {
		if v, ok := read(a); ok {
			return v
		}
	}
	return nil
}

func arrayOf[T mlir.DenseArrayElement](a mlir.Attribute) (any, bool) {
	v, ok := mlir.DenseArrayOf[T](a)
	return v, ok
}

// maxSplat is the number of elements up to which a splat, which takes a few bytes, is written out.
const maxSplat = 1 << 16

// elementsValue reads a list of elements: portable artifacts have no other arrays.
func elementsValue(a mlir.Attribute) any {
	t, _ := a.Type()
	shape, err := stablehlo.ShapeOf(t)
	if err != nil || shape.Rank() != 1 || a.IsSplat() && shape.Dims[0] > maxSplat {
		return nil
	}
	switch shape.DType {
	case tensor.Pred:
		return elementsOf[bool](a)
	case tensor.S8:
		return elementsOf[int8](a)
	case tensor.S16:
		return elementsOf[int16](a)
	case tensor.S32:
		return elementsOf[int32](a)
	case tensor.S64:
		return elementsOf[int64](a)
	case tensor.U8:
		return elementsOf[uint8](a)
	case tensor.U16:
		return elementsOf[uint16](a)
	case tensor.U32:
		return elementsOf[uint32](a)
	case tensor.U64:
		return elementsOf[uint64](a)
	case tensor.F32:
		return elementsOf[float32](a)
	case tensor.F64:
		return elementsOf[float64](a)
	}
	return nil
}

func elementsOf[T mlir.DenseElement](a mlir.Attribute) any {
	d, err := mlir.DenseOf[T](a)
	if err != nil {
		return nil
	}
	v, err := d.Values()
	if err != nil {
		return nil
	}
	return v
}
