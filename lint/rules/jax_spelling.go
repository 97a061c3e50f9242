package rules

import (
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// JAXSpelling reports typed calls in JAX's spelling.
var JAXSpelling = &lint.Analyzer{
	Name:         "jax-spelling",
	Doc:          "a typed call is spelled as JAX does: version 1 with mhlo.backend_config",
	OffByDefault: true,
	Run:          jaxSpelling,
	Severity:     finding.Note,
	Details: `Severity: note. Off by default.

JAX writes a call of XLA's typed FFI without api_version, with an empty string as backend_config, and with the dictionary
in mhlo.backend_config. XLA reads it as api_version = 4. Tools that know StableHLO only take it for an untyped call.

    %0 = stablehlo.custom_call @f(%x) {backend_config = "", mhlo.backend_config = {a = 1 : i64}} : (tensor<f32>) -> tensor<f32>
    %0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = {a = 1 : i64}} : (tensor<f32>) -> tensor<f32>

The repair writes the second spelling.`,
}

func jaxSpelling(p *lint.Pass) error {
	for _, c := range callsOf(p) {
		if !c.typed || c.APIVersion == stablehlo.TypedFFI {
			continue
		}
		dictionary := "{}"
		if !c.dictionary.IsNil() {
			dictionary = c.dictionary.String()
		}
		p.ReportFix(c.op, finding.Note, finding.Fix{
			Message: "write api_version = 4 and the dictionary as backend_config",
			Set:     map[string]string{"api_version": "4 : i32", "backend_config": dictionary},
			Remove:  []string{"mhlo.backend_config"},
		}, "the typed call of @%s is spelled as version 1 with mhlo.backend_config: "+
			"write api_version = 4 and the dictionary as backend_config", c.Target)
	}
	return nil
}
