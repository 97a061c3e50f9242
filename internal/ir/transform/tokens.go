package transform

import (
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// RefuseTokens ends the transformation of a function that has runtime tokens. They must be the last parameters and
// results of main, which a transformation adds others to.
func RefuseTokens(f mlir.Operation) {
	for _, of := range []string{Parameters, Results} {
		a, _ := f.Attribute(of)
		if a.IsNil() {
			continue
		}
		all, _ := a.Elements()
		for _, a := range all {
			if name, ok := a.Entry(stablehlo.EffectAttribute); ok {
				Fail(f, "it has a runtime token for the effect %s: "+
					"transform the function before passes.AddRuntimeTokens adds it", name)
			}
		}
	}
}
