package jit_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/tensor"
)

// strangers are modules that do more than XLA would. FILE is a file that they make, if it is one that says so.
var strangers = []struct{ name, text, want string }{
	{"a call of system", `llvm.func @system(!llvm.ptr) -> i32
		llvm.mlir.global internal constant @cmd("echo ran > FILE\00")
		func.func @main(%a: tensor<i32>) -> tensor<i32> {
			%p = llvm.mlir.addressof @cmd : !llvm.ptr
			%r = llvm.call @system(%p) : (!llvm.ptr) -> i32
			return %a : tensor<i32> }`, "llvm.func at test.mlir:1:1: a module to compile has operations of StableHLO"},
	{"a constructor", `llvm.func @system(!llvm.ptr) -> i32
		llvm.mlir.global internal constant @cmd("echo ran > FILE\00")
		llvm.func @boom() {
			%p = llvm.mlir.addressof @cmd : !llvm.ptr
			%r = llvm.call @system(%p) : (!llvm.ptr) -> i32
			llvm.return }
		llvm.mlir.global_ctors ctors = [@boom], priorities = [0 : i32], data = [#llvm.zero]
		func.func @main(%a: tensor<i32>) -> tensor<i32> { return %a : tensor<i32> }`, "llvm.func at test.mlir:1:1"},
	{"an index out of range", `func.func @main(%a: tensor<i32>) -> tensor<i32> {
		%c = arith.constant dense<1> : tensor<1xi32>
		%i = arith.constant 100000 : index
		%e = tensor.extract %c[%i] : tensor<1xi32>
		%r = tensor.from_elements %e : tensor<i32>
		return %r : tensor<i32> }`, "tensor.extract at test.mlir:4:8: a module to compile has operations of StableHLO"},
	{"a pointer", `func.func @main(%a: tensor<i32>) -> tensor<i32> {
		%c = arith.constant 140000 : index
		%r = builtin.unrealized_conversion_cast %c : index to tensor<i32>
		return %r : tensor<i32> }`, "builtin.unrealized_conversion_cast at test.mlir:3:8: a module to compile"},
	{"a function of the process", `func.func private @abort(tensor<i32>) -> tensor<i32>
		func.func @main(%a: tensor<i32>) -> tensor<i32> {
			%r = func.call @abort(%a) : (tensor<i32>) -> tensor<i32>
			return %r : tensor<i32> }`, "func.func at test.mlir:1:1: the function has no body"},
	{"a function by its address", `func.func @main(%a: tensor<i32>) -> tensor<i32> {
		%f = func.constant @main : (tensor<i32>) -> tensor<i32>
		%r = func.call_indirect %f(%a) : (tensor<i32>) -> tensor<i32>
		return %r : tensor<i32> }`, "func.constant at test.mlir:2:8: a module to compile"},
	{"a nested module", `module { module @inner { llvm.func @f() }
		func.func @main(%a: tensor<i32>) -> tensor<i32> { return %a : tensor<i32> } }`, "llvm.func at test.mlir:1:26"},
	{"a region", `func.func @main(%a: tensor<i32>) -> tensor<i32> {
		%p = stablehlo.constant dense<true> : tensor<i1>
		%r = "stablehlo.if"(%p) ({
			%z = llvm.mlir.zero : !llvm.ptr
			"stablehlo.return"(%a) : (tensor<i32>) -> ()
		}, { "stablehlo.return"(%a) : (tensor<i32>) -> () }) : (tensor<i1>) -> tensor<i32>
		return %r : tensor<i32> }`, "llvm.mlir.zero at test.mlir:4:9: a module to compile"},
	{"memory", `func.func private @f(%a: memref<4xi32, 1>) { return }
		func.func @main(%a: tensor<i32>) -> tensor<i32> { return %a : tensor<i32> }`,
		"func.func at test.mlir:1:1: its type memref<4xi32, 1> is none of StableHLO"},
	{"an encoding", `#e = #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>
		func.func private @f(%a: tensor<4xi32, #e>) { return }
		func.func @main(%a: tensor<i32>) -> tensor<i32> { return %a : tensor<i32> }`, "is none of StableHLO"},
}

// ignored are attributes that MLIR copies to the code, and that XLA does not read.
var ignored = []struct{ name, text string }{
	{"assembly", `module attributes {llvm.module_asm = [".section .init_array,\22aw\22", ".quad nowhere", ".text"]} {
		func.func @main(%a: tensor<i32>) -> tensor<i32> { return %a : tensor<i32> } }`},
	{"target", `module attributes {llvm.target_triple = "mips-none-none", llvm.data_layout = "E-p:32:32"} {
		func.func @main(%a: tensor<i32>) -> tensor<i32> { return %a : tensor<i32> } }`},
	{"function", `func.func @main(%a: tensor<i32>) -> tensor<i32> attributes {section = ".init_array",
		passthrough = ["naked"], llvm.linkage = #llvm.linkage<extern_weak>, llvm.emit_c_interface, garbageCollector = "x",
		personality = @main, target_cpu = "nothing", comdat = @x, llvm.bareptr } { return %a : tensor<i32> }`},
	{"parameter", `func.func @main(%a: tensor<i32> {llvm.noalias, bufferization.writable = true, llvm.byval = i64})
		-> (tensor<i32> {llvm.noalias}) { return %a : tensor<i32> }`},
	{"operation", `func.func @main(%a: tensor<i32>) -> tensor<i32> {
		%z = stablehlo.constant {llvm.linkage = #llvm.linkage<extern_weak>} dense<0> : tensor<i32>
		%r = stablehlo.add %a, %z {library_call = "abort", doc = "x"} : tensor<i32>
		return %r : tensor<i32> }`},
}

// TestStrangers refuses modules that do more than XLA would, before anything is compiled.
func TestStrangers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ran")
	for _, s := range strangers {
		t.Run(s.name, func(t *testing.T) {
			m := mlirtest.Parse(t, mlirtest.ContextOf(t, mlirtest.Library(t)), strings.ReplaceAll(s.text, "FILE", file))
			e, err := jit.Compile(t.Context(), m, jit.Options{})
			if err == nil {
				e.Close()
			}
			check.Error(t, err, s.want)
			if refused := new(jit.ForeignError); !errors.As(err, &refused) || refused.Operation.Name == "" {
				t.Errorf("the error does not name the operation: %v", err)
			}
		})
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a module ran a program")
	}
}

// TestIgnoredAttributes checks that attributes which MLIR copies to the code are without effect.
func TestIgnoredAttributes(t *testing.T) {
	for _, i := range ignored {
		t.Run(i.name, func(t *testing.T) {
			got := run(t, i.text, tensor.Scalar[int32](7))
			if v := got[0].String(); !strings.Contains(v, "7") {
				t.Errorf("the result is %s, want 7", v)
			}
		})
	}
}
