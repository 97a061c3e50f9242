package xlafix_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/xlafix"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/passes"
)

// TestDeviations checks the modules of tests/deviations, which run on XLA there: those that the preparation mends
// deviate, and are right afterwards. Others are about arithmetic, or of plugins that are not the default.
func TestDeviations(t *testing.T) {
	const folder = "../../../tests/deviations/testdata"
	want := map[string]string{
		"wider-einsum":              "stablehlo.einsum: XLA gives the result the element type",
		"call-in-condition":         "stablehlo.while: XLA knows how often the loop runs",
		"donated-parameter":         "stablehlo.custom_call: a computation returns the operand",
		"empty-loop":                "stablehlo.while: the loop runs zero times",
		"integer-power":             "stablehlo.power: XLA reads only the low six bits",
		"integer-power-quotient":    "stablehlo.power: XLA takes the quotient",
		"boolean-sum":               "stablehlo.add: XLA folds the sum",
		"signed-random-bits":        "stablehlo.rng_bit_generator: XLA returns random bits as unsigned",
		"shifted-update":            "stablehlo.dynamic_update_slice: the update is computed of the array itself",
		"broadcast-power":           "chlo.broadcast_power: XLA reads only the low six bits",
		"initial-value":             "stablehlo.reduce: XLA loses the initial value",
		"narrow-index":              "stablehlo.dynamic_slice: XLA takes constants of unsigned indices",
		"narrow-population-count":   "stablehlo.popcnt: XLA counts the bits of a wider integer",
		"scalar-select-and-scatter": "stablehlo.select_and_scatter: XLA's compiler ends the process",
		"float8-chain":              "stablehlo.add: XLA compiles chains of operations",
		"trimmed-window":            "stablehlo.reduce_window: XLA's compiler ends the process",
		"scatter-window":            "stablehlo.scatter: XLA leaves out a window",
		"scatter-without-index":     "stablehlo.scatter: XLA makes one of the updates",
		"trip-count":                "stablehlo.while: the step does not divide",
		"unsigned-countdown":        "stablehlo.while: XLA's compiler ends the process",
		"wrapping-counter":          "stablehlo.while: the counter wraps",
		"returned-through-branch":   "stablehlo.custom_call: a computation returns the operand",
		"reshaped-update":           "stablehlo.dynamic_update_slice: the update is computed of the array itself",
		"update-of-another-shape":   "stablehlo.dynamic_update_slice: the update is computed of the array itself",
		"arctangent":                "chlo.atan: XLA's vectors of arctangents",
		"small-sort":                "stablehlo.sort: XLA sorts elements of 2 bits wrongly",
		"joined-pairs":              "stablehlo.concatenate: XLA sorts elements of 2 bits wrongly, cannot join",
		"small-product":             "stablehlo.dot: XLA sorts elements of 2 bits wrongly",
		"angle-of-zeros":            "stablehlo.atan2: an exact compile folds the angle of two zeros to NaN",
		"update-before-window":      "stablehlo.dynamic_update_slice: the update is computed of the array itself",
		"slice-in-scatter":          "stablehlo.dynamic_slice: XLA makes one slice of two",
		"forwarded-result":          "stablehlo.case: all branches return one value",
		"root-rounded-twice":        "stablehlo.sqrt: XLA rounds a root of f8E3M4 to f16 first",
		"rounded-to-nan":            "stablehlo.round_nearest_even: XLA folds each rounding",
		"wrapped-nibble":            "stablehlo.convert: XLA computes integers of 4 bits in 8 bits",
		"two-roundings":             "stablehlo.convert: XLA rounds the numbers to f32 first",
		"two-roundings-of-f64":      "stablehlo.convert: XLA rounds the numbers to f32 first",
		"small-number":              "stablehlo.convert: XLA makes the largest integer",
		"nothing-scattered":         "stablehlo.select_and_scatter: XLA folds it to zeros",
		"constant-quotient":         "stablehlo.divide: some plugins end the process",
		"update-in-function":        "stablehlo.dynamic_update_slice: the update is computed of the array itself",
		"update-of-window":          "stablehlo.dynamic_update_slice: the update is computed of the array itself",
		"nested-slices":             "stablehlo.dynamic_slice: XLA makes one slice of two",
		"bits-of-bits":              "stablehlo.bitcast_convert: XLA makes one conversion of two",
	}
	refused := map[string]string{ // by MLIR's parser in this module, which guards the library
		"alias-of-no-result": "has output_operand_aliases and no results",
		"groups-of-nothing":  "has no replica groups",
	}
	files, err := filepath.Glob(folder + "/*.mlir")
	check.NoError(t, err)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".mlir")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			check.NoError(t, err)
			if part, ok := refused[name]; ok {
				_, err := mlirtest.Context(t).Parse("test.mlir", data)
				check.Error(t, err, part)
				return
			}
			m := parse(t, string(data))
			text := ""
			for _, d := range xlafix.Deviations(m, m.Operation().Index()) {
				text += fmt.Sprintf("%s: %s", d.Op.Name(), d.About)
			}
			if !strings.HasPrefix(text, want[name]) || (text == "") != (want[name] == "") {
				t.Errorf("%q, want %q", text, want[name])
			}
			check.NoError(t, passes.Prepare(m, passes.PrepareOptions{}))
			for _, d := range xlafix.Deviations(m, m.Operation().Index()) {
				t.Errorf("after the preparation: %s: %s", d.Op.Name(), d.About)
			}
		})
	}
}
