package main

import (
	"fmt"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
	"github.com/calliope-mlir/calliope/internal/run/element"
	"github.com/calliope-mlir/calliope/tensor"
)

func dtypeOf(t abi.BufferType) (tensor.DType, error) {
	d := element.OfPJRT(int32(t))
	if d == tensor.Invalid || d == tensor.Token {
		return tensor.Invalid, fmt.Errorf("%w: there are no arrays of the element type %d", errMistaken, t)
	}
	return d, nil
}

func elementType(s tensor.Shape) abi.BufferType {
	if s.DType == tensor.Token {
		return abi.BufferTypeTOKEN
	}
	return abi.BufferType(element.ToPJRT(s.DType))
}
