package jit_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
)

// TestPerfMap has the map that Linux perf reads name the code of each operation.
func TestPerfMap(t *testing.T) {
	path := fmt.Sprintf("/tmp/perf-%d.map", os.Getpid())
	t.Cleanup(func() { _ = os.Remove(path) })
	t.Setenv("CALLIOPE_JIT_PERF", "1")
	compile(t, `func.func @main(%x: tensor<16x16xf32>, %y: tensor<8xf32>) -> (tensor<16xf32>, tensor<8xf32>) {
		%c = stablehlo.constant dense<0.0> : tensor<f32>
		%0 = stablehlo.tanh %x : tensor<16x16xf32>
		%1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1]
			: (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
		%2 = stablehlo.cosine %y : tensor<8xf32>
		return %1, %2 : tensor<16xf32>, tensor<8xf32> }`)
	compile(t, `func.func @main(%x: tensor<40000000xf32>) -> tensor<40000000xf32> {
		%0 = stablehlo.tanh %x : tensor<40000000xf32>
		return %0 : tensor<40000000xf32> }`)
	f := check.Must(os.Open(path))
	defer f.Close()
	named := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var begin, size int
		if _, err := fmt.Sscanf(lines.Text(), "%x %x", &begin, &size); err != nil || begin <= 0 || size <= 0 {
			t.Errorf("%q: %v", lines.Text(), err)
		}
		named[strings.SplitN(lines.Text(), " ", 3)[2]] += size
	}
	for _, name := range []string{"calliope.main test.mlir:3:8", "calliope.main test.mlir:6:8",
		"calliope.range0 test.mlir:2:8"} {
		if named[name] == 0 {
			t.Errorf("%s is not in the map, which has %v", name, named)
		}
	}
	t.Setenv("CALLIOPE_JIT_PERF", "maybe")
	m := mlirtest.Parse(t, mlirtest.Context(t), "func.func @main() { return }")
	_, err := jit.Compile(t.Context(), m, jit.Options{})
	check.Error(t, err, `CALLIOPE_JIT_PERF is "maybe": use 1 or 0`)
}
