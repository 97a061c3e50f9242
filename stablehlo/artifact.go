package stablehlo

import (
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/capi"
	"github.com/calliope-mlir/calliope/mlir"
)

// CurrentVersion is the StableHLO version of the library, for example "1.10.0".
func CurrentVersion(l *mlir.Library) (string, error) {
	return version(l, "stablehloGetCurrentVersion", capi.StablehloGetCurrentVersion)
}

// MinimumVersion is the oldest version that the library can write portable artifacts for.
func MinimumVersion(l *mlir.Library) (string, error) {
	return version(l, "stablehloGetMinimumVersion", capi.StablehloGetMinimumVersion)
}

func version(l *mlir.Library, name string, get func(*capi.Table, capi.MlirStringCallback, unsafe.Pointer)) (string, error) {
	if !l.Has(name) {
		return "", &mlir.UnsupportedError{Library: l.Path(), Function: name}
	}
	return string(capi.Collect(func(cb capi.MlirStringCallback, ud unsafe.Pointer) { get(l.RawTable(), cb, ud) })), nil
}

// PortableArtifact serializes the module for any consumer from the target version of
// StableHLO on; "" is the library's current one. A module that the version cannot
// express is an error.
func PortableArtifact(m *mlir.Module, target string) ([]byte, error) {
	const name = "stablehloSerializePortableArtifactFromModule"
	l := m.Context().Library()
	if !l.Has(name) {
		return nil, &mlir.UnsupportedError{Library: l.Path(), Function: name}
	}
	if target == "" {
		current, err := CurrentVersion(l)
		if err != nil {
			return nil, err
		}
		target = current
	}
	var result capi.MlirLogicalResult
	data := capi.Collect(func(cb capi.MlirStringCallback, ud unsafe.Pointer) {
		result = capi.StablehloSerializePortableArtifactFromModule(l.RawTable(), m.Raw(), target, cb, ud, false)
	})
	if result.Value == 0 {
		return nil, m.Context().Failure("serializing a portable artifact of StableHLO " + target)
	}
	return data, nil
}
