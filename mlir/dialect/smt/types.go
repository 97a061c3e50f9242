package smt

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

const dialect = "smt"

// BoolType returns !smt.bool.
func BoolType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirSMTTypeGetBool", capi.MlirSMTTypeGetBool)
}

// IntType returns !smt.int.
func IntType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirSMTTypeGetInt", capi.MlirSMTTypeGetInt)
}

// BitVectorType returns !smt.bv<width>.
func BitVectorType(c *mlir.Context, width int) (mlir.Type, error) {
	t, err := raw.Load(c, dialect, "mlirSMTTypeGetBitVector")
	if err != nil {
		return mlir.Type{}, err
	}
	if width < 1 || width > maxWidth {
		return mlir.Type{}, fmt.Errorf("smt: a bit vector must have 1 to %d bits, not %d", maxWidth, width)
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirSMTTypeGetBitVector(t, raw.Context(c), int32(width))))
}

const maxWidth = 1<<24 - 1 // MLIR's limit for integers, which store the values

// ArrayType returns !smt.array<[domain -> range]>.
func ArrayType(domain, of mlir.Type) (mlir.Type, error) {
	c, d := raw.UnwrapType(domain, "smt.ArrayType")
	r := raw.TypeIn(of, c, "smt.ArrayType")
	t, err := raw.Load(c, dialect, "mlirSMTTypeGetArray")
	if err != nil {
		return mlir.Type{}, err
	}
	if err := checkValues(domain, of); err != nil {
		return mlir.Type{}, err
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirSMTTypeGetArray(t, raw.Context(c), d, r)))
}

// FuncType returns !smt.func<(domain…) range>. The domain must have at least one type.
func FuncType(domain []mlir.Type, of mlir.Type) (mlir.Type, error) {
	const method = "smt.FuncType"
	c, r := raw.UnwrapType(of, method)
	d := raw.Types(c, method, domain)
	t, err := raw.Load(c, dialect, "mlirSMTTypeGetSMTFunc")
	if err != nil {
		return mlir.Type{}, err
	}
	if len(d) == 0 {
		return mlir.Type{}, errors.New("smt: the domain of a function must have at least one type")
	}
	if err := checkValues(append([]mlir.Type{of}, domain...)...); err != nil {
		return mlir.Type{}, err
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirSMTTypeGetSMTFunc(t, raw.Context(c), len(d), raw.First(d), r)))
}

// SortType returns !smt.sort<"name"[params…]>.
func SortType(c *mlir.Context, name string, params ...mlir.Type) (mlir.Type, error) {
	p := raw.Types(c, "smt.SortType", params)
	t, err := raw.Load(c, dialect, "mlirSMTTypeGetSort")
	if err != nil {
		return mlir.Type{}, err
	}
	if name == "" {
		return mlir.Type{}, errors.New("smt: a sort needs a name")
	}
	if err := checkValues(params...); err != nil {
		return mlir.Type{}, err
	}
	id := capi.MlirIdentifierGet(t, raw.Context(c), name)
	return raw.Parsed(raw.WrapType(c, capi.MlirSMTTypeGetSort(t, raw.Context(c), id, len(p), raw.First(p))))
}

// checkValues returns an error unless all types satisfy IsValue.
func checkValues(types ...mlir.Type) error {
	for _, t := range types {
		if !IsValue(t) {
			return fmt.Errorf("smt: %s is not a type of values", t)
		}
	}
	return nil
}

// Is reports whether t is a type of the dialect.
func Is(t mlir.Type) bool { return IsValue(t) || IsFunc(t) }

// IsValue reports whether t is a type of the dialect other than a function.
func IsValue(t mlir.Type) bool {
	return IsArray(t) || IsBitVector(t) || IsBool(t) || IsInt(t) || IsSort(t)
}

// IsArray reports whether t is !smt.array<…>.
func IsArray(t mlir.Type) bool { return raw.IsType(t, "!smt.array") }

// IsBitVector reports whether t is !smt.bv<…>.
func IsBitVector(t mlir.Type) bool { return raw.IsType(t, "!smt.bv") }

// IsBool reports whether t is !smt.bool.
func IsBool(t mlir.Type) bool { return raw.IsType(t, "!smt.bool") }

// IsInt reports whether t is !smt.int.
func IsInt(t mlir.Type) bool { return raw.IsType(t, "!smt.int") }

// IsFunc reports whether t is !smt.func<…>.
func IsFunc(t mlir.Type) bool { return raw.IsType(t, "!smt.func") }

// IsSort reports whether t is !smt.sort<…>.
func IsSort(t mlir.Type) bool { return raw.IsType(t, "!smt.sort") }
