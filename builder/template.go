package builder

import (
	"errors"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// Like is a template: it says what a value is to be and is none itself. It stands in
// the template of RuntimeCall and PureCall.
func Like(s tensor.Shape) Value { return Value{like: &s} }

// template is the type that a leaf of a template asks for. A value that was built
// asks for its own type.
func (v Value) template(ctx *mlir.Context) (mlir.Type, error) {
	switch {
	case v.like != nil:
		for _, d := range v.like.Dims {
			if d == -1 {
				return mlir.Type{}, errDynamic
			}
		}
		return stablehlo.TensorType(ctx, *v.like)
	case !v.v.IsNil():
		if err := v.static(); err != nil {
			return mlir.Type{}, err
		}
		return v.v.Type(), nil
	}
	return mlir.Type{}, errors.New("the zero Value says nothing: use builder.Like")
}
