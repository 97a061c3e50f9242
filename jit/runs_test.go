package jit

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/run/hostcall/reader"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit/internal/callback"
)

// lowerText returns what LLVM compiles of a module without callbacks.
func lowerText(t *testing.T, text string) (string, *Executable) {
	t.Helper()
	given := mlirtest.Parse(t, mlirtest.Context(t), text)
	c := compilerOf(given.Context().Library())
	defer c.giveBack()
	m, err := c.copyOf(given)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	e, err := signature(m)
	if err != nil {
		t.Fatal(err)
	}
	e.compiler = c
	if e.calls, err = callback.Lower(m, reader.Targets{}); err != nil {
		t.Fatal(err)
	}
	defer e.calls.Close()
	for _, phase := range []phase{expanding, lowering} {
		if _, err := rewrite(t.Context(), m, e, phase); err != nil {
			t.Fatal(err)
		}
	}
	return m.String(), e
}

// padding returns a module that pads its rows with a value.
func padding(value string) string {
	return `func.func @main(%x: tensor<8x16xf32>) -> tensor<8x20xf32> {
		%c = stablehlo.constant dense<` + value + `> : tensor<f32>
		%0 = stablehlo.pad %x, %c, low = [0, 2], high = [0, 2], interior = [0, 0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x20xf32>
		return %0 : tensor<8x20xf32> }`
}

// update returns a module that changes a row of an array, and returns another row as well.
func update(attributes string) string {
	return `func.func @main(%x: tensor<100x16xf32> ` + attributes + `, %i: tensor<i32>, %u: tensor<1x16xf32>)
			-> (tensor<100x16xf32>, tensor<1x16xf32>) {
		%c = stablehlo.constant dense<0> : tensor<i32>
		%0 = stablehlo.dynamic_update_slice %x, %u, %i, %c
			: (tensor<100x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<100x16xf32>
		%1 = stablehlo.slice %0 [3:4, 0:16] : (tensor<100x16xf32>) -> tensor<1x16xf32>
		return %0, %1 : tensor<100x16xf32>, tensor<1x16xf32> }`
}

// TestCopies counts what is left of copies, of zeros, and of branches back that LLVM may not unroll.
func TestCopies(t *testing.T) {
	type code struct{ Calls, Copies, Clears, Loads, Loops int }
	for _, tt := range []struct {
		name, text string
		want       code
	}{
		{"slice", `func.func @main(%x: tensor<4x30x30x16xf32>) -> tensor<4x28x28x16xf32> {
			%0 = stablehlo.slice %x [0:4, 1:29, 1:29, 0:16] : (tensor<4x30x30x16xf32>) -> tensor<4x28x28x16xf32>
			return %0 : tensor<4x28x28x16xf32> }`, code{Calls: 1}},
		{"transposition of rows", `func.func @main(%x: tensor<8x9x32xf32>) -> tensor<9x8x32xf32> {
			%0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<8x9x32xf32>) -> tensor<9x8x32xf32>
			return %0 : tensor<9x8x32xf32> }`, code{Calls: 1}},
		{"transposition", `func.func @main(%x: tensor<8x9xf32>) -> tensor<9x8xf32> {
			%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x9xf32>) -> tensor<9x8xf32>
			return %0 : tensor<9x8xf32> }`, code{Loads: 1, Loops: 2}},
		{"padding with zeros", padding("0.0"), code{Calls: 1, Copies: 1, Clears: 1}},
		{"padding with negative zeros", padding("-0.0"), code{Calls: 1, Copies: 1, Loops: 2}},
		{"update", update(""), code{Copies: 3, Loads: 2, Loops: 2}},
		{"update of a donated array", update("{jax.buffer_donor = true}"), code{Copies: 1, Loads: 2, Loops: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, _ := lowerText(t, tt.text)
			got := code{
				Calls:  strings.Count(text, "llvm.call @"+copyFunction+"("),
				Copies: strings.Count(text, "llvm.intr.memcpy"),
				Clears: strings.Count(text, "llvm.intr.memset"),
				Loads:  strings.Count(text, "llvm.load"),
				Loops:  len(regexp.MustCompile(`llvm\.br .*{loop_annotation = `).FindAllString(text, -1)),
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLevel tells the modules that LLVM optimizes: those with loops that it may vectorize.
func TestLevel(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"copies": {padding("0.0"), 0},
		"fill":   {padding("1.0"), vectorizing},
		"sort": {`func.func @main(%x: tensor<4x100xf32>) -> tensor<4x100xf32> {
			%0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
			^bb0(%a: tensor<f32>, %b: tensor<f32>):
				%1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
				stablehlo.return %1 : tensor<i1>
			}) : (tensor<4x100xf32>) -> tensor<4x100xf32>
			return %0 : tensor<4x100xf32> }`, 0},
		"elementwise": {`func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {
			%0 = stablehlo.add %x, %x : tensor<100xf32>
			return %0 : tensor<100xf32> }`, vectorizing},
		"triangular_solve": {`func.func @main(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
			%0 = "stablehlo.triangular_solve"(%x, %x) {left_side = true, lower = true, unit_diagonal = true,
				transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>
			return %0 : tensor<9x9xf32> }`, vectorizing},
	} {
		t.Run(name, func(t *testing.T) {
			if _, e := lowerText(t, tt.text); e.level != tt.want {
				t.Errorf("LLVM has the level %d, want %d", e.level, tt.want)
			}
		})
	}
}
