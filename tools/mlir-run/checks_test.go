package main

import (
	"math"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// checked returns a module whose body compares arrays.
func checked(body string) string {
	return "func.func @main() -> tensor<2xf32> {\n" +
		"  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n" +
		"  %near = stablehlo.constant dense<[1.0, 2.0000005]> : tensor<2xf32>\n" +
		"  %far = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xf32>\n" +
		"  %yes = stablehlo.constant dense<true> : tensor<i1>\n" +
		body + "  return %a : tensor<2xf32>\n}\n"
}

// compared returns a call of a check.
func compared(target, a, b string) string {
	return "  stablehlo.custom_call @" + target + "(" + a + ", " + b +
		") {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()\n"
}

func TestChecks(t *testing.T) {
	verdict := `  %v = stablehlo.custom_call @check.eq(%yes, %yes) : (tensor<i1>, tensor<i1>) -> tensor<i1>` + "\n"
	for name, test := range map[string]struct {
		body   string
		args   string
		status int
		stdout string
		stderr string
	}{
		"all hold": {compared("check.expect_eq", "%a", "%a") + compared("check.expect_close", "%a", "%near") +
			compared("check.expect_almost_eq", "%a", "%near") + verdict, "--check", exitDone, "4 of 4 checks hold\n",
			""},
		"one fails": {compared("check.expect_eq", "%a", "%near") + compared("check.expect_close", "%a", "%near"),
			"--check", exitDiffers,
			"1 of 2 checks hold\ncheck            at           type    differ  worst at  got  expected   abs error  rel error\n" +
				"check.expect_eq  <stdin>:6:3  f32[2]  1 of 2  [1]       2    2.0000005  4.77e-07   2.38e-07\n", ""},
		"all fail": {compared("check.expect_close", "%a", "%far") +
			compared("check.expect_almost_eq", "%a", "%far"), "--check", exitDiffers, "0 of 2 checks hold\n", ""},
		"not asked for": {compared("check.expect_eq", "%a", "%a"), "", exitFailed, "",
			"with --check the run is judged by its checks"},
		"no check": {"", "--check", exitFailed, "", "--check: the module has no check: it is for operations of StableHLO's dialect check, and custom calls of check.eq, check.expect_almost_eq, "},
		"other arrays": {
			strings.Replace(compared("check.expect_eq", "%a", "%yes"), ", tensor<2xf32>)", ", tensor<i1>)", 1),
			"--check", exitFailed, "",
			"<stdin>:6:3: check.expect_eq compares two arrays of the same type: give it these"},
		"another result": {strings.Replace(compared("check.expect_eq", "%a", "%a"), "()", "tensor<2xf32>", 1),
			"--check", exitFailed, "", "check.expect_eq has no result, or a tensor<i1>"},
		"not reached": {"  %no = stablehlo.not %yes : tensor<i1>\n  \"stablehlo.if\"(%no) ({\n" +
			compared("check.expect_eq", "%a", "%a") +
			"stablehlo.return\n}, {\nstablehlo.return\n}) : (tensor<i1>) -> ()\n", "--check", exitFailed, "",
			"the module has 1 checks, and none of them ran"},
		"operations": {"  check.expect_eq_const %a, dense<[1.0, 2.0]> : tensor<2xf32>\n" +
			"  check.expect_eq %a, %a : tensor<2xf32>\n" +
			"  check.expect_almost_eq %a, %near : tensor<2xf32>\n" +
			"  check.expect_almost_eq_const %a, dense<[1.0, 2.5]> : tensor<2xf32>, tolerance = 0.5\n" +
			"  check.expect_close %a, %near, max_ulp_difference = 2 : tensor<2xf32>, tensor<2xf32>\n", "--check", exitDone,
			"5 of 5 checks hold\n", ""},
		"operations that fail": {"  check.expect_eq_const %a, dense<[1.0, 3.0]> : tensor<2xf32>\n" +
			"  check.expect_almost_eq %a, %near, tolerance = 1.0e-9 : tensor<2xf32>\n" +
			"  \"check.expect_close\"(%a, %near) : (tensor<2xf32>, tensor<2xf32>) -> ()\n" +
			"  check.expect_close %a, %a, max_ulp_difference = 9, min_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>\n" +
			"  check.expect_eq_const %yes, dense<true> : tensor<i1>\n",
			"--check", exitDiffers, "1 of 5 checks hold\n" +
				"check                   at           type    differ  worst at  got  expected   abs error  rel error\n" +
				"check.expect_eq         <stdin>:6:3  f32[2]  1 of 2  [1]       2    3          1          0.333\n" +
				"check.expect_almost_eq  <stdin>:7:3  f32[2]  1 of 2  [1]       2    2.0000005  4.77e-07   2.38e-07\n" +
				"check.expect_close      <stdin>:8:3  f32[2]  1 of 2  [1]       2    2.0000005  4.77e-07   2.38e-07\n" +
				"check.expect_close      <stdin>:9:3  f32[2]  2 of 2  [0]       1    1          0          0\n", ""},
		"an operation, not asked for": {"  check.expect_eq %a, %a : tensor<2xf32>\n", "", exitFailed, "",
			"with --check the run is judged by its checks"},
		"saved arrays": {"  check.expect_serialized_eq %a, probe_id = \"p\" : tensor<2xf32>\n", "--check", exitFailed, "",
			"<stdin>:6:3: check.expect_serialized_eq compares with the files that StableHLO's interpreter writes: leave it out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := command{stdin: checked(test.body)}.run(t, append(strings.Fields(test.args), "-")...)
			got.want(t, test.status, test.stdout, test.stderr)
		})
	}
}

