package load

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
)

// Platform is JAX's name of the platform of the plugin.
const Platform = "cpu"

// An Export is a file of jax.export that may run here.
type Export struct{ *jaxexport.Exported }

// ReadExport reads a file of jax.export.
func ReadExport(data []byte) (Export, error) {
	e, err := jaxexport.Read(data)
	if err == nil && !e.Allows(Platform) {
		err = fmt.Errorf("it was exported for %s: export it with platforms=[%q]", strings.Join(e.Platforms, ", "),
			Platform)
	}
	return Export{e}, err
}

// SelectPlatform binds the parameter of main that is the index of the platform, if the file is for several ones, and
// removes the branches of other platforms in what main calls.
func (e Export) SelectPlatform(m *mlir.Module) error {
	if _, takes := stablehlo.PlatformArgument(m); !takes || e.Exported == nil {
		return stablehlo.ResolvePlatforms(m)
	}
	index, _ := e.PlatformIndex(Platform)
	return stablehlo.SelectPlatform(m, index)
}

// ParameterPath returns the place of one of n parameters in the arguments in Python, or "" if it is not known.
func (e Export) ParameterPath(i, n int) string {
	if e.Exported == nil || len(e.Kept) != n {
		return ""
	}
	return e.InputPath(e.Kept[i])
}
