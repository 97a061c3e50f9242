// Package emitc builds and reads the operations of MLIR's dialect emitc, which MLIR prints as C and C++, and makes
// its types and attributes. If the library lacks what a function needs, the error matches mlir.ErrUnsupported.
package emitc

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

const dialect = "emitc"

// ArrayType returns !emitc.array<dims x element>. There must be at least one dimension, and
// none may be dynamic.
func ArrayType(element mlir.Type, dims ...int64) (mlir.Type, error) {
	c, h := raw.UnwrapType(element, "emitc.ArrayType")
	t, err := raw.Load(c, dialect, "mlirEmitCArrayTypeGet")
	if err != nil {
		return mlir.Type{}, err
	}
	if len(dims) == 0 {
		return mlir.Type{}, fmt.Errorf("emitc: an array must have at least one dimension")
	}
	for _, d := range dims {
		if d < 0 {
			return mlir.Type{}, fmt.Errorf("emitc: an array cannot have the dimensions %v", dims)
		}
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirEmitCArrayTypeGet(t, len(dims), raw.First(dims), h)))
}

// LValueType returns !emitc.lvalue<value>, the type of values that can be assigned to.
func LValueType(value mlir.Type) (mlir.Type, error) {
	return wrapped(value, "emitc.LValueType", "mlirEmitCLValueTypeGet", capi.MlirEmitCLValueTypeGet)
}

// PointerType returns !emitc.ptr<pointee>.
func PointerType(pointee mlir.Type) (mlir.Type, error) {
	return wrapped(pointee, "emitc.PointerType", "mlirEmitCPointerTypeGet", capi.MlirEmitCPointerTypeGet)
}

func wrapped(
	t mlir.Type, method, function string, get func(*capi.Table, capi.MlirType) capi.MlirType,
) (mlir.Type, error) {
	c, h := raw.UnwrapType(t, method)
	api, err := raw.Load(c, dialect, function)
	if err != nil {
		return mlir.Type{}, err
	}
	return raw.Parsed(raw.WrapType(c, get(api, h)))
}

// OpaqueType returns !emitc.opaque<"text">, a type given by its C or C++ text.
func OpaqueType(c *mlir.Context, text string) (mlir.Type, error) {
	t, err := raw.Load(c, dialect, "mlirEmitCOpaqueTypeGet")
	if err != nil {
		return mlir.Type{}, err
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirEmitCOpaqueTypeGet(t, raw.Context(c), text)))
}

// PtrDiffType returns !emitc.ptrdiff_t.
func PtrDiffType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirEmitCPtrDiffTTypeGet", capi.MlirEmitCPtrDiffTTypeGet)
}

// SignedSizeType returns !emitc.ssize_t.
func SignedSizeType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirEmitCSignedSizeTTypeGet", capi.MlirEmitCSignedSizeTTypeGet)
}

// SizeType returns !emitc.size_t.
func SizeType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirEmitCSizeTTypeGet", capi.MlirEmitCSizeTTypeGet)
}

// IsArray reports whether t is !emitc.array<…>.
func IsArray(t mlir.Type) bool { return raw.IsType(t, "!emitc.array") }

// IsLValue reports whether t is !emitc.lvalue<…>.
func IsLValue(t mlir.Type) bool { return raw.IsType(t, "!emitc.lvalue") }

// IsOpaque reports whether t is !emitc.opaque<…>.
func IsOpaque(t mlir.Type) bool { return raw.IsType(t, "!emitc.opaque") }

// IsPointer reports whether t is !emitc.ptr<…>.
func IsPointer(t mlir.Type) bool { return raw.IsType(t, "!emitc.ptr") }

// IsPtrDiff reports whether t is !emitc.ptrdiff_t.
func IsPtrDiff(t mlir.Type) bool { return raw.IsType(t, "!emitc.ptrdiff_t") }

// IsSignedSize reports whether t is !emitc.ssize_t.
func IsSignedSize(t mlir.Type) bool { return raw.IsType(t, "!emitc.ssize_t") }

// IsSize reports whether t is !emitc.size_t.
func IsSize(t mlir.Type) bool { return raw.IsType(t, "!emitc.size_t") }
