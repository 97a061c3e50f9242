package embed

/*
#include "api.h"
*/
import "C"

import "github.com/calliope-mlir/calliope/tensor"

// dtypes are the element types by their number in the header.
var dtypes = map[int32]tensor.DType{
	C.CALLIOPE_PRED: tensor.Pred, C.CALLIOPE_S2: tensor.S2, C.CALLIOPE_S4: tensor.S4, C.CALLIOPE_S8: tensor.S8,
	C.CALLIOPE_S16: tensor.S16, C.CALLIOPE_S32: tensor.S32, C.CALLIOPE_S64: tensor.S64,
	C.CALLIOPE_U2: tensor.U2, C.CALLIOPE_U4: tensor.U4, C.CALLIOPE_U8: tensor.U8,
	C.CALLIOPE_U16: tensor.U16, C.CALLIOPE_U32: tensor.U32, C.CALLIOPE_U64: tensor.U64,
	C.CALLIOPE_F4E2M1FN: tensor.F4E2M1FN, C.CALLIOPE_F8E3M4: tensor.F8E3M4, C.CALLIOPE_F8E4M3: tensor.F8E4M3,
	C.CALLIOPE_F8E4M3B11FNUZ: tensor.F8E4M3B11FNUZ, C.CALLIOPE_F8E4M3FN: tensor.F8E4M3FN,
	C.CALLIOPE_F8E4M3FNUZ: tensor.F8E4M3FNUZ, C.CALLIOPE_F8E5M2: tensor.F8E5M2,
	C.CALLIOPE_F8E5M2FNUZ: tensor.F8E5M2FNUZ, C.CALLIOPE_F8E8M0FNU: tensor.F8E8M0FNU,
	C.CALLIOPE_F16: tensor.F16, C.CALLIOPE_BF16: tensor.BF16, C.CALLIOPE_F32: tensor.F32, C.CALLIOPE_F64: tensor.F64,
	C.CALLIOPE_C64: tensor.C64, C.CALLIOPE_C128: tensor.C128,
}

// numbers are the numbers by element type.
var numbers = func() (list [tensor.Token + 1]int32) {
	for number, d := range dtypes {
		list[d] = number
	}
	return list
}()
