package llvm

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/internal/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Struct is !llvm.struct<…>: without a Name it is the list of its fields, with one it
// is identified by that name in its context.
type Struct struct {
	Name   string
	Fields []mlir.Type
	Packed bool
	Opaque bool // identified, with a body that nobody knows
}

// Type makes the type. An identified one that exists already must have this body.
func (s Struct) Type(c *mlir.Context) (mlir.Type, error) {
	const method = "llvm.Struct.Type"
	switch {
	case s.Opaque && (s.Name == "" || len(s.Fields) > 0 || s.Packed):
		return mlir.Type{}, errors.New("llvm: an opaque struct has a name and nothing else")
	case s.Opaque:
		t, err := raw.Load(c, dialect, "mlirLLVMStructTypeOpaqueGet")
		if err != nil {
			return mlir.Type{}, err
		}
		return raw.Parsed(raw.WrapType(c, capi.MlirLLVMStructTypeOpaqueGet(t, raw.Context(c), s.Name)))
	case s.Name == "":
		return literal(c, method, s.Fields, s.Packed)
	}
	made, err := NamedStruct(c, s.Name)
	if err != nil {
		return mlir.Type{}, err
	}
	return made, SetBody(made, s.Fields, s.Packed)
}

// NamedStruct is the identified struct of that name, made without a body where it does
// not exist yet: the way to structs that contain pointers to themselves or wait for
// their fields. SetBody gives it one.
func NamedStruct(c *mlir.Context, name string) (mlir.Type, error) {
	if name == "" {
		return mlir.Type{}, errors.New("llvm: an identified struct needs a name")
	}
	t, err := raw.Load(c, dialect, "mlirLLVMStructTypeIdentifiedGet")
	if err != nil {
		return mlir.Type{}, err
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirLLVMStructTypeIdentifiedGet(t, raw.Context(c), name)))
}

// NewStruct makes an identified struct of its own: where the name is taken, one is
// made of it that is free.
func NewStruct(c *mlir.Context, name string, fields []mlir.Type, packed bool) (mlir.Type, error) {
	const method = "llvm.NewStruct"
	if name == "" {
		return mlir.Type{}, errors.New("llvm: an identified struct needs a name")
	}
	if _, err := literal(c, method, fields, packed); err != nil {
		return mlir.Type{}, err
	}
	t, err := raw.Load(c, dialect, "mlirLLVMStructTypeIdentifiedNewGet")
	if err != nil {
		return mlir.Type{}, err
	}
	h := raw.Types(c, method, fields)
	return raw.Parsed(raw.WrapType(c, capi.MlirLLVMStructTypeIdentifiedNewGet(t, raw.Context(c), name, len(h), raw.First(h), packed)))
}

// SetBody gives an identified struct its fields. It fails where the struct has other
// ones already or is opaque.
func SetBody(t mlir.Type, fields []mlir.Type, packed bool) error {
	const method = "llvm.SetBody"
	c, h := raw.UnwrapType(t, method)
	s, err := ReadStruct(t)
	switch {
	case err != nil:
		return err
	case s.Name == "":
		return fmt.Errorf("llvm: %s has no name and so no body to set", t)
	}
	// The fields are not checked when a body is set; those of a literal struct are.
	if _, err := literal(c, method, fields, packed); err != nil {
		return err
	}
	api, err := raw.Load(c, dialect, "mlirLLVMStructTypeSetBody")
	if err != nil {
		return err
	}
	body := raw.Types(c, method, fields)
	if capi.MlirLLVMStructTypeSetBody(api, h, len(body), raw.First(body), packed).Value == 0 {
		return fmt.Errorf("llvm: %s has another body already", t)
	}
	return nil
}

func literal(c *mlir.Context, method string, fields []mlir.Type, packed bool) (mlir.Type, error) {
	t, err := raw.Load(c, dialect, "mlirLLVMStructTypeLiteralGetChecked")
	if err != nil {
		return mlir.Type{}, err
	}
	h := raw.Types(c, method, fields)
	for _, f := range fields {
		if err := storable(f); err != nil {
			return mlir.Type{}, err
		}
	}
	at := capi.MlirLocationUnknownGet(t, raw.Context(c))
	made := raw.WrapType(c, capi.MlirLLVMStructTypeLiteralGetChecked(t, at, len(h), raw.First(h), packed))
	if made.IsNil() {
		return mlir.Type{}, raw.Failure(c, "making a struct type")
	}
	return raw.Parsed(made)
}

// IsStruct reports whether t is !llvm.struct<…>.
func IsStruct(t mlir.Type) bool { return raw.IsType(t, "!llvm.struct") }

// ReadStruct reads a struct type. One whose body has not been set reads as opaque.
func ReadStruct(t mlir.Type) (Struct, error) {
	c, h := raw.UnwrapType(t, "llvm.ReadStruct")
	if !IsStruct(t) {
		return Struct{}, fmt.Errorf("llvm: %s is no struct type", t)
	}
	if err := raw.Need(c.Library(), "mlirLLVMStructTypeIsLiteral", "mlirLLVMStructTypeGetIdentifier", "mlirLLVMStructTypeIsOpaque",
		"mlirLLVMStructTypeIsPacked", "mlirLLVMStructTypeGetNumElementTypes", "mlirLLVMStructTypeGetElementType"); err != nil {
		return Struct{}, err
	}
	api := raw.Table(c)
	var s Struct
	if !capi.MlirLLVMStructTypeIsLiteral(api, h) {
		s.Name = capi.MlirLLVMStructTypeGetIdentifier(api, h)
		if s.Opaque = capi.MlirLLVMStructTypeIsOpaque(api, h); s.Opaque {
			return s, nil // the library would read fields that are not there
		}
	}
	s.Packed = capi.MlirLLVMStructTypeIsPacked(api, h)
	s.Fields = raw.WrapTypes(c, capi.MlirLLVMStructTypeGetNumElementTypes(api, h), func(i int) capi.MlirType {
		return capi.MlirLLVMStructTypeGetElementType(api, h, i)
	})
	return s, nil
}
