package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestGoFile(t *testing.T) {
	for _, test := range []struct{ header, want string }{
		{"mlir-c/IR.h", "gen_ir.go"},
		{"mlir-c/BuiltinAttributes.h", "gen_builtin_attributes.go"},
		{"mlir-c/Dialect/LLVM.h", "gen_dialect_llvm.go"},
		{"mlir-c/Dialect/EmitC.h", "gen_dialect_emit_c.go"},
		{"mlir-c/Target/ExportSMTLIB.h", "gen_target_export_smtlib.go"},
		{"mlir/Conversion/Passes.capi.h.inc", "gen_conversion_passes.go"},
		{"mlir/Dialect/ArmSME/Transforms/Passes.capi.h.inc", "gen_dialect_arm_sme_transforms_passes.go"},
		{"stablehlo/integrations/c/StablehloDialectApi.h", "gen_stablehlo_dialect_api.go"},
	} {
		check.Diff(t, test.header, test.want, check.Must(goFile(test.header)))
	}
	for _, header := range []string{"mlir-c/Dialect/Wasm.h", "mlir-c/Target/Linux.h", "mlir-c/Test.h"} {
		if name, err := goFile(header); err == nil || !strings.Contains(err.Error(), "some systems only") {
			t.Errorf("%s has the Go file %s (%v)", header, name, err)
		}
	}
}

// TestSameGoFile checks that two headers with the same file are an error.
func TestSameGoFile(t *testing.T) {
	a := parsed(t)
	a.functions[0].header, a.functions[1].header = "mlir-c/EmitC.h", "mlir-c/Emit_c.h"
	_, err := goCalls(a)
	check.Error(t, err, "have the same Go file gen_emit_c.go")
}

func TestStale(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "experimental", "capi")
	check.NoError(t, os.MkdirAll(dir, 0o755))
	for _, name := range []string{"gen_ir.go", "gen_old.go", "table.go"} {
		check.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	got := check.Must(stale(root, map[string][]byte{"experimental/capi/gen_ir.go": nil}))
	if d := cmp.Diff([]string{filepath.Join(dir, "gen_old.go")}, got); d != "" {
		t.Errorf("stale files (-want +got):\n%s", d)
	}
}
