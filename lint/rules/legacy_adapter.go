package rules

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/run/legacycall"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/passes"
)

// LegacyAdapter reports calls of untyped handlers that package callbacks/legacy can serve.
var LegacyAdapter = &lint.Analyzer{
	Name:         "legacy-adapter",
	Doc:          "a custom call of API version 0 to 3 can become a typed call, which callbacks/legacy serves",
	OffByDefault: true,
	Run:          legacyAdapter,
	Severity:     finding.Note,
	Details: `Severity: note. Off by default.

Package callbacks/legacy serves functions that were written for custom calls of the API versions 0 to 3, without a change
to them. Their calls have to be typed calls of the contract.

    %0 = stablehlo.custom_call @f(%x) {api_version = 2 : i32, backend_config = "a"} : (tensor<4xf32>) -> tensor<4xf32>
    %0 = stablehlo.custom_call @calliope_runtime_call(%x) {api_version = 4 : i32, backend_config = {callback = "f", form = "pure", legacy = 2 : i64, legacy_opaque = "61", registry = "legacy", v = 2 : i64}} : (tensor<4xf32>) -> tensor<4xf32>

The repair makes it a callback of the contract. Operands and results that are tuples become their arrays. The program that runs the
module then has to register each function that a finding names in the registry "legacy", with one of the signatures
that the finding gives.

Calls of JAX's xla_python_cpu_callback have no function that could be registered: export the program again with a newer
JAX.`,
}

func legacyAdapter(p *lint.Pass) error {
	for _, name := range []string{"stablehlo.custom_call", "mhlo.custom_call"} {
		for op := range p.Operations(name) {
			call, ok := passes.AsLegacyCall(op)
			if !ok || contract.PythonTargetOf(call.Target) != contract.NotPython {
				continue
			}
			host, gpu := legacycall.Signatures(int64(call.Version))
			const text = "callbacks/legacy can serve the call of @%s, of API version %d: register the function %q with the signature %s, or %s"
			if call.Unsupported != nil {
				p.Report(op, finding.Note, text+" (-fix-unsafe cannot replace the call: %v)", call.Target,
					call.Version, call.Target, host, gpu, call.Unsupported)
				continue
			}
			p.ReportFix(op, finding.Note, finding.Fix{
				Message:       "write a typed call that callbacks/legacy serves",
				ReplaceLegacy: true,
				Unsafe:        true,
			}, text, call.Target, call.Version, call.Target, host, gpu)
		}
	}
	return nil
}
