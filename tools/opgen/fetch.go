package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/debs"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

// definitionFiles has the packages with the definitions of LLVM 22 and the program that
// reads them.
var definitionFiles = debs.Set{
	Name: "definitions-22", Files: "usr", What: "MLIR 22 definitions", MB: 166,
	Packages: []debs.Package{{
		Name: "llvm-22", Version: "1:22.1.8-1~deb12u1",
		SHA256: "fcde579693b3f1cf1da596694c1add8a961ab1e1bd22744d4bff165d4f865add",
		Keep:   `^usr/(lib/llvm-22/bin/llvm-tblgen)$`,
	}, {
		Name: "libllvm22", Version: "1:22.1.8-1~deb12u1",
		SHA256: "729ec3e943d320515c2bbdc96acfffd7ce34861e62bd5c42726bf586d644dfe2",
		Keep:   `^usr/lib/x86_64-linux-gnu/(libLLVM\.so\.22\.1)$`,
	}, {
		Name: "libmlir-22-dev", Version: "1:22.1.8-1~deb12u1",
		SHA256: "7b46221bc4df3c193f01aee030cffebeedb520b9265b488940e639b00f45f045",
		Keep:   `^usr/lib/llvm-22/(include/mlir/.+\.td)$`,
	}, {
		Name: "llvm-22-dev", Version: "1:22.1.8-1~deb12u1",
		SHA256: "72250802fb65f281aa88bffe317bec70d6ddbe21134736c354a4f13ed24709ad",
		Keep:   `^usr/(include/llvm-22/llvm/.+\.td)$`,
	}},
}

// sources lists the files of operations below include/mlir.
var sources = strings.Fields(`Dialect/Arith/IR/ArithOps.td Dialect/Math/IR/MathOps.td Dialect/Func/IR/FuncOps.td
	Dialect/ControlFlow/IR/ControlFlowOps.td Dialect/SCF/IR/SCFOps.td Dialect/MemRef/IR/MemRefOps.td Dialect/Tensor/IR/TensorOps.td
	Dialect/Vector/IR/VectorOps.td Dialect/Linalg/IR/LinalgOps.td Dialect/Linalg/IR/LinalgStructuredOps.td
	Dialect/Linalg/IR/LinalgRelayoutOps.td Dialect/Affine/IR/AffineOps.td Dialect/Bufferization/IR/BufferizationOps.td
	Dialect/GPU/IR/GPUOps.td Dialect/LLVMIR/NVVMOps.td Dialect/LLVMIR/LLVMOps.td Dialect/LLVMIR/LLVMIntrinsicOps.td
	Dialect/Index/IR/IndexOps.td Dialect/Complex/IR/ComplexOps.td Dialect/Async/IR/AsyncOps.td Dialect/SPIRV/IR/SPIRVOps.td
	Dialect/Transform/IR/TransformOps.td Dialect/Transform/DebugExtension/DebugExtensionOps.td
	Dialect/Transform/LoopExtension/LoopExtensionOps.td Dialect/Transform/PDLExtension/PDLExtensionOps.td
	Dialect/Transform/TuneExtension/TuneExtensionOps.td Dialect/Transform/IRDLExtension/IRDLExtensionOps.td
	Dialect/Linalg/TransformOps/LinalgTransformOps.td Dialect/Linalg/TransformOps/LinalgMatchOps.td
	Dialect/SCF/TransformOps/SCFTransformOps.td Dialect/Affine/TransformOps/AffineTransformOps.td
	Dialect/Bufferization/TransformOps/BufferizationTransformOps.td Dialect/Func/TransformOps/FuncTransformOps.td
	Dialect/GPU/TransformOps/GPUTransformOps.td Dialect/MemRef/TransformOps/MemRefTransformOps.td
	Dialect/Tensor/TransformOps/TensorTransformOps.td Dialect/Vector/TransformOps/VectorTransformOps.td
	Dialect/SparseTensor/TransformOps/SparseTensorTransformOps.td Dialect/PDL/IR/PDLOps.td Dialect/PDLInterp/IR/PDLInterpOps.td
	Dialect/Quant/IR/QuantOps.td Dialect/SparseTensor/IR/SparseTensorOps.td Dialect/Shape/IR/ShapeOps.td Dialect/UB/IR/UBOps.td
	Dialect/EmitC/IR/EmitC.td Dialect/MLProgram/IR/MLProgramOps.td Dialect/OpenMP/OpenMPOps.td Dialect/OpenACC/OpenACCOps.td
	Dialect/NVGPU/IR/NVGPUOps.td Dialect/SMT/IR/SMTOps.td Dialect/IRDL/IR/IRDLOps.td Dialect/Ptr/IR/PtrOps.td
	Dialect/Tosa/IR/TosaOps.td Dialect/Tosa/IR/TosaShapeOps.td Dialect/Tosa/IR/TosaUtilOps.td IR/BuiltinOps.td
	Dialect/AMDGPU/IR/AMDGPU.td Dialect/AMX/AMX.td Dialect/ArmNeon/ArmNeon.td Dialect/ArmSME/IR/ArmSMEOps.td
	Dialect/ArmSME/IR/ArmSMEIntrinsicOps.td Dialect/ArmSVE/IR/ArmSVE.td Dialect/MPI/IR/MPIOps.td Dialect/LLVMIR/ROCDLOps.td
	Dialect/Shard/IR/ShardOps.td Dialect/WasmSSA/IR/WasmSSAOps.td Dialect/X86Vector/X86Vector.td Dialect/XeGPU/IR/XeGPUOps.td
	Dialect/LLVMIR/XeVMOps.td Dialect/SMT/IR/SMT.td
	Dialect/ArmNeon/TransformOps/ArmNeonVectorTransformOps.td Dialect/ArmSVE/TransformOps/ArmSVEVectorTransformOps.td
	Dialect/DLTI/TransformOps/DLTITransformOps.td Dialect/NVGPU/TransformOps/NVGPUTransformOps.td
	Dialect/Transform/SMTExtension/SMTExtensionOps.td Dialect/X86Vector/TransformOps/X86VectorTransformOps.td
	Dialect/XeGPU/TransformOps/XeGPUTransformOps.td`)

