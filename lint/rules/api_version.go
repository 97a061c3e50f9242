package rules

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// APIVersion reports calls of callback targets that are not typed.
var APIVersion = &lint.Analyzer{
	Name:     "api-version",
	Doc:      "a call of a callback target is not one of XLA's typed FFI",
	Run:      apiVersion,
	Severity: finding.Warning,
	Details: `Severity: warning.

The handlers of callback targets are of XLA's typed FFI. A call with another api_version finds no handler, and
the module does not compile.

    stablehlo.custom_call @calliope_io_callback(%x) {api_version = 2 : i32, backend_config = "log"} : (tensor<4xf32>) -> ()

Write api_version = 4 : i32 and a dictionary as backend_config. JAX's spelling is typed too: version 1, an empty
string as backend_config, and the dictionary in mhlo.backend_config.`,
}

func apiVersion(p *lint.Pass) error {
	for _, c := range callsOf(p) {
		if contract.IsTarget(c.Target) && !c.typed {
			p.Report(c.op, finding.Warning, "the target @%s has a handler of XLA's typed FFI, but the call has the API version %d: write api_version = %d with a dictionary as backend_config",
				c.Target, c.APIVersion, stablehlo.TypedFFI)
		}
	}
	return nil
}
