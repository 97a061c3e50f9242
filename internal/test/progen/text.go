package progen

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// Type returns the text of the type of an array.
func Type(element string, dims ...int) string {
	var b strings.Builder
	for _, d := range dims {
		fmt.Fprintf(&b, "%dx", d)
	}
	return "tensor<" + b.String() + element + ">"
}

// Dense returns the text of a constant's elements, which has all bits of floating-point numbers.
func Dense(v tensor.View) string {
	if v.Shape.NumElements() == 0 {
		return "dense<>"
	}
	var texts []string
	size := v.Shape.DType.Size()
	for i := range v.Shape.NumElements() {
		switch d, bits := v.Shape.DType, v.Data[i*size:(i+1)*size]; {
		case d == tensor.Pred:
			texts = append(texts, fmt.Sprint(bits[0] != 0))
		case IsInteger(d):
			texts = append(texts, fmt.Sprint(v.At(i)))
		case IsComplex(d):
			texts = append(texts, fmt.Sprintf("(0x%s, 0x%s)", hex(bits[:size/2]), hex(bits[size/2:])))
		default:
			texts = append(texts, "0x"+hex(bits))
		}
	}
	return "dense<" + nested(v.Shape.Dims, texts) + ">"
}

func hex(bits []byte) string {
	var b strings.Builder
	for i := len(bits) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "%02X", bits[i])
	}
	return b.String()
}

func nested(dims []int, texts []string) string {
	if len(dims) == 0 {
		return texts[0]
	}
	var parts []string
	each := len(texts) / dims[0]
	for i := range dims[0] {
		parts = append(parts, nested(dims[1:], texts[i*each:(i+1)*each]))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
