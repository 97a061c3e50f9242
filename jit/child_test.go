package jit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/tensor"
)

// crashVariable makes the first passes of a child some of which one crashes on complex numbers.
const crashVariable = "CALLIOPE_TEST_CRASH"

var _ = func() bool {
	if os.Getenv(crashVariable) != "" {
		expansion = slices.Insert(expansion, 0, passes("cse", "func.func(stablehlo-legalize-to-linalg)"))
	}
	return true
}()

// newChild ends the spare child, so that the next one has the environment of now.
func newChild() {
	select {
	case p := <-spare:
		p.End()
	default:
	}
}

// Crash makes a pass of the children crash on stablehlo.bitcast_convert of complex numbers until the test ends.
func Crash(t *testing.T) {
	t.Setenv(crashVariable, "1")
	newChild()
	t.Cleanup(newChild)
}

// TestCrash compiles a module on which a pass crashes, and then another one.
func TestCrash(t *testing.T) {
	tests := []struct {
		name, text, on, at string
	}{
		{"in main", `func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
			%0 = stablehlo.add %x, %x : tensor<2xcomplex<f32>>
			%1 = stablehlo.bitcast_convert %0 : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
			return %1 : tensor<2xcomplex<f32>> }`, "stablehlo.bitcast_convert", ":3:9"},
		{"in a branch", `func.func @main(%x: tensor<2xcomplex<f32>>, %c: tensor<i1>) -> tensor<2xcomplex<f32>> {
			%0 = "stablehlo.if"(%c) ({
				%1 = stablehlo.bitcast_convert %x : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
				stablehlo.return %1 : tensor<2xcomplex<f32>>
			}, {
				stablehlo.return %x : tensor<2xcomplex<f32>>
			}) : (tensor<i1>) -> tensor<2xcomplex<f32>>
			return %0 : tensor<2xcomplex<f32>> }`, "stablehlo.bitcast_convert", ":3:10"},
	}
	reason := "SEGV" // AddressSanitizer says so, too
	if runtime.GOOS == "windows" {
		reason = "0xc0000005"
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			Crash(t)
			_, err := Compile(t.Context(), mlirtest.Parse(t, mlirtest.Context(t), tt.text), Options{Isolate: true})
			check.Error(t, err, "the pass func.func(stablehlo-legalize-to-linalg) crashes on "+tt.on+" at ", tt.at,
				reason)
			unsupported, _ := errors.AsType[*UnsupportedError](err)
			check.Diff(t, "operation", tt.on, unsupported.Operations[0].Name)
		})
	}
	works(t)
}

// TestGenerationCrash compiles modules of which LLVM cannot generate code: the instruction is one of a GPU.
func TestGenerationCrash(t *testing.T) {
	// No operation of StableHLO crashes LLVM here, so this takes others.
	defer func(before []string) { acceptedDialects = before }(acceptedDialects)
	acceptedDialects = append(slices.Clip(acceptedDialects), "arith", "linalg", "llvm", "math", "tensor")
	const kernel = `
			%%3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
				ins(%[1]s : tensor<4xi32>) outs(%[1]s : tensor<4xi32>) {
			^bb0(%%a: i32, %%b: i32):
				%%4 = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
				linalg.yield %%4 : i32
			} -> tensor<4xi32>
			return %%3 : tensor<4xi32> }`
	tests := []struct{ name, before, input string }{
		{"first", "", "%x"},
		{"later", "%0 = stablehlo.add %x, %x : tensor<4xi32>\n%1 = stablehlo.sine %f : tensor<3xf32>", "%0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "func.func @main(%x: tensor<4xi32>, %f: tensor<3xf32>) -> tensor<4xi32> {" + tt.before +
				fmt.Sprintf(kernel, tt.input)
			_, err := Compile(t.Context(), mlirtest.Parse(t, mlirtest.Context(t), text), Options{Isolate: true})
			check.Error(t, err, "code generation crashes on linalg.generic at ", "LLVM ERROR: Cannot select: intrinsic")
			unsupported, _ := errors.AsType[*UnsupportedError](err)
			check.Diff(t, "line", 2+strings.Count(tt.before, "\n"), unsupported.Operations[0].Position.Line)
		})
	}
	works(t)
}

// works compiles a module in a child and runs it.
func works(t *testing.T) {
	t.Helper()
	m := mlirtest.Parse(t, mlirtest.Context(t), `func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
		%end = stablehlo.constant dense<100.0> : tensor<f32>
		%zero = stablehlo.constant dense<0.0> : tensor<f32>
		%0 = stablehlo.while(%v = %x) : tensor<3xf32>
			cond {
				%sum = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
				%c = stablehlo.compare LT, %sum, %end : (tensor<f32>, tensor<f32>) -> tensor<i1>
				stablehlo.return %c : tensor<i1>
			} do {
				%w = stablehlo.add %v, %v : tensor<3xf32>
				%r = stablehlo.reverse %w, dims = [0] : tensor<3xf32>
				stablehlo.return %r : tensor<3xf32>
			}
		return %0 : tensor<3xf32> }`)
	e, err := Compile(t.Context(), m, Options{Isolate: true})
	if err != nil {
		t.Fatal(err)
	}
	check.Cleanup(t, e)
	got, err := e.Call(t.Context(), tensor.Vector[float32](1, 2, 4))
	check.NoError(t, err)
	check.Diff(t, "results", []tensor.View{tensor.Vector[float32](16, 32, 64)}, got)
}

// TestIsolateVariable compiles in a child that the environment asks for.
func TestIsolateVariable(t *testing.T) {
	t.Setenv("CALLIOPE_JIT_ISOLATE", "1")
	newChild()
	m := mlirtest.Parse(t, mlirtest.Context(t), "func.func @main() { return }")
	e, err := Compile(t.Context(), m, Options{})
	check.NoError(t, err)
	check.NoError(t, e.Close())
	if len(spare) != 1 {
		t.Error("there was no child")
	}
}

// TestIsolateEnds ends a context while a child has a module.
func TestIsolateEnds(t *testing.T) {
	works(t)
	m := mlirtest.Parse(t, mlirtest.Context(t), "func.func @main() { return }")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rewriteInChild(ctx, m, &Executable{}, expanding); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if len(spare) != 0 {
		t.Error("the child goes on")
	}
	works(t)
}
