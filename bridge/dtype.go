package bridge

import (
	"github.com/gomlx/gopjrt/dtypes"

	"github.com/calliope-mlir/calliope/tensor"
)

// element is an element type as the call frame has it.
type element struct {
	dtype tensor.DType
	size  uint8 // bytes in a host array
	bits  uint8 // in XLA's memory where it is packed, else 0
}

// ffiTypes are the element types by their number in a call frame, which is XLA's
// PrimitiveType (xla/ffi/api/c_api.h).
var ffiTypes = func() (elements [34]element) {
	for number, d := range map[int]tensor.DType{
		1: tensor.Pred, 2: tensor.S8, 3: tensor.S16, 4: tensor.S32, 5: tensor.S64,
		6: tensor.U8, 7: tensor.U16, 8: tensor.U32, 9: tensor.U64,
		10: tensor.F16, 11: tensor.F32, 12: tensor.F64, 15: tensor.C64, 16: tensor.BF16,
		18: tensor.C128, 19: tensor.F8E5M2, 20: tensor.F8E4M3FN, 21: tensor.S4, 22: tensor.U4,
		23: tensor.F8E4M3B11FNUZ, 24: tensor.F8E5M2FNUZ, 25: tensor.F8E4M3FNUZ,
		26: tensor.S2, 27: tensor.U2, 28: tensor.F8E4M3, 29: tensor.F8E3M4,
		32: tensor.F4E2M1FN, 33: tensor.F8E8M0FNU,
	} {
		elements[number] = element{d, uint8(d.Size()), uint8(packedBits(d))}
	}
	return elements
}()

// pjrtTypes are the element types by their number in PJRT_Buffer_Type, which is a
// different one.
var pjrtTypes = [...]tensor.DType{
	dtypes.Bool: tensor.Pred,
	dtypes.Int8: tensor.S8, dtypes.Int16: tensor.S16, dtypes.Int32: tensor.S32, dtypes.Int64: tensor.S64,
	dtypes.Uint8: tensor.U8, dtypes.Uint16: tensor.U16, dtypes.Uint32: tensor.U32, dtypes.Uint64: tensor.U64,
	dtypes.Float16: tensor.F16, dtypes.Float32: tensor.F32, dtypes.Float64: tensor.F64, dtypes.BFloat16: tensor.BF16,
	dtypes.Complex64: tensor.C64, dtypes.Complex128: tensor.C128,
	dtypes.F8E5M2: tensor.F8E5M2, dtypes.F8E4M3FN: tensor.F8E4M3FN, dtypes.F8E4M3B11FNUZ: tensor.F8E4M3B11FNUZ,
	dtypes.F8E5M2FNUZ: tensor.F8E5M2FNUZ, dtypes.F8E4M3FNUZ: tensor.F8E4M3FNUZ,
	dtypes.S4: tensor.S4, dtypes.U4: tensor.U4, dtypes.TOKEN: tensor.Token,
	dtypes.S2: tensor.S2, dtypes.U2: tensor.U2,
	dtypes.F8E4M3: tensor.F8E4M3, dtypes.F8E3M4: tensor.F8E3M4, dtypes.F8E8M0FNU: tensor.F8E8M0FNU,
	dtypes.F4E2M1FN: tensor.F4E2M1FN,
}

// pjrtNumbers are those of pjrtTypes by element type, 0 for none.
var pjrtNumbers = func() (numbers [tensor.Token + 1]int32) {
	for number, d := range pjrtTypes {
		if d != tensor.Invalid {
			numbers[d] = int32(number)
		}
	}
	return numbers
}()

// toPJRT is the number of an element type in PJRT_Buffer_Type, 0 for none that an array
// can have.
func toPJRT(d tensor.DType) int32 {
	if d <= tensor.Invalid || d >= tensor.Token {
		return 0
	}
	return pjrtNumbers[d]
}
