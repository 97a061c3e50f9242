package bridge

import (
	"github.com/calliope-mlir/calliope/bridge/internal/hlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// An element is an element type as in a call frame.
type element struct {
	dtype tensor.DType
	size  uint8 // bytes in a host array
	bits  uint8 // in XLA's memory if it is packed, else 0
}

// ffiTypes are the element types by their number in a call frame, which is XLA's PrimitiveType.
var ffiTypes = func() (elements [34]element) {
	for number, d := range hlo.DTypes {
		if d == tensor.Token {
			continue // it has no memory
		}
		elements[number] = element{d, uint8(d.Size()), uint8(packedBits(d))}
	}
	return elements
}()

// pjrtTypes are the element types by their number in PJRT_Buffer_Type, which differs from
// that of ffiTypes (xla/pjrt/c/pjrt_c_api.h).
var pjrtTypes = [...]tensor.DType{
	1: tensor.Pred,
	2: tensor.S8, 3: tensor.S16, 4: tensor.S32, 5: tensor.S64,
	6: tensor.U8, 7: tensor.U16, 8: tensor.U32, 9: tensor.U64,
	10: tensor.F16, 11: tensor.F32, 12: tensor.F64, 13: tensor.BF16,
	14: tensor.C64, 15: tensor.C128,
	16: tensor.F8E5M2, 17: tensor.F8E4M3FN, 18: tensor.F8E4M3B11FNUZ,
	19: tensor.F8E5M2FNUZ, 20: tensor.F8E4M3FNUZ,
	21: tensor.S4, 22: tensor.U4, 23: tensor.Token, 24: tensor.S2, 25: tensor.U2,
	26: tensor.F8E4M3, 27: tensor.F8E3M4, 28: tensor.F8E8M0FNU, 29: tensor.F4E2M1FN,
}

// pjrtNumbers are the numbers in PJRT_Buffer_Type by element type. 0 means none.
var pjrtNumbers = func() (numbers [tensor.Token + 1]int32) {
	for number, d := range pjrtTypes {
		if d != tensor.Invalid {
			numbers[d] = int32(number)
		}
	}
	return numbers
}()

// toPJRT returns the number of an element type in PJRT_Buffer_Type, or 0 if there is none
// or arrays cannot have the type.
func toPJRT(d tensor.DType) int32 {
	if d <= tensor.Invalid || d >= tensor.Token {
		return 0
	}
	return pjrtNumbers[d]
}
