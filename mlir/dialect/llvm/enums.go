package llvm

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// The attributes of this file are made from their text. The C functions take numbers, and
// those of linkages differ between releases of LLVM.

// Linkage is how the linker merges definitions of a symbol in several files.
type Linkage string

const (
	LinkagePrivate             Linkage = "private"
	LinkageInternal            Linkage = "internal"
	LinkageAvailableExternally Linkage = "available_externally"
	LinkageLinkonce            Linkage = "linkonce"
	LinkageWeak                Linkage = "weak"
	LinkageCommon              Linkage = "common"
	LinkageAppending           Linkage = "appending"
	LinkageExternWeak          Linkage = "extern_weak"
	LinkageLinkonceODR         Linkage = "linkonce_odr"
	LinkageWeakODR             Linkage = "weak_odr"
	LinkageExternal            Linkage = "external"
)

// Attribute returns #llvm.linkage<…>.
func (l Linkage) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return enumAttribute(c, "linkage", linkageForm, string(l))
}

// ReadLinkage returns a as a Linkage. It returns an error if a is another attribute.
func ReadLinkage(a mlir.Attribute) (Linkage, error) {
	w, err := readEnum(a, "linkage", linkageForm)
	return Linkage(w), err
}

// CConv is a calling convention.
type CConv string

const (
	CConvC                 CConv = "ccc"
	CConvFast              CConv = "fastcc"
	CConvCold              CConv = "coldcc"
	CConvGHC               CConv = "cc_10"
	CConvHiPE              CConv = "cc_11"
	CConvAnyReg            CConv = "anyregcc"
	CConvPreserveMost      CConv = "preserve_mostcc"
	CConvPreserveAll       CConv = "preserve_allcc"
	CConvSwift             CConv = "swiftcc"
	CConvCXXFastTLS        CConv = "cxx_fast_tlscc"
	CConvTail              CConv = "tailcc"
	CConvCFGuardCheck      CConv = "cfguard_checkcc"
	CConvSwiftTail         CConv = "swifttailcc"
	CConvX86StdCall        CConv = "x86_stdcallcc"
	CConvX86FastCall       CConv = "x86_fastcallcc"
	CConvARMAPCS           CConv = "arm_apcscc"
	CConvARMAAPCS          CConv = "arm_aapcscc"
	CConvARMAAPCSVFP       CConv = "arm_aapcs_vfpcc"
	CConvMSP430Intr        CConv = "msp430_intrcc"
	CConvX86ThisCall       CConv = "x86_thiscallcc"
	CConvPTXKernel         CConv = "ptx_kernelcc"
	CConvPTXDevice         CConv = "ptx_devicecc"
	CConvSPIRFunc          CConv = "spir_funccc"
	CConvSPIRKernel        CConv = "spir_kernelcc"
	CConvIntelOCLBI        CConv = "intel_ocl_bicc"
	CConvX8664SysV         CConv = "x86_64_sysvcc"
	CConvWin64             CConv = "win64cc"
	CConvX86VectorCall     CConv = "x86_vectorcallcc"
	CConvHHVM              CConv = "hhvmcc"
	CConvHHVMC             CConv = "hhvm_ccc"
	CConvX86Intr           CConv = "x86_intrcc"
	CConvAVRIntr           CConv = "avr_intrcc"
	CConvAVRBuiltin        CConv = "avr_builtincc"
	CConvAMDGPUVS          CConv = "amdgpu_vscc"
	CConvAMDGPUGS          CConv = "amdgpu_gscc"
	CConvAMDGPUCS          CConv = "amdgpu_cscc"
	CConvAMDGPUKernel      CConv = "amdgpu_kernelcc"
	CConvX86RegCall        CConv = "x86_regcallcc"
	CConvAMDGPUHS          CConv = "amdgpu_hscc"
	CConvMSP430Builtin     CConv = "msp430_builtincc"
	CConvAMDGPULS          CConv = "amdgpu_lscc"
	CConvAMDGPUES          CConv = "amdgpu_escc"
	CConvAArch64VectorCall CConv = "aarch64_vectorcallcc"
	CConvAArch64SVEVector  CConv = "aarch64_sve_vectorcallcc"
	CConvWASMEmscripten    CConv = "wasm_emscripten_invokecc"
	CConvAMDGPUGfx         CConv = "amdgpu_gfxcc"
	CConvM68kIntr          CConv = "m68k_intrcc"
)

// Attribute returns #llvm.cconv<…>.
func (v CConv) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return enumAttribute(c, "calling convention", cconvForm, string(v))
}

// ReadCConv returns a as a CConv. It returns an error if a is another attribute.
func ReadCConv(a mlir.Attribute) (CConv, error) {
	w, err := readEnum(a, "calling convention", cconvForm)
	return CConv(w), err
}

// Comdat is how the linker merges several sections of the same name.
type Comdat string

const (
	ComdatAny           Comdat = "any"
	ComdatExactMatch    Comdat = "exactmatch"
	ComdatLargest       Comdat = "largest"
	ComdatNoDeduplicate Comdat = "nodeduplicate"
	ComdatSameSize      Comdat = "samesize"
)

// Attribute returns #llvm<comdat …>.
func (v Comdat) Attribute(c *mlir.Context) (mlir.Attribute, error) {
	return enumAttribute(c, "comdat", comdatForm, string(v))
}

// ReadComdat returns a as a Comdat. It returns an error if a is another attribute.
func ReadComdat(a mlir.Attribute) (Comdat, error) {
	w, err := readEnum(a, "comdat", comdatForm)
	return Comdat(w), err
}

const (
	linkageForm = "#llvm.linkage<%s>"
	cconvForm   = "#llvm.cconv<%s>"
	comdatForm  = "#llvm<comdat %s>"
)

func enumAttribute(c *mlir.Context, what, form, value string) (mlir.Attribute, error) {
	if err := c.LoadDialect(dialect); err != nil {
		return mlir.Attribute{}, err
	}
	text := fmt.Sprintf(form, value)
	a, err := c.ParseAttribute(text)
	if err != nil || a.String() != text {
		return mlir.Attribute{}, fmt.Errorf("llvm: %q is not a %s", value, what)
	}
	return a, nil
}

func readEnum(a mlir.Attribute, what, form string) (string, error) {
	text := a.String()
	before, after, _ := strings.Cut(form, "%s")
	rest, ok1 := strings.CutPrefix(text, before)
	value, ok2 := strings.CutSuffix(rest, after)
	if !ok1 || !ok2 {
		return "", fmt.Errorf("llvm: %s is not a %s", text, what)
	}
	return value, nil
}
