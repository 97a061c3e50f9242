package transform_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/transform"
)

func TestTypes(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		i64 := mlirtest.Type(c, "i64")
		kinds := func(t mlir.Type) []bool {
			return []bool{transform.IsAnyOp(t), transform.IsAnyParam(t), transform.IsAnyValue(t),
				transform.IsOperation(t), transform.IsParam(t)}
		}
		for _, test := range []struct {
			function, want string
			make           func() (mlir.Type, error)
			kinds          []bool
		}{
			{"mlirTransformAnyOpTypeGet", "!transform.any_op",
				func() (mlir.Type, error) { return transform.AnyOpType(c) }, []bool{true, false, false, false, false}},
			{"mlirTransformAnyParamTypeGet", "!transform.any_param", func() (mlir.Type, error) {
				return transform.AnyParamType(c)
			}, []bool{false, true, false, false, false}},
			{"mlirTransformAnyValueTypeGet", "!transform.any_value", func() (mlir.Type, error) {
				return transform.AnyValueType(c)
			}, []bool{false, false, true, false, false}},
			{"mlirTransformOperationTypeGet", `!transform.op<"linalg.matmul">`, func() (mlir.Type, error) {
				return transform.OperationType(c, "linalg.matmul")
			}, []bool{false, false, false, true, false}},
			{"mlirTransformParamTypeGet", "!transform.param<i64>", func() (mlir.Type, error) {
				return transform.ParamType(i64)
			}, []bool{false, false, false, false, true}},
		} {
			got, err := test.make()
			if !mlirtest.Supported(t, c.Library(), err, test.function) {
				continue
			}
			check.Diff(t, "the type", test.want, got.String())
			check.Diff(t, "its kind", test.kinds, kinds(got))
			if transform.IsOperation(got) {
				check.Diff(t, "the name", "linalg.matmul", check.Must(transform.OperationName(got)))
			}
			if transform.IsParam(got) {
				check.Diff(t, "the value", "i64", check.Must(transform.ParamValue(got)).String())
				_, err := transform.ParamType(got)
				check.Error(t, err, "a parameter must be an integer")
			}
		}
		_, err := transform.OperationName(i64)
		check.Error(t, err, "i64 is not !transform.op")
		_, err = transform.ParamValue(i64)
		check.Error(t, err, "i64 is not !transform.param")
		_, err = transform.OperationType(c, "")
		check.Error(t, err, "needs the name")
		check.Panics(t, "called on a zero value", func() { transform.ParamType(mlir.Type{}) })
	})
}
