package mlir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

// inChecks returns a function with lines in it.
func inChecks(lines ...string) string {
	return "func.func @main(%a: tensor<2xf32>, %i: tensor<2xi32>, %c: tensor<complex<f32>>) {\n" + strings.Join(lines, "\n") +
		"\n  return\n}"
}

// TestCheckDialect checks that the operations of StableHLO's dialect check are read, and where their places are.
func TestCheckDialect(t *testing.T) {
	mlirtest.EachContext(t, func(t *testing.T, c *mlir.Context) {
		if !c.Library().Has("mlirLoadIRDLDialects") || c.LoadDialect("irdl") != nil {
			return
		}
		for _, test := range []struct{ text, want string }{
			{"check.expect_eq_const %i, dense<[1, 2]> : tensor<2xi32>",
				`"check.expect_eq_const"(%arg1) {value = dense<[1, 2]> : tensor<2xi32>} : (tensor<2xi32>) -> ()`},
			{"check.expect_eq_const %i, // a comment\n dense <\n [1,\n 2]> :\n tensor<2xi32> {a.b = 1 : i8}",
				`"check.expect_eq_const"(%arg1) {a.b = 1 : i8, value = dense<[1, 2]> : tensor<2xi32>} : (tensor<2xi32>) -> ()`},
			{"check.expect_almost_eq_const %c, dense<(1.0, 0x7FC00000)> : tensor<complex<f32>>",
				`"check.expect_almost_eq_const"(%arg2) {value = dense<(1.000000e+00,0x7FC00000)> : tensor<complex<f32>>} : (tensor<complex<f32>>) -> ()`},
			{`check.expect_almost_eq_const %a, dense<"0x0000803F0000803F"> : tensor<2xf32>, tolerance = 1.0e-3`,
				`"check.expect_almost_eq_const"(%arg0) {tolerance = 1.000000e-03 : f64, value = dense<1.000000e+00> : tensor<2xf32>} : (tensor<2xf32>) -> ()`},
			{"check.expect_eq %a, %a : tensor<2xf32>",
				`"check.expect_eq"(%arg0, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> ()`},
			{"check.expect_eq %a, %a {a.b} : tensor<2xf32>",
				`"check.expect_eq"(%arg0, %arg0) {a.b} : (tensor<2xf32>, tensor<2xf32>) -> ()`},
			{"check.expect_almost_eq %a, %a, tolerance = 0.5 : f64 : tensor<2xf32>",
				`"check.expect_almost_eq"(%arg0, %arg0) {tolerance = 5.000000e-01 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()`},
			{"check.expect_close %a, %a, max_ulp_difference = 18446744073709551615, min_ulp_difference = 2 : tensor<2xf32>, tensor<2xf32>",
				`"check.expect_close"(%arg0, %arg0) {max_ulp_difference = 18446744073709551615 : ui64, min_ulp_difference = 2 : ui64} : (tensor<2xf32>, tensor<2xf32>) -> ()`},
			{`check.expect_serialized_eq %a, probe_id = "p, \"0", iter = 1 : tensor<2xf32>`,
				`"check.expect_serialized_eq"(%arg0) {iteration = 1 : ui32, probe_id = "p, \220"} : (tensor<2xf32>) -> ()`},
			{`"check.expect_eq_const"(%i) <{value = dense<1> : tensor<2xi32>}> : (tensor<2xi32>) -> ()`,
				`"check.expect_eq_const"(%arg1) {value = dense<1> : tensor<2xi32>} : (tensor<2xi32>) -> ()`},
			{`"check.expect_eq_const"(%i) {value = dense<1> : tensor<2xi32>} : (tensor<2xi32>) -> ()`,
				`"check.expect_eq_const"(%arg1) {value = dense<1> : tensor<2xi32>} : (tensor<2xi32>) -> ()`},
		} {
			text := inChecks("  // check.expect_eq(%a)", "  "+test.text)
			m, err := c.Parse("t.mlir", []byte(text))
			if err != nil {
				t.Errorf("%v\n%s", err, test.text)
				continue
			}
			printed := m.String()
			if !strings.Contains(printed, test.want) {
				t.Errorf("%s is read as\n%s\nwant %s", test.text, printed, test.want)
			}
			again, err := c.Parse("", []byte(printed))
			if err != nil {
				t.Fatal(err)
			}
			again.Close()
			m.Close()
		}
	})
}

