// Package transform builds and reads the operations of MLIR's dialect transform, which are scripts that rewrite
// other operations, and makes its types: handles of operations, values and parameters. Main and Named take Go
// functions that build the scripts; mlir.Module.Transform runs one. If the library lacks what a function needs, the
// error matches mlir.ErrUnsupported.
package transform

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

const dialect = "transform"

// AnyOpType returns !transform.any_op.
func AnyOpType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirTransformAnyOpTypeGet", capi.MlirTransformAnyOpTypeGet)
}

// AnyParamType returns !transform.any_param.
func AnyParamType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirTransformAnyParamTypeGet", capi.MlirTransformAnyParamTypeGet)
}

// AnyValueType returns !transform.any_value.
func AnyValueType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirTransformAnyValueTypeGet", capi.MlirTransformAnyValueTypeGet)
}

// OperationType returns !transform.op<"name">, the handle type of operations with this name.
func OperationType(c *mlir.Context, name string) (mlir.Type, error) {
	if name == "" {
		return mlir.Type{}, errors.New("transform: the operation type needs the name of an operation")
	}
	t, err := raw.Load(c, dialect, "mlirTransformOperationTypeGet")
	if err != nil {
		return mlir.Type{}, err
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirTransformOperationTypeGet(t, raw.Context(c), name)))
}

// OperationName returns the name of !transform.op<"name">.
func OperationName(t mlir.Type) (string, error) {
	c, h := raw.UnwrapType(t, "transform.OperationName")
	if !IsOperation(t) {
		return "", fmt.Errorf("transform: %s is not !transform.op", t)
	}
	if err := raw.Need(c.Library(), "mlirTransformOperationTypeGetOperationName"); err != nil {
		return "", err
	}
	return capi.MlirTransformOperationTypeGetOperationName(raw.Table(c), h), nil
}

// ParamType returns !transform.param<t>, where t is an integer type or index.
func ParamType(t mlir.Type) (mlir.Type, error) {
	c, h := raw.UnwrapType(t, "transform.ParamType")
	api, err := raw.Load(c, dialect, "mlirTransformParamTypeGet")
	if err != nil {
		return mlir.Type{}, err
	}
	if !capi.MlirTypeIsAInteger(api, h) && !capi.MlirTypeIsAIndex(api, h) {
		return mlir.Type{}, fmt.Errorf("transform: a parameter must be an integer or an index, not %s", t)
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirTransformParamTypeGet(api, raw.Context(c), h)))
}

// ParamValue returns the parameter's type t of !transform.param<t>.
func ParamValue(t mlir.Type) (mlir.Type, error) {
	c, h := raw.UnwrapType(t, "transform.ParamValue")
	if !IsParam(t) {
		return mlir.Type{}, fmt.Errorf("transform: %s is not !transform.param", t)
	}
	if err := raw.Need(c.Library(), "mlirTransformParamTypeGetType"); err != nil {
		return mlir.Type{}, err
	}
	return raw.WrapType(c, capi.MlirTransformParamTypeGetType(raw.Table(c), h)), nil
}

// IsAnyOp reports whether t is !transform.any_op.
func IsAnyOp(t mlir.Type) bool { return raw.IsType(t, "!transform.any_op") }

// IsAnyParam reports whether t is !transform.any_param.
func IsAnyParam(t mlir.Type) bool { return raw.IsType(t, "!transform.any_param") }

// IsAnyValue reports whether t is !transform.any_value.
func IsAnyValue(t mlir.Type) bool { return raw.IsType(t, "!transform.any_value") }

// IsOperation reports whether t is !transform.op<…>.
func IsOperation(t mlir.Type) bool { return raw.IsType(t, "!transform.op") }

// IsParam reports whether t is !transform.param<…>.
func IsParam(t mlir.Type) bool { return raw.IsType(t, "!transform.param") }