func TestStub(t *testing.T) {
	module := strings.Replace(checked("  %b = stablehlo.custom_call @foreign(%yes) : (tensor<i1>) -> tensor<2xf32>\n"),
		"return %a", "return %b", 1)
	for _, test := range []struct {
		module string
		args   []string
		status int
		stdout string
		stderr string
	}{
		{module, []string{"--stub", "zeros", "-"}, exitDone, "out0 f32[2] [0 0]\n", ""},
		{module, []string{"-"}, exitFailed, "", "<stdin>:6:8: foreign"},
		{strings.ReplaceAll(module, "@foreign(%yes) : (tensor<i1>)", "@foreign(%a) : (tensor<2xf32>)"),
			[]string{"--stub", "zeros", "-"}, exitDone, "out0 f32[2] [0 0]\n", ""},
		{module, []string{"--stub", "ones", "-"}, exitFailed, "", `--stub ones: the only stub is "zeros"`},
	} {
		command{stdin: test.module}.run(t, test.args...).want(t, test.status, test.stdout, test.stderr)
	}
}

func TestSteps(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	const all = math.MaxUint64
	f8 := func(x byte) tensor.View {
		return tensor.View{Shape: tensor.ShapeOf(tensor.F8E4M3FN, 1), Data: []byte{x}}
	}
	for name, test := range map[string]struct {
		a, b tensor.View
		want uint64
	}{
		"equal":    {tensor.Vector(1.5), tensor.Vector(1.5), 0},
		"zeros":    {tensor.Vector(0.0), tensor.Vector(math.Copysign(0, -1)), 0},
		"adjacent": {tensor.Vector(1.0), tensor.Vector(math.Nextafter(1, 2)), 1},
		"f32":      {tensor.Vector[float32](1), tensor.Vector(math.Nextafter32(math.Nextafter32(1, 0), 0)), 2},
		"across zero": {tensor.Vector(math.SmallestNonzeroFloat64), tensor.Vector(-math.SmallestNonzeroFloat64),
			2},
		"farthest": {tensor.Vector(math.MaxFloat64), tensor.Vector(-math.MaxFloat64),
			2 * (0x7ff0_0000_0000_0000 - 1)},
		"NaN":               {tensor.Vector(nan), tensor.Vector(nan), 0},
		"NaN and a number":  {tensor.Vector(nan), tensor.Vector(1.0), all},
		"infinity":          {tensor.Vector(inf), tensor.Vector(inf), 0},
		"infinity and more": {tensor.Vector(math.MaxFloat64), tensor.Vector(inf), all},
		"f16":               {tensor.Vector(tensor.ToFloat16(1)), tensor.Vector(tensor.ToFloat16(1.0009765625)), 1},
		"f8":                {f8(0x38), f8(0x3b), 3},
		"complex":           {tensor.Vector(complex(1, 2)), tensor.Vector(complex(1, math.Nextafter(2, 3))), 1},
		"complex, half NaN": {tensor.Vector(complex(nan, 2)), tensor.Vector(complex(nan, 2)), 0},
	} {
		check.Diff(t, name, test.want, steps(test.a, test.b, 0))
	}
}

// TestCheckTargets holds that each target of a check has a tolerance.
func TestCheckTargets(t *testing.T) {
	for target := range checkTolerances {
		check.Diff(t, target, true, contract.IsCheckTarget(target))
	}
	check.Diff(t, "another", false, contract.IsCheckTarget("check.other"))
}
