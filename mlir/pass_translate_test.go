package mlir_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/transform"
)

const gpuModule = `module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_70">] {
    llvm.func @copy(%from: !llvm.ptr, %to: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.load %from : !llvm.ptr -> f32
      llvm.store %0, %to : f32, !llvm.ptr
      llvm.return
    }
  }
}`

// noTargets is the error of the default library, which is built without LLVM's code
// generators for GPUs. It translates the module, and fails where LLVM optimizes it.
const noTargets = "no targets are registered"

// TestGPUModuleToBinary runs the pass first in a new context. It translates to LLVM IR, or
// is refused if the library cannot register the translations.
func TestGPUModuleToBinary(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		const pipeline = "builtin.module(gpu-module-to-binary{format=llvm})"
		c := mlirtest.ContextOf(t, e.Library)
		p, err := c.NewPassManager(mlir.PassManagerOptions{Pipeline: pipeline})
		check.NoError(t, err)
		check.Cleanup(t, p)
		m := mlirtest.Parse(t, c, gpuModule)
		err = p.Run(m)
		if !e.Library.Has("mlirRegisterAllLLVMTranslations") {
			if !errors.Is(err, mlir.ErrUnsupported) {
				t.Errorf("the error is %v, want ErrUnsupported", err)
			}
			check.Error(t, err, "gpu-module-to-binary", "translations")
			return
		}
		if e.Name == "default" {
			check.Error(t, err, noTargets)
			return
		}
		check.NoError(t, err)
		if text := m.String(); !strings.Contains(text, "gpu.binary @kernels") {
			t.Errorf("the module has no binary:\n%s", text)
		}
	})
}

// TestGPUModuleToBinaryInScript runs the pass in a transform script.
func TestGPUModuleToBinaryInScript(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		if !e.Library.Has("mlirTransformApplyNamedSequence") {
			return // see TestApply in transform
		}
		c := mlirtest.ContextOf(t, e.Library)
		m := mlirtest.Parse(t, c, gpuModule)
		err := transform.Apply(m, mlirtest.Parse(t, c, `module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op) {
    %0 = transform.apply_registered_pass "gpu-module-to-binary" with options = { "format" = "llvm" } to %m : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}`), transform.Options{})
		if e.Name == "default" {
			check.Error(t, err, noTargets)
		} else if e.Library.Has("mlirRegisterAllLLVMTranslations") {
			check.NoError(t, err)
		} else if !errors.Is(err, mlir.ErrUnsupported) {
			t.Errorf("the error is %v, want ErrUnsupported", err)
		}
	})
}
