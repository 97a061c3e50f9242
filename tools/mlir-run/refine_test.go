package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/tensor"
)

// TestDynamic runs modules whose dimensions are those of the inputs, and files of jax.export.
func TestDynamic(t *testing.T) {
	folder := t.TempDir()
	exports := check.Must(filepath.Abs("../../stablehlo/jaxexport/testdata"))
	write(t, folder, "double.mlir", `func.func @main(%a: tensor<?x2xf32>, %b: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %r = stablehlo.add %a, %b : tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}`)
	write(t, folder, "platform.mlir",
		`func.func @main(%p: tensor<i32> {jax.global_constant = "_platform_index"}, %a: tensor<?xf32>) -> tensor<?xf32> {
  %r = "stablehlo.case"(%p) ({
    stablehlo.return %a : tensor<?xf32>
  }, {
    %n = stablehlo.negate %a : tensor<?xf32>
    stablehlo.return %n : tensor<?xf32>
  }) : (tensor<i32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}`)
	write(t, folder, "dependent.mlir", `func.func @main(%a: tensor<2xf32>, %s: tensor<1xi32>) -> tensor<?xf32> {
  %r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0] : (tensor<2xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}`)
	matrix := func(name string, n, m int, elements ...float32) {
		writeArray(t, folder, name, check.Must(tensor.FromSlice(elements, n, m)))
	}
	matrix("1x2.npy", 1, 2, 10, 20)
	matrix("2x2.npy", 2, 2, 1, 2, 3, 4)
	matrix("2x3.npy", 2, 3, 1, 2, 3, 4, 5, 6)
	matrix("4x3.npy", 4, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	writeArray(t, folder, "2.npy", tensor.Vector[float32](100, 200))
	writeArray(t, folder, "3.npy", tensor.Vector[float32](1, 2, 4))
	writeArray(t, folder, "4.npy", tensor.Vector[float32](0, 0, 0, 0))
	write(t, folder, "asserts.mlir", `func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %r = call @checked(%a) : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func private @checked(%a: tensor<3xf32>) -> tensor<3xf32> {
  %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<3xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %ok = stablehlo.compare EQ, %n, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%ok, %n) {api_version = 2 : i32, error_message = "two are wanted, not {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return %a : tensor<3xf32>
}`)
	write(t, folder, "holds.mlir", strings.ReplaceAll(
		string(check.Must(os.ReadFile(filepath.Join(folder, "asserts.mlir")))), "dense<2>", "dense<3>"))
	writeArray(t, folder, "one.npy", tensor.Scalar[float32](1))
	writeArray(t, folder, "index.npy", tensor.Scalar[int32](1))
	writeArray(t, folder, "size.npy", tensor.Vector[int32](2))
	writeArray(t, folder, "double.npy", check.Must(tensor.FromSlice([]float64{1, 2}, 1, 2)))
	for name, test := range map[string]struct {
		args           string
		status         int
		stdout, stderr string
	}{
		"module":     {"double.mlir --in 2x2.npy --in 2x2.npy", exitDone, "out0 f32[2,2] [[2 4] [6 8]]\n", ""},
		"other size": {"double.mlir --in 1x2.npy --in 1x2.npy", exitDone, "out0 f32[1,2] [[20 40]]\n", ""},
		"replicas": {"double.mlir --replicas 2 --in 1x2.npy --in 1x2.npy --in 1x2.npy --in 1x2.npy", exitDone,
			"out1 f32[1,2] [[20 40]]\n", ""},
		"replicas differ": {"double.mlir --replicas 2 --in 1x2.npy --in 1x2.npy --in 2x2.npy --in 2x2.npy",
			exitFailed, "", "in2 is f32[2,2]: f32[1,2] is expected"},
		"sizes differ": {"double.mlir --in 1x2.npy --in 2x2.npy", exitFailed, "", "stablehlo.add"},
		"wrong dimension": {"double.mlir --in 2x3.npy --in 2x2.npy", exitFailed, "",
			"does not fit double.mlir:\n  in0 is f32[2,3]: f32[?,2] is expected"},
		"wrong rank": {"double.mlir --in 3.npy --in 2x2.npy", exitFailed, "",
			"in0 is f32[3]: f32[?,2] is expected"},
		"wrong type": {"double.mlir --in double.npy --in 2x2.npy", exitFailed, "",
			"in0 is f64[1,2]: f32[?,2] is expected"},
		"missing": {"double.mlir --in 2x2.npy", exitFailed, "", "in1 is missing: f32[?,2] is expected"},
		"no inputs": {"double.mlir", exitFailed, "",
			"double.mlir needs inputs: use --in:\n  in0: f32[?,2]\n  in1: f32[?,2]\n"},
		"platform":           {"platform.mlir --in index.npy --in 3.npy", exitDone, "out0 f32[3] [-1 -2 -4]\n", ""},
		"platform no inputs": {"platform.mlir", exitFailed, "", "in0: s32[], the index of the platform in the list for which the module was exported\n  in1: f32[?]\n"},
		"values":             {"dependent.mlir --in 2.npy --in size.npy", exitFailed, "", "dependent.mlir: stablehlo: refining stablehlo.dynamic_broadcast_in_dim at dependent.mlir:2:8: the shape of its result stays dynamic: tensor<?xf32>"},

		"static":           {"holds.mlir --in 3.npy", exitDone, "out0 f32[3] [1 2 4]\n", ""},
		"static, violated": {"asserts.mlir --in 3.npy", exitFailed, "", "asserts.mlir: stablehlo: the shapes violate an assertion of the module: two are wanted, not 3"},

		"export":           {"static --in 4.npy --in one.npy", exitDone, "out0 f32[4] [1 1 1 1]\nout1 f32[] 1\n", ""},
		"export unused":    {"unused --in 4.npy --in 4.npy", exitDone, "out0 f32[4] [0 0 0 0]\n", ""},
		"export platforms": {"platforms --in 3.npy", exitDone, "out0 f32[3] [2 3 5]\n", ""},
		"export dynamic":   {"polymorphic --in 2x3.npy --in 2x2.npy", exitDone, "out0 f32[2,2] [[7 8] [18 19]]\n", ""},
		"export both":      {"both --in 2x3.npy", exitDone, "out0 f32[3] [14 18 22]\n", ""},
		"export loop":      {"loop --in 3.npy", exitDone, "out0 f32[] 7\n", ""},
		"export window":    {"window --in 3.npy", exitDone, "out0 f32[3] [1 3 7]\n", ""},
		"export asserted":  {"asserted --in 4x3.npy --in 2.npy", exitDone, "out0 f32[2] [336 342]\n", ""},
		"export asserts":   {"asserted --in 4x3.npy --in 3.npy", exitFailed, "", "the shapes violate an assertion of the module: Input shapes do not match the polymorphic shapes specification. Found inconsistency between dimension size args[1].shape[0] (= 3)"},
		"export vjp":       {"vjp --vjp 1 --in 4.npy --in 4.npy", exitDone, "out0 f32[4] [", ""},
		"export no vjp": {"vjp --vjp 2 --in 4.npy", exitFailed, "",
			"--vjp is 2, and the highest order in the file is 1: serialize it with vjp_order=2"},
		"export newer":   {"newer --in 4.npy", exitDone, "out0 f32[4] [1 1 1 1]\n", ""},
		"export effects": {"effects --in 2.npy", exitDone, "out0 f32[2] [200 400]\n", ""},
		"export trees": {"trees --in 2x2.npy --in 2x2.npy --in 2x2.npy --in 2x2.npy", exitFailed, "", `
  in1 is f32[2,2]: f32[2] is expected, as args[0][1]['b']
  in2 is f32[2,2]: f32[1,2] is expected, as args[1][0]
  in3 is f32[2,2]: f32[] is expected, as kwargs['scale']`},
		"export open": {"polymorphic --in 2x3.npy --in 3.npy", exitFailed, "",
			"in1 is f32[3]: f32[?,2] is expected, as args[1]"},
		"other platform": {"tpu --in 2.npy", exitFailed, "",
			`it was exported for tpu: export it with platforms=["cpu"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(test.args)
			if filepath.Ext(args[0]) == "" {
				args[0] = filepath.Join(exports, args[0]+".jaxexport")
			}
			command{folder: folder}.run(t, args...).want(t, test.status, test.stdout, test.stderr)
		})
	}
}
