package autodiff_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/stablehlo"
)

var update = flag.Bool("update", false, "write docs/reference/derivatives.md")

// excuses says why operations have no rule.
var excuses = map[string]string{}

func init() {
	for reason, names := range map[string]string{
		"its results are integers or booleans": `stablehlo.and stablehlo.compare stablehlo.count_leading_zeros stablehlo.get_dimension_size
			stablehlo.is_finite stablehlo.not stablehlo.or stablehlo.popcnt stablehlo.shift_left stablehlo.shift_right_arithmetic
			stablehlo.shift_right_logical stablehlo.xor chlo.broadcast_and chlo.broadcast_compare chlo.broadcast_or
			chlo.broadcast_shift_left chlo.broadcast_shift_right_arithmetic chlo.broadcast_shift_right_logical chlo.broadcast_xor
			chlo.is_inf chlo.is_neg_inf chlo.is_pos_inf chlo.mulhi`,
		"it has no operand with a derivative": `stablehlo.constant stablehlo.create_token stablehlo.dynamic_iota stablehlo.iota
			stablehlo.infeed stablehlo.recv stablehlo.after_all chlo.constant`,
		"it has no result with a derivative":                        `stablehlo.outfeed stablehlo.send stablehlo.return`,
		"taken apart: the values in it are used directly":           `stablehlo.tuple stablehlo.get_tuple_element`,
		"made synchronous":                                          `stablehlo.async_start stablehlo.async_done`,
		"made an all_reduce, of which the other devices take zeros": `stablehlo.collective_reduce`,
		"inlined": `stablehlo.composite`,
	} {
		for name := range strings.FieldsSeq(names) {
			excuses[name] = reason
		}
	}
}

// refused has an operation of %x, or its type for those with a signature of their own, for each one that has no
// derivative.
var refused = map[string]string{
	"stablehlo.bitcast_convert":          `(%x) : (tensor<2xf32>) -> tensor<2x2xbf16>`,
	"stablehlo.dynamic_broadcast_in_dim": `(%x, %n) {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<1xi32>) -> tensor<?xf32>`,
	"stablehlo.dynamic_conv": `(%y, %y, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64,
		dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>} : (tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x2xi32>) -> tensor<1x?x1xf32>`,
	"stablehlo.dynamic_gather": `(%x, %i, %n) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>} :
		(tensor<2xf32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<1x?xf32>`,
	"stablehlo.dynamic_pad":        `(%x, %zero, %n, %n, %n) : (tensor<2xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>`,
	"stablehlo.dynamic_reshape":    `(%x, %n) : (tensor<2xf32>, tensor<1xi32>) -> tensor<?xf32>`,
	"stablehlo.real_dynamic_slice": `(%x, %n, %n, %n) : (tensor<2xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>`,
	"stablehlo.set_dimension_size": `(%x, %s) {dimension = 0 : i64} : (tensor<2xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<2>>`,
	"stablehlo.uniform_quantize":   `(%x) : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>`,
	"stablehlo.uniform_dequantize": `(%q) : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>`,
	"chlo.scan": `(%x) ({
		^bb0(%e: tensor<f32>):
			"stablehlo.return"(%e) : (tensor<f32>) -> ()
		}) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>}
		: (tensor<2xf32>) -> tensor<2xf32>`,
	"chlo._asin_acos_kernel": `(%z) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>`,
}

// refusal asks for the derivative of an operation, and returns why there is none.
func refusal(t *testing.T, name string) string {
	t.Helper()
	m := parse(t, fmt.Sprintf(`func.func @main(%%x: tensor<2xf32>) -> tensor<f32> {
		%%zero = stablehlo.constant dense<0.0> : tensor<f32>
		%%s = stablehlo.constant dense<1> : tensor<i32>
		%%n = stablehlo.constant dense<2> : tensor<1xi32>
		%%i = stablehlo.constant dense<0> : tensor<1x1xi32>
		%%p = stablehlo.constant dense<0> : tensor<1x2xi32>
		%%z = stablehlo.complex %%x, %%x : tensor<2xcomplex<f32>>
		%%a = stablehlo.slice %%x [0:1] : (tensor<2xf32>) -> tensor<1xf32>
		%%y = stablehlo.reshape %%a : (tensor<1xf32>) -> tensor<1x1x1xf32>
		%%q = stablehlo.uniform_quantize %%x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
		%%r = "%s"%s
		stablehlo.custom_call @keep(%%r) {has_side_effect = true} : (%s) -> ()
		return %%zero : tensor<f32>
	}`, name, refused[name], refused[name][strings.LastIndex(refused[name], "-> ")+3:]))
	_, err := autodiff.JVP(function(t, m, "main"), autodiff.Options{})
	refusal, ok := errors.AsType[*stablehlo.TransformError](err)
	if !ok {
		t.Errorf("%s is not refused: %v", name, err)
		return ""
	}
	if of := refusal.Operation; of != name && name != "stablehlo.uniform_dequantize" {
		t.Errorf("%s is refused because of %s: %v", name, of, err)
	}
	return "refused: " + refusal.Reason
}