// extract makes the tables of facts: from the definitions of LLVM 22, from the bindings in the
// wheels of torch-mlir, IREE and jaxlib in a folder, and from what the libraries say about the
// operations that infer their result types. It fetches the definitions and the libraries.
func extract(ctx context.Context, folder string) (map[string][]byte, error) {
	usr, err := debs.Fetch(ctx, definitionFiles)
	if err != nil {
		return nil, err
	}
	var contexts []*mlir.Context
	for _, part := range []native.Part{native.MLIR, native.IREE, native.LLVM, native.Jaxlib} {
		found, err := native.Ensure(ctx, part, native.EnsureOptions{})
		if err != nil {
			return nil, err
		}
		library, err := mlir.Open(mlir.OpenOptions{Path: found.Path})
		if err != nil {
			return nil, err
		}
		c := library.NewContext(mlir.ContextOptions{})
		defer c.Close()
		contexts = append(contexts, c)
	}
	e := newExtraction(contexts...)
	for _, source := range sources {
		d, err := read(ctx, usr, source)
		if err == nil {
			err = e.add(d)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
	}
	for _, wheel := range wheels {
		if err := e.addWheel(folder, wheel); err != nil {
			return nil, err
		}
	}
	return e.files(), nil
}

// newExtraction returns an extraction without tables. The first of the contexts that has an operation says whether it
// infers its result types.
func newExtraction(contexts ...*mlir.Context) *extraction {
	return &extraction{
		tables: map[string]*table{}, seen: map[string]bool{}, spaces: map[string]string{}, enums: map[string]enum{},
		named: map[string]string{}, merged: map[string]bool{},
		infers: func(operation string) bool {
			i := slices.IndexFunc(contexts, func(c *mlir.Context) bool { return c.Registered(operation) })
			return i >= 0 && contexts[i].InfersTypes(operation)
		},
	}
}

// files returns the tables.
func (e *extraction) files() map[string][]byte {
	files := map[string][]byte{}
	for name, t := range e.tables {
		slices.SortFunc(t.operations, func(a, b operation) int { return strings.Compare(a.name, b.name) })
		files[tableFile(name)] = t.format()
	}
	return files
}

// tableFile returns the name of a dialect's table below the repository's root.
func tableFile(dialect string) string { return "tools/opgen/facts/" + dialect + ".txt" }

// read returns the definitions of one file.
func read(ctx context.Context, usr, source string) (d definitions, err error) {
	include := filepath.Join(usr, "include")
	file := filepath.Join(include, "mlir", filepath.FromSlash(source))
	// The loader runs a program that cannot be executed itself, as files in the cache.
	cmd := exec.CommandContext(ctx, "/lib64/ld-linux-x86-64.so.2", "--library-path", usr,
		filepath.Join(usr, "lib", "llvm-22", "bin", "llvm-tblgen"), "--dump-json",
		"-I", include, "-I", filepath.Join(include, "llvm-22"), "-I", filepath.Dir(file), file)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, messages.String())
	}
	return d, json.Unmarshal(out.Bytes(), &d)
}
