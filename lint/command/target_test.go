package command_test

import "testing"

// TestTarget reports what a version of StableHLO lacks, which a flag or the configuration names.
func TestTarget(t *testing.T) {
	const tan = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n" +
		"  %0 = stablehlo.tan %x : tensor<f32>\n  return %0 : tensor<f32>\n}\n"
	config := writeFile(t, t.TempDir(), "c.yaml", "target-stablehlo: 1.3.0\n")
	const lacks = "<stdin>:2:8: error: stablehlo.tan needs StableHLO 1.4.0 in this form, and the target has 1.3.0"
	execute(tan).holds(t, 0)
	execute(tan, "-target-stablehlo", "1.4.0").holds(t, 0)
	execute(tan, "-target-stablehlo", "1.3.0").holds(t, 1, lacks)
	execute(tan, "-config", config).holds(t, 1, lacks)
	execute(tan, "-config", config, "-target-stablehlo", "1.4.0").holds(t, 0) // the flag decides
	execute(tan, "-target-stablehlo", "1.3").holds(t, 2, `"1.3" is not a version of StableHLO: use the form 1.13.3`)
}
