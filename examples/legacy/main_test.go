package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.MLIR, native.PJRTPlugin) }

// The output is what the programs are for, computed here in Go. Both platforms print the same.
func TestOutput(t *testing.T) {
	var got strings.Builder
	check.NoError(t, run(t.Context(), &got))

	periodic := make([]float32, 2048)
	for i := range periodic {
		periodic[i] = float32(i%128) + 1000 + float32(i)
	}
	var sums []float32
	for _, n := range []int{32, 64, 128, 256} {
		sums = append(sums, float32(n*(n+1)/2))
	}
	counts := make([]int32, 256)
	for i := range len(opaque) {
		counts[opaque[i]]++
	}
	want := ""
	for _, platform := range []string{"Host", "CUDA"} {
		want += fmt.Sprintf("Functions for the platform %s:\n", platform) +
			"  A[i] = B[i % 128] + C[i]: " + short(tensor.Vector(periodic...)) + "\n" +
			"  with sizes from the program: " + short(tensor.Vector(periodic...)) + "\n" +
			"  counts of the opaque bytes: " + short(tensor.Vector(counts...)) + "\n" +
			"  sums of a nested tuple: " + short(tensor.Vector(sums...)) + "\n" +
			"  copy of positive elements: " + short(tensor.Vector[float32](1, 2, 3, 4)) + "\n" +
			"  copy of others: failed: there is a negative element\n"
	}
	check.Diff(t, "output", want, got.String())
}
