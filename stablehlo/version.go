package stablehlo

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// CurrentVersion returns the StableHLO version of the library, for example "1.10.0".
func CurrentVersion(l *mlir.Library) (string, error) {
	return version(l, "stablehloGetCurrentVersion", capi.StablehloGetCurrentVersion)
}

// MinimumVersion returns the oldest version that the library can write portable artifacts for.
func MinimumVersion(l *mlir.Library) (string, error) {
	return version(l, "stablehloGetMinimumVersion", capi.StablehloGetMinimumVersion)
}

// Compatibility is how old a consumer of portable artifacts may be.
type Compatibility int32

const (
	CompatibleNone    Compatibility = iota // the same version
	CompatibleWeeks4                       // about the last four weeks
	CompatibleWeeks12                      // about the last twelve weeks
	CompatibleMax                          // the oldest supported
)

// VersionFor returns the version of portable artifacts that consumers of the given age can
// read. The weeks are counted back from the library's release.
func VersionFor(l *mlir.Library, c Compatibility) (string, error) {
	if c < CompatibleNone || c > CompatibleMax {
		// the library aborts the process
		return "", fmt.Errorf("stablehlo: there is no compatibility %d: use the constants", c)
	}
	return version(l, "stablehloVersionFromCompatibilityRequirement",
		func(t *capi.Table, cb capi.MlirStringCallback, data unsafe.Pointer) {
			capi.StablehloVersionFromCompatibilityRequirement(t, capi.MlirStablehloCompatibilityRequirement(c), cb,
				data)
		})
}

// SmallerVersion returns the older of two versions.
func SmallerVersion(l *mlir.Library, a, b string) (string, error) {
	for _, v := range []string{a, b} {
		if err := checkVersion(v); err != nil {
			return "", err
		}
	}
	return version(l, "stablehloGetSmallerVersion",
		func(t *capi.Table, cb capi.MlirStringCallback, data unsafe.Pointer) {
			capi.StablehloGetSmallerVersion(t, a, b, cb, data)
		})
}

// HasMeshAxes reports whether a version of StableHLO has groups of devices by axes of a mesh: see [Groups]. An empty
// version, which is not known, has them.
func HasMeshAxes(version string) bool {
	if checkVersion(version) != nil {
		return true
	}
	v := parsedVersion(version)
	return v[0] > 1 || v[0] == 1 && v[1] >= 16
}

func version(
	l *mlir.Library, name string, get func(*capi.Table, capi.MlirStringCallback, unsafe.Pointer),
) (string, error) {
	if !l.Has(name) {
		return "", &mlir.UnsupportedError{Library: l.Path(), Function: name}
	}
	return string(
		capi.Collect(func(cb capi.MlirStringCallback, ud unsafe.Pointer) { get(raw.LibraryTable(l), cb, ud) })), nil
}

// checkVersion returns an error unless v has the form major.minor.patch.
func checkVersion(v string) error {
	parts := strings.Split(v, ".")
	for _, part := range parts {
		if _, err := strconv.ParseUint(part, 10, 31); err != nil || len(parts) != 3 {
			return fmt.Errorf("stablehlo: %q is not a version: use the form 1.10.0", v)
		}
	}
	return nil
}
