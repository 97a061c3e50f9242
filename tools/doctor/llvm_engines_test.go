//go:build engines

package main

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestLLVM makes a library of an LLVM 19 and tries it.
func TestLLVM(t *testing.T) {
	prefix, at := mlirtest.LLVM19(t)
	exit, stdout, stderr := doctor(t, "-llvm", prefix)
	if exit != exitWell || lastLine(stdout) != "all well" {
		t.Fatalf("status %d\n%s%s", exit, stdout, stderr)
	}
	text := section(stdout, "LLVM")
	for _, want := range []string{"library LLVM 19.1.7, " + at.Path, "parse, verify, lower ok", " linalg llvm ",
		`mlir.Open(mlir.OpenOptions{Path: "` + at.Path + `"})`, "export CALLIOPE_MLIR_LIBRARY=" + at.Path} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}

func TestLLVMRefused(t *testing.T) {
	exit, stdout, _ := doctor(t, "-llvm", t.TempDir())
	check.Diff(t, "status", exitFailed, exit)
	if text := section(stdout, "LLVM"); !strings.Contains(text, "there is no LLVM in") ||
		!strings.Contains(lastLine(stdout), "next: follow the advice above") {
		t.Errorf("the report is\n%s", stdout)
	}
}
