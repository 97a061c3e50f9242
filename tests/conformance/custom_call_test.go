package conformance

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

const (
	doubler          = "conformance.double"
	doublerSignature = "f32[3]->f32[3]"
)

// registerDoubler registers the function that the custom call reaches.
func registerDoubler() error {
	return callbacks.Default.Register(doubler,
		callbacks.Call(func(_ context.Context, args []tensor.View) ([]tensor.View, error) {
			in, err := tensor.Slice[float32](args[0])
			if err != nil {
				return nil, err
			}
			out := make([]float32, len(in))
			for i, v := range in {
				out[i] = 2 * v
			}
			return []tensor.View{tensor.Vector(out...)}, nil
		}), callbacks.Options{Signature: doublerSignature})
}

// doubled calls it.
func doubled(b *body) stablehlo.CustomCallOp {
	return stablehlo.CustomCallOp{
		Target: contract.TargetRuntimeCall, Operands: b.In, Results: []mlir.Type{b.In[0].Type()},
		APIVersion: stablehlo.TypedFFI,
		BackendConfig: b.Attribute(fmt.Sprintf("{v = %d : i64, form = %q, callback = %q, signature = %q}",
			contract.Version, contract.Pure, doubler, contract.SignatureHash(doublerSignature))),
	}
}
