package main

import (
	"fmt"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
	"github.com/calliope-mlir/calliope/tensor"
)

var elementTypes = map[tensor.DType]abi.BufferType{
	tensor.Pred:          abi.BufferTypePRED,
	tensor.S2:            abi.BufferTypeS2,
	tensor.S4:            abi.BufferTypeS4,
	tensor.S8:            abi.BufferTypeS8,
	tensor.S16:           abi.BufferTypeS16,
	tensor.S32:           abi.BufferTypeS32,
	tensor.S64:           abi.BufferTypeS64,
	tensor.U2:            abi.BufferTypeU2,
	tensor.U4:            abi.BufferTypeU4,
	tensor.U8:            abi.BufferTypeU8,
	tensor.U16:           abi.BufferTypeU16,
	tensor.U32:           abi.BufferTypeU32,
	tensor.U64:           abi.BufferTypeU64,
	tensor.F16:           abi.BufferTypeF16,
	tensor.BF16:          abi.BufferTypeBF16,
	tensor.F32:           abi.BufferTypeF32,
	tensor.F64:           abi.BufferTypeF64,
	tensor.C64:           abi.BufferTypeC64,
	tensor.C128:          abi.BufferTypeC128,
	tensor.F8E5M2:        abi.BufferTypeF8E5M2,
	tensor.F8E4M3:        abi.BufferTypeF8E4M3,
	tensor.F8E4M3FN:      abi.BufferTypeF8E4M3FN,
	tensor.F8E4M3B11FNUZ: abi.BufferTypeF8E4M3B11FNUZ,
	tensor.F8E5M2FNUZ:    abi.BufferTypeF8E5M2FNUZ,
	tensor.F8E4M3FNUZ:    abi.BufferTypeF8E4M3FNUZ,
	tensor.F8E3M4:        abi.BufferTypeF8E3M4,
	tensor.F8E8M0FNU:     abi.BufferTypeF8E8M0FNU,
	tensor.F4E2M1FN:      abi.BufferTypeF4E2M1FN,
}

func dtypeOf(t abi.BufferType) (tensor.DType, error) {
	for d, of := range elementTypes {
		if of == t {
			return d, nil
		}
	}
	return tensor.Invalid, fmt.Errorf("%w: there are no arrays of the element type %d", errMistaken, t)
}

func (b *buffer) elementType() abi.BufferType {
	if b.token {
		return abi.BufferTypeTOKEN
	}
	return elementTypes[b.shape.DType]
}
