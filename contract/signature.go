package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/tensor"
)

// Signature returns the canonical form of a callback's operands and results, for example
// "f32[2,3],s32[]->f32[]", without ids and tokens.
func Signature(operands, results []tensor.Shape) string {
	var b strings.Builder
	for i, s := range operands {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(s.String())
	}
	b.WriteString("->")
	for i, s := range results {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(s.String())
	}
	return b.String()
}

// ParseSignature parses the result of Signature. Any other form is an error.
func ParseSignature(signature string) (operands, results []tensor.Shape, err error) {
	before, after, ok := strings.Cut(signature, "->")
	if !ok {
		return nil, nil, fmt.Errorf("contract: %q is no signature; write one like f32[2,3],s32[]->f32[]", signature)
	}
	if operands, err = parseShapes(before); err == nil {
		results, err = parseShapes(after)
	}
	if err != nil {
		return nil, nil,
			fmt.Errorf("contract: %q is no signature; write one like f32[2,3],s32[]->f32[]: %w", signature, err)
	}
	return operands, results, nil
}

func parseShapes(list string) ([]tensor.Shape, error) {
	if list == "" {
		return nil, nil
	}
	fields := strings.Split(list, "],")
	shapes := make([]tensor.Shape, len(fields))
	for i, field := range fields {
		if i < len(fields)-1 {
			field += "]"
		}
		var err error
		if shapes[i], err = tensor.ParseShape(field); err != nil {
			return nil, err
		}
	}
	return shapes, nil
}

// SignatureHash returns the first 8 bytes of the signature's SHA-256, in hex.
func SignatureHash(signature string) string {
	sum := sha256.Sum256([]byte(signature))
	return hex.EncodeToString(sum[:8])
}

// TokenShape returns the shape of the token that orders callbacks: one byte. XLA would replace
// an array without elements by a constant, which would remove the order.
func TokenShape() tensor.Shape { return tensor.ShapeOf(tensor.S8, 1) }
