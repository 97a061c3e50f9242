//go:build engines

package mlir_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestLLVMIR(t *testing.T) {
	c := mlirtest.ContextOf(t, mlirtest.Upstream(t))
	m := mlirtest.Parse(t, c, `module {
  func.func @add(%a: i32, %b: i32) -> i32 {
    %0 = arith.addi %a, %b : i32
    return %0 : i32
  }
  llvm.func @host(!llvm.ptr)
  llvm.mlir.global external @answer(42 : i32) : i32
}`)
	check.NoError(t, passManager(t, c,
		mlir.PassManagerOptions{Pipeline: "builtin.module(convert-to-llvm,reconcile-unrealized-casts)"}).Run(m))
	text, err := m.LLVMIR()
	check.NoError(t, err)
	for _, want := range []string{"define i32 @add(i32 %0, i32 %1)", "declare void @host(ptr)",
		"@answer = global i32 42"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
}
