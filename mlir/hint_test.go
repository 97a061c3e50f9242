package mlir_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestHint parses text with operations, types and attributes that the default library does
// not know. The error names the libraries that know them, if any.
func TestHint(t *testing.T) {
	const (
		iree  = "the IREE compiler library has "
		newer = "the IREE compiler library and the torch-mlir library have "
		all   = "the IREE compiler library, the upstream MLIR library and the torch-mlir library have "
	)
	tests := []struct{ name, module, want string }{
		{"newer operation", `"chlo.mulhi"() : () -> ()`, newer + "chlo.mulhi: fetch it with `go run github.com/calliope-mlir/calliope/tools/doctor -fetch iree`, and open it by its path, or set CALLIOPE_MLIR_LIBRARY to the path"},
		{"newer operation, in its own form", `func.func @f(%a: i32) { %0 = chlo.mulhi %a, %a : i32 }`, newer + "chlo.mulhi"},
		{"operation", `func.func @f() { linalg.fill }`, all + "dialect linalg"},
		{"operation in the generic form", "module {\n  \"quant.dcast\"() : () -> ()\n}", "call stablehlo.LoadQuant first"},
		{"type", `func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) { return }`, "call stablehlo.LoadQuant first"},
		{"type of another dialect", `func.func @f(%a: !spirv.sampler) { return }`, all + "dialect spirv"},
		{"attribute", `module attributes {func.x = #hal.device<x>} {}`, iree + "dialect hal"},
		{"unknown operation", `module { unknown.op }`, ""},
		{"unknown operation in the generic form", `module { "unknown.op"() : () -> () }`, ""},
		{"operation that a known dialect lacks", `module { "stablehlo.nothing"() : () -> () }`, ""},
		{"another mistake", `module { "stablehlo.add"( }`, ""},
		{"invalid bytes", "ML\xefR junk", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := mlirtest.Context(t).Parse("x", []byte(test.module))
			var d *mlir.DiagnosticError
			if !errors.As(err, &d) {
				t.Fatalf("the error is %v", err)
			}
			if test.want == "" {
				check.Diff(t, "hint", "", d.Hint)
				return
			}
			check.Error(t, err, "; "+test.want)
			if !strings.HasPrefix(d.Hint, test.want) {
				t.Errorf("the hint is %q, want %q", d.Hint, test.want)
			}
		})
	}
}
