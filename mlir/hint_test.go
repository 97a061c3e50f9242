package mlir_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestHint parses text with operations, types and attributes that the default library does
// not know. The error names the libraries that know them, if any.
func TestHint(t *testing.T) {
	const (
		iree  = "the IREE compiler library has "
		older = "the MLIR library of jaxlib has "
		fetch = ": fetch it with `go run github.com/calliope-mlir/calliope/tools/doctor -fetch "
		open  = "`, and open it with mlir.OpenFor or mlir.OpenOptions.Dialects, or set CALLIOPE_MLIR_LIBRARY to its path"
	)
	tests := []struct{ name, module, want string }{
		{"operation", `func.func @f() { mhlo.return }`, older + "dialect mhlo" + fetch + "jaxlib" + open},
		{"operation in the generic form", "module {\n  \"mhlo.add\"() : () -> ()\n}", older + "dialect mhlo"},
		{"operation of IREE", `func.func @f() { vm.nothing }`, iree + "dialect vm" + fetch + "iree" + open},
		{"type", `func.func @f(%a: !mhlo.token) { return }`, older + "dialect mhlo"},
		{"attribute", `module attributes {func.x = #hal.device<x>} {}`, iree + "dialect hal"},
		{"unknown operation", `module { unknown.op }`, ""},
		{"unknown operation in the generic form", `module { "unknown.op"() : () -> () }`, ""},
		{"operation that a known dialect lacks", `module { "arith.nothing"() : () -> () }`, ""},
		{"operation of a newer StableHLO", `module { "stablehlo.nothing"() : () -> () }`, "the library has StableHLO 1."},
		{"attribute of a newer StableHLO", `module attributes {a = #stablehlo.nothing} {}`, "the library has StableHLO 1."},
		{"another mistake", `module { "stablehlo.add"( }`, ""},
		{"several modules", "func.func private @f()\n// -----\nfunc.func private @f()",
			"lines that begin with // ----- divide a text into modules, which are read one by one: "},
		{"a line in a comment", "func.func private @f()\n// --------\nfunc.func private @f()", ""},
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

// TestNotMLIR checks that the error names a file that is no module.
func TestNotMLIR(t *testing.T) {
	for data, want := range map[string]string{
		"\x1f\x8b\x08":         "x:1:1: error: it is compressed with gzip: decompress it",
		"HloModule m\n":        "x:1:1: error: it is the HLO text that XLA prints, and not MLIR: give the StableHLO module",
		"m\x00o\x00d\x00u\x00": "x:1:1: error: its text is in UTF-16: save it in UTF-8",
		"module {\n<<<<<<< HEAD\n=======\n>>>>>>> b\n}": "x:2:1: error: git could not merge two versions of the file, which it marks here: choose one",
	} {
		_, err := mlirtest.Context(t).Parse("x", []byte(data))
		check.Text(t, err, "mlir: parse failed: "+want)
	}
}

// TestHintJaxlib does so with jaxlib's library, which lacks other things.
func TestHintJaxlib(t *testing.T) {
	const (
		newer = "the MLIR and StableHLO library and the IREE compiler library have "
		all   = "the MLIR and StableHLO library, the IREE compiler library and the upstream MLIR library have "
		quant = "call stablehlo.LoadQuant first"
	)
	for _, test := range []struct{ name, module, want string }{
		{"newer operation", `"chlo.mulhi"() : () -> ()`, newer + "chlo.mulhi: fetch it with `go run github.com/calliope-mlir/calliope/tools/doctor -fetch mlir`"},
		{"newer operation, in its own form", `func.func @f(%a: i32) { %0 = chlo.mulhi %a, %a : i32 }`,
			newer + "chlo.mulhi"},
		{"operation", `func.func @f() { linalg.fill }`, all + "dialect linalg"},
		{"operation in the generic form", "module {\n  \"quant.dcast\"() : () -> ()\n}", quant},
		{"type", `func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 0.5:3>>) { return }`, quant},
		{"type of another dialect", `func.func @f(%a: !spirv.sampler) { return }`, all + "dialect spirv"},
		{"unreduced axes of a newer Shardy", `sdy.mesh @m = <["x"=2]>
			func.func @f(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={"x"}>}) { return }`,
			"the library's Shardy is older than that of JAX, and may refuse what is right: the default library reads it"},
		{"attribute of a newer Shardy", `func.func @f() attributes {sdy.x = #sdy.propagation_edges<[]>} { return }`,
			"the library's Shardy is older than that of JAX, and may refuse what is right: the default library reads it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := mlirtest.ContextOf(t, mlirtest.Jaxlib(t)).Parse("x", []byte(test.module))
			check.Error(t, err, "; "+test.want)
		})
	}
}

// TestUnsupportedHint checks that the error for a missing function names the libraries that
// have it, and how to get one.
func TestUnsupportedHint(t *testing.T) {
	for function, want := range map[string]string{
		"mlirEmitOptimizationRemark":    "mlir: lib.so does not export mlirEmitOptimizationRemark; the IREE compiler library has it: fetch it with `go run github.com/calliope-mlir/calliope/tools/doctor -fetch iree`, and open it with mlir.OpenFor or mlir.OpenOptions.Dialects, or set CALLIOPE_MLIR_LIBRARY to its path",
		"mlirOpConversionPatternCreate": "; the MLIR and StableHLO library and the IREE compiler library have it: fetch it with `go run github.com/calliope-mlir/calliope/tools/doctor -fetch mlir`",
	} {
		check.Error(t, &mlir.UnsupportedError{Library: "lib.so", Function: function}, want)
	}
	check.Text(t, &mlir.UnsupportedError{Library: "lib.so", Function: "mlirNothing"},
		"mlir: lib.so does not export mlirNothing")
}
