package contract_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// The hashes are the first 16 digits that "printf %s TEXT | sha256sum" prints.
func TestSignature(t *testing.T) {
	for _, c := range []struct {
		operands, results []tensor.Shape
		text, hash        string
	}{
		{
			[]tensor.Shape{tensor.ShapeOf(tensor.F32, 2, 3), tensor.ShapeOf(tensor.S32)},
			[]tensor.Shape{tensor.ShapeOf(tensor.F32)},
			"f32[2,3],s32[]->f32[]", "f73cfbb21f2ae831",
		},
		{nil, nil, "->", "71b37b9a8a57b848"},
		{
			[]tensor.Shape{tensor.ShapeOf(tensor.F32, 4)}, []tensor.Shape{tensor.ShapeOf(tensor.F32, 4)},
			"f32[4]->f32[4]", "9234043154f3a2ea",
		},
		{
			[]tensor.Shape{tensor.ShapeOf(tensor.BF16, -1, 3), tensor.ShapeOf(tensor.Pred)}, nil,
			"bf16[?,3],pred[]->", "5dcc830477422415",
		},
		{nil, []tensor.Shape{tensor.ShapeOf(tensor.C64, 0)}, "->c64[0]", "de5699153b3d4a0f"},
	} {
		t.Run(c.text, func(t *testing.T) {
			check.Diff(t, "Signature", c.text, contract.Signature(c.operands, c.results))
			check.Diff(t, "SignatureHash", c.hash, contract.SignatureHash(c.text))
			operands, results, err := contract.ParseSignature(c.text)
			check.NoError(t, err)
			check.Diff(t, "operands", c.operands, operands)
			check.Diff(t, "results", c.results, results)
		})
	}
}

func TestParseSignatureErrors(t *testing.T) {
	for _, text := range []string{
		"", "f32[4]", "f32[4] -> f32[4]", "f32[4], f32[4]->", "f32[4],->", ",f32[4]->", "f32[4]f32[4]->", "->->",
		"(f32[4])->f32[4]", "tensor<4xf32>->", "f32[4]->f32[4", "f32[04]->",
	} {
		t.Run(text, func(t *testing.T) {
			operands, results, err := contract.ParseSignature(text)
			check.Error(t, err, "is no signature; write one like f32[2,3],s32[]->f32[]")
			check.Diff(t, "operands", []tensor.Shape(nil), operands)
			check.Diff(t, "results", []tensor.Shape(nil), results)
		})
	}
}

func FuzzParseSignature(f *testing.F) {
	for _, text := range []string{"", "->", "f32[2,3],s32[]->f32[]", "f32[?]->", "->->", "f32[],->",
		"s4[],s4[]s4[]->"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		operands, results, err := contract.ParseSignature(text)
		if err != nil {
			check.Error(t, err, "is no signature")
			return
		}
		check.Diff(t, "Signature", text, contract.Signature(operands, results))
	})
}

// One byte: an array without elements does not order callbacks.
func TestTokenShape(t *testing.T) {
	check.NoError(t, contract.TokenShape().Check())
	check.Diff(t, "bytes", 1, contract.TokenShape().NumBytes())
	check.Diff(t, "shape", "s8[1]", contract.TokenShape().String())
}
