// Package transform is the types of MLIR's transform dialect: handles of operations,
// values and parameters. A library that lacks the dialect's C API refuses them with an
// error that matches mlir.ErrUnsupported.
package transform

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

const dialect = "transform"

// AnyOpType is !transform.any_op.
func AnyOpType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirTransformAnyOpTypeGet", capi.MlirTransformAnyOpTypeGet)
}

// AnyParamType is !transform.any_param.
func AnyParamType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirTransformAnyParamTypeGet", capi.MlirTransformAnyParamTypeGet)
}

// AnyValueType is !transform.any_value.
func AnyValueType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirTransformAnyValueTypeGet", capi.MlirTransformAnyValueTypeGet)
}

// OperationType is !transform.op<"name">, a handle of operations of one name.
func OperationType(c *mlir.Context, name string) (mlir.Type, error) {
	if name == "" {
		return mlir.Type{}, errors.New("transform: the type of a handle needs the name of an operation")
	}
	t, err := raw.Load(c, dialect, "mlirTransformOperationTypeGet")
	if err != nil {
		return mlir.Type{}, err
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirTransformOperationTypeGet(t, raw.Context(c), name)))
}

// OperationName is the name in !transform.op<"name">.
func OperationName(t mlir.Type) (string, error) {
	c, h := raw.UnwrapType(t, "transform.OperationName")
	if !IsOperation(t) {
		return "", fmt.Errorf("transform: %s is no type of handles of one operation", t)
	}
	if err := raw.Need(c.Library(), "mlirTransformOperationTypeGetOperationName"); err != nil {
		return "", err
	}
	return capi.MlirTransformOperationTypeGetOperationName(raw.Table(c), h), nil
}

// ParamType is !transform.param<t>, where t is an integer type or index.
func ParamType(t mlir.Type) (mlir.Type, error) {
	c, h := raw.UnwrapType(t, "transform.ParamType")
	api, err := raw.Load(c, dialect, "mlirTransformParamTypeGet")
	if err != nil {
		return mlir.Type{}, err
	}
	if !capi.MlirTypeIsAInteger(api, h) && !capi.MlirTypeIsAIndex(api, h) {
		return mlir.Type{}, fmt.Errorf("transform: a parameter is an integer or an index, not %s", t)
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirTransformParamTypeGet(api, raw.Context(c), h)))
}

// ParamValue is the type in !transform.param<…>.
func ParamValue(t mlir.Type) (mlir.Type, error) {
	c, h := raw.UnwrapType(t, "transform.ParamValue")
	if !IsParam(t) {
		return mlir.Type{}, fmt.Errorf("transform: %s is no type of parameters", t)
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
