package bridge

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// A program whose nesting needs a large stack is compiled.
func TestCompileDeep(t *testing.T) {
	const levels = 20_000
	program := "module attributes {a.b = " + strings.Repeat("[", levels) + strings.Repeat("]", levels) + "} {\n" +
		"func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\n}"
	e, err := testClient(t).Compile(t.Context(), Source(program), engine.CompileOptions{})
	if err != nil {
		t.Fatalf("%.600v", err)
	}
	check.Report(t, e.Close())
}
