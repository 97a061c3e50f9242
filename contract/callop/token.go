package callop

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// TokenType returns the type of the tokens that order callbacks.
func TokenType(c *mlir.Context) (mlir.Type, error) {
	return stablehlo.TensorType(c, contract.TokenShape())
}

// FirstToken creates the token for the first callback of an effect.
func FirstToken(ip mlir.InsertionPoint, loc mlir.Location) (mlir.Operation, error) {
	shape := contract.TokenShape()
	b := mlir.NewBuilder(ip, loc)
	op := stablehlo.ConstantOp{Value: tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())}}.Create(b)
	return op, b.Cause()
}