// TestDerivativesPage holds docs/reference/derivatives.md against the table of the rules.
func TestDerivativesPage(t *testing.T) {
	check.NoRaces(t)
	var b strings.Builder
	b.WriteString(`# Derivatives of operations

Which derivative package [autodiff](../autodiff.md) has of each operation of StableHLO and CHLO. A test writes this page from the
table of the rules: ` + "`go test ./autodiff -run DerivativesPage -update`" + `.

- **linear**: the tangents pass through the operation, and there is a transpose for reverse mode.
- **by others**: the tangents are computed by other operations, which have a transpose.
- **replaced**: the operation is replaced by others that compute the same.
- **zero**: as in JAX.

`)
	tests := coverage(t)
	for _, dialect := range []string{"stablehlo", "chlo"} {
		fmt.Fprintf(&b, "| %s | derivative | test |\n|---|---|---|\n",
			map[string]string{"stablehlo": "StableHLO", "chlo": "CHLO"}[dialect])
		data, err := os.ReadFile(filepath.Join("..", "tools", "opgen", "facts", dialect+".txt"))
		check.NoError(t, err)
		for _, match := range regexp.MustCompile(`(?m)^operation (\S+)`).FindAllStringSubmatch(string(data), -1) {
			name := match[1]
			kind := autodiff.Kind(name)
			reason, excused := excuses[name]
			if _, ok := refused[name]; ok && kind != "" {
				kind += " if the types are equal, else " + refusal(t, name)
			} else if ok {
				reason, excused = refusal(t, name), true
			}
			switch {
			case kind != "" && excused && name != "stablehlo.composite":
				t.Errorf("%s has a rule, and a reason to have none", name)
			case kind == "" && !excused:
				t.Errorf("%s has neither a rule nor a reason to have none", name)
			case excused:
				kind = reason
			}
			test := tests(name)
			if !excused && kind != "zero" && test == "" {
				t.Errorf("%s has no test", name)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.TrimPrefix(name, dialect+"."), kind, test)
		}
		b.WriteString("\n")
	}
	b.WriteString(`## Out of bounds

` + "`gather` and `dynamic_slice`" + ` clamp their start indices, as StableHLO specifies, and a cotangent goes to the element that was
read. JAX drops the cotangents of a gather whose indices are out of bounds, unless its mode is clip: its default is
promise_in_bounds, under which such a module reads the clamped element all the same. With mode fill the module masks these
elements, and both have no cotangent. ` + "`scatter`" + ` leaves out updates that are out of bounds, and so do its derivatives.
`)
	path := filepath.Join("..", "docs", "reference", "derivatives.md")
	if *update {
		check.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	got, err := os.ReadFile(path)
	check.NoError(t, err)
	check.Diff(t, "docs/reference/derivatives.md, which -update writes", b.String(), string(got))
}

// coverage returns a function for the test of an operation: a function of JAX, or a file.
func coverage(t *testing.T) func(name string) string {
	file, err := os.Open("testdata/cases.json.gz")
	check.NoError(t, err)
	check.Cleanup(t, file)
	var cases []struct{ Name, Module string }
	check.NoError(t, json.NewDecoder(check.Must(gzip.NewReader(file))).Decode(&cases))
	files := map[string]string{}
	for _, path := range check.Must(filepath.Glob("*_test.go")) {
		if path != "table_test.go" {
			files[path] = string(check.Must(os.ReadFile(path)))
		}
	}
	return func(name string) string {
		called := regexp.MustCompile(regexp.QuoteMeta(name) + `["( \n]`)
		for _, c := range cases {
			if called.MatchString(c.Module) {
				return "JAX, " + c.Name
			}
		}
		for _, path := range slices.Sorted(maps.Keys(files)) {
			if called.MatchString(files[path]) {
				return path
			}
		}
		return ""
	}
}
