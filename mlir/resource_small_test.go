package mlir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestSmallResources writes, lowers and translates modules whose elements are in resources that the libraries do not
// read. The module itself keeps them until passes run on it.
func TestSmallResources(t *testing.T) {
	const module = `%s
{-# dialect_resources: { builtin: { r: "0x04000000%s" } } #-}`
	const constant = `func.func @f() -> %[1]s {
  %%0 = arith.constant dense_resource<r> : %[1]s
  return %%0 : %[1]s
}`
	const lower = "builtin.module(one-shot-bufferize{bufferize-function-boundaries=1},convert-bufferization-to-memref," +
		"convert-to-llvm,reconcile-unrealized-casts)"
	mlirtest.Outlives(t, func(t *testing.T, start int) {
		n := 0
		for _, e := range mlirtest.Engines(t) {
			for _, test := range []struct{ text, bytes, want string }{
				{fmt.Sprintf(constant, "tensor<f32>"), "00006040", "constant float 3.500000e+00"},
				{fmt.Sprintf(constant, "tensor<1xf32>"), "00006040", "constant [1 x float]"},
				{fmt.Sprintf(constant, "tensor<2xf32>"), "0000604000006040", "constant [2 x float]"},
				{fmt.Sprintf(constant, "tensor<0xf32>"), "", "constant [0 x float]"},
				{`llvm.mlir.global constant @g(dense_resource<r> : vector<f32>) : vector<1xf32>`, "00006040",
					"float 3.500000e+00"},
				{`llvm.mlir.global constant @g(dense_resource<r> : tensor<0x2xi8>) : !llvm.array<0 x array<2 x i8>>`, "",
					"constant [0 x [2 x i8]] zeroinitializer"},
			} {
				if n++; n-1 < start {
					continue
				}
				fmt.Printf("%s%d %s: %s\n", mlirtest.CaseMark, n-1, e.Name, test.text)
				c := mlirtest.ContextOf(t, e.Library)
				m, err := c.Parse("", fmt.Appendf(nil, module, test.text, test.bytes))
				if err != nil {
					check.Diff(t, e.Name, false, c.LoadDialect("llvm") == nil && c.LoadDialect("arith") == nil)
					continue
				}
				again, err := c.Parse("written", check.Must(m.Bytecode()))
				check.NoError(t, err)
				check.NoError(t, again.Verify())
				pm, err := c.NewPassManager(mlir.PassManagerOptions{Pipeline: lower})
				if err != nil || !e.Library.Has("mlirTranslateModuleToLLVMIR") {
					continue
				}
				if strings.Contains(test.text, "func") {
					check.NoError(t, pm.Run(m))
				}
				before := m.String()
				text, err := m.LLVMIR()
				check.NoError(t, err)
				if !strings.Contains(text, test.want) {
					t.Errorf("%s: %s: the text lacks %q:\n%s", e.Name, test.text, test.want, text)
				}
				check.Diff(t, "the module", before, m.String())
			}
		}
	})
}

// TestLostResource runs passes on a constant whose resource has no data.
func TestLostResource(t *testing.T) {
	c := mlirtest.Context(t)
	m := mlirtest.Parse(t, c, "func.func @f() -> tensor<f32> {\n"+
		"  %0 = arith.constant dense_resource<lost> : tensor<f32>\n  return %0 : tensor<f32>\n}")
	err := passManager(t, c, mlir.PassManagerOptions{Pipeline: "builtin.module(canonicalize)"}).Run(m)
	check.Error(t, err, `arith.constant at test.mlir:2:8: mlir: the resource "lost" has no data`)
}
