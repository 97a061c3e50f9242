package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestProfile prints what operations took, and writes it to a trace.
func TestProfile(t *testing.T) {
	const module = `func.func @main() -> tensor<f32> {
  %i = stablehlo.iota dim = 0 : tensor<4096xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.tanh %i : tensor<4096xf32>
  %0 = stablehlo.reduce(%t init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4096xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}`
	trace := filepath.Join(t.TempDir(), "trace.json")
	got := command{stdin: module}.run(t, "--jit", "--profile", "--trace", trace, "-")
	got.want(t, exitDone, "share", "")
	if !strings.Contains(got.stdout, "stablehlo.iota at <stdin>:2:8, stablehlo.tanh at <stdin>:4:8\n") {
		t.Errorf("it prints\n%s", got.stdout)
	}
	if text := string(check.Must(os.ReadFile(trace))); !strings.Contains(text, "stablehlo.tanh at") ||
		!strings.Contains(text, `"code"`) {
		t.Errorf("the trace is %s", text)
	}
	command{stdin: module}.run(t, "--profile", "-").want(t, exitFailed, "",
		"--profile measures code of package jit: add --jit")
}
