// Package amdgpu builds and reads the operations of MLIR's dialect amdgpu: instructions of AMD's GPUs on vectors and
// memrefs. It also makes the types of the tensor data mover. If the library lacks what a function needs, the error
// matches mlir.ErrUnsupported.
package amdgpu

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

const dialect = "amdgpu"

// TDMBaseType returns !amdgpu.tdm_base<element>.
func TDMBaseType(element mlir.Type) (mlir.Type, error) {
	c, h := raw.UnwrapType(element, "amdgpu.TDMBaseType")
	t, err := raw.Load(c, dialect, "mlirAMDGPUTDMBaseTypeGet")
	if err != nil {
		return mlir.Type{}, err
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirAMDGPUTDMBaseTypeGet(t, raw.Context(c), h)))
}

// TDMDescriptorType returns !amdgpu.tdm_descriptor.
func TDMDescriptorType(c *mlir.Context) (mlir.Type, error) {
	return raw.Plain(c, dialect, "mlirAMDGPUTDMDescriptorTypeGet", capi.MlirAMDGPUTDMDescriptorTypeGet)
}

// TDMGatherBaseType returns !amdgpu.tdm_gather_base<element, index>, where index is i16 or i32, and element is a type
// of integers or floats.
func TDMGatherBaseType(element, index mlir.Type) (mlir.Type, error) {
	c, h := raw.UnwrapType(element, "amdgpu.TDMGatherBaseType")
	i := raw.TypeIn(index, c, "amdgpu.TDMGatherBaseType")
	t, err := raw.Load(c, dialect, "mlirAMDGPUTDMGatherBaseTypeGet")
	if err != nil {
		return mlir.Type{}, err
	}
	if text := index.String(); text != "i16" && text != "i32" {
		return mlir.Type{}, fmt.Errorf("amdgpu: the index of a gather must be i16 or i32, not %s", text)
	}
	// IREE's library crashes when it parses others.
	_, _, isInteger := element.IntegerWidth()
	if _, isFloat := element.FloatKind(); !isInteger && !isFloat {
		return mlir.Type{}, fmt.Errorf("amdgpu: the elements of a gather must be integers or floats, not %s", element)
	}
	return raw.Parsed(raw.WrapType(c, capi.MlirAMDGPUTDMGatherBaseTypeGet(t, raw.Context(c), h, i)))
}

// IsTDMBase reports whether t is !amdgpu.tdm_base<…>.
func IsTDMBase(t mlir.Type) bool { return raw.IsType(t, "!amdgpu.tdm_base") }

// IsTDMDescriptor reports whether t is !amdgpu.tdm_descriptor.
func IsTDMDescriptor(t mlir.Type) bool { return raw.IsType(t, "!amdgpu.tdm_descriptor") }

// IsTDMGatherBase reports whether t is !amdgpu.tdm_gather_base<…>.
func IsTDMGatherBase(t mlir.Type) bool { return raw.IsType(t, "!amdgpu.tdm_gather_base") }
