package builder

import (
	"errors"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Like returns a template: a Value that has a type and no value. Use it in the template of
// RuntimeCall and PureCall.
func Like(s tensor.Shape) Value { return Value{like: &s} }

// template returns the type of a template's leaf. For a value that was built it is the
// value's own type.
func (v Value) template(ctx *mlir.Context) (mlir.Type, error) {
	switch {
	case v.like != nil:
		if v.like.IsOpen() {
			return mlir.Type{}, errDynamic
		}
		return stablehlo.TensorType(ctx, *v.like)
	case !v.v.IsNil():
		if err := v.static(); err != nil {
			return mlir.Type{}, err
		}
		return v.v.Type(), nil
	}
	return mlir.Type{}, errors.New("the zero Value has no type: use builder.Like")
}
