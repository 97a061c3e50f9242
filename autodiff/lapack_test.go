package autodiff_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestDecompositionErrors holds what has no derivative to an error that says so.
func TestDecompositionErrors(t *testing.T) {
	factors := `%0:2 = stablehlo.custom_call @Qr(%x) {backend_config = ""} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)`
	for name, test := range map[string]struct{ body, result, want string }{
		"Schur form": {`%0:3 = stablehlo.custom_call @lapack_sgees_ffi(%x) {backend_config = ""} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<i32>)`,
			"%0#0 : tensor<4x3xf32>", "LAPACK's gees"},
		"tridiagonal factors": {`%d = stablehlo.slice %x [0:1, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>
			%e = stablehlo.reshape %d : (tensor<1x3xf32>) -> tensor<3xf32>
			%b = stablehlo.slice %x [0:3, 0:3] : (tensor<4x3xf32>) -> tensor<3x3xf32>
			%0:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%e, %e, %e, %b) {backend_config = ""} :
				(tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>) ->
				(tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<i32>)`,
			"%0#1 : tensor<3xf32>", "use the solution alone"},
		"reflectors": {factors, "%0#0 : tensor<4x3xf32>", "reflectors"},
		"a full Q": {factors + `
			%zero = stablehlo.constant dense<0.0> : tensor<f32>
			%1 = stablehlo.pad %0#0, %zero, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x4xf32>
			%2 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%1, %0#1) {backend_config = ""} : (tensor<4x4xf32>, tensor<3xf32>) -> tensor<4x4xf32>`,
			"%2 : tensor<4x4xf32>", "as many columns as R has rows"},
		"all singular vectors": {`%0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%x) {
				api_version = 4 : i32, backend_config = {mode = 65 : ui8}
			} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<4x4xf32>, tensor<3x3xf32>, tensor<i32>)`,
			"%0#2 : tensor<4x4xf32>", "full_matrices=False"},
	} {
		t.Run(name, func(t *testing.T) {
			_, of, _ := strings.Cut(test.result, " : ")
			m := parse(t, "func.func @main(%x: tensor<4x3xf32>) -> "+of+" {"+test.body+"\nreturn "+test.result+"\n}")
			_, err := autodiff.JVP(function(t, m, "main"), autodiff.Options{})
			check.Error(t, err, "stablehlo.custom_call at ", test.want)
		})
	}
}

// TestForTPU differentiates the calls that JAX makes for TPUs, which only these can run.
func TestForTPU(t *testing.T) {
	m := parse(t, `func.func @main(%x: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3x3xf32>) {
		%0:2 = stablehlo.custom_call @Eigh(%x) {backend_config = "1,1,100,1e-6"} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>)
		%1:2 = stablehlo.custom_call @Qr(%x) {backend_config = ""} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>)
		%2 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%1#0, %1#1) {backend_config = ""} : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
		return %0#0, %0#1, %2 : tensor<3x3xf32>, tensor<3xf32>, tensor<3x3xf32>
	}`)
	_, backward, err := autodiff.VJP(function(t, m, "main"), autodiff.Options{})
	check.NoError(t, err)
	if n := strings.Count(backward.String(), "custom_call"); n > 0 {
		t.Errorf("the transpose calls back %d times:\n%s", n, backward)
	}
}
