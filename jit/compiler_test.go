package jit

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// TestCompilerIsUsedAgain compiles modules one after another.
func TestCompilerIsUsedAgain(t *testing.T) {
	m := func(operation string) string {
		return fmt.Sprintf(`func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {
			%%0 = stablehlo.%s
			return %%0 : tensor<4xf32> }`, operation)
	}
	large := fmt.Sprintf(`func.func @main() -> tensor<%[1]dxi8> {
		%%0 = stablehlo.constant dense<"0x%[2]s"> : tensor<%[1]dxi8>
		return %%0 : tensor<%[1]dxi8> }`, mostRead, strings.Repeat("0102", mostRead/2))
	c := mlirtest.Context(t)
	compile := func(text string) (*compiler, error) {
		e, err := Compile(t.Context(), mlirtest.Parse(t, c, text), Options{})
		if err == nil {
			err = e.Close()
		}
		return idle.Load(), err
	}
	first, err := compile(m("add %x, %x : tensor<4xf32>"))
	if err != nil || first == nil {
		t.Fatal(first, err)
	}
	if again, err := compile(m("tanh %x : tensor<4xf32>")); err != nil || again != first {
		t.Errorf("after a second module the compiler is %p, %v, and was %p", again, err, first)
	}
	for name, text := range map[string]string{
		"refuses": m(`custom_call @none(%x) : (tensor<4xf32>) -> tensor<4xf32>`), "has read much": large,
	} {
		if left, err := compile(text); left != nil {
			t.Errorf("a compiler that %s is used again, %v", name, err)
		}
	}
}

// TestOneFunction counts what LLVM compiles.
func TestOneFunction(t *testing.T) {
	text, _ := lowerText(t, `func.func @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
		%0 = func.call @f(%x) : (tensor<16x16xf32>) -> tensor<16x16xf32>
		return %0 : tensor<16x16xf32> }
	func.func private @f(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
		%0 = stablehlo.dot %x, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
		%1 = stablehlo.tanh %0 : tensor<16x16xf32>
		return %1 : tensor<16x16xf32> }`)
	functions := regexp.MustCompile(`llvm\.func .* {\n`).FindAllString(text, -1)
	if len(functions) != 1 || !strings.Contains(functions[0], "@main") || !strings.Contains(functions[0], "no_inline") {
		t.Errorf("the functions are %q: there must be only main, which is not inlined", functions)
	}
}
