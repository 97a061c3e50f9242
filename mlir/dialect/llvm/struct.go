package llvm

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// A Struct is !llvm.struct<…>. Without a Name it is a literal struct, which is equal to all
// structs with the same fields. With a Name it is identified by that name in its context.
type Struct struct {
	Name   string
	Fields []mlir.Type
	Packed bool
	Opaque bool // identified, without a body
}

// Type returns the type. If an identified struct of this name already exists, it must have
// the same body.
func (s Struct) Type(c *mlir.Context) (mlir.Type, error) {
	const method = "llvm.Struct.Type"
	switch {
	case s.Opaque && (s.Name == "" || len(s.Fields) > 0 || s.Packed):
		return mlir.Type{}, errors.New("llvm: an opaque struct must have a name and nothing else")
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

// NamedStruct returns the identified struct of this name. If it does not exist yet,
// NamedStruct makes it without a body, which SetBody sets later. Structs that refer to
// themselves are made this way.
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

// NewStruct makes a new identified struct. If the name is in use, MLIR derives an unused
// one from it.
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
	return raw.Parsed(
		raw.WrapType(c, capi.MlirLLVMStructTypeIdentifiedNewGet(t, raw.Context(c), name, len(h), raw.First(h), packed)))
}

// SetBody sets the fields of an identified struct. It returns an error if the struct is
// opaque or already has other fields.
func SetBody(t mlir.Type, fields []mlir.Type, packed bool) error {
	const method = "llvm.SetBody"
	c, h := raw.UnwrapType(t, method)
	s, err := ReadStruct(t)
	switch {
	case err != nil:
		return err
	case s.Name == "":
		return fmt.Errorf("llvm: %s has no name: only an identified struct has a body to set", t)
	}
	// The C API checks the fields of a literal struct, but not those of a body.
	if _, err := literal(c, method, fields, packed); err != nil {
		return err
	}
	api, err := raw.Load(c, dialect, "mlirLLVMStructTypeSetBody")
	if err != nil {
		return err
	}
	body := raw.Types(c, method, fields)
	if capi.MlirLLVMStructTypeSetBody(api, h, len(body), raw.First(body), packed).Value == 0 {
		return fmt.Errorf("llvm: %s already has another body", t)
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

// ReadStruct returns t as a Struct. A struct without a body is opaque. It returns an error
// if t is another type.
func ReadStruct(t mlir.Type) (Struct, error) {
	c, h := raw.UnwrapType(t, "llvm.ReadStruct")
	if !IsStruct(t) {
		return Struct{}, fmt.Errorf("llvm: %s is not a struct type", t)
	}
	if err := raw.Need(c.Library(), "mlirLLVMStructTypeIsLiteral", "mlirLLVMStructTypeGetIdentifier",
		"mlirLLVMStructTypeIsOpaque",
		"mlirLLVMStructTypeIsPacked", "mlirLLVMStructTypeGetNumElementTypes",
		"mlirLLVMStructTypeGetElementType"); err != nil {
		return Struct{}, err
	}
	api := raw.Table(c)
	var s Struct
	if !capi.MlirLLVMStructTypeIsLiteral(api, h) {
		s.Name = capi.MlirLLVMStructTypeGetIdentifier(api, h)
		if s.Opaque = capi.MlirLLVMStructTypeIsOpaque(api, h); s.Opaque {
			return s, nil // the library would read fields that do not exist
		}
	}
	s.Packed = capi.MlirLLVMStructTypeIsPacked(api, h)
	s.Fields = raw.WrapTypes(c, capi.MlirLLVMStructTypeGetNumElementTypes(api, h), func(i int) capi.MlirType {
		return capi.MlirLLVMStructTypeGetElementType(api, h, i)
	})
	return s, nil
}