// TestCheckPlaces checks that operations and errors behind those of the dialect check have the places of the text.
func TestCheckPlaces(t *testing.T) {
	const (
		eq    = "check.expect_eq %a, %a : tensor<2xf32>"
		equal = "check.expect_eq_const %i, dense<[1,\n 2]> : tensor<2xi32>"
	)
	c := mlirtest.Context(t)
	for _, around := range []string{"%s", "module {\n%s\n}"} {
		text := fmt.Sprintf(around, inChecks("  "+eq+" "+eq+" %0 = stablehlo.abs %a : tensor<2xf32>", equal+" "+eq))
		m, err := c.Parse("t.mlir", []byte(text))
		check.NoError(t, err)
		var got, want []string
		for op := range m.Operation().All() {
			if name := op.Name(); strings.HasPrefix(name, "check.") || name == "stablehlo.abs" {
				p := op.Location().Position()
				got = append(got, fmt.Sprintf("%s at %s", name, p))
				line := strings.Split(text, "\n")[p.Line-1]
				if !strings.HasPrefix(line[p.Column-1:], name) && !strings.HasPrefix(line[p.Column-1:], "%0") {
					want = append(want, name)
				}
			}
		}
		m.Close()
		if len(got) != 5 || want != nil {
			t.Errorf("the places are %s; those of %s are wrong", got, want)
		}
	}
	for text, want := range map[string]string{
		"check.expect_eq_const %i, dense<1.0> : tensor<2xf32>":  "t.mlir:2:23: error: use of value '%i' expects different type than prior uses: 'tensor<2xf32>' vs 'tensor<2xi32>'",
		"check.expect_eq_const %i, dense<1, 2> : tensor<2xi32>": "t.mlir:2:34: error: expected '>'",
		"check.expect_eq_const %i, dense<1> ":                   "t.mlir:2:1: error: 'check.expect_eq_const' is not in its form: write check.expect_eq_const %0, dense<…> : type",
		"check.expect_eq %a : tensor<2xf32>":                    "t.mlir:2:1: error: op expects exactly 2 operands, but got 1",
		"check.expect_eq %a, %a, %a : tensor<2xf32>":            "t.mlir:2:",
		eq + "; %0 = 1":                          "t.mlir:2:39: error:",
		"check.expect_lt %a, %a : tensor<2xf32>": "custom op 'check.expect_lt' is unknown",
		"check.expect_close %a, %a : tensor<2xf32>, tensor<2xf32>\n\"f.g\"()": "t.mlir:3:",
	} {
		_, err := c.Parse("t.mlir", []byte(inChecks(text)))
		if check.Error(t, err, want); strings.Contains(err.Error(), "IREE") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestCheckLibrary checks that OpenFor tells StableHLO's dialect check from IREE's.
func TestCheckLibrary(t *testing.T) {
	part := func(line string) native.Part {
		l, err := mlir.OpenFor([]byte(inChecks(line)))
		if missing, ok := err.(*native.NotFoundError); ok {
			return missing.Part
		}
		check.NoError(t, err)
		if strings.HasPrefix(l.Version(), "iree") || strings.HasPrefix(l.Version(), "IREE") {
			return native.IREE
		}
		return native.MLIR
	}
	got := map[string]native.Part{}
	want := map[string]native.Part{
		"check.expect_eq %a, %a : tensor<2xf32>":                                    native.MLIR,
		`"check.expect_eq"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> ()`:          native.MLIR,
		"check.expect_eq(%a, %a) : tensor<2xf32>":                                   native.IREE,
		"check.expect_true(%a) : i32":                                               native.IREE,
		"// check.expect_eq %a\ncheck.expect_eq_const (%a, dense<1> : tensor<i32>)": native.IREE,
	}
	for line := range want {
		got[line] = part(line)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
